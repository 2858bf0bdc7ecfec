"""Calls of project functions: by their declaration if they declare their result, otherwise by their body."""

from __future__ import annotations

import ast

from shapecheck.annotations import ArrayHint, OtherHint, walk
from shapecheck.dims import Dim, Kind
from shapecheck.shapes import (
    NONE,
    AnyValue,
    Rest,
    Sequence,
    Tensor,
    Unknown,
    current,
)
from shapecheck.static.contracts import other_product
from shapecheck.static.copies import replace_value
from shapecheck.static.declare import Names, elements, introduce
from shapecheck.static.dtypes import check_dtype, without_dtype
from shapecheck.static.fits import check
from shapecheck.static.following import follow
from shapecheck.static.frame import FAULT, NO_RETURN, Frame
from shapecheck.static.joins import join
from shapecheck.static.mutation import changed_names
from shapecheck.static.orders import check_orders
from shapecheck.static.shared_names import check_shared_names
from shapecheck.static.signature import Signature, is_plain, signature_of
from shapecheck.static.ties import path_reader, tie_instance
from shapecheck.static.values import (
    Dictionary,
    Elements,
    FunctionValue,
    Instance,
    PassedIn,
)

TYPE_CHECKING = False
if TYPE_CHECKING:

    from shapecheck.annotations.hints import Hint
    from shapecheck.static.interpreter import Interpreter

MAX_DEPTH = 12
"""Calls of unannotated functions are followed this deep."""
MAX_RECURSION = 2
ITERATORS = frozenset(
    f"{module}.{name}"
    for module in ("typing", "collections.abc")
    for name in ("Iterator", "Iterable", "Generator", "AsyncIterator", "AsyncIterable", "AsyncGenerator")
)



def call_function(
    frame: Frame, node: ast.AST, function: FunctionValue, args: list[AnyValue], kwargs: dict[str, AnyValue]
) -> AnyValue:
    """A call of a project function: by its declaration if it declares its result, otherwise by its body."""
    signature = signature_of(function.node, function.index)
    interpreter = frame.interpreter
    if signature.is_changed:
        return Unknown("a decorator that changes what is taken")
    if any(isinstance(arg, Rest) for arg in args):
        return Unknown("any number of arguments")
    given = [function.bound, *args] if function.bound is not None else list(args)
    bound = bind_arguments(frame, signature, given, kwargs, function)
    if bound is None:
        if signature.declares_result:
            return declared_result(frame, function, signature, Names(Kind.FLEXIBLE))
        return Unknown("the arguments do not bind")
    names = Names(Kind.FLEXIBLE)
    names.path = path_reader(interpreter, function.index, bound, function.bound)
    if isinstance(function.bound, Instance):
        tie_instance(frame, function.bound, signature, names, function.owner)
    if signature.arrays:
        for parameter in signature.parameters:
            value = bound.get(parameter.name)
            if parameter.is_required_int and parameter.name in signature.names and isinstance(value, Dim):
                names.bound.setdefault(parameter.name, value)
        if not check_arguments(frame, node, signature, bound, names, function.name, args, kwargs):
            return Unknown(FAULT)
    if signature.declares_result:
        declared = declared_result(frame, function, signature, names)
        return follow(
            frame, node, function, signature, declared,
            lambda: interpreter.limited(function.node, lambda: _inline(frame, node, function, signature, bound)),
        )  # fmt: skip
    if not signature.is_transparent or signature.is_left_out:
        return Unknown("a decorator that is not followed")
    return interpreter.limited(function.node, lambda: _inline(frame, node, function, signature, bound))


def bind_arguments(
    frame: Frame, signature: Signature, args: list[AnyValue], kwargs: dict[str, AnyValue], function: FunctionValue
) -> dict[str, AnyValue] | None:
    """The arguments by the names of their parameters, defaults included; None if they do not bind."""
    bound: dict[str, AnyValue] = {}
    rest = list(args)
    extra = dict(kwargs)
    for parameter in signature.parameters:
        if parameter.kind == "positional":
            if rest:
                bound[parameter.name] = rest.pop(0)
                continue
        elif parameter.kind == "args":
            bound[parameter.name] = Sequence(rest, "tuple")
            rest = []
            continue
        elif parameter.kind == "kwargs":
            keys: dict[object, AnyValue] = dict(extra.items())
            bound[parameter.name] = Dictionary(keys)
            extra = {}
            continue
        if parameter.name in extra:
            bound[parameter.name] = extra.pop(parameter.name)
        elif parameter.default is not None:
            bound[parameter.name] = _default(frame, function, parameter.default)
        else:
            return None
    return None if rest or extra else bound


