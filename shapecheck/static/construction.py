"""Construction of objects of project classes: parameters, constructors, records."""

from __future__ import annotations

import ast

from shapecheck.annotations import ArrayHint, OtherHint, UnionHint, parse_annotation, walk
from shapecheck.dims import Dim, Kind, Symbol
from shapecheck.shapes import NONE, AnyValue, Constant, Number, Opaque, Unknown, scope
from shapecheck.static.classes import ClassIndex
from shapecheck.static.declare import Names, introduce
from shapecheck.static.dtypes import check_dtype
from shapecheck.static.fits import check
from shapecheck.static.frame import Frame
from shapecheck.static.objects import names_of
from shapecheck.static.orders import check_orders
from shapecheck.static.signature import Parameter, is_plain, optional_of, signature_of
from shapecheck.static.values import (
    FunctionValue,
    Instance,
    OneOf,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from shapecheck.static.interpreter import Interpreter

NOTHING: Mapping[str, AnyValue] = {}
MAX_BUILDING = 12
"""Constructors that construct constructors; a deeper nest is left unknown."""



# -- parameters ------------------------------------------------------------------------------------------------------


def parameter_value(
    interpreter: Interpreter, frame: Frame, parameter: Parameter, names: Names, owner: object
) -> AnyValue:
    """The value of a parameter in a call of which nothing is known."""
    hint, default = parameter.hint, parameter.default
    constant = default.value if isinstance(default, ast.Constant) else ...
    number = constant if type(constant) is int else None
    if hint is None:
        if number is not None:
            return Dim.of(Symbol(parameter.name, Kind.FLEXIBLE, owner=owner, default=number))
        if isinstance(constant, bool):
            return Number("bool")
        if constant is None:
            return OneOf((Opaque(parameter.name), NONE))
        if isinstance(constant, float):
            # `scale=1.0`: what has a float for its default is a number.
            return Number("float")
        if default is None:
            return Opaque(parameter.name, Dim.of(Symbol(parameter.name, Kind.FLEXIBLE, owner=owner)))
        return Opaque(parameter.name)
    if is_plain(hint, "builtins.int"):
        symbol = Symbol(parameter.name, Kind.FLEXIBLE, owner=owner, default=number)
        return Dim.of(symbol)
    inner = optional_of(hint)
    if inner is not None and is_plain(inner, "builtins.int"):
        return OneOf((Dim.of(Symbol(parameter.name, Kind.FLEXIBLE)), NONE))

    def other(part: OtherHint) -> AnyValue:
        return interpreter.plain_value(frame.index, part, parameter.name)

    value = introduce(hint, names, other)
    if constant is None and not isinstance(hint, UnionHint):
        # `mask: Tensor = None`, an optional parameter in the old spelling.
        return OneOf((value, NONE))
    return value


# -- construction ----------------------------------------------------------------------------------------------------


def instance_of(interpreter: Interpreter, cls: ClassIndex, name: str) -> AnyValue:
    """An object of a class that was made elsewhere, with arguments of which nothing is known."""
    if cls in interpreter.building or len(interpreter.building) > MAX_BUILDING:
        interpreter.cut_short += 1
        return Opaque(name)
    instance = Instance(cls)

    def made() -> AnyValue:
        begun = begin(interpreter, instance, ("instance", instance.serial))
        if begun is not None:
            _run_or_postpone(interpreter, instance, *begun)
        return instance

    interpreter.silent += 1
    interpreter.building.append(cls)
    try:
        found = interpreter.limited(cls.node, made)
    finally:
        interpreter.building.pop()
        interpreter.silent -= 1
    # A configuration that reads files and makes a hundred others is only known by the names of its parts.
    return Opaque(name) if isinstance(found, Unknown) else found


def _run_or_postpone(
    interpreter: Interpreter, instance: Instance, frame: Frame, node: ast.FunctionDef | ast.AsyncFunctionDef
) -> None:
    """Run the body of a constructor, or leave it until somebody looks into the object.

    It can wait if another object of the class has shown that it leaves no facts behind. It counts as many steps as that
    one took, so that how far the function under analysis is followed does not depend on what was made before.
    """
    cls = instance.cls
    if cls.postponed_steps is None:
        facts, steps, cut_short = scope().fork(), interpreter.steps, interpreter.cut_short
        run_constructor(interpreter, frame, node)
        if scope().says_as_much(facts) and interpreter.cut_short == cut_short:
            cls.postponed_steps = interpreter.steps - steps
        return
    interpreter.step(cls.postponed_steps)
    building, calling = list(interpreter.building), list(interpreter.calling)

    def finish() -> None:
        before = scope().widths
        if not interpreter.aside(building, calling, lambda: run_constructor(interpreter, frame, node)):
            instance.building = instance.complete = False
        instance.widths = scope().widths - before

    instance.postpone(finish)


def build(interpreter: Interpreter, instance: Instance, owner: object, given: Mapping[str, AnyValue]) -> bool:
    """Run a constructor with parameters of which nothing is known but those that are given; whether it ends."""
    begun = begin(interpreter, instance, owner, given)
    return begun is None or run_constructor(interpreter, *begun)


def begin(
    interpreter: Interpreter, instance: Instance, owner: object, given: Mapping[str, AnyValue] = NOTHING
) -> tuple[Frame, ast.FunctionDef | ast.AsyncFunctionDef] | None:
    """Give a constructor parameters of which nothing else is known; None if there is no body to run."""
    cls = instance.cls
    found = cls.method("__init__")
    if found is None:
        if cls.is_record:
            _record_fields(interpreter, instance, owner)
        elif not cls.is_known:
            instance.complete = False
        declare_fields(interpreter, instance)
        return None
    defining, node = found
    signature = signature_of(node, defining.index)
    frame = Frame(
        interpreter, defining.index, f"{cls.name}.__init__", instance=instance, owner=defining,
        depth=0 if not interpreter.silent else 1,
    )
    names = names_of(instance)
    for position, parameter in enumerate(signature.parameters):
        if position == 0:
            frame.env[parameter.name] = instance
            continue
        value = given.get(parameter.name) or _variable_argument(parameter) or parameter_value(
            interpreter, frame, parameter, names, owner
        )
        frame.env[parameter.name] = value
        instance.parameters[parameter.name] = value
    instance.constructed[defining] = instance.parameters
    declare_fields(interpreter, instance)
    frame.signature = signature
    frame.names = names
    return frame, node


def _variable_argument(parameter: Parameter) -> AnyValue | None:
    if parameter.kind in {"args", "kwargs"}:
        return Unknown("any number of arguments")
    return None


def run_constructor(interpreter: Interpreter, frame: Frame, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Interpret the body of a constructor; whether it comes to its end."""
    instance = frame.instance
    if instance is None:
        return False
    instance.building = True
    ends = interpreter.execute(frame, node.body)
    instance.building = False
    if not instance.cls.is_known:
        instance.complete = False
    return ends


def _record_fields(interpreter: Interpreter, instance: Instance, owner: object) -> None:
    for cls, field in instance.cls.all_fields():
        hint = parse_annotation(field.annotation, cls.index)
        argument = ast.arg(field.name, field.annotation)
        parameter = Parameter(argument, "keyword", field.default, hint)
        frame = Frame(interpreter, cls.index, cls.name, depth=1)
        names = names_of(instance)
        names.owner = ("axes", instance.serial)
        value = parameter_value(interpreter, frame, parameter, names, owner)
        instance.attributes[field.name] = value
        instance.parameters[field.name] = value
    post = instance.cls.method("__post_init__")
    if post is not None:
        frame = Frame(interpreter, post[0].index, f"{instance.cls.name}.__post_init__", instance=instance,
                      owner=post[0], depth=1)  # fmt: skip
        frame.env[post[1].args.args[0].arg if post[1].args.args else "self"] = instance
        interpreter.execute(frame, post[1].body)


def declare_fields(interpreter: Interpreter, instance: Instance) -> None:
    """Tie the names of class-level annotations to the parameters of the constructor that are called the same."""
    del interpreter
    for name, value in instance.parameters.items():
        if isinstance(value, Dim) and name not in instance.names:
            instance.names[name] = value


def construct(
    frame: Frame, node: ast.AST, cls: ClassIndex, args: list[AnyValue], kwargs: dict[str, AnyValue]
) -> AnyValue:
    """The object that a constructor call makes."""
    from shapecheck.static.functions import bind_arguments, check_arguments

    interpreter = frame.interpreter
    if interpreter.building.count(cls) > 1 or len(interpreter.building) > MAX_BUILDING:
        interpreter.cut_short += 1
        return Opaque(cls.name)
    instance = Instance(cls)
    instance.is_exact = True
    found = cls.method("__init__")
    interpreter.building.append(cls)
    try:
        if found is None:
            if cls.is_record:
                return _construct_record(frame, node, instance, args, kwargs)
            if cls.method("__new__") is not None or not cls.is_known:
                return instance_of_unknown(instance)
            return instance
        defining, function = found
        signature = signature_of(function, defining.index)
        constructor = FunctionValue(function, defining.index, cls.name)
        bound = bind_arguments(frame, signature, [instance, *args], kwargs, constructor)
        if bound is None:
            return instance_of_unknown(instance)
        names = names_of(instance)
        if signature.arrays:
            check_arguments(frame, node, signature, bound, names, f"{cls.name}", args, kwargs)
        instance.parameters = {name: value for name, value in bound.items() if value is not instance}
        instance.constructed[defining] = instance.parameters
        declare_fields(interpreter, instance)
        inner = Frame(
            interpreter, defining.index, f"{cls.name}.__init__", instance=instance, owner=defining,
            depth=frame.depth + 1, trail=(*frame.trail, (frame.index, node)),
        )
        inner.env = dict(bound)
        run_constructor(interpreter, inner, function)
        return instance
    finally:
        interpreter.building.pop()


def instance_of_unknown(instance: Instance) -> Instance:
    """An object whose constructor cannot be followed."""
    instance.complete = False
    return instance


def _construct_record(
    frame: Frame, node: ast.AST, instance: Instance, args: list[AnyValue], kwargs: dict[str, AnyValue]
) -> AnyValue:
    """An object of a class whose constructor is made from its fields: a dataclass, a named tuple."""
    interpreter = frame.interpreter
    fields = [(cls, field) for cls, field in instance.cls.all_fields() if field.is_taken]
    positional = [field.name for _, field in fields if not field.is_keyword]
    given = dict(zip(positional, args, strict=False))
    given.update(kwargs)
    names = names_of(instance)
    for cls, field in fields:
        value = given.get(field.name)
        if value is None:
            if field.default is None:
                value = Opaque(field.name)
            else:
                value = Frame(interpreter, cls.index, cls.name, depth=frame.depth + 1).evaluate(field.default)
                if not isinstance(value, (Dim, Constant)):
                    value = Opaque(field.name)
        else:
            hint = parse_annotation(field.annotation, cls.index)
            if any(isinstance(part, ArrayHint) for part in walk(hint)):
                interpreter.at(frame, node)
                misfit = check(hint, value, names, narrow=True)
                if misfit is not None:
                    interpreter.report_misfit(frame, node, misfit, "SC202", names, f"{cls.name}.{field.name}")
                else:
                    check_orders(frame, node, hint, value, f"argument|{field.name}", cls.name)
                    check_dtype(frame, node, hint, value, f"argument|{field.name}", cls.name)
        instance.attributes[field.name] = value
        instance.parameters[field.name] = value
    post = instance.cls.method("__post_init__")
    if post is not None:
        inner = Frame(interpreter, post[0].index, f"{instance.cls.name}.__post_init__", instance=instance,
                      owner=post[0], depth=frame.depth + 1)  # fmt: skip
        inner.env["self"] = instance
        interpreter.execute(inner, post[1].body)
    return instance
