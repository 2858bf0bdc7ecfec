"""What code writes into a tensor, the marks that tell of its numbers do not know of."""

from __future__ import annotations

from shapecheck.rules.grid_axes import Coordinates
from shapecheck.rules.indices import Columns, Index
from shapecheck.shapes import Axis, Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.shapes import AnyValue


def forget(value: AnyValue) -> None:
    """Something is written into a tensor: what it and its views hold is not known any more."""
    if not isinstance(value, Tensor):
        return
    value.tally = None
    if isinstance(value.mark, Index):
        value.mark.terms = ()
    elif isinstance(value.mark, Columns):
        value.mark.indices = None
    for axis in value.shape.axes:
        if isinstance(axis, Axis) and isinstance(axis.mark, Coordinates):
            axis.mark.along, axis.mark.spreads = [], []
