"""Padding of the last axes."""

from __future__ import annotations

from shapecheck.dims import ONE, ZERO
from shapecheck.ops.axes import impossible, sizes_of, text_of, unknown_shape
from shapecheck.ops.registry import Module, module, op
from shapecheck.ops.spatial import resized
from shapecheck.shapes import (
    AnyValue,
    Axis,
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
    from shapecheck.ops.spatial import Options


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
    return padded(input, sizes_of(pad, len(pad.items)), text_of(mode, "constant"))


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
