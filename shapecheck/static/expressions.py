"""Expressions: from syntax to abstract values."""

from __future__ import annotations

import ast

from shapecheck.dims import Dim
from shapecheck.ops import ATTRIBUTES
from shapecheck.shapes import (
    ELLIPSIS,
    FALSE,
    NONE,
    TRUE,
    AnyValue,
    Axis,
    Constant,
    Fault,
    Mismatch,
    Number,
    Opaque,
    Ratio,
    Rest,
    Sequence,
    Shape,
    Slice,
    Tensor,
    Unknown,
)
from shapecheck.static import arrays
from shapecheck.static.conditions import assume, compare, truth, truth_of
from shapecheck.static.frame import is_fault
from shapecheck.static.joins import elements_of, join, one_of, options
from shapecheck.static.loosen import take
from shapecheck.static.values import (
    LIMITS,
    BoundMethod,
    ClassValue,
    Container,
    Dictionary,
    Elements,
    External,
    FunctionValue,
    Instance,
    Layer,
    OneOf,
    Partial,
    ProjectModule,
    Super,
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


# -- leaves ----------------------------------------------------------------------------------------------------------


def _constant(frame: Frame, node: ast.Constant) -> AnyValue:
    del frame
    value = node.value
    if value is None:
        return NONE
    if value is True:
        return TRUE
    if value is False:
        return FALSE
    if value is ...:
        return ELLIPSIS
    if isinstance(value, int):
        return Dim.of(value)
    return Constant(value)


def _name(frame: Frame, node: ast.Name) -> AnyValue:
    found = frame.env.get(node.id)
    return found if found is not None else frame.interpreter.global_name(frame, node.id)


def _joined_string(frame: Frame, node: ast.JoinedStr) -> AnyValue:
    parts: list[str] = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value))
        elif isinstance(part, ast.FormattedValue):
            value = frame.evaluate(part.value)
            if isinstance(value, Dim) and value.constant is not None and part.format_spec is None:
                parts.append(str(value.constant))
            elif isinstance(value, Constant) and isinstance(value.value, str) and part.format_spec is None:
                parts.append(value.value)
            else:
                return Unknown("a formatted string")
    return Constant("".join(parts))


# -- attributes ------------------------------------------------------------------------------------------------------


def _attribute(frame: Frame, node: ast.Attribute) -> AnyValue:
    return attribute_of(frame, frame.evaluate(node.value), node.attr, node)


def attribute_of(frame: Frame, owner: AnyValue, name: str, node: ast.AST) -> AnyValue:
    """An attribute of a value."""
    if isinstance(owner, Tensor):
        if not arrays.has_torch_attribute(owner, name):
            return BoundMethod(owner, name)
        rule = ATTRIBUTES.get(name)
        if rule is not None:
            frame.interpreter.at(frame, node)
            found = rule(owner)
            return frame.report(node, found, f".{name}") if isinstance(found, Mismatch) else found
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
            return _of_options(frame, known, lambda option: attribute_of(frame, option, name, node))
    if isinstance(owner, Container):
        return owner.items[name] if name in owner.items else BoundMethod(owner, name)
    if isinstance(owner, (Elements, Dictionary, Constant, Dim, Number)):
        return BoundMethod(owner, name)
    if isinstance(owner, Partial) and name == "func":
        return owner.function
    return Unknown(owner.why if isinstance(owner, Unknown) else "an attribute that is not followed")


def _of_options(frame: Frame, options: list[AnyValue], make: Callable[[AnyValue], AnyValue]) -> AnyValue:
    """What each of several values gives; those that cannot give any are not the value here, unless none can."""
    if len(options) == 1:
        return make(options[0])
    frame.interpreter.silent += 1
    try:
        found = [made for made in [make(option) for option in options] if not is_fault(made)]
    finally:
        frame.interpreter.silent -= 1
    return one_of(found) if found else make(options[0])


_FLOATS = frozenset(("math.pi", "math.e", "math.inf", "math.nan", "math.tau", "torch.pi", "torch.inf", "torch.nan",
                     "numpy.pi", "numpy.inf", "torch.e"))  # fmt: skip


def external_attribute(owner: External, name: str) -> AnyValue:
    """A name of a library."""
    dotted = f"{owner.name}.{name}"
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


# -- subscripts ------------------------------------------------------------------------------------------------------


def _subscript(frame: Frame, node: ast.Subscript) -> AnyValue:
    owner = frame.evaluate(node.value)
    index = frame.evaluate(node.slice)
    return item_of(frame, owner, index, node)


