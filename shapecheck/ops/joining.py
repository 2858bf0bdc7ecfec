"""Joining and cutting: cat, stack, split, chunk, repeat and their kin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapecheck.dims import ZERO, Dim, No, floordiv, maximum
from shapecheck.ops.axes import constant, flat_list, joined, of_rank, opaque, sized, unknown_shape
from shapecheck.ops.indexing import fits, sliced
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
    Slice,
    Tensor,
    Unknown,
    require,
    scope,
)
from shapecheck.shapes import Sequence as Several

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapecheck.ops.signature import Sizes



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


# -- cutting ---------------------------------------------------------------------------------------------------------


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
        sizes = [Dim.of(min(piece, whole - start)) for start in range(0, whole, piece)] or [ZERO]
        return _parts(tensor, position, sizes)
    count = scope().normal(axis.size).exact_quotient(scope().normal(size)) if size.terms else None
    number = None if count is None else count.constant
    if number is None or number < 1:
        return Unknown("the number of parts depends on a size")
    return _parts(tensor, position, [size] * number)


def _split_into(tensor: Tensor, sizes: Sequence[Dim], dim: int) -> AnyValue | Mismatch:
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
    if isinstance(split, Dim):
        return _split_by(tensor, split, dim)
    if isinstance(split, Several):
        sizes = [size for size in split.items if isinstance(size, Dim)]
        if len(sizes) == len(split.items):
            return _split_into(tensor, sizes, dim)
    return Unknown("the sizes of the parts are not known")


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
    found = _cut(input, dim)
    if not isinstance(found, tuple):
        return found
    if chunks < 1:
        return Unknown("no parts")
    axis, position = found
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
        if whole is not None:
            more = whole % count
            return _parts(input, position, [Dim.of(whole // count + (part < more)) for part in range(count)])
        return _parts(input, position, [floordiv(axis.size, Dim.of(count))] * count)
    if isinstance(indices_or_sections, Several):
        bounds = [bound for bound in indices_or_sections.items if isinstance(bound, Dim)]
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
    if count is None:
        return Unknown("the number of parts depends on a size")
    part = input.reshaped(input.shape.without([position]))
    return Several([part] * count)


# -- more of the same ------------------------------------------------------------------------------------------------


def _copied(axis: Axis, count: Dim) -> Axis:
    """An axis repeated as a whole: the number of the copy is outermost."""
    number = constant(count)
    if number == 1:
        return axis
    if axis.is_one:
        return Axis.of(count, Origin.WRITTEN, object())
    return Axis(axis.size * count, (Factor(count, object()), *axis.factors), Origin.WRITTEN)


def repeated(input: Tensor, counts: Sizes, *, tiled: bool) -> Tensor | Mismatch:
    """Each axis as many times as ``counts`` say, lined up from the right."""
    shape = input.shape
    if shape.rest is not None or any(isinstance(count, Rest) for count in counts):
        return unknown_shape(input)
    times = [count for count in counts if isinstance(count, Dim)]
    if len(times) < len(shape):
        if not tiled:
            return Mismatch(Fault.RANK, left_shape=shape, detail=f"at most {len(times)}")
        times = [Dim.of(1)] * (len(shape) - len(times)) + times
    lead = len(times) - len(shape)
    axes = [Axis.of(count, Origin.WRITTEN, object()) for count in times[:lead]]
    for axis, count in zip(shape, times[lead:], strict=True):
        if isinstance(axis, Axis):
            axes.append(_copied(axis, count))
    return input.reshaped(Shape(axes))


@op("torch.Tensor.repeat")
def repeat(input: Tensor, *repeats: Sizes) -> Tensor | Mismatch:
    """``[a b] -> [n*a m*b]``."""
    return repeated(input, list(repeats), tiled=False)  # type: ignore[arg-type]  # spread: each is a size


@op("torch.Tensor.tile")
def tile_method(input: Tensor, *dims: Sizes) -> Tensor | Mismatch:
    """``[a b] -> [n*a m*b]``."""
    return repeated(input, list(dims), tiled=True)  # type: ignore[arg-type]  # spread: each is a size


@op("torch.tile")
def tile(input: Tensor, dims: Sizes) -> Tensor | Mismatch:
    """``[a b] -> [n*a m*b]``."""
    return repeated(input, dims, tiled=True)


@op("torch.repeat_interleave", "torch.Tensor.repeat_interleave")
def repeat_interleave(
    input: Tensor, repeats: object = None, dim: int | None = None, *, output_size: object = None
) -> Tensor | Mismatch:
    """``[.. a ..] -> [.. a*n ..]``."""
    if dim is None:
        size = input.shape.numel
        shape, position = Shape((Axis(size, tuple(_factors(input.shape)), Origin.WRITTEN),)), 0
        if repeats is None:
            shape = Shape((Axis.unfollowed(opaque("repeats")),))
            return Tensor(shape, "int")
    else:
        found = input.shape.position(dim)
        if not isinstance(found, int):
            return unknown_shape(input) if found is None else found
        shape, position = input.shape, found
    axis = shape[position] if shape.axes else Axis.of(1)
    if not isinstance(axis, Axis):
        return unknown_shape(input)
    result = _interleaved(axis, repeats, output_size)
    return input.reshaped(shape.replaced(position, result) if shape.axes else Shape((result,)))


def _factors(shape: Shape) -> list[Factor]:
    return [factor for axis in shape for factor in axis.factors]


def _interleaved(axis: Axis, repeats: object, output_size: object) -> Axis:
    if isinstance(output_size, Dim):
        return Axis.unfollowed(output_size)
    if isinstance(repeats, Dim):
        if constant(repeats) == 1:
            return axis
        # The number of the copy is innermost.
        return Axis(axis.size * repeats, (*axis.factors, Factor(repeats, object())), Origin.WRITTEN)
    if isinstance(repeats, Several) and all(isinstance(count, Dim) for count in repeats.items):
        total = ZERO
        for count in repeats.items:
            if isinstance(count, Dim):
                total += count
        return axis.resized(total if len(repeats.items) > 1 else axis.size * total)
    return axis.resized(opaque("repeats"))


# -- products of axes ------------------------------------------------------------------------------------------------


@op("torch.meshgrid", "torch.functional.meshgrid")
def meshgrid(*tensors: Tensor | Sequence[Tensor], indexing: str = "ij") -> AnyValue | Mismatch:
    """``[a], [b] -> [a b], [a b]``."""
    flat = flat_list(tensors)
    axes: list[Axis] = []
    for tensor in flat:
        line = of_rank(tensor.shape, 1)
        if line is None and tensor.shape.rank != 0:
            return Mismatch(Fault.RANK, left_shape=tensor.shape, detail="1")
        axis = Axis.of(1) if line is None else line[0]
        if isinstance(axis, Axis):
            axes.append(axis)
    if indexing == "xy" and len(axes) > 1:
        axes[:2] = [axes[1], axes[0]]
    return Several([tensor.reshaped(Shape(axes)) for tensor in flat])


@op("torch.cartesian_prod")
def cartesian_prod(*tensors: Tensor) -> AnyValue | Mismatch:
    """``[a], [b] -> [a*b 2]``."""
    total, factors = Dim.of(1), list[Factor]()
    for tensor in tensors:
        line = of_rank(tensor.shape, 1)
        if line is None:
            return Mismatch(Fault.RANK, left_shape=tensor.shape, detail="1")
        total *= line[0].size
        factors += line[0].factors
    if len(tensors) == 1:
        return tensors[0]
    if not tensors:
        return Unknown("no operands")
    axis = Axis(total, tuple(factors), Origin.WRITTEN)
    return Tensor(Shape((axis, Axis.of(len(tensors)))), common_dtype(tensors))


@op("torch.block_diag")
def block_diag(*tensors: Tensor) -> AnyValue | Mismatch:
    """``[a b], [c d] -> [a+c b+d]``."""
    rows, columns = ZERO, ZERO
    for tensor in tensors:
        shape = tensor.shape
        if shape.rest is not None:
            return Tensor(Shape((Axis.unfollowed(opaque("rows")), Axis.unfollowed(opaque("columns")))))
        if len(shape) > 2:
            return Mismatch(Fault.RANK, left_shape=shape, detail="at most 2")
        sizes = [Dim.of(1)] * (2 - len(shape)) + [axis.size for axis in shape]
        rows, columns = rows + sizes[0], columns + sizes[1]
    return Tensor(Shape((Axis.unfollowed(rows), Axis.unfollowed(columns))), common_dtype(tensors) if tensors else None)


@op("torch.combinations")
def combinations(input: Tensor, r: int = 2, with_replacement: bool = False) -> Tensor | Mismatch:
    """``[n] -> [n*(n-1)//2 r]``."""
    line = of_rank(input.shape, 1)
    if line is None:
        return Mismatch(Fault.RANK, left_shape=input.shape, detail="1")
    size = line[0].size + (r - 1 if with_replacement else 0)
    product, below = Dim.of(1), 1
    for step in range(r):
        product, below = product * (size - step), below * (step + 1)
    return input.reshaped(Shape((Axis.unfollowed(floordiv(product, Dim.of(below))), Axis.of(r))))


@op("torch.nn.utils.rnn.pad_sequence")
def pad_sequence(
    sequences: object, batch_first: bool = False, padding_value: object = None, padding_side: object = None
) -> AnyValue | Mismatch:
    """``[t1 ..], [t2 ..] -> [longest 2 ..]``."""
    if not isinstance(sequences, Several) or not sequences.items:
        return Unknown("sequences of unknown number")
    tensors = [tensor for tensor in sequences.items if isinstance(tensor, Tensor)]
    if len(tensors) < len(sequences.items) or any(not tensor.shape.axes for tensor in tensors):
        return Unknown("sequences of unknown shape")
    if any(tensor.shape.rest is not None for tensor in tensors):
        return Unknown("sequences of unknown shape")
    shape, *others = [tensor.shape.without([0]) for tensor in tensors]
    for other in others:
        fault = fits(other, shape)
        if fault is not None:
            return fault
    longest = Axis.unfollowed(maximum(*[tensor.shape[0].size for tensor in tensors]))
    count = Axis.of(len(tensors))
    lead = (count, longest) if batch_first else (longest, count)
    return Tensor(Shape((*lead, *shape)), common_dtype(tensors))
