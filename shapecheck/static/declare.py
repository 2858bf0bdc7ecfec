"""Declared shapes against abstract values: what a declaration introduces, and whether a value keeps it."""

from __future__ import annotations

from shapecheck.annotations import (
    ArrayHint,
    DictHint,
    NoneHint,
    OtherHint,
    SequenceHint,
    TupleHint,
    UnionHint,
    walk,
)
from shapecheck.annotations.expression import Binary, Name, Number, fold
from shapecheck.annotations.expression import Opaque as OpaqueExpression
from shapecheck.diagnostics.misfit import Misfit
from shapecheck.dims import Dim, Kind, No, Symbol, maximum, minimum
from shapecheck.shapes import (
    NONE,
    AnyValue,
    Axis,
    Constant,
    Factor,
    Rest,
    Sequence,
    Shape,
    Tensor,
    Unknown,
    require,
    scope,
)
from shapecheck.static.loosen import own_sizes
from shapecheck.static.values import Elements, OneOf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import TypeAlias

    from shapecheck.annotations.expression import Expression, Path
    from shapecheck.annotations.hints import Hint
    from shapecheck.annotations.spec import AxisSpec, ShapeSpec

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

    __slots__ = ("alternatives", "bound", "conditional", "kind", "path", "places", "shown")

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
        made = Dim.of(Symbol(name, self.kind))
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
            axes += names.axes(axis.name) if axis.kind == "name" and not axis.broadcast else (Rest(),)
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
    factors = _ordered_factors(axis.expression, names)
    if factors is not None:
        return Axis(written, factors)
    return Axis.of(written, ident=("expression", axis.text, written))


def _ordered_factors(expression: Expression | None, names: Names) -> tuple[Factor, ...] | None:
    """A product in an annotation is ordered: ``g*r`` has g outside and r inside."""
    if not isinstance(expression, Binary) or expression.op != "*":
        return None
    found: list[Factor] = []
    for side in (expression.left, expression.right):
        if isinstance(side, Name):
            size = names.size(side.name)
            found.append(Factor(size, size.symbol or ("axis", side.name, size)))
        elif isinstance(side, Number):
            if side.value != 1:
                found.append(Factor(Dim.of(side.value), ("number", expression.start, side.value)))
        else:
            inner = _ordered_factors(side, names)
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
    for family, prefixes in _FAMILIES.items():
        if all(name.startswith(prefixes) for name in names):
            return family
    return None


# -- whether a value keeps its declaration ---------------------------------------------------------------------------


def check(hint: Hint, value: AnyValue, names: Names, *, narrow: bool = False) -> Misfit | None:
    """Why a value does not keep a declaration, or None if it does or may.

    New names are bound in ``names``. Unknown sizes that the declaration needs are solved.
    """
    if isinstance(value, OneOf):
        return _check_one_of(hint, value, names, narrow=narrow)
    if isinstance(hint, UnionHint):
        return _check_union(hint, value, names, narrow=narrow)
    if isinstance(hint, ArrayHint):
        if isinstance(value, Tensor):
            return check_tensor(hint, value, names, narrow=narrow)
        if isinstance(value, Sequence) and value.kind in {"tuple", "list"}:
            return Misfit(hint, value)
        return None
    if isinstance(hint, TupleHint):
        return _check_tuple(hint, value, names, narrow=narrow)
    if isinstance(hint, SequenceHint):
        return _check_elements(hint.element, value, names, narrow=narrow)
    return None


def _check_one_of(hint: Hint, value: OneOf, names: Names, *, narrow: bool) -> Misfit | None:
    """A choice of values fits if one of them does: what tells them apart is often no condition we can read."""
    options = [option for option in value.options if not isinstance(option, Constant)]
    if len(options) == 1:
        return check(hint, options[0], names, narrow=narrow)
    found: Misfit | None = None
    for option in options:
        before = scope().fork()
        misfit = check(hint, option, names.fork(), narrow=narrow)
        scope().adopt(before)
        if misfit is None:
            return None
        found = found or misfit
    return found


def _check_union(hint: UnionHint, value: AnyValue, names: Names, *, narrow: bool) -> Misfit | None:
    arrays = [member for member in hint.members if not isinstance(member, (NoneHint, OtherHint))]
    if any(isinstance(member, OtherHint) for member in hint.members):
        return None
    if isinstance(value, Constant):
        return None
    if len(arrays) == 1:
        return check(arrays[0], value, names, narrow=narrow)
    found: Misfit | None = None
    for member in arrays:
        trial, before = names.fork(), scope().fork()
        found = check(member, value, trial, narrow=narrow)
        if found is None:
            names.bound.update(trial.bound)
            return None
        scope().adopt(before)
    return found


def _check_tuple(hint: TupleHint, value: AnyValue, names: Names, *, narrow: bool) -> Misfit | None:
    if not isinstance(value, Sequence):
        return None
    if hint.variadic:
        return _check_elements(hint.items[0], value, names, narrow=narrow)
    if any(isinstance(item, Rest) for item in value.items):
        return None
    if len(value.items) != len(hint.items):
        return Misfit(hint, value) if any(isinstance(part, ArrayHint) for part in walk(hint)) else None
    for position, (item, declared) in enumerate(zip(value.items, hint.items, strict=True)):
        if isinstance(item, Rest):
            continue
        found = check(declared, item, names, narrow=narrow)
        if found is not None:
            found.path = f"[{position}]{found.path}"
            return found
    return None


