"""Broadcasting: axes are lined up from the right; equal sizes or 1."""

from __future__ import annotations

from shapecheck.dims import DATA_DEPENDENT, ONE, YES, Call, Dim, Kind, No, Symbol, maximum
from shapecheck.shapes.axis import Axis, Origin, Rest
from shapecheck.shapes.context import hide, require, scope, suspect
from shapecheck.shapes.fault import Fault, Mismatch
from shapecheck.shapes.orders import suspect_order
from shapecheck.shapes.shape import Shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def broadcast(*shapes: Shape) -> Shape | Mismatch:
    """The shape of an element-wise operation on operands of the given shapes.

    Two sizes of which neither is known to be 1 and which are unequal for generic sizes are a mismatch. Where one is not
    known, the result has the size that is (the other is then that size or 1), or the larger of two that are not;
    nothing is solved.
    """
    result = shapes[0]
    for shape in shapes[1:]:
        pair = _broadcast_pair(result, shape)
        if isinstance(pair, Mismatch):
            return pair
        result = pair
    return result


def _broadcast_pair(left: Shape, right: Shape) -> Shape | Mismatch:
    """Two shapes broadcast, from the last axes on; ahead of any number of axes only what stands there is known."""
    if not right.axes or left.axes is right.axes:
        return left
    if not left.axes:
        return right
    fault = _names_apart(left, right)
    if fault is not None:
        return fault
    found: list[Axis | Rest] = []
    ours, theirs = left.axes, right.axes
    for position in range(1, max(len(ours), len(theirs)) + 1):
        one = ours[-position] if position <= len(ours) else None
        other = theirs[-position] if position <= len(theirs) else None
        if isinstance(one, Rest) and one is other:
            # As many axes on both sides: what stands to the left of them lines up too.
            found.append(one)
            continue
        if isinstance(one, Rest) or isinstance(other, Rest):
            leading = _leading(
                left.axes[: len(left) - position + 1] if one else (),
                right.axes[: len(right) - position + 1] if other else (),
            )
            found.extend(reversed(leading))
            break
        if one is None or other is None:
            found += [axis for axis in (one, other) if axis is not None]
            continue
        joined = _apart(one, other, left, right) or _join(one, other)
        if isinstance(joined, No):
            return Mismatch(
                Fault.BROADCAST,
                axis=len(left) - position,
                other_axis=len(right) - position,
                left=one.size,
                right=other.size,
                left_shape=left,
                right_shape=right,
                because=joined.because,
            )
        found.append(joined)
    found.reverse()
    if left.rest is None and right.rest is None and len(left) != len(right):
        _suspect_outer(left, right)
        _suspect_misaligned(left, right)
    _suspect_parameter(left, right)
    return Shape(found)


def _apart(one: Axis, other: Axis, left: Shape, right: Shape) -> No | None:
    """Why an axis name is not what it meets: the other operand has an axis of that name at another place.

    ``[b, t - 1]`` with ``[b]``: if ``b`` were ``t - 1``, both axes of the first would be as long.
    """
    if one is other or one.is_one or other.is_one or one.size == other.size:
        return None
    verdict = scope().decide(one.size, other.size)
    if not isinstance(verdict, No):
        return None
    normal = scope().normal
    for axis, facing, shape in ((one, other, right), (other, one, left)):
        size = normal(axis.size)
        symbol = size.symbol
        if symbol is None or symbol.kind is not Kind.RIGID or symbol in normal(facing.size).atoms:
            continue
        if any(isinstance(own, Axis) and own is not facing and normal(own.size) == size for own in shape):
            return verdict
    return None


def _names_apart(left: Shape, right: Shape) -> Mismatch | None:
    """Two names that meet, before either is narrowed to a number elsewhere in the same operation.

    ``[h, w, 2]`` with ``[b, 2, h, w]`` would fit if h and w were 2, which is not what anybody means.
    """
    for position, (one, other) in enumerate(zip(reversed(left.axes), reversed(right.axes), strict=False), 1):
        if one is other:
            continue
        if isinstance(one, Rest) or isinstance(other, Rest):
            return None
        if one.size == other.size or one.size.symbol is None or other.size.symbol is None:
            continue
        verdict = scope().decide(one.size, other.size)
        narrowed = [size for size in (one.size, other.size) if scope().normal(size).constant is not None]
        if isinstance(verdict, No) and not narrowed:
            return Mismatch(
                Fault.BROADCAST, axis=len(left) - position, other_axis=len(right) - position, left=one.size,
                right=other.size, left_shape=left, right_shape=right, because=verdict.because,
            )
    return None


def _leading(left: Sequence[Axis | Rest], right: Sequence[Axis | Rest]) -> list[Axis | Rest]:
    """What stands to the left of the aligned axes where the next one of at least one side is a ``Rest``.

    Axes that are not 1 keep their size whatever is broadcast against them; nothing else is sure.
    """
    if not left:
        return list(right)
    if not right:
        return list(left)
    if len(left) == len(right) and all(a is b or a == b for a, b in zip(left, right, strict=True)):
        return list(left)
    hide()
    under = right if isinstance(left[-1], Rest) else left
    kept: list[Axis | Rest] = []
    for axis in reversed(under):
        if isinstance(axis, Rest):
            break
        kept.append(axis if _is_certain(axis.size) else _uncertain())
    return [Rest(), *reversed(kept)]


