"""Padding, resizing, sampling, and moving elements between channels and spatial axes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from shapecheck.dims import ONE, ZERO, Dim, No, floordiv
from shapecheck.ops.axes import constant, impossible, is_none, of_rank, opaque, size_of, sized, sizes_of, unknown_shape
from shapecheck.ops.registry import Module, module, op
from shapecheck.ops.spatial import batched, resized, slid
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
    merged,
    require,
    scope,
    split_axis,
)
from shapecheck.shapes import Sequence as Several

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapecheck.ops.signature import Sizes
    from shapecheck.ops.spatial import Options


def _text(value: object, default: str) -> str | None:
    """A string argument, None where it is not known."""
    if value is None:
        return default
    return value.value if isinstance(value, Constant) and isinstance(value.value, str) else None


# -- padding ---------------------------------------------------------------------------------------------------------


def padded(input: Tensor, pads: Options, mode: str | None) -> AnyValue | Mismatch:
    """Each of the last axes longer by a pair of numbers, the last axis' first."""
    shape = input.shape
    count = len(pads) // 2
    if len(pads) % 2:
        return Unknown("the padding is no list of pairs")
    if shape.rest is None:
        if count > len(shape):
            return Mismatch(Fault.RANK, left_shape=shape, detail=f"at least {count}")
    elif shape.rest >= len(shape) - count:
        return unknown_shape(input)
    if mode not in {"constant", None} and shape.rank is not None and not count < shape.rank <= count + 2:
        return Mismatch(Fault.RANK, left_shape=shape, detail=f"{count + 1} or {count + 2}")
    made: list[Axis | Rest] = []
    for place in range(count):
        axis = shape[len(shape) - 1 - place]
        before, after = pads[2 * place], pads[2 * place + 1]
        size = None if before is None or after is None or isinstance(axis, Rest) else axis.size + before + after
        margin = {"reflect": ONE, "circular": ZERO}.get(mode or "")
        for pad in (before, after):
            if margin is not None and pad is not None and impossible(pad + margin, axis.size):
                return Mismatch(
                    Fault.SIZE, axis=-1 - place, left=axis.size, right=pad, left_shape=shape, detail="padding"
                )
        if size is not None and impossible(ZERO, size):
            return Mismatch(Fault.SIZE, axis=-1 - place, left=axis.size, right=before, left_shape=shape,
                            detail="padding")
        made.append(resized(axis, size))
    return input.reshaped(Shape((*shape.axes[: len(shape) - count], *reversed(made))))


@op("torch.nn.functional.pad")
def padding(input: Tensor, pad: object, mode: object = None, value: object = None) -> AnyValue | Mismatch:
    """``[.. a] -> [.. before+a+after]``."""
    if not isinstance(pad, Several) or any(isinstance(item, Rest) for item in pad.items):
        return unknown_shape(input)
    return padded(input, sizes_of(pad, len(pad.items)), _text(mode, "constant"))


@op("torch.constant_pad_nd")
def constant_pad_nd(input: Tensor, pad: object, value: object = None) -> AnyValue | Mismatch:
    """``[.. a] -> [.. before+a+after]``."""
    return padding(input, pad)


