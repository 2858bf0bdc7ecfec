"""Operators: arithmetic on sizes and tensors, comparisons, choices."""

from __future__ import annotations

import ast

from shapecheck.dims import ONE, Dim
from shapecheck.shapes import (
    FALSE,
    TRUE,
    AnyValue,
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
from shapecheck.static import arrays
from shapecheck.static.choices import Choice
from shapecheck.static.comparisons import leave_open
from shapecheck.static.conditions import compare, truth, truth_of
from shapecheck.static.facts import assume
from shapecheck.static.joins import join, losses, one_of, options
from shapecheck.static.rows import plain
from shapecheck.static.switches import COUNTING
from shapecheck.static.values import (
    Elements,
    Instance,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from shapecheck.static.frame import Frame


MAX_POWER = 16

_BINARY: dict[type, tuple[str, str]] = {
    ast.Add: ("add", "+"),
    ast.Sub: ("sub", "-"),
    ast.Mult: ("mul", "*"),
    ast.Div: ("truediv", "/"),
    ast.FloorDiv: ("floordiv", "//"),
    ast.Mod: ("mod", "%"),
    ast.Pow: ("pow", "**"),
    ast.MatMult: ("matmul", "@"),
    ast.BitAnd: ("and_", "&"),
    ast.BitOr: ("or_", "|"),
    ast.BitXor: ("xor", "^"),
    ast.LShift: ("lshift", "<<"),
    ast.RShift: ("rshift", ">>"),
}
_COMPARE: dict[type, tuple[str, str]] = {
    ast.Eq: ("eq", "=="),
    ast.NotEq: ("ne", "!="),
    ast.Lt: ("lt", "<"),
    ast.LtE: ("le", "<="),
    ast.Gt: ("gt", ">"),
    ast.GtE: ("ge", ">="),
}


def _binary(frame: Frame, node: ast.BinOp) -> AnyValue:
    interpreter = frame.interpreter
    before = interpreter.added
    if isinstance(node.op, (ast.Add, ast.Sub)):
        interpreter.added = (*before, node.right)
    try:
        left = frame.evaluate(node.left)
    finally:
        interpreter.added = before
    right = frame.evaluate(node.right)
    return binary(frame, node, type(node.op), left, right)


def binary(frame: Frame, node: ast.AST, op: type, left: AnyValue, right: AnyValue) -> AnyValue:
    """The value of ``left op right``."""
    left, right = frame.interpreter.settle(left), frame.interpreter.settle(right)
    left, right = _as_number(left, beside=right), _as_number(right, beside=left)
    if op in COUNTING:
        left, right = _counted(left, beside=right), _counted(right, beside=left)
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        kinds = [side.kind for side in (left, right) if isinstance(side, Tensor)]
        if not all(arrays.is_torch(kind) or arrays.is_numpy(kind) for kind in kinds):
            return Unknown("an array of another library")
        name, sign = _BINARY[op]
        return frame.interpreter.apply(frame, node, f"operator.{name}", [left, right], {}, f"`{sign}`")
    if isinstance(left, Dim) and isinstance(right, Dim):
        return arithmetic(op, left, right)
    if isinstance(left, Opaque) and isinstance(right, (Dim, Opaque)):
        return _opaque(op, left, right)
    if isinstance(right, Opaque) and isinstance(left, Dim):
        return _opaque(op, left, right)
    if isinstance(left, (Number, Constant, Dim, Opaque)) and isinstance(right, (Number, Constant, Dim, Opaque)):
        return _scalars(op, left, right)
    if isinstance(left, Sequence) and isinstance(right, Sequence) and op is ast.Add and left.kind == right.kind:
        return Sequence([*left.items, *right.items], left.kind)
    if isinstance(left, Sequence) and isinstance(right, Dim) and op is ast.Mult:
        times = right.constant
        if times is not None and 0 <= times * len(left.items) <= 64:
            return Sequence(left.items * times, left.kind)
        item = left.items[0] if len(left.items) == 1 else None
        if item is None or isinstance(item, Rest):
            return Unknown("a sequence repeated an unknown number of times")
        return Elements(item, right)
    if isinstance(left, Elements) and isinstance(right, (Sequence, Elements)) and op is ast.Add:
        return join(left, right)
    if isinstance(left, Instance):
        return frame.interpreter.call_method(frame, left, f"__{_BINARY[op][0].strip('_')}__", [right], node)
    for side in (left, right):
        if isinstance(side, Unknown):
            return side if side is left or op is not ast.MatMult else plain(side)
    return Unknown("an operator on values that are not followed")


def _as_number(value: AnyValue, *, beside: AnyValue) -> AnyValue:
    """What is called like a number is one, beside a tensor or a fraction: ``x / cfg.head_dim**0.5``."""
    if isinstance(value, Opaque) and value.is_number and not isinstance(beside, (Dim, Opaque, Unknown)):
        return value.size()
    return value


def _counted(value: AnyValue, *, beside: AnyValue) -> AnyValue:
    """True is 1 beside a whole number: ``1 + bidirectional``."""
    if isinstance(value, Constant) and isinstance(value.value, bool) and isinstance(beside, Dim):
        return Dim.of(int(value.value))
    return value


def arithmetic(op: type, left: Dim, right: Dim) -> AnyValue:
    """Integer arithmetic on sizes."""
    if op is ast.Add:
        found = left + right
    elif op is ast.Sub:
        found = left - right
    elif op is ast.Mult:
        found = left * right
    elif op in {ast.FloorDiv, ast.Mod}:
        if not right.terms:
            return Unknown("a division by zero")
        found = left // right if op is ast.FloorDiv else left % right
    elif op is ast.Div:
        return Ratio(left, right)
    elif op is ast.Pow:
        exponent, base = right.constant, left.constant
        if exponent is not None and exponent < 0:
            return Number("float")
        if exponent is None or exponent > MAX_POWER * (4 if base is not None and abs(base) < MAX_POWER else 1):
            return Opaque("a power")
        found = left**exponent
    else:
        one, other = left.constant, right.constant
        if one is None or other is None:
            return Opaque("a size from bits")
        if op is ast.LShift and 0 <= other <= 64:
            found = Dim.of(one << other)
        elif op is ast.RShift and other >= 0:
            found = Dim.of(one >> other)
        elif op is ast.BitAnd:
            found = Dim.of(one & other)
        elif op is ast.BitOr:
            found = Dim.of(one | other)
        else:
            return Opaque("a size from bits")
    return found


def _opaque(op: type, left: AnyValue, right: AnyValue) -> AnyValue:
    """Arithmetic with an object that may be a size or a tensor: still either."""
    sizes = [side.size() if isinstance(side, Opaque) else side for side in (left, right)]
    found = arithmetic(op, *sizes)  # type: ignore[arg-type]  # both are sizes now
    name = " ".join(side.name if isinstance(side, Opaque) else str(side) for side in (left, right))
    made = all(isinstance(side, Dim) or (isinstance(side, Opaque) and side.is_number) for side in (left, right))
    if isinstance(found, Dim):
        return Opaque(name, found, made=made)
    if isinstance(found, Number) and made:
        return found
    return Opaque(name, made=made) if isinstance(found, Opaque) else Unknown("a number or a tensor")


def _scalars(op: type, left: AnyValue, right: AnyValue) -> AnyValue:
    if isinstance(left, Opaque) or isinstance(right, Opaque):
        return Unknown("a number or a tensor")
    parts = [_ratio(side) for side in (left, right)]
    if parts[0] is not None and parts[1] is not None and op in {ast.Mult, ast.Div}:
        (top, bottom), (over, under) = parts[0], parts[1]
        return Ratio(top * over, bottom * under) if op is ast.Mult else Ratio(top * under, bottom * over)
    texts = [side.value for side in (left, right) if isinstance(side, Constant) and isinstance(side.value, str)]
    if len(texts) == 2 and op is ast.Add:
        return Constant(texts[0] + texts[1])
    numeric = all(
        isinstance(side, (Number, Dim))
        or (isinstance(side, Constant) and isinstance(side.value, (float, bool, complex)))
        for side in (left, right)
    )
    return Number("float") if numeric else Unknown("an operator on values that are not followed")


def _ratio(value: AnyValue) -> tuple[Dim, Dim] | None:
    """A number as one integer over another."""
    if isinstance(value, Ratio):
        return value.top, value.bottom
    if isinstance(value, Constant) and isinstance(value.value, float) and value.value.is_integer():
        value = Dim.of(int(value.value))
    return (value, ONE) if isinstance(value, Dim) else None


def _unary(frame: Frame, node: ast.UnaryOp) -> AnyValue:
    if isinstance(node.op, ast.Not):
        found = truth(frame, node.operand)
        return Number("bool") if found is None else Constant(not found)
    value = frame.interpreter.settle(frame.evaluate(node.operand))
    if isinstance(value, Dim):
        if isinstance(node.op, ast.USub):
            return -value
        return value if isinstance(node.op, ast.UAdd) else -value - 1
    if isinstance(value, Tensor):
        name = {"USub": "neg", "UAdd": "pos", "Invert": "invert"}[type(node.op).__name__]
        return frame.interpreter.apply(frame, node, f"operator.{name}", [value], {}, "a sign")
    if isinstance(value, Extreme) and isinstance(node.op, ast.USub):
        return Extreme(negative=not value.negative)
    if isinstance(value, Number):
        return Number("float")
    if isinstance(value, Constant) and isinstance(value.value, (float, bool)) and isinstance(node.op, ast.USub):
        return Constant(-float(value.value))
    if isinstance(value, Opaque) and isinstance(node.op, ast.USub):
        return Opaque(f"-{value.name}", -value.size())
    return value if isinstance(value, Unknown) else Unknown("a sign of a value that is not followed")


def _compare(frame: Frame, node: ast.Compare) -> AnyValue:
    left = frame.evaluate(node.left)
    result: AnyValue = TRUE
    for op, comparator in zip(node.ops, node.comparators, strict=True):
        right = frame.evaluate(comparator)
        one, other = frame.interpreter.settle(left), frame.interpreter.settle(right)
        if (isinstance(one, Tensor) or isinstance(other, Tensor)) and type(op) in _COMPARE:
            name, sign = _COMPARE[type(op)]
            result = frame.interpreter.apply(frame, node, f"operator.{name}", [one, other], {}, f"`{sign}`")
        elif type(op) in _COMPARE and (isinstance(one, (Unknown, Opaque)) or isinstance(other, (Unknown, Opaque))):
            # Of arrays it would be an array.
            result = Unknown("a comparison of values that are not followed") if result == TRUE else result
        else:
            found = compare(op, left, right)
            if found == FALSE:
                return FALSE
            result = found if result == TRUE else result
        left = right
    return result


def _bool_op(frame: Frame, node: ast.BoolOp) -> AnyValue:
    stop = isinstance(node.op, ast.Or)
    found: AnyValue | None = None
    before = None
    for part in node.values:
        value = frame.evaluate(part)
        holds = truth_of(value)
        if holds is stop or part is node.values[-1]:
            found = value if found is None else join(found, value)
            break
        if holds is None:
            kept = [option for option in options(value) if truth_of(option) is not (not stop)]
            if kept:
                left = one_of(kept)
                found = left if found is None else join(found, left)
        if before is None:
            before = frame.capture()
        assume(frame, part, holds=not stop)
    if before is not None:
        frame.go_back(before)
    return found if found is not None else Unknown("a condition")


def _if_expression(frame: Frame, node: ast.IfExp) -> AnyValue:
    known = truth(frame, node.test)
    if known is not None:
        return frame.evaluate(node.body if known else node.orelse)
    before, choice = frame.capture(), Choice(frame, node.test)
    frame.interpreter.conditional += 1
    choice.enter()
    leave_open(frame, node.test, holds=True)
    assume(frame, node.test, holds=True)
    body = frame.evaluate(node.body)
    one = frame.leave()
    frame.go_back(before)
    choice.enter()
    leave_open(frame, node.test, holds=False)
    assume(frame, node.test, holds=False)
    orelse = frame.evaluate(node.orelse)
    frame.interpreter.conditional -= 1
    frame.meet([one, frame.leave()], node.test)
    choice.leave(both=True)
    before_join = losses()
    found = join(body, orelse)
    if losses() != before_join:
        frame.undecided(node.test)
    return found


def _named(frame: Frame, node: ast.NamedExpr) -> AnyValue:
    value = frame.evaluate(node.value)
    frame.env[node.target.id] = value
    return value


OPERATORS: dict[type, Callable[[Frame, Any], AnyValue]] = {
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _bool_op,
    ast.IfExp: _if_expression,
    ast.NamedExpr: _named,
}
