"""Facts: what follows where a condition holds, or does not."""

from __future__ import annotations

import ast

from shapecheck.dims import Dim, Kind, Symbol
from shapecheck.ops.signature import FAMILIES
from shapecheck.shapes import (
    NONE,
    AnyValue,
    Axis,
    Number,
    Opaque,
    Rest,
    Sequence,
    Shape,
    Tensor,
    Unknown,
    scope,
)
from shapecheck.static.conditions import compare_known, is_instance, truth, truth_of
from shapecheck.static.values import (
    ClassValue,
    Condition,
    External,
    Instance,
    OneOf,
)
from shapecheck.static.walk import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.static.frame import Frame

MAX_RANK = 12


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
        _assume_dtype(frame, node, holds=holds)
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
    elif isinstance(node, ast.Call):
        _assume_floating(frame, node, holds=holds)
    elif isinstance(node, ast.NamedExpr):
        assume(frame, node.target, holds=holds)


def condition_of(frame: Frame, node: ast.expr, value: AnyValue) -> AnyValue:
    """A bool that is kept in a variable or passed on, with what it is about."""
    if type(value) is not Number or value.name != "bool":
        return value
    if not isinstance(node, (ast.Compare, ast.BoolOp, ast.UnaryOp, ast.Call)):
        return value
    parts = [part for part in nodes(node) if isinstance(part, (ast.Name, ast.Attribute))]
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
        return
    for part in unknown:
        if isinstance(part, ast.Compare) and len(part.ops) == 1:
            op = part.ops[0]
            if isinstance(op, (ast.Eq, ast.NotEq)) and isinstance(op, ast.Eq) is holds:
                _doubt(frame.evaluate(part.left), frame.evaluate(part.comparators[0]))


def _doubt(left: AnyValue, right: AnyValue) -> None:
    """Leave open whether two sizes are equal."""
    if isinstance(left, Dim) and isinstance(right, Dim):
        scope().doubt(left, right)
    elif isinstance(left, Sequence) and isinstance(right, Sequence) and len(left.items) == len(right.items):
        for one, other in zip(left.items, right.items, strict=True):
            if not isinstance(one, Rest) and not isinstance(other, Rest):
                _doubt(one, other)


def _assume_member(frame: Frame, left: ast.expr, right: ast.expr) -> None:
    """``a in (b, 1)``: one of them; the one, if there is only one."""
    value, members = frame.evaluate(left), frame.evaluate(right)
    if not isinstance(members, Sequence):
        return
    items = [item for item in members.items if not isinstance(item, Rest)]
    if len(items) == 1 == len(members.items):
        assume_values_equal(frame, value, items[0], left)
        return
    for item in items:
        _doubt(value, item)


def _assume_comparison(frame: Frame, node: ast.Compare, *, holds: bool) -> None:
    if not holds and len(node.ops) > 1:
        return
    sides = [node.left, *node.comparators]
    for op, left, right in zip(node.ops, sides, sides[1:], strict=False):
        _narrow_rank(frame, op, left, right, holds=holds)
        if isinstance(op, (ast.Eq, ast.NotEq)):
            if isinstance(op, ast.Eq) is holds:
                _assume_equal(frame, left, right)
        elif isinstance(op, (ast.In, ast.NotIn)):
            if isinstance(op, ast.In) is holds:
                _assume_member(frame, left, right)
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
        found = None if rank is None else compare_known(op, Dim.of(rank), wanted)
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


def _assume_dtype(frame: Frame, node: ast.Compare, *, holds: bool) -> None:
    """``x.dtype == torch.bool``: code that asks doubts what is declared; where it holds, it tells the family."""
    sides = [node.left, *node.comparators]
    equal = len(node.ops) == 1 and isinstance(node.ops[0], (ast.Eq, ast.NotEq, ast.Is, ast.IsNot))
    holds = holds is (equal and isinstance(node.ops[0], (ast.Eq, ast.Is)))
    for one, other in zip(sides, reversed(sides), strict=True):
        if isinstance(one, ast.Attribute) and one.attr == "dtype":
            dtype = frame.evaluate(other) if equal and holds else None
            family = FAMILIES.get(dtype.name.rpartition(".")[2]) if isinstance(dtype, External) else None
            _narrow_dtype(frame, one.value, family)


def _assume_floating(frame: Frame, node: ast.Call, *, holds: bool) -> None:
    """``x.is_floating_point()``, ``torch.is_complex(x)``."""
    function = node.func
    if isinstance(function, ast.Attribute) and function.attr in {"is_floating_point", "is_complex"}:
        subject = node.args[0] if node.args else function.value
        _narrow_dtype(frame, subject, ("float" if function.attr != "is_complex" else "complex") if holds else None)


def _narrow_dtype(frame: Frame, subject: ast.expr, family: str | None) -> None:
    value = _peek(frame, subject)
    if isinstance(value, Tensor) and value.dtype != family:
        narrow(frame, subject, [Tensor(value.shape, family, value.kind, value.mark)])


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
