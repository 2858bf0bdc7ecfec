"""Assignment: names, attributes, items, and the unpacking of tuples, shapes and tensors."""

from __future__ import annotations

import ast

from shapecheck.dims import Dim, Kind, Symbol
from shapecheck.shapes import (
    AnyValue,
    Axis,
    Fault,
    Mismatch,
    Opaque,
    Rest,
    Sequence,
    Shape,
    Slice,
    Tensor,
    Unknown,
)
from shapecheck.static.aliases import forget_values, replace_tensor
from shapecheck.static.copies import acyclic, replace_value
from shapecheck.static.facts import with_rank
from shapecheck.static.frame import Frame
from shapecheck.static.handing_out import hand_out
from shapecheck.static.joins import elements_of, join, join_all
from shapecheck.static.loosen import take
from shapecheck.static.rows import plain
from shapecheck.static.values import Container, Dictionary, Elements, Instance

TYPE_CHECKING = False


def assign(frame: Frame, target: ast.expr, value: AnyValue, source: ast.expr | None) -> None:
    """Bind a target of an assignment to a value; ``source`` is the expression it came from."""
    if isinstance(target, ast.Name):
        shared = bool(frame.shared) and target.id in frame.shared
        frame.env[target.id] = Unknown("a nested function changes it") if shared else value
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(frame, target, value, source)
    elif isinstance(target, ast.Attribute):
        hand_out(frame, value)
        owner = frame.evaluate(target.value)
        if isinstance(owner, Instance):
            frame.interpreter.set_attribute(frame, owner, target.attr, value, target)
        elif isinstance(owner, Opaque):
            known = owner.attributes.get(target.attr)
            owner.attributes[target.attr] = value if known is None else join(known, value)
        elif isinstance(owner, Tensor) and target.attr == "data":
            # `x.data = y` changes what x is.
            replace_tensor(frame, owner, value)
    elif isinstance(target, ast.Subscript):
        _store(frame, target, value)
    elif isinstance(target, ast.Starred):
        assign(frame, target.value, value, source)


def _store(frame: Frame, target: ast.Subscript, value: AnyValue) -> None:
    """Assign to an item of a tensor, list or dictionary."""
    owner = frame.evaluate(target.value)
    if isinstance(owner, Tensor):
        index = frame.evaluate(target.slice)
        found = frame.interpreter.set_item(owner, index, value)
        if isinstance(found, Mismatch):
            frame.report(target, found, "an assignment to a part of a tensor")
        forget_values(frame, target.value)
        return
    key = frame.evaluate(target.slice)
    value = acyclic(owner, value)
    if isinstance(owner, Dictionary):
        constant = frame.interpreter.key(key)
        if constant is None:
            forget_keys(frame, owner, value)
        else:
            owner.items[constant] = value
    elif isinstance(owner, Sequence) and owner.kind == "list" and isinstance(key, Dim):
        position = key.constant
        if position is not None and -len(owner.items) <= position < len(owner.items):
            owner.items[position] = value
        else:
            for position, item in enumerate(owner.items):
                owner.items[position] = item if isinstance(item, Rest) else join(item, value)
    elif isinstance(owner, Sequence) and owner.kind == "list":
        # `items[1:] = others`
        replace_value(frame, owner, Elements(Unknown("a list whose items are replaced")))
    elif isinstance(owner, Elements):
        added = value
        if isinstance(key, Slice):
            new: list[AnyValue] = [Unknown("new items")]
            if isinstance(value, (Sequence, Elements)):
                new = elements_of(value) or [owner.element]
            added = join_all(new)
            owner.length = None
        owner.element = join(owner.element, added)
        owner.taken = {}


def forget_keys(frame: Frame, owner: Dictionary, *values: AnyValue) -> None:
    """From here on only what the values look like is known."""
    known = [*owner.items.values(), *values] or [Unknown("a value of an empty dictionary")]
    replace_value(frame, owner, Elements(join_all(known), None, "dict"))