class Padding(Module):
    """``[.. *spatial] -> [.. *longer]``."""

    count = 0
    mode = "constant"

    def __init__(self, padding: object) -> None:
        self.padding = sizes_of(padding, 2 * self.count)

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[.. *spatial] -> [.. *longer]``."""
        return padded(input, self.padding, self.mode)


class ConstantPad(Padding):
    """``[.. *spatial] -> [.. *longer]``."""

    def __init__(self, padding: object, value: object = None) -> None:
        super().__init__(padding)


class ZeroPad(Padding):
    """``[.. *spatial] -> [.. *longer]``."""


class ReflectionPad(Padding):
    """``[n c *spatial] -> [n c *longer]``."""

    mode = "reflect"


class ReplicationPad(Padding):
    """``[n c *spatial] -> [n c *longer]``."""

    mode = "replicate"


class CircularPad(Padding):
    """``[n c *spatial] -> [n c *longer]``."""

    mode = "circular"


for _base in (ConstantPad, ZeroPad, ReflectionPad, ReplicationPad, CircularPad):
    for _count in (1, 2, 3):
        _made = type(f"{_base.__name__}{_count}d", (_base,), {"count": _count, "__doc__": _base.__doc__})
        module(f"torch.nn.{_made.__name__}")(_made)


# -- resizing --------------------------------------------------------------------------------------------------------

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
    way = _text(mode, "nearest")
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


# -- sampling at given places ----------------------------------------------------------------------------------------


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
    rank, other = input.shape.rank, grid.shape.rank
    if rank is None or other is None:
        return unknown_shape(input)
    if rank not in {4, 5}:
        return Mismatch(Fault.RANK, left_shape=input.shape, detail="4 or 5")
    if rank != other:
        return Mismatch(Fault.RANK, left_shape=grid.shape, right_shape=input.shape, detail=str(rank))
    for axis, place, wanted in (
        (grid.shape.known[-1], -1, Dim.of(rank - 2)), (grid.shape.known[0], 0, input.shape.known[0].size)
    ):
        verdict = require(axis.size, wanted)
        if isinstance(verdict, No):
            return Mismatch(
                Fault.SIZE, axis=place, left=axis.size, right=wanted, left_shape=grid.shape, because=verdict.because
            )
    return input.reshaped(Shape((*input.shape.axes[:2], *grid.shape.axes[1:-1])))


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


# -- windows as columns ----------------------------------------------------------------------------------------------


def _windows(sizes: Sequence[Dim | None], options: Sequence[Options]) -> Dim | None:
    total = ONE
    for size, (kernel, dilation, padding, stride) in zip(sizes, zip(*options, strict=True), strict=True):
        count = None if size is None else slid(size, kernel, stride, padding, dilation)
        if count is None:
            return None
        total *= count
    return total


@op("torch.nn.functional.unfold")
def unfold(
    input: Tensor, kernel_size: object, dilation: object = 1, padding: object = 0, stride: object = 1
) -> AnyValue | Mismatch:
    """``[n c h w] -> [n c*k*k windows]``."""
    shape = batched(input, 2)
    if shape is None or isinstance(shape, Mismatch):
        return unknown_shape(input) if shape is None else shape
    options = [sizes_of(option, 2) for option in (kernel_size, dilation, padding, stride)]
    for axis, kernel, pad, step in zip(shape.known[-2:], options[0], options[2], options[1], strict=True):
        if kernel is not None and pad is not None and step is not None and impossible(
            step * (kernel - 1) + 1, axis.size + 2 * pad
        ):
            return Mismatch(Fault.SIZE, left=axis.size, right=kernel, left_shape=shape, detail="kernel")
    count = _windows([axis.size for axis in shape.known[-2:]], options)
    channels = shape.known[-3].size
    for kernel in options[0]:
        channels *= opaque("kernel") if kernel is None else kernel
    columns = Axis.unfollowed(opaque("windows") if count is None else count)
    return input.reshaped(Shape((*shape.axes[:-3], Axis.unfollowed(channels), columns)))


@op("torch.nn.functional.fold")
def fold(
    input: Tensor, output_size: object, kernel_size: object, dilation: object = 1, padding: object = 0,
    stride: object = 1,
) -> AnyValue | Mismatch:
    """``[n c*k*k windows] -> [n c h w]``."""
    rank = input.shape.rank
    if rank is None:
        return unknown_shape(input)
    if rank not in {2, 3}:
        return Mismatch(Fault.RANK, left_shape=input.shape, detail="2 or 3")
    options = [sizes_of(option, 2) for option in (kernel_size, dilation, padding, stride)]
    sizes = sizes_of(output_size, 2)
    rows, columns = input.shape.known[-2:]
    count = _windows(sizes, options)
    verdict = None if count is None else require(columns.size, count)
    if isinstance(verdict, No):
        return Mismatch(
            Fault.SIZE, axis=-1, left=columns.size, right=count, left_shape=input.shape, because=verdict.because
        )
    first, second = options[0]
    channels = opaque("channels")
    if first is not None and second is not None and (first * second).terms:
        whole, part = constant(rows.size), constant(first * second)
        if whole is not None and part is not None and whole % part:
            return Mismatch(
                Fault.SIZE, axis=-2, left=rows.size, right=first * second, left_shape=input.shape, detail="divisible"
            )
        channels = floordiv(rows.size, first * second)
    made = [Axis.unfollowed(opaque("spatial") if size is None else size) for size in sizes]
    return input.reshaped(Shape((*input.shape.axes[:-2], Axis.unfollowed(channels), *made)))


@module("torch.nn.Unfold")
class Unfold(Module):
    """``[n c h w] -> [n c*k*k windows]``."""

    def __init__(
        self, kernel_size: object, dilation: object = 1, padding: object = 0, stride: object = 1
    ) -> None:
        self.options = kernel_size, dilation, padding, stride

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[n c h w] -> [n c*k*k windows]``."""
        return unfold(input, *self.options)


