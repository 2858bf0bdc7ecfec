"""Convolution, pooling, padding, resizing and unfolding over spatial axes, with symbolic output sizes."""

from __future__ import annotations

from shapecheck.dims import ONE, Dim, floordiv
from shapecheck.ops.axes import (
    constant,
    flag,
    impossible,
    is_none,
    of_rank,
    opaque,
    size_of,
    sized,
    sizes_of,
    unknown_shape,
    wants,
)
from shapecheck.ops.registry import Module, module, op
from shapecheck.shapes import (
    NONE,
    AnyValue,
    Axis,
    Constant,
    Fault,
    Mismatch,
    Rest,
    Shape,
    Tensor,
    Unknown,
)
from shapecheck.shapes import Sequence as Several

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Options = list[Dim | None]


# -- sizes -----------------------------------------------------------------------------------------------------------


def slid(size: Dim, kernel: Dim | None, stride: Dim | None, padding: Dim | None, dilation: Dim | None) -> Dim | None:
    """How often a window fits: ``(n + 2*p - d*(k-1) - 1)//s + 1``."""
    if kernel is None or stride is None or padding is None or dilation is None or not stride.terms:
        return None
    return floordiv(size + 2 * padding - dilation * (kernel - 1) - 1, stride) + 1


def spread(size: Dim, kernel: Dim | None, stride: Dim | None, padding: Dim | None, dilation: Dim | None,
           extra: Dim | None) -> Dim | None:
    """The inverse: ``(n-1)*s - 2*p + d*(k-1) + extra + 1``."""
    if kernel is None or stride is None or padding is None or dilation is None or extra is None:
        return None
    return (size - 1) * stride - 2 * padding + dilation * (kernel - 1) + extra + 1


def resized(axis: Axis | Rest, size: Dim | None) -> Axis:
    """An axis after a window has been slid along it."""
    if isinstance(axis, Rest) or size is None:
        return Axis.unfollowed(opaque("spatial"))
    return sized(axis, size)


def batched(input: Tensor, spatial: int, *, channels: bool = True) -> Shape | Mismatch | None:
    """The shape with a batch axis or without one; None where its rank is not known."""
    lead = 1 + channels
    rank = input.shape.rank
    if rank is None:
        return None
    if rank not in {spatial + lead - 1, spatial + lead}:
        return Mismatch(Fault.RANK, left_shape=input.shape, detail=f"{spatial + lead - 1} or {spatial + lead}")
    return input.shape


# -- convolution -----------------------------------------------------------------------------------------------------


class Window:
    """Kernel, stride, padding and dilation along each spatial axis."""

    __slots__ = ("dilation", "extra", "kernel", "padding", "same", "stride")

    def __init__(self, count: int, kernel: Options, stride: object, padding: object, dilation: object,
                 extra: object = 0) -> None:
        self.kernel = kernel
        self.stride = sizes_of(stride, count)
        self.same = isinstance(padding, Constant) and padding.value == "same"
        valid = isinstance(padding, Constant) and padding.value == "valid"
        self.padding = sizes_of(0 if valid else padding, count)
        self.dilation = sizes_of(dilation, count)
        self.extra = sizes_of(extra, count)

    def convolved(self, shape: Shape, axes: Sequence[Axis | Rest], *, transposed: bool) -> list[Axis] | Mismatch:
        """The spatial axes after the convolution."""
        if self.same:
            return [axis if isinstance(axis, Axis) else Axis.unfollowed(opaque("spatial")) for axis in axes]
        made: list[Axis] = []
        parts = zip(self.kernel, self.stride, self.padding, self.dilation, self.extra, strict=True)
        for place, (axis, (kernel, stride, padding, dilation, extra)) in enumerate(zip(axes, parts, strict=True)):
            size: Dim | None
            if transposed:
                size = spread(axis.size, kernel, stride, padding, dilation, extra)
            else:
                size = slid(axis.size, kernel, stride, padding, dilation)
                if kernel is not None and padding is not None and dilation is not None and impossible(
                    dilation * (kernel - 1) + 1, axis.size + 2 * padding
                ):
                    return Mismatch(
                        Fault.SIZE, axis=place - len(axes), left=axis.size, right=kernel, left_shape=shape,
                        detail="kernel",
                    )
            found = resized(axis, size)
            made.append(found if found is axis or size is None else found.windowed(size))
        return made


def convolved(
    input: Tensor, count: int, channels: Dim, out: Axis, window: Window, *, transposed: bool
) -> AnyValue | Mismatch:
    """``[n c *spatial] -> [n out *spatial]``; the batch may be missing."""
    shape = batched(input, count)
    if isinstance(shape, Mismatch):
        return shape
    if shape is None:
        if len(input.shape) - 1 < count + 1 or (input.shape.rest or 0) > 0:
            return unknown_shape(input)
        shape = input.shape
    fault = wants(shape, -count - 1, channels)
    if fault is not None:
        return fault
    axes = window.convolved(shape, shape.axes[-count:], transposed=transposed)
    if isinstance(axes, Mismatch):
        return axes
    return input.reshaped(Shape((*shape.axes[: -count - 1], out, *axes)))


