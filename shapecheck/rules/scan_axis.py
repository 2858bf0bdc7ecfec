"""SC315: a running sum along one axis between two flips along another.

``x.flip(0).cumsum(1).flip(0)`` is ``x.cumsum(1)``: the flips are there to run from the end, so the sum belongs along
their axis. Silent where several axes are flipped, where the same flipped tensor is also summed along the flipped axis
(an integral image, the two ways of one picture), and behind what may move axes.
"""

from __future__ import annotations

from shapecheck.rules.observed import Observed, Trait, here, is_batch, methods, watch
from shapecheck.rules.step_shifts import Turned, flipped_axis
from shapecheck.rules.traits import IN_PLACE, lone_axis, with_trait
from shapecheck.shapes import Axis, Fault, Mismatch, Sequence, Tensor


class Scanned(Trait):
    """Running sums along an axis of what was flipped along another."""

    __slots__ = ("along", "turned")
    kept = IN_PLACE

    def __init__(self, turned: Turned, along: int) -> None:
        super().__init__("scanned", here())
        self.turned = turned
        self.along = along


@watch(*methods("cumsum", "cumprod", "logcumsumexp", "cummax", "cummin"))
def _scan(call: Observed) -> None:
    source, result = call.tensor(0, "input"), call.result
    along = None if source is None else lone_axis(call, source)
    if source is None or along is None or not isinstance(source.mark, Turned):
        return
    turned = source.mark
    if source.shape.axes != turned.shape.axes:
        turned.position = None
    if turned.position is None or along == turned.position:
        turned.position = None
        return
    mark = Scanned(turned, along)
    if isinstance(result, Tensor) and result.mark is None:
        call.result = with_trait(result, mark)
    elif isinstance(result, Sequence) and result.items and isinstance(result.items[0], Tensor):
        values = with_trait(result.items[0], mark)
        call.result = Sequence([values, *result.items[1:]], result.kind, result.fields)


@watch(*methods("flip", "flipud", "fliplr"))
def _flipped_back(call: Observed) -> None:
    source = call.tensor(0, "input")
    scanned = None if source is None else source.mark
    if source is None or not isinstance(scanned, Scanned):
        return
    turned, shape = scanned.turned, scanned.turned.shape
    position = flipped_axis(call, source.shape)
    if position is None or position != turned.position or source.shape.axes != shape.axes:
        return
    flipped, along = shape[position], shape[scanned.along]
    if not isinstance(flipped, Axis) or not isinstance(along, Axis) or (scanned.along == 0 and is_batch(shape)):
        return
    call.suspect(
        Mismatch(
            Fault.SCAN_AXIS, axis=position, other_axis=scanned.along, left=flipped.size, right=along.size,
            left_shape=shape, place=scanned.place,
        )
    )
