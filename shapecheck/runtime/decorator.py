"""`@shapechecked`: puts a checker in front of functions, methods and everything else that calls them."""

from __future__ import annotations

import _thread
import builtins
import functools
import os
import types
from typing import Any, TypeVar, overload

from shapecheck.runtime import observe, resolve
from shapecheck.runtime.errors import ShapeError
from shapecheck.runtime.kinds import ASYNC_GENERATOR, COROUTINE, FUNCTION, GENERATOR, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from shapecheck.runtime.checker import Checker

T = TypeVar("T")

# Threads may make the first call together. Evaluating an annotation may call a decorated function: hence reentrant.
_BUILDING = _thread.RLock()

# What the methods of `torch.autograd.Function` call their first argument.
_CONTEXTS = {("ctx",), ("context",)}

MARK = "__shapecheck__"
UNCHECKED = "__shapecheck_unchecked__"


def switched_off() -> bool:
    """Whether `SHAPECHECK=off` leaves everything as it is."""
    return os.environ.get("SHAPECHECK", "").lower() in {"off", "0", "false", "no"}


@overload
def shapechecked(target: T, *, dims: dict[str, str] | None = None, locals: bool = False) -> T: ...
@overload
def shapechecked(
    target: None = None, *, dims: dict[str, str] | None = None, locals: bool = False
) -> Callable[[T], T]: ...
def shapechecked(target: Any = None, *, dims: dict[str, str] | None = None, locals: bool = False) -> Any:
    """Check the tensors of every call against their annotations.

    For functions (also async, generators), methods, static and class methods, properties, `functools.partial` objects,
    and classes, whose annotated methods are all checked. With `SHAPECHECK=off` in the environment nothing is touched.

    Args:
        target: what to check; left out when the decorator is written with arguments.
        dims: on a class or method, axis names tied to attributes of the instance: `{"D": "d_model"}` says that "D" is
            `self.d_model` in every method. Decorated subclasses have the ties of their bases.
        locals: check annotated local variables as well, `h: Float[Tensor, "B T D"] = ...`, under the sizes of the call.
            The function is compiled once more from its source, and each check costs some microseconds.

    Raises:
        ShapeError: from a call that does not fit (a `TypeError`).
        TypeError: at decoration, when the target is nothing that can be called, or with `locals` when its source cannot
            be had.
        AnnotationUseError: at decoration, when no annotation has an axis of `dims`; when an object is made, or at the
            first call, when it has no such attribute.
    """
    if target is None:
        return functools.partial(_decorate_here, dims=dims, check_locals=locals)
    return _decorate_here(target, dims=dims, check_locals=locals)


def _decorate_here(target: Any, *, dims: dict[str, str] | None, check_locals: bool) -> Any:
    if switched_off():
        return target
    if dims and not isinstance(target, type):
        from shapecheck.runtime.ties import tie_function

        tie_function(target, dims)
    return decorate(target, dims, check_locals=check_locals)


def unchecked(target: T) -> T:
    """Leave a function or class out of all checks: its class's decorator, the import hook and the static check."""
    inner: Any = target.__func__ if isinstance(target, (staticmethod, classmethod)) else target
    setattr(inner, UNCHECKED, True)
    return target


def decorate(target: Any, dims: dict[str, str] | None, *, check_locals: bool = False) -> Any:
    """The checked version of `target`."""
    if isinstance(target, types.FunctionType):
        return _function(target, dims, check_locals=check_locals)

    def inner(part: Any) -> Any:
        return decorate(part, dims, check_locals=check_locals)

    if isinstance(target, (staticmethod, classmethod)):
        return type(target)(inner(target.__func__))
    if isinstance(target, property):
        get, put, drop = (part and inner(part) for part in (target.fget, target.fset, target.fdel))
        return type(target)(get, put, drop, target.__doc__)
    if isinstance(target, functools.cached_property):
        target.func = inner(target.func)
        return target
    if isinstance(target, type):
        from shapecheck.runtime.classes import decorate_class

        return decorate_class(target, dims, check_locals=check_locals)
    if isinstance(target, functools.partialmethod):
        return functools.partialmethod(inner(target.func), *target.args, **target.keywords)
    if isinstance(target, types.MethodType):
        return types.MethodType(inner(target.__func__), target.__self__)
    if isinstance(target, functools.partial):
        return functools.partial(inner(target.func), *target.args, **target.keywords)
    function = resolve.innermost(target)
    if callable(target) and function is not None:
        if check_locals:
            _refuse_locals(function)
        return _wrap(Deferred(target, function, dims, resolve.local_names(function)))
    message = f"@shapechecked goes on functions, methods, properties and classes, not on {type(target).__name__}"
    raise TypeError(message)


