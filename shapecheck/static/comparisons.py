"""Comparisons of sizes: what may be equal in a branch that `<`, `<=`, `>` or `>=` leads to.

Behind ``if rotary < width: ... else:`` the two are equal in the case that counts: with a slice of ``rotary`` out of
``width``, nothing else is left. Behind ``n <= 1`` there is only one size. Neither is a fact about sizes in general, so
what would be a fault if they were unequal is none there.

An assertion and a condition that raises say how sizes lie, not that a case of equal ones is treated by itself.
"""

from __future__ import annotations

import ast

from shapecheck.dims import Dim
from shapecheck.shapes import AnyValue, Opaque, scope
from shapecheck.static.values import Condition
from shapecheck.static.walk import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.static.frame import Frame

MOST_LISTED = 4
"""Below a bound up to this number, every size is a case of its own."""
_READING = frozenset(("len", "size", "int", "dim", "numel", "min", "max", "abs"))
_NEGATED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt,
}  # fmt: skip
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE,
}  # fmt: skip


def leave_open(frame: Frame, test: ast.expr, *, holds: bool, kept: Condition | None = None) -> None:
    """Let the sizes be equal that a condition compares, where it allows that.

    Args:
        frame: the call in which it is asked.
        test: the condition.
        holds: whether it holds.
        kept: where it is part of a bool that was kept in a variable, that bool.
    """
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        leave_open(frame, test.operand, holds=not holds, kept=kept)
    elif isinstance(test, ast.BoolOp):
        for part in test.values:
            leave_open(frame, part, holds=holds, kept=kept)
    elif isinstance(test, ast.Name):
        value = frame.env.get(test.id)
        if kept is not None:
            # `ok = ok and n <= 1`: what the name meant before.
            value = next((old for part, old in kept.values if part is test), None)
        if isinstance(value, Condition) and value.frame is frame and value is not kept:
            leave_open(frame, value.node, holds=holds, kept=value)
    elif isinstance(test, ast.Compare):
        sides = [test.left, *test.comparators]
        for op, left, right in zip(test.ops, sides, sides[1:], strict=False):
            relation = type(op) if holds else _NEGATED.get(type(op))
            if relation in _NEGATED and _only_reads(left) and _only_reads(right) and not _is_past(frame, test, kept):
                _compare(relation, _size(frame.evaluate(left)), _size(frame.evaluate(right)))
                _compare(relation, _axis_called(frame, left), _axis_called(frame, right))


def _is_past(frame: Frame, test: ast.Compare, kept: Condition | None) -> bool:
    """Whether something in a comparison was assigned since its result was kept."""
    parts = set() if kept is None else {id(node) for node in nodes(test)}
    return kept is not None and any(
        frame.env.get(part.id) is not value
        for part, value in kept.values if id(part) in parts and isinstance(part, ast.Name)
    )


def refuses(body: list[ast.stmt]) -> bool:
    """Whether a branch ends in an error."""
    last = body[-1] if body else None
    return isinstance(last, ast.Raise) or (
        isinstance(last, ast.Assert) and isinstance(last.test, ast.Constant) and not last.test.value
    )


def _only_reads(node: ast.expr) -> bool:
    """Whether an expression can be evaluated again without changing anything."""
    for inner in nodes(node):
        if isinstance(inner, (ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)):
            return False
        if isinstance(inner, ast.Call):
            function = inner.func
            if (function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")) not in _READING:
                return False
    return True


def _axis_called(frame: Frame, node: ast.expr) -> Dim | None:
    """The axis that is called like what is compared: ``self.part < self.whole`` is about ``"b t part"`` as well."""
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    axis = None if frame.names is None else frame.names.bound.get(name)
    return axis if isinstance(axis, Dim) else None


def _size(value: AnyValue) -> Dim | None:
    value = value.size() if isinstance(value, Opaque) else value
    return value if isinstance(value, Dim) else None


def _compare(relation: type[ast.cmpop] | None, left: Dim | None, right: Dim | None) -> None:
    if left is None or right is None or relation is None:
        return
    if left.constant is not None:
        relation, left, right = _TURNED[relation], right, left
    bound = right.constant
    if left.constant is not None or bound is None:
        if relation in (ast.LtE, ast.GtE) and left.constant is None:
            scope().leave_open(left, right)
    elif relation in (ast.Lt, ast.LtE):
        largest = bound - (relation is ast.Lt)
        for number in {largest, *range(1, min(largest, MOST_LISTED) + 1)}:
            scope().leave_open(left, Dim.of(number))
