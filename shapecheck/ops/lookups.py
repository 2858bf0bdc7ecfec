"""Masks, tables and searches: where, masked_fill, nonzero, embedding, one_hot, searchsorted."""

from __future__ import annotations

from shapecheck.dims import Dim
from shapecheck.ops.axes import constant, dim_of, joined, of_rank, opaque, unknown_shape
from shapecheck.ops.indexing import fits
from shapecheck.ops.registry import op
from shapecheck.shapes import (
    AnyValue,
    Axis,
    Fault,
    Mismatch,
    Shape,
    Tensor,
    Unknown,
    broadcast,
)
from shapecheck.shapes import Sequence as Several

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.ops.signature import Operand


# -- masks -------------------------------------------------------------------------------------------------------------


@op("torch.masked_fill", "torch.Tensor.masked_fill")
def masked_fill(input: Tensor, mask: Tensor, value: object) -> Tensor | Mismatch:
    """``[a b], [a b] -> [a b]``."""
    if isinstance(value, Tensor) and value.shape.rank:
        return Mismatch(Fault.RANK, left_shape=value.shape, detail="0")
    found = broadcast(input.shape, mask.shape)
    return found if isinstance(found, Mismatch) else input.reshaped(found)


@op("torch.Tensor.masked_fill_")
def masked_fill_(input: Tensor, mask: Tensor, value: object) -> Tensor | Mismatch:
    """``[a b], [1 b] -> [a b]``."""
    return fits(mask.shape, input.shape) or input


@op("torch.masked_select", "torch.Tensor.masked_select")
def masked_select(input: Tensor, mask: Tensor, *, out: object = None) -> Tensor | Mismatch:
    """``[a b], [a b] -> [n]``."""
    found = broadcast(input.shape, mask.shape)
    return found if isinstance(found, Mismatch) else input.reshaped(Shape((Axis.unfollowed(opaque("masked")),)))


@op("torch.where")
def where(
    condition: Tensor, input: Operand | None = None, other: Operand | None = None, *, out: object = None,
) -> AnyValue | Mismatch:
    """``[a 1], [1 b], [a b] -> [a b]``."""
    if input is None or other is None:
        return nonzero(condition, as_tuple=True)
    found = broadcast(condition.shape, input.shape, other.shape)
    if isinstance(found, Mismatch):
        return found
    return Tensor(found, input.dtype if input.dtype == other.dtype else _wider(input, other))


@op("torch.Tensor.where")
def where_method(self: Operand, condition: Tensor, other: Operand) -> AnyValue | Mismatch:
    """``[a b], [a 1], [1 b] -> [a b]``."""
    return where(condition, self, other)


def _wider(one: Tensor, other: Tensor) -> str | None:
    """The dtype family of both together; a number without axes never makes ints of floats."""
    for family in ("complex", "float"):
        if family in {one.dtype, other.dtype}:
            return family if family == "complex" or None not in {one.dtype, other.dtype} else _floating(one, other)
    return None if None in {one.dtype, other.dtype} else "int"


def _floating(one: Tensor, other: Tensor) -> str | None:
    number = one if one.dtype is None else other
    return "float" if not number.shape.axes else None


@op("torch.nonzero", "torch.Tensor.nonzero", "torch.argwhere", "torch.Tensor.argwhere")
def nonzero(input: Tensor, *, as_tuple: bool = False, out: object = None) -> AnyValue | Mismatch:
    """``[a b] -> [n 2]``."""
    rank = input.shape.rank
    if rank is None:
        return Unknown("positions in a tensor of unknown rank") if as_tuple else Tensor(
            Shape((Axis.unfollowed(opaque("nonzero")), Axis.unfollowed(opaque("rank")))), "int"
        )
    count = Axis.unfollowed(opaque("nonzero"))
    if as_tuple:
        return Several([Tensor(Shape((count,)), "int") for _ in range(max(rank, 1))])
    return Tensor(Shape((count, Axis.of(rank))), "int")


@op("torch.nonzero_static", "torch.Tensor.nonzero_static")
def nonzero_static(input: Tensor, *, size: Dim, fill_value: object = None) -> AnyValue | Mismatch:
    """``[a b] -> [size 2]``."""
    rank = input.shape.rank
    axis = Axis.unfollowed(opaque("rank")) if rank is None else Axis.of(rank)
    return Tensor(Shape((Axis.of(size), axis)), "int")