def _function(target: types.FunctionType, dims: dict[str, str] | None, *, check_locals: bool) -> Any:
    if MARK in target.__dict__ or is_unchecked(target):
        return target
    function = resolve.innermost(target)
    if function is None or MARK in function.__dict__:
        return target
    if not takes_the_same(target, function):
        raise TypeError(f"{function.__qualname__} is not checked: {CHANGED}")
    if check_locals:
        if function is not target:
            _refuse_locals(function)
        from shapecheck.runtime.recompiled import with_local_checks

        target = function = with_local_checks(target)
    local = resolve.local_names(function)
    call: Any = target
    if function.__code__.co_varnames[:1] in _CONTEXTS:
        from shapecheck.runtime.gradients import watched

        call = watched(target)
    return _wrap(Deferred(call, function, dims, local))


def _refuse_locals(function: types.FunctionType) -> None:
    message = f"locals=True compiles {function.__qualname__} once more: put it below the other decorators"
    raise TypeError(message)


CHANGED = "a decorator changes its parameters; put @shapechecked below that one"


def takes_the_same(target: types.FunctionType, function: types.FunctionType) -> bool:
    """Whether what a decorator has made of a function can be called with the function's arguments."""
    outer, inner = target.__code__, function.__code__
    if outer is inner:
        return True
    positional, named = outer.co_flags & 4, outer.co_flags & 8
    only = inner.co_varnames[inner.co_argcount : inner.co_argcount + inner.co_kwonlyargcount]
    known = outer.co_varnames[: outer.co_argcount + outer.co_kwonlyargcount]
    return (
        bool(positional or (outer.co_argcount == inner.co_argcount and not inner.co_flags & 4))
        and bool(named or not inner.co_flags & 8)
        and bool(named or all(name in known for name in only))
    )


def is_unchecked(target: Any) -> bool:
    """Whether the target, or typing's own marker on it, asks to be left alone."""
    return getattr(target, UNCHECKED, False) is True or getattr(target, "__no_type_check__", False) is True


# -- the wrapper before its first call -------------------------------------------------------------------------------
#
# The wrapper is one function object for good: classes, callers and pickles hold on to it. Until its first call it has
# the code of a stub; the first call puts the compiled checker's code in its place.


def _stub(*args, **kwargs):  # type: ignore[no-untyped-def]  # noqa: ANN002, ANN003, ANN202
    if _first():  # type: ignore[name-defined]
        return _checked(*args, **kwargs)  # type: ignore[name-defined]
    try:
        return _checked(*args, **kwargs)  # type: ignore[name-defined]
    except _error as _error_:  # type: ignore[name-defined]
        if _error_.__traceback__.tb_next is None:
            _error_.__traceback__ = None
        raise


async def _stub_async(*args, **kwargs):  # type: ignore[no-untyped-def]  # noqa: ANN002, ANN003, ANN202
    _first()  # type: ignore[name-defined]
    return await _checked(*args, **kwargs)  # type: ignore[name-defined]


def _stub_generator(*args, **kwargs):  # type: ignore[no-untyped-def]  # noqa: ANN002, ANN003, ANN202
    _first()  # type: ignore[name-defined]
    return (yield from _checked(*args, **kwargs))  # type: ignore[name-defined]


async def _stub_async_generator(*args, **kwargs):  # type: ignore[no-untyped-def]  # noqa: ANN002, ANN003
    _first()  # type: ignore[name-defined]
    async for value in _checked(*args, **kwargs):  # type: ignore[name-defined]
        yield value