def _unpack(frame: Frame, target: ast.Tuple | ast.List, value: AnyValue, source: ast.expr | None) -> None:
    """Assign to several names, as many as what is unpacked must have items; of a shape that tells its rank."""
    count = len(target.elts)
    starred = next((n for n, part in enumerate(target.elts) if isinstance(part, ast.Starred)), None)
    if isinstance(value, Container) and value.kind != "ModuleDict":
        value = Sequence(value.items.values(), "list")
    if starred is None and isinstance(value, Sequence) and any(isinstance(item, Rest) for item in value.items):
        _learn_rank(frame, source, count)
        if source is not None and _is_shape(source) and not isinstance(source, ast.Subscript):
            value = frame.evaluate(source)
    if isinstance(value, Sequence) and not any(isinstance(item, Rest) for item in value.items):
        items = [item for item in value.items if not isinstance(item, Rest)]
        if starred is None and len(items) == count:
            for part, item in zip(target.elts, items, strict=True):
                assign(frame, part, item, None)
            return
        if starred is not None and len(items) >= count - 1:
            tail = count - starred - 1
            for part, item in zip(target.elts[:starred], items, strict=False):
                assign(frame, part, item, None)
            assign(frame, target.elts[starred], Sequence(items[starred : len(items) - tail], "list"), None)
            for part, item in zip(target.elts[count - tail :], items[len(items) - tail :], strict=True):
                assign(frame, part, item, None)
            return
        frame.report(
            source or target,
            Mismatch(Fault.UNPACK, left=Dim.of(len(items)), right=Dim.of(count), detail=_what(source)),
        )
    elif isinstance(value, Sequence) and _unpack_around_rest(frame, target, value):
        return
    elif isinstance(value, Tensor):
        _unpack_tensor(frame, target, value, source)
        return
    elif isinstance(value, Elements) and value.kind != "dict":
        for part in target.elts:
            assign(frame, part, take(value), None)
        return
    for part in target.elts:
        name = part.id if isinstance(part, ast.Name) else "?"
        if isinstance(value, Unknown) and not _is_shape(source):
            assign(frame, part, plain(value), None)
        else:
            assign(frame, part, Opaque(name), None)


def _what(source: ast.expr | None) -> str:
    return "shape" if _is_shape(source) else "tuple"


def _is_shape(source: ast.expr | None) -> bool:
    """Whether an expression is the shape of something: ``x.shape``, ``x.size()``, ``x.shape[:2]``."""
    if isinstance(source, ast.Subscript):
        return _is_shape(source.value)
    if isinstance(source, ast.Attribute):
        return source.attr == "shape"
    return isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute) and source.func.attr == "size"


def _unpack_around_rest(frame: Frame, target: ast.Tuple | ast.List, value: Sequence) -> bool:
    """``*lead, d = x.shape`` where the shape begins with any number of axes."""
    rest = next(n for n, item in enumerate(value.items) if isinstance(item, Rest))
    starred = next((n for n, part in enumerate(target.elts) if isinstance(part, ast.Starred)), None)
    tail = len(value.items) - rest - 1
    if starred is None:
        if len(target.elts) < len(value.items) - 1:
            return False
        parts = target.elts
        for part, item in zip(parts[:rest], value.items[:rest], strict=False):
            assign(frame, part, item, None)  # type: ignore[arg-type]  # items before the Rest
        for part in parts[rest : len(parts) - tail]:
            name = part.id if isinstance(part, ast.Name) else "?"
            assign(frame, part, Dim.of(Symbol(name, Kind.FLEXIBLE)), None)
        for part, item in zip(parts[len(parts) - tail :], value.items[len(value.items) - tail :], strict=True):
            assign(frame, part, item, None)  # type: ignore[arg-type]  # items behind the Rest
        return True
    after = len(target.elts) - starred - 1
    if starred > rest or after > tail:
        return False
    for part, item in zip(target.elts[:starred], value.items, strict=False):
        assign(frame, part, item, None)  # type: ignore[arg-type]  # items before the Rest
    middle = value.items[starred : len(value.items) - after]
    assign(frame, target.elts[starred], Sequence(middle, "list"), None)
    for part, item in zip(target.elts[starred + 1 :], value.items[len(value.items) - after :], strict=True):
        assign(frame, part, item, None)  # type: ignore[arg-type]  # items behind the Rest
    return True


def _unpack_tensor(frame: Frame, target: ast.Tuple | ast.List, value: Tensor, source: ast.expr | None) -> None:
    """Unpacking a tensor takes its first axis apart."""
    first = value.shape.axis(0) if value.shape.axes else None
    if isinstance(first, Axis):
        length = frame.interpreter.scope.normal(first.size).constant
        starred = any(isinstance(part, ast.Starred) for part in target.elts)
        if length is not None and length != len(target.elts) and not starred:
            frame.report(
                source or target,
                Mismatch(
                    Fault.UNPACK, left=first.size, right=Dim.of(len(target.elts)), left_shape=value.shape,
                    detail="tensor",
                ),
            )
    item = value.reshaped(Shape(value.shape.axes[1:])) if isinstance(first, Axis) else value.reshaped(Shape.unknown())
    for part in target.elts:
        if isinstance(part, ast.Starred):
            assign(frame, part, Elements(item), None)
        else:
            assign(frame, part, item, None)


def _learn_rank(frame: Frame, source: ast.expr | None, count: int) -> None:
    """``b, t, d = x.shape`` says that x has three axes."""
    owner = None
    if isinstance(source, ast.Attribute) and source.attr == "shape":
        owner = source.value
    elif isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute) and source.func.attr == "size":
        owner = source.func.value if not source.args else None
    if not isinstance(owner, ast.Name):
        return
    tensor = frame.env.get(owner.id)
    ranked = with_rank(tensor, count, owner.id) if isinstance(tensor, Tensor) else None
    if ranked is not None:
        frame.env[owner.id] = ranked
