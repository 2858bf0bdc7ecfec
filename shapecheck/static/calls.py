"""Calls of abstract values: operations, layers, containers, choices of several; project functions in ``functions``."""

from __future__ import annotations

import ast
from functools import cache

from shapecheck.dims import Dim, Kind, Symbol
from shapecheck.ops import construct as construct_layer
from shapecheck.ops import find_module, find_operation
from shapecheck.ops import forward as call_layer
from shapecheck.ops import method as call_method_of
from shapecheck.ops.plugins import load_plugins
from shapecheck.rules.silent import forget
from shapecheck.shapes import (
    NONE,
    AnyValue,
    Axis,
    Constant,
    Mismatch,
    Number,
    Origin,
    Rest,
    Sequence,
    Shape,
    Tensor,
    Unknown,
    current,
)
from shapecheck.static import arrays, construction, containers, objects, rows
from shapecheck.static.aliases import RESHAPING, forget_shape, forget_values, own, replace_tensor
from shapecheck.static.copies import may_change
from shapecheck.static.declare import Names
from shapecheck.static.facts import condition_of
from shapecheck.static.frame import Frame
from shapecheck.static.functions import call_function, call_passed_in, declared_result
from shapecheck.static.iteration import iterate
from shapecheck.static.joins import one_of
from shapecheck.static.methods import call_method
from shapecheck.static.number_functions import BUILTINS
from shapecheck.static.signature import signature_of
from shapecheck.static.values import (
    BoundMethod,
    ClassValue,
    Container,
    Dictionary,
    Elements,
    External,
    FunctionValue,
    GivenModule,
    Instance,
    Layer,
    OneOf,
    Partial,
    PassedIn,
    Rows,
    Super,
)

TYPE_CHECKING = False

_LIST_OPERATIONS = {"torch.stack", "torch.cat", "torch.concat", "torch.concatenate", "torch.vstack", "torch.hstack"}
_FROM_DATA = {
    f"torch.{name}" for name in ("tensor", "as_tensor", "Tensor", "LongTensor", "FloatTensor", "BoolTensor")
}
_NO_TENSORS = ("torch.device", "torch.Generator", "torch.finfo", "torch.iinfo", "torch.optim.", "torch.utils.",
               "torch.cuda.", "torch.distributed.", "torch.backends.", "torch.jit.", "torch.profiler.")  # fmt: skip
"""What of torch returns no tensors; its unknown results are no unknown shapes."""
_PURE = frozenset((
    "torch", "numpy", "math", "logging", "warnings", "itertools", "operator", "os", "json", "time", "einops", "wandb",
    "matplotlib", "typing", "dataclasses", "functools", "einx", "scipy", "tqdm", "builtins",
))  # fmt: skip
"""Libraries whose functions leave the lists alone that they are given."""
_METHODS_OF_MODULES = frozenset(("to", "cuda", "cpu", "eval", "train", "half", "float", "double", "requires_grad_",
                                 "bfloat16", "apply", "type"))  # fmt: skip


def call_node(frame: Frame, node: ast.Call) -> AnyValue:
    """The value of a call expression."""
    function_node = node.func
    if isinstance(function_node, ast.Name) and function_node.id == "super" and frame.owner is not None:
        return Super(frame.instance if frame.instance is not None else NONE, frame.owner)
    function = frame.evaluate(function_node)
    args: list[AnyValue] = []
    spread_unknown = keywords_unknown = False
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
            keywords_unknown = True
    if isinstance(function, BoundMethod) and isinstance(function_node, ast.Attribute):
        function = _with_present_receiver(frame, function_node, function)
    if spread_unknown or (keywords_unknown and not isinstance(function, (Layer, Instance))):
        return _call_with_unknown_arguments(frame, node, function)
    return call(frame, node, function, args, kwargs)


