"""The methods of a `torch.autograd.Function`: what `backward` returns has the shapes of what `forward` was given.

torch itself refuses gradients that do not fit at all, and sums those that are too wide without a word.
"""

from __future__ import annotations

import functools
import sys
import types
from typing import Any

from shapecheck.runtime import resolve
from shapecheck.runtime.errors import ShapeError

INPUTS = "shapecheck_inputs"
"""The attribute of `ctx` that keeps the names and shapes of the inputs."""

WATCHED = "__shapecheck_gradients__"
METHODS = frozenset({"forward", "setup_context", "backward"})


def is_method(function: types.FunctionType) -> bool:
    """Whether a plain function looks like a method of an autograd function."""
    return function.__name__ in METHODS and function.__code__.co_varnames[:1] in {("ctx",), ("context",)}


def is_autograd_class(cls: type) -> bool:
    """Whether a class is a `torch.autograd.Function`."""
    torch = sys.modules.get("torch")
    return torch is not None and issubclass(cls, torch.autograd.Function)


def watched(call: Any) -> Any:
    """The method, remembering the shapes of the inputs in `ctx`, or comparing the gradients with them."""
    function = resolve.innermost(call)
    if function is None or WATCHED in getattr(call, "__dict__", {}) or not is_method(function):
        return call
    method = {"forward": _forward, "setup_context": _setup_context, "backward": _backward}[function.__name__]
    watching = method(call, function)
    watching.__dict__[WATCHED] = True
    return watching


def _forward(call: Any, function: types.FunctionType) -> Any:
    @functools.wraps(call)
    def forward(ctx: Any, *inputs: Any, **more: Any) -> Any:
        if not _is_compiling():
            _remember(ctx, function, inputs)
        return call(ctx, *inputs, **more)

    return forward


def _setup_context(call: Any, _: types.FunctionType) -> Any:
    @functools.wraps(call)
    def setup_context(ctx: Any, inputs: Any, output: Any) -> Any:
        if not _is_compiling():
            _remember(ctx, None, inputs)
        return call(ctx, inputs, output)

    return setup_context


def _backward(call: Any, function: types.FunctionType) -> Any:
    @functools.wraps(call)
    def backward(ctx: Any, *gradients: Any) -> Any:
        result = call(ctx, *gradients)
        error = None if _is_compiling() else _misfit(ctx, function, result)
        if error is None:
            return result
        try:
            raise error
        except ShapeError as raised:
            raised.__traceback__ = None  # a bare `raise` adds no frame of ours
            raise

    return backward


def _is_compiling() -> bool:
    torch: Any = sys.modules["torch"]
    compiling: bool = torch.compiler.is_compiling()
    return compiling


def _remember(ctx: Any, function: types.FunctionType | None, inputs: Any) -> None:
    torch: Any = sys.modules["torch"]
    kinds = torch.autograd.function.FunctionCtx, torch._functorch.autograd_function.WrappedCtx  # noqa: SLF001
    if isinstance(ctx, kinds):
        shapes = tuple(tuple(part.shape) if isinstance(part, torch.Tensor) else None for part in inputs)
        setattr(ctx, INPUTS, (function, shapes))


def _misfit(ctx: Any, function: types.FunctionType, result: Any) -> ShapeError | None:
    """The error for the first gradient that has not the shape of its input."""
    forward, shapes = getattr(ctx, INPUTS, (None, ()))
    gradients = result if isinstance(result, tuple) else (result,)
    for index, (gradient, shape) in enumerate(zip(gradients, shapes, strict=False)):
        if shape is None or not hasattr(gradient, "shape") or tuple(gradient.shape) == shape:
            continue
        if forward is None:
            forward = resolve.innermost(getattr(getattr(type(ctx), "_forward_cls", None), "forward", None))
        return _error(function, forward, index, tuple(gradient.shape), shape, several=isinstance(result, tuple))
    return None


def _error(
    function: types.FunctionType,
    forward: types.FunctionType | None,
    index: int,
    actual: tuple[int, ...],
    expected: tuple[int, ...],
    *,
    several: bool,
) -> ShapeError:
    """The error for the gradient at ``index``: of which input it is, and the sum that would make it fit."""
    from shapecheck.runtime.explain import definition

    name = _input_name(forward, index)
    change = _reduction(actual, expected)
    qualname = function.__qualname__
    which = f" (element {index} of what it returns)" if several else ""
    method = qualname.rpartition("<locals>.")[2]
    lines = [
        f"{method}(): the gradient of {name}{which} has the shape {actual}, expected {expected}",
        "a gradient has the shape of its input" + ("; torch would sum this one without a word" if change else ""),
        "",
    ]
    if change:
        lines += [f"{change} would fit", ""]
    lines.append(f"declared at {function.__code__.co_filename}:{definition(function.__code__)}")
    error = ShapeError("\n".join(lines))
    error.function = qualname
    error.argument = f"return[{index}]" if several else "return"
    error.name, error.expected, error.actual = name, expected, actual
    return error


def _input_name(forward: types.FunctionType | None, index: int) -> str:
    """What `forward` calls an input."""
    if forward is None:
        return f"input {index}"
    code = forward.__code__
    names = code.co_varnames[: code.co_argcount]
    if is_method(forward):
        names = names[1:]
    if index < len(names):
        return names[index]
    return f"{code.co_varnames[code.co_argcount + code.co_kwonlyargcount]}[{index - len(names)}]"


def _reduction(actual: tuple[int, ...], expected: tuple[int, ...]) -> str:
    """The call that makes one shape of the other, as torch would; empty where there is none."""
    lead = len(actual) - len(expected)
    if lead < 0 or any(size not in {1, wide} for size, wide in zip(expected, actual[lead:], strict=True)):
        return ""
    first = tuple(range(lead))
    rest = tuple(lead + axis for axis, size in enumerate(expected) if size != actual[lead + axis])
    method = "squeeze" if lead and all(size == 1 for size in actual[:lead]) else "sum"
    text = f".{method}({', '.join(map(str, first))})" if lead == 1 else f".{method}({first})" if lead else ""
    if rest:
        kept = tuple(axis - lead for axis in rest)
        text += f".sum({kept[0] if len(kept) == 1 else kept}, keepdim=True)"
    return text
