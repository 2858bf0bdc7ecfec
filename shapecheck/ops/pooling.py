"""Pooling over spatial axes, and its inverse."""

from __future__ import annotations

from shapecheck.dims import ONE, ZERO, Dim, floordiv
from shapecheck.ops.axes import constant, flag, impossible, is_none, opaque, sizes_of, unknown_shape, wants
from shapecheck.ops.registry import Module, module, op
from shapecheck.ops.spatial import batched, resized
from shapecheck.shapes import AnyValue, Axis, Constant, Fault, Mismatch, Rest, Shape, Tensor, Unknown
from shapecheck.shapes import Sequence as Several

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

    from shapecheck.ops.spatial import Options


def spatial_part(input: Tensor, count: int) -> tuple[Shape, tuple[Axis | Rest, ...]] | Mismatch | None:
    """The axes before the spatial ones and these; the batch may be missing. None where they cannot be told."""
    shape = batched(input, count)
    if isinstance(shape, Mismatch):
        return shape
    if shape is None:
        if input.shape.rest is None or input.shape.rest >= len(input.shape) - count:
            return None
        shape = input.shape
    return Shape(shape.axes[:-count]), shape.axes[-count:]


def pooled_size(
    size: Dim, kernel: Dim | None, stride: Dim | None, padding: Dim | None, dilation: Dim | None, *, ceil: bool
) -> Dim | None:
    """How many windows fit; rounded up, one that would start in the right padding is left out."""
    if kernel is None or stride is None or padding is None or dilation is None or not stride.terms:
        return None
    reach = dilation * (kernel - 1) + 1
    room = size + 2 * padding - reach
    if not ceil:
        return floordiv(room, stride) + 1
    count = floordiv(room + stride - 1, stride) + 1
    numbers = constant(count), constant(stride), constant(size), constant(padding)
    if None not in numbers:
        windows, step, length, before = [number or 0 for number in numbers]
        return Dim.of(windows - 1 if (windows - 1) * step >= length + before else windows)
    over = constant(stride - reach)
    return count if constant(padding) == 0 and over is not None and over <= 0 else None


class Pool:
    """The windows of a pooling."""

    __slots__ = ("ceil", "count", "dilation", "kernel", "padding", "stride")

    def __init__(
        self, count: int, kernel: object, stride: object, padding: object = 0, dilation: object = 1,
        ceil_mode: object = False,
    ) -> None:
        self.count = count
        self.kernel = sizes_of(kernel, count)
        empty = isinstance(stride, Several) and not stride.items
        self.stride = self.kernel if is_none(stride) or empty else sizes_of(stride, count)
        self.padding = sizes_of(padding, count)
        self.dilation = sizes_of(dilation, count)
        self.ceil = flag(ceil_mode, default=False)

    def run(self, input: Tensor) -> Tensor | Mismatch:
        """``[n c *spatial] -> [n c *windows]``."""
        found = spatial_part(input, self.count)
        if found is None:
            return unknown_shape(input)
        if isinstance(found, Mismatch):
            return found
        lead, axes = found
        made: list[Axis] = []
        for place, axis in enumerate(axes):
            window = self.kernel[place], self.stride[place], self.padding[place], self.dilation[place]
            kernel, _, padding, dilation = window
            if kernel is not None and padding is not None and impossible(2 * padding, kernel):
                return Mismatch(
                    Fault.SIZE, axis=place - len(axes), left=padding, right=kernel, left_shape=input.shape,
                    detail="padding",
                )
            if kernel is not None and padding is not None and dilation is not None and impossible(
                dilation * (kernel - 1) + 1, axis.size + 2 * padding
            ):
                return Mismatch(
                    Fault.SIZE, axis=place - len(axes), left=axis.size, right=kernel, left_shape=input.shape,
                    detail="kernel",
                )
            size = None if self.ceil is None else pooled_size(axis.size, *window, ceil=self.ceil)
            made.append(resized(axis, size))
        return input.reshaped(Shape((*lead, *made)))


def with_indices(found: Tensor | Mismatch, wanted: object) -> AnyValue | Mismatch:
    """The result alone, or with the places it was taken from."""
    if isinstance(found, Mismatch):
        return found
    both = flag(wanted, default=False)
    if both is None:
        return Unknown("whether indices are returned is not known")
    return Several([found, Tensor(found.shape, "int", found.kind)]) if both else found


class MaxPool(Module):
    """``[n c *spatial] -> [n c *windows]``."""

    count = 0

    def __init__(
        self, kernel_size: object, stride: object = None, padding: object = 0, dilation: object = 1,
        return_indices: object = False, ceil_mode: object = False,
    ) -> None:
        self.pool = Pool(self.count, kernel_size, stride, padding, dilation, ceil_mode)
        self.indices = return_indices

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[n c *spatial] -> [n c *windows]``."""
        return with_indices(self.pool.run(input), self.indices)


class AvgPool(Module):
    """``[n c *spatial] -> [n c *windows]``."""

    count = 0

    def __init__(
        self, kernel_size: object, stride: object = None, padding: object = 0, ceil_mode: object = False,
        count_include_pad: object = None, divisor_override: object = None,
    ) -> None:
        self.pool = Pool(self.count, kernel_size, stride, padding, 1, ceil_mode)

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[n c *spatial] -> [n c *windows]``."""
        return self.pool.run(input)


