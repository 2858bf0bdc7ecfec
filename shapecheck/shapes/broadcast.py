"""Broadcasting: axes are lined up from the right; equal sizes or 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapecheck.dims import ONE, YES, Dim, Kind, No, Symbol
from shapecheck.shapes.axis import Axis, Origin, Rest
from shapecheck.shapes.context import require, scope, suspect
from shapecheck.shapes.fault import Fault, Mismatch
from shapecheck.shapes.shape import Shape

if TYPE_CHECKING:
    from collections.abc import Sequence


def broadcast(*shapes: Shape) -> Shape | Mismatch:
    """The shape of an element-wise operation on operands of the given shapes.

    Two sizes of which neither is known to be 1 and which are unequal for generic sizes are a mismatch. Where one is not
    known, the result has the size that is (the other is then that size or 1); nothing is solved.
    """
    result = shapes[0]
    for shape in shapes[1:]:
        pair = _broadcast_pair(result, shape)
        if isinstance(pair, Mismatch):
            return pair
        result = pair
    return result


def _broadcast_pair(left: Shape, right: Shape) -> Shape | Mismatch:
    if not right.axes:
        return left
    if not left.axes:
        return right
    found: list[Axis | Rest] = []
    position = 0
    longest = max(len(left), len(right))
    while position < longest:
        position += 1
        one = left[len(left) - position] if position <= len(left) else None
        other = right[len(right) - position] if position <= len(right) else None
        if isinstance(one, Rest) or isinstance(other, Rest):
            found.extend(reversed(_leading(left.axes[: max(len(left) - position + 1, 0)],
                                           right.axes[: max(len(right) - position + 1, 0)])))
            break
        if one is None or other is None:
            found.append(one or other)  # type: ignore[arg-type] - one of them is an axis
            continue
        joined = _join(one, other)
        if joined is None:
            return Mismatch(
                Fault.BROADCAST, axis=len(left) - position, other_axis=len(right) - position,
                left=one.size, right=other.size, left_shape=left, right_shape=right,
            )
        found.append(joined)
    found.reverse()
    if left.rest is None and right.rest is None and len(left) != len(right):
        _suspect_outer(left, right)
    return Shape(found)


def _leading(left: Sequence[Axis | Rest], right: Sequence[Axis | Rest]) -> list[Axis | Rest]:
    """What stands to the left of the aligned axes where at least one side has a ``Rest``."""
    if not left:
        return list(right)
    if not right:
        return list(left)
    if len(left) == len(right) and all(a is b or a == b for a, b in zip(left, right, strict=True)):
        return list(left)
    return [Rest()]


def _join(one: Axis, other: Axis) -> Axis | None:
    """The axis that two aligned axes give, or None if they do not fit."""
    if one.size == other.size:
        return _better(one, other)
    if one.size == ONE:
        return other
    if other.size == ONE:
        return one
    verdict = scope().decide(one.size, other.size)
    if verdict is YES:
        return _better(one, other)
    if isinstance(verdict, No):
        # A number against an axis name: the name is narrowed to the number.
        return _better(one, other) if require(one.size, other.size) is YES else None
    if _is_certain(one.size):
        return one
    if _is_certain(other.size):
        return other
    return Axis.unfollowed(Dim.of(Symbol("broadcast", Kind.OPAQUE)))


def _better(one: Axis, other: Axis) -> Axis:
    """Of two equal axes the one whose factors are known in more detail."""
    if len(other.factors) > len(one.factors) or (one.factors and one.factors[0].ident is None):
        return other
    return one


def _is_certain(size: Dim) -> bool:
    """Whether the size cannot be 1 by an unknown's choice."""
    normal = scope().normal(size)
    return all(isinstance(atom, Symbol) and atom.kind is Kind.RIGID for atom in normal.atoms)


def _suspect_outer(left: Shape, right: Shape) -> None:
    """Note ``(b, 1)`` with ``(b,)``: the rank is extended without a word and one axis meets itself at two places."""
    longer, shorter = (left, right) if len(left) > len(right) else (right, left)
    lead = len(longer) - len(shorter)
    for index in range(len(shorter)):
        wide, narrow = longer[lead + index], shorter[index]
        if not isinstance(wide, Axis) or not isinstance(narrow, Axis) or narrow.is_one or not wide.is_one:
            continue
        if wide.origin is Origin.WRITTEN or narrow.origin is Origin.WRITTEN:
            continue
        if scope().normal(narrow.size).constant is not None:
            continue
        for outer in range(lead):
            axis = longer[outer]
            if (
                isinstance(axis, Axis)
                and axis.origin is not Origin.WRITTEN
                and scope().equal(axis.size, narrow.size)
                and _same_elements(axis, narrow)
            ):
                suspect(
                    Mismatch(
                        Fault.OUTER, axis=outer, other_axis=index, left=axis.size, right=narrow.size,
                        left_shape=left, right_shape=right,
                    )
                )
                return


def _same_elements(one: Axis, other: Axis) -> bool:
    idents = [factor.ident for factor in one.factors]
    return None not in idents and idents == [factor.ident for factor in other.factors]
