"""Layers that leave the shape as it is, or regroup it."""

from __future__ import annotations

from shapecheck.dims import Dim, floordiv
from shapecheck.ops import views
from shapecheck.ops.axes import (
    constant,
    size_of,
    unknown_shape,
    wants,
)
from shapecheck.ops.layers import parameter
from shapecheck.ops.registry import Module, module
from shapecheck.shapes import (
    AnyValue,
    Axis,
    Fault,
    Mismatch,
    Tensor,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from shapecheck.ops.signature import Sizes


# -- element-wise layers -----------------------------------------------------------------------------------------------


ELEMENTWISE: Final = (
    "AlphaDropout CELU Dropout Dropout1d Dropout2d Dropout3d ELU FeatureAlphaDropout GELU Hardshrink Hardsigmoid "
    "Hardswish Hardtanh Identity LeakyReLU LogSigmoid Mish RReLU ReLU ReLU6 SELU SiLU Sigmoid Softplus Softshrink "
    "Softsign Tanh Tanhshrink Threshold"
)
"""``[*s] -> [*s]``, whatever they are made with."""


class Elementwise(Module):
    """``[*s] -> [*s]``."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__()

    def forward(self, input: AnyValue) -> AnyValue | Mismatch:
        """``[*s] -> [*s]``."""
        return input


module(*[f"torch.nn.{name}" for name in ELEMENTWISE.split()])(Elementwise)


@module("torch.nn.Softmax", "torch.nn.LogSoftmax", "torch.nn.Softmin")
class Softmax(Module):
    """``[*s] -> [*s]``, normalised along one axis."""

    def __init__(self, dim: object = None) -> None:
        self.dim = constant(dim) if isinstance(dim, Dim) else None

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[*s] -> [*s]``."""
        position = None if self.dim is None else input.shape.position(self.dim)
        return position if isinstance(position, Mismatch) else input


@module("torch.nn.Softmax2d")
class Softmax2d(Module):
    """``[n c h w]`` or ``[c h w]``, normalised over the channels."""

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[n c h w] -> [n c h w]``."""
        if input.shape.rank not in {None, 3, 4}:
            return Mismatch(Fault.RANK, left_shape=input.shape, detail="3 or 4")
        return input


@module("torch.nn.PReLU")
class PReLU(Module):
    """``[n c ..] -> [n c ..]``; one slope, or one for each channel."""

    def __init__(
        self, num_parameters: object = None, init: object = None, device: object = None, dtype: object = None
    ) -> None:
        self.slopes = Dim.of(1) if num_parameters is None else size_of(num_parameters, "num_parameters")

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[n c ..] -> [n c ..]``."""
        if constant(self.slopes) == 1 or input.shape.rank in {None, 0, 1}:
            return input
        return wants(input.shape, 1, self.slopes) or input

    def attributes(self) -> dict[str, AnyValue]:
        """Weight ``[c]``."""
        return {"weight": parameter(self.slopes)}


@module("torch.nn.GLU")
class GLU(Module):
    """``[.. 2*a ..] -> [.. a ..]``."""

    def __init__(self, dim: object = None) -> None:
        self.dim = -1 if dim is None else constant(dim) if isinstance(dim, Dim) else None

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[.. 2*a ..] -> [.. a ..]``."""
        position = None if self.dim is None else input.shape.position(self.dim)
        if isinstance(position, Mismatch):
            return position
        axis = None if position is None or not input.shape.axes else input.shape[position]
        if position is None or not isinstance(axis, Axis):
            return unknown_shape(input)
        size = constant(axis.size)
        if size is not None and size % 2:
            return Mismatch(Fault.SIZE, axis=self.dim, left=axis.size, right=Dim.of(2), left_shape=input.shape,
                            detail="divisible")
        return input.reshaped(input.shape.replaced(position, axis.resized(floordiv(axis.size, Dim.of(2)))))


# -- other shapes ------------------------------------------------------------------------------------------------------


@module("torch.nn.Flatten")
class Flatten(Module):
    """``[n a b] -> [n a*b]``."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        self.start, self.end = start_dim, end_dim

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[n a b] -> [n a*b]``."""
        return views.flatten(input, self.start, self.end)


@module("torch.nn.Unflatten")
class Unflatten(Module):
    """``[.. a*b ..] -> [.. a b ..]``."""

    def __init__(self, dim: int, unflattened_size: Sizes) -> None:
        self.dim, self.sizes = dim, unflattened_size

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[.. a*b ..] -> [.. a b ..]``."""
        return views.unflatten(input, self.dim, self.sizes)