def _with_present_receiver(frame: Frame, node: ast.Attribute, method: BoundMethod) -> BoundMethod:
    """A method of a list or dictionary that a name stands for, as that is now: branches of an argument copy it."""
    if isinstance(node.value, ast.Name) and isinstance(method.receiver, (Sequence, Elements, Dictionary)):
        present = frame.evaluate(node.value)
        if present is not method.receiver and isinstance(present, (Sequence, Elements, Dictionary)):
            return BoundMethod(present, method.name)
    return method


def _call_with_unknown_arguments(frame: Frame, node: ast.Call, function: AnyValue) -> AnyValue:
    if isinstance(function, FunctionValue):
        signature = signature_of(function.node, function.index)
        if signature.declares_result:
            return declared_result(frame, function, signature, Names(Kind.FLEXIBLE))
    if isinstance(function, ClassValue):
        return construction.instance_of(frame.interpreter, function.cls, function.cls.name)
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
        cls = function.cls
        return frame.interpreter.limited(cls.node, lambda: construction.construct(frame, node, cls, args, kwargs))
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
    may_change(frame, [*args, *kwargs.values()])
    if isinstance(function, PassedIn) and not kwargs:
        return call_passed_in(frame, node, function, args)
    if isinstance(function, GivenModule):
        return rows.given(function.why, args)
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
    """Call a builtin, an operation or a layer by its qualified name; what has no rule may change what it is given."""
    interpreter = frame.interpreter
    builtin = BUILTINS.get(name)
    if builtin is not None:
        return builtin(frame, node, args, kwargs)
    if name in containers.CONTAINERS:
        return containers.make(frame, name, args, kwargs)
    if args and isinstance(args[0], Elements):
        if name in _LIST_OPERATIONS:
            return _join_elements(frame, node, name, args[0], args[1:], kwargs)
        if name in _FROM_DATA:
            data = containers.data_of(args[0])
            if data is None:
                return _from_elements(frame, node, args[0])
            interpreter.count(frame, node, data)
            return Tensor(data.shape) if "dtype" in kwargs else data
    if args and isinstance(args[0], Rows):
        found = _of_rows(frame, node, name, args[0], args[1:], kwargs)
        if found is not None:
            return found
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
    if name.partition(".")[0] not in _PURE:
        may_change(frame, [*args, *kwargs.values()])
    result = Unknown(f"{name} has no rule")
    if name.partition(".")[0] not in _PURE and name.rpartition(".")[2][:1].isupper():
        # An object of another library's class.
        result = GivenModule(result.why)
    if name.startswith(("torch.", "einops.", "einx.")) and not name.startswith(_NO_TENSORS):
        interpreter.count(frame, node, result)
    return result


def _of_rows(
    frame: Frame, node: ast.AST, name: str, value: Rows, args: list[AnyValue], kwargs: dict[str, AnyValue]
) -> AnyValue | None:
    """A function of torch that changes no axis, or takes the first one apart; None for another."""
    library, _, last = name.rpartition(".")
    if library == "einops":
        rows.rearranged(frame, node, value, args, kwargs)
        return None
    if last in rows.METHODS and library in {"torch", "torch.nn.functional"}:
        return rows.method(frame, node, value, last, args)
    return None


def _from_elements(frame: Frame, node: ast.AST, data: Elements) -> AnyValue:
    """The tensor of a list of unknown length: the list's length, then what an item has."""
    if data.length is None:
        data.length = Dim.of(Symbol("len", Kind.OPAQUE))
    lead, element = Axis.of(data.length), frame.interpreter.settle(data.element)
    if isinstance(element, Elements):
        inner = _from_elements(frame, node, element)
        axes = inner.shape.axes if isinstance(inner, Tensor) else (Rest(),)
    elif isinstance(element, Tensor):
        axes = element.shape.axes
    elif isinstance(element, (Dim, Number)) or (isinstance(element, Constant) and not isinstance(element.value, str)):
        axes = ()
    else:
        axes = (Rest(),)
    result = Tensor(Shape((lead, *axes)))
    frame.interpreter.count(frame, node, result)
    return result