@module("torch.nn.Fold")
class Fold(Module):
    """``[n c*k*k windows] -> [n c h w]``."""

    def __init__(
        self, output_size: object, kernel_size: object, dilation: object = 1, padding: object = 0, stride: object = 1
    ) -> None:
        self.options = output_size, kernel_size, dilation, padding, stride

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[n c*k*k windows] -> [n c h w]``."""
        return fold(input, *self.options)


# -- between channels and space --------------------------------------------------------------------------------------


def _picture(input: Tensor) -> tuple[Axis, Axis, Axis] | Mismatch | None:
    """Channels, height and width."""
    shape = input.shape
    if shape.rank is not None and shape.rank < 3:
        return Mismatch(Fault.RANK, left_shape=shape, detail="at least 3")
    if shape.rest is not None and shape.rest > len(shape) - 4:
        return None
    channels, height, width = [axis for axis in shape.axes[-3:] if isinstance(axis, Axis)]
    return channels, height, width


def _multiple(shape: Shape, dim: int, size: Dim, of: Dim) -> Mismatch | None:
    whole, part = constant(size), constant(of)
    if whole is None or not part or whole % part == 0:
        return None
    return Mismatch(Fault.SIZE, axis=dim, left=size, right=of, left_shape=shape, detail="divisible")


@op("torch.nn.functional.pixel_shuffle", "torch.pixel_shuffle")
def pixel_shuffle(input: Tensor, upscale_factor: object) -> AnyValue | Mismatch:
    """``[.. c*r*r h w] -> [.. c h*r w*r]``."""
    factor = size_of(upscale_factor, "factor")
    found = _picture(input)
    if not isinstance(found, tuple) or not factor.terms:
        return found if isinstance(found, Mismatch) else unknown_shape(input)
    channels, height, width = found
    fault = _multiple(input.shape, -3, channels.size, factor * factor)
    if fault is not None:
        return fault
    rest, rows, columns = split_axis(channels, [floordiv(channels.size, factor * factor), factor, factor])
    taller, wider = merged((height, rows), scope()), merged((width, columns), scope())
    return input.reshaped(Shape((*input.shape.axes[:-3], rest, taller, wider)))


@op("torch.nn.functional.pixel_unshuffle", "torch.pixel_unshuffle")
def pixel_unshuffle(input: Tensor, downscale_factor: object) -> AnyValue | Mismatch:
    """``[.. c h*r w*r] -> [.. c*r*r h w]``."""
    factor = size_of(downscale_factor, "factor")
    found = _picture(input)
    if not isinstance(found, tuple) or not factor.terms:
        return found if isinstance(found, Mismatch) else unknown_shape(input)
    channels, height, width = found
    fault = _multiple(input.shape, -2, height.size, factor) or _multiple(input.shape, -1, width.size, factor)
    if fault is not None:
        return fault
    rows, inner_rows = split_axis(height, [floordiv(height.size, factor), factor])
    columns, inner_columns = split_axis(width, [floordiv(width.size, factor), factor])
    more = merged((channels, inner_rows, inner_columns), scope())
    return input.reshaped(Shape((*input.shape.axes[:-3], more, rows, columns)))


@op("torch.nn.functional.channel_shuffle", "torch.channel_shuffle", "torch.native_channel_shuffle")
def channel_shuffle(input: Tensor, groups: object) -> AnyValue | Mismatch:
    """``[n g*c ..] -> [n c*g ..]``."""
    many = size_of(groups, "groups")
    rank = input.shape.rank
    if rank is not None and rank < 3:
        return Mismatch(Fault.RANK, left_shape=input.shape, detail="at least 3")
    channels = input.shape.axis(1)
    if channels is None or isinstance(channels, Mismatch) or not many.terms:
        return channels if isinstance(channels, Mismatch) else unknown_shape(input)
    fault = _multiple(input.shape, 1, channels.size, many)
    if fault is not None:
        return fault
    group, inner = split_axis(channels, [many, floordiv(channels.size, many)])
    return input.reshaped(input.shape.replaced(1, sized(merged((inner, group), scope()), channels.size)))


@module("torch.nn.PixelShuffle")
class PixelShuffle(Module):
    """``[.. c*r*r h w] -> [.. c h*r w*r]``."""

    def __init__(self, upscale_factor: object) -> None:
        self.factor = upscale_factor

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[.. c*r*r h w] -> [.. c h*r w*r]``."""
        return pixel_shuffle(input, self.factor)


@module("torch.nn.PixelUnshuffle")
class PixelUnshuffle(Module):
    """``[.. c h*r w*r] -> [.. c*r*r h w]``."""

    def __init__(self, downscale_factor: object) -> None:
        self.factor = downscale_factor

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[.. c h*r w*r] -> [.. c*r*r h w]``."""
        return pixel_unshuffle(input, self.factor)


@module("torch.nn.ChannelShuffle")
class ChannelShuffle(Module):
    """``[n g*c ..] -> [n c*g ..]``."""

    def __init__(self, groups: object) -> None:
        self.groups = groups

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[n g*c ..] -> [n c*g ..]``."""
        return channel_shuffle(input, self.groups)
