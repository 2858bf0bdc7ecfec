"""Objects of project classes: their attributes and methods."""

from __future__ import annotations

import ast
from functools import partial

from shapecheck.annotations import ArrayHint, parse_annotation, walk
from shapecheck.dims import Kind
from shapecheck.shapes import NONE, AnyValue, Constant, Opaque, Sequence, Unknown, scope
from shapecheck.static.classes import ClassIndex, class_of
from shapecheck.static.declare import Names, introduce
from shapecheck.static.fits import check
from shapecheck.static.frame import Frame
from shapecheck.static.joins import join
from shapecheck.static.reassigned import check_reassigned, says_less
from shapecheck.static.signature import signature_of
from shapecheck.static.values import (
    BoundMethod,
    ClassValue,
    Container,
    Dictionary,
    Elements,
    FunctionValue,
    Instance,
    Super,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.static.index import Function
    from shapecheck.static.interpreter import Interpreter


_UNKNOWN_MODULE_ATTRIBUTES = frozenset(("training", "device", "dtype"))


def names_of(instance: Instance) -> Names:
    """The axis names of an object: all its fields share them, those that may be None as well."""
    names = Names(Kind.FLEXIBLE, instance.names)  # type: ignore[arg-type]  # sizes are what both hold
    names.conditional = names.bound
    return names


def instance_attribute(frame: Frame, owner: Instance, name: str, node: ast.AST) -> AnyValue:
    """An attribute of an object, looked up as Python does."""
    found = owner.attributes.get(name)
    scope().widths |= owner.widths
    cls = owner.cls
    if found is not None:
        if owner.building or owner.is_followed or is_declared(owner, name):
            return found
        if name in cls.assigned_late:
            return Unknown("an attribute assigned outside the constructor")
        if name in cls.changed_late and isinstance(found, (Sequence, Dictionary, Elements, Container)):
            return Unknown("an attribute changed outside the constructor")
        return found
    method = cls.method(name)
    if method is not None:
        return _method(frame, owner, name, method, node)
    declared = _declared(frame.interpreter, owner, name)
    if declared is not None:
        return declared
    value = class_attribute(frame, cls, name)
    if not isinstance(value, Unknown):
        return value
    if cls.is_module and name in _UNKNOWN_MODULE_ATTRIBUTES:
        return Unknown(f"the attribute {name}")
    if name in cls.assigned_late or not owner.complete or not cls.is_known:
        made = owner.attributes[name] = Opaque(f"self.{name}" if owner is frame.instance else f"{cls.name}.{name}")
        return made
    return BoundMethod(owner, name)


def _method(
    frame: Frame, owner: Instance, name: str, found: tuple[ClassIndex, Function], node: ast.AST
) -> AnyValue:
    defining, function = found
    signature = signature_of(function, defining.index)
    value = FunctionValue(function, defining.index, f"{owner.cls.name}.{name}", bound=owner, owner=defining)
    if signature.has("staticmethod"):
        value.bound = None
        return value
    if signature.has("classmethod"):
        value.bound = ClassValue(owner.cls)
        return value
    if signature.has("property") or signature.has("cached_property"):
        if not owner.is_exact and not signature.declares_result and owner.cls.is_overridden(name):
            return Unknown("a property that subclasses override")
        return frame.interpreter.call(frame, node, value, [], {})
    if not owner.is_exact and not signature.declares_result and owner.cls.is_overridden(name):
        return Unknown("a method that subclasses override")
    return value


def is_declared(owner: Instance, name: str) -> bool:
    """Whether a class-level annotation declares an attribute."""
    return any(name in cls.fields for cls in owner.cls.mro)


def _declared(interpreter: Interpreter, owner: Instance, name: str) -> AnyValue | None:
    """The value that a class-level annotation alone declares, made once."""
    for cls in owner.cls.mro:
        field = cls.fields.get(name)
        if field is None:
            continue
        hint = parse_annotation(field.annotation, cls.index)
        names = names_of(owner)
        value = introduce(hint, names, partial(interpreter.plain_value, cls.index, name=f"self.{name}"))
        owner.attributes[name] = value
        return value
    return None


def set_attribute(frame: Frame, owner: Instance, name: str, value: AnyValue, node: ast.AST) -> None:
    """Assign an attribute; a class-level annotation of a tensor is checked."""
    interpreter = frame.interpreter
    setter = owner.cls.method(f"{name}.setter")
    if setter is not None:
        function = FunctionValue(setter[1], setter[0].index, f"{owner.cls.name}.{name}", bound=owner, owner=setter[0])
        interpreter.call(frame, node, function, [value], {})
        return
    for cls in owner.cls.mro:
        field = cls.fields.get(name)
        if field is None:
            continue
        hint = parse_annotation(field.annotation, cls.index)
        if any(isinstance(part, ArrayHint) for part in walk(hint)):
            interpreter.at(frame, node)
            if owner.building:
                names = names_of(owner)
                misfit = check(hint, value, names)
            else:
                misfit, names = check_reassigned(frame, owner, hint, value)
            if misfit is not None:
                interpreter.report_misfit(frame, node, misfit, "SC206", names, f"self.{name}")
                owner.attributes.pop(name, None)
                return
            if owner.building and says_less(owner, value):
                owner.attributes.pop(name, None)
                if _declared(interpreter, owner, name) is not None:
                    return
        break
    if (
        not owner.building and name not in owner.cls.assigned_late and owner is not frame.instance
        and not _is_followed_here(frame, owner)
    ):
        # Changed from outside: neither the old nor the new value is certain for other methods.
        known = owner.attributes.get(name)
        value = value if known is None else join(known, value)
    owner.attributes[name] = value


def _is_followed_here(frame: Frame, owner: Instance) -> bool:
    """Whether an object is an argument of the function under analysis, and its assignment no matter of a condition."""
    if frame.depth or frame.loops or frame.interpreter.conditional or frame.signature is None:
        return False
    return any(frame.env.get(parameter.name) is owner for parameter in frame.signature.parameters)


def class_attribute(frame: Frame, cls: ClassIndex, name: str) -> AnyValue:
    """An attribute of a class: a method, a constant, a nested class."""
    for owner in cls.mro:
        if name in owner.methods:
            function = owner.methods[name]
            value = FunctionValue(function, owner.index, f"{cls.name}.{name}", owner=owner)
            if signature_of(function, owner.index).has("classmethod"):
                value.bound = ClassValue(cls)
            return value
        expression = owner.assigned.get(name)
        if expression is None and name in owner.fields:
            expression = owner.fields[name].default
        if expression is not None:
            found = Frame(frame.interpreter, owner.index, cls.name, depth=frame.depth + 1).evaluate(expression)
            if isinstance(found, Unknown) and any(base.startswith("enum.") for base in owner.external_bases):
                # `RGB = enum.auto()`: a member is no other member, and may be a key.
                return Constant((owner.index.path, owner.name, name))
            return found
        if name in owner.nested:
            return ClassValue(class_of(owner.nested[name], owner.index))
    return Unknown(f"{cls.name} has no known attribute {name}")


def super_attribute(frame: Frame, owner: Super, name: str) -> AnyValue:
    """A method of a base class, bound to the object."""
    instance = owner.instance
    if not isinstance(instance, Instance):
        return Unknown("super() of an unknown object")
    found = instance.cls.method(name, owner.owner)
    if found is not None:
        return FunctionValue(found[1], found[0].index, f"{found[0].name}.{name}", bound=instance, owner=found[0])
    if name in {"__init__", "__post_init__"}:
        if not instance.cls.is_known:
            instance.complete = False
        return BoundMethod(instance, name)
    order = instance.cls.mro
    # Never what the class itself says: `super().__call__(...)` in a `__call__` is that of a base.
    for base in order[order.index(owner.owner) + 1 :] if owner.owner in order else ():
        value = class_attribute(frame, base, name)
        if not isinstance(value, Unknown):
            return value
    return BoundMethod(instance, name)


def call_method(frame: Frame, owner: Instance, name: str, args: list[AnyValue], node: ast.AST) -> AnyValue:
    """A call of a method by name, as an operator or a call of the object makes it."""
    found = owner.cls.method(name)
    if found is None:
        return Unknown(f"{owner.cls.name} has no known method {name}")
    function = FunctionValue(found[1], found[0].index, f"{owner.cls.name}.{name}", bound=owner, owner=found[0])
    return frame.interpreter.call(frame, node, function, args, {})


def module_method(frame: Frame, node: ast.AST, owner: Instance, name: str, args: list[AnyValue],
                  kwargs: dict[str, AnyValue]) -> AnyValue:  # fmt: skip
    """A method that ``nn.Module`` brings."""
    if name in {"register_buffer", "register_parameter", "add_module", "register_module", "__setattr__"}:
        values = [*args, *kwargs.values()]
        key = values[0].value if values and isinstance(values[0], Constant) else None
        if isinstance(key, str) and len(values) > 1:
            owner_value = kwargs.get("tensor", kwargs.get("param", args[1] if len(args) > 1 else values[1]))
            set_attribute(frame, owner, key, owner_value, node)
        else:
            owner.complete = False
        return NONE
    if name in {"to", "cuda", "cpu", "eval", "train", "half", "float", "double", "requires_grad_", "apply", "type",
                "bfloat16", "share_memory", "compile"}:  # fmt: skip
        return owner
    if name in {"__init__", "__post_init__", "register_forward_hook", "zero_grad", "load_state_dict",
                "register_forward_pre_hook", "register_load_state_dict_pre_hook"}:  # fmt: skip
        return NONE
    if name == "_replace" and owner.cls.is_record:
        copy = Instance(owner.cls)
        copy.attributes = {**owner.attributes, **kwargs}
        return copy
    if name == "__dict__":
        return Dictionary(dict(owner.attributes.items()))
    return Unknown(f"{owner.cls.name} has no known attribute {name}")
