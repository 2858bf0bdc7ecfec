"""Declared shapes as abstract values: what axis names stand for, and what a declaration introduces."""

from __future__ import annotations

from shapecheck.annotations import (
    ArrayHint,
    DictHint,
    NoneHint,
    OtherHint,
    SequenceHint,
    TupleHint,
    UnionHint,
)
from shapecheck.annotations.expression import Binary, Name, Number, Path, fold
from shapecheck.annotations.expression import Opaque as OpaqueExpression
from shapecheck.dims import Dim, Kind, Symbol, maximum, minimum
from shapecheck.shapes import (
    NONE,
    AnyValue,
    Axis,
    Factor,
    Rest,
    Sequence,
    Shape,
    Tensor,
    Unknown,
)
from shapecheck.static.loosen import own_sizes
from shapecheck.static.values import Elements, OneOf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    from shapecheck.annotations.expression import Expression
    from shapecheck.annotations.hints import Hint
    from shapecheck.annotations.spec import AxisSpec

    Bound: TypeAlias = "Dim | tuple[Axis | Rest, ...]"

MAX_POWER = 16

_FAMILIES = {
    "float": ("float", "bfloat"),
    "int": ("int", "uint"),
    "bool": ("bool",),
    "complex": ("complex",),
}


class Names:
    """What the axis names of one call stand for.

    A name that is not known yet is made by ``kind``: rigid for the parameters of the function under analysis, flexible
    where a caller sees a result.
    """

    __slots__ = ("alternatives", "bound", "conditional", "dots", "kind", "owner", "path", "places", "shown")

    def __init__(
        self,
        kind: Kind = Kind.RIGID,
        bound: dict[str, Bound] | None = None,
        path: Callable[[Path], Dim | None] | None = None,
    ) -> None:
        self.kind = kind
        self.bound: dict[str, Bound] = {} if bound is None else bound
        self.path = path
        """Evaluates what stands between braces."""
        self.places: dict[str, object] = {}
        """Where each name was bound."""
        self.conditional: dict[str, Bound] = {}
        """Names that only one alternative of a union binds: they hold only where that one was given."""
        self.shown: dict[str, Bound] = {}
        """Names that the function does not use, but that its reader knows from the class."""
        self.alternatives = 0
        """Above zero while an alternative of a union is read."""
        self.dots: tuple[Axis, ...] = ()
        """What ``...`` stands for while it is read for a number of axes of its own."""
        self.owner: object = None
        """Whose fields the names are: two names of one object vary independently of each other."""

    def fork(self) -> Names:
        """A copy in which names can be bound afresh."""
        copy = Names(self.kind, dict(self.bound), self.path)
        copy.places = dict(self.places)
        copy.conditional = self.conditional
        copy.alternatives = self.alternatives
        return copy

    def _get(self, name: str) -> Bound | None:
        found = self.bound.get(name)
        return self.conditional.get(name) if found is None and self.alternatives else found

    def _bind(self, name: str, made: Bound) -> None:
        (self.conditional if self.alternatives else self.bound)[name] = made

    def size(self, name: str) -> Dim:
        """The size a name stands for, made if it is new."""
        found = self._get(name)
        if isinstance(found, Dim):
            return found
        made = Dim.of(Symbol(name, self.kind, owner=self.owner))
        if found is None:
            self._bind(name, made)
        return made

    def axes(self, name: str) -> tuple[Axis | Rest, ...]:
        """The axes a variadic name stands for, made if it is new."""
        found = self._get(name)
        if isinstance(found, tuple):
            return found
        made = (Rest(name),)
        if found is None:
            self._bind(name, made)
        return made


# -- what a declaration introduces -----------------------------------------------------------------------------------


def bind_names(hints: Iterable[Hint], names: Names) -> None:
    """Bind every axis name that the hints bind for certain: outside of containers of any length.

    Of a union only the names that each alternative binds.
    """
    for hint in hints:
        for name, variadic in _bound_names(hint).items():
            if variadic:
                names.axes(name)
            else:
                names.size(name)


def _bound_names(hint: Hint) -> dict[str, bool]:
    """The names that a hint binds, and whether each stands for any number of axes."""
    if isinstance(hint, ArrayHint):
        return {
            axis.name: axis.variadic
            for axis in hint.spec.shape.axes
            if axis.kind == "name" and not axis.tree and not axis.broadcast
        }
    if isinstance(hint, TupleHint) and not hint.variadic:
        return {name: variadic for item in hint.items for name, variadic in _bound_names(item).items()}
    if isinstance(hint, UnionHint):
        first, *others = [_bound_names(member) for member in hint.members]
        return {
            name: variadic
            for name, variadic in first.items()
            if all(other.get(name) is variadic for other in others)
        }
    return {}


