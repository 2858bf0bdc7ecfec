"""Methods of lists, tuples, dictionaries and containers of modules."""

from __future__ import annotations

import ast

from shapecheck.dims import Dim
from shapecheck.shapes import (
    NONE,
    AnyValue,
    Constant,
    Opaque,
    Rest,
    Sequence,
    Unknown,
)
from shapecheck.static.builtins import as_size
from shapecheck.static.copies import acyclic, replace_value
from shapecheck.static.iteration import iterate
from shapecheck.static.joins import elements_of, join, join_all
from shapecheck.static.loosen import take
from shapecheck.static.values import (
    BoundMethod,
    Container,
    Dictionary,
    Elements,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from shapecheck.static.frame import Frame

    Builtin = Callable[[Frame, ast.AST, list[AnyValue], dict[str, AnyValue]], AnyValue]


def call_method(frame: Frame, node: ast.AST, method: BoundMethod, args: list[AnyValue]) -> AnyValue:
    """A call of a method of a list, tuple, dictionary, string or number."""
    receiver, name = method.receiver, method.name
    if isinstance(receiver, Sequence):
        return _sequence_method(receiver, name, args, frame)
    if isinstance(receiver, Elements):
        return _elements_method(frame, receiver, name, args)
    if isinstance(receiver, Dictionary):
        return _dictionary_method(frame, receiver, name, args)
    if isinstance(receiver, Container):
        return _container_method(frame, receiver, name, args)
    if isinstance(receiver, Dim) and name == "item":
        return receiver
    del node
    return Unknown(f"the method {name} is not followed")


_GROWING = frozenset(("append", "appendleft", "insert", "extend", "remove", "clear", "update", "rotate"))
_REORDERING = frozenset(("sort", "reverse"))


def _becomes_unknown(frame: Frame, receiver: Sequence, *others: AnyValue, length: Dim | None = None) -> Elements:
    """A list of which only the kind of its items is known from here on."""
    values = [*elements_of(receiver), *others]
    element = join_all(values) if values else Unknown("an item of an empty sequence")
    made = Elements(element, length)
    replace_value(frame, receiver, made)
    return made


def _sequence_method(receiver: Sequence, name: str, args: list[AnyValue], frame: Frame) -> AnyValue:
    """A method of a list or tuple whose items are known one by one."""
    items = receiver.items
    count = Dim.of(len(items))
    args = [acyclic(receiver, arg) for arg in args]
    if name == "append" and args:
        items.append(args[0])
    elif name == "extend" and args:
        found = iterate(frame, args[0])
        if isinstance(found, list):
            items.extend(found)
        else:
            length = None if found.length is None else count + found.length
            _becomes_unknown(frame, receiver, found.element, length=length)
    elif name == "insert" and len(args) == 2:
        place = args[0].constant if isinstance(args[0], Dim) else None
        if place is not None:
            items.insert(place, args[1])
        else:
            _becomes_unknown(frame, receiver, args[1], length=count + 1)
    elif name == "reverse":
        items.reverse()
    elif name == "clear":
        items.clear()
    elif name == "sort":
        if len(items) > 1:
            _becomes_unknown(frame, receiver, length=count)
    elif name == "remove":
        _becomes_unknown(frame, receiver, length=count - 1)
    elif name == "pop":
        position = args[0].constant if args and isinstance(args[0], Dim) else -1 if not args else None
        if position is None or not -len(items) <= position < len(items):
            _becomes_unknown(frame, receiver, length=count - 1)
            return Unknown("an item at an unknown place")
        found_item = items.pop(position)
        return Unknown("a size") if isinstance(found_item, Rest) else found_item
    elif name == "copy":
        return Sequence(items, receiver.kind)
    elif name == "numel":
        return _product(items)
    elif name == "_replace":
        return Unknown("a changed tuple")
    elif name in {"index", "count"}:
        return Opaque(name)
    else:
        return Unknown(f"the method {name} is not followed")
    return NONE


def _product(items: list[AnyValue | Rest]) -> AnyValue:
    total = Dim.of(1)
    for item in items:
        size = item.size if isinstance(item, Rest) else as_size(item)
        if size is None:
            return Unknown("a product of unknown sizes")
        total *= size
    return total


def _elements_method(frame: Frame, receiver: Elements, name: str, args: list[AnyValue]) -> AnyValue:
    """A method of a container of which only the kind of its items is known."""
    key = frame.interpreter.key(args[0]) if args else None
    args = [acyclic(receiver, arg) for arg in args]
    if name in _GROWING or name in _REORDERING:
        if name in {"append", "appendleft", "insert"} and args:
            receiver.element = join(receiver.element, args[-1])
        elif name == "extend" and args:
            found_items = iterate(frame, args[0])
            others = found_items if isinstance(found_items, list) else [found_items.element]
            for other in others:
                receiver.element = join(receiver.element, other)
        elif name == "update":
            receiver.element = Unknown("a dictionary that changes")
        receiver.taken = {}
        if name not in {"sort", "reverse"}:
            receiver.length = None
        return NONE
    if name == "pop":
        receiver.length = None
        return take(receiver)
    if name in {"get", "__getitem__", "setdefault"}:
        found = take(receiver, key)
        default = args[1] if len(args) > 1 else NONE
        return found if name == "__getitem__" or receiver.kind != "dict" else join(found, default)
    if name == "values":
        return Elements(receiver.element, receiver.length, "list", receiver.own)
    if name == "items":
        return Elements(Sequence([Unknown("a key"), receiver.element]), receiver.length, "list", receiver.own)
    if name == "keys":
        return Elements(Unknown("a key"), receiver.length)
    return Unknown(f"the method {name} is not followed")


def _dictionary_method(frame: Frame, receiver: Dictionary, name: str, args: list[AnyValue]) -> AnyValue:
    args = [acyclic(receiver, arg) for arg in args]
    if name == "values":
        return Sequence(list(receiver.items.values()), "list")
    if name == "items":
        return Sequence([Sequence([_key_value(key), value]) for key, value in receiver.items.items()], "list")
    if name == "keys":
        return Sequence([_key_value(key) for key in receiver.items], "list")
    key = frame.interpreter.key(args[0]) if args else None
    if name in {"get", "pop", "setdefault"} and key is not None:
        if key in receiver.items:
            return receiver.items.pop(key) if name == "pop" else receiver.items[key]
        if name == "setdefault":
            receiver.items[key] = args[1] if len(args) > 1 else NONE
        return args[1] if len(args) > 1 else NONE
    if name == "update" and args and isinstance(args[0], Dictionary):
        receiver.items.update(args[0].items)
        return NONE
    if name == "update":
        replace_value(frame, receiver, Elements(Unknown("a dictionary with unknown keys"), None, "dict"))
        return NONE
    return Dictionary(dict(receiver.items)) if name == "copy" else Unknown(f"the method {name} is not followed")


def _key_value(key: object) -> AnyValue:
    return Dim.of(key) if type(key) is int else Constant(key)


def _container_method(frame: Frame, receiver: Container, name: str, args: list[AnyValue]) -> AnyValue:
    if name == "append" and args:
        receiver.items[str(len(receiver.items))] = args[0]
        return receiver
    if name in {"extend", "add_module"} and args:
        found = iterate(frame, args[0])
        if name == "extend" and isinstance(found, list):
            for item in found:
                receiver.items[str(len(receiver.items))] = item
            return receiver
        if name == "add_module" and len(args) == 2 and isinstance(args[0], Constant):
            receiver.items[str(args[0].value)] = args[1]
            return NONE
    if name == "values":
        return Sequence(list(receiver.items.values()), "list")
    if name == "keys":
        return Sequence([Constant(key) for key in receiver.items], "list")
    if name == "items":
        return Sequence([Sequence([Constant(key), value]) for key, value in receiver.items.items()], "list")
    if name in _MODULE_SELF:
        return receiver
    return Unknown(f"the method {name} is not followed")


_MODULE_SELF = frozenset(("to", "cuda", "cpu", "eval", "train", "half", "float", "double", "bfloat16", "requires_grad_",
                          "apply", "type"))  # fmt: skip
