"""Where branches meet: what is known in all of them."""

from __future__ import annotations

from shapecheck.dims import Dim, Kind, Symbol
from shapecheck.shapes import (
    NONE,
    AnyValue,
    Axis,
    Constant,
    Number,
    Opaque,
    Ratio,
    Rest,
    Sequence,
    Shape,
    Tensor,
    Unknown,
    scope,
)
from shapecheck.static.values import (
    ClassValue,
    Container,
    Dictionary,
    Elements,
    External,
    FunctionValue,
    Instance,
    Layer,
    OneOf,
)

MAX_OPTIONS = 6
_SHARED = (Sequence, Elements, Dictionary)
_CALLABLE = (Layer, Instance, FunctionValue, External, ClassValue, Container)


def either() -> Dim:
    """A size that differs between branches: nothing can be said about it."""
    return Dim.of(Symbol("either", Kind.OPAQUE))


class _Meeting:
    """The joins made while branches meet: two names of one list stay two names of one list."""

    def __init__(self) -> None:
        self.made: dict[tuple[int, int], AnyValue] | None = None
        self.kept: list[AnyValue] = []
        """What the keys name, so that no other value gets their place."""
        self.lost = 0
        """How often something known of a tensor or size was lost, because the branches differ in it."""

    def __enter__(self) -> None:
        self.made, self.kept = {}, []

    def __exit__(self, *_: object) -> None:
        self.made, self.kept = None, []


_meeting = _Meeting()


def one_meeting() -> _Meeting:
    """Within it, a list or dictionary that is met under several names is joined once."""
    return _meeting


def losses() -> int:
    """How often a join has lost what was known of a tensor or size; grows."""
    return _meeting.lost


def join(left: AnyValue, right: AnyValue) -> AnyValue:
    """What is known of a value that is one or the other."""
    if left is right or left == right:
        return left
    if _meeting.made is not None and isinstance(left, _SHARED) and isinstance(right, _SHARED):
        made = _meeting.made.get((id(left), id(right)))
        if made is None:
            made = _meeting.made[id(left), id(right)] = _join(left, right)
            _meeting.kept += (left, right)
        return made
    return _join(left, right)


def _join(left: AnyValue, right: AnyValue) -> AnyValue:
    """What is known of a value that is one of two; functions, modules, and None beside a value stay alternatives."""
    if isinstance(left, Unknown) and isinstance(right, Unknown):
        return left
    if isinstance(left, Elements) and isinstance(right, Elements):
        return _join_elements(left, right)
    if isinstance(left, OneOf) or isinstance(right, OneOf):
        return one_of([*options(left), *options(right)])
    if isinstance(left, Dim) and isinstance(right, Dim):
        if scope().equal(left, right):
            return left
        _meeting.lost += 1
        return either()
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        return join_tensors(left, right)
    if NONE in (left, right):
        return OneOf((right, left)) if left == NONE else OneOf((left, right))
    if isinstance(left, (Sequence, Elements)) and isinstance(right, (Sequence, Elements)):
        return _join_sequences(left, right)
    if isinstance(left, Dictionary) and isinstance(right, Dictionary):
        if left.items.keys() == right.items.keys():
            return Dictionary({key: join(value, right.items[key]) for key, value in left.items.items()})
        return Elements(join_all([*left.items.values(), *right.items.values()]), None, "dict")
    if isinstance(left, (Dictionary, Elements)) and isinstance(right, (Dictionary, Elements)):
        return _join_with_dictionary(left, right)
    if isinstance(left, (Container, Elements)) and isinstance(right, (Container, Elements)):
        found = _join_containers(left, right)
        if found is not None:
            return found
    if _same_layer(left, right):
        return left
    if isinstance(left, _CALLABLE) and isinstance(right, _CALLABLE):
        return OneOf((left, right))
    if isinstance(left, Instance) and isinstance(right, Instance) and left.cls is right.cls:
        return left
    if isinstance(left, (Number, Constant, Dim)) and isinstance(right, (Number, Constant, Dim)):
        return _join_scalars(left, right)
    if isinstance(left, (Opaque, Dim)) and isinstance(right, (Opaque, Dim)):
        return Opaque("either", either())
    _meeting.lost += isinstance(left, (Tensor, Sequence)) or isinstance(right, (Tensor, Sequence))
    if isinstance(left, Unknown):
        return left
    return right if isinstance(right, Unknown) else Unknown("a value differs between branches")


def options(value: AnyValue) -> tuple[AnyValue, ...]:
    """The values a value may be."""
    return value.options if isinstance(value, OneOf) else (value,)


