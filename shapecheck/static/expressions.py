"""Expressions: from syntax to abstract values."""

from __future__ import annotations

import ast

from shapecheck.dims import Dim
from shapecheck.shapes import (
    ELLIPSIS,
    FALSE,
    NONE,
    TRUE,
    AnyValue,
    Constant,
    Slice,
    Unknown,
)
from shapecheck.static.attributes import attribute_of
from shapecheck.static.copies import share
from shapecheck.static.displays import DISPLAYS
from shapecheck.static.operators import OPERATORS
from shapecheck.static.subscripts import item_of
from shapecheck.static.values import (
    FunctionValue,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from shapecheck.static.frame import Frame


def _constant(frame: Frame, node: ast.Constant) -> AnyValue:
    del frame
    value = node.value
    if value is None:
        return NONE
    if value is True:
        return TRUE
    if value is False:
        return FALSE
    if value is ...:
        return ELLIPSIS
    if isinstance(value, int):
        return Dim.of(value)
    return Constant(value)


def _name(frame: Frame, node: ast.Name) -> AnyValue:
    found = frame.env.get(node.id)
    return found if found is not None else frame.interpreter.global_name(frame, node.id)


def _joined_string(frame: Frame, node: ast.JoinedStr) -> AnyValue:
    parts: list[str] = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value))
        elif isinstance(part, ast.FormattedValue):
            value = frame.evaluate(part.value)
            if isinstance(value, Dim) and value.constant is not None and part.format_spec is None:
                parts.append(str(value.constant))
            elif isinstance(value, Constant) and isinstance(value.value, str) and part.format_spec is None:
                parts.append(value.value)
            else:
                return Unknown("a formatted string")
    return Constant("".join(parts))


def _attribute(frame: Frame, node: ast.Attribute) -> AnyValue:
    return attribute_of(frame, frame.evaluate(node.value), node.attr, node)


def _subscript(frame: Frame, node: ast.Subscript) -> AnyValue:
    owner = frame.evaluate(node.value)
    index = frame.evaluate(node.slice)
    return item_of(frame, owner, index, node)


def _slice(frame: Frame, node: ast.Slice) -> AnyValue:
    return Slice(*[None if part is None else frame.evaluate(part) for part in (node.lower, node.upper, node.step)])


def _call(frame: Frame, node: ast.Call) -> AnyValue:
    return frame.interpreter.call_node(frame, node)


def _lambda(frame: Frame, node: ast.Lambda) -> AnyValue:
    share(frame, node)
    return FunctionValue(node, frame.index, "<lambda>", closure=frame.interpreter.closure(frame), owner=frame.owner)


def _await(frame: Frame, node: ast.Await) -> AnyValue:
    return frame.evaluate(node.value)


def _yield(frame: Frame, node: ast.Yield | ast.YieldFrom) -> AnyValue:
    if node.value is not None:
        value = frame.evaluate(node.value)
        if isinstance(node, ast.Yield):
            frame.interpreter.check_yield(frame, node.value, value)
    return Unknown("what a generator is sent")


EXPRESSIONS: dict[type, Callable[[Frame, Any], AnyValue]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.JoinedStr: _joined_string,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Call: _call,
    ast.Lambda: _lambda,
    ast.Await: _await,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
    **OPERATORS,
    **DISPLAYS,
}
