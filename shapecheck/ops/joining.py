"""Joining and cutting: cat, stack, split, chunk, repeat and their kin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapecheck.dims import ZERO, Dim
from shapecheck.ops.axes import joined
from shapecheck.ops.registry import op
from shapecheck.shapes import (
    AnyValue,
    Axis,
    Factor,
    Fault,
    Mismatch,
    Origin,
    Rest,
    Shape,
    Tensor,
    Unknown,
    scope,
)

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


def _one_shape(tensors: Sequence[Tensor], dim: int | None) -> Shape | Mismatch | None:
    """The shape that all tensors share but for one position; None where a ``Rest`` hides it."""
    first = tensors[0].shape
    best = first
    for tensor in tensors[1:]:
        shape = tensor.shape
        if first.rest is not None or shape.rest is not None:
            if [axis for axis in first.axes if isinstance(axis, Rest)] != [
                axis for axis in shape.axes if isinstance(axis, Rest)
            ] or len(first) != len(shape) or first.rest != shape.rest:
                return None
        elif len(first) != len(shape):
            return Mismatch(Fault.RANK, left_shape=shape, right_shape=first, detail=str(len(first)))
    position = None
    if dim is not None:
        found = first.position(dim)
        if not isinstance(found, int):
            return found
        position = found
    for tensor in tensors[1:]:
        for place in range(len(first)):
            fault = joined(first, tensor.shape, place, place) if place != position else None
            if fault is not None:
                return fault
    return best


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
def cat(tensors: Sequence[Tensor], dim: int = 0, *, out: object = None) -> AnyValue | Mismatch:
    """``[.. a ..], [.. b ..] -> [.. a+b ..]``."""
    # torch passes over operands of shape (0,).
    kept = [tensor for tensor in tensors if not _is_nothing(tensor.shape)] or tensors
    if not kept:
        return Unknown("nothing to join")
    dtype = common_dtype(tensors)
    shape = _one_shape(kept, dim)
    if isinstance(shape, Mismatch):
        return shape
    if shape is None:
        return Tensor(Shape.unknown(), dtype)
    position = shape.position(dim)
    if not isinstance(position, int):
        return Tensor(Shape.unknown(), dtype) if position is None else position
    if not shape.axes:
        return Mismatch(Fault.RANK, left_shape=shape, detail="at least 1")
    axes = [axis for axis in (tensor.shape[position] for tensor in kept) if isinstance(axis, Axis)]
    return Tensor(shape.replaced(position, _catenated(axes)), dtype, tensors[0].kind)


def _is_nothing(shape: Shape) -> bool:
    return len(shape) == 1 and shape[0].size == ZERO


@op("torch.stack")
def stack(tensors: Sequence[Tensor], dim: int = 0, *, out: object = None) -> AnyValue | Mismatch:
    """``[a b], [a b] -> [a 2 b]``."""
    if not tensors:
        return Unknown("nothing to join")
    dtype = common_dtype(tensors)
    shape = _one_shape(tensors, None)
    if isinstance(shape, Mismatch):
        return shape
    if shape is None:
        return Tensor(Shape.unknown(), dtype)
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
    return cat(ranked, 0 if len(ranked[0].shape) == 1 else 1)


@op("torch.vstack", "torch.row_stack")
def vstack(tensors: Sequence[Tensor], *, out: object = None) -> AnyValue | Mismatch:
    """``[a c], [b c] -> [a+b c]``."""
    ranked = [found for found in (_ranked(tensor, 2) for tensor in tensors) if found is not None]
    if not ranked or len(ranked) < len(tensors):
        return Unknown("operands of unknown rank")
    return cat(ranked, 0)


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
    return cat(ranked, 2) if ranked else Unknown("nothing to join")


@op("torch.column_stack")
def column_stack(tensors: Sequence[Tensor], *, out: object = None) -> AnyValue | Mismatch:
    """``[r], [r b] -> [r 1+b]``."""
    ranked = []
    for tensor in tensors:
        if tensor.shape.rest is not None:
            return Unknown("operands of unknown rank")
        axes = tensor.shape.axes or (Axis.of(1, Origin.WRITTEN),)
        ranked.append(tensor.reshaped(Shape((*axes, Axis.of(1, Origin.WRITTEN)) if len(axes) == 1 else axes)))
    return cat(ranked, 1) if ranked else Unknown("nothing to join")