def _check_elements(hint: Hint, value: AnyValue, names: Names, *, narrow: bool) -> Misfit | None:
    if isinstance(value, Sequence):
        for position, item in enumerate(value.items):
            if not isinstance(item, Rest):
                found = check(hint, item, names.fork(), narrow=narrow)
                if found is not None:
                    found.path = f"[{position}]{found.path}"
                    return found
    elif isinstance(value, Elements) and value.kind == "list":
        return check(hint, value.element, names.fork(), narrow=narrow)
    return None


def check_tensor(hint: ArrayHint, tensor: Tensor, names: Names, *, narrow: bool = False) -> Misfit | None:
    """Why a tensor does not keep its declaration, or None."""
    spec, shape = hint.spec.shape, tensor.shape
    if shape.is_unknown:
        return None
    pairs = _align(spec, shape)
    if pairs is None:
        return None if shape.rest is not None else Misfit(hint, tensor)
    later: list[tuple[int, int]] = []
    for token, position in pairs:
        axis = spec.axes[token]
        if axis.kind == "expression":
            later.append((token, position))
            continue
        found = _check_axis(hint, tensor, axis, token, position, names, narrow=narrow)
        if found is not None:
            return found
    if spec.variadic >= 0:
        found = _check_variadic(hint, tensor, names)
        if found is not None:
            return found
    for token, position in later:
        axis = spec.axes[token]
        actual = shape[position]
        expected = expression_size(axis.expression, names)
        if expected is None or not isinstance(actual, Axis) or (axis.broadcast and actual.is_one):
            continue
        verdict = require(expected, actual.size, narrow=narrow, to_one=narrow)
        if isinstance(verdict, No):
            return Misfit(
                hint, tensor, axis=token, position=position, expected=expected, actual=actual.size,
                because=verdict.because,
            )
    return None


def _check_axis(
    hint: ArrayHint, tensor: Tensor, axis: AxisSpec, token: int, position: int, names: Names, *, narrow: bool
) -> Misfit | None:
    actual = tensor.shape[position]
    if not isinstance(actual, Axis) or axis.kind == "anonymous" or axis.tree or (axis.broadcast and actual.is_one):
        return None
    if axis.kind == "fixed":
        expected = Dim.of(axis.size)
    else:
        known = names.bound.get(axis.name)
        if known is None:
            if not axis.broadcast:
                names.bound[axis.name] = actual.size
                names.places[axis.name] = (hint, token)
            return None
        if not isinstance(known, Dim):
            return None
        expected = known
    verdict = require(expected, actual.size, narrow=narrow, to_one=narrow)
    if isinstance(verdict, No):
        return Misfit(
            hint, tensor, axis=token, position=position, expected=expected, actual=actual.size,
            because=verdict.because,
        )
    return None


def _align(spec: ShapeSpec, shape: Shape) -> list[tuple[int, int]] | None:
    """Which token stands for which axis, outside the variadic parts; None if the numbers of axes cannot agree."""
    tokens, axes = len(spec.axes), len(shape)
    if spec.variadic < 0:
        if shape.rest is None:
            return [(n, n) for n in range(tokens)] if tokens == axes else None
        if tokens < axes - 1:
            return None
        head = shape.rest
        tail = axes - head - 1
        return [(n, n) for n in range(head)] + [(tokens - n, axes - n) for n in range(tail, 0, -1)]
    head = spec.variadic
    tail = tokens - head - 1
    if shape.rest is None and axes < tokens - 1:
        return None
    if shape.rest is not None:
        head = min(head, shape.rest)
        tail = min(tail, axes - shape.rest - 1)
    return [(n, n) for n in range(head)] + [(tokens - n, axes - n) for n in range(tail, 0, -1)]


def _check_variadic(hint: ArrayHint, tensor: Tensor, names: Names) -> Misfit | None:
    spec, shape = hint.spec.shape, tensor.shape
    token = spec.axes[spec.variadic]
    if token.kind != "name" or token.broadcast:
        return None
    head = spec.variadic
    tail = len(spec.axes) - head - 1
    if shape.rest is not None and (head > shape.rest or tail > len(shape) - shape.rest - 1):
        return None
    middle = shape.axes[head : len(shape) - tail]
    known = names.bound.get(token.name)
    if known is None:
        names.bound[token.name] = middle
        return None
    if not isinstance(known, tuple) or _same_axes(known, middle) is not False:
        return None
    return Misfit(hint, tensor, axis=spec.variadic)


def _same_axes(declared: tuple[Axis | Rest, ...], actual: tuple[Axis | Rest, ...]) -> bool | None:
    """Whether two runs of axes are equal: True, False (for generic sizes), or None."""
    if declared == actual:
        return True
    if not any(isinstance(axis, Rest) for axis in (*declared, *actual)):
        if len(declared) != len(actual):
            return False
        for one, other in zip(declared, actual, strict=True):
            if isinstance(one, Axis) and isinstance(other, Axis) and isinstance(require(one.size, other.size), No):
                return False
        return None
    if any(isinstance(axis, Rest) and axis.name == "..." for axis in declared):
        return None
    rests = [axis for axis in actual if isinstance(axis, Rest)]
    if len(declared) == 1 and rests == [declared[0]]:
        # The same run of axes with others beside it.
        return False
    certain = [
        axis for axis in actual if isinstance(axis, Axis) and axis.size.symbol is not None
        and axis.size.symbol.kind is Kind.RIGID
    ]
    if len(declared) == 1 and isinstance(declared[0], Rest) and certain:
        # An axis with a name of its own is none of any number of generic axes.
        return False
    return None
