"""What the function under analysis returns, yields or stores: whoever takes it takes each place for a sample."""

from __future__ import annotations

from shapecheck.rules.silent import handed_out, scores_handed_out
from shapecheck.shapes import AnyValue, current
from shapecheck.static.values import Dictionary, OneOf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.static.frame import Frame


def hand_out(frame: Frame, value: AnyValue) -> None:
    """Let the rules see a value that others get."""
    if frame.depth == 0 and (current().mixing or current().masks):
        _hand_out(value)


def _hand_out(value: AnyValue) -> None:
    if isinstance(value, Dictionary):
        for item in value.items.values():
            _hand_out(item)
    elif isinstance(value, OneOf):
        for option in value.options:
            _hand_out(option)
    else:
        handed_out(value)
        scores_handed_out(value)