class Conv(Module):
    """A convolution over ``count`` axes."""

    count = 0
    transposed = False

    def __init__(
        self, in_channels: object, out_channels: object, kernel_size: object, stride: object = 1,
        padding: object = 0, dilation: object = 1, groups: object = 1, bias: object = True,
        padding_mode: object = None, device: object = None, dtype: object = None,
    ) -> None:
        self._make(in_channels, out_channels, kernel_size, groups, bias)
        self.window = Window(self.count, self.kernel, stride, padding, dilation)

    def _make(self, inputs: object, outputs: object, kernel: object, groups: object, bias: object) -> None:
        self.inputs, self.outputs = size_of(inputs, "in_channels"), size_of(outputs, "out_channels")
        self.kernel = sizes_of(kernel, self.count)
        self.groups = size_of(groups, "groups")
        self.bias = flag(bias, default=True)
        for channels in (self.inputs, self.outputs):
            whole, part = constant(channels), constant(self.groups)
            if whole is not None and part and whole % part:
                self.fault = Mismatch(Fault.SIZE, left=channels, right=self.groups, detail="divisible")

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[n c ..] -> [n out ..]``."""
        return convolved(
            input, self.count, self.inputs, Axis.features(self.outputs), self.window, transposed=self.transposed
        )

    def attributes(self) -> dict[str, AnyValue]:
        """Weight ``[out c/groups *kernel]`` (transposed: ``[c out/groups *kernel]``), bias ``[out]``."""
        first, second = (self.inputs, self.outputs) if self.transposed else (self.outputs, self.inputs)
        found: dict[str, AnyValue] = {
            "in_channels": self.inputs, "out_channels": self.outputs, "groups": self.groups
        }
        for name, sizes in (("stride", self.window.stride), ("dilation", self.window.dilation)):
            known = [size for size in sizes if size is not None]
            if len(known) == self.count:
                found[name] = Several(known)
        kernel = [size for size in self.kernel if size is not None]
        if len(kernel) == self.count and self.groups.terms:
            found["weight"] = Tensor(Shape.of(first, floordiv(second, self.groups), *kernel), "float")
            found["kernel_size"] = Several(kernel)
        if self.bias is not None:
            found["bias"] = Tensor(Shape.of(self.outputs), "float") if self.bias else NONE
        return found


class ConvTranspose(Conv):
    """A transposed convolution over ``count`` axes."""

    transposed = True

    def __init__(
        self, in_channels: object, out_channels: object, kernel_size: object, stride: object = 1,
        padding: object = 0, output_padding: object = 0, groups: object = 1, bias: object = True,
        dilation: object = 1, padding_mode: object = None, device: object = None, dtype: object = None,
    ) -> None:
        self._make(in_channels, out_channels, kernel_size, groups, bias)
        self.window = Window(self.count, self.kernel, stride, padding, dilation, output_padding)

    def forward(self, input: Tensor, output_size: object = None) -> AnyValue | Mismatch:
        """``[n c ..] -> [n out ..]``."""
        found = super().forward(input)
        if is_none(output_size) or not isinstance(found, Tensor):
            return found
        wanted = sizes_of(output_size, self.count) if isinstance(output_size, Several) else [None] * self.count
        if isinstance(output_size, Several) and len(output_size.items) > self.count:
            wanted = sizes_of(Several(output_size.items[-self.count :]), self.count)
        lead = found.shape.axes[: len(found.shape) - self.count]
        return found.reshaped(
            Shape((*lead, *[Axis.unfollowed(opaque("spatial") if size is None else size) for size in wanted]))
        )


def _lazy(base: type[Conv], name: str) -> None:
    class Lazy(base):  # type: ignore[valid-type, misc]  # one of the two above
        def __init__(self, out_channels: object, kernel_size: object, *args: object, **kwargs: object) -> None:
            super().__init__(Unknown("the first call determines it"), out_channels, kernel_size, *args, **kwargs)

    Lazy.__doc__ = base.__doc__
    module(name)(Lazy)


for _count in (1, 2, 3):
    for _base in (Conv, ConvTranspose):
        _name = f"{_base.__name__}{_count}d"
        _class = type(_name, (_base,), {"count": _count, "__doc__": _base.__doc__})
        module(f"torch.nn.{_name}")(_class)
        _lazy(_class, f"torch.nn.Lazy{_name}")


def _functional(
    input: Tensor, weight: Tensor, bias: Tensor | None, window: tuple[object, ...], groups: object, count: int, *,
    transposed: bool,
) -> AnyValue | Mismatch:
    table = of_rank(weight.shape, count + 2)
    if table is None:
        return Mismatch(Fault.RANK, left_shape=weight.shape, detail=str(count + 2))
    first, second, *kernel = table.axes
    if isinstance(first, Rest) or isinstance(second, Rest):
        return unknown_shape(input)
    many = size_of(groups, "groups")
    channels, out = second.size * many, first
    if transposed:
        channels, out = first.size, second if many == ONE else Axis.of(second.size * many)
    if bias is not None:
        fault = wants(bias.shape, 0, out.size)
        if fault is not None:
            return fault
    options: Options = [axis.size for axis in kernel]
    return convolved(input, count, channels, out, Window(count, options, *window), transposed=transposed)


def _register(count: int) -> None:
    @op(f"torch.nn.functional.conv{count}d", f"torch.conv{count}d")
    def conv(
        input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: object = 1, padding: object = 0,
        dilation: object = 1, groups: object = 1,
    ) -> AnyValue | Mismatch:
        return _functional(input, weight, bias, (stride, padding, dilation), groups, count, transposed=False)

    @op(f"torch.nn.functional.conv_transpose{count}d", f"torch.conv_transpose{count}d")
    def conv_transpose(
        input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: object = 1, padding: object = 0,
        output_padding: object = 0, groups: object = 1, dilation: object = 1,
    ) -> AnyValue | Mismatch:
        return _functional(
            input, weight, bias, (stride, padding, dilation, output_padding), groups, count, transposed=True
        )


for _count in (1, 2, 3):
    _register(_count)