def introduce(hint: Hint, names: Names, other: Callable[[OtherHint], AnyValue]) -> AnyValue:
    """The abstract value of a declared parameter or result; ``other`` makes those that are no tensors."""
    if isinstance(hint, ArrayHint):
        return introduce_tensor(hint, names)
    if isinstance(hint, NoneHint):
        return NONE
    if isinstance(hint, UnionHint):
        names.alternatives += 1
        options = tuple([introduce(member, names, other) for member in hint.members])
        names.alternatives -= 1
        return OneOf(options)
    if isinstance(hint, TupleHint):
        if hint.variadic or (len(hint.items) == 1 and isinstance(hint.items[0], OtherHint)):
            # `tuple[int]` is how many write `tuple[int, ...]`.
            return elements(hint.items[0], names, other, "tuple")
        return Sequence([introduce(item, names, other) for item in hint.items])
    if isinstance(hint, SequenceHint):
        return elements(hint.element, names, other, "list")
    if isinstance(hint, DictHint):
        return elements(hint.element, names, other, "dict")
    if isinstance(hint, OtherHint):
        return other(hint)
    return Unknown("an annotation says nothing about shapes")


def elements(hint: Hint, names: Names, other: Callable[[OtherHint], AnyValue], kind: str) -> Elements:
    """Any number of items that a hint declares, each with sizes of its own."""
    element = introduce(hint, _per_element(names), other)
    bound = [size for size in names.bound.values() if isinstance(size, Dim)]
    outside = frozenset([atom for size in bound for atom in size.atoms if isinstance(atom, Symbol)])
    return Elements(element, None, kind, own_sizes(element, outside))


def _per_element(names: Names) -> Names:
    """Names bound only inside a container are per element: of no size that could be contradicted."""
    copy = names.fork()
    copy.kind = Kind.FLEXIBLE
    return copy


def introduce_tensor(hint: ArrayHint, names: Names) -> Tensor:
    """The tensor that an annotation declares."""
    spec = hint.spec
    axes: list[Axis | Rest] = []
    for axis in spec.shape.axes:
        if axis.variadic:
            axes += names.axes(axis.name) if axis.kind == "name" and not axis.broadcast else names.dots or (Rest(),)
        else:
            axes.append(declared_axis(axis, names))
    return Tensor(Shape(axes), dtype_family(spec.dtype.names), spec.array)


def declared_axis(axis: AxisSpec, names: Names) -> Axis:
    """The axis that one token declares."""
    if axis.kind == "fixed":
        return Axis.of(axis.size, ident=object())
    if axis.kind == "anonymous":
        return Axis.of(Symbol("_", Kind.FLEXIBLE))
    if axis.kind == "name":
        if axis.broadcast or axis.tree:
            return Axis.of(Symbol(axis.name, Kind.OPAQUE))
        size = names.size(axis.name)
        return Axis.of(size, ident=size.symbol or ("axis", axis.name, size))
    written = expression_size(axis.expression, names)
    if written is None:
        return Axis.of(Symbol(axis.text, Kind.OPAQUE))
    factors = ordered_factors(axis.expression, names)
    if factors is not None:
        return Axis(written, factors)
    return Axis.of(written, ident=("expression", axis.text, written))


def ordered_factors(expression: Expression | None, names: Names) -> tuple[Factor, ...] | None:
    """A product in an annotation is ordered: ``g*r`` has g outside and r inside."""
    if not isinstance(expression, Binary) or expression.op != "*":
        return None
    found: list[Factor] = []
    for side in (expression.left, expression.right):
        if isinstance(side, Name):
            size = names.size(side.name)
            found.append(Factor(size, size.symbol or ("axis", side.name, size)))
        elif isinstance(side, Path):
            given = names.path(side) if names.path is not None else None
            if given is None:
                return None
            found.append(Factor(given, given.symbol or ("axis", side.text, given)))
        elif isinstance(side, Number):
            if side.value != 1:
                found.append(Factor(Dim.of(side.value), ("number", expression.start, side.value)))
        else:
            inner = ordered_factors(side, names)
            if inner is None:
                return None
            found += inner
    return tuple(found)


def expression_size(expression: Expression | None, names: Names) -> Dim | None:
    """The size an expression stands for, or None if it is no polynomial."""
    if expression is None:
        return None

    def path(part: Path) -> Dim | None:
        return names.path(part) if names.path is not None else None

    def opaque(_: OpaqueExpression) -> Dim | None:
        return None

    return fold(expression, number=Dim.of, name=names.size, path=path, op=_operate, opaque=opaque)


def _operate(op: str, left: Dim | None, right: Dim | None) -> Dim | None:
    if left is None or right is None:
        return None
    if op == "+":
        return left + right
    if op == "-":
        return left - right
    if op == "*":
        return left * right
    if op == "min":
        return minimum(left, right)
    if op == "max":
        return maximum(left, right)
    if op == "**":
        exponent = right.constant
        return left**exponent if exponent is not None and 0 <= exponent <= MAX_POWER else None
    if not right.terms:
        return None
    return left // right if op == "//" else left % right


def dtype_family(names: frozenset[str] | None) -> str | None:
    """``float``, ``int``, ``bool`` or ``complex`` if all dtypes are of that family."""
    if not names:
        return None
    if names not in _families:
        found = (
            family for family, prefixes in _FAMILIES.items() if all(name.startswith(prefixes) for name in names)
        )
        _families[names] = next(found, None)
    return _families[names]


_families: dict[frozenset[str], str | None] = {}