_STUBS = {
    FUNCTION: _stub.__code__,
    COROUTINE: _stub_async.__code__,
    GENERATOR: _stub_generator.__code__,
    ASYNC_GENERATOR: _stub_async_generator.__code__,
}


class Deferred:
    """What a checker will be built from. Decorating must cost next to nothing, so nothing is read or imported before.

    call: what is called when the arguments fit (the function, with whatever other decorators have made of it).
    function: the plain function inside, which has the signature.
    dims: axis names tied to expressions over the instance.
    local: names around a nested function that its string annotations may need.
    """

    __slots__ = ("_checker", "call", "dims", "function", "local")

    def __init__(
        self, call: Any, function: types.FunctionType, dims: dict[str, str] | None, local: dict[str, Any] | None
    ) -> None:
        self.call = call
        self.function = function
        self.dims = dims
        self.local = local
        self._checker: Checker | None = None

    def checker(self, namespace: dict[str, Any] | None = None) -> Checker:
        """The checker, built when first asked for; `namespace` is that of the wrapper it will move into."""
        if self._checker is None:
            from shapecheck.runtime.checker import Checker

            self._checker = Checker(self.call, self.function, self.dims, self.local, namespace)
            self.local = None
        return self._checker

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.call, self.function, self.dims, None))


def move_in(deferred: Deferred, wrapper: types.FunctionType) -> bool:
    """Compile the checker, and put its code into the wrapper unless Dynamo is tracing. Returns whether it is.

    A code object that changes under a compiled graph would be traced once more, so the wrapper then keeps its stub.
    """
    namespace = wrapper.__globals__
    with _BUILDING:
        # A marker may have been put on the wrapper, by a decorator above ours.
        code = deferred.checker(namespace).build(unchecked=is_unchecked(wrapper))
        if "_checked" not in namespace:
            checked = types.FunctionType(code, namespace, wrapper.__name__)
            checked.__defaults__ = wrapper.__defaults__
            checked.__kwdefaults__ = wrapper.__kwdefaults__
            namespace["_checked"] = checked
    compiling = namespace.get("_compiling")
    if compiling is not None and compiling():
        return True
    wrapper.__code__ = code
    return False


def _wrap(deferred: Deferred) -> types.FunctionType:
    """What takes the place of a decorated function: a stub that looks like it; the first call moves the checks in."""
    target, function = deferred.call, deferred.function
    if observe.OBSERVER is not None:
        observe.OBSERVER.add(deferred)
    original = function.__code__
    code = _STUBS[kind_of(target)].replace(
        co_filename=original.co_filename, co_name=original.co_name, co_firstlineno=original.co_firstlineno
    )
    # Dynamo looks for the builtins. With a `__name__` it would look for everything else in the module of that name.
    namespace: dict[str, Any] = {
        "__builtins__": builtins,
        "_error": ShapeError,
        "_call": target,
    }

    def first() -> bool:
        return move_in(deferred, wrapper)

    # Dynamo runs a function with this mark while it traces (`torch._dynamo.assume_constant_result`).
    first._dynamo_marked_constant = True  # type: ignore[attr-defined]  # noqa: SLF001
    namespace["_first"] = first
    wrapper = types.FunctionType(code, namespace, original.co_name)
    # A stub takes any arguments, so the defaults can be there from the start: no call sees code and defaults differ.
    wrapper.__defaults__ = function.__defaults__
    wrapper.__kwdefaults__ = function.__kwdefaults__
    written: Any = wrapper  # attributes that only some versions have
    wrapper.__qualname__ = getattr(target, "__qualname__", function.__qualname__)
    wrapper.__module__ = function.__module__
    wrapper.__doc__ = function.__doc__
    if hasattr(function, "__annotate__"):  # 3.14: evaluated when somebody asks
        written.__annotate__ = function.__annotate__
    else:
        wrapper.__annotations__ = function.__annotations__
    if hasattr(function, "__type_params__"):
        written.__type_params__ = function.__type_params__
    if hasattr(target, "__dict__"):
        wrapper.__dict__.update(target.__dict__)
    written.__wrapped__ = target
    written.__shapecheck__ = deferred
    return wrapper