def _sizes(values: list[AnyValue]) -> list[AnyValue]:
    """Constructor arguments: a choice of None or a size is taken as the size, a layer as its rule."""
    return [_constructor_argument(value) for value in values]


def _constructor_argument(value: AnyValue) -> AnyValue:
    if isinstance(value, External):
        return Unknown(f"the value of {value.name}")
    if isinstance(value, Layer):
        return value.rule  # type: ignore[return-value]  # rules of containers of layers take the inner rule
    return _settled(value)


def _settled(value: AnyValue) -> AnyValue:
    if isinstance(value, OneOf):
        known = [option for option in value.options if option != NONE]
        if len(known) == 1:
            return known[0]
    return value


@cache
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
            axes.append(Axis.of(Symbol("n", Kind.OPAQUE)) if own else _pieces(single, elements.length))
        else:
            axes.append(single)
    return Tensor(Shape(axes), one.dtype, one.kind, one.mark)


def _pieces(piece: Axis, count: Dim) -> Axis:
    """So many alike pieces one after the other: the number of the piece is outermost."""
    number = Axis.of(count, Origin.WRITTEN)
    return number if piece.is_one else Axis(piece.size * count, (*number.factors, *piece.factors), Origin.WRITTEN)


def _call_bound(
    frame: Frame, node: ast.AST, method: BoundMethod, args: list[AnyValue], kwargs: dict[str, AnyValue]
) -> AnyValue:
    """Call a method of a tensor, container, module or object."""
    receiver = method.receiver
    if isinstance(receiver, Tensor):
        if not arrays.is_torch(receiver.kind):
            return arrays.call_method(frame, node, receiver, method.name, args, kwargs)
        found = frame.interpreter.apply(
            frame, node, f"torch.Tensor.{method.name}", [receiver, *args], kwargs, f".{method.name}"
        )
        if method.name in RESHAPING and not isinstance(found, Tensor):
            forget_shape(frame, receiver)
        elif method.name.endswith("_") and isinstance(found, Tensor):
            forget(receiver)
            found = _keep_in_place(frame, node, receiver, found)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                forget_values(frame, node.func.value, found)
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
    if isinstance(receiver, Rows):
        return rows.method(frame, node, receiver, method.name, args)
    if isinstance(receiver, Layer):
        if method.name in receiver.rule.methods:
            return _call_layer(frame, node, receiver, args, kwargs, method.name)
        return receiver if method.name in _METHODS_OF_MODULES else Unknown(f"the method {method.name} of a layer")
    return call_method(frame, node, method, args)


def _keep_in_place(frame: Frame, node: ast.AST, receiver: Tensor, result: Tensor) -> Tensor:
    """``x.unsqueeze_(1)`` changes the shape of what x names; the tensor that it is afterwards."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return result
    kept = receiver
    # Marks of the rules about silent faults are no part of a comparison; a dtype stays what it was.
    if receiver.shape != result.shape or any(isinstance(axis, Axis) and axis.mark for axis in result.shape.axes):
        kept = Tensor(result.shape, receiver.dtype, receiver.kind)
        replace_tensor(frame, receiver, kept)
    return kept if result.mark is None and receiver.mark is None else result


def _call_layer(
    frame: Frame, node: ast.AST, layer: Layer, args: list[AnyValue], kwargs: dict[str, AnyValue], method: str = ""
) -> AnyValue:
    interpreter = frame.interpreter
    context = interpreter.context
    context.place = (frame.index, node)
    context.suspicions.clear()
    settled = [interpreter.settle(arg) for arg in args]
    named = {key: interpreter.settle(value) for key, value in kwargs.items()}
    found = call_method_of(layer.rule, method, settled, named) if method else call_layer(layer.rule, settled, named)
    shown = f".{method}" if method else _shown(layer.name)
    if not isinstance(found, Mismatch):
        name = f"{layer.name}.{method}" if method else layer.name
        found = interpreter.watched(frame, node, name, settled, named, found, shown, layer.rule)
    result = frame.report(node, found, shown) if isinstance(found, Mismatch) else found
    result = own(result, settled)
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
