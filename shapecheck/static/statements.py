"""Statements: from syntax to what it does to the state of a call."""

from __future__ import annotations

import ast

from shapecheck.annotations import ArrayHint, InvalidHint, parse_annotation, walk
from shapecheck.dims import Dim
from shapecheck.rules.silent import forget
from shapecheck.shapes import (
    AnyValue,
    Sequence,
    Unknown,
    scope,
)
from shapecheck.static.aliases import forget_values
from shapecheck.static.assignment import assign, forget_keys
from shapecheck.static.branches import BRANCHES
from shapecheck.static.conditions import truth
from shapecheck.static.copies import replace_value, share
from shapecheck.static.facts import assume, condition_of
from shapecheck.static.frame import NO_RETURN, Frame
from shapecheck.static.joins import elements_of, join, join_all
from shapecheck.static.loops import LOOPS
from shapecheck.static.names_read import check_names_read
from shapecheck.static.operators import binary
from shapecheck.static.values import ClassValue, Dictionary, Elements, External, FunctionValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def execute(frame: Frame, body: list[ast.stmt]) -> bool:
    """Run statements; whether execution can go on behind them."""
    for statement in body:
        frame.interpreter.enter(statement)
        run = _STATEMENTS.get(type(statement))
        if run is not None and not run(frame, statement):
            return False
    return True


# -- simple statements -----------------------------------------------------------------------------------------------


def _expression(frame: Frame, node: ast.Expr) -> bool:
    value = frame.evaluate(node.value)
    if isinstance(value, Unknown) and value.why is NO_RETURN:
        return False
    return not (isinstance(node.value, ast.Call) and _leaves(frame, node.value.func))


_LEAVING = frozenset(("exit", "_exit", "quit", "abort", "assert_never"))
_EXITS = frozenset(("sys.exit", "builtins.exit", "builtins.quit", "os._exit", "os.abort", "typing.assert_never",
                    "typing_extensions.assert_never"))  # fmt: skip


def _leaves(frame: Frame, function: ast.expr) -> bool:
    """Whether a call ends the program."""
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if name not in _LEAVING:
        return False
    called = frame.evaluate(function)
    return isinstance(called, External) and called.name in _EXITS


def _return(frame: Frame, node: ast.Return) -> bool:
    value: AnyValue | None = None
    if node.value is not None:
        value = frame.evaluate(node.value)
        frame.interpreter.check_result(frame, node.value, value)
    if value is not None:
        frame.results.append(value)
    return False


def _raise(frame: Frame, node: ast.Raise) -> bool:
    del frame, node
    return False


def _assert(frame: Frame, node: ast.Assert) -> bool:
    if truth(frame, node.test) is False or _is_another_order(frame, node.test):
        _report_never(frame, node.test)
        return False
    assume(frame, node.test, holds=True)
    return True


def _compared(frame: Frame, test: ast.expr) -> tuple[list[Dim], list[Dim]]:
    """The sizes that an assert says are equal; none where it says something else."""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq) or len(test.ops) > 1:
        return [], []
    frame.interpreter.silent += 1
    try:
        left, right = _sizes(frame.evaluate(test.left)), _sizes(frame.evaluate(test.comparators[0]))
    finally:
        frame.interpreter.silent -= 1
    return (left, right) if len(left) == len(right) else ([], [])


def _is_another_order(frame: Frame, test: ast.expr) -> bool:
    """Whether a shape is compared with its own axes in another order, as written beside it."""
    if not isinstance(test, ast.Compare) or not isinstance(test.comparators[0], ast.Tuple):
        return False
    left, right = _compared(frame, test)
    return left != right and {*left} == {*right} and len({*left}) == len(left) and all(size.symbol for size in left)


def _report_never(frame: Frame, test: ast.expr) -> None:
    """Report an assert about sizes that cannot hold: ``n == n + 1``, or a shape in another order.

    Other names may be equal where that is asked for.
    """
    if frame.depth:
        return
    pairs = list(zip(*_compared(frame, test), strict=True))
    apart = [(one, other) for one, other in pairs if (one - other).constant and one.constant is None]
    if not apart and _is_another_order(frame, test):
        apart = [(one, other) for one, other in pairs if one != other]
    if apart:
        frame.interpreter.report_never(frame, test, *apart[0])


