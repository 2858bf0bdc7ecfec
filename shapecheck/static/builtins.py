"""Python's own functions, ``math``, and the methods of lists, dictionaries and strings."""

from __future__ import annotations

import ast

from shapecheck.dims import Dim, Kind, Symbol, maximum, minimum
from shapecheck.shapes import (
    NONE,
    TRUE,
    AnyValue,
    Axis,
    Constant,
    Number,
    Opaque,
    Ratio,
    Rest,
    Sequence,
    Tensor,
    Unknown,
)
from shapecheck.static.conditions import assume, is_instance, truth_of
from shapecheck.static.copies import acyclic, replace_value
from shapecheck.static.expressions import attribute_of, binary, iterate
from shapecheck.static.joins import elements_of, join, join_all
from shapecheck.static.loosen import take
from shapecheck.static.values import (
    BoundMethod,
    Container,
    Dictionary,
    Elements,
    Instance,
    Partial,
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
        return Elements(_position())
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
    return Elements(_position(), length)


def _position() -> Dim:
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


@builtin("math.ceil")
def _ceil(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    if args and isinstance(args[0], Ratio):
        top, bottom = args[0].top, args[0].bottom
        return -((-top) // bottom) if bottom.terms else Unknown("a division by zero")
    return _int(frame, node, args, kwargs)


def _fresh(name: str) -> AnyValue:
    return Dim.of(Symbol(name, Kind.FLEXIBLE))


@builtin("builtins.float", "builtins.complex", "math.sqrt", "math.log", "math.exp", "math.log2", "math.log10",
         "math.pow", "math.sin", "math.cos", "math.tan", "math.atan", "math.atan2", "math.tanh", "math.log1p",
         "math.radians", "math.degrees", "math.fabs", "math.hypot")  # fmt: skip
def _float(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del frame, node, args, kwargs
    return Number("float")


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


# -- sequences -------------------------------------------------------------------------------------------------------


@builtin("builtins.list", "builtins.set", "builtins.iter", "builtins.sorted", "builtins.frozenset",
         "tqdm.tqdm", "tqdm.auto.tqdm")  # fmt: skip
def _list(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del node, kwargs
    if not args:
        return Sequence([], "list")
    value = args[0]
    if isinstance(value, Sequence):
        return Sequence(value.items, "list")
    found = iterate(frame, value)
    if isinstance(found, list):
        return Sequence(found, "list")
    return Elements(found.element, found.length, "list", found.own)


@builtin("torch.Size")
def _size(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    found = _list(frame, node, args, kwargs)
    return Sequence(found.items, "tuple") if isinstance(found, Sequence) else found


@builtin("builtins.tuple")
def _tuple(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    return _size(frame, node, args, kwargs)


@builtin("builtins.reversed")
def _reversed(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    found = _list(frame, node, args, kwargs)
    return Sequence(found.items[::-1], "list") if isinstance(found, Sequence) else found


@builtin("builtins.enumerate")
def _enumerate(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del node, kwargs
    found = iterate(frame, args[0]) if args else []
    if isinstance(found, list):
        return Sequence([Sequence([Dim.of(n), item]) for n, item in enumerate(found)], "list")
    return Elements(Sequence([_position(), found.element]), found.length, "list", found.own)


@builtin("builtins.zip")
def _zip(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del node, kwargs
    columns = [iterate(frame, arg) for arg in args]
    known = [column for column in columns if isinstance(column, list)]
    if known and len(known) == len(columns):
        return Sequence([Sequence(list(row)) for row in zip(*known, strict=False)], "list")
    lengths = [column.length for column in columns if isinstance(column, Elements) and column.length is not None]
    length = lengths[0] if lengths else None
    row: list[AnyValue] = []
    own: frozenset[Symbol] = frozenset()
    for column in columns:
        if isinstance(column, Elements):
            row.append(column.element)
            own |= column.own
        elif column:
            element = column[0]
            for item in column[1:]:
                element = join(element, item)
            row.append(element)
        else:
            return Sequence([], "list")
    if known:
        shortest = min(known, key=len)
        return Sequence(
            [Sequence([take(column) if isinstance(column, Elements) else column[n] for column in columns])
             for n in range(len(shortest))],
            "list",
        )
    return Elements(Sequence(row), length, "list", own)


@builtin("builtins.map")
def _map(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del kwargs
    if len(args) < 2:
        return Unknown("map without an iterable")
    columns = [iterate(frame, arg) for arg in args[1:]]
    known = [column for column in columns if isinstance(column, list)]
    if len(known) == len(columns):
        return Sequence(
            [frame.interpreter.call(frame, node, args[0], list(row), {}) for row in zip(*known, strict=False)], "list"
        )
    row = [take(column) if isinstance(column, Elements) else column[0] for column in columns if column]
    length = columns[0].length if isinstance(columns[0], Elements) else None
    return Elements(frame.interpreter.call(frame, node, args[0], row, {}), length)


@builtin("builtins.filter")
def _filter(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del node, kwargs
    found = iterate(frame, args[-1]) if args else []
    if isinstance(found, Elements):
        return Elements(found.element, None, "list", found.own)
    element: AnyValue = found[0] if found else Unknown("an empty sequence")
    for item in found[1:]:
        element = join(element, item)
    return Elements(element)


@builtin("builtins.next")
def _next(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del node, kwargs
    found = iterate(frame, args[0]) if args else []
    if isinstance(found, list):
        return found[0] if found else Unknown("an empty sequence")
    return take(found)


@builtin("builtins.sum", "math.prod")
def _sum(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    product = isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "prod"
    found = iterate(frame, args[0]) if args else []
    if isinstance(found, Elements):
        if isinstance(found.element, Tensor) and not product:
            return take(found)
        return Opaque("prod" if product else "sum") if isinstance(found.element, (Dim, Opaque)) else Unknown("a sum")
    total: AnyValue = args[1] if len(args) > 1 else kwargs.get("start", Dim.of(1 if product else 0))
    for item in found:
        if isinstance(item, Tensor) and isinstance(total, Dim):
            total = item
            continue
        total = binary(frame, node, ast.Mult if product else ast.Add, total, item)
    return total


@builtin("builtins.min", "builtins.max")
def _extremum(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    if "key" in kwargs:
        return Unknown("min or max by a key")
    values: list[AnyValue] | Elements = iterate(frame, args[0]) if len(args) == 1 else args
    if isinstance(values, Elements):
        return Opaque("min or max") if isinstance(values.element, (Dim, Opaque)) else Number("float")
    sizes = [as_size(value) for value in values]
    if not sizes or None in sizes:
        return Number("float") if all(isinstance(v, (Number, Dim, Constant)) for v in values) else Unknown("min or max")
    is_max = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "max"
    known = [size for size in sizes if size is not None]
    return maximum(*known) if is_max else minimum(*known)


@builtin("builtins.abs")
def _abs(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    value = args[0] if args else NONE
    if isinstance(value, Tensor):
        return frame.interpreter.apply(frame, node, "torch.abs", [value], kwargs, "abs")
    if isinstance(value, Dim):
        return value if value.constant is None else Dim.of(abs(value.constant))
    return value if isinstance(value, (Opaque, Unknown)) else Number("float")


@builtin("builtins.divmod")
def _divmod(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del kwargs
    if len(args) != 2:
        return Unknown("divmod")
    return Sequence([binary(frame, node, op, args[0], args[1]) for op in (ast.FloorDiv, ast.Mod)])


@builtin("builtins.slice")
def _slice(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    from shapecheck.shapes import Slice

    del frame, node, kwargs
    bounds: list[AnyValue | None] = [*args, None, None, None][:3]
    return Slice(None, bounds[0], None) if len(args) == 1 else Slice(*bounds)


@builtin("builtins.dict", "collections.OrderedDict")
def _dict(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    items: dict[object, AnyValue] = {}
    if args:
        source = args[0]
        if isinstance(source, Dictionary):
            items.update(source.items)
        elif isinstance(source, Sequence):
            for pair in source.items:
                key = None
                if isinstance(pair, Sequence) and len(pair.items) == 2 and not isinstance(pair.items[0], Rest):
                    key = frame.interpreter.key(pair.items[0])
                if key is None or not isinstance(pair, Sequence) or isinstance(pair.items[1], Rest):
                    return Unknown("a dictionary with unknown keys")
                items[key] = pair.items[1]
        else:
            return Unknown("a dictionary with unknown keys")
    del node
    items.update(kwargs)
    return Dictionary(items)


@builtin("functools.partial")
def _partial(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del frame, node
    return Partial(args[0], args[1:], kwargs) if args else Unknown("partial of nothing")


@builtin("functools.reduce")
def _reduce(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del kwargs
    found = iterate(frame, args[1]) if len(args) > 1 else []
    if isinstance(found, Elements) or not found:
        return Unknown("a reduction of unknown length")
    start = args[2] if len(args) > 2 else found.pop(0)
    for item in found:
        start = frame.interpreter.call(frame, node, args[0], [start, item], {})
    return start


@builtin("copy.copy", "copy.deepcopy", "typing.cast", "torch.jit.script", "torch.compile", "torch.jit.unwrap_optional",
         "shapecheck.shapechecked", "jaxtyping.jaxtyped", "beartype.beartype", "torch.no_grad",
         "contextlib.nullcontext",
         "torch.inference_mode", "torch.autograd.graph.save_on_cpu")  # fmt: skip
def _itself(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del frame, node, kwargs
    return args[-1] if args else Unknown("a context manager")


@builtin("torch.utils.checkpoint.checkpoint", "torch.utils.checkpoint.checkpoint.checkpoint")
def _checkpoint(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    if not args:
        return Unknown("a checkpoint of nothing")
    passed = {name: value for name, value in kwargs.items() if name not in _CHECKPOINT_OPTIONS}
    return frame.interpreter.call(frame, node, args[0], args[1:], passed)


_CHECKPOINT_OPTIONS = frozenset(("use_reentrant", "preserve_rng_state", "context_fn", "determinism_check", "debug"))


@builtin("shapecheck.reveal_shape")
def _reveal(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del kwargs
    if not args:
        return NONE
    frame.interpreter.reveal(frame, node, args[0])
    return args[0]


# -- methods ---------------------------------------------------------------------------------------------------------


def call_method(frame: Frame, node: ast.AST, method: BoundMethod, args: list[AnyValue]) -> AnyValue:
    """A call of a method of a list, tuple, dictionary, string or number."""
    receiver, name = method.receiver, method.name
    if isinstance(receiver, Sequence):
        return _sequence_method(receiver, name, args, frame)
    if isinstance(receiver, Elements):
        return _elements_method(frame, receiver, name, args)
    if isinstance(receiver, Dictionary):
        return _dictionary_method(frame, receiver, name, args)
    if isinstance(receiver, Container):
        return _container_method(frame, receiver, name, args)
    if isinstance(receiver, Dim) and name == "item":
        return receiver
    del node
    return Unknown(f"the method {name} is not followed")


_GROWING = frozenset(("append", "appendleft", "insert", "extend", "remove", "clear", "update", "rotate"))
_REORDERING = frozenset(("sort", "reverse"))


def _becomes_unknown(frame: Frame, receiver: Sequence, *others: AnyValue, length: Dim | None = None) -> Elements:
    """A list of which only the kind of its items is known from here on."""
    values = [*elements_of(receiver), *others]
    element = join_all(values) if values else Unknown("an item of an empty sequence")
    made = Elements(element, length)
    replace_value(frame, receiver, made)
    return made


def _sequence_method(receiver: Sequence, name: str, args: list[AnyValue], frame: Frame) -> AnyValue:
    items = receiver.items
    count = Dim.of(len(items))
    args = [acyclic(receiver, arg) for arg in args]
    if name == "append" and args:
        items.append(args[0])
    elif name == "extend" and args:
        found = iterate(frame, args[0])
        if isinstance(found, list):
            items.extend(found)
        else:
            length = None if found.length is None else count + found.length
            _becomes_unknown(frame, receiver, found.element, length=length)
    elif name == "insert" and len(args) == 2:
        place = args[0].constant if isinstance(args[0], Dim) else None
        if place is not None:
            items.insert(place, args[1])
        else:
            _becomes_unknown(frame, receiver, args[1], length=count + 1)
    elif name == "reverse":
        items.reverse()
    elif name == "clear":
        items.clear()
    elif name == "sort":
        if len(items) > 1:
            _becomes_unknown(frame, receiver, length=count)
    elif name == "remove":
        _becomes_unknown(frame, receiver, length=count - 1)
    elif name == "pop":
        position = args[0].constant if args and isinstance(args[0], Dim) else -1 if not args else None
        if position is None or not -len(items) <= position < len(items):
            _becomes_unknown(frame, receiver, length=count - 1)
            return Unknown("an item at an unknown place")
        found_item = items.pop(position)
        return Unknown("a size") if isinstance(found_item, Rest) else found_item
    elif name == "copy":
        return Sequence(items, receiver.kind)
    elif name == "numel":
        return _product(items)
    elif name == "_replace":
        return Unknown("a changed tuple")
    elif name in {"index", "count"}:
        return Opaque(name)
    else:
        return Unknown(f"the method {name} is not followed")
    return NONE


def _product(items: list[AnyValue | Rest]) -> AnyValue:
    total = Dim.of(1)
    for item in items:
        size = item.size if isinstance(item, Rest) else as_size(item)
        if size is None:
            return Unknown("a product of unknown sizes")
        total *= size
    return total


def _elements_method(frame: Frame, receiver: Elements, name: str, args: list[AnyValue]) -> AnyValue:
    key = frame.interpreter.key(args[0]) if args else None
    args = [acyclic(receiver, arg) for arg in args]
    if name in _GROWING or name in _REORDERING:
        if name in {"append", "appendleft", "insert"} and args:
            receiver.element = join(receiver.element, args[-1])
        elif name == "extend" and args:
            found_items = iterate(frame, args[0])
            others = found_items if isinstance(found_items, list) else [found_items.element]
            for other in others:
                receiver.element = join(receiver.element, other)
        elif name == "update":
            receiver.element = Unknown("a dictionary that changes")
        receiver.taken = {}
        if name not in {"sort", "reverse"}:
            receiver.length = None
        return NONE
    if name == "pop":
        receiver.length = None
        return take(receiver)
    if name in {"get", "__getitem__", "setdefault"}:
        found = take(receiver, key)
        default = args[1] if len(args) > 1 else NONE
        return found if name == "__getitem__" or receiver.kind != "dict" else join(found, default)
    if name == "values":
        return Elements(receiver.element, receiver.length, "list", receiver.own)
    if name == "items":
        return Elements(Sequence([Unknown("a key"), receiver.element]), receiver.length, "list", receiver.own)
    if name == "keys":
        return Elements(Unknown("a key"), receiver.length)
    return Unknown(f"the method {name} is not followed")


def _dictionary_method(frame: Frame, receiver: Dictionary, name: str, args: list[AnyValue]) -> AnyValue:
    args = [acyclic(receiver, arg) for arg in args]
    if name == "values":
        return Sequence(list(receiver.items.values()), "list")
    if name == "items":
        return Sequence([Sequence([_key_value(key), value]) for key, value in receiver.items.items()], "list")
    if name == "keys":
        return Sequence([_key_value(key) for key in receiver.items], "list")
    key = frame.interpreter.key(args[0]) if args else None
    if name in {"get", "pop", "setdefault"} and key is not None:
        if key in receiver.items:
            return receiver.items.pop(key) if name == "pop" else receiver.items[key]
        if name == "setdefault":
            receiver.items[key] = args[1] if len(args) > 1 else NONE
        return args[1] if len(args) > 1 else NONE
    if name == "update" and args and isinstance(args[0], Dictionary):
        receiver.items.update(args[0].items)
        return NONE
    if name == "update":
        replace_value(frame, receiver, Elements(Unknown("a dictionary with unknown keys"), None, "dict"))
        return NONE
    return Dictionary(dict(receiver.items)) if name == "copy" else Unknown(f"the method {name} is not followed")


def _key_value(key: object) -> AnyValue:
    return Dim.of(key) if type(key) is int else Constant(key)


def _container_method(frame: Frame, receiver: Container, name: str, args: list[AnyValue]) -> AnyValue:
    if name == "append" and args:
        receiver.items[str(len(receiver.items))] = args[0]
        return receiver
    if name in {"extend", "add_module"} and args:
        found = iterate(frame, args[0])
        if name == "extend" and isinstance(found, list):
            for item in found:
                receiver.items[str(len(receiver.items))] = item
            return receiver
        if name == "add_module" and len(args) == 2 and isinstance(args[0], Constant):
            receiver.items[str(args[0].value)] = args[1]
            return NONE
    if name == "values":
        return Sequence(list(receiver.items.values()), "list")
    if name == "keys":
        return Sequence([Constant(key) for key in receiver.items], "list")
    if name == "items":
        return Sequence([Sequence([Constant(key), value]) for key, value in receiver.items.items()], "list")
    if name in _MODULE_SELF:
        return receiver
    return Unknown(f"the method {name} is not followed")


_MODULE_SELF = frozenset(("to", "cuda", "cpu", "eval", "train", "half", "float", "double", "bfloat16", "requires_grad_",
                          "apply", "type"))  # fmt: skip


