"""Gathering and scattering: elements read and written at places that another tensor gives."""

from __future__ import annotations

from shapecheck.dims import ONE, Dim, No
from shapecheck.ops import parts
from shapecheck.ops.axes import impossible, joined, of_rank, unknown_shape, wants
from shapecheck.ops.indexing import setitem, sliced
from shapecheck.ops.registry import op
from shapecheck.shapes import (
    Axis,
    Fault,
    Mismatch,
    Origin,
    Rest,
    Shape,
    Slice,
    Tensor,
    broadcast,
    require,
    scope,
)
from shapecheck.shapes import Sequence as Several


def _beside(input: Tensor, dim: int, index: Tensor) -> Mismatch | None:
    """What gather and scatter need: the same rank, and no index axis longer than the operand's, but for ``dim``."""
    rank, other = input.shape.rank, index.shape.rank
    if rank is not None:
        position = input.shape.position(dim)
        if isinstance(position, Mismatch):
            return position
    else:
        position = None
    if rank is None or other is None:
        return None
    if max(rank, 1) != max(other, 1):
        return Mismatch(Fault.RANK, left_shape=index.shape, right_shape=input.shape, detail=str(rank))
    return _longer(index, input, position)


def _longer(index: Tensor, other: Tensor, position: int | None = None) -> Mismatch | None:
    """An axis of the index that is longer than the same axis of another tensor; the one at ``position`` may be.

    Where both have as many elements beside that one, no axis can be longer than the other's, nor shorter.
    """
    pairs = [
        (place, have, want)
        for place, (have, want) in enumerate(zip(index.shape, other.shape, strict=False))
        if place != position and isinstance(have, Axis) and isinstance(want, Axis)
    ]
    many = few = ONE
    for _, have, want in pairs:
        many, few = many * have.size, few * want.size
    same = len(pairs) > 1 and scope().equal(many, few)
    for place, have, want in pairs:
        if impossible(have.size, want.size) or (same and scope().differ(have.size, want.size)):
            return Mismatch(
                Fault.SIZE, axis=place, left=have.size, right=want.size, left_shape=index.shape,
                right_shape=other.shape, other_axis=place,
            )
    return None


@op("torch.gather", "torch.Tensor.gather")
def gather(
    input: Tensor, dim: int, index: Tensor, *, sparse_grad: object = None, out: object = None
) -> Tensor | Mismatch:
    """``[.. a ..], [.. i ..] -> [.. i ..]``."""
    return _beside(input, dim, index) or input.reshaped(_read_along(input.shape, index.shape, dim))


def _read_along(source: Shape, indices: Shape, dim: int) -> Shape:
    """The shape of what was read: an axis of one written for the sake of reading is not one written to broadcast.

    The reshape that made it, ``y.view(-1, 1)``, wrote none of the axes that the index shares with what is read.
    """
    position = indices.position(dim)
    if not isinstance(position, int) or not indices.axes or source.rank != indices.rank:
        return indices
    axes: list[Axis | Rest] = []
    for place, (read, axis) in enumerate(zip(source.axes, indices.axes, strict=False)):
        if place == position and isinstance(axis, Axis):
            axes.append(axis.with_origin(Origin.DECLARED))
        elif isinstance(axis, Axis) and isinstance(read, Axis) and axis == read:
            axes.append(axis.with_origin(read.origin))
        else:
            axes.append(axis)
    return Shape(axes)


@op("torch.take_along_dim", "torch.Tensor.take_along_dim")
def take_along_dim(
    input: Tensor, indices: Tensor, dim: int | None = None, *, out: object = None
) -> Tensor | Mismatch:
    """``[.. a ..], [.. i ..] -> [.. i ..]``."""
    if dim is None:
        return input.reshaped(Shape((Axis.unfollowed(indices.shape.numel),)))
    rank, other = input.shape.rank, indices.shape.rank
    if rank is None or other is None:
        return unknown_shape(input)
    if rank != other:
        return Mismatch(Fault.RANK, left_shape=indices.shape, right_shape=input.shape, detail=str(rank))
    position = input.shape.position(dim)
    if not isinstance(position, int):
        return unknown_shape(input) if position is None else position
    if not rank:
        return input
    one = Axis.of(1)
    found = broadcast(input.shape.replaced(position, one), indices.shape.replaced(position, one))
    if isinstance(found, Mismatch):
        return found
    return input.reshaped(_read_along(input.shape, found.replaced(position, indices.shape[position]), position))


@op("torch.take", "torch.Tensor.take")
def take(input: Tensor, index: Tensor, *, out: object = None) -> Tensor:
    """``[a b], [i] -> [i]``."""
    return input.reshaped(index.shape)


@op("torch.put", "torch.Tensor.put")
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: object = None) -> Tensor:
    """``[a b], [i], [i] -> [a b]``."""
    return input


@op("torch.index_select", "torch.Tensor.index_select")
def index_select(input: Tensor, dim: int, index: Tensor, *, out: object = None) -> Tensor | Mismatch:
    """``[.. a ..], [i] -> [.. i ..]``."""
    position = input.shape.position(dim)
    if isinstance(position, Mismatch):
        return position
    chosen = of_rank(index.shape, 1)
    if chosen is None:
        if index.shape.rank == 0:
            chosen = Shape.of(1)
        else:
            return Mismatch(Fault.RANK, left_shape=index.shape, detail="1")
    if position is None:
        return input.reshaped(input.shape.blurred(dim))
    return input.reshaped(input.shape.replaced(position, chosen[0]) if input.shape.axes else input.shape)