def _sizes(value: AnyValue) -> list[Dim]:
    """The sizes of a shape, or one size; none if one of them is not known."""
    items = value.items if isinstance(value, Sequence) else [value]
    sizes = [scope().normal(item) for item in items if isinstance(item, Dim)]
    return sizes if len(sizes) == len(items) else []


def _assign(frame: Frame, node: ast.Assign) -> bool:
    value = condition_of(frame, node.value, frame.evaluate(node.value))
    for target in node.targets:
        assign(frame, target, value, node.value)
        if type(node.value) in _READING:
            check_names_read(frame, target, node.value)
    return True


_READING = frozenset((ast.Tuple, ast.Subscript, ast.Attribute, ast.Call))
"""What sizes are read by: ``x.shape``, ``x.shape[2]``, ``x.size()``, and several of them."""


def _annotated(frame: Frame, node: ast.AnnAssign) -> bool:
    hint = parse_annotation(node.annotation, frame.index)
    frame.interpreter.report_invalid(frame, hint)
    has_shape = any(isinstance(part, ArrayHint) for part in walk(hint))
    if node.value is None:
        if isinstance(node.target, ast.Name) and has_shape:
            frame.env[node.target.id] = frame.interpreter.declared(frame, hint)
        return True
    value = frame.evaluate(node.value)
    if has_shape and not isinstance(hint, InvalidHint):
        value = frame.interpreter.check_local(frame, node, hint, value)
    assign(frame, node.target, value, node.value)
    return True


def _augmented(frame: Frame, node: ast.AugAssign) -> bool:
    target = node.target
    left = frame.evaluate(target)
    right = frame.evaluate(node.value)
    if isinstance(left, Sequence) and left.kind == "list" and isinstance(node.op, ast.Add):
        if isinstance(right, Sequence):
            left.items.extend(right.items)
            return True
        value: AnyValue = Unknown("a list grows by an unknown part")
        if isinstance(right, Elements):
            value = join(left, right)
        replace_value(frame, left, value)
        return True
    if isinstance(left, Elements) and left.kind == "list" and isinstance(node.op, ast.Add):
        added = elements_of(right) if isinstance(right, (Sequence, Elements)) else [Unknown("an unknown part")]
        left.element = join_all([left.element, *added])
        left.length = None
        return True
    value = binary(frame, node, type(node.op), left, right)
    forget(left)
    if isinstance(target, ast.Subscript):
        forget_values(frame, target.value)
        return True
    assign(frame, target, value, None)
    return True


# -- definitions -----------------------------------------------------------------------------------------------------


def _function(frame: Frame, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    closure = frame.interpreter.closure(frame)
    value = FunctionValue(node, frame.index, node.name, closure=closure, owner=frame.owner)
    frame.env[node.name] = value
    share(frame, node)
    frame.interpreter.nested(frame, value)
    return True


def _class(frame: Frame, node: ast.ClassDef) -> bool:
    frame.env[node.name] = ClassValue(frame.interpreter.class_of(node, frame.index))
    return True


def _import(frame: Frame, node: ast.Import | ast.ImportFrom) -> bool:
    frame.interpreter.local_import(frame, node)
    return True


def _delete(frame: Frame, node: ast.Delete) -> bool:
    for target in node.targets:
        if isinstance(target, ast.Name):
            frame.env.pop(target.id, None)
        elif isinstance(target, ast.Subscript):
            owner = frame.evaluate(target.value)
            if isinstance(owner, Sequence) and owner.kind == "list":
                replace_value(frame, owner, Elements(join_all(elements_of(owner) or [Unknown("no item")])))
            elif isinstance(owner, Elements):
                owner.length, owner.taken = None, {}
            elif isinstance(owner, Dictionary):
                key = frame.interpreter.key(frame.evaluate(target.slice))
                if key is None or owner.items.pop(key, None) is None:
                    forget_keys(frame, owner)
    return True


_STATEMENTS: dict[type, Callable[[Frame, Any], bool]] = {
    ast.Expr: _expression,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.Delete: _delete,
    **BRANCHES,
    **LOOPS,
}
