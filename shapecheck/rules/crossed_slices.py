"""SC302: two pieces, each cut out of the axis that the other one has, meet in all pairs.

``origin[0:1] * direction[:, 0:1]`` of two ``[n, 3]``: one of them is a row, the other a column, and each row meets each
coordinate. Said where both pieces are the same place, of two different tensors, along two axes of which one is a number
(coordinates) or where that place is neither the first nor the last. Silent are a row and a column of one tensor, or of
square ones, and the first row of one grid beside the first column of another.
"""

from __future__ import annotations

from shapecheck.dims import ONE, ZERO, Dim
from shapecheck.rules.observed import Observed, here, methods, watch, watch_marked
from shapecheck.rules.subscripts import sliced_axes
from shapecheck.shapes import (
    NONE,
    AnyValue,
    Axis,
    Fault,
    Mark,
    Mismatch,
    Sequence,
    Shape,
    Slice,
    Tensor,
    scope,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

CUT = "cut"

_PAIRED: Final = (
    *[f"operator.{name}" for name in ("add", "sub", "mul", "truediv", "pow", "lt", "le", "gt", "ge", "eq", "ne")],
    *methods("add", "sub", "subtract", "mul", "multiply", "div", "divide", "true_divide", "pow", "minimum", "maximum",
             "atan2", "arctan2", "hypot"),
)  # fmt: skip
_LOSSES: Final = tuple(
    f"torch.nn.functional.{name}" for name in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss")
)


class Cut(Mark):
    """The mark of an axis of 1 that is a place, ``start``, along the axis ``whole`` of ``source``."""

    __slots__ = ("source", "start", "whole")

    def __init__(self, source: Tensor, whole: Axis, start: Dim) -> None:
        super().__init__(CUT, here())
        self.source = source
        self.whole = whole
        self.start = start


def _marked(result: AnyValue, position: int, source: Tensor, whole: object, start: Dim | None) -> AnyValue:
    """The same piece, whose axis of 1 tells what it was cut out of."""
    if not isinstance(result, Tensor) or start is None or not -len(result.shape) <= position < len(result.shape):
        return result
    axis = result.shape[position]
    if not isinstance(whole, Axis) or not isinstance(axis, Axis) or whole.is_one or not axis.is_one:
        return result
    axes = list(result.shape.axes)
    axes[position] = axis.with_mark(Cut(source, whole, start))
    return Tensor(Shape(axes), result.dtype, result.kind, result.mark)


# -- pieces ------------------------------------------------------------------------------------------------------------


@watch("operator.getitem", "torch.Tensor.__getitem__")
def _subscript(call: Observed) -> None:
    """``x[0:1]``, ``x[..., 0:1]``, ``x[:, [0]]``."""
    source = call.tensor(0)
    if source is None or not isinstance(call.result, Tensor):
        return
    for held, place, entry in sliced_axes(call.argument(1)):
        if -len(source.shape) <= held < len(source.shape):
            call.result = _marked(call.result, place, source, source.shape[held], _place_of(entry))


def _place_of(entry: Slice) -> Dim | None:
    """The first place that a slice takes."""
    if entry.start is None or entry.start == NONE:
        return ZERO
    return entry.start if isinstance(entry.start, Dim) else None


@watch(*methods("narrow"))
def _narrow(call: Observed) -> None:
    source, axes, start = call.tensor(0, "input"), call.axes(1, "dim"), call.argument(2, "start")
    position = source.shape.position(axes[0]) if source is not None and axes is not None else None
    if source is not None and isinstance(position, int) and isinstance(start, Dim) and source.shape.axes:
        call.result = _marked(call.result, position, source, source.shape[position], start)


@watch(*methods("split", "chunk", "tensor_split"))
def _split(call: Observed) -> None:
    """``x, y, z = points.split(1, dim=-1)``."""
    source, axes, parts = call.tensor(0, "input", "tensor"), call.axes(2, "dim"), call.result
    if source is None or not isinstance(parts, Sequence) or not source.shape.axes:
        return
    if axes is None and (len(call.args) > 2 or "dim" in call.kwargs):
        return
    position = source.shape.position(axes[0] if axes else 0)
    if not isinstance(position, int):
        return
    whole, start, items = source.shape[position], ZERO, list[AnyValue]()
    for part in parts.items:
        items.append(_marked(part, position, source, whole, start))  # type: ignore[arg-type]  # a tensor
        axis = part.shape[position] if isinstance(part, Tensor) else None
        start += axis.size if isinstance(axis, Axis) else ONE
    call.result = Sequence(items, parts.kind, parts.fields)


# -- where they meet ---------------------------------------------------------------------------------------------------


@watch_marked(*_PAIRED, *_LOSSES)
def _meet(call: Observed) -> None:
    left, right = call.tensor(0, "input"), call.tensor(1, "other", "target", "exponent")
    if left is None or right is None:
        return
    ones, others = _cuts(left.shape), _cuts(right.shape)
    for behind, cut in ones.items() if others else ():
        for before, other in others.items():
            if before != behind and _cross(cut, _facing(right.shape, behind), other, _facing(left.shape, before)):
                rows = len(left.shape) - behind
                call.suspect(
                    Mismatch(
                        Fault.CROSSED, axis=rows, other_axis=len(right.shape) - before, left=cut.whole.size,
                        right=other.whole.size, left_shape=left.shape, right_shape=right.shape,
                    )
                )
                return


def _cuts(shape: Shape) -> dict[int, Cut]:
    """The axes that are one place of another, by where they stand from the end."""
    found: dict[int, Cut] = {}
    for behind, axis in enumerate(reversed(shape.axes), 1):
        if not isinstance(axis, Axis):
            break
        if isinstance(axis.mark, Cut) and axis.is_one:
            found[behind] = axis.mark
    return found


def _facing(shape: Shape, behind: int) -> Axis | None:
    axis = shape[len(shape) - behind] if behind <= len(shape) else None
    return axis if isinstance(axis, Axis) else None


def _cross(one: Cut, facing: Axis | None, other: Cut, opposite: Axis | None) -> bool:
    """Whether each of two pieces was cut out of the axis that faces it, and both at one place."""
    if facing is None or opposite is None or one.source is other.source:
        return False
    same = scope().equal
    if not same(one.whole.size, facing.size) or not same(other.whole.size, opposite.size):
        return False
    numbers = [scope().normal(size).constant is not None for size in (one.whole.size, other.whole.size)]
    if all(numbers) or same(one.whole.size, other.whole.size) or not same(one.start, other.start):
        return False
    return any(numbers) or one.start not in (ZERO, -ONE)
