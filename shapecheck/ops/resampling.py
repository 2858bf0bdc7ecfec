"""Padding, resizing, sampling, and moving elements between channels and spatial axes."""

from __future__ import annotations

from shapecheck.dims import Dim, No, floordiv
from shapecheck.ops.axes import constant, is_none, of_rank, sizes_of, text_of, unknown_shape
from shapecheck.ops.registry import Module, module, op
from shapecheck.ops.spatial import resized
from shapecheck.shapes import (
    AnyValue,
    Axis,
    Constant,
    Fault,
    Mismatch,
    Rest,
    Shape,
    Tensor,
    Unknown,
    require,
)
from shapecheck.shapes import Sequence as Several

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

    from shapecheck.ops.signature import Sizes


# -- resizing ----------------------------------------------------------------------------------------------------------


RANKS: Final = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}
"""The one rank that a way of interpolating takes."""


def scaled(size: Dim, factor: object) -> Dim | None:
    """``floor(size * factor)``."""
    if isinstance(factor, int) and not isinstance(factor, bool):
        return size * factor
    if isinstance(factor, Dim):
        return size * factor
    number = factor.value if isinstance(factor, Constant) else None
    if not isinstance(number, float) or number <= 0:
        return None
    length = constant(size)
    if length is not None:
        return Dim.of(int(length * number))
    if number == int(number):
        return size * int(number)
    inverse = round(1 / number)
    return floordiv(size, Dim.of(inverse)) if 1 / inverse == number else None


@op("torch.nn.functional.interpolate", "torch.nn.functional.upsample")
def interpolate(
    input: Tensor, size: object = None, scale_factor: object = None, mode: object = None, align_corners: object = None,
    recompute_scale_factor: object = None, antialias: object = None,
) -> AnyValue | Mismatch:
    """``[n c *spatial] -> [n c *size]``."""
    way = text_of(mode, "nearest")
    rank = input.shape.rank
    if rank is None:
        return unknown_shape(input)
    only = RANKS.get(way or "")
    if rank not in {3, 4, 5} or (only is not None and rank != only):
        return Mismatch(Fault.RANK, left_shape=input.shape, detail=str(only or "3, 4 or 5"))
    count = rank - 2
    axes = input.shape.known[2:]
    if not is_none(size):
        if isinstance(size, Several) and len(size.items) != count and not _hidden(size):
            return Mismatch(Fault.RANK, left_shape=input.shape, detail=str(len(size.items) + 2))
        sizes = sizes_of(size, count)
    elif is_none(scale_factor):
        return Unknown("neither a size nor a factor")
    else:
        factors: Sequence[object] = [scale_factor] * count
        if isinstance(scale_factor, Several):
            if len(scale_factor.items) != count and not _hidden(scale_factor):
                return Mismatch(Fault.RANK, left_shape=input.shape, detail=str(len(scale_factor.items) + 2))
            factors = scale_factor.items if not _hidden(scale_factor) else [None] * count
        sizes = [scaled(axis.size, factor) for axis, factor in zip(axes, factors, strict=True)]
    made = [resized(axis, one) for axis, one in zip(axes, sizes, strict=True)]
    return input.reshaped(Shape((*input.shape.axes[:2], *made)))


def _hidden(items: Several) -> bool:
    return any(isinstance(item, Rest) for item in items.items)


@op("torch.nn.functional.upsample_nearest", "torch.nn.functional.upsample_bilinear")
def upsample(input: Tensor, size: object = None, scale_factor: object = None) -> AnyValue | Mismatch:
    """``[n c *spatial] -> [n c *size]``."""
    return interpolate(input, size, scale_factor)


@module("torch.nn.Upsample")
class Upsample(Module):
    """``[n c *spatial] -> [n c *size]``."""

    mode: object = None

    def __init__(
        self, size: object = None, scale_factor: object = None, mode: object = None, align_corners: object = None,
        recompute_scale_factor: object = None,
    ) -> None:
        self.size, self.factor = size, scale_factor
        if mode is not None:
            self.mode = mode

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[n c *spatial] -> [n c *size]``."""
        return interpolate(input, self.size, self.factor, self.mode)


@module("torch.nn.UpsamplingNearest2d")
class UpsamplingNearest2d(Upsample):
    """``[n c h w] -> [n c *size]``."""

    def __init__(self, size: object = None, scale_factor: object = None) -> None:
        super().__init__(size, scale_factor)


@module("torch.nn.UpsamplingBilinear2d")
class UpsamplingBilinear2d(UpsamplingNearest2d):
    """``[n c h w] -> [n c *size]``."""

    mode = Constant("bilinear")


# -- sampling at given places ------------------------------------------------------------------------------------------


@op("torch.grid_sampler")
def grid_sampler(
    input: Tensor, grid: Tensor, interpolation_mode: object, padding_mode: object, align_corners: object
) -> AnyValue | Mismatch:
    """``[n c *spatial], [n *out 2] -> [n c *out]``."""
    return grid_sample(input, grid)


@op("torch.nn.functional.grid_sample")
def grid_sample(
    input: Tensor, grid: Tensor, mode: object = None, padding_mode: object = None, align_corners: object = None
) -> AnyValue | Mismatch:
    """``[n c *spatial], [n *out 2] -> [n c *out]``."""
    rank = input.shape.rank or grid.shape.rank
    if rank is None:
        return unknown_shape(input)
    if rank not in {4, 5}:
        return Mismatch(Fault.RANK, left_shape=input.shape, detail="4 or 5")
    picture, places = of_rank(input.shape, rank), of_rank(grid.shape, rank)
    if picture is None or places is None:
        return Mismatch(Fault.RANK, left_shape=grid.shape, right_shape=input.shape, detail=str(rank))
    for axis, place, wanted in (
        (places.known[-1], -1, Dim.of(rank - 2)), (places.known[0], 0, picture.known[0].size)
    ):
        verdict = require(axis.size, wanted)
        if isinstance(verdict, No):
            return Mismatch(
                Fault.SIZE, axis=place, left=axis.size, right=wanted, left_shape=grid.shape, because=verdict.because
            )
    return input.reshaped(Shape((*picture.axes[:2], *places.axes[1:-1])))


@op("torch.nn.functional.affine_grid")
def affine_grid(theta: Tensor, size: Sizes, align_corners: object = None) -> AnyValue | Mismatch:
    """``[n 2 3] -> [n h w 2]``."""
    if any(isinstance(one, Rest) for one in size):
        return unknown_shape(theta)
    if len(size) not in {4, 5}:
        return Mismatch(Fault.RANK, left_shape=theta.shape, detail="4 or 5 sizes")
    sizes = [one for one in size if isinstance(one, Dim)]
    whole = of_rank(theta.shape, 3)
    if whole is None:
        return Mismatch(Fault.RANK, left_shape=theta.shape, detail="3")
    count = len(sizes) - 2
    for place, wanted in ((0, sizes[0]), (1, Dim.of(count)), (2, Dim.of(count + 1))):
        verdict = require(whole[place].size, wanted)
        if isinstance(verdict, No):
            return Mismatch(
                Fault.SIZE, axis=place, left=whole[place].size, right=wanted, left_shape=theta.shape,
                because=verdict.because,
            )
    return theta.reshaped(Shape((whole[0], *[Axis.of(one) for one in sizes[2:]], Axis.of(count))))