def _default(frame: Frame, function: FunctionValue, default: ast.expr) -> AnyValue:
    if isinstance(default, ast.Constant):
        return frame.evaluate(default)
    inner = Frame(frame.interpreter, function.index, function.name, closure=function.closure, depth=frame.depth + 1)
    return inner.evaluate(default)


def check_arguments(
    frame: Frame,
    node: ast.AST,
    signature: Signature,
    bound: dict[str, AnyValue],
    names: Names,
    function: str,
    args: list[AnyValue],
    kwargs: dict[str, AnyValue],
) -> bool:
    """Check the arguments of a call against the declared parameters; binds the callee's axis names."""
    fit = True
    interpreter = frame.interpreter
    nodes = _argument_nodes(node, signature, args, kwargs)
    for parameter in signature.parameters:
        hint = parameter.hint
        if hint is None or parameter.name not in bound or not any(isinstance(part, ArrayHint) for part in walk(hint)):
            continue
        value = bound[parameter.name]
        if parameter.kind == "args":
            values = [item for item in value.items if not isinstance(item, Rest)] if isinstance(value, Sequence) else []
        elif parameter.kind == "kwargs":
            values = list(value.items.values()) if isinstance(value, Dictionary) else []
        else:
            values = [value]
        place = nodes.get(parameter.name, node)
        interpreter.at(frame, place)
        for item in values:
            misfit = check(hint, item, names, narrow=True)
            if misfit is not None:
                code = "SC209" if _only_by_tie(signature, bound, names, hint, item) else "SC202"
                interpreter.report_misfit(frame, place, misfit, code, names, f"{parameter.name}|{function}")
                fit = False
            else:
                check_orders(frame, place, hint, item, f"argument|{parameter.name}", function)
                if isinstance(hint, ArrayHint) and isinstance(item, Tensor):
                    product = other_product(hint, item, names)
                    if product is not None:
                        interpreter.report(frame, place, product, f"argument `{parameter.name}` of {function}")
                kept = check_dtype(frame, place, hint, item, f"argument|{parameter.name}", function)
                if not kept and item is value:
                    bound[parameter.name] = without_dtype(value)
    if fit:
        check_shared_names(frame, nodes, node, signature, bound)
    return fit


def call_passed_in(frame: Frame, node: ast.AST, function: PassedIn, args: list[AnyValue]) -> AnyValue:
    """A call of a function of which only ``Callable[[A, B], R]`` is known, with axis names of its own.

    Such a declaration is checked by nobody at run time: it gives the result, and is no proof against the arguments.
    """
    *parameters, result = function.hint.args
    if len(parameters) != len(args):
        return Unknown(function.why)
    names = Names(Kind.FLEXIBLE)
    for hint, value in zip(parameters, args, strict=True):
        if check(hint, value, names, narrow=True) is not None:
            return Unknown(function.why)
        check_orders(frame, node, hint, value, "argument|", "the function passed in")
    return introduce(result, names, lambda other: frame.interpreter.plain_value(frame.index, other, "result"))


def _only_by_tie(
    signature: Signature, bound: dict[str, AnyValue], names: Names, hint: Hint, value: AnyValue
) -> bool:
    """Whether an argument fits if ints of the call are no axes of the same name: no call compares the two."""
    tied = {
        parameter.name for parameter in signature.parameters
        if parameter.is_required_int and parameter.name in names.bound
        and names.bound[parameter.name] is bound.get(parameter.name)
    }
    if not tied:
        return False
    untied = names.fork()
    untied.bound = {name: size for name, size in names.bound.items() if name not in tied}
    before = current().scope.fork()
    fits = check(hint, value, untied, narrow=True) is None
    current().scope.adopt(before)
    return fits


def _argument_nodes(
    node: ast.AST, signature: Signature, args: list[AnyValue], kwargs: dict[str, AnyValue]
) -> dict[str, ast.AST]:
    """The expression that each parameter was given, where the call spells them out."""
    found: dict[str, ast.AST] = {}
    if not isinstance(node, ast.Call) or any(isinstance(arg, ast.Starred) for arg in node.args):
        return found
    if len(node.args) != len(args):
        return found
    positional = [parameter.name for parameter in signature.parameters if parameter.kind == "positional"]
    skipped = len(positional) and positional[0] in {"self", "cls"}
    found.update(zip(positional[1 if skipped else 0 :], node.args, strict=False))
    for keyword in node.keywords:
        if keyword.arg in kwargs and keyword.arg is not None:
            found[keyword.arg] = keyword.value
    return found


