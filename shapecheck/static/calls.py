"""Calls: operations, layers, project functions by their declaration or by their body, constructors, containers."""

from __future__ import annotations

import ast

from shapecheck.annotations import ArrayHint, OtherHint, walk
from shapecheck.dims import Dim, Kind, Symbol
from shapecheck.ops import construct as construct_layer
from shapecheck.ops import find_module, find_operation
from shapecheck.ops import forward as call_layer
from shapecheck.ops.plugins import load_plugins
from shapecheck.rules.axis_order import axis_order
from shapecheck.shapes import (
    NONE,
    AnyValue,
    Axis,
    Mismatch,
    Opaque,
    Rest,
    Sequence,
    Shape,
    Tensor,
    Unknown,
    current,
)
from shapecheck.static import arrays, containers, objects
from shapecheck.static.builtins import BUILTINS, call_method
from shapecheck.static.conditions import condition_of
from shapecheck.static.copies import replace_tensor, replace_value
from shapecheck.static.declare import Names, check, elements, introduce
from shapecheck.static.expressions import iterate
from shapecheck.static.frame import FAULT, NO_RETURN, Frame
from shapecheck.static.joins import join, one_of
from shapecheck.static.mutation import changed_names
from shapecheck.static.signature import Signature, is_plain, signature_of
from shapecheck.static.values import (
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
    Super,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from shapecheck.annotations.expression import Path
    from shapecheck.annotations.hints import Hint
    from shapecheck.static.classes import ClassIndex
    from shapecheck.static.index import ModuleIndex
    from shapecheck.static.interpreter import Interpreter

MAX_DEPTH = 12
"""Calls of unannotated functions are followed this deep."""
MAX_RECURSION = 2
_RESIZING = frozenset(("resize_", "resize_as_", "set_"))
ITERATORS = frozenset(
    f"{module}.{name}"
    for module in ("typing", "collections.abc")
    for name in ("Iterator", "Iterable", "Generator", "AsyncIterator", "AsyncIterable", "AsyncGenerator")
)

_LIST_OPERATIONS = {"torch.stack", "torch.cat", "torch.concat", "torch.concatenate", "torch.vstack", "torch.hstack"}
_METHODS_OF_MODULES = frozenset(("to", "cuda", "cpu", "eval", "train", "half", "float", "double", "requires_grad_",
                                 "bfloat16", "apply", "type"))  # fmt: skip


def call_node(frame: Frame, node: ast.Call) -> AnyValue:
    """The value of a call expression."""
    function_node = node.func
    if isinstance(function_node, ast.Name) and function_node.id == "super" and frame.owner is not None:
        return Super(frame.instance if frame.instance is not None else NONE, frame.owner)
    function = frame.evaluate(function_node)
    args: list[AnyValue] = []
    spread_unknown = False
    for arg in node.args:
        if isinstance(arg, ast.Starred):
            value = frame.evaluate(arg.value)
            if isinstance(value, Sequence):
                # A Rest stays in its place: `x.view(*x.shape[:-1], h, d)`.
                args += value.items  # type: ignore[arg-type]  # a Rest is passed on to where sizes are taken
            else:
                found = iterate(frame, value)
                spread_unknown = isinstance(found, Elements)
                if isinstance(found, list):
                    args += found
        else:
            args.append(condition_of(frame, arg, frame.evaluate(arg)))
    kwargs: dict[str, AnyValue] = {}
    for keyword in node.keywords:
        value = frame.evaluate(keyword.value)
        if keyword.arg is not None:
            kwargs[keyword.arg] = value
        elif isinstance(value, Dictionary) and all(isinstance(key, str) for key in value.items):
            kwargs.update(value.items)  # type: ignore[arg-type]  # the keys are names
        else:
            spread_unknown = True
    if spread_unknown:
        return _call_with_unknown_arguments(frame, node, function)
    return call(frame, node, function, args, kwargs)


def _call_with_unknown_arguments(frame: Frame, node: ast.Call, function: AnyValue) -> AnyValue:
    if isinstance(function, FunctionValue):
        signature = signature_of(function.node, function.index)
        if signature.declares_result:
            return _declared_result(frame, function, signature, Names(Kind.FLEXIBLE))
    if isinstance(function, ClassValue):
        return objects.instance_of(frame.interpreter, function.cls, function.cls.name)
    if isinstance(function, External) and function.name in containers.CONTAINERS and len(node.args) == 1:
        starred = node.args[0]
        if isinstance(starred, ast.Starred):
            return containers.make(frame, function.name, [frame.evaluate(starred.value)], {})
    return Unknown("any number of arguments")


def call(
    frame: Frame, node: ast.AST, function: AnyValue, args: list[AnyValue], kwargs: dict[str, AnyValue]
) -> AnyValue:
    """The value of a call of an abstract function."""
    frame.interpreter.step()
    if isinstance(function, External):
        return _call_external(frame, node, function.name, args, kwargs)
    if isinstance(function, BoundMethod):
        return _call_bound(frame, node, function, args, kwargs)
    if isinstance(function, FunctionValue):
        return call_function(frame, node, function, args, kwargs)
    if isinstance(function, Layer):
        return _call_layer(frame, node, function, args, kwargs)
    if isinstance(function, Instance):
        return _call_instance(frame, node, function, args, kwargs)
    if isinstance(function, ClassValue):
        return frame.interpreter.limited(lambda: objects.construct(frame, node, function.cls, args, kwargs))
    if isinstance(function, Container):
        return containers.apply(frame, node, function, args)
    if isinstance(function, Elements) and function.kind == "sequential":
        return containers.apply_repeated(frame, node, function, args)
    if isinstance(function, OneOf):
        return _call_one_of(frame, node, function, args, kwargs)
    if isinstance(function, Partial):
        return call(frame, node, function.function, [*function.args, *args], {**function.kwargs, **kwargs})
    if isinstance(function, Tensor):
        return Unknown("a tensor is called")
    return Unknown(function.why if isinstance(function, Unknown) else "a call of a value that is not followed")


def _call_one_of(
    frame: Frame, node: ast.AST, function: OneOf, args: list[AnyValue], kwargs: dict[str, AnyValue]
) -> AnyValue:
    """Any of several functions: nothing is reported, since what chooses one may choose the arguments too."""
    known = [option for option in function.options if option != NONE]
    if len(known) == 1:
        return call(frame, node, known[0], args, kwargs)
    results = []
    frame.interpreter.silent += 1
    before = current().scope
    try:
        for option in known:
            current().scope = before.fork()
            results.append(call(frame, node, option, args, kwargs))
    finally:
        current().scope = before
        frame.interpreter.silent -= 1
    if any(isinstance(result, Unknown) for result in results):
        return Unknown("one of several modules")
    return one_of(results)


# -- operations ------------------------------------------------------------------------------------------------------


def _call_external(
    frame: Frame, node: ast.AST, name: str, args: list[AnyValue], kwargs: dict[str, AnyValue]
) -> AnyValue:
    interpreter = frame.interpreter
    builtin = BUILTINS.get(name)
    if builtin is not None:
        return builtin(frame, node, args, kwargs)
    if name in containers.CONTAINERS:
        return containers.make(frame, name, args, kwargs)
    if name in _LIST_OPERATIONS and args and isinstance(args[0], Elements):
        return _join_elements(frame, node, name, args[0], args[1:], kwargs)
    operation = find_operation(name)
    if operation is not None:
        return interpreter.apply(frame, node, name, args, kwargs, _shown(name))
    layer = find_module(name)
    if layer is not None:
        sizes, named = _sizes(args), {key: _sizes([value])[0] for key, value in kwargs.items()}
        made = construct_layer(layer, sizes, named)
        if isinstance(made, Mismatch):
            return frame.report(node, made, _shown(name))
        interpreter.watched(frame, node, f"{name}.__init__", sizes, named, NONE, _shown(name))
        return Layer(name, made) if not isinstance(made, Unknown) else made
    if name.startswith("builtins."):
        return Unknown(f"{name.removeprefix('builtins.')}() is not followed")
    if load_plugins(name):
        return _call_external(frame, node, name, args, kwargs)
    result = Unknown(f"{name} has no rule")
    if name.startswith(("torch.", "einops.", "einx.")):
        interpreter.count(frame, node, result)
    return result


def _sizes(values: list[AnyValue]) -> list[AnyValue]:
    """Constructor arguments: a choice of None or a size is taken as the size."""
    return [
        Unknown(f"the value of {value.name}") if isinstance(value, External) else _settled(value) for value in values
    ]


def _settled(value: AnyValue) -> AnyValue:
    if isinstance(value, OneOf):
        known = [option for option in value.options if option != NONE]
        if len(known) == 1:
            return known[0]
    return value


def _shown(name: str) -> str:
    for prefix, short in (("torch.nn.functional.", "F."), ("torch.nn.", "nn."), ("torch.Tensor.", "."),
                          ("einops.", "")):  # fmt: skip
        if name.startswith(prefix):
            return f"{short}{name[len(prefix):]}"
    return name


def _join_elements(
    frame: Frame, node: ast.AST, name: str, elements: Elements, args: list[AnyValue], kwargs: dict[str, AnyValue]
) -> AnyValue:
    """``stack`` and ``cat`` of a list of unknown length: as of two items, with the length in the place of 2."""
    interpreter = frame.interpreter
    if not isinstance(elements.element, Tensor):
        return Unknown("a list of unknown items")
    if elements.length is None:
        elements.length = Dim.of(Symbol("n", Kind.OPAQUE))
    pair = Sequence([elements.element, elements.element], "list")
    found = interpreter.apply(frame, node, name, [pair, *args], kwargs, _shown(name))
    if not isinstance(found, Tensor):
        return found
    one = interpreter.apply(frame, node, name, [Sequence([elements.element], "list"), *args], kwargs, _shown(name))
    if not isinstance(one, Tensor) or len(one.shape) != len(found.shape):
        return Unknown("a list of unknown length")
    axes: list[Axis | Rest] = []
    for single, double in zip(one.shape, found.shape, strict=True):
        if isinstance(single, Axis) and isinstance(double, Axis) and single.size != double.size:
            own = any(atom in elements.own for atom in single.size.atoms)
            axes.append(Axis.of(Symbol("n", Kind.OPAQUE) if own else single.size * elements.length))
        else:
            axes.append(single)
    return one.reshaped(Shape(axes))


def _call_bound(
    frame: Frame, node: ast.AST, method: BoundMethod, args: list[AnyValue], kwargs: dict[str, AnyValue]
) -> AnyValue:
    receiver = method.receiver
    if isinstance(receiver, Tensor):
        if not arrays.is_torch(receiver.kind):
            return arrays.call_method(frame, node, receiver, method.name, args, kwargs)
        found = frame.interpreter.apply(
            frame, node, f"torch.Tensor.{method.name}", [receiver, *args], kwargs, f".{method.name}"
        )
        if method.name in _RESIZING and not isinstance(found, Tensor):
            replace_tensor(frame, receiver, receiver.reshaped(Shape.unknown()))
        elif method.name.endswith("_") and isinstance(found, Tensor):
            _keep_in_place(frame, node, receiver, found)
        return found
    if isinstance(receiver, Instance):
        forward = receiver.cls.method("forward") if method.name == "__call__" else None
        if forward is not None:
            # `super().__call__(x)` in a module.
            found_owner, found_node = forward
            function = FunctionValue(
                found_node, found_owner.index, f"{receiver.cls.name}.forward", bound=receiver, owner=found_owner
            )
            return call_function(frame, node, function, args, kwargs)
        return objects.module_method(frame, node, receiver, method.name, args, kwargs)
    if isinstance(receiver, Layer):
        return receiver if method.name in _METHODS_OF_MODULES else Unknown(f"the method {method.name} of a layer")
    return call_method(frame, node, method, args)


def _keep_in_place(frame: Frame, node: ast.AST, receiver: Tensor, result: Tensor) -> None:
    """``x.unsqueeze_(1)`` changes the shape of what x names."""
    if receiver.shape == result.shape or not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return
    replace_tensor(frame, receiver, result)


def _call_layer(
    frame: Frame, node: ast.AST, layer: Layer, args: list[AnyValue], kwargs: dict[str, AnyValue]
) -> AnyValue:
    interpreter = frame.interpreter
    context = interpreter.context
    context.place = (frame.index, node)
    context.suspicions.clear()
    settled = [interpreter.settle(arg) for arg in args]
    named = {key: interpreter.settle(value) for key, value in kwargs.items()}
    found = call_layer(layer.rule, settled, named)
    shown = _shown(layer.name)
    if not isinstance(found, Mismatch):
        found = interpreter.watched(frame, node, layer.name, settled, named, found, shown, layer.rule)
    result = frame.report(node, found, shown) if isinstance(found, Mismatch) else found
    interpreter.count(frame, node, result)
    return result


def _call_instance(
    frame: Frame, node: ast.AST, instance: Instance, args: list[AnyValue], kwargs: dict[str, AnyValue]
) -> AnyValue:
    names = ("__call__", "forward") if instance.cls.is_module else ("__call__",)
    for name in names:
        found = instance.cls.method(name)
        if found is not None:
            function = FunctionValue(
                found[1], found[0].index, f"{instance.cls.name}.{name}", bound=instance, owner=found[0]
            )
            return call_function(frame, node, function, args, kwargs)
    return Unknown(f"{instance.cls.name} has no known forward")


# -- project functions -----------------------------------------------------------------------------------------------


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
            return _declared_result(frame, function, signature, Names(Kind.FLEXIBLE))
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
        return _declared_result(frame, function, signature, names)
    if not signature.is_transparent or signature.is_left_out:
        return Unknown("a decorator that is not followed")
    return interpreter.limited(lambda: _inline(frame, node, function, signature, bound))


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
    inner = Frame(frame.interpreter, function.index, function.name, closure=function.closure, depth=frame.depth + 1)
    return inner.evaluate(default)


def path_reader(
    interpreter: Interpreter, index: ModuleIndex, values: dict[str, AnyValue], instance: AnyValue | None
) -> Callable[[Path], Dim | None]:
    """What reads ``{self.d}`` and ``{n}`` in shape strings, among the arguments of a call."""

    def read(path: Path) -> Dim | None:
        parts = path.parts
        if not parts:
            return None
        value: AnyValue | None = values.get(parts[0])
        if value is None and parts[0] == "self":
            value = instance
        frame = Frame(interpreter, index, "<annotation>", depth=1)
        for part in parts[1:]:
            if value is None:
                return None
            value = _attribute(frame, value, part)
        if isinstance(value, Opaque):
            return value.size()
        settled = interpreter.settle(value) if value is not None else None
        return settled if isinstance(settled, Dim) else None

    return read


def _attribute(frame: Frame, value: AnyValue, name: str) -> AnyValue:
    from shapecheck.static.expressions import attribute_of

    return attribute_of(frame, value, name, ast.Pass())


def tie_instance(
    frame: Frame, instance: Instance, signature: Signature, names: Names, owner: ClassIndex | None = None
) -> None:
    """The axis names of a method that its object knows: ``dims=``, and required int parameters of the constructor."""
    for name, size in explicit_ties(frame, instance).items():
        if name in signature.names:
            names.bound[name] = size
    for name, size in implicit_ties(instance, signature, owner).items():
        names.bound.setdefault(name, size)


def explicit_ties(frame: Frame, instance: Instance) -> dict[str, Dim]:
    """The axis names that ``@shapechecked(dims={...})`` ties to attributes, those of the class before its bases'."""
    found: dict[str, Dim] = {}
    for cls in reversed(instance.cls.mro):
        for name, path in cls.dims.items():
            size = attribute_size(frame, instance, path)
            if size is not None:
                found[name] = size
    return found


def implicit_ties(instance: Instance, signature: Signature, owner: ClassIndex | None = None) -> dict[str, Dim]:
    """The axis names of a method that required int parameters of the constructor are called by.

    The constructor is that of the class which defines the method, with the arguments it was given.
    """
    found = (owner or instance.cls).method("__init__")
    given = None if found is None else instance.constructed.get(found[0])
    if found is None or given is None:
        return {}
    sizes: dict[str, Dim] = {}
    for parameter in signature_of(found[1], found[0].index).parameters:
        value = given.get(parameter.name)
        if parameter.is_required_int and parameter.name in signature.names and isinstance(value, Dim):
            sizes[parameter.name] = value
    return sizes


def attribute_size(frame: Frame, instance: Instance, path: str) -> Dim | None:
    """The size that an attribute path such as ``d_model`` or ``tok.weight.shape[0]`` leads to."""
    try:
        expression = ast.parse(f"self.{path}", mode="eval").body
    except SyntaxError:
        return None
    inner = Frame(frame.interpreter, instance.cls.index, instance.cls.name, instance=instance, depth=1)
    inner.env["self"] = instance
    frame.interpreter.silent += 1
    try:
        value = frame.interpreter.settle(inner.evaluate(expression))
    finally:
        frame.interpreter.silent -= 1
    if isinstance(value, Opaque):
        return value.size()
    return value if isinstance(value, Dim) else None


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
            elif isinstance(hint, ArrayHint) and isinstance(item, Tensor):
                shown = interpreter.speaker(frame).axis
                found = axis_order(hint, item, shown, interpreter.declared_orders(frame), parameter.name)
                if found is not None:
                    interpreter.report(frame, place, found, function)
    return fit


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


def _declared_result(frame: Frame, function: FunctionValue, signature: Signature, names: Names) -> AnyValue:
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
