"""What a branch solved, written into its values before it meets the others.

A size that only one branch determined is unknown again where branches meet; the value itself has that size all the
same.
"""

from __future__ import annotations

from shapecheck.dims import Dim, Kind, Symbol
from shapecheck.shapes import AnyValue, Axis, Factor, Rest, Sequence, Shape, Tensor
from shapecheck.static.values import Elements, OneOf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Sequence as Sequence_

    from shapecheck.dims import Scope


def settled(
    values: Mapping[str, AnyValue], branch: Scope, common: Scope, tables: Sequence_[Mapping[str, AnyValue]]
) -> Mapping[str, AnyValue]:
    """The variables of a branch, in terms of what is known in common with the others.

    A declared axis name stays where all that one branch knows of it is another unknown (``i == t - 1``). A variable
    that is the same in the ``tables`` of all branches stays what it is: ``n`` is ``n`` also behind ``if n == 1``.
    """
    known: dict[Symbol, Dim] = {}
    for solution in branch.solutions:
        if common.solution(solution.symbol) is None:
            value = branch.normal(Dim.of(solution.symbol))
            if solution.symbol.kind is not Kind.RIGID or not _has_unknown(value):
                known[solution.symbol] = value
    if not known:
        return values
    return {
        name: value if all(table.get(name) is value for table in tables) else _settle(value, known)
        for name, value in values.items()
    }


def _has_unknown(size: Dim) -> bool:
    return any(isinstance(atom, Symbol) and atom.kind is Kind.OPAQUE for atom in size.atoms)


def _settle(value: AnyValue, known: Mapping[Symbol, Dim]) -> AnyValue:
    if isinstance(value, Dim):
        return value.substitute(known)
    if isinstance(value, Tensor):
        axes = [_settle_axis(axis, known) for axis in value.shape]
        same = all(one is other for one, other in zip(axes, value.shape, strict=True))
        return value if same else Tensor(Shape(axes), value.dtype, value.kind, value.mark)
    if isinstance(value, Sequence) and value.kind == "tuple":
        items = [item if isinstance(item, Rest) else _settle(item, known) for item in value.items]
        same = all(one is other for one, other in zip(items, value.items, strict=True))
        return value if same else Sequence(items, value.kind, value.fields)
    if isinstance(value, Elements):
        element = _settle(value.element, known)
        if element is not value.element:
            return Elements(element, value.length, value.kind, value.own)
    if isinstance(value, OneOf):
        options = tuple([_settle(option, known) for option in value.options])
        same = all(one is other for one, other in zip(options, value.options, strict=True))
        return value if same else OneOf(options)
    return value


def _settle_axis(axis: Axis | Rest, known: Mapping[Symbol, Dim]) -> Axis | Rest:
    if isinstance(axis, Rest) or not any(atom in known for atom in axis.size.atoms):
        return axis
    factors = tuple([Factor(factor.size.substitute(known), factor.ident) for factor in axis.factors])
    return Axis(axis.size.substitute(known), factors, axis.origin, axis.mark, axis.mixed)