# -- tables and searches -----------------------------------------------------------------------------------------------


def not_whole(tensor: Tensor) -> Mismatch | None:
    """What a table says about indices that are no integers."""
    if tensor.dtype in {"float", "complex", "bool"}:
        return Mismatch(Fault.DTYPE, left_shape=tensor.shape, detail="int")
    return None


@op("torch.embedding")
def plain_embedding(
    weight: Tensor, indices: Tensor, padding_idx: object = None, scale_grad_by_freq: object = None,
    sparse: object = None,
) -> Tensor | Mismatch:
    """``[v d], [..] -> [.. d]``."""
    return embedding(indices, weight)


@op("torch.nn.functional.embedding")
def embedding(
    input: Tensor, weight: Tensor, padding_idx: object = None, max_norm: object = None, norm_type: object = None,
    scale_grad_by_freq: object = None, sparse: object = None,
) -> Tensor | Mismatch:
    """``[..], [v d] -> [.. d]``."""
    table = of_rank(weight.shape, 2)
    if table is None:
        return Mismatch(Fault.RANK, left_shape=weight.shape, detail="2")
    return not_whole(input) or weight.reshaped(Shape((*input.shape, table[1])))


@op("torch.nn.functional.embedding_bag")
def embedding_bag(
    input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: object = None, norm_type: object = None,
    scale_grad_by_freq: object = None, mode: object = None, sparse: object = None, per_sample_weights: object = None,
    include_last_offset: bool = False, padding_idx: object = None,
) -> Tensor | Mismatch:
    """``[b n], [v d] -> [b d]``."""
    table = of_rank(weight.shape, 2)
    if table is None:
        return Mismatch(Fault.RANK, left_shape=weight.shape, detail="2")
    if offsets is None:
        bags = of_rank(input.shape, 2)
        return unknown_shape(weight) if bags is None else weight.reshaped(Shape((bags[0], table[1])))
    starts = of_rank(offsets.shape, 1)
    if starts is None or not isinstance(starts[0], Axis):
        return unknown_shape(weight)
    count = starts[0].resized(starts[0].size - 1) if include_last_offset else starts[0]
    return weight.reshaped(Shape((count, table[1])))


@op("torch.nn.functional.one_hot")
def one_hot(input: Tensor, num_classes: object = None) -> Tensor | Mismatch:
    """``[..] -> [.. c]``."""
    size = opaque("classes")
    classes = dim_of(num_classes)
    if classes is not None and constant(classes) != -1:
        size = classes
    return Tensor(Shape((*input.shape, Axis.of(size))), "int", input.kind)


@op("torch.searchsorted")
def searchsorted(
    sorted_sequence: Tensor, input: Operand, *, out_int32: object = None, right: object = None, side: object = None,
    sorter: object = None, out: object = None,
) -> Tensor | Mismatch:
    """``[.. a], [.. b] -> [.. b]``."""
    rank, other = sorted_sequence.shape.rank, input.shape.rank
    if rank is not None and other is not None and rank > 1:
        if rank != other:
            return Mismatch(Fault.RANK, left_shape=input.shape, right_shape=sorted_sequence.shape, detail=str(rank))
        for place in range(rank - 1):
            fault = joined(input.shape, sorted_sequence.shape, place, place)
            if fault is not None:
                return fault
    return Tensor(input.shape, "int")


@op("torch.bucketize")
def bucketize(
    input: Operand, boundaries: Tensor, *, out_int32: object = None, right: object = None, out: object = None,
) -> Tensor | Mismatch:
    """``[..], [n] -> [..]``."""
    if of_rank(boundaries.shape, 1) is None:
        return Mismatch(Fault.RANK, left_shape=boundaries.shape, detail="1")
    return Tensor(input.shape, "int")


@op("torch.bincount", "torch.Tensor.bincount")
def bincount(input: Tensor, weights: Tensor | None = None, minlength: object = None) -> Tensor | Mismatch:
    """``[n] -> [values]``."""
    if of_rank(input.shape, 1) is None:
        return Mismatch(Fault.RANK, left_shape=input.shape, detail="1")
    return Tensor(Shape((Axis.unfollowed(opaque("bins")),)), None if weights is not None else "int")


@op("torch.isin")
def isin(elements: Operand, test_elements: Operand, *, assume_unique: object = None, invert: object = None) -> Tensor:
    """``[..], [n] -> [..]``."""
    return Tensor(elements.shape, "bool")