def item_of(frame: Frame, owner: AnyValue, index: AnyValue, node: ast.AST) -> AnyValue:
    """An item of a value."""
    if isinstance(owner, Tensor):
        return frame.interpreter.apply(frame, node, "operator.getitem", [owner, index], {}, "indexing")
    if isinstance(owner, Sequence):
        if _is_beyond(owner, index):
            length = Dim.of(len(owner.items))
            return frame.report(node, Mismatch(Fault.INDEX, left=length, right=index, detail=_kind_of(node)))  # type: ignore[arg-type]  # a Dim
        return _sequence_item(owner, index)
    if isinstance(owner, Elements):
        if isinstance(index, Slice):
            return Elements(owner.element, None, owner.kind, owner.own)
        return take(owner, frame.interpreter.key(index))
    if isinstance(owner, Container):
        return _container_item(owner, index)
    if isinstance(owner, Dictionary):
        key = frame.interpreter.key(index)
        if key is not None and key in owner.items:
            return owner.items[key]
        return Unknown("a key that is not known")
    if isinstance(owner, Opaque):
        key = frame.interpreter.key(index)
        return owner.attribute(f"[{key!r}]") if key is not None else Unknown("an item of an unknown object")
    if isinstance(owner, OneOf):
        known = [option for option in owner.options if option != NONE]
        if known:
            return _of_options(frame, known, lambda option: item_of(frame, option, index, node))
    if isinstance(owner, Instance):
        return frame.interpreter.call_method(frame, owner, "__getitem__", [index], node)
    if isinstance(owner, (External, ClassValue)):
        # A generic class with its parameters: `Generic[T]`, `Tensor["..."]`.
        return owner
    return Unknown(owner.why if isinstance(owner, Unknown) else "an item that is not followed")


def _is_beyond(owner: Sequence, index: AnyValue) -> bool:
    """Whether a tuple of known length has no item of that number."""
    if owner.kind != "tuple" or not isinstance(index, Dim) or any(isinstance(item, Rest) for item in owner.items):
        return False
    position = index.constant
    return position is not None and not -len(owner.items) <= position < len(owner.items)


def _kind_of(node: ast.AST) -> str:
    owner = node.value if isinstance(node, ast.Subscript) else None
    return "shape" if isinstance(owner, ast.Attribute) and owner.attr == "shape" else "tuple"


def _sequence_item(owner: Sequence, index: AnyValue) -> AnyValue:
    items = owner.items
    rest = next((n for n, item in enumerate(items) if isinstance(item, Rest)), None)
    if isinstance(index, Slice):
        return _sequence_slice(owner, index, rest)
    if isinstance(index, Constant) and owner.fields is not None and index.value in owner.fields:
        named = items[owner.fields.index(index.value)]
        return Unknown("the number of axes is not known") if isinstance(named, Rest) else named
    position = index.constant if isinstance(index, Dim) else None
    if position is None:
        found: AnyValue | None = None
        for item in elements_of(owner):
            found = item if found is None else join(found, item)
        return found if found is not None else Unknown("an item of an empty sequence")
    if rest is not None:
        if not (0 <= position < rest or (position < 0 and len(items) + position > rest)):
            return Unknown("the number of axes is not known")
    elif not -len(items) <= position < len(items):
        return Unknown("an index beyond the end of a sequence")
    chosen = items[position]
    return Unknown("the number of axes is not known") if isinstance(chosen, Rest) else chosen


def _sequence_slice(owner: Sequence, index: Slice, rest: int | None) -> AnyValue:
    bounds: list[int | None] = []
    for bound in (index.start, index.stop, index.step):
        if bound is None or bound == NONE:
            bounds.append(None)
        elif isinstance(bound, Dim) and bound.constant is not None:
            bounds.append(bound.constant)
        else:
            return Unknown("a slice with unknown bounds")
    start, stop, step = bounds
    if rest is not None:
        # Bounds may only count from the side on which they stand.
        length = len(owner.items)
        if step not in {None, 1}:
            return Unknown("the number of axes is not known")
        if start is not None and not (0 <= start <= rest or (start < 0 and length + start > rest)):
            return Unknown("the number of axes is not known")
        if stop is not None and not (0 <= stop <= rest or (stop < 0 and length + stop >= rest + 1)):
            return Unknown("the number of axes is not known")
    return Sequence(owner.items[start:stop:step], owner.kind)


def _container_item(owner: Container, index: AnyValue) -> AnyValue:
    values = list(owner.items.values())
    if isinstance(index, Constant) and isinstance(index.value, str):
        return owner.items.get(index.value, Unknown("a module that is not known"))
    if isinstance(index, Dim) and index.constant is not None and -len(values) <= index.constant < len(values):
        return values[index.constant]
    if isinstance(index, Slice):
        found = _sequence_slice(Sequence(values, "list"), index, None)
        if isinstance(found, Sequence):
            return Container(owner.kind, {str(n): item for n, item in enumerate(found.items)})  # type: ignore[misc]
        return found
    return one_of(values) if values else Unknown("an item of an empty container")


