"""Joining: cat, stack and their kin."""

from __future__ import annotations

from shapecheck.dims import ZERO, Dim
from shapecheck.ops.axes import is_opaque, joined, of_rank, opaque
from shapecheck.ops.registry import op
from shapecheck.shapes import (
    AnyValue,
    Axis,
    Copies,
    Factor,
    Fault,
    Mismatch,
    Opaque,
    Origin,
    Shape,
    Tensor,
    Unknown,
    scope,
    suspect_order,
)
from shapecheck.shapes import Sequence as Several

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def common_dtype(tensors: Sequence[Tensor]) -> str | None:
    """The dtype family that tensors have together, None where one is not known."""
    families = {tensor.dtype for tensor in tensors}
    if None in families:
        return None
    for family in ("complex", "float", "int"):
        if family in families:
            return family
    return "bool"


def operands(tensors: object) -> list[Tensor] | Unknown:
    """The tensors of a list; a member that is not known is a tensor of unknown shape."""
    if not isinstance(tensors, Several):
        return tensors if isinstance(tensors, Unknown) else Unknown("a sequence of unknown length")
    found: list[Tensor] = []
    for item in tensors.items:
        if isinstance(item, Tensor):
            found.append(item)
        elif isinstance(item, (Unknown, Opaque)):
            found.append(Tensor(Shape.unknown()))
        else:
            return Unknown("a member that is no tensor")
    return found or Unknown("nothing to join")


def _of_one_rank(shapes: list[Shape]) -> list[Shape] | Mismatch | None:
    """All shapes with as many axes as those that are known whole; None where it is open which axes correspond."""
    whole = next((shape for shape in shapes if shape.rest is None), None)
    if whole is None:
        richest = max(shapes, key=lambda shape: (len(shape), str(shape.axes[shape.rest or 0]) != "..."))
        aligned = [_aligned(shape, richest) for shape in shapes]
        return None if any(shape is None for shape in aligned) else aligned  # type: ignore[return-value]  # none is None
    found: list[Shape] = []
    for shape in shapes:
        ranked = of_rank(shape, len(whole))
        if ranked is None:
            return Mismatch(Fault.RANK, left_shape=shape, right_shape=whole, detail=str(len(whole)))
        found.append(ranked)
    return found


def _aligned(shape: Shape, other: Shape) -> Shape | None:
    """A shape in the layout of another of the same rank: its ``Rest`` hides at least the axes that the other's does.

    What is joined has one rank, so that two ``Rest`` between as many axes stand for axes of the same sizes.
    """
    rest, behind = shape.rest or 0, len(shape) - (shape.rest or 0) - 1
    before_missing, behind_missing = (other.rest or 0) - rest, len(other) - (other.rest or 0) - 1 - behind
    if before_missing < 0 or behind_missing < 0:
        return None
    hidden = [Axis.unfollowed(opaque("...")) for _ in range(before_missing + behind_missing)]
    return Shape((
        *shape.axes[:rest], *hidden[:before_missing], other[other.rest or 0], *hidden[before_missing:],
        *shape.axes[rest + 1 :],
    ))  # fmt: skip


def one_shape(shapes: list[Shape], dim: int | None, new: int = 0) -> tuple[Shape, list[Shape]] | Mismatch | None:
    """The shape that all share but for one axis, and all of them with that rank; None where too little is known.

    On the axes before the joined one (``new``, if it is added) elements come to lie beside each other. What is joined
    further out are two tensors still: one may go through an image row by row, the other column by column.
    """
    ranked = _of_one_rank(shapes)
    if ranked is None or isinstance(ranked, Mismatch):
        return ranked
    best, *others = ranked
    position = None if dim is None else best.position(dim)
    if isinstance(position, Mismatch):
        return position
    if position is None and dim is not None:
        return None
    inner = best.position(new, extra=1) if dim is None else position
    beside = inner if isinstance(inner, int) else 0
    for shape in others:
        for place in range(len(best)):
            fault = joined(best, shape, place, place) if place != position else None
            if fault is not None:
                return fault
            one, other = best[place], shape[place]
            if place != position and isinstance(one, Axis) and isinstance(other, Axis):
                if place < beside:
                    suspect_order(one, other)
                elif _are_two_scans(best, shape, place):
                    best = best.replaced(place, Axis.unfollowed(one.size, one.origin))
            if is_opaque(best[place].size) and isinstance(best[place], Axis):
                best = best.replaced(place, shape[place])
    return best, ranked


def _are_two_scans(one: Shape, other: Shape, place: int) -> bool:
    """Whether two tensors are the same but for the order in which an axis counts through its parts.

    The rows of a map and its columns are two ways to walk over it: joined, they have no order in common.
    """
    left, right = one[place], other[place]
    if not isinstance(left, Axis) or not isinstance(right, Axis) or left.factors == right.factors:
        return False
    parts = [factor.ident for factor in left.factors]
    same = len(parts) == len(right.factors) and {*parts} == {factor.ident for factor in right.factors}
    if not same or None in parts or any(isinstance(ident, Copies) for ident in parts):
        return False
    return len(one) == len(other) and all(
        a is b or a == b for index, (a, b) in enumerate(zip(one, other, strict=True)) if index != place
    )


