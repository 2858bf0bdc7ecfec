"""The table of functions of Python and its libraries, and those of numbers, types and attributes."""

from __future__ import annotations

import ast
import math

from shapecheck.dims import ONE, Computed, Dim, Kind, Pass, Symbol
from shapecheck.shapes import (
    NONE,
    TRUE,
    AnyValue,
    Axis,
    Constant,
    Extreme,
    Number,
    Opaque,
    Ratio,
    Rest,
    Sequence,
    Tensor,
    Unknown,
)
from shapecheck.static.attributes import attribute_of
from shapecheck.static.conditions import is_instance, truth_of
from shapecheck.static.facts import assume
from shapecheck.static.joins import join
from shapecheck.static.values import (
    Container,
    Dictionary,
    Elements,
    Instance,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from shapecheck.static.frame import Frame

    Builtin = Callable[[Frame, ast.AST, list[AnyValue], dict[str, AnyValue]], AnyValue]


MAX_RANGE = 64

BUILTINS: dict[str, Builtin] = {}


def builtin(*names: str) -> Callable[[Builtin], Builtin]:
    """Register a function under qualified names."""

    def register(function: Builtin) -> Builtin:
        for name in names:
            BUILTINS[name] = function
        return function

    return register


def as_size(value: AnyValue) -> Dim | None:
    """A value as a size, if it may be one."""
    if isinstance(value, Dim):
        return value
    if isinstance(value, Opaque):
        return value.size()
    return Dim.of(int(value.value)) if isinstance(value, Constant) and isinstance(value.value, bool) else None


@builtin("builtins.len")
def _len(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del node, kwargs
    value = frame.interpreter.settle(args[0]) if args else NONE
    if isinstance(value, Sequence):
        return Opaque("len") if any(isinstance(item, Rest) for item in value.items) else Dim.of(len(value.items))
    if isinstance(value, Tensor):
        first = value.shape.axis(0) if value.shape.axes else None
        return first.size if isinstance(first, Axis) else Opaque("len")
    if isinstance(value, (Container, Dictionary)):
        return Dim.of(len(value.items))
    if isinstance(value, Elements) and value.length is not None:
        return value.length
    if isinstance(value, Constant) and isinstance(value.value, str):
        return Dim.of(len(value.value))
    if isinstance(value, Elements):
        value.length = Opaque("len").size()
        return value.length
    return Opaque("len")


@builtin("builtins.range")
def _range(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del node, kwargs
    sizes = [as_size(arg) for arg in args]
    if not 1 <= len(sizes) <= 3 or None in sizes:
        return Elements(position())
    bounds = [frame.interpreter.scope.normal(size).constant for size in sizes if size is not None]
    if None not in bounds:
        try:
            numbers = range(*[bound for bound in bounds if bound is not None])
        except ValueError:
            return Unknown("a range with a step of zero")
        if not numbers[MAX_RANGE:]:
            return Sequence([Dim.of(number) for number in numbers], "tuple")
    start, stop = (Dim.of(0), sizes[0]) if len(sizes) == 1 else (sizes[0], sizes[1])
    length = stop - start if start is not None and stop is not None and len(sizes) < 3 else None
    return Elements(Dim.of(Pass(length)) if length is not None and len(sizes) == 1 else position(), length)


def position() -> Dim:
    """A number that counts passes: some int."""
    return Dim.of(Symbol("i", Kind.OPAQUE))


@builtin("builtins.int", "builtins.round", "math.floor", "math.trunc", "operator.index")
def _int(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del node, kwargs
    value = frame.interpreter.settle(args[0]) if args else Dim.of(0)
    if isinstance(value, Ratio):
        return value.top // value.bottom if value.bottom.terms else Unknown("a division by zero")
    if isinstance(value, Constant) and isinstance(value.value, (bool, float)):
        try:
            return Dim.of(int(value.value))
        except (OverflowError, ValueError):
            return Unknown("not a finite number")
    size = as_size(value)
    return size if size is not None else _fresh("int")


@builtin("math.isqrt", "math.gcd", "math.lcm")
def _whole_number(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    """A function of whole numbers, of which only the values for numbers are known."""
    del kwargs
    numbers = [value.constant if isinstance(value, Dim) else None for value in map(frame.interpreter.settle, args)]
    name = node.func.attr if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) else "int"
    if None in numbers or not numbers or (name == "isqrt" and (numbers[0] or 0) < 0):
        return _fresh(name)
    function = {"isqrt": math.isqrt, "gcd": math.gcd, "lcm": math.lcm}.get(name)
    return _fresh(name) if function is None else Dim.of(function(*[number or 0 for number in numbers]))


@builtin("math.ceil")
def _ceil(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    if args and isinstance(args[0], Ratio):
        top, bottom = args[0].top, args[0].bottom
        return -((-top) // bottom) if bottom.terms else Unknown("a division by zero")
    return _int(frame, node, args, kwargs)


def _fresh(name: str) -> AnyValue:
    return Dim.of(Computed(name, Kind.FLEXIBLE))


@builtin("builtins.complex", "math.sqrt", "math.log", "math.exp", "math.log2", "math.log10",
         "math.pow", "math.sin", "math.cos", "math.tan", "math.atan", "math.atan2", "math.tanh", "math.log1p",
         "math.radians", "math.degrees", "math.fabs", "math.hypot")  # fmt: skip
def _float(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del frame, node, kwargs
    text = args[0].value if args and isinstance(args[0], Constant) else None
    if isinstance(text, str) and text.strip().lower().lstrip("+-") in {"inf", "infinity"}:
        return Extreme(negative=text.strip().startswith("-"))
    return Number("float")


@builtin("builtins.float")
def _float_of(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    value = frame.interpreter.settle(args[0]) if len(args) == 1 else NONE
    if isinstance(value, Dim):
        return Ratio(value, ONE)
    return value if isinstance(value, Ratio) else _float(frame, node, args, kwargs)


@builtin("builtins.bool", "builtins.any", "builtins.all", "builtins.callable", "math.isnan", "math.isclose",
         "builtins.issubclass", "torch.is_tensor", "torch.is_grad_enabled", "torch.cuda.is_available",
         "torch.is_floating_point", "torch.equal", "torch.allclose", "torch.jit.is_scripting",
         "torch.jit.is_tracing", "math.isinf")  # fmt: skip
def _bool(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del frame, node, kwargs
    known = truth_of(args[0]) if len(args) == 1 and not isinstance(args[0], (Sequence, Elements)) else None
    return Number("bool") if known is None else Constant(known)


@builtin("builtins.str", "builtins.repr", "builtins.format")
def _str(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del frame, node, kwargs
    value = args[0] if args else Constant("")
    if isinstance(value, Constant) and isinstance(value.value, str):
        return value
    if isinstance(value, Dim) and value.constant is not None:
        return Constant(str(value.constant))
    return Unknown("a string")


@builtin("builtins.print", "warnings.warn", "builtins.setattr", "torch.manual_seed")
def _nothing(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del node, kwargs
    if len(args) == 3 and isinstance(args[0], Instance):
        key = args[1].value if isinstance(args[1], Constant) else None
        if isinstance(key, str):
            frame.interpreter.store_attribute(args[0], key, args[2])
        else:
            args[0].complete = False
    return NONE


@builtin("torch._check", "torch._assert", "torch._check_value", "torch._check_index", "torch._check_type")
def _check(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del args, kwargs
    if isinstance(node, ast.Call) and node.args:
        assume(frame, node.args[0], holds=True)
    return NONE


@builtin("builtins.isinstance")
def _isinstance(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del frame, node, kwargs
    if len(args) != 2:
        return Number("bool")
    found = is_instance(args[0], args[1])
    return Number("bool") if found is None else Constant(found)


@builtin("builtins.getattr")
def _getattr(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del kwargs
    name = args[1].value if len(args) > 1 and isinstance(args[1], Constant) else None
    if not isinstance(name, str):
        return Unknown("an attribute whose name is not known")
    if len(args) > 2:
        if isinstance(args[0], Instance) and name not in args[0].attributes:
            return Unknown("an attribute that may not exist")
        if isinstance(args[0], Opaque):
            return join(args[0].attribute(name), args[2])
    return attribute_of(frame, args[0], name, node)


@builtin("builtins.hasattr")
def _hasattr(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del frame, node, kwargs
    known = len(args) == 2 and isinstance(args[0], Instance) and isinstance(args[1], Constant)
    if known and args[1].value in args[0].attributes:  # type: ignore[union-attr]  # known tells
        return TRUE
    return Number("bool")
