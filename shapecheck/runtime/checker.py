"""One checker per function: compiled at the first call, asked again when a call does not fit."""

from __future__ import annotations

import sys
import types
import warnings
from typing import TYPE_CHECKING, Any

from shapecheck.runtime import signature as sig
from shapecheck.runtime.codegen_arrays import widening_names
from shapecheck.runtime.errors import AnnotationUseError, ShapeError
from shapecheck.runtime.function_text import AGAIN, BRIEF, CALL, COMPILING, DRIVE, ERROR, RESULT, FunctionText, key
from shapecheck.runtime.goals import Bound, Env, Goal, Where
from shapecheck.runtime.hint_names import expression_names, names_of
from shapecheck.runtime.kinds import ASYNC_GENERATOR, GENERATOR, kind_of
from shapecheck.runtime.match import Matcher
from shapecheck.runtime.ties import size_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ParamSpec, TypeVar

    P = ParamSpec("P")
    R = TypeVar("R")

    from shapecheck.annotations.hints import Hint


EMPTY: Any = object()

# Equal signatures have equal checkers, up to the objects in their namespaces.
_COMPILED: dict[str, types.CodeType] = {}


def untraced(method: Callable[P, R]) -> Callable[P, R]:
    """Keep Dynamo out: after a graph break it would look into every frame that runs, ours among them."""
    # What `torch.compiler.disable` would set; importing `torch._dynamo` takes a second.
    marked: Any = method
    marked._torchdynamo_disable = True  # noqa: SLF001
    marked._torchdynamo_disable_msg = "shapecheck decides here whether the call fits"  # noqa: SLF001
    _UNTRACED.append(marked.__code__)
    return method


_UNTRACED: list[types.CodeType] = []


def skip_untraced(torch: Any) -> None:
    """Tell torch's frame evaluation about these functions, with all that they call."""
    frames = torch._C._dynamo.eval_frame  # noqa: SLF001  # there is no public way
    strategy = getattr(frames, "_FrameExecStrategy", None)
    if strategy is None:  # a torch without it looks into the frames of failing calls, to no harm
        return
    skip = frames._FrameAction.SKIP  # noqa: SLF001
    while _UNTRACED:
        frames.set_code_exec_strategy(_UNTRACED.pop(), strategy(skip, skip))


class Verdict:
    """The matcher's word on the arguments of one call: an error, or the sizes under which they fit."""

    __slots__ = ("checker", "env", "error", "values")

    def __init__(self, checker: Checker, values: tuple[Any, ...], env: Env | None, error: Exception | None) -> None:
        self.checker = checker
        self.values = values
        self.env = env
        self.error = error

    def sizes(self) -> dict[str, Any]:
        """The sizes by name."""
        return {name: bound.value for name, bound in (self.env or {}).items()}

    def bound(self, sizes: dict[str, Any]) -> None:
        """Take over the sizes that the body has bound."""
        if self.env is not None:
            self.env = self.checker.env_of(self.values, sizes)

    @untraced
    def result(self, value: object) -> None:
        """Check what the function returned; sets `error`."""
        if self.env is not None:
            self.error = self.checker.check_result(self.values, self.env, value)