def _slice(frame: Frame, node: ast.Slice) -> AnyValue:
    return Slice(*[None if part is None else frame.evaluate(part) for part in (node.lower, node.upper, node.step)])


# -- operators -------------------------------------------------------------------------------------------------------


def _binary(frame: Frame, node: ast.BinOp) -> AnyValue:
    left = frame.evaluate(node.left)
    right = frame.evaluate(node.right)
    return binary(frame, node, type(node.op), left, right)


def binary(frame: Frame, node: ast.AST, op: type, left: AnyValue, right: AnyValue) -> AnyValue:
    """The value of ``left op right``."""
    left, right = frame.interpreter.settle(left), frame.interpreter.settle(right)
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
            return side
    return Unknown("an operator on values that are not followed")


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
    if isinstance(found, Dim):
        return Opaque(name, found)
    return Opaque(name) if isinstance(found, Opaque) else Unknown("a number or a tensor")


def _scalars(op: type, left: AnyValue, right: AnyValue) -> AnyValue:
    if isinstance(left, Opaque) or isinstance(right, Opaque):
        return Unknown("a number or a tensor")
    texts = [side.value for side in (left, right) if isinstance(side, Constant) and isinstance(side.value, str)]
    if len(texts) == 2 and op is ast.Add:
        return Constant(texts[0] + texts[1])
    numeric = all(
        isinstance(side, (Number, Dim))
        or (isinstance(side, Constant) and isinstance(side.value, (float, bool, complex)))
        for side in (left, right)
    )
    return Number("float") if numeric else Unknown("an operator on values that are not followed")


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
        frame.resume(before)
    return found if found is not None else Unknown("a condition")


def _if_expression(frame: Frame, node: ast.IfExp) -> AnyValue:
    known = truth(frame, node.test)
    if known is not None:
        return frame.evaluate(node.body if known else node.orelse)
    before = frame.capture()
    assume(frame, node.test, holds=True)
    body = frame.evaluate(node.body)
    one = frame.capture()
    frame.resume(before)
    assume(frame, node.test, holds=False)
    orelse = frame.evaluate(node.orelse)
    other = frame.capture()
    frame.meet([one, other])
    return join(body, orelse)


def _named(frame: Frame, node: ast.NamedExpr) -> AnyValue:
    value = frame.evaluate(node.value)
    frame.env[node.target.id] = value
    return value


# -- displays and comprehensions -------------------------------------------------------------------------------------


def _items(frame: Frame, nodes: list[ast.expr], kind: str) -> AnyValue:
    items: list[AnyValue | Rest] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            value = frame.evaluate(node.value)
            if isinstance(value, Sequence):
                items += value.items
            elif isinstance(value, Elements) and len(nodes) == 1:
                return value
            else:
                return Unknown("a starred item of unknown length")
        else:
            items.append(frame.evaluate(node))
    return Sequence(items, kind)


def _tuple(frame: Frame, node: ast.Tuple) -> AnyValue:
    return _items(frame, node.elts, "tuple")


def _list(frame: Frame, node: ast.List) -> AnyValue:
    return _items(frame, node.elts, "list")


def _set(frame: Frame, node: ast.Set) -> AnyValue:
    return _items(frame, node.elts, "set")


def _dict(frame: Frame, node: ast.Dict) -> AnyValue:
    items: dict[object, AnyValue] = {}
    for key, value_node in zip(node.keys, node.values, strict=True):
        value = frame.evaluate(value_node)
        if key is None:
            if not isinstance(value, Dictionary):
                return Unknown("a dictionary with unknown keys")
            items.update(value.items)
            continue
        constant = frame.interpreter.key(frame.evaluate(key))
        if constant is None:
            return Unknown("a dictionary with unknown keys")
        items[constant] = value
    return Dictionary(items)