def one_of(values: list[AnyValue]) -> AnyValue:
    """One of several values; those of a kind that can be joined are joined."""
    kept: list[AnyValue] = []
    for value in values:
        for position, known in enumerate(kept):
            if known is value or known == value:
                break
            if isinstance(known, Tensor) and isinstance(value, Tensor):
                kept[position] = join_tensors(known, value)
                break
            if isinstance(known, Dim) and isinstance(value, Dim):
                kept[position] = join(known, value)
                break
            if isinstance(known, Unknown) and isinstance(value, Unknown):
                break
        else:
            kept.append(value)
    if len(kept) == 1:
        return kept[0]
    return OneOf(tuple(kept)) if len(kept) <= MAX_OPTIONS else Unknown("a value is one of many")


def _join_scalars(left: AnyValue, right: AnyValue) -> AnyValue:
    names = {
        "bool" if isinstance(side, Constant) and isinstance(side.value, bool) else
        side.name if isinstance(side, Number) else
        "float" if isinstance(side, Dim) or (isinstance(side, Constant) and isinstance(side.value, float)) else "other"
        for side in (left, right)
    }
    if "other" in names:
        return Unknown("a value differs between branches")
    return Number(names.pop()) if len(names) == 1 else Number("float")


def join_tensors(left: Tensor, right: Tensor) -> Tensor:
    """A tensor that has what both have."""
    dtype = left.dtype if left.dtype == right.dtype else None
    one, other = left.shape, right.shape
    if len(one) != len(other) or one.rest != other.rest:
        _meeting.lost += 1
        return Tensor(Shape.unknown(), dtype, left.kind)
    axes: list[Axis | Rest] = []
    for a, b in zip(one, other, strict=True):
        if isinstance(a, Axis) and isinstance(b, Axis):
            axes.append(_join_axes(a, b))
        else:
            _meeting.lost += a is not b
            axes.append(a if a is b else Rest())
    return Tensor(Shape(axes), dtype, left.kind, left.mark if left.mark is right.mark else None)


def _join_axes(left: Axis, right: Axis) -> Axis:
    if left is right:
        return left
    if scope().equal(left.size, right.size):
        if left == right:
            # What holds in one branch alone is not known of the axis: the division that a loop makes takes back the
            # sum before it, though the loop may run no time.
            alike = left.mark is not None and right.mark is not None and left.mark.kind == right.mark.kind
            return left if alike else left.with_mark(None)
        return Axis.unfollowed(left.size, left.origin)
    _meeting.lost += 1
    return Axis.unfollowed(either(), left.origin)


def _join_sequences(left: Sequence | Elements, right: Sequence | Elements) -> AnyValue:
    if isinstance(left, Sequence) and isinstance(right, Sequence):
        if len(left.items) == len(right.items):
            items: list[AnyValue | Rest] = []
            for a, b in zip(left.items, right.items, strict=True):
                if isinstance(a, Rest) or isinstance(b, Rest):
                    if a is not b:
                        return Unknown("a sequence differs between branches")
                    items.append(a)
                else:
                    items.append(join(a, b))
            return Sequence(items, left.kind, left.fields if left.fields == right.fields else None)
        if left.kind != "list":
            return Unknown("a tuple's length differs between branches")
    found = [item for side in (left, right) for item in elements_of(side)]
    if not found:
        return Sequence([], "list")
    made = Elements(join_all(found), None, left.kind if isinstance(left, Elements) else right.kind)
    for side in (left, right):
        if isinstance(side, Elements):
            made.own |= side.own
            made.taken = side.taken
    return made


def _join_elements(left: Elements, right: Elements) -> Elements:
    """Any number of items like these in one branch, and like those in the other."""
    length = left.length if left.length is not None and left.length == right.length else None
    made = Elements(join(left.element, right.element), length, left.kind, left.own | right.own)
    made.taken = right.taken
    return made


def _join_with_dictionary(left: Dictionary | Elements, right: Dictionary | Elements) -> AnyValue:
    """A dictionary with known keys in one branch, and any in the other."""
    values: list[AnyValue] = []
    made = Elements(NONE, None, "dict")
    for side in (left, right):
        if isinstance(side, Dictionary):
            values += side.items.values()
        elif side.kind != "dict":
            return Unknown("a value differs between branches")
        else:
            values.append(side.element)
            made.own |= side.own
    made.element = join_all(values)
    return made


_REPEATED = {"ModuleList": "list", "ModuleDict": "dict", "Sequential": "sequential"}


