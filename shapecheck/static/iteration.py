"""What a loop over a value sees."""

from __future__ import annotations

from shapecheck.dims import Dim
from shapecheck.shapes import (
    AnyValue,
    Axis,
    Constant,
    Opaque,
    Rest,
    Sequence,
    Shape,
    Tensor,
    Unknown,
)
from shapecheck.static.rows import plain
from shapecheck.static.values import (
    Container,
    Dictionary,
    Elements,
)

TYPE_CHECKING = False
if TYPE_CHECKING:

    from shapecheck.static.frame import Frame


def iterate(frame: Frame, value: AnyValue) -> list[AnyValue] | Elements:
    """What a loop over a value sees: known items, or any number of alike ones."""
    value = frame.interpreter.settle(value)
    if isinstance(value, Sequence):
        if not any(isinstance(item, Rest) for item in value.items):
            return list(value.items)  # type: ignore[arg-type]  # no Rest among them
        return Elements(Opaque("a size"))
    if isinstance(value, Elements):
        return value if value.kind != "dict" else Elements(Unknown("a key"))
    if isinstance(value, Container):
        if value.kind == "ModuleDict":
            return [Constant(key) for key in value.items]
        return list(value.items.values())
    if isinstance(value, Dictionary):
        return [Dim.of(key) if type(key) is int else Constant(key) for key in value.items]
    if isinstance(value, Tensor):
        first = value.shape.axis(0) if value.shape.axes else None
        if isinstance(first, Axis):
            return Elements(value.reshaped(Shape(value.shape.axes[1:])), first.size)
        return Elements(value.reshaped(Shape.unknown()))
    if isinstance(value, Opaque):
        return Elements(value.attribute("[]"))
    return Elements(plain(value) if isinstance(value, Unknown) else Unknown("an iterable that is not followed"))
