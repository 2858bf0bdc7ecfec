"""SC309: ``squeeze()`` without an axis also drops a batch of one.

Only where one axis is known to be 1, so that the one meant is certain, and another is a batch axis by its name.
"""

from __future__ import annotations

from shapecheck.rules.observed import Observed, is_batch, methods, watch
from shapecheck.shapes import Axis, Fault, Mismatch


@watch(*methods("squeeze"))
def _squeeze(call: Observed) -> None:
    source = call.tensor(0, "input")
    if source is None or call.argument(1, "dim") is not None or source.shape.rank is None:
        return
    ones = [position for position, axis in enumerate(source.shape) if isinstance(axis, Axis) and axis.is_one]
    if len(ones) == 1 and is_batch(source.shape, 0 if ones[0] else 1):
        axis = source.shape[0 if ones[0] else 1]
        size = axis.size if isinstance(axis, Axis) else None
        call.suspect(Mismatch(Fault.SQUEEZE_BATCH, axis=ones[0], left=size, left_shape=source.shape))
