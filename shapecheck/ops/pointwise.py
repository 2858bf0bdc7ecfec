"""Element-wise operations: ``[*s] -> [*s]``, and ``[*a], [*b] -> broadcast``.

The names stand in tables, one for each effect on the dtype family; ``activations`` holds the functions of neural
networks and ``inplace`` those that write into their first operand.
"""

from __future__ import annotations

from shapecheck.ops.registry import op
from shapecheck.shapes import Mismatch, Sequence, Tensor, broadcast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from shapecheck.ops.signature import Operand

BOTH: Final = ("torch.", "torch.Tensor.")
SPECIAL: Final = ("torch.special.",)
OPERATOR: Final = ("operator.",)

Names = dict[tuple[str, ...], str]

SAME: Final[Names] = {
    BOTH: "conj conj_physical nan_to_num neg negative positive relu sgn sign",
    ("torch.nn.functional.",): "relu relu6",
    OPERATOR: "neg pos",
}
"""Of one tensor; the dtype stays."""

ROUNDED: Final[Names] = {BOTH: "ceil fix floor frac round trunc", SPECIAL: "round"}
"""Of one tensor of real numbers; the dtype stays."""

FLOATING: Final[Names] = {
    BOTH: "acos acosh arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh cos cosh exp exp2 expm1 log "
    "log10 log1p log2 reciprocal rsqrt sigmoid sin sinc sinh sqrt tan tanh",
    SPECIAL: "exp2 expit expm1 log1p sinc",
    ("torch.nn.functional.",): "sigmoid tanh softsign tanhshrink",
}
"""Of one tensor; an integer one becomes a float."""

REAL: Final[Names] = {
    BOTH: "deg2rad digamma erf erfc erfinv i0 lgamma logit rad2deg",
    SPECIAL: "airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 digamma entr erf erfc erfcx erfinv gammaln i0 i0e "
    "i1 i1e log_ndtr logit modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 ndtr ndtri psi "
    "scaled_modified_bessel_k0 scaled_modified_bessel_k1 spherical_bessel_j0",
}
"""Of one tensor of real numbers; an integer one becomes a float."""

PREDICATES: Final[Names] = {BOTH: "isfinite isinf isnan isneginf isposinf isreal logical_not signbit"}
"""Of one tensor; the result is bool."""

PROMOTED: Final[Names] = {
    BOTH: "add sub subtract mul multiply remainder fmod maximum minimum fmax fmin floor_divide heaviside pow",
    OPERATOR: "add sub mul floordiv mod pow",
}
"""Of two tensors or numbers; the dtype is the wider of the two."""

BITS: Final[Names] = {
    BOTH: "bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift gcd lcm",
    OPERATOR: "and_ or_ xor lshift rshift",
}
"""Of two tensors of integers or bools."""

QUOTIENTS: Final[Names] = {
    BOTH: "arctan2 atan2 copysign div divide float_power hypot ldexp logaddexp logaddexp2 nextafter "
    "true_divide xlogy",
    SPECIAL: "xlog1py xlogy zeta",
    OPERATOR: "truediv",
}
"""Of two tensors or numbers; integers give a float."""

POLYNOMIALS: Final[Names] = {
    BOTH: "igamma igammac",
    SPECIAL: "chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w gammainc "
    "gammaincc hermite_polynomial_h hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p "
    "shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v "
    "shifted_chebyshev_polynomial_w",
}
"""Of two real tensors; the result is a float."""

COMPARISONS: Final[Names] = {
    BOTH: "eq ne lt le gt ge greater greater_equal isclose less less_equal logical_and logical_or logical_xor "
    "not_equal",
    OPERATOR: "eq ne lt le gt ge",
}
"""Of two tensors or numbers; the result is bool."""

_WIDTH: Final = {"bool": 0, "int": 1, "float": 2, "complex": 3}


def qualified(table: Names) -> list[str]:
    """Every qualified name of a table."""
    return [prefix + name for prefixes, names in table.items() for name in names.split() for prefix in prefixes]


def promoted(*operands: Tensor) -> str | None:
    """The dtype family that operands give together."""
    widest = "bool"
    for operand in operands:
        if operand.dtype is None:
            return None
        if _WIDTH[operand.dtype] > _WIDTH[widest]:
            widest = operand.dtype
    return widest


def at_least_float(dtype: str | None) -> str | None:
    """The family of a result that is no integer."""
    return "float" if dtype in {"bool", "int"} else dtype


def elementwise(dtype: str | None, *operands: Tensor) -> Tensor | Mismatch:
    """``[*a], [*b], ... -> broadcast`` with the given dtype."""
    shape = broadcast(*[operand.shape for operand in operands])
    return shape if isinstance(shape, Mismatch) else Tensor(shape, dtype, operands[0].kind)


@op(*qualified(SAME), *qualified(ROUNDED))
def same(input: Tensor, *others: object, **options: object) -> Tensor:
    """``[*s] -> [*s]``."""
    return input


@op("torch.abs", "torch.Tensor.abs", "torch.absolute", "torch.Tensor.absolute", "operator.abs")
def absolute(input: Tensor) -> Tensor:
    """``[*s] -> [*s]``; the magnitude of a complex number is a float."""
    return Tensor(input.shape, "float", input.kind) if input.dtype == "complex" else input


@op("torch.square", "torch.Tensor.square")
def square(input: Tensor) -> Tensor:
    """``[*s] -> [*s]``; of bools an integer."""
    return Tensor(input.shape, "int", input.kind) if input.dtype == "bool" else input


