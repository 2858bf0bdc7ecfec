"""Items of abstract values."""

from __future__ import annotations

import ast

from shapecheck.dims import Dim
from shapecheck.shapes import (
    NONE,
    AnyValue,
    Constant,
    Fault,
    Mismatch,
    Opaque,
    Rest,
    Sequence,
    Slice,
    Tensor,
    Unknown,
)
from shapecheck.static.attributes import of_options
from shapecheck.static.joins import elements_of, join, one_of
from shapecheck.static.loosen import take
from shapecheck.static.values import (
    ClassValue,
    Container,
    Dictionary,
    Elements,
    External,
    Instance,
    OneOf,
)

TYPE_CHECKING = False
if TYPE_CHECKING:

    from shapecheck.static.frame import Frame


def item_of(frame: Frame, owner: AnyValue, index: AnyValue, node: ast.AST) -> AnyValue:
    """An item of a value."""
    if isinstance(owner, Tensor):
        return frame.interpreter.apply(frame, node, "operator.getitem", [owner, index], {}, "indexing")
    if isinstance(owner, Sequence):
        if _is_beyond(owner, index):
            length = Dim.of(len(owner.items))
            return frame.report(node, Mismatch(Fault.INDEX, left=length, right=index, detail=_kind_of(node)))  # type: ignore[arg-type]  # a Dim
        return _sequence_item(owner, index)
    if isinstance(owner, Elements):
        if isinstance(index, Slice):
            return Elements(owner.element, None, owner.kind, owner.own)
        return take(owner, frame.interpreter.key(index))
    if isinstance(owner, Container):
        return _container_item(owner, index)
    if isinstance(owner, Dictionary):
        key = frame.interpreter.key(index)
        if key is not None and key in owner.items:
            return owner.items[key]
        return Unknown("a key that is not known")
    if isinstance(owner, Opaque):
        key = frame.interpreter.key(index)
        return owner.attribute(f"[{key!r}]") if key is not None else Unknown("an item of an unknown object")
    if isinstance(owner, OneOf):
        known = [option for option in owner.options if option != NONE]
        if known:
            return of_options(frame, known, lambda option: item_of(frame, option, index, node))
    if isinstance(owner, Instance):
        return frame.interpreter.call_method(frame, owner, "__getitem__", [index], node)
    if isinstance(owner, (External, ClassValue)):
        # A generic class with its parameters: `Generic[T]`, `Tensor["..."]`.
        return owner
    return Unknown(owner.why if isinstance(owner, Unknown) else "an item that is not followed")


def _is_beyond(owner: Sequence, index: AnyValue) -> bool:
    """Whether a tuple of known length has no item of that number."""
    if owner.kind != "tuple" or not isinstance(index, Dim) or any(isinstance(item, Rest) for item in owner.items):
        return False
    position = index.constant
    return position is not None and not -len(owner.items) <= position < len(owner.items)


def _kind_of(node: ast.AST) -> str:
    owner = node.value if isinstance(node, ast.Subscript) else None
    return "shape" if isinstance(owner, ast.Attribute) and owner.attr == "shape" else "tuple"


def _sequence_item(owner: Sequence, index: AnyValue) -> AnyValue:
    items = owner.items
    rest = next((n for n, item in enumerate(items) if isinstance(item, Rest)), None)
    if isinstance(index, Slice):
        return _sequence_slice(owner, index, rest)
    if isinstance(index, Constant) and owner.fields is not None and index.value in owner.fields:
        named = items[owner.fields.index(index.value)]
        return Unknown("the number of axes is not known") if isinstance(named, Rest) else named
    position = index.constant if isinstance(index, Dim) else None
    if position is None:
        found: AnyValue | None = None
        for item in elements_of(owner):
            found = item if found is None else join(found, item)
        return found if found is not None else Unknown("an item of an empty sequence")
    if rest is not None:
        if not (0 <= position < rest or (position < 0 and len(items) + position > rest)):
            return Unknown("the number of axes is not known")
    elif not -len(items) <= position < len(items):
        return Unknown("an index beyond the end of a sequence")
    chosen = items[position]
    return Unknown("the number of axes is not known") if isinstance(chosen, Rest) else chosen


def _sequence_slice(owner: Sequence, index: Slice, rest: int | None) -> AnyValue:
    bounds: list[int | None] = []
    for bound in (index.start, index.stop, index.step):
        if bound is None or bound == NONE:
            bounds.append(None)
        elif isinstance(bound, Dim) and bound.constant is not None:
            bounds.append(bound.constant)
        else:
            return Unknown("a slice with unknown bounds")
    start, stop, step = bounds
    if rest is not None:
        # Bounds may only count from the side on which they stand.
        length = len(owner.items)
        if step not in {None, 1}:
            return Unknown("the number of axes is not known")
        if start is not None and not (0 <= start <= rest or (start < 0 and length + start > rest)):
            return Unknown("the number of axes is not known")
        if stop is not None and not (0 <= stop <= rest or (stop < 0 and length + stop >= rest + 1)):
            return Unknown("the number of axes is not known")
    return Sequence(owner.items[start:stop:step], owner.kind)


def _container_item(owner: Container, index: AnyValue) -> AnyValue:
    values = list(owner.items.values())
    if isinstance(index, Constant) and isinstance(index.value, str):
        return owner.items.get(index.value, Unknown("a module that is not known"))
    if isinstance(index, Dim) and index.constant is not None and -len(values) <= index.constant < len(values):
        return values[index.constant]
    if isinstance(index, Slice):
        found = _sequence_slice(Sequence(values, "list"), index, None)
        if isinstance(found, Sequence):
            return Container(owner.kind, {str(n): item for n, item in enumerate(found.items)})  # type: ignore[misc]
        return found
    return one_of(values) if values else Unknown("an item of an empty container")