def _catenated(axes: Sequence[Axis]) -> Axis:
    size = ZERO
    for axis in axes:
        size += axis.size
    first = axes[0]
    if len(axes) > 1 and all(scope().equal(axis.size, first.size) for axis in axes[1:]):
        # The number of the part is outermost.
        return Axis(size, (Factor(Dim.of(len(axes)), object()), *first.factors), Origin.WRITTEN)
    return first if len(axes) == 1 else Axis.unfollowed(size)


@op("torch.cat", "torch.concat", "torch.concatenate")
def cat(tensors: object, dim: int = 0) -> AnyValue | Mismatch:
    """``[.. a ..], [.. b ..] -> [.. a+b ..]``."""
    given = operands(tensors)
    return given if isinstance(given, Unknown) else catenated(given, dim)


def catenated(tensors: list[Tensor], dim: int) -> Tensor | Mismatch:
    """Tensors one after the other along an axis."""
    # torch passes over operands of shape (0,).
    kept = [tensor.shape for tensor in tensors if not _is_nothing(tensor.shape)] or [tensors[0].shape]
    dtype = common_dtype(tensors)
    found = one_shape(kept, dim)
    if isinstance(found, Mismatch):
        return found
    if found is None:
        return Tensor(Shape.unknown(), dtype)
    shape, ranked = found
    position = shape.position(dim)
    if not shape.axes or not isinstance(position, int):
        return Mismatch(Fault.RANK, left_shape=shape, detail="at least 1")
    axes = [axis for axis in (one[position] for one in ranked) if isinstance(axis, Axis)]
    return Tensor(shape.replaced(position, _catenated(axes)), dtype, tensors[0].kind)


def _is_nothing(shape: Shape) -> bool:
    return len(shape) == 1 and shape[0].size == ZERO


@op("torch.stack")
def stack(tensors: object, dim: int = 0) -> AnyValue | Mismatch:
    """``[a b], [a b] -> [a 2 b]``."""
    given = operands(tensors)
    return given if isinstance(given, Unknown) else stacked(given, dim)


def stacked(tensors: list[Tensor], dim: int = 0) -> Tensor | Mismatch:
    """Tensors side by side along a new axis."""
    dtype = common_dtype(tensors)
    found = one_shape([tensor.shape for tensor in tensors], None, dim)
    if isinstance(found, Mismatch):
        return found
    if found is None:
        return Tensor(Shape.unknown(), dtype)
    shape = found[0]
    position = shape.position(dim, extra=1)
    if isinstance(position, Mismatch):
        return position
    if position is None:
        return Tensor(Shape.unknown(), dtype)
    axis = Axis.of(len(tensors), Origin.WRITTEN, object())
    return Tensor(Shape((*shape.axes[:position], axis, *shape.axes[position:])), dtype, tensors[0].kind)


def _ranked(tensor: Tensor, least: int) -> Tensor | None:
    """The tensor with axes of size 1 in front until it has that many; None if its rank is not known."""
    shape = tensor.shape
    if shape.rest is not None:
        return tensor if len(shape) > least else None
    missing = [Axis.of(1, Origin.WRITTEN)] * (least - len(shape))
    return tensor.reshaped(Shape((*missing, *shape)))


@op("torch.hstack")
def hstack(tensors: Sequence[Tensor], *, out: object = None) -> AnyValue | Mismatch:
    """``[r a], [r b] -> [r a+b]``."""
    ranked = [found for found in (_ranked(tensor, 1) for tensor in tensors) if found is not None]
    if not ranked or len(ranked) < len(tensors) or any(tensor.shape.rest is not None for tensor in ranked):
        return Unknown("operands of unknown rank")
    return catenated(ranked, 0 if len(ranked[0].shape) == 1 else 1)


@op("torch.vstack", "torch.row_stack")
def vstack(tensors: Sequence[Tensor], *, out: object = None) -> AnyValue | Mismatch:
    """``[a c], [b c] -> [a+b c]``."""
    ranked = [found for found in (_ranked(tensor, 2) for tensor in tensors) if found is not None]
    if not ranked or len(ranked) < len(tensors):
        return Unknown("operands of unknown rank")
    return catenated(ranked, 0)


@op("torch.dstack")
def dstack(tensors: Sequence[Tensor], *, out: object = None) -> AnyValue | Mismatch:
    """``[r c a], [r c b] -> [r c a+b]``."""
    ranked = []
    for tensor in tensors:
        shape = tensor.shape
        if shape.rest is not None:
            return Unknown("operands of unknown rank")
        one = Axis.of(1, Origin.WRITTEN)
        axes = shape.axes
        axes = (one, one, one) if not axes else (one, axes[0], one) if len(axes) == 1 else axes
        ranked.append(tensor.reshaped(Shape((*axes, one) if len(axes) == 2 else axes)))
    return catenated(ranked, 2) if ranked else Unknown("nothing to join")


@op("torch.column_stack")
def column_stack(tensors: Sequence[Tensor], *, out: object = None) -> AnyValue | Mismatch:
    """``[r], [r b] -> [r 1+b]``."""
    ranked = []
    for tensor in tensors:
        if tensor.shape.rest is not None:
            return Unknown("operands of unknown rank")
        axes = tensor.shape.axes or (Axis.of(1, Origin.WRITTEN),)
        ranked.append(tensor.reshaped(Shape((*axes, Axis.of(1, Origin.WRITTEN)) if len(axes) == 1 else axes)))
    return catenated(ranked, 1) if ranked else Unknown("nothing to join")
