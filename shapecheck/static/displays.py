"""Tuples, lists, dictionaries that are written out, and comprehensions."""

from __future__ import annotations

import ast

from shapecheck.dims import Dim
from shapecheck.shapes import (
    AnyValue,
    Rest,
    Sequence,
    Unknown,
)
from shapecheck.static.assignment import assign
from shapecheck.static.conditions import truth
from shapecheck.static.facts import assume
from shapecheck.static.iteration import iterate
from shapecheck.static.joins import elements_of, join
from shapecheck.static.loops import MAX_UNROLLED
from shapecheck.static.loosen import take
from shapecheck.static.values import (
    Dictionary,
    Elements,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from shapecheck.static.frame import Frame


def _items(frame: Frame, nodes: list[ast.expr], kind: str) -> AnyValue:
    items: list[AnyValue | Rest] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            value = frame.evaluate(node.value)
            if isinstance(value, Sequence):
                items += value.items
            elif isinstance(value, Elements) and len(nodes) == 1:
                return value
            else:
                return Unknown("a starred item of unknown length")
        else:
            items.append(frame.evaluate(node))
    return Sequence(items, kind)


def _tuple(frame: Frame, node: ast.Tuple) -> AnyValue:
    return _items(frame, node.elts, "tuple")


def _list(frame: Frame, node: ast.List) -> AnyValue:
    return _items(frame, node.elts, "list")


def _set(frame: Frame, node: ast.Set) -> AnyValue:
    return _items(frame, node.elts, "set")


def _dict(frame: Frame, node: ast.Dict) -> AnyValue:
    items: dict[object, AnyValue] = {}
    for key, value_node in zip(node.keys, node.values, strict=True):
        value = frame.evaluate(value_node)
        if key is None:
            if not isinstance(value, Dictionary):
                return Unknown("a dictionary with unknown keys")
            items.update(value.items)
            continue
        constant = frame.interpreter.key(frame.evaluate(key))
        if constant is None:
            return Unknown("a dictionary with unknown keys")
        items[constant] = value
    return Dictionary(items)


def _comprehension(frame: Frame, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> AnyValue:
    saved = dict(frame.env)
    found = _generate(frame, node.generators, lambda: frame.evaluate(node.elt))
    frame.env = saved
    return found


def _generate(frame: Frame, generators: list[ast.comprehension], make: Callable[[], AnyValue]) -> AnyValue:
    """What a comprehension makes: each item where few are known, else the kind of its items."""
    first = generators[0]
    iterable = iterate(frame, frame.evaluate(first.iter))
    inner = generators[1:]
    if isinstance(iterable, list) and len(iterable) <= MAX_UNROLLED:
        items: list[AnyValue | Rest] = []
        certain = True
        for item in iterable:
            assign(frame, first.target, item, None)
            holds = [truth(frame, condition) for condition in first.ifs]
            if False in holds:
                continue
            certain &= None not in holds
            if inner:
                nested = _generate(frame, inner, make)
                if not isinstance(nested, Sequence):
                    return nested
                items += nested.items
            else:
                items.append(make())
        found = Sequence(items, "list")
        if certain or not items:
            return found
        element = elements_of(found)[0]
        for item in elements_of(found)[1:]:
            element = join(element, item)
        return Elements(element)
    if isinstance(iterable, list):
        element = iterable[0]
        for item in iterable[1:]:
            element = join(element, item)
        iterable = Elements(element, Dim.of(len(iterable)))
    assign(frame, first.target, take(iterable), None)
    for condition in first.ifs:
        truth(frame, condition)
        assume(frame, condition, holds=True)
    length = iterable.length if not first.ifs else None
    if inner:
        nested = _generate(frame, inner, make)
        if isinstance(nested, Elements):
            return Elements(nested.element, None if length is None or nested.length is None else length * nested.length)
        if isinstance(nested, Sequence) and nested.items:
            joined = elements_of(nested)[0]
            for item in elements_of(nested)[1:]:
                joined = join(joined, item)
            return Elements(joined, None if length is None else length * len(nested.items))
        return Unknown("a nested comprehension")
    return Elements(make(), length)


def _dict_comprehension(frame: Frame, node: ast.DictComp) -> AnyValue:
    saved = dict(frame.env)
    pair = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node)
    found = _generate(frame, node.generators, lambda: frame.evaluate(pair))
    frame.env = saved
    if isinstance(found, Sequence):
        items: dict[object, AnyValue] = {}
        for item in found.items:
            key = frame.interpreter.key(item.items[0]) if isinstance(item, Sequence) else None  # type: ignore[arg-type]
            if key is None or not isinstance(item, Sequence):
                return Unknown("a dictionary with unknown keys")
            items[key] = item.items[1]  # type: ignore[assignment]  # a value, not a Rest
        return Dictionary(items)
    if isinstance(found, Elements) and isinstance(found.element, Sequence):
        return Elements(found.element.items[1], None, "dict")  # type: ignore[arg-type]  # a value, not a Rest
    return Unknown("a dictionary with unknown keys")


DISPLAYS: dict[type, Callable[[Frame, Any], AnyValue]] = {
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.Set: _set,
    ast.Dict: _dict,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _dict_comprehension,
}