class LPPool(Module):
    """``[n c *spatial] -> [n c *windows]``."""

    count = 0

    def __init__(
        self, norm_type: object, kernel_size: object, stride: object = None, ceil_mode: object = False
    ) -> None:
        self.pool = Pool(self.count, kernel_size, stride, 0, 1, ceil_mode)

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[n c *spatial] -> [n c *windows]``."""
        return self.pool.run(input)


# -- to a given size -------------------------------------------------------------------------------------------------


def adapted(input: Tensor, count: int, output_size: object) -> Tensor | Mismatch:
    """``[n c *spatial] -> [n c *output_size]``; None keeps an axis."""
    found = spatial_part(input, count)
    if found is None:
        return unknown_shape(input)
    if isinstance(found, Mismatch):
        return found
    lead, axes = found
    if isinstance(output_size, Several) and not output_size.items:
        return Mismatch(Fault.RANK, left_shape=input.shape, detail=f"{count} output sizes")
    kept = [False] * count
    if is_none(output_size):
        kept = [True] * count
    elif isinstance(output_size, Several) and len(output_size.items) == count:
        kept = [is_none(item) for item in output_size.items]
    sizes = sizes_of(output_size, count)
    for size in sizes:
        if size is not None and (constant(size) or 0) < 0:
            return Mismatch(Fault.SIZE, left=size, right=ZERO, left_shape=input.shape, detail="negative")
    made = [
        axis if keep else resized(axis, size) for axis, keep, size in zip(axes, kept, sizes, strict=True)
    ]
    return input.reshaped(Shape((*lead, *made)))


def averaged(input: Tensor, count: int, output_size: object) -> Tensor | Mismatch:
    """``adapted``, but that torch takes a mere ``[*spatial]`` where all of it is averaged."""
    if count > 1 and input.shape.rank == count and all(size == ONE for size in sizes_of(output_size, count)):
        return input.reshaped(Shape([axis.resized(ONE) for axis in input.shape.known]))
    return adapted(input, count, output_size)


class AdaptiveMaxPool(Module):
    """``[n c *spatial] -> [n c *output_size]``."""

    count = 0

    def __init__(self, output_size: object, return_indices: object = False) -> None:
        self.output_size, self.indices = output_size, return_indices

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[n c *spatial] -> [n c *output_size]``."""
        return with_indices(adapted(input, self.count, self.output_size), self.indices)


class AdaptiveAvgPool(AdaptiveMaxPool):
    """``[n c *spatial] -> [n c *output_size]``."""

    def __init__(self, output_size: object) -> None:
        super().__init__(output_size)

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[n c *spatial] -> [n c *output_size]``."""
        return averaged(input, self.count, self.output_size)


class FractionalMaxPool(Module):
    """``[n c *spatial] -> [n c *output_size]``."""

    count = 0

    def __init__(
        self, kernel_size: object, output_size: object = None, output_ratio: object = None,
        return_indices: object = False, _random_samples: object = None,
    ) -> None:
        self.output_size, self.ratio, self.indices = output_size, output_ratio, return_indices

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[n c *spatial] -> [n c *output_size]``."""
        return with_indices(_fractional(input, self.count, self.output_size, self.ratio), self.indices)


def _fractional(input: Tensor, count: int, output_size: object, ratio: object) -> Tensor | Mismatch:
    return adapted(input, count, opaque("fraction") if is_none(output_size) else output_size)


# -- the inverse -----------------------------------------------------------------------------------------------------


def unpooled(
    input: Tensor, count: int, window: tuple[Options, Options, Options], output_size: object
) -> Tensor | Mismatch:
    """``[n c *windows] -> [n c *spatial]``."""
    if isinstance(output_size, Several) and len(output_size.items) > count:
        output_size = Several(output_size.items[-count:])
    if not is_none(output_size):
        return adapted(input, count, output_size)
    found = spatial_part(input, count)
    if found is None:
        return unknown_shape(input)
    if isinstance(found, Mismatch):
        return found
    lead, axes = found
    made = [
        resized(
            axis,
            None if kernel is None or stride is None or padding is None
            else (axis.size - 1) * stride - 2 * padding + kernel,
        )
        for axis, kernel, stride, padding in zip(axes, *window, strict=True)
    ]
    return input.reshaped(Shape((*lead, *made)))