def declared_result(frame: Frame, function: FunctionValue, signature: Signature, names: Names) -> AnyValue:
    """The value that a declared result promises; names that no argument bound are new."""
    hint = signature.returns
    if hint is None:
        return Unknown("no result is declared")
    interpreter = frame.interpreter
    index = function.index

    def other(part: OtherHint) -> AnyValue:
        if part.name in {"typing.Self", "typing_extensions.Self"} and isinstance(function.bound, Instance):
            return function.bound
        if part.name in ITERATORS and part.args:
            return elements(part.args[0], names, other, "iterator")
        return interpreter.plain_value(index, part, function.name)

    if signature.has("contextmanager"):
        return Unknown("a context manager")
    return introduce(hint, names, other)


def _inline(
    frame: Frame, node: ast.AST, function: FunctionValue, signature: Signature, bound: dict[str, AnyValue]
) -> AnyValue:
    """The result of a function's body for these arguments."""
    interpreter = frame.interpreter
    body = function.node
    if frame.depth >= MAX_DEPTH or interpreter.calling.count(body) >= MAX_RECURSION:
        return Unknown("calls nested too deeply")
    instance = function.bound if isinstance(function.bound, Instance) else None
    closure = function.closure
    if closure is not None and instance is None:
        captured = closure.get("self")
        instance = captured if isinstance(captured, Instance) else None
    inner = Frame(
        interpreter, function.index, function.name, closure=closure, instance=instance, owner=function.owner,
        depth=frame.depth + 1, trail=(*frame.trail, (frame.index, node)),
    )
    inner.env = dict(bound)
    if instance is not None and function.owner is not None and getattr(body, "name", "") == "__init__":
        instance.constructed[function.owner] = bound
    interpreter.calling.append(body)
    interpreter.active.append(frame)
    statement = interpreter.statement
    try:
        if isinstance(body, ast.Lambda):
            return inner.evaluate(body.body)
        if signature.is_generator:
            return Unknown("a generator")
        falls_through = interpreter.execute(inner, body.body)
    finally:
        interpreter.calling.pop()
        interpreter.active.pop()
        interpreter.statement = statement
    _write_back(frame, inner, body, bound, falls_through=falls_through)
    if plain := _plain_result(interpreter, function, signature, inner, falls_through=falls_through):
        return plain
    if not inner.results:
        return NONE if falls_through else Unknown("an abstract method" if _is_abstract(body) else NO_RETURN)
    result = inner.results[0]
    for other in inner.results[1:]:
        result = join(result, other)
    return result


def _is_abstract(body: ast.AST) -> bool:
    """Whether a function is only there to be overridden: it raises ``NotImplementedError``."""
    last = getattr(body, "body", [None])[-1]
    raised = last.exc if isinstance(last, ast.Raise) else None
    raised = raised.func if isinstance(raised, ast.Call) else raised
    return isinstance(raised, ast.Name) and raised.id == "NotImplementedError"


def _write_back(
    frame: Frame, inner: Frame, body: ast.AST, bound: dict[str, AnyValue], *, falls_through: bool
) -> None:
    """Lists and dictionaries that a call changed in branches: the caller's are those of the state it ended in."""
    for name in changed_names(body) & bound.keys():
        given, left = bound[name], inner.env.get(name)
        if left is given or not isinstance(given, (Sequence, Elements, Dictionary)):
            continue
        known = falls_through and not inner.results and isinstance(left, (Sequence, Elements, Dictionary))
        replace_value(frame, given, left if known and left is not None else Unknown("a function changes it"))


def _plain_result(
    interpreter: Interpreter, function: FunctionValue, signature: Signature, inner: Frame, *, falls_through: bool
) -> AnyValue | None:
    """A result that the body leaves unknown is what its plain annotation says: an int, a tensor of any shape."""
    if falls_through or signature.returns is None or not isinstance(signature.returns, OtherHint):
        return None
    if all(not isinstance(result, Unknown) for result in inner.results):
        return None
    if is_plain(signature.returns, "builtins.int") or is_plain(signature.returns, "torch.Tensor"):
        return interpreter.plain_value(function.index, signature.returns, function.name)
    return None
