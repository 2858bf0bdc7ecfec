"""Attributes of abstract values."""

from __future__ import annotations

import ast

from shapecheck.dims import Dim
from shapecheck.ops import ATTRIBUTES
from shapecheck.shapes import (
    NONE,
    AnyValue,
    Constant,
    Extreme,
    Mismatch,
    Number,
    Opaque,
    Rest,
    Sequence,
    Tensor,
    Unknown,
)
from shapecheck.static import arrays, rows
from shapecheck.static.aliases import own
from shapecheck.static.frame import is_fault
from shapecheck.static.joins import one_of
from shapecheck.static.values import (
    LIMITS,
    BoundMethod,
    ClassValue,
    Container,
    Dictionary,
    Elements,
    External,
    Instance,
    Layer,
    OneOf,
    Partial,
    ProjectModule,
    Rows,
    Super,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from shapecheck.static.frame import Frame


def attribute_of(frame: Frame, owner: AnyValue, name: str, node: ast.AST) -> AnyValue:
    """An attribute of a value."""
    if isinstance(owner, Tensor):
        if not arrays.has_torch_attribute(owner, name):
            return BoundMethod(owner, name)
        rule = ATTRIBUTES.get(name)
        if rule is not None:
            frame.interpreter.at(frame, node)
            found = rule(owner)
            if isinstance(found, Mismatch):
                return frame.report(node, found, f".{name}")
            made = frame.interpreter.watched(frame, node, f"torch.Tensor.{name}", [owner], {}, found, f".{name}")
            return own(made, [owner])
        return BoundMethod(owner, name)
    if isinstance(owner, Instance):
        return frame.interpreter.instance_attribute(frame, owner, name, node)
    if isinstance(owner, External):
        return external_attribute(owner, name)
    if isinstance(owner, Opaque):
        return owner.attribute(name)
    if isinstance(owner, Sequence):
        if owner.fields is not None and name in owner.fields:
            item = owner.items[owner.fields.index(name)]
            return Unknown("a field of unknown length") if isinstance(item, Rest) else item
        return BoundMethod(owner, name)
    if isinstance(owner, Layer):
        return _layer_attribute(owner, name)
    if isinstance(owner, ProjectModule):
        return frame.interpreter.module_name(owner.index, name)
    if isinstance(owner, ClassValue):
        return frame.interpreter.class_attribute(frame, owner.cls, name)
    if isinstance(owner, Super):
        return frame.interpreter.super_attribute(frame, owner, name)
    if isinstance(owner, OneOf):
        known = [option for option in owner.options if option != NONE]
        if known:
            return of_options(frame, known, lambda option: attribute_of(frame, option, name, node))
    if isinstance(owner, Container):
        return owner.items[name] if name in owner.items else BoundMethod(owner, name)
    if isinstance(owner, (Elements, Dictionary, Constant, Dim, Number)):
        return BoundMethod(owner, name)
    if isinstance(owner, Partial) and name == "func":
        return owner.function
    if isinstance(owner, Rows):
        field = rows.attribute(owner, name)
        return BoundMethod(owner, name) if field is None else field
    return Unknown(owner.why if isinstance(owner, Unknown) else "an attribute that is not followed")


def of_options(frame: Frame, options: list[AnyValue], make: Callable[[AnyValue], AnyValue]) -> AnyValue:
    """What each of several values gives; those that cannot give any are not the value here, unless none can."""
    if len(options) == 1:
        return make(options[0])
    frame.interpreter.silent += 1
    try:
        found = [made for made in [make(option) for option in options] if not is_fault(made)]
    finally:
        frame.interpreter.silent -= 1
    return one_of(found) if found else make(options[0])


_INFINITIES = frozenset(("math.inf", "torch.inf", "numpy.inf"))
_FLOATS = frozenset(("math.pi", "math.e", "math.nan", "math.tau", "torch.pi", "torch.nan", "numpy.pi", "torch.e"))


def external_attribute(owner: External, name: str) -> AnyValue:
    """A name of a library."""
    dotted = f"{owner.name}.{name}"
    if dotted in _INFINITIES or (owner.name == LIMITS and name in {"min", "max"}):
        return Extreme(negative=name == "min")
    if dotted in _FLOATS or owner.name == LIMITS:
        return Number("float")
    return External(dotted)


def _layer_attribute(owner: Layer, name: str) -> AnyValue:
    if name in owner.attributes:
        return owner.attributes[name]
    found = owner.rule.attributes().get(name)
    if found is not None:
        owner.attributes[name] = found
        return found
    return BoundMethod(owner, name)