@op("torch.scatter", "torch.Tensor.scatter")
def scatter(
    input: Tensor, dim: int, index: Tensor, src: object = None, *, value: object = None, reduce: object = None
) -> Tensor | Mismatch:
    """``[.. a ..], [.. i ..], [.. i ..] -> [.. a ..]``."""
    if isinstance(src, Tensor) and src.shape.rank:
        fault = _beside(src, dim, index)
        if fault is not None and fault.kind is Fault.RANK:
            return fault
        if index.shape.rank == src.shape.rank and index.shape.rank:
            fault = _longer(index, src)
            if fault is not None:
                return fault
    return _beside(input, dim, index) or input


@op("torch.scatter_add", "torch.Tensor.scatter_add")
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor | Mismatch:
    """``[.. a ..], [.. i ..], [.. i ..] -> [.. a ..]``."""
    return scatter(input, dim, index, src)


@op("torch.scatter_reduce", "torch.Tensor.scatter_reduce")
def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: object, *, include_self: object = None
) -> Tensor | Mismatch:
    """``[.. a ..], [.. i ..], [.. i ..] -> [.. a ..]``."""
    return scatter(input, dim, index, src)


@op("torch.index_add", "torch.Tensor.index_add", "torch.index_copy", "torch.Tensor.index_copy", "torch.index_reduce",
    "torch.Tensor.index_reduce")
def index_add(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: object = None, *, alpha: object = None,
    include_self: object = None, out: object = None,
) -> Tensor | Mismatch:
    """``[.. a ..], [i], [.. i ..] -> [.. a ..]``."""
    position = input.shape.position(dim)
    if isinstance(position, Mismatch):
        return position
    if position is None or source.shape.rest is not None or input.shape.rest is not None or not source.shape.axes:
        return input
    if len(source.shape) != len(input.shape):
        return Mismatch(Fault.RANK, left_shape=source.shape, right_shape=input.shape, detail=str(len(input.shape)))
    chosen = of_rank(index.shape, 1)
    if chosen is not None and isinstance(chosen[0], Axis):
        fault = wants(source.shape, position, chosen[0].size)
        if fault is not None:
            return fault
    for place in range(len(source.shape)):
        fault = joined(source.shape, input.shape, place, place) if place != position else None
        if fault is not None:
            return fault
    return input


@op("torch.index_fill", "torch.Tensor.index_fill")
def index_fill(input: Tensor, dim: int, index: Tensor, value: object) -> Tensor | Mismatch:
    """``[.. a ..], [i] -> [.. a ..]``."""
    position = input.shape.position(dim)
    return position if isinstance(position, Mismatch) else input


@op("torch.index_put", "torch.Tensor.index_put")
def index_put(input: Tensor, indices: object, values: object, accumulate: object = None) -> Tensor | Mismatch:
    """``[.. a ..], ([i], ..) -> [.. a ..]``."""
    if isinstance(indices, Several):
        fault = setitem(input, Several(indices.items), values)  # type: ignore[arg-type]  # an abstract value
        if fault is not None:
            return fault
    return input


def _replaces(src: Tensor, target: Shape) -> Mismatch | None:
    """Whether the source has exactly the shape of the part it is written to."""
    if src.shape.rest is not None or target.rest is not None:
        return None
    if len(src.shape) != len(target):
        return Mismatch(Fault.RANK, left_shape=src.shape, right_shape=target, detail=str(len(target)))
    for place, (have, want) in enumerate(zip(src.shape.known, target.known, strict=True)):
        verdict = require(have.size, want.size)
        if isinstance(verdict, No):
            return Mismatch(
                Fault.SIZE, axis=place, other_axis=place, left=have.size, right=want.size, left_shape=src.shape,
                right_shape=target, because=verdict.because,
            )
    return None


@op("torch.select_scatter", "torch.Tensor.select_scatter")
def select_scatter(input: Tensor, src: Tensor, dim: int, index: object) -> Tensor | Mismatch:
    """``[.. a ..], [.. ..] -> [.. a ..]``."""
    part = parts.select(input, dim, index)
    return part if isinstance(part, Mismatch) else _replaces(src, part.shape) or input


@op("torch.slice_scatter", "torch.Tensor.slice_scatter")
def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: object = None, end: object = None, step: object = 1
) -> Tensor | Mismatch:
    """``[.. a ..], [.. b ..] -> [.. a ..]``."""
    axis, position = input.shape.axis(dim), input.shape.position(dim)
    if isinstance(axis, Mismatch):
        return axis
    if axis is None or not isinstance(position, int):
        return input
    bounds = [Dim.of(bound) if isinstance(bound, int) else bound for bound in (start, end, step)]
    part = sliced(axis, Slice(*bounds))  # type: ignore[arg-type]  # abstract values
    return _replaces(src, input.shape.replaced(position, part)) or input


@op("torch.diagonal_scatter", "torch.Tensor.diagonal_scatter")
def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor | Mismatch:
    """``[a b ..], [.. min(a,b)] -> [a b ..]``."""
    part = parts.diagonal(input, offset, dim1, dim2)
    return part if isinstance(part, Mismatch) else _replaces(src, part.shape) or input


@op("torch.as_strided_scatter", "torch.Tensor.as_strided_scatter")
def as_strided_scatter(
    input: Tensor, src: Tensor, size: object, stride: object, storage_offset: object = None
) -> Tensor | Mismatch:
    """``[a b], [c] -> [a b]``."""
    return input


@op("torch.masked_scatter", "torch.Tensor.masked_scatter")
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor | Mismatch:
    """``[a b], [a b], [n] -> [a b]``."""
    found = broadcast(input.shape, mask.shape)
    return found if isinstance(found, Mismatch) else input.reshaped(found)
