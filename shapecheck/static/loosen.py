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


def loosened(values: Mapping[str, AnyValue]) -> dict[str, AnyValue]:
    """The variables of the surrounding function with flexible sizes."""
    known: dict[Symbol, Dim] = {}
    return {name: _loosen(value, known) for name, value in values.items()}


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
        return Elements(_loosen(value.element, known), length, value.kind)
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