class Checker:
    """Everything about one decorated function.

    call: what is called when the arguments fit (the function, with whatever other decorators have made of it).
    function: the plain function inside, which has the signature.
    dims: axis names tied to expressions over the instance, such as `{"D": "d_model"}`.
    local: names around a nested function that its string annotations may need.
    namespace: the globals of the function that the generated code will be that of.
    """

    def __init__(
        self,
        call: Any,
        function: types.FunctionType,
        dims: dict[str, str] | None = None,
        local: dict[str, Any] | None = None,
        namespace: dict[str, Any] | None = None,
    ) -> None:
        self.call = call
        self.function = function
        self.dims = dims
        self.local = local
        self.kind = kind_of(call)
        self.signature: sig.Signature | None = None
        self.namespace: dict[str, Any] = {} if namespace is None else namespace
        self.code: types.CodeType | None = None
        self._scoped: bool | None = None
        self._yield_test: Any = EMPTY

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.call, self.function, self.dims, None))

    def known_signature(self) -> sig.Signature:
        """The signature, evaluated when it is first needed."""
        if self.signature is None:
            self.signature = sig.Signature(self.function, self.local)
            self.signature.shared |= self.tied(self.signature).keys()  # the instance's sizes are those of every element
            self.local = None
            if self.kind != kind_of(self.function):
                self.signature.returns = None  # the annotation is that of what the decorator has wrapped
        return self.signature

    @property
    def scoped(self) -> bool:
        """Whether the body tests tensors, and has to see the sizes of the call."""
        if self._scoped is None:
            from shapecheck.runtime.body import tests_arrays

            self._scoped = tests_arrays(self.function)
        return self._scoped

    def yield_test(self, hint: Hint) -> Callable[[Any, dict[str, Any]], bool] | None:
        """A quick test of yielded values among sizes by name, which may ask for more than the matcher."""
        if self._yield_test is EMPTY:
            from shapecheck.runtime.traced import test_function

            variadic = any(name.startswith("*") for name in names_of(hint))
            self._yield_test = None if variadic else test_function(hint, self.known_signature().shared)
        test: Callable[[Any, dict[str, Any]], bool] | None = self._yield_test
        return test

    # -- the generated function ----------------------------------------------------------------------------------

    def build(self, *, unchecked: bool = False) -> types.CodeType:
        """Compile the checker into a code object whose globals are `namespace`."""
        if self.code is not None:
            return self.code
        signature = self.known_signature()
        if unchecked:
            signature.forget_hints()
        known = {CALL: self.call, AGAIN: self.again, RESULT: self.result, BRIEF: self.brief, ERROR: ShapeError}
        self.namespace.update({key(name): value for name, value in known.items()})
        if self.kind in {GENERATOR, ASYNC_GENERATOR}:
            from shapecheck.runtime import generators

            self.namespace[key(DRIVE)] = generators.drive if self.kind == GENERATOR else generators.drive_async
        torch = sys.modules.get("torch")
        if torch is not None:
            self.namespace[key(COMPILING)] = torch.compiler.is_compiling
            skip_untraced(torch)
            # While `torch.jit.trace` runs, sizes are tensors, and comparing them is what a check is for. Code without a
            # module name counts as "<string>".
            warnings.filterwarnings("ignore", category=torch.jit.TracerWarning, module="<string>")
        try:
            self.code = self.compiled(FunctionText(self, signature).source())
        except (SyntaxError, RecursionError):  # containers within containers, deeper than Python nests loops
            self.code = self.compiled(FunctionText(self, signature, inline=False).source())
        return self.code

    def compiled(self, source: str) -> types.CodeType:
        """Compile, with every line at the `def` of the user's function: that is what a traceback should show."""
        code = _COMPILED.get(source)
        if code is None:
            module = compile(source, "<shapecheck>", "exec")
            (code,) = (constant for constant in module.co_consts if isinstance(constant, types.CodeType))
            _COMPILED[source] = code
        return code.replace(
            co_filename=self.function.__code__.co_filename,
            co_name=self.function.__name__,
            co_qualname=self.function.__qualname__,
            co_firstlineno=definition_line(self.function.__code__),
            co_linetable=one_line(len(code.co_code) // 2),
        )

    def tied(self, signature: sig.Signature) -> dict[str, str]:
        """The class's dims that this method's annotations use. `__init__` runs before there are attributes."""
        if not self.dims or not signature.parameters or self.function.__name__ in {"__init__", "__new__"}:
            return {}
        hints = [parameter.hint for parameter in signature.parameters if parameter.hint is not None]
        used = set(signature.shared)
        for hint in [*hints, *([signature.returns] if signature.returns else [])]:
            used.update(names_of(hint), expression_names(hint))
        return {name: text for name, text in self.dims.items() if name in used}

    @untraced
    def enter(self, values: tuple[Any, ...], sizes: dict[str, Any]) -> None:
        """Show the sizes of a call to its body."""
        from shapecheck.runtime import body

        body.enter(self.known_signature().arguments(values), sizes)

    @staticmethod
    def leave() -> dict[str, Any]:
        """The sizes after the body has run."""
        from shapecheck.runtime import body

        return body.leave()

    # -- the last word -------------------------------------------------------------------------------------------

    def initial(self, values: tuple[Any, ...]) -> Env:
        """Sizes known before the arguments are looked at."""
        signature = self.known_signature()
        env: Env = {}
        for name, text in self.tied(signature).items():
            instance = signature.parameters[0].name
            size = size_of(values[0], type(values[0]).__qualname__, name, text)
            env[name] = Bound(size, Where(f"{instance}.{text}", -1))
        return env

    @untraced
    def again(self, values: tuple[Any, ...]) -> Verdict:
        """Check the arguments with the matcher."""
        signature = self.known_signature()
        from shapecheck.runtime.arrays import is_proxy

        if any(is_proxy(value) for value in values):
            return Verdict(self, values, None, None)
        matcher = Matcher(signature.arguments(values), signature.shared)
        try:
            initial = self.initial(values)
            env = matcher.solve(signature.goals(values), initial)
            if env is not None:
                return Verdict(self, values, env, None)
            from shapecheck.runtime import explain

            assert matcher.failure is not None  # noqa: S101
            error: Exception = explain.arguments_error(self, values, initial, matcher.failure)
        except AnnotationUseError as wrong:  # raised by the function, it does not show the frames that led here
            error = wrong.with_traceback(None)
        return Verdict(self, values, None, error)

    @untraced
    def result(self, values: tuple[Any, ...], sizes: dict[str, Any], value: object) -> Exception | None:
        """Check a result with the matcher, under the sizes that the generated code has found."""
        return self.check_result(values, self.env_of(values, sizes), value)

    def env_of(self, values: tuple[Any, ...], sizes: dict[str, Any]) -> Env:
        """The sizes with the places that bound them, as far as the arguments still have these sizes."""
        signature = self.known_signature()
        widening = widening_names([parameter.hint for parameter in signature.parameters if parameter.hint is not None])
        env = self.initial(values)
        again = Matcher(signature.arguments(values), signature.shared).solve(signature.goals(values), dict(env)) or {}
        for name, size in sizes.items():
            if size is None:
                continue
            flagged = name in widening or (name.startswith("*") and len(size) == 2 and isinstance(size[0], bool))
            flexible, value = size if flagged else (False, size)
            if name.startswith("*"):
                value = tuple(value)
            place = again.get(name)
            known = place is not None and place.value == value
            env[name] = Bound(value, place.where if known and place else Where("", -1), flexible)
        return env

    def check_result(self, values: tuple[Any, ...], env: Env, value: object) -> Exception | None:
        """The error that a returned value deserves."""
        signature = self.known_signature()
        if signature.returns is None:
            return None
        try:
            return self.check_value(values, env, "return", signature.returns, value)
        except AnnotationUseError as wrong:
            return wrong.with_traceback(None)

    def check_value(self, values: tuple[Any, ...], env: Env, what: str, hint: Hint, value: object) -> ShapeError | None:
        """The error that a returned or yielded value deserves, if any way to read the arguments lets it fit."""
        signature = self.known_signature()
        from shapecheck.runtime.arrays import is_proxy

        if is_proxy(value):
            return None
        matcher = Matcher(signature.arguments(values), signature.shared)
        goal = Goal(what, hint, value)
        if matcher.solve([goal], env) is not None:
            return None
        failure = matcher.failure
        # Another member of some union may give other sizes, under which the result fits.
        if has_choices(signature) and matcher.solve([*signature.goals(values), goal], self.initial(values)) is not None:
            return None
        from shapecheck.runtime import explain

        assert failure is not None  # noqa: S101
        return explain.value_error(self, values, failure)

    @staticmethod
    def brief(values: tuple[Any, ...], names: tuple[str, ...]) -> str:
        """One line that Dynamo can build while it traces."""
        text = "the shapes do not fit the annotations:"
        comma = ""
        for name, value in zip(names, values):  # noqa: B905  # Dynamo does not trace `strict`, nor `str.join`
            shape = getattr(value, "shape", None)
            if shape is not None:
                text = f"{text}{comma} {name} {tuple(shape)}"
                comma = ","
        return text


def has_choices(signature: sig.Signature) -> bool:
    """Whether some argument can be read in more than one way."""
    from shapecheck.annotations.hints import UnionHint, walk

    return any(
        isinstance(part, UnionHint)
        for parameter in signature.parameters
        if parameter.hint is not None
        for part in walk(parameter.hint)
    )


def one_line(units: int) -> bytes:
    """A location table that puts all code units on the first line (CPython's `Objects/locations.md`).

    Entries of kind 13 have a line and no columns; each covers at most eight units.
    """
    table = bytearray()
    while units > 0:
        covered = min(units, 8)
        table += bytes((0x80 | 13 << 3 | covered - 1, 0))
        units -= covered
    return bytes(table)


def definition_line(code: types.CodeType) -> int:
    """The line of `def`, below any decorators."""
    import linecache

    first = code.co_firstlineno
    for number in range(first, first + 50):
        text = linecache.getline(code.co_filename, number).lstrip()
        if not text:
            break
        if text.startswith(("def ", "async def ")):
            return number
    return first


__all__ = ["Checker", "Verdict"]
