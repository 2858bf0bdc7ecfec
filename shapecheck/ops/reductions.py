"""Reductions: ``[.. a ..] -> [..]`` over one, several or all axes, an axis of 1 staying where ``keepdim`` is set."""

from __future__ import annotations

from shapecheck.dims import ONE, Dim
from shapecheck.ops.axes import impossible, is_one, locate
from shapecheck.ops.inplace import written
from shapecheck.ops.pointwise import at_least_float, elementwise, promoted
from shapecheck.ops.registry import both, op
from shapecheck.ops.signature import ints_of
from shapecheck.shapes import (
    AnyValue,
    Axis,
    Constant,
    Fault,
    Mismatch,
    Number,
    Origin,
    Rest,
    Sequence,
    Shape,
    Tensor,
    Unknown,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from shapecheck.ops.signature import Dtype, Ints, Operand, Sizes

KEPT: Final = Axis(ONE, (), Origin.KEPT)

PAIR: Final = ("values", "indices")


def reduced(shape: Shape, dims: Ints | None, *, keepdim: bool = False) -> Shape | Mismatch:
    """``[.. a ..] -> [..]`` or ``[.. 1 ..]``; no axis number stands for all axes."""
    if not dims:
        if not keepdim:
            return Shape(())
        return Shape([KEPT] * len(shape)) if shape.rest is None else Shape.unknown()
    if not shape.axes:
        wrong = next((dim for dim in dims if dim not in {0, -1}), None)
        return shape if wrong is None else Mismatch(Fault.AXIS_RANGE, axis=wrong, left_shape=shape)
    positions = locate(shape, dims)
    if isinstance(positions, Mismatch):
        return positions
    if positions is None:
        return shape.blurred(dims[0]) if len(dims) == 1 else Shape.unknown()
    if not keepdim:
        return shape.without(positions)
    return Shape([KEPT if position in positions else axis for position, axis in enumerate(shape.axes)])


def reduction(input: Tensor, dims: Ints | None, dtype: str | None, *, keepdim: bool = False) -> Tensor | Mismatch:
    """The operand reduced, with the given dtype family."""
    shape = reduced(input.shape, dims, keepdim=keepdim)
    return shape if isinstance(shape, Mismatch) else Tensor(shape, dtype, input.kind)


def _pair(result: Tensor | Mismatch) -> Sequence | Mismatch:
    """Values and the indices at which they were found."""
    if isinstance(result, Mismatch):
        return result
    return Sequence([result, Tensor(result.shape, "int", result.kind)], "tuple", fields=PAIR)


def _total(dtype: str | None) -> str | None:
    """The family of a sum: counting bools gives an integer."""
    return "int" if dtype == "bool" else dtype


@op(*both("sum nansum"))
def sum_(input: Tensor, dim: Ints | None = None, keepdim: bool = False, *, dtype: Dtype = "") -> Tensor | Mismatch:
    """``[.. a ..] -> [..]``."""
    return reduction(input, dim, _total(input.dtype) if dtype == "" else dtype, keepdim=keepdim)


@op(*both("prod"))
def prod(input: Tensor, dim: Ints | None = None, keepdim: bool = False, *, dtype: Dtype = "") -> Tensor | Mismatch:
    """``[.. a ..] -> [..]``; over one axis, or all."""
    return reduction(input, dim, _total(input.dtype) if dtype == "" else dtype, keepdim=keepdim)


@op(*both("mean nanmean"))
def mean(input: Tensor, dim: Ints | None = None, keepdim: bool = False, *, dtype: object = None) -> Tensor | Mismatch:
    """``[.. a ..] -> [..]``."""
    return reduction(input, dim, at_least_float(input.dtype), keepdim=keepdim)


@op(*both("amax amin"))
def amax(input: Tensor, dim: Ints | None = None, keepdim: bool = False) -> Tensor | Mismatch:
    """``[.. a ..] -> [..]``."""
    return reduction(input, dim, input.dtype, keepdim=keepdim)


@op(*both("logsumexp"), "torch.special.logsumexp")
def logsumexp(input: Tensor, dim: Ints, keepdim: bool = False) -> Tensor | Mismatch:
    """``[.. a ..] -> [..]``."""
    return reduction(input, dim, at_least_float(input.dtype), keepdim=keepdim)


@op(*both("all any"))
def all_(input: Tensor, dim: Ints | None = None, keepdim: bool = False) -> Tensor | Mismatch:
    """``[.. a ..] -> [..]``; of 8-bit integers one of these."""
    return reduction(input, dim, None if input.dtype == "int" else "bool", keepdim=keepdim)


@op(*both("count_nonzero"))
def count_nonzero(input: Tensor, dim: Ints | None = None) -> Tensor | Mismatch:
    """``[.. a ..] -> [..]``."""
    return reduction(input, dim, "int")


@op(*both("argmax argmin"))
def argmax(input: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor | Mismatch:
    """``[.. a ..] -> [..]``."""
    return reduction(input, None if dim is None else [dim], "int", keepdim=keepdim)


def _deviation_axes(dim: AnyValue | None) -> list[int] | Unknown | None:
    """The axes of ``std`` and ``var``, whose first argument may also be the flag ``unbiased``."""
    if dim is None or (isinstance(dim, Constant) and (dim.value is None or isinstance(dim.value, bool))):
        return None
    return ints_of(dim)


@op(*both("std var"))
def std(
    input: Tensor, dim: AnyValue | None = None, unbiased: object = None, keepdim: bool = False,
    *, correction: object = None,
) -> Tensor | Mismatch | Unknown:
    """``[.. a ..] -> [..]``."""
    dims = _deviation_axes(dim)
    return dims if isinstance(dims, Unknown) else reduction(input, dims, "float", keepdim=keepdim)


@op("torch.std_mean", "torch.var_mean")
def std_mean(
    input: Tensor, dim: AnyValue | None = None, unbiased: object = None, keepdim: bool = False,
    *, correction: object = None,
) -> Sequence | Mismatch | Unknown:
    """``[.. a ..] -> [..], [..]``."""
    result = std(input, dim, unbiased, keepdim)
    if isinstance(result, (Mismatch, Unknown)):
        return result
    return Sequence([result, Tensor(result.shape, input.dtype, input.kind)])


@op(*both("max min"))
def max_(
    input: Tensor, dim: AnyValue | None = None, keepdim: bool = False, *, other: AnyValue | None = None
) -> AnyValue | Mismatch:
    """``[.. a ..] -> [..]`` with its indices, ``[*s] -> []``, or ``[*a], [*b] -> broadcast``."""
    second = dim if other is None else other
    if second is None:
        return Tensor(Shape(()), input.dtype, input.kind)
    if isinstance(second, Tensor):
        return elementwise(promoted(input, second), input, second)
    dims = ints_of(second)
    return dims if isinstance(dims, Unknown) else _pair(reduction(input, dims, input.dtype, keepdim=keepdim))


@op(*both("median nanmedian"))
def median(input: Tensor, dim: int | None = None, keepdim: bool = False) -> AnyValue | Mismatch:
    """``[.. a ..] -> [..]`` with its indices, or ``[*s] -> []``."""
    if dim is None:
        return Tensor(Shape(()), input.dtype, input.kind)
    return _pair(reduction(input, [dim], input.dtype, keepdim=keepdim))


@op(*both("mode"))
def mode(input: Tensor, dim: int = -1, keepdim: bool = False) -> Sequence | Mismatch:
    """``[.. a ..] -> [..], [..]``."""
    return _pair(reduction(input, [dim], input.dtype, keepdim=keepdim))


@op(*both("kthvalue"))
def kthvalue(input: Tensor, k: Dim, dim: int = -1, keepdim: bool = False) -> Sequence | Mismatch:
    """``[.. a ..] -> [..], [..]``."""
    axis = input.shape.axis(dim) if input.shape.axes else None
    if isinstance(axis, Axis) and impossible(k, axis.size):
        return Mismatch(Fault.SIZE, axis=dim, left=axis.size, right=k, left_shape=input.shape, detail="at least")
    return _pair(reduction(input, [dim], input.dtype, keepdim=keepdim))


@op(*both("aminmax"))
def aminmax(input: Tensor, *, dim: int | None = None, keepdim: bool = False) -> Sequence | Mismatch:
    """``[.. a ..] -> [..], [..]``: the least and the greatest."""
    result = reduction(input, None if dim is None else [dim], input.dtype, keepdim=keepdim)
    return result if isinstance(result, Mismatch) else Sequence([result, result], "tuple", fields=("min", "max"))


@op(*both("quantile nanquantile"))
def quantile(
    input: Tensor, q: Operand, dim: int | None = None, keepdim: bool = False, *, interpolation: object = None
) -> Tensor | Mismatch:
    """``[.. a ..], [] -> [..]``; with several quantiles ``[q]`` they come first, ``[q, ..]``."""
    result = reduction(input, None if dim is None else [dim], "float", keepdim=keepdim)
    if isinstance(result, Mismatch) or not q.shape.axes:
        return result
    if q.shape.rank != 1 or result.shape.rank is None:
        return Tensor(Shape.unknown(), "float", input.kind)
    return result.reshaped(Shape((*q.shape, *result.shape)))


@op("torch.norm", "torch.Tensor.norm")
def norm(
    input: Tensor, p: object = None, dim: Ints | None = None, keepdim: bool = False, dtype: object = None
) -> Tensor | Mismatch:
    """``[.. a ..] -> [..]``."""
    return reduction(input, dim, "float", keepdim=keepdim)


@op("torch.linalg.norm")
def linalg_norm(
    A: Tensor, ord: object = None, dim: Ints | None = None, keepdim: bool = False, *, dtype: object = None
) -> Tensor | Mismatch:
    """``[.. a ..] -> [..]``."""
    return reduction(A, dim, "float", keepdim=keepdim)


@op("torch.linalg.vector_norm")
def vector_norm(
    x: Tensor, ord: object = None, dim: Ints | None = None, keepdim: bool = False, *, dtype: object = None
) -> Tensor | Mismatch:
    """``[.. a ..] -> [..]``."""
    return reduction(x, dim, "float", keepdim=keepdim)


@op("torch.linalg.matrix_norm")
def matrix_norm(
    A: Tensor, ord: object = None, dim: Ints | None = None, keepdim: bool = False, *, dtype: object = None
) -> Tensor | Mismatch:
    """``[.., n, m] -> [..]``."""
    if A.shape.rank is not None and A.shape.rank < 2:
        return Mismatch(Fault.RANK, left_shape=A.shape, detail="at least 2")
    return reduction(A, [-2, -1] if dim is None else dim, "float", keepdim=keepdim)


@op("torch.trapezoid", "torch.trapz")
def trapezoid(y: Tensor, x: object = None, *, dx: object = None, dim: int = -1) -> Tensor | Mismatch:
    """``[.. a ..] -> [..]``."""
    return reduction(y, [dim], at_least_float(y.dtype))


@op("torch.dist", "torch.Tensor.dist")
def dist(input: Tensor, other: Tensor, p: object = None) -> Tensor | Mismatch:
    """``[*a], [*b] -> []``; the operands broadcast."""
    result = elementwise("float", input, other)
    return result if isinstance(result, Mismatch) else result.reshaped(Shape(()))


@op(*both("equal allclose"))
def equal(input: Tensor, other: Tensor, *others: object, **options: object) -> Number:
    """``[*a], [*b] -> bool``."""
    return Number("bool")


@op(*both("cov corrcoef"))
def cov(input: Tensor, **options: object) -> Tensor | Mismatch:
    """``[n, observations] -> [n, n]``, ``[observations] -> []``."""
    shape, family = input.shape, at_least_float(input.dtype)
    if shape.rank is None:
        return Tensor(Shape.unknown(), family, input.kind)
    if shape.rank > 2:
        return Mismatch(Fault.RANK, left_shape=shape, detail="at most 2")
    first = shape.known[:1]
    square = Shape([*first, *first] if shape.rank == 2 and not is_one(first[0]) else [])
    return Tensor(square, family, input.kind)


def _counted(dtype: str | None) -> str | None:
    """The family of what may have been summed: bools stay as they are where nothing was."""
    return None if dtype == "bool" else dtype


@op("torch.Tensor.sum_to_size")
def sum_to_size(input: Tensor, *size: Sizes) -> Tensor | Mismatch:
    """``[*s], sizes -> [*sizes]``; ones and missing axes are summed over."""
    sizes: list[Dim | Rest] = list(size)  # type: ignore[arg-type]  # spread: each is a size
    wanted = Shape([item if isinstance(item, Rest) else Axis.of(item) for item in sizes])
    fault = written(input, Tensor(wanted))
    return fault if isinstance(fault, Mismatch) else Tensor(wanted, _counted(input.dtype), input.kind)
