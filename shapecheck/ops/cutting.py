"""Cutting along an axis: split, chunk, unbind."""

from __future__ import annotations

from shapecheck.dims import ZERO, Dim, No, floordiv
from shapecheck.ops.axes import constant, dim_of, opaque, sized
from shapecheck.ops.indexing import sliced
from shapecheck.ops.registry import op
from shapecheck.shapes import (
    AnyValue,
    Axis,
    Fault,
    Mismatch,
    Parts,
    Rest,
    Slice,
    Tensor,
    Unknown,
    require,
    scope,
)
from shapecheck.shapes import Sequence as Several

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MOST_PARTS = 1000
"""Parts of one tensor that are told apart."""


def _parts(tensor: Tensor, position: int, sizes: Sequence[Dim]) -> Several:
    axis = tensor.shape[position]
    assert isinstance(axis, Axis)  # noqa: S101 - the callers looked it up
    return Several(
        [tensor.reshaped(tensor.shape.replaced(position, sized(axis, size))) for size in sizes]
    )


def _cut(tensor: Tensor, dim: int) -> tuple[Axis, int] | Mismatch | Unknown:
    position = tensor.shape.position(dim)
    if isinstance(position, Mismatch):
        return position
    if position is None:
        return Unknown("an axis among axes of unknown number is cut")
    if not tensor.shape.axes:
        return Mismatch(Fault.RANK, left_shape=tensor.shape, detail="at least 1")
    axis = tensor.shape[position]
    return (axis, position) if isinstance(axis, Axis) else Unknown("axes of unknown number are cut")


def _split_by(tensor: Tensor, size: Dim, dim: int) -> AnyValue | Mismatch:
    found = _cut(tensor, dim)
    if not isinstance(found, tuple):
        return found
    axis, position = found
    whole, piece = constant(axis.size), constant(size)
    if whole is not None and piece is not None:
        if piece <= 0:
            return Unknown("parts of no length")
        if whole > piece * MOST_PARTS:
            return _many(tensor, axis, position)
        sizes = [Dim.of(min(piece, whole - start)) for start in range(0, whole, piece)] or [ZERO]
        return _parts(tensor, position, sizes)
    count = scope().normal(axis.size).exact_quotient(scope().normal(size)) if size.terms else None
    number = None if count is None else count.constant
    if number is None or not 1 <= number <= MOST_PARTS:
        return _many(tensor, axis, position)
    return _parts(tensor, position, [size] * number)


def _many(tensor: Tensor, axis: Axis, position: int) -> Parts:
    """Parts that nobody counts: the last may be shorter, so each has a size of its own along the axis."""
    return Parts(tensor.reshaped(tensor.shape.replaced(position, axis.resized(opaque("part")))))


def _split_into(tensor: Tensor, sizes: Sequence[Dim], dim: int) -> AnyValue | Mismatch:
    if tensor.shape.position(dim) is None:
        return Several([tensor.reshaped(tensor.shape.blurred(dim))] * len(sizes))
    found = _cut(tensor, dim)
    if not isinstance(found, tuple):
        return found
    axis, position = found
    total = ZERO
    for size in sizes:
        total += size
    verdict = require(axis.size, total)
    if isinstance(verdict, No):
        return Mismatch(
            Fault.SIZE, axis=dim, left=axis.size, right=total, left_shape=tensor.shape, because=verdict.because
        )
    return _parts(tensor, position, sizes)


@op("torch.Tensor.split", "torch.Tensor.unsafe_split", "torch.unsafe_split", "torch.split_copy")
def split_method(tensor: Tensor, split_size: object, dim: int = 0) -> AnyValue | Mismatch:
    """``[.. a+b ..] -> [.. a ..], [.. b ..]``."""
    return _split(tensor, split_size, dim)


@op("torch.split", "torch.functional.split")
def split(tensor: Tensor, split_size_or_sections: object, dim: int = 0) -> AnyValue | Mismatch:
    """``[.. a+b ..] -> [.. a ..], [.. b ..]``."""
    return _split(tensor, split_size_or_sections, dim)


def _split(tensor: Tensor, split: object, dim: int) -> AnyValue | Mismatch:
    each = dim_of(split)
    if each is not None:
        return _split_by(tensor, each, dim)
    if isinstance(split, Several):
        sizes = [size for size in map(dim_of, split.items) if size is not None]
        if len(sizes) == len(split.items):
            return _split_into(tensor, sizes, dim)
        if not any(isinstance(size, Rest) for size in split.items):
            return _split_partly(tensor, [dim_of(size) for size in split.items], dim)
    return Unknown("the sizes of the parts are not known")


