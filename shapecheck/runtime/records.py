"""Classes whose fields carry tensor annotations: named tuples, dataclasses and typed dictionaries.

As a hint, such a class stands for its fields. Names that its annotations share with the rest of the signature are the
call's; names that only this class has belong to each of its objects, since they are written elsewhere: in
`concatenate(a: Batch, b: Batch) -> Batch` nothing says that all three have the same number of rows.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

from shapecheck.annotations.hints import (
    ArrayHint,
    DictHint,
    InvalidHint,
    OtherHint,
    SequenceHint,
    TupleHint,
    UnionHint,
    arrays,
    walk,
)
from shapecheck.annotations.live import hint_from_live
from shapecheck.runtime.arrays import is_array
from shapecheck.runtime.hint_names import names_of
from shapecheck.runtime.resolve import annotations_of

if TYPE_CHECKING:
    from shapecheck.annotations.hints import Hint
    from shapecheck.runtime.resolve import Names

NAMED_TUPLE, DATACLASS, TYPED_DICT = range(3)


class Absent:
    """Stands for the value of a field that an object need not have."""

    def __repr__(self) -> str:
        return "absent"


ABSENT: Any = Absent()
ALWAYS: Any = Absent()


class Field(NamedTuple):
    """One field.

    exempt: the one value that passes unseen, such as a default of None; `ABSENT` where the field may be missing, and
        `ALWAYS` where no value is exempt.
    """

    name: str
    exempt: Any


class RecordHint(TupleHint):
    """The class `value`, whose `fields` have the hints `items`."""

    __slots__ = __match_args__ = ("items", "variadic", "kind", "fields", "value")

    def __init__(self, kind: int, fields: tuple[Field, ...], items: tuple[Hint, ...], value: type) -> None:
        super().__init__(items, variadic=False)
        self.kind = kind
        self.fields = fields
        self.value = value

    def _compared(self) -> tuple[object, ...]:
        return (self.value,)

    def path(self, whole: str, field: Field) -> str:
        """What a reader calls a field."""
        return f"{whole}[{field.name!r}]" if self.kind == TYPED_DICT else f"{whole}.{field.name}"

    def accepts(self, value: object) -> bool:
        """Whether a value is of the class at all; typed dictionaries are any mappings."""
        return isinstance(value, self.container())

    def container(self) -> type:
        """The class that `isinstance` can ask for."""
        if self.kind != TYPED_DICT:
            return self.value
        from collections.abc import Mapping

        return Mapping

    def read(self, field: Field, value: Any) -> Any:
        """The value of a field, `ABSENT` when it is not there."""
        if self.kind == TYPED_DICT:
            return value.get(field.name, ABSENT)
        return getattr(value, field.name, ABSENT)


def with_records(hint: Hint, names: Names, inside: tuple[type, ...] = ()) -> Hint:
    """The hint with every class that has fields with tensors replaced by a `RecordHint`.

    names: what annotations in quotes may mention beside the names of the class's own module.
    inside: the classes around, which are not entered again.
    """

    def inner(part: Hint) -> Hint:
        return with_records(part, names, inside)

    if isinstance(hint, UnionHint):
        return UnionHint(tuple(map(inner, hint.members)))
    if isinstance(hint, TupleHint):
        return TupleHint(tuple(map(inner, hint.items)), variadic=hint.variadic)
    if isinstance(hint, SequenceHint):
        return SequenceHint(hint.origin, inner(hint.element), hint.value)
    if isinstance(hint, DictHint):
        return DictHint(hint.origin, inner(hint.key), inner(hint.element), hint.value)
    if not isinstance(hint, OtherHint):
        return hint
    if hint.args:  # what a generator yields
        return OtherHint(hint.text, hint.name, tuple(map(inner, hint.args)), hint.value)
    if isinstance(hint.value, type) and hint.value not in inside:
        return _record(hint.value, names, inside) or hint
    return hint


def _record(cls: type, names: Names, inside: tuple[type, ...]) -> RecordHint | None:
    kind = _kind(cls)
    if kind is None:
        return None
    annotations: dict[str, Any] = {}
    scopes: dict[str, _Scope] = {}
    for base in reversed(cls.__mro__ if kind != TYPED_DICT else (cls,)):
        own = annotations_of(base) if "__annotations__" in vars(base) or sys.version_info >= (3, 14) else {}
        scope = _Scope(base, names)
        for name, annotation in own.items():
            annotations[name] = annotation
            scopes[name] = scope
    kept = []
    items = []
    for field in _fields(cls, kind, annotations):
        if field.name not in annotations:
            continue
        hint = hint_from_live(annotations[field.name], scopes[field.name].evaluate)
        hint = with_records(hint, names, (*inside, cls))
        if _has_tensors(hint):
            kept.append(field)
            items.append(hint)
    return RecordHint(kind, tuple(kept), tuple(items), cls) if kept else None


def _has_tensors(hint: Hint) -> bool:
    """Whether a field is to be checked. Braces speak of the arguments of the class itself, which nobody has kept."""
    found = arrays(hint)
    if any("{" in array.spec.shape.text for array in found):
        return False
    # A field whose type only type checkers import is no tensor, unless it has a shape string.
    broken = [part for part in walk(hint) if isinstance(part, InvalidHint)]
    missing = [part for part in broken if part.error.message.startswith(("NameError", "AttributeError", "KeyError"))]
    if any("'" in part.text or '"' in part.text for part in missing) or len(missing) < len(broken):
        return True
    return bool(found) and not broken


def _kind(cls: type) -> int | None:
    """Which kind of record a class is. One whose objects can be called is a module, with sizes of its own."""
    if getattr(cls, "__shapecheck_unchecked__", False) is True or any("__call__" in vars(base) for base in cls.__mro__):
        return None
    if issubclass(cls, tuple):
        return NAMED_TUPLE if hasattr(cls, "_fields") else None
    if issubclass(cls, dict):
        return TYPED_DICT if hasattr(cls, "__required_keys__") else None
    return DATACLASS if hasattr(cls, "__dataclass_fields__") else None


def _fields(cls: Any, kind: int, annotations: dict[str, Any]) -> list[Field]:
    if kind == NAMED_TUPLE:
        defaults = cls._field_defaults
        return [Field(name, _exempt(defaults[name]) if name in defaults else ALWAYS) for name in cls._fields]
    if kind == TYPED_DICT:
        # With annotations as strings, Python itself does not see the `NotRequired` in them.
        return [
            Field(name, ALWAYS if name in cls.__required_keys__ and "NotRequired" not in str(annotation) else ABSENT)
            for name, annotation in annotations.items()
        ]
    import dataclasses

    return [
        Field(
            field.name,
            (ALWAYS if field.init else ABSENT) if field.default is dataclasses.MISSING else _exempt(field.default),
        )
        for field in dataclasses.fields(cls)
    ]


def _exempt(default: object) -> Any:
    return ALWAYS if is_array(default) else default


class _Scope(dict[str, Any]):
    """The names that the annotations of a class may use."""

    def __init__(self, cls: type, names: Names) -> None:
        super().__init__({cls.__name__: cls})
        self.module = vars(sys.modules.get(cls.__module__, object))
        self.names = names

    def __missing__(self, name: str) -> Any:
        return self.module[name] if name in self.module else self.names[name]

    def evaluate(self, text: str) -> object:
        """The value of an annotation's text."""
        return eval(f"({text})", {"__builtins__": {}}, self)  # noqa: S307  # an annotation is its user's own code


def names_of_classes(hint: Hint, owner: type | None = None) -> list[tuple[type | None, str]]:
    """The names that a hint binds outside of containers of any length, each with the record class that has it."""
    if isinstance(hint, RecordHint):
        return [found for item in hint.items for found in names_of_classes(item, hint.value)]
    if isinstance(hint, UnionHint):
        return [found for member in hint.members for found in names_of_classes(member, owner)]
    if isinstance(hint, TupleHint) and not hint.variadic:
        return [found for item in hint.items for found in names_of_classes(item, owner)]
    return [(owner, name) for name in names_of(hint)] if isinstance(hint, ArrayHint) else []


def shared_names(hints: list[Hint]) -> frozenset[str]:
    """The names that are the call's: bound outside of containers, by an annotation of its own or by two classes."""
    classes: dict[str, set[type | None]] = {}
    for hint in hints:
        for owner, name in names_of_classes(hint):
            classes.setdefault(name, set()).add(owner)
    return frozenset(name for name, owners in classes.items() if None in owners or len(owners) > 1)
