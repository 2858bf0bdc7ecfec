"""What a nested function sees of its surroundings: shapes whose axis names are those of another function.

Nested functions have axis names of their own. A size captured from outside may be any of them, so its rigid symbols
become flexible ones, the same for the same symbol.
"""

from __future__ import annotations

from shapecheck.dims import Dim, Kind, Symbol
from shapecheck.shapes import AnyValue, Axis, Rest, Sequence, Shape, Tensor
from shapecheck.static.values import Elements, OneOf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


MAX_TAKEN = 50
"""Items of one list, taken out at places that are not known, whose changes are followed."""
_UNKNOWN_PLACE = "an unknown place"


def loosened(values: Mapping[str, AnyValue]) -> dict[str, AnyValue]:
    """The variables of the surrounding function with flexible sizes."""
    known: dict[Symbol, Dim] = {}
    return {name: _loosen(value, known) for name, value in values.items()}


def take(elements: Elements, key: object = None) -> AnyValue:
    """An item: the sizes that each item has for itself are new; the same again at the same constant place."""
    if not elements.own:
        return elements.element
    found = None if key is None else elements.taken.get(key)
    if found is None:
        place = "" if key is None else f"[{key}]"
        sizes = {symbol: Dim.of(Symbol(f"{symbol.name}{place}", Kind.FLEXIBLE)) for symbol in elements.own}
        found = _renamed(elements.element, sizes)
        if key is not None:
            elements.taken[key] = found
        elif len(elements.taken) < MAX_TAKEN:
            elements.taken[_UNKNOWN_PLACE, len(elements.taken)] = found
    return found


def is_unknown_place(key: object) -> bool:
    """Whether an item was taken out at a place that is not known."""
    return isinstance(key, tuple) and key[:1] == (_UNKNOWN_PLACE,)


def own_sizes(value: AnyValue, but: frozenset[Symbol]) -> frozenset[Symbol]:
    """The flexible sizes inside a declared item, except those that are bound outside of it."""
    found: set[Symbol] = set()
    waiting: list[AnyValue | Rest] = [value]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Dim):
            found.update(a for a in part.atoms if isinstance(a, Symbol) and a.kind is Kind.FLEXIBLE and a not in but)
        elif isinstance(part, Tensor):
            waiting += [axis.size for axis in part.shape if isinstance(axis, Axis)]
        elif isinstance(part, Sequence):
            waiting += part.items
        elif isinstance(part, OneOf):
            waiting += part.options
        elif isinstance(part, Elements):
            waiting.append(part.element)
    return frozenset(found)


def _renamed(value: AnyValue, sizes: dict[Symbol, Dim]) -> AnyValue:
    if isinstance(value, Dim):
        return value.substitute(sizes)
    if isinstance(value, Tensor):
        return value.reshaped(Shape([_renamed_axis(axis, sizes) for axis in value.shape]))
    if isinstance(value, Sequence):
        items = [item if isinstance(item, Rest) else _renamed(item, sizes) for item in value.items]
        return Sequence(items, value.kind, value.fields)
    if isinstance(value, Elements):
        return Elements(_renamed(value.element, sizes), value.length, value.kind, value.own - sizes.keys())
    if isinstance(value, OneOf):
        return OneOf(tuple([_renamed(option, sizes) for option in value.options]))
    return value


def _renamed_axis(axis: Axis | Rest, sizes: dict[Symbol, Dim]) -> Axis | Rest:
    if isinstance(axis, Rest) or not any(atom in sizes for atom in axis.size.atoms):
        return axis
    return Axis.of(axis.size.substitute(sizes), axis.origin)


def _loosen(value: AnyValue, known: dict[Symbol, Dim]) -> AnyValue:
    if isinstance(value, Dim):
        return _size(value, known)
    if isinstance(value, Tensor):
        return value.reshaped(Shape([_axis(axis, known) for axis in value.shape]))
    if isinstance(value, Sequence):
        items = [item if isinstance(item, Rest) else _loosen(item, known) for item in value.items]
        return Sequence(items, value.kind, value.fields)
    if isinstance(value, Elements):
        length = None if value.length is None else _size(value.length, known)
        return Elements(_loosen(value.element, known), length, value.kind, value.own)
    if isinstance(value, OneOf):
        return OneOf(tuple([_loosen(option, known) for option in value.options]))
    return value


def _size(size: Dim, known: dict[Symbol, Dim]) -> Dim:
    for atom in size.atoms:
        if isinstance(atom, Symbol) and atom.kind is Kind.RIGID and atom not in known:
            known[atom] = Dim.of(Symbol(atom.name, Kind.FLEXIBLE))
    return size.substitute(known)


def _axis(axis: Axis | Rest, known: dict[Symbol, Dim]) -> Axis | Rest:
    if isinstance(axis, Rest):
        return Rest()
    return Axis.of(_size(axis.size, known), axis.origin)