@op("torch.angle", "torch.Tensor.angle")
def angle(input: Tensor) -> Tensor:
    """``[*s] -> [*s]``."""
    return Tensor(input.shape, "float", input.kind)


@op("torch.bitwise_not", "torch.Tensor.bitwise_not", "operator.invert")
def bitwise_not(input: Tensor) -> Tensor:
    """``[*s] -> [*s]``; of integers or bools."""
    return input


@op(*qualified(FLOATING))
def floating(input: Tensor, *others: object, **options: object) -> Tensor:
    """``[*s] -> [*s]``."""
    return Tensor(input.shape, at_least_float(input.dtype), input.kind)


@op(*qualified(REAL))
def real(input: Tensor, *others: object, **options: object) -> Tensor:
    """``[*s] -> [*s]``."""
    return Tensor(input.shape, "float", input.kind)


@op("torch.mvlgamma", "torch.Tensor.mvlgamma", "torch.special.multigammaln")
def mvlgamma(input: Tensor, p: object) -> Tensor:
    """``[*s] -> [*s]``."""
    return Tensor(input.shape, "float", input.kind)


@op("torch.polygamma", "torch.special.polygamma")
def polygamma(n: object, input: Tensor) -> Tensor:
    """``n, [*s] -> [*s]``."""
    return Tensor(input.shape, "float", input.kind)


@op("torch.Tensor.polygamma")
def polygamma_method(input: Tensor, n: object) -> Tensor:
    """``[*s] -> [*s]``."""
    return Tensor(input.shape, "float", input.kind)


@op(*qualified(PREDICATES))
def predicate(input: Tensor) -> Tensor:
    """``[*s] -> [*s]``."""
    return Tensor(input.shape, "bool", input.kind)


@op("torch.frexp", "torch.Tensor.frexp")
def frexp(input: Tensor) -> Sequence:
    """``[*s] -> [*s], [*s]``."""
    exponent = Tensor(input.shape, "int", input.kind)
    return Sequence([input, exponent], "tuple", fields=("mantissa", "exponent"))


@op(*qualified(BITS))
def bits(input: Operand, other: Operand) -> Tensor | Mismatch:
    """``[*a], [*b] -> broadcast``; of integers or bools."""
    return elementwise(promoted(input, other), input, other)


@op(*qualified(PROMOTED))
def arithmetic(input: Operand, other: Operand, *, alpha: object = None) -> Tensor | Mismatch:
    """``[*a], [*b] -> broadcast``."""
    return elementwise(promoted(input, other), input, other)


@op(*qualified(QUOTIENTS))
def quotient(input: Operand, other: Operand, *, rounding_mode: object = None) -> Tensor | Mismatch:
    """``[*a], [*b] -> broadcast``."""
    dtype = promoted(input, other)
    return elementwise(at_least_float(dtype) if rounding_mode is None else None, input, other)


@op(*qualified(POLYNOMIALS))
def polynomial(input: Operand, other: Operand) -> Tensor | Mismatch:
    """``[*a], [*b] -> broadcast``."""
    return elementwise("float", input, other)


@op(*qualified(COMPARISONS))
def comparison(input: Operand, other: Operand, *others: object, **options: object) -> Tensor | Mismatch:
    """``[*a], [*b] -> broadcast``."""
    return elementwise("bool", input, other)


@op("torch.rsub")
def rsub(input: Tensor, other: Operand, *, alpha: object = None) -> Tensor | Mismatch:
    """``[*a], [*b] -> broadcast``."""
    return elementwise(promoted(input, other), input, other)


@op("torch.complex", "torch.polar")
def complex_of(real: Tensor, imag: Tensor) -> Tensor | Mismatch:
    """``[*a], [*b] -> broadcast``; one complex number from two real ones."""
    return elementwise("complex", real, imag)


@op("torch.lerp", "torch.Tensor.lerp")
def lerp(input: Tensor, end: Tensor, weight: Operand) -> Tensor | Mismatch:
    """``[*a], [*b], [*c] -> broadcast``."""
    return elementwise(input.dtype, input, end, weight)


@op("torch.addcmul", "torch.Tensor.addcmul", "torch.addcdiv", "torch.Tensor.addcdiv")
def addcmul(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: object = None) -> Tensor | Mismatch:
    """``[*a], [*b], [*c] -> broadcast``."""
    return elementwise(promoted(input, tensor1, tensor2), input, tensor1, tensor2)


@op("torch.clamp", "torch.Tensor.clamp", "torch.clip", "torch.Tensor.clip")
def clamp(input: Tensor, min: Operand | None = None, max: Operand | None = None) -> Tensor | Mismatch:
    """``[*a], [*b], [*c] -> broadcast``; a bound is a number or a tensor."""
    operands = [operand for operand in (input, min, max) if operand is not None]
    return elementwise(promoted(*operands), *operands)


@op("torch.clamp_min", "torch.Tensor.clamp_min")
def clamp_min(input: Tensor, min: Operand) -> Tensor | Mismatch:
    """``[*a], [*b] -> broadcast``."""
    return elementwise(promoted(input, min), input, min)


@op("torch.clamp_max", "torch.Tensor.clamp_max")
def clamp_max(input: Tensor, max: Operand) -> Tensor | Mismatch:
    """``[*a], [*b] -> broadcast``."""
    return elementwise(promoted(input, max), input, max)
