"""What axis names stand for beyond arguments: attributes of the object, parameters, what stands between braces."""

from __future__ import annotations

import ast

from shapecheck.annotations import parse_annotation
from shapecheck.annotations.hints import arrays
from shapecheck.dims import Dim, Kind
from shapecheck.rules.observed import BATCH_NAMES
from shapecheck.shapes import (
    AnyValue,
    Opaque,
    scope,
)
from shapecheck.static.configs import Setting, settings
from shapecheck.static.declare import Names
from shapecheck.static.frame import Frame
from shapecheck.static.signature import Signature, signature_of
from shapecheck.static.values import (
    Instance,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from shapecheck.annotations.expression import Path
    from shapecheck.dims import Scope
    from shapecheck.static.classes import ClassIndex
    from shapecheck.static.index import ModuleIndex
    from shapecheck.static.interpreter import Interpreter


def path_reader(
    interpreter: Interpreter, index: ModuleIndex, values: dict[str, AnyValue], instance: AnyValue | None
) -> Callable[[Path], Dim | None]:
    """What reads ``{self.d}`` and ``{n}`` in shape strings, among the arguments of a call."""

    def read(path: Path) -> Dim | None:
        parts = path.parts
        if not parts:
            return None
        value: AnyValue | None = values.get(parts[0])
        if value is None and parts[0] == "self":
            value = instance
        frame = Frame(interpreter, index, "<annotation>", depth=1)
        for part in parts[1:]:
            if value is None:
                return None
            value = _attribute(frame, value, part)
        if isinstance(value, Opaque):
            return value.size()
        settled = interpreter.settle(value) if value is not None else None
        return settled if isinstance(settled, Dim) else None

    return read


def _attribute(frame: Frame, value: AnyValue, name: str) -> AnyValue:
    from shapecheck.static.attributes import attribute_of

    return attribute_of(frame, value, name, ast.Pass())


def tie_instance(
    frame: Frame, instance: Instance, signature: Signature, names: Names, owner: ClassIndex | None = None
) -> None:
    """The axis names of a method that its object knows: ``dims=``, and required int parameters of the constructor."""
    for name, size in explicit_ties(frame, instance).items():
        if name in signature.names:
            names.bound[name] = size
    scope().widths |= instance.widths
    for name, size in implicit_ties(instance, signature, owner).items():
        names.bound.setdefault(name, size)


def explicit_ties(frame: Frame, instance: Instance) -> dict[str, Dim]:
    """The axis names that ``@shapechecked(dims={...})`` ties to attributes, those of the class before its bases'."""
    found: dict[str, Dim] = {}
    for cls in reversed(instance.cls.mro):
        for name, path in cls.dims.items():
            size = attribute_size(frame, instance, path)
            if size is not None:
                found[name] = size
    return found


def implicit_ties(instance: Instance, signature: Signature, owner: ClassIndex | None = None) -> dict[str, Dim]:
    """The axis names of a method that required int parameters of the constructor are called by.

    The constructor is that of the class which defines the method, with the arguments it was given.
    """
    found = (owner or instance.cls).method("__init__")
    if found is None:
        return {}
    parameters = signature_of(found[1], found[0].index).parameters
    names = [one.name for one in parameters if one.name in signature.names and one.is_required_int]
    # Most objects need not be looked into for that: their constructor may be postponed.
    given = instance.constructed.get(found[0], {}) if names else {}
    return {name: size for name in names if isinstance(size := given.get(name), Dim)}


def declared_ties(instance: Instance, signature: Signature, scope: Scope) -> dict[str, Dim]:
    """The axis names of a method that annotations of the object's attributes mention too.

    Those are annotated in the class, or given to the constructor as tensors. A batch is one of its own in every call,
    and what the constructor makes of a name's number is nothing that its methods rely on.
    """
    shared = {
        name: size for name, size in instance.names.items()
        if name in signature.names and name not in BATCH_NAMES and isinstance(size, Dim)
    }
    if not shared:
        return {}
    mentioned = _mentioned(instance.cls)
    ties: dict[str, Dim] = {}
    for name, size in shared.items():
        symbol = scope.normal(size).symbol
        if name in mentioned and symbol is not None and symbol.kind is Kind.FLEXIBLE:
            ties[name] = size
    return ties


def setting_ties(
    instance: Instance, signature: Signature, body: ast.AST, owner: ClassIndex | None = None
) -> dict[str, Setting]:
    """The axis names of a method that sizes in configurations are called by: those its object was made with."""
    found = (owner or instance.cls).method("__init__")
    given = {} if found is None else instance.constructed.get(found[0], {})
    values = {f"self.{name}": value for name, value in instance.attributes.items()} | given
    return settings(values, signature.names, body) if signature.names else {}


def _mentioned(cls: ClassIndex) -> set[str]:
    """The axis names in the class-level annotations of a class, and in those of its constructor."""
    hints = [parse_annotation(field.annotation, owner.index) for owner, field in cls.all_fields()]
    found = cls.method("__init__")
    if found is not None:
        parameters = signature_of(found[1], found[0].index).parameters
        hints += [parameter.hint for parameter in parameters if parameter.hint is not None]
    return {name for hint in hints for array in arrays(hint) for name in array.spec.shape.bound}


def attribute_size(frame: Frame, instance: Instance, path: str) -> Dim | None:
    """The size that an attribute path such as ``d_model`` or ``tok.weight.shape[0]`` leads to."""
    try:
        expression = ast.parse(f"self.{path}", mode="eval").body
    except SyntaxError:
        return None
    inner = Frame(frame.interpreter, instance.cls.index, instance.cls.name, instance=instance, depth=1)
    inner.env["self"] = instance
    frame.interpreter.silent += 1
    try:
        value = frame.interpreter.settle(inner.evaluate(expression))
    finally:
        frame.interpreter.silent -= 1
    if isinstance(value, Opaque):
        return value.size()
    return value if isinstance(value, Dim) else None
