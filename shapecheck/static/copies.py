"""Copies of the values that a branch may change in place: two names of one list stay two names of one list."""

from __future__ import annotations

import ast
from operator import is_

from shapecheck.shapes import AnyValue, Rest, Sequence, Unknown
from shapecheck.static.mutation import changed_names, rebound_outside
from shapecheck.static.values import KINDS, NESTED, Container, Dictionary, Elements, OneOf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import TypeVar

    from shapecheck.static.frame import Frame

    Item = TypeVar("Item", AnyValue, AnyValue | Rest)

MAX_HELD = 300
"""Containers that are looked through for a cycle."""


class Copies:
    """The copies made at one time, by what they are copies of."""

    __slots__ = ("_made",)

    def __init__(self) -> None:
        self._made: dict[int, AnyValue] = {}

    def table(self, values: Mapping[str, AnyValue]) -> dict[str, AnyValue]:
        """A table of variables in which nothing is shared with the original that can be changed."""
        copy = dict(values)
        for name, value in values.items():
            if type(value) in KINDS and not (type(value) is OneOf and value.is_fixed):
                copy[name] = self.value(value)
        return copy

    def value(self, value: AnyValue) -> AnyValue:
        """The copy of a value; the value itself if nothing in it can be changed."""
        if type(value) not in KINDS:
            return value
        made = self._made.get(id(value))
        if made is None:
            made = self._made[id(value)] = self._copy(value)
        return made

    def _copy(self, value: AnyValue) -> AnyValue:
        if isinstance(value, Elements):
            elements = Elements(value.element, value.length, value.kind, value.own)
            elements.taken = value.taken
            self._made[id(value)] = elements
            elements.element = self.value(value.element)
            return elements
        if isinstance(value, Sequence):
            if value.kind != "list":
                return self._immutable(value)
            copy = Sequence(value.items, "list", value.fields)
            self._made[id(value)] = copy
            copy.items = self._items(value.items)
            return copy
        if isinstance(value, Dictionary):
            dictionary = Dictionary({})
            self._made[id(value)] = dictionary
            dictionary.items = {key: self.value(item) for key, item in value.items.items()}
            return dictionary
        if isinstance(value, Container):
            return Container(value.kind, dict(value.items))
        if isinstance(value, OneOf):
            options = self._changed(value.options)
            return value if options is None else OneOf(tuple(options))
        return value

    def _immutable(self, value: Sequence) -> Sequence:
        items = self._changed(value.items)
        return value if items is None else Sequence(items, value.kind, value.fields)

    def _changed(self, items: Collection[Item]) -> list[Item] | None:
        """The copies of items, or None if all of them are the items themselves."""
        for item in items:
            if type(item) in KINDS:
                break
        else:
            return None
        copies = self._items(items)
        return None if all(map(is_, copies, items)) else copies

    def _items(self, items: Collection[Item]) -> list[Item]:
        return [self.value(item) if type(item) in KINDS else item for item in items]  # type: ignore[arg-type]  # no Rest


def copied(value: AnyValue) -> AnyValue:
    """The copy of one value; the value itself if nothing in it can be changed."""
    return Copies().value(value) if type(value) in KINDS else value


def acyclic(owner: AnyValue, value: AnyValue) -> AnyValue:
    """A value that is put into a container; unknown if it holds that container already."""
    waiting: list[AnyValue] = [value]
    for _ in range(MAX_HELD):
        if not waiting:
            return value
        part = waiting.pop()
        if part is owner:
            break
        if isinstance(part, Sequence):
            waiting += [item for item in part.items if isinstance(item, NESTED)]
        elif isinstance(part, Elements):
            waiting.append(part.element)
        elif isinstance(part, (Dictionary, Container)):
            waiting += [item for item in part.items.values() if isinstance(item, NESTED)]
        elif isinstance(part, OneOf):
            waiting += part.options
    return Unknown("a container inside itself")


def replace_value(frame: Frame, old: AnyValue, new: AnyValue) -> None:
    """Let a value stand for another in all that a call, and those that led to it, can name."""
    for place in (frame, *frame.interpreter.active):
        place.env.update(Replacement(old, new).table(place.env))
        if place.instance is not None:
            place.instance.attributes.update(Replacement(old, new).table(place.instance.attributes))


def share(frame: Frame, node: ast.AST) -> None:
    """Forget the variables that a nested function assigns, or whose lists it changes under conditions."""
    for name in rebound_outside(node):
        frame.shared.add(name)
        frame.env[name] = Unknown("a nested function changes it")
    for name in changed_names(node):
        if isinstance(frame.env.get(name), (Sequence, Elements, Dictionary)):
            frame.shared.add(name)
            frame.env[name] = Unknown("a nested function changes it")


def may_change(frame: Frame, values: list[AnyValue]) -> None:
    """Forget the lists and dictionaries that a function is given which cannot be followed."""
    for value in values:
        if isinstance(value, Dictionary) or (isinstance(value, Sequence) and value.kind == "list"):
            kind = "dict" if isinstance(value, Dictionary) else "list"
            replace_value(frame, value, Elements(Unknown("a function may change it"), None, kind))
        elif isinstance(value, Elements):
            value.length, value.taken = None, {}


class Replacement(Copies):
    """Copies in which one value stands for another, wherever it stood."""

    __slots__ = ()

    def __init__(self, old: AnyValue, new: AnyValue) -> None:
        super().__init__()
        self._made[id(old)] = new
