"""``torch.masked``: reductions and scans in which some elements do not take part; the mask changes no shape."""

from __future__ import annotations

from shapecheck.ops.pointwise import elementwise, promoted
from shapecheck.ops.reductions import reduction
from shapecheck.ops.registry import op
from shapecheck.ops.scans import along
from shapecheck.shapes import Mismatch, Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from shapecheck.ops.signature import Ints

MASKED: Final = "torch.masked."


@op(*[MASKED + name for name in ("sum", "prod", "amax", "amin", "mean", "logsumexp")])
def masked_sum(
    input: Tensor, dim: Ints | None = None, *, keepdim: bool = False, mask: object = None
) -> Tensor | Mismatch:
    """``[.. a ..] -> [..]``."""
    return reduction(input, dim, None, keepdim=keepdim)


@op(MASKED + "argmax", MASKED + "argmin")
def masked_argmax(
    input: Tensor, dim: int | None = None, *, keepdim: bool = False, mask: object = None
) -> Tensor | Mismatch:
    """``[.. a ..] -> [..]``."""
    return reduction(input, None if dim is None else [dim], None, keepdim=keepdim)


@op(MASKED + "median")
def masked_median(input: Tensor, dim: int = -1, *, keepdim: bool = False, mask: object = None) -> Tensor | Mismatch:
    """``[.. a ..] -> [..]``."""
    return reduction(input, [dim], "float", keepdim=keepdim)


@op(MASKED + "var", MASKED + "std")
def masked_var(
    input: Tensor, dim: Ints | None = None, unbiased: object = None, *, correction: object = None,
    keepdim: bool = False, mask: object = None,
) -> Tensor | Mismatch:
    """``[.. a ..] -> [..]``."""
    return reduction(input, dim, None, keepdim=keepdim)


@op(MASKED + "norm")
def masked_norm(
    input: Tensor, ord: object = None, dim: Ints | None = None, *, keepdim: bool = False, mask: object = None
) -> Tensor | Mismatch:
    """``[.. a ..] -> [..]``."""
    return reduction(input, dim, None, keepdim=keepdim)


@op(*[MASKED + name for name in ("softmax", "log_softmax", "softmin", "cumsum", "cumprod")])
def masked_softmax(input: Tensor, dim: int, *, mask: object = None) -> Tensor | Mismatch:
    """``[.. a ..] -> [.. a ..]``."""
    return along(input, dim, None)


@op(MASKED + "normalize")
def masked_normalize(input: Tensor, ord: object, dim: int, *, mask: object = None) -> Tensor | Mismatch:
    """``[.. a ..] -> [.. a ..]``."""
    return along(input, dim, None)


@op(MASKED + "logaddexp")
def masked_logaddexp(
    input: Tensor, other: Tensor, *, input_mask: object = None, other_mask: object = None
) -> Tensor | Mismatch:
    """``[*a], [*b] -> broadcast``."""
    return elementwise(promoted(input, other), input, other)