def _join_containers(left: Container | Elements, right: Container | Elements) -> AnyValue | None:
    """A container of modules that has these in one branch and those in the other."""
    if isinstance(left, Elements) and isinstance(right, Elements):
        return None
    kind = left.kind if isinstance(left, Container) else right.kind
    if isinstance(left, Container) and isinstance(right, Container):
        if left.kind != right.kind:
            return None
        if left.items.keys() == right.items.keys():
            return Container(kind, {key: join(value, right.items[key]) for key, value in left.items.items()})
    elif isinstance(left, Container) and isinstance(right, Elements):
        if right.kind != _REPEATED[kind]:
            return None
    elif isinstance(left, Elements) and left.kind != _REPEATED[right.kind]:
        return None
    values = [
        value
        for side in (left, right)
        for value in (side.items.values() if isinstance(side, Container) else [side.element])
    ]
    if kind == "Sequential" and len(values) != 1:
        # Modules one after another, in one order or another.
        return None
    return Elements(join_all(values), None, _REPEATED[kind])


def _same_layer(left: AnyValue, right: AnyValue) -> bool:
    """Whether two layers or objects, made at different times, were made alike."""
    if isinstance(left, Layer) and isinstance(right, Layer):
        one, other = vars(left.rule), vars(right.rule)
        return type(left.rule) is type(right.rule) and one.keys() == other.keys() and all(
            _same(value, other[name]) for name, value in one.items()
        )
    if isinstance(left, Instance) and isinstance(right, Instance):
        one_made, other_made = left.parameters, right.parameters
        return left.cls is right.cls and one_made.keys() == other_made.keys() and bool(one_made) and all(
            _same(value, other_made[name]) for name, value in one_made.items()
        )
    return False


def _same(left: object, right: object) -> bool:
    if isinstance(left, Dim) and isinstance(right, Dim):
        return scope().equal(left, right)
    if isinstance(left, Sequence) and isinstance(right, Sequence):
        return len(left.items) == len(right.items) and all(map(_same, left.items, right.items))
    if isinstance(left, (tuple, list)) and isinstance(right, (tuple, list)):
        return len(left) == len(right) and all(map(_same, left, right))
    return left is right or bool(left == right) or (
        isinstance(left, (Layer, Instance)) and isinstance(right, (Layer, Instance)) and _same_layer(left, right)
    )


def join_all(values: list[AnyValue]) -> AnyValue:
    """What is known of a value that is one of several."""
    found = values[0]
    for value in values[1:]:
        found = join(found, value)
    return found


def elements_of(value: Sequence | Elements) -> list[AnyValue]:
    """What the items of a sequence look like."""
    if isinstance(value, Elements):
        return [value.element]
    return [Unknown("a sequence of unknown length") if isinstance(item, Rest) else item for item in value.items]


def alike(left: AnyValue, right: AnyValue) -> bool:
    """Whether nothing more is known of one value than of the other: a loop has come to rest."""
    if left is right or left == right:
        return True
    if type(left) is not type(right):
        return False
    if isinstance(left, Unknown):
        return True
    if isinstance(left, Dim) and isinstance(right, Dim):
        return scope().equal(left, right) or (_is_opaque(left) and _is_opaque(right))
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        if left.shape.is_unknown and right.shape.is_unknown:
            return True
        return len(left.shape) == len(right.shape) and all(
            a is b or (isinstance(a, Axis) and isinstance(b, Axis) and alike(a.size, b.size))
            for a, b in zip(left.shape, right.shape, strict=True)
        )
    if isinstance(left, Sequence) and isinstance(right, Sequence):
        return len(left.items) == len(right.items) and all(
            a is b or (not isinstance(a, Rest) and not isinstance(b, Rest) and alike(a, b))
            for a, b in zip(left.items, right.items, strict=True)
        )
    if isinstance(left, Elements) and isinstance(right, Elements):
        return alike(left.element, right.element) and (left.length is None or left.length == right.length)
    if isinstance(left, (Dictionary, Container)) and isinstance(right, (Dictionary, Container)):
        items: dict[object, AnyValue] = dict(right.items.items())
        return left.items.keys() == items.keys() and all(alike(value, items[key]) for key, value in left.items.items())
    if isinstance(left, Opaque) and isinstance(right, Opaque):
        return alike(left.size(), right.size())
    if isinstance(left, OneOf) and isinstance(right, OneOf):
        return len(left.options) == len(right.options) and all(
            alike(a, b) for a, b in zip(left.options, right.options, strict=True)
        )
    if isinstance(left, Ratio) or isinstance(right, Ratio):
        both = isinstance(left, Ratio) and isinstance(right, Ratio)
        return both and left.top == right.top and left.bottom == right.bottom  # type: ignore[union-attr]  # both are
    return isinstance(left, Number) and isinstance(right, Number)


def _is_opaque(size: Dim) -> bool:
    return any(isinstance(atom, Symbol) and atom.kind is Kind.OPAQUE for atom in size.atoms)
