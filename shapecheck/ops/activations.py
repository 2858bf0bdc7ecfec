"""The element-wise functions of neural networks (``torch.nn.functional``), and the gate that halves an axis."""

from __future__ import annotations

from shapecheck.dims import ONE, Dim, No, floordiv
from shapecheck.ops.pointwise import qualified
from shapecheck.ops.registry import op
from shapecheck.shapes import Fault, Mismatch, Shape, Tensor, scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

FUNCTIONAL: Final = ("torch.nn.functional.",)

ACTIVATIONS: Final = {
    ("torch.", *FUNCTIONAL): "celu hardshrink selu rrelu",
    FUNCTIONAL: "alpha_dropout dropout dropout1d dropout2d dropout3d elu feature_alpha_dropout gelu hardsigmoid "
    "hardswish hardtanh leaky_relu logsigmoid mish silu softplus softshrink",
}
"""Of one floating tensor; what else is given (slopes, probabilities, flags) changes no shape."""


@op(*qualified(ACTIVATIONS), "torch.Tensor.hardshrink")
def activation(input: Tensor, *others: object, **options: object) -> Tensor:
    """``[*s] -> [*s]``."""
    return input


@op("torch.dropout", "torch.alpha_dropout", "torch.feature_dropout", "torch.feature_alpha_dropout")
def dropout(input: Tensor, p: object, train: object) -> Tensor:
    """``[*s] -> [*s]``."""
    return input


@op("torch.threshold", "torch.nn.functional.threshold")
def threshold(input: Tensor, threshold: object, value: object, inplace: object = None) -> Tensor:
    """``[*s] -> [*s]``."""
    return input


@op("torch.prelu", "torch.Tensor.prelu", "torch.nn.functional.prelu")
def prelu(input: Tensor, weight: Tensor) -> Tensor | Mismatch:
    """``[n, c, *s], [c] or [1] or [] -> [n, c, *s]``; one slope, or one for each channel."""
    if weight.shape.rank not in {None, 0, 1}:
        return Mismatch(Fault.RANK, left_shape=weight.shape, detail="0 or 1")
    if weight.shape.rank != 1:
        return input
    slopes = weight.shape.known[0]
    channels = input.shape.axis(1) if input.shape.rank is None or input.shape.rank > 1 else None
    if slopes.is_one or channels is None or isinstance(channels, Mismatch):
        return input
    verdict = scope().decide(slopes.size, channels.size)
    if isinstance(verdict, No) and scope().differ(slopes.size, ONE):
        return Mismatch(
            Fault.SIZE, axis=0, other_axis=1, left=slopes.size, right=channels.size, left_shape=weight.shape,
            right_shape=input.shape, because=verdict.because,
        )
    return input


@op("torch.nn.functional.glu")
def glu(input: Tensor, dim: int = -1) -> Tensor | Mismatch:
    """``[.., 2*d, ..] -> [.., d, ..]``; one half is the gate of the other."""
    position = input.shape.position(dim)
    if isinstance(position, Mismatch):
        return position
    if position is None:
        return input.reshaped(Shape.unknown())
    if not input.shape.axes:
        return Mismatch(Fault.RANK, left_shape=input.shape, detail="at least 1")
    axis = input.shape.known[position if input.shape.rest is None or position < input.shape.rest else position - 1]
    size = scope().normal(axis.size)
    if size.constant is not None and size.constant % 2:
        return Mismatch(Fault.SIZE, axis=dim, left=size, right=size + 1, left_shape=input.shape, detail="even")
    return input.reshaped(input.shape.replaced(position, axis.resized(floordiv(axis.size, Dim.of(2)))))
