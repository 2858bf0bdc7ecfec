"""Conditions: whether one is known to hold."""

from __future__ import annotations

import ast

from shapecheck.dims import YES, Dim
from shapecheck.shapes import (
    NONE,
    AnyValue,
    Constant,
    Number,
    Opaque,
    Rest,
    Sequence,
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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.static.frame import Frame


_OBJECTS = (Tensor, Dim, Sequence, Instance, Layer, Container, FunctionValue, ClassValue, Dictionary, Elements, Number)
_TYPES = {
    "builtins.int": (Dim,),
    "builtins.float": (Number,),
    "builtins.tuple": (Sequence,),
    "builtins.list": (Sequence,),
    "builtins.dict": (Dictionary,),
    "torch.Tensor": (Tensor,),
}


def truth(frame: Frame, node: ast.expr) -> bool | None:
    """Whether a condition holds: True, False, or None where both ways must be followed."""
    if isinstance(node, ast.BoolOp):
        stop = isinstance(node.op, ast.Or)
        results = []
        for part in node.values:
            found = truth(frame, part)
            if found is stop:
                return stop
            results.append(found)
        return None if None in results else not stop
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        found = truth(frame, node.operand)
        return None if found is None else not found
    return truth_of(frame.evaluate(node))


def truth_of(value: AnyValue) -> bool | None:
    """Whether a value counts as true."""
    if isinstance(value, Constant):
        return bool(value.value)
    if isinstance(value, Dim):
        return None if value.constant is None else bool(value.constant)
    if isinstance(value, Sequence):
        known = [item for item in value.items if not isinstance(item, Rest)]
        return bool(known) or (None if value.items else False)
    if isinstance(value, Dictionary):
        return bool(value.items)
    if isinstance(value, Container):
        return bool(value.items)
    if isinstance(value, (FunctionValue, ClassValue, Layer)):
        return True
    if isinstance(value, OneOf):
        found = {truth_of(option) for option in value.options}
        return found.pop() if len(found) == 1 else None
    return None


def compare(op: ast.cmpop, left: AnyValue, right: AnyValue) -> AnyValue:
    """The value of one comparison."""
    found = compare_known(op, left, right)
    return Number("bool") if found is None else Constant(found)


def compare_known(op: ast.cmpop, left: AnyValue, right: AnyValue) -> bool | None:
    """Whether a comparison holds, if that is known."""
    if isinstance(op, (ast.Is, ast.IsNot)):
        same = _is_none(left) if right == NONE else _is_none(right) if left == NONE else _same_constant(left, right)
        return same if same is None or isinstance(op, ast.Is) else not same
    if isinstance(op, (ast.Eq, ast.NotEq)):
        equal = _equal(left, right)
        return equal if equal is None or isinstance(op, ast.Eq) else not equal
    if isinstance(op, (ast.In, ast.NotIn)):
        inside = _inside(left, right)
        return inside if inside is None or isinstance(op, ast.In) else not inside
    if isinstance(left, Dim) and isinstance(right, Dim):
        distance = (scope().normal(left) - scope().normal(right)).constant
        if distance is not None:
            return (
                distance < 0 if isinstance(op, ast.Lt) else
                distance <= 0 if isinstance(op, ast.LtE) else
                distance > 0 if isinstance(op, ast.Gt) else distance >= 0
            )
    return None


def _is_none(value: AnyValue) -> bool | None:
    if value == NONE:
        return True
    if isinstance(value, _OBJECTS) or (isinstance(value, Constant) and value.value is not None):
        return False
    if isinstance(value, OneOf):
        found = {_is_none(option) for option in value.options}
        return found.pop() if len(found) == 1 else None
    return None


def _same_constant(left: AnyValue, right: AnyValue) -> bool | None:
    return left == right if isinstance(left, Constant) and isinstance(right, Constant) else None


def _equal(left: AnyValue, right: AnyValue) -> bool | None:
    if isinstance(left, Constant) and isinstance(right, Constant):
        return bool(left.value == right.value)
    if isinstance(left, Dim) and isinstance(right, Dim):
        if scope().decide(left, right) is YES:
            return True
        # Sizes that differ in general may be equal in a case the code treats by itself: not those a number apart.
        return False if (scope().normal(left) - scope().normal(right)).constant else None
    if isinstance(left, Sequence) and isinstance(right, Sequence):
        if any(isinstance(item, Rest) for item in (*left.items, *right.items)):
            return True if left.items == right.items else None
        if len(left.items) != len(right.items):
            return False
        pairs = [_equal(a, b) for a, b in zip(left.items, right.items, strict=True)]  # type: ignore[arg-type]
        return False if False in pairs else None if None in pairs else True
    return None


def _inside(left: AnyValue, right: AnyValue) -> bool | None:
    if isinstance(right, Sequence):
        pairs = [None if isinstance(item, Rest) else _equal(left, item) for item in right.items]
        return True if True in pairs else None if None in pairs else False
    if isinstance(right, Dictionary) and not right.items:
        return False
    if isinstance(right, Dictionary) and isinstance(left, Constant):
        return left.value in right.items
    if isinstance(right, Container) and isinstance(left, Constant):
        return left.value in right.items
    if isinstance(right, Constant) and isinstance(left, Constant):
        text, part = right.value, left.value
        return part in text if isinstance(text, str) and isinstance(part, str) else None
    return None


def is_instance(value: AnyValue, of: AnyValue) -> bool | None:
    """Whether a value is an instance of a class; None where it cannot be told."""
    if isinstance(of, Sequence):
        found = [None if isinstance(item, Rest) else is_instance(value, item) for item in of.items]
        return True if True in found else None if None in found else False
    if isinstance(value, (Unknown, Opaque, OneOf, Elements, External)):
        return None
    if isinstance(of, ClassValue):
        if isinstance(value, Instance):
            if of.cls in value.cls.mro:
                return True
            # An object of a subclass, unless the classes have nothing to do with each other.
            return None if value.cls in of.cls.mro and not value.is_exact else False
        return False if isinstance(value, (Tensor, Dim, Constant, Sequence, Number)) else None
    if isinstance(of, External):
        kinds = _TYPES.get(of.name)
        other = isinstance(value, Tensor) and value.kind not in {"torch.Tensor", "torch.nn.Parameter"}
        if of.name == "torch.Tensor" and other:
            return None
        if kinds is not None:
            if not isinstance(value, kinds):
                return False
            if isinstance(value, Sequence):
                return value.kind == of.name.rpartition(".")[2]
            return True
        if of.name == "builtins.str" and isinstance(value, Constant):
            return isinstance(value.value, str)
        if isinstance(value, Layer):
            return True if value.name == of.name else None
    return None