def _split_partly(tensor: Tensor, sizes: Sequence[Dim | None], dim: int) -> AnyValue | Mismatch:
    """Into parts of which some have a size that is not known."""
    parts = [opaque("part") if size is None else size for size in sizes]
    if tensor.shape.position(dim) is None:
        return Several([tensor.reshaped(tensor.shape.blurred(dim))] * len(parts))
    found = _cut(tensor, dim)
    return _parts(tensor, found[1], parts) if isinstance(found, tuple) else found


@op(
    "torch.split_with_sizes", "torch.Tensor.split_with_sizes", "torch.split_with_sizes_copy",
    "torch.unsafe_split_with_sizes", "torch.Tensor.unsafe_split_with_sizes",
)
def split_with_sizes(input: Tensor, split_sizes: object, dim: int = 0) -> AnyValue | Mismatch:
    """``[.. a+b ..] -> [.. a ..], [.. b ..]``."""
    return _split(input, split_sizes, dim)


@op("torch.chunk", "torch.Tensor.chunk", "torch.unsafe_chunk", "torch.Tensor.unsafe_chunk")
def chunk(input: Tensor, chunks: int, dim: int = 0) -> AnyValue | Mismatch:
    """``[.. 2*a ..] -> [.. a ..], [.. a ..]``."""
    if chunks == 2 and input.shape.position(dim) is None:
        # Of more, a short axis gives fewer.
        return Several([input.reshaped(input.shape.blurred(dim))] * chunks)
    found = _cut(input, dim)
    if not isinstance(found, tuple):
        return found
    if chunks < 1:
        return Unknown("no parts")
    axis, position = found
    if chunks > MOST_PARTS:
        return _many(input, axis, position)
    whole = constant(axis.size)
    if whole is not None:
        return _split_by(input, Dim.of(max(-(-whole // chunks), 1)), dim) if whole else _parts(
            input, position, [ZERO] * chunks
        )
    return _parts(input, position, [floordiv(axis.size, Dim.of(chunks))] * chunks)


@op("torch.tensor_split", "torch.Tensor.tensor_split")
def tensor_split(input: Tensor, indices_or_sections: object, dim: int = 0) -> AnyValue | Mismatch:
    """``[.. 2*a ..] -> [.. a ..], [.. a ..]``."""
    found = _cut(input, dim)
    if not isinstance(found, tuple):
        return found
    axis, position = found
    if isinstance(indices_or_sections, Dim):
        count, whole = constant(indices_or_sections), constant(axis.size)
        if count is None or count < 1:
            return Unknown("the number of parts is not known")
        if count > MOST_PARTS:
            return _many(input, axis, position)
        if whole is not None:
            more = whole % count
            return _parts(input, position, [Dim.of(whole // count + (part < more)) for part in range(count)])
        return _parts(input, position, [floordiv(axis.size, Dim.of(count))] * count)
    if isinstance(indices_or_sections, Several):
        bounds = [bound for bound in map(dim_of, indices_or_sections.items) if bound is not None]
        if len(bounds) == len(indices_or_sections.items):
            return _between(input, position, axis, bounds)
    return Unknown("the bounds of the parts are not known")


def _between(tensor: Tensor, position: int, axis: Axis, bounds: Sequence[Dim]) -> AnyValue:
    starts: list[Dim | None] = [None, *bounds]
    stops: list[Dim | None] = [*bounds, None]
    axes = [sliced(axis, Slice(start, stop, None)) for start, stop in zip(starts, stops, strict=True)]
    return Several([tensor.reshaped(tensor.shape.replaced(position, part)) for part in axes])


def _split_along(name: str, axis: int) -> None:
    @op(f"torch.{name}", f"torch.Tensor.{name}")
    def along(input: Tensor, indices_or_sections: object) -> AnyValue | Mismatch:
        rank = input.shape.rank
        if rank is None:
            return Unknown("an operand of unknown rank")
        if rank <= axis and not (axis == 1 and rank == 1):
            return Mismatch(Fault.RANK, left_shape=input.shape, detail=f"at least {max(axis + 1, 1)}")
        return tensor_split(input, indices_or_sections, 0 if rank == 1 else axis)


for _name, _axis in (("vsplit", 0), ("hsplit", 1), ("dsplit", 2)):
    _split_along(_name, _axis)


@op("torch.unbind", "torch.Tensor.unbind", "torch.unbind_copy")
def unbind(input: Tensor, dim: int = 0) -> AnyValue | Mismatch:
    """``[.. 2 ..] -> [.. ..], [.. ..]``."""
    found = _cut(input, dim)
    if not isinstance(found, tuple):
        return found
    axis, position = found
    count = constant(axis.size)
    part = input.reshaped(input.shape.without([position]))
    if count is None or count > MOST_PARTS:
        return Parts(part, axis.size)
    return Several([part] * count)
