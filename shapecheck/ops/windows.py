"""Windows as columns, and moving elements between channels and spatial axes."""

from __future__ import annotations

from shapecheck.dims import ONE, Dim, No, floordiv
from shapecheck.ops.axes import constant, impossible, opaque, size_of, sized, sizes_of, unknown_shape
from shapecheck.ops.registry import Module, module, op
from shapecheck.ops.spatial import batched, slid
from shapecheck.shapes import (
    AnyValue,
    Axis,
    Fault,
    Mismatch,
    Shape,
    Tensor,
    merged,
    require,
    scope,
    split_axis,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapecheck.ops.spatial import Options


# -- windows as columns ------------------------------------------------------------------------------------------------


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


# -- between channels and space ----------------------------------------------------------------------------------------


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