def _comprehension(frame: Frame, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> AnyValue:
    saved = dict(frame.env)
    found = _generate(frame, node.generators, lambda: frame.evaluate(node.elt))
    frame.env = saved
    return found


def _generate(frame: Frame, generators: list[ast.comprehension], make: Callable[[], AnyValue]) -> AnyValue:
    from shapecheck.static.statements import MAX_UNROLLED, assign

    first = generators[0]
    iterable = iterate(frame, frame.evaluate(first.iter))
    inner = generators[1:]
    if isinstance(iterable, list) and len(iterable) <= MAX_UNROLLED:
        items: list[AnyValue | Rest] = []
        certain = True
        for item in iterable:
            assign(frame, first.target, item, None)
            holds = [truth(frame, condition) for condition in first.ifs]
            if False in holds:
                continue
            certain &= None not in holds
            if inner:
                nested = _generate(frame, inner, make)
                if not isinstance(nested, Sequence):
                    return nested
                items += nested.items
            else:
                items.append(make())
        found = Sequence(items, "list")
        if certain or not items:
            return found
        element = elements_of(found)[0]
        for item in elements_of(found)[1:]:
            element = join(element, item)
        return Elements(element)
    if isinstance(iterable, list):
        element = iterable[0]
        for item in iterable[1:]:
            element = join(element, item)
        iterable = Elements(element, Dim.of(len(iterable)))
    assign(frame, first.target, take(iterable), None)
    for condition in first.ifs:
        truth(frame, condition)
        assume(frame, condition, holds=True)
    length = iterable.length if not first.ifs else None
    if inner:
        nested = _generate(frame, inner, make)
        if isinstance(nested, Elements):
            return Elements(nested.element, None if length is None or nested.length is None else length * nested.length)
        if isinstance(nested, Sequence) and nested.items:
            joined = elements_of(nested)[0]
            for item in elements_of(nested)[1:]:
                joined = join(joined, item)
            return Elements(joined, None if length is None else length * len(nested.items))
        return Unknown("a nested comprehension")
    return Elements(make(), length)


def _dict_comprehension(frame: Frame, node: ast.DictComp) -> AnyValue:
    saved = dict(frame.env)
    pair = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node)
    found = _generate(frame, node.generators, lambda: frame.evaluate(pair))
    frame.env = saved
    if isinstance(found, Sequence):
        items: dict[object, AnyValue] = {}
        for item in found.items:
            key = frame.interpreter.key(item.items[0]) if isinstance(item, Sequence) else None  # type: ignore[arg-type]
            if key is None or not isinstance(item, Sequence):
                return Unknown("a dictionary with unknown keys")
            items[key] = item.items[1]  # type: ignore[assignment]  # a value, not a Rest
        return Dictionary(items)
    if isinstance(found, Elements) and isinstance(found.element, Sequence):
        return Elements(found.element.items[1], None, "dict")  # type: ignore[arg-type]  # a value, not a Rest
    return Unknown("a dictionary with unknown keys")


def iterate(frame: Frame, value: AnyValue) -> list[AnyValue] | Elements:
    """What a loop over a value sees: known items, or any number of alike ones."""
    value = frame.interpreter.settle(value)
    if isinstance(value, Sequence):
        if not any(isinstance(item, Rest) for item in value.items):
            return list(value.items)  # type: ignore[arg-type]  # no Rest among them
        return Elements(Opaque("a size"))
    if isinstance(value, Elements):
        return value if value.kind != "dict" else Elements(Unknown("a key"))
    if isinstance(value, Container):
        if value.kind == "ModuleDict":
            return [Constant(key) for key in value.items]
        return list(value.items.values())
    if isinstance(value, Dictionary):
        return [Dim.of(key) if type(key) is int else Constant(key) for key in value.items]
    if isinstance(value, Tensor):
        first = value.shape.axis(0) if value.shape.axes else None
        if isinstance(first, Axis):
            return Elements(value.reshaped(Shape(value.shape.axes[1:])), first.size)
        return Elements(value.reshaped(Shape.unknown()))
    if isinstance(value, Opaque):
        return Elements(value.attribute("[]"))
    return Elements(value if isinstance(value, Unknown) else Unknown("an iterable that is not followed"))


# -- functions -------------------------------------------------------------------------------------------------------


def _call(frame: Frame, node: ast.Call) -> AnyValue:
    return frame.interpreter.call_node(frame, node)


def _lambda(frame: Frame, node: ast.Lambda) -> AnyValue:
    return FunctionValue(node, frame.index, "<lambda>", closure=frame.interpreter.closure(frame), owner=frame.owner)


def _await(frame: Frame, node: ast.Await) -> AnyValue:
    return frame.evaluate(node.value)


def _yield(frame: Frame, node: ast.Yield | ast.YieldFrom) -> AnyValue:
    if node.value is not None:
        value = frame.evaluate(node.value)
        if isinstance(node, ast.Yield):
            frame.interpreter.check_yield(frame, node.value, value)
    return Unknown("what a generator is sent")


EXPRESSIONS: dict[type, Callable[[Frame, Any], AnyValue]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.JoinedStr: _joined_string,
    ast.Attribute: _attribute,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _bool_op,
    ast.IfExp: _if_expression,
    ast.NamedExpr: _named,
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.Set: _set,
    ast.Dict: _dict,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _dict_comprehension,
    ast.Call: _call,
    ast.Lambda: _lambda,
    ast.Await: _await,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
}
