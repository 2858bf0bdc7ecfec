"""Conditions: whether one is known to hold, and what is a fact where it holds."""

from __future__ import annotations

import ast

from shapecheck.dims import YES, Dim, Kind, Symbol
from shapecheck.shapes import (
    NONE,
    AnyValue,
    Axis,
    Constant,
    Number,
    Opaque,
    Rest,
    Sequence,
    Shape,
    Tensor,
    Unknown,
    scope,
)
from shapecheck.static.values import (
    ClassValue,
    Condition,
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

MAX_RANK = 12
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
    found = _compare(op, left, right)
    return Number("bool") if found is None else Constant(found)


def _compare(op: ast.cmpop, left: AnyValue, right: AnyValue) -> bool | None:
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
        # Sizes that differ in general may be equal in a case the code treats by itself.
        known = left.constant, right.constant
        return False if None not in known else None
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


# -- facts -----------------------------------------------------------------------------------------------------------


def assume(frame: Frame, node: ast.expr, *, holds: bool) -> None:
    """Take as facts what follows from a condition that holds, or does not."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        assume(frame, node.operand, holds=not holds)
    elif isinstance(node, ast.BoolOp):
        if isinstance(node.op, ast.And) is holds:
            for part in node.values:
                assume(frame, part, holds=holds)
        elif len(node.values) > 1:
            _assume_last(frame, node, holds=holds)
    elif isinstance(node, ast.Compare):
        _assume_comparison(frame, node, holds=holds)
    elif isinstance(node, (ast.Name, ast.Attribute)):
        value = _peek(frame, node)
        if isinstance(value, Condition):
            _assume_condition(frame, value, holds=holds)
        elif holds and isinstance(value, OneOf):
            narrow(frame, node, [option for option in value.options if truth_of(option) is not False])
        elif not holds and isinstance(value, OneOf):
            narrow(frame, node, [option for option in value.options if truth_of(option) is not True])
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
        _assume_isinstance(frame, node, holds=holds)
    elif isinstance(node, ast.NamedExpr):
        assume(frame, node.target, holds=holds)


def condition_of(frame: Frame, node: ast.expr, value: AnyValue) -> AnyValue:
    """A bool that is kept in a variable or passed on, with what it is about."""
    if type(value) is not Number or value.name != "bool":
        return value
    if not isinstance(node, (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Call)):
        return value
    parts = [part for part in ast.walk(node) if isinstance(part, (ast.Name, ast.Attribute))]
    return Condition(frame, node, [(part, _peek(frame, part)) for part in parts])


def _assume_condition(frame: Frame, condition: Condition, *, holds: bool) -> None:
    """Take a kept condition as a fact, unless something in it was assigned since."""
    around = condition.frame
    if any(_peek(around, part) is not value for part, value in condition.values):
        return
    if around is frame:
        assume(frame, condition.node, holds=holds)
        return
    # What names of another call mean is not narrowed from here; the sizes are everybody's.
    env = around.env
    attributes = None if around.instance is None else around.instance.attributes
    around.env = dict(env)
    if around.instance is not None and attributes is not None:
        around.instance.attributes = dict(attributes)
    assume(around, condition.node, holds=holds)
    around.env = env
    if around.instance is not None and attributes is not None:
        around.instance.attributes = attributes


def _assume_last(frame: Frame, node: ast.BoolOp, *, holds: bool) -> None:
    """`a or b` with a known to be false makes b a fact (and the same for a failed `and`)."""
    unknown = [part for part in node.values if truth(frame, part) is None]
    if len(unknown) == 1:
        assume(frame, unknown[0], holds=holds)


def _assume_comparison(frame: Frame, node: ast.Compare, *, holds: bool) -> None:
    if not holds and len(node.ops) > 1:
        return
    sides = [node.left, *node.comparators]
    for op, left, right in zip(node.ops, sides, sides[1:], strict=False):
        _narrow_rank(frame, op, left, right, holds=holds)
        if isinstance(op, (ast.Eq, ast.NotEq)):
            if isinstance(op, ast.Eq) is holds:
                _assume_equal(frame, left, right)
        elif isinstance(op, (ast.Is, ast.IsNot)):
            none = isinstance(op, ast.Is) is holds
            subject = left if isinstance(right, ast.Constant) and right.value is None else None
            if subject is not None:
                value = _peek(frame, subject)
                if isinstance(value, OneOf):
                    narrow(frame, subject, [option for option in value.options if (option == NONE) is none])
                elif none and isinstance(value, (Opaque, Unknown)):
                    narrow(frame, subject, [NONE])


def _assume_equal(frame: Frame, left: ast.expr, right: ast.expr) -> None:
    one, other = frame.evaluate(left), frame.evaluate(right)
    if _assume_rank(frame, left, other) or _assume_rank(frame, right, one):
        return
    if _assume_shape(frame, left, other) or _assume_shape(frame, right, one):
        return
    assume_values_equal(frame, one, other, left)


def assume_values_equal(frame: Frame, one: AnyValue, other: AnyValue, node: ast.AST) -> None:
    """Take two values as equal."""
    place = frame.interpreter.place(frame, node)
    if isinstance(one, Opaque) and isinstance(other, (Dim, Opaque)):
        one = one.size()
    if isinstance(other, Opaque) and isinstance(one, Dim):
        other = other.size()
    if isinstance(one, Dim) and isinstance(other, Dim):
        scope().assume(one, other, place)
    elif isinstance(one, Sequence) and isinstance(other, Sequence) and len(one.items) == len(other.items):
        for a, b in zip(one.items, other.items, strict=True):
            if not isinstance(a, Rest) and not isinstance(b, Rest):
                assume_values_equal(frame, a, b, node)


def _rank_subject(node: ast.expr) -> ast.expr | None:
    """The ``x`` of ``x.ndim``, ``x.dim()``, ``len(x.shape)``."""
    if isinstance(node, ast.Attribute) and node.attr == "ndim":
        return node.value
    if isinstance(node, ast.Call) and not node.keywords:
        if isinstance(node.func, ast.Attribute) and node.func.attr in {"dim", "ndimension"} and not node.args:
            return node.func.value
        if isinstance(node.func, ast.Name) and node.func.id == "len" and len(node.args) == 1:
            shape = node.args[0]
            if isinstance(shape, ast.Attribute) and shape.attr == "shape":
                return shape.value
    return None


def _assume_rank(frame: Frame, node: ast.expr, rank: AnyValue) -> bool:
    subject = _rank_subject(node)
    if subject is None:
        return False
    tensor = _peek(frame, subject)
    number = rank.constant if isinstance(rank, Dim) else None
    if isinstance(tensor, Tensor) and number is not None:
        ranked = with_rank(tensor, number, ast.unparse(subject))
        if ranked is not None:
            narrow(frame, subject, [ranked])
    return True


def with_rank(tensor: Tensor, rank: int, name: str) -> Tensor | None:
    """A tensor with some number of axes, of which any number were unknown; None if it cannot have so many."""
    shape = tensor.shape
    missing = rank - len(shape) + 1
    if shape.rest is None or not 0 <= missing <= MAX_RANK:
        return None
    first = shape.rest
    axes = [Axis.of(Symbol(f"{name}.shape[{first + n}]", Kind.FLEXIBLE)) for n in range(missing)]
    return tensor.reshaped(shape.replaced(first, *axes))


def _narrow_rank(frame: Frame, op: ast.cmpop, left: ast.expr, right: ast.expr, *, holds: bool) -> None:
    """Of several tensors only those remain whose rank is as it must be."""
    subject = _rank_subject(left)
    value = None if subject is None else _peek(frame, subject)
    if subject is None or not isinstance(value, OneOf):
        return
    wanted = frame.evaluate(right)
    kept = []
    for option in value.options:
        rank = option.shape.rank if isinstance(option, Tensor) else None
        found = None if rank is None else _compare(op, Dim.of(rank), wanted)
        if found is None or found is holds:
            kept.append(option)
    narrow(frame, subject, kept)


def _assume_shape(frame: Frame, node: ast.expr, shape: AnyValue) -> bool:
    """``x.shape == (b, t, d)`` tells the shape of an x of which nothing is known."""
    if not (isinstance(node, ast.Attribute) and node.attr == "shape" and isinstance(shape, Sequence)):
        return False
    tensor = _peek(frame, node.value)
    if not isinstance(tensor, Tensor) or not tensor.shape.is_unknown:
        return False
    sizes: list[Dim] = []
    for item in shape.items:
        if isinstance(item, Opaque):
            sizes.append(item.size())
        elif isinstance(item, Dim):
            sizes.append(item)
        else:
            return False
    narrow(frame, node.value, [tensor.reshaped(Shape.of(*sizes))])
    return True


def _assume_isinstance(frame: Frame, node: ast.Call, *, holds: bool) -> None:
    if len(node.args) != 2:
        return
    value = _peek(frame, node.args[0])
    cls = frame.evaluate(node.args[1])
    if holds and isinstance(cls, ClassValue) and isinstance(value, Opaque) and not value.attributes:
        narrow(frame, node.args[0], [frame.interpreter.instance(cls.cls)])
        return
    if not isinstance(value, OneOf):
        return
    kept = []
    for option in value.options:
        found = is_instance(option, cls)
        if found is None or found is holds:
            kept.append(option)
    narrow(frame, node.args[0], kept)


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


def _peek(frame: Frame, node: ast.expr) -> AnyValue | None:
    """The value of a name or attribute that can be narrowed."""
    if isinstance(node, ast.Name):
        return frame.env.get(node.id)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        owner = frame.env.get(node.value.id)
        if isinstance(owner, Instance):
            return owner.attributes.get(node.attr)
    return None


def narrow(frame: Frame, node: ast.expr, options: list[AnyValue]) -> None:
    """Keep some of the values that a name or attribute may have."""
    if not options:
        return
    value = options[0] if len(options) == 1 else OneOf(tuple(options))
    if isinstance(node, ast.Name):
        frame.env[node.id] = value
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        owner = frame.env.get(node.value.id)
        if isinstance(owner, Instance) and owner is frame.instance:
            owner.attributes[node.attr] = value
