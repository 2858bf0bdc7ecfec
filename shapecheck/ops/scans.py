"""Operations along one axis that keep it: softmax, cumulative sums, sorting, and the largest k."""

from __future__ import annotations

from shapecheck.dims import ONE, ZERO, Dim, Kind, Symbol, floordiv
from shapecheck.ops.axes import impossible, locate
from shapecheck.ops.pointwise import at_least_float
from shapecheck.ops.products import at_least, exact_rank
from shapecheck.ops.reductions import PAIR
from shapecheck.ops.registry import both, op
from shapecheck.shapes import AnyValue, Axis, Constant, Fault, Mismatch, Origin, Sequence, Shape, Tensor, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from shapecheck.ops.signature import Dtype, Ints, Sizes

HUNDRED: Final = Dim.of(100)


def along(input: Tensor, dim: int, dtype: str | None) -> Tensor | Mismatch:
    """``[.. a ..] -> [.. a ..]``, the axis existing."""
    position = input.shape.position(dim)
    return position if isinstance(position, Mismatch) else Tensor(input.shape, dtype, input.kind)


def resized_along(input: Tensor, dim: int, size: Dim | None) -> Tensor | Mismatch:
    """``[.. a ..] -> [.. size ..]``: other elements stand on the axis; None keeps its size."""
    shape = input.shape
    position = shape.position(dim)
    if isinstance(position, Mismatch):
        return position
    if position is None:
        return input if size is None else input.reshaped(shape.blurred(dim))
    if not shape.axes:
        return input
    axis = shape[position]
    if not isinstance(axis, Axis):
        return input.reshaped(Shape.unknown())
    made = axis.resized(axis.size) if size is None else Axis.of(size, axis.origin)
    return input.reshaped(shape.replaced(position, made))


def _pair(values: Tensor | Mismatch) -> Sequence | Mismatch:
    if isinstance(values, Mismatch):
        return values
    return Sequence([values, Tensor(values.shape, "int", values.kind)], "tuple", fields=PAIR)


@op(
    *both("softmax log_softmax"), "torch.special.softmax", "torch.special.log_softmax",
    "torch.nn.functional.softmax", "torch.nn.functional.log_softmax", "torch.nn.functional.softmin",
)
def softmax(
    input: Tensor, dim: int | None = None, _stacklevel: object = None, dtype: Dtype = ""
) -> Tensor | Mismatch:
    """``[.. a ..] -> [.. a ..]``, one along the axis."""
    family = at_least_float(input.dtype) if dtype in {"", None} else dtype
    return Tensor(input.shape, family, input.kind) if dim is None else along(input, dim, family)


@op("torch.nn.functional.gumbel_softmax")
def gumbel_softmax(
    logits: Tensor, tau: object = None, hard: object = None, eps: object = None, dim: int = -1
) -> Tensor | Mismatch:
    """``[.. a ..] -> [.. a ..]``."""
    return along(logits, dim, logits.dtype)


@op(*both("cumsum cumprod"))
def cumsum(input: Tensor, dim: int, *, dtype: Dtype = "") -> Tensor | Mismatch:
    """``[.. a ..] -> [.. a ..]``."""
    return along(input, dim, ("int" if input.dtype == "bool" else input.dtype) if dtype == "" else dtype)


@op(*both("logcumsumexp"))
def logcumsumexp(input: Tensor, dim: int) -> Tensor | Mismatch:
    """``[.. a ..] -> [.. a ..]``."""
    return along(input, dim, input.dtype)


@op(*both("cummax cummin"))
def cummax(input: Tensor, dim: int) -> Sequence | Mismatch:
    """``[.. a ..] -> [.. a ..], [.. a ..]``."""
    return _pair(along(input, dim, input.dtype))


@op("torch.cumulative_trapezoid")
def cumulative_trapezoid(y: Tensor, x: object = None, *, dx: object = None, dim: int = -1) -> Tensor | Mismatch:
    """``[.. a ..] -> [.. a-1 ..]``."""
    axis = y.shape.axis(dim)
    if isinstance(axis, Mismatch):
        return axis
    y = Tensor(y.shape, at_least_float(y.dtype), y.kind)
    return y.reshaped(Shape.unknown()) if axis is None else resized_along(y, dim, axis.size - 1)


@op(*both("renorm"))
def renorm(input: Tensor, p: object, dim: int, maxnorm: object) -> Tensor | Mismatch:
    """``[.. a ..] -> [.. a ..]``; of two axes or more."""
    return at_least(input.shape, 2) or along(input, dim, input.dtype)


@op(*both("sort"))
def sort(input: Tensor, dim: int = -1, descending: object = None, stable: object = None) -> Sequence | Mismatch:
    """``[.. a ..] -> [.. a ..], [.. a ..]``."""
    return _pair(resized_along(input, dim, None))


@op(*both("argsort"))
def argsort(input: Tensor, dim: int = -1, descending: object = None, stable: object = None) -> Tensor | Mismatch:
    """``[.. a ..] -> [.. a ..]``."""
    result = resized_along(input, dim, None)
    return result if isinstance(result, Mismatch) else Tensor(result.shape, "int", input.kind)


