"""More of the same: repeat, tile, repeat_interleave, and products of axes."""

from __future__ import annotations

from shapecheck.dims import ZERO, Dim, floordiv, maximum
from shapecheck.ops.axes import constant, dim_of, flat_list, of_rank, opaque, unknown_shape
from shapecheck.ops.indexing import fits
from shapecheck.ops.joining import common_dtype
from shapecheck.ops.registry import op
from shapecheck.shapes import (
    AnyValue,
    Axis,
    Copies,
    Factor,
    Fault,
    Mismatch,
    Origin,
    Rest,
    Shape,
    Tensor,
    Unknown,
)
from shapecheck.shapes import Sequence as Several

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapecheck.ops.signature import Sizes


# -- more of the same --------------------------------------------------------------------------------------------------


def _copied(axis: Axis, count: Dim) -> Axis:
    """An axis repeated as a whole: the number of the copy is outermost."""
    number = constant(count)
    if number == 1:
        return axis
    if axis.is_one:
        return Axis.of(count, Origin.WRITTEN, Copies())
    return Axis(axis.size * count, (Factor(count, Copies()), *axis.factors), Origin.WRITTEN)


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
    axes = [Axis.of(count, Origin.WRITTEN, Copies()) for count in times[:lead]]
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
            return input.reshaped(input.shape.blurred(dim)) if found is None else found
        shape, position = input.shape, found
    axis = shape[position] if shape.axes else Axis.of(1)
    if not isinstance(axis, Axis):
        return unknown_shape(input)
    result = _interleaved(axis, repeats, output_size)
    return input.reshaped(shape.replaced(position, result) if shape.axes else Shape((result,)))


def _factors(shape: Shape) -> list[Factor]:
    return [factor for axis in shape for factor in axis.factors]


def _interleaved(axis: Axis, repeats: object, output_size: object) -> Axis:
    total = dim_of(output_size)
    if total is not None:
        return Axis.unfollowed(total)
    if isinstance(repeats, Dim):
        if constant(repeats) == 1:
            return axis
        # The number of the copy is innermost.
        return Axis(axis.size * repeats, (*axis.factors, Factor(repeats, Copies())), Origin.WRITTEN)
    counts = [dim_of(count) for count in repeats.items] if isinstance(repeats, Several) else [None]
    if None not in counts:
        total = sum([count for count in counts if count is not None], ZERO)
        return axis.resized(total if len(counts) > 1 else axis.size * total)
    return axis.resized(opaque("repeats"))


# -- products of axes --------------------------------------------------------------------------------------------------


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