def _places_fit(input: Tensor, indices: Tensor) -> Mismatch | None:
    """Whether there is one place for each element."""
    if input.shape.rest is not None or indices.shape.rest is not None:
        return None
    if len(input.shape) != len(indices.shape):
        return Mismatch(Fault.RANK, left_shape=indices.shape, right_shape=input.shape, detail=str(len(input.shape)))
    for place, axis in enumerate(input.shape.known):
        fault = wants(indices.shape, place, axis.size)
        if fault is not None:
            return fault
    return None


class MaxUnpool(Module):
    """``[n c *windows], [n c *windows] -> [n c *spatial]``."""

    count = 0

    def __init__(self, kernel_size: object, stride: object = None, padding: object = 0) -> None:
        pool = Pool(self.count, kernel_size, stride, padding)
        self.window = pool.kernel, pool.stride, pool.padding

    def forward(self, input: Tensor, indices: Tensor, output_size: object = None) -> AnyValue | Mismatch:
        """``[n c *windows], [n c *windows] -> [n c *spatial]``."""
        fault = _places_fit(input, indices)
        return fault if fault is not None else unpooled(input, self.count, self.window, output_size)


# -- one of each for one, two and three axes -------------------------------------------------------------------------

BASES: Final[Sequence[type[Module]]] = (
    MaxPool, AvgPool, LPPool, AdaptiveMaxPool, AdaptiveAvgPool, FractionalMaxPool, MaxUnpool
)


def _register(count: int) -> None:
    """The modules and functions that pool over so many axes."""
    for base in BASES:
        if base is not FractionalMaxPool or count > 1:
            made = type(f"{base.__name__}{count}d", (base,), {"count": count, "__doc__": base.__doc__})
            module(f"torch.nn.{made.__name__}")(made)

    functional = "torch.nn.functional."

    @op(f"{functional}max_pool{count}d")
    def max_pool(
        input: Tensor, kernel_size: object, stride: object = None, padding: object = 0, dilation: object = 1,
        ceil_mode: object = False, return_indices: object = False,
    ) -> AnyValue | Mismatch:
        return with_indices(Pool(count, kernel_size, stride, padding, dilation, ceil_mode).run(input), return_indices)

    @op(f"torch.max_pool{count}d")
    def plain_max_pool(
        input: Tensor, kernel_size: object, stride: object = None, padding: object = 0, dilation: object = 1,
        ceil_mode: object = False,
    ) -> AnyValue | Mismatch:
        return Pool(count, kernel_size, stride, padding, dilation, ceil_mode).run(input)

    @op(f"{functional}max_pool{count}d_with_indices")
    def max_pool_with_indices(
        input: Tensor, kernel_size: object, stride: object = None, padding: object = 0, dilation: object = 1,
        ceil_mode: object = False, return_indices: object = False,
    ) -> AnyValue | Mismatch:
        found = Pool(count, kernel_size, stride, padding, dilation, ceil_mode).run(input)
        return with_indices(found, Constant(value=True))

    @op(f"{functional}avg_pool{count}d", *(["torch.avg_pool1d"] if count == 1 else ()))
    def avg_pool(
        input: Tensor, kernel_size: object, stride: object = None, padding: object = 0, ceil_mode: object = False,
        count_include_pad: object = None, divisor_override: object = None,
    ) -> AnyValue | Mismatch:
        return Pool(count, kernel_size, stride, padding, 1, ceil_mode).run(input)

    @op(f"{functional}lp_pool{count}d")
    def lp_pool(
        input: Tensor, norm_type: object, kernel_size: object, stride: object = None, ceil_mode: object = False
    ) -> AnyValue | Mismatch:
        return Pool(count, kernel_size, stride, 0, 1, ceil_mode).run(input)

    @op(f"{functional}adaptive_avg_pool{count}d", *(["torch.adaptive_avg_pool1d"] if count == 1 else ()))
    def adaptive_avg_pool(input: Tensor, output_size: object) -> AnyValue | Mismatch:
        return averaged(input, count, output_size)

    @op(f"{functional}adaptive_max_pool{count}d")
    def adaptive_max_pool(
        input: Tensor, output_size: object, return_indices: object = False
    ) -> AnyValue | Mismatch:
        return with_indices(adapted(input, count, output_size), return_indices)

    @op(f"{functional}max_unpool{count}d")
    def max_unpool(
        input: Tensor, indices: Tensor, kernel_size: object, stride: object = None, padding: object = 0,
        output_size: object = None,
    ) -> AnyValue | Mismatch:
        pool = Pool(count, kernel_size, stride, padding)
        window = pool.kernel, pool.stride, pool.padding
        fault = _places_fit(input, indices)
        return fault if fault is not None else unpooled(input, count, window, output_size)

    if count > 1:
        @op(f"{functional}fractional_max_pool{count}d")
        def fractional_max_pool(
            input: Tensor, kernel_size: object, output_size: object = None, output_ratio: object = None,
            return_indices: object = False, _random_samples: object = None,
        ) -> AnyValue | Mismatch:
            return with_indices(_fractional(input, count, output_size, output_ratio), return_indices)


for _count in (1, 2, 3):
    _register(_count)