@op(*both("msort"))
def msort(input: Tensor) -> Tensor | Mismatch:
    """``[a ..] -> [a ..]``."""
    return resized_along(input, 0, None)


@op(*both("topk"))
def topk(
    input: Tensor, k: Dim, dim: int = -1, largest: object = None, sorted: object = None
) -> Sequence | Mismatch:
    """``[.. a ..], k -> [.. k ..], [.. k ..]``."""
    axis = input.shape.axis(dim) if input.shape.axes else None
    if isinstance(axis, Axis) and impossible(k, axis.size):
        return Mismatch(Fault.SIZE, axis=dim, left=axis.size, right=k, left_shape=input.shape, detail="at least")
    return _pair(resized_along(input, dim, k))


@op(*both("diff"))
def diff(
    input: Tensor, n: Dim = ONE, dim: int = -1, prepend: Tensor | None = None, append: Tensor | None = None
) -> Tensor | Mismatch:
    """``[.. a ..] -> [.. a-n ..]``, with what is put before and after."""
    axis = input.shape.axis(dim)
    if isinstance(axis, Mismatch):
        return axis
    if axis is None:
        return input.reshaped(Shape.unknown())
    if n == ZERO:
        return input
    size = axis.size - n
    for other in (prepend, append):
        if other is not None:
            more = other.shape.axis(dim)
            if not isinstance(more, Axis):
                return input.reshaped(Shape.unknown())
            size += more.size
    number = size.constant
    return resized_along(input, dim, ZERO if number is not None and number < 0 else size)


@op(*both("histc"))
def histc(input: Tensor, bins: Dim = HUNDRED, min: object = None, max: object = None) -> Tensor:
    """``[*s], n -> [n]``."""
    return Tensor(Shape([Axis.of(bins)]), input.dtype, input.kind)


def _flag(value: AnyValue | None) -> bool | None:
    if value is None:
        return False
    return bool(value.value) if isinstance(value, Constant) else None


@op(*both("unique unique_consecutive"))
def unique(
    input: Tensor, *order: object, sorted: object = None, return_inverse: AnyValue | None = None,
    return_counts: AnyValue | None = None, dim: int | None = None,
) -> AnyValue | Mismatch:
    """``[*s] -> [n]``, or ``[.. a ..] -> [.. n ..]`` along one axis; with inverse and counts as wished."""
    inverse, counts = _flag(return_inverse), _flag(return_counts)
    if order or inverse is None or counts is None:
        return Unknown("the flags of unique are not known")
    number = Axis.unfollowed(Dim.of(Symbol("unique", Kind.OPAQUE)))
    if dim is None:
        values, back = input.reshaped(Shape([number])), input.shape
    else:
        position = input.shape.position(dim)
        if isinstance(position, Mismatch):
            return position
        if position is None or not input.shape.axes:
            return Unknown("the axis is not known")
        values = input.reshaped(input.shape.replaced(position, number.with_origin(Origin.DECLARED)))
        back = Shape([input.shape[position]])
    results: list[AnyValue] = [values]
    if inverse:
        results.append(Tensor(back, "int", input.kind))
    if counts:
        results.append(Tensor(Shape([number]), "int", input.kind))
    return results[0] if len(results) == 1 else Sequence(results)


@op("torch.gradient")
def gradient(
    input: Tensor, *, spacing: object = None, dim: Ints | None = None, edge_order: object = None
) -> AnyValue | Mismatch:
    """``[*s] -> [*s]`` for each axis."""
    slope = Tensor(input.shape, at_least_float(input.dtype), input.kind)
    if dim is not None:
        positions = locate(input.shape, dim)
        return positions if isinstance(positions, Mismatch) else Sequence([slope] * len(dim), "list")
    if input.shape.rank is None:
        return Unknown("the number of axes is not known")
    return Sequence([slope] * input.shape.rank, "list")


@op(*both("histogram"))
def histogram(input: Tensor, bins: AnyValue, **options: object) -> Sequence | Unknown:
    """``[*s], n -> [n], [n+1]``."""
    if isinstance(bins, Tensor):
        edge = bins.shape.known[0] if bins.shape.rank == 1 else None
        count = None if edge is None else edge.size - 1
    else:
        count = bins if isinstance(bins, Dim) else None
    if count is None:
        return Unknown("the number of bins is not known")
    results = [Tensor(Shape([Axis.of(size)]), "float", input.kind) for size in (count, count + 1)]
    return Sequence(results, fields=("hist", "bin_edges"))


@op("torch.unravel_index")
def unravel_index(indices: Tensor, shape: Sizes) -> Sequence:
    """``[*s], sizes -> [*s]`` for each size."""
    return Sequence([indices for _ in shape])


@op("torch.nn.functional.pdist")
def pdist(input: Tensor, p: object = None) -> Tensor | Mismatch:
    """``[n, d] -> [n * (n-1) / 2]``."""
    fault = exact_rank(input.shape, 2)
    if fault is not None:
        return fault
    rows = input.shape.axes[0]
    if not isinstance(rows, Axis):
        return input.reshaped(Shape.unknown())
    return input.reshaped(Shape([rows.resized(floordiv(rows.size * (rows.size - 1), Dim.of(2)))]))
