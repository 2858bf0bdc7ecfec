"""Functions of sequences: ``zip``, ``map``, ``sum``, ``dict``; ``functools`` and ``copy``."""

from __future__ import annotations

import ast

from shapecheck.dims import Dim, Symbol, maximum, minimum
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
)
from shapecheck.static.builtins import BUILTINS, as_size, builtin, position
from shapecheck.static.iteration import iterate
from shapecheck.static.joins import join
from shapecheck.static.loosen import take
from shapecheck.static.operators import binary
from shapecheck.static.values import (
    Dictionary,
    Elements,
    Partial,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from shapecheck.static.frame import Frame

    Builtin = Callable[[Frame, ast.AST, list[AnyValue], dict[str, AnyValue]], AnyValue]

__all__ = ["BUILTINS"]


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
    return Elements(Sequence([position(), found.element]), found.length, "list", found.own)


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
            return frame.interpreter.watched(frame, node, "builtins.sum", args, {}, take(found), "sum")
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