def _join(one: Axis, other: Axis) -> Axis | No:
    """The axis that two aligned axes give, or why they do not fit."""
    if one is other:
        return one
    if one.size == other.size:
        suspect_order(one, other)
        return _better(one, other)
    if one.size == ONE:
        return other
    if other.size == ONE:
        return one
    verdict = scope().decide(one.size, other.size)
    if isinstance(verdict, No):
        # A number, or a product of others, against an axis name: the name is narrowed to it.
        verdict = require(one.size, other.size)
        if isinstance(verdict, No):
            return verdict
    if verdict is YES:
        suspect_order(one, other)
        return _better(one, other)
    if _is_certain(one.size):
        return one
    if _is_certain(other.size):
        return other
    if verdict is DATA_DEPENDENT:
        return _uncertain()
    # Equal or one of them 1: the larger of the two.
    return Axis.unfollowed(maximum(one.size, other.size))


def _better(one: Axis, other: Axis) -> Axis:
    """Of two equal axes the one whose factors are known in more detail; a 1 written by hand stays one."""
    if one.is_one:
        return other if other.origin is Origin.WRITTEN else one
    followed = all(factor.ident is not None for factor in one.factors)
    if all(factor.ident is not None for factor in other.factors) and (
        not followed or len(other.factors) > len(one.factors)
    ):
        return other
    return one


def _is_certain(size: Dim) -> bool:
    """Whether the size is not 1, whatever the unknowns are."""
    normal = scope().normal(size)
    return normal != ONE and all(
        atom.function == "floordiv" if isinstance(atom, Call) else atom.kind is Kind.RIGID for atom in normal.atoms
    )


def _uncertain() -> Axis:
    return Axis.unfollowed(Dim.of(Symbol("?", Kind.OPAQUE)))


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
                        Fault.OUTER,
                        axis=outer,
                        other_axis=index,
                        left=axis.size,
                        right=narrow.size,
                        left_shape=left,
                        right_shape=right,
                    )
                )
                return


def _suspect_misaligned(left: Shape, right: Shape) -> None:
    """Note ``[b, 1, k]`` with ``[b, heads, q, k]``: b meets an axis that is not known, and has its own further left."""
    longer, shorter = (left, right) if len(left) > len(right) else (right, left)
    lead = len(longer) - len(shorter)
    normal = scope().normal
    for index in range(len(shorter)):
        wide, narrow = longer[lead + index], shorter[index]
        if not isinstance(wide, Axis) or not isinstance(narrow, Axis) or wide.is_one:
            continue
        symbol = normal(narrow.size).symbol
        if symbol is None or symbol.kind is not Kind.RIGID or scope().equal(wide.size, narrow.size):
            continue
        if any(isinstance(atom, Call) or atom.kind is Kind.OPAQUE for atom in normal(wide.size).atoms):
            continue
        for outer in range(lead):
            axis = longer[outer]
            if isinstance(axis, Axis) and _same_elements(axis, narrow):
                suspect(
                    Mismatch(
                        Fault.MISALIGNED, axis=lead + index, other_axis=index, left=narrow.size, right=wide.size,
                        left_shape=longer, right_shape=shorter,
                    )
                )
                return


def _suspect_parameter(left: Shape, right: Shape) -> None:
    """Note ``[b, heads, t, d]`` with ``[heads, d]``: a parameter meets an axis of the data, its own is elsewhere."""
    if left.rest is not None or right.rest is not None:
        return
    normal = scope().normal
    for one, other in ((left, right), (right, left)):
        for position, (axis, facing) in enumerate(zip(reversed(one.known), reversed(other.known), strict=False), 1):
            if axis is facing or axis.size == facing.size:
                continue
            width, data = axis.size.symbol, facing.size.symbol
            if data is None or data.kind is not Kind.RIGID or axis.is_one:
                continue
            if axis.size.constant is None and (width is None or normal(axis.size).symbol is not width):
                continue
            if width is not None and width.kind is not Kind.FLEXIBLE:
                continue
            elsewhere = sum(found.size == axis.size for found in other.known)
            # A square operand says itself that both axes are as long.
            square = sum(found.size == axis.size for found in one.known) > 1
            if elsewhere == 1 and not square and all(found.size != facing.size for found in one.known):
                suspect(
                    Mismatch(
                        Fault.MISALIGNED, axis=len(other) - position, other_axis=len(one) - position, left=axis.size,
                        right=facing.size, left_shape=other, right_shape=one,
                    )
                )
                return


def _same_elements(one: Axis, other: Axis) -> bool:
    idents = [factor.ident for factor in one.factors]
    return None not in idents and idents == [factor.ident for factor in other.factors]
