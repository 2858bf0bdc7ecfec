"""One checker per function: compiled at the first call, asked again when a call does not fit."""

from __future__ import annotations

import sys
import types
import warnings
from typing import TYPE_CHECKING, Any

from shapecheck.annotations.hints import DictHint, OtherHint, TupleHint
from shapecheck.runtime import signature as sig
from shapecheck.runtime.body import tests_arrays
from shapecheck.runtime.codegen import Checks, NotInlineError, widening_names
from shapecheck.runtime.errors import ShapeError
from shapecheck.runtime.kinds import ASYNC_GENERATOR, COROUTINE, FUNCTION, GENERATOR, kind_of
from shapecheck.runtime.match import Bound, Env, Goal, Matcher, Where, names_of
from shapecheck.runtime.whole import whole_shapes

if TYPE_CHECKING:
    from shapecheck.annotations.hints import Hint

# Parameter names that the generated code would shadow are refused by Python itself; these are the code's own globals.
CALL, AGAIN, RESULT, BRIEF, COMPILING, DRIVE, ERROR, ENTER, LEAVE, CHECKER = (
    "_call", "_again", "_result", "_brief", "_compiling", "_drive", "_error", "_enter", "_leave", "_checker",
)  # fmt: skip


# Equal signatures have equal checkers, up to the objects in their namespaces.
_COMPILED: dict[str, types.CodeType] = {}

VARIADIC = {sig.VAR_POSITIONAL, sig.VAR_KEYWORD}


class Verdict:
    """The matcher's word on the arguments of one call: an error, or the sizes under which they fit."""

    __slots__ = ("checker", "env", "error", "values")

    def __init__(self, checker: Checker, values: tuple[Any, ...], env: Env | None, error: ShapeError | None) -> None:
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
        self.kind = kind_of(function.__code__)
        self.signature: sig.Signature | None = None
        self.namespace: dict[str, Any] = {} if namespace is None else namespace
        self.code: types.CodeType | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.call, self.function, self.dims, None))

    def known_signature(self) -> sig.Signature:
        """The signature, evaluated when it is first needed."""
        if self.signature is None:
            self.signature = sig.Signature(self.function, self.local)
            self.local = None
        return self.signature

    # -- the generated function ----------------------------------------------------------------------------------

    def build(self, *, unchecked: bool = False) -> types.CodeType:
        """Compile the checker into a code object whose globals are `namespace`."""
        if self.code is not None:
            return self.code
        signature = self.known_signature()
        if unchecked:
            signature.forget_hints()
        self.namespace.update(
            {CALL: self.call, AGAIN: self.again, RESULT: self.result, BRIEF: self.brief, ERROR: ShapeError}
        )
        if self.kind in {GENERATOR, ASYNC_GENERATOR}:
            from shapecheck.runtime import generators

            self.namespace[DRIVE] = generators.drive if self.kind == GENERATOR else generators.drive_async
        torch = sys.modules.get("torch")
        if torch is not None:
            self.namespace[COMPILING] = torch.compiler.is_compiling
            # While `torch.jit.trace` runs, sizes are tensors, and comparing them is what a check is for. Code without a
            # module name counts as "<string>".
            warnings.filterwarnings("ignore", category=torch.jit.TracerWarning, module="<string>")
        source = self.source(signature)
        self.code = self.compiled(source)
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

    def source(self, signature: sig.Signature) -> str:
        """The text of the checked function."""
        names = frozenset(parameter.name for parameter in signature.parameters)
        checks = Checks(self.namespace, signature.shared, names)
        checks.depth = 3
        checks.catching = True
        hints = [parameter.hint for parameter in signature.parameters if parameter.hint is not None]
        returns = signature.returns if self.kind in {FUNCTION, COROUTINE} else None
        checks.widening = widening_names([*hints, *([returns] if returns else [])])
        self.bind_dims(checks, signature)
        sometimes = [parameter for parameter in signature.parameters if parameter.exempt or parameter.kind in VARIADIC]
        checks.whole_shapes = whole_shapes(
            [p.hint for p in signature.parameters if p.hint and p not in sometimes] + ([returns] if returns else []),
            [p.hint for p in sometimes if p.hint],
            self.tied(signature),
        )
        inline = True
        try:
            for parameter in signature.parameters:
                self.check_parameter(checks, parameter)
        except NotInlineError:
            checks.lines = ["            break"]
            checks.exact = inline = False
        arguments, values = call_text(signature.parameters)
        call = f"{CALL}({arguments})"
        if self.kind == COROUTINE:
            call = f"await {call}"
        keyword = "async def" if self.kind in {COROUTINE, ASYNC_GENERATOR} else "def"
        lines = [f"{keyword} _checked({header(signature.parameters)}):", "    while True:"]
        if checks.catches:
            lines += ["        try:", *checks.lines, "        except (TypeError, ValueError):", "            break"]
        else:
            lines += [line[4:] for line in checks.lines]
        checks.catching = False
        if self.kind in {GENERATOR, ASYNC_GENERATOR}:
            lines += self.generator_lines(checks, call, values)
        elif self.kind == FUNCTION and tests_arrays(self.function):
            lines += self.scoped_lines(checks, returns, call, values, inline=inline)
        elif returns is None:
            lines.append(f"        return {call}")
        else:
            lines += self.result_lines(checks, returns, call, values, inline=inline)
        lines += self.refusal_lines(checks, call, values)
        return "\n".join(lines)

    def bind_dims(self, checks: Checks, signature: sig.Signature) -> None:
        """Names tied to the instance have their sizes before any argument is looked at."""
        for name, text in self.tied(signature).items():
            checks.line(f"{checks.variable(name)} = {signature.parameters[0].name}.{text}")
            checks.state[name] = 1

    def tied(self, signature: sig.Signature) -> dict[str, str]:
        """The class's dims that this method's annotations use. `__init__` runs before there are attributes."""
        if not self.dims or not signature.parameters or self.function.__name__ in {"__init__", "__new__"}:
            return {}
        hints = [parameter.hint for parameter in signature.parameters if parameter.hint is not None]
        used = set(signature.shared)
        for hint in [*hints, *([signature.returns] if signature.returns else [])]:
            used.update(names_of(hint), expression_names(hint))
        return {name: text for name, text in self.dims.items() if name in used}

    def check_parameter(self, checks: Checks, parameter: sig.Parameter) -> None:
        """The lines for one parameter."""
        hint = parameter.hint
        if hint is None:
            return
        if parameter.kind == sig.VAR_POSITIONAL:
            checks.loop(TupleHint((hint,), variadic=True), parameter.name)
        elif parameter.kind == sig.VAR_KEYWORD:
            anything = OtherHint("str", "typing.Any")
            checks.loop(DictHint("builtins.dict", anything, hint, dict[str, Any]), parameter.name)
        elif parameter.exempt:
            checks.maybe(names_of(hint))
            default = checks.constant("v", parameter.default)
            checks.line(f"if {parameter.name} is not {default}:")
            checks.depth += 1
            before, state = len(checks.lines), dict(checks.state)
            checks.check(hint, parameter.name)
            checks.state = state
            if len(checks.lines) == before:
                checks.line("pass")
            checks.depth -= 1
        else:
            checks.check(hint, parameter.name)

    def result_lines(self, checks: Checks, returns: Hint, call: str, values: str, *, inline: bool) -> list[str]:
        """Call, check what is returned, and ask the matcher when that does not fit."""
        bindings = ", ".join(f"{name!r}: {checks.variable(name)}" for name in checks.state)
        checks.lines = []
        value = checks.fresh("r")
        checks.depth = 3
        try:
            if not inline:
                raise NotInlineError  # noqa: TRY301  # the names have no variables
            checks.check(returns, value)
            checks.line(f"return {value}")
        except NotInlineError:
            checks.lines = ["            break"]
            checks.exact = False
        verdict = checks.fresh("r")
        return [
            f"        {value} = {call}",
            "        while True:",
            *checks.lines,
            *self.brief_lines(checks, f"{value},", "'return',", 2),
            f"        {verdict} = {RESULT}({values}, {{{bindings}}}, {value})",
            f"        if {verdict} is None: return {value}",
            *raise_lines(verdict, 2),
        ]

    def scoped_lines(self, checks: Checks, returns: Hint | None, call: str, values: str, *, inline: bool) -> list[str]:
        """Call with the sizes where an `isinstance` in the body sees them; what it binds counts for the result."""
        self.namespace.update({ENTER: self.enter, LEAVE: self.leave})
        bindings = ", ".join(f"{name!r}: {checks.variable(name)}" for name in checks.state)
        value, sizes, verdict = checks.fresh("r"), checks.fresh("r"), checks.fresh("r")
        indent = "        "
        scoped = [
            f"{ENTER}({values}, {{{bindings}}})",
            "try:",
            f"    {value} = {call}",
            "finally:",
            f"    {sizes} = {LEAVE}()",
            f"{verdict} = {RESULT}({values}, {sizes}, {value})",
            f"if {verdict} is None: return {value}",
            *raise_lines(verdict, 0),
        ]
        if COMPILING not in self.namespace:
            return [indent + line for line in scoped]
        # Dynamo does not see jaxtyping's stack, nor follow its `isinstance`.
        lines = [f"{indent}if not {COMPILING}():", *[f"{indent}    {line}" for line in scoped]]
        if returns is None:
            return [*lines, f"{indent}return {call}"]
        return lines + self.result_lines(checks, returns, call, values, inline=inline)

    def enter(self, values: tuple[Any, ...], sizes: dict[str, Any]) -> None:
        """Show the sizes of a call to its body."""
        from shapecheck.runtime import body

        body.enter(self.known_signature().arguments(values), sizes)

    @staticmethod
    def leave() -> dict[str, Any]:
        """The sizes after the body has run."""
        from shapecheck.runtime import body

        return body.leave()

    def generator_lines(self, checks: Checks, call: str, values: str) -> list[str]:
        """Hand the generator on, checking what it yields and returns."""
        bindings = ", ".join(f"{name!r}: {checks.variable(name)}" for name in checks.state)
        drive = f"{DRIVE}({call}, {CHECKER}, {values}, {{{bindings}}})"
        self.namespace[CHECKER] = self
        if self.kind == GENERATOR:
            return [f"        return (yield from {drive})"]
        part = checks.fresh("e")
        return [f"        async for {part} in {drive}: yield {part}", "        return"]

    def refusal_lines(self, checks: Checks, call: str, values: str) -> list[str]:
        """What happens after a `break`: the matcher decides, and its error is raised without frames of our own."""
        verdict, value = checks.fresh("r"), checks.fresh("r")
        parameters = [p.name for p in self.known_signature().parameters if p.hint is not None]
        lines = self.brief_lines(checks, ", ".join(parameters) + ",", ", ".join(map(repr, parameters)) + ",", 1)
        lines.append(f"    {verdict} = {AGAIN}({values})")
        lines.append(f"    if {verdict}.error is None:")
        if self.kind == GENERATOR:
            self.namespace[CHECKER] = self
            lines.append(f"        return (yield from {DRIVE}({call}, {CHECKER}, {values}, {verdict}.env))")
        elif self.kind == ASYNC_GENERATOR:
            self.namespace[CHECKER] = self
            lines.append(
                f"        async for {value} in {DRIVE}({call}, {CHECKER}, {values}, {verdict}.env): yield {value}"
            )
            lines.append("        return")
        elif ENTER in self.namespace:
            lines += [
                f"        {ENTER}({values}, {verdict}.sizes())",
                "        try:",
                f"            {value} = {call}",
                "        finally:",
                f"            {verdict}.bound({LEAVE}())",
                f"        {verdict}.result({value})",
            ]
        else:
            lines.append(f"        {value} = {call}")
            lines.append(f"        {verdict}.result({value})")
        if self.kind in {FUNCTION, COROUTINE}:
            lines.append(f"        if {verdict}.error is None: return {value}")
        return lines + raise_lines(f"{verdict}.error", 1)

    def brief_lines(self, checks: Checks, values: str, names: str, depth: int) -> list[str]:
        """While Dynamo traces, a refusal must be something it can trace: a short sentence from the sizes."""
        if COMPILING not in self.namespace or not checks.exact or values == ",":
            return []
        indent = "    " * depth
        return [f"{indent}if {COMPILING}():", f"{indent}    raise {ERROR}({BRIEF}(({values}), ({names})))"]

    # -- the last word -------------------------------------------------------------------------------------------

    def initial(self, values: tuple[Any, ...]) -> Env:
        """Sizes known before the arguments are looked at."""
        signature = self.known_signature()
        env: Env = {}
        for name, text in self.tied(signature).items():
            instance = signature.parameters[0].name
            size = eval(f"{instance}.{text}", {instance: values[0]})  # noqa: S307  # the user's own expression
            env[name] = Bound(size, Where(f"{instance}.{text}", -1))
        return env

    def again(self, values: tuple[Any, ...]) -> Verdict:
        """Check the arguments with the matcher."""
        signature = self.known_signature()
        from shapecheck.runtime.arrays import is_proxy

        if any(is_proxy(value) for value in values):
            return Verdict(self, values, None, None)
        matcher = Matcher(signature.arguments(values), signature.shared)
        initial = self.initial(values)
        env = matcher.solve(signature.goals(values), initial)
        if env is not None:
            return Verdict(self, values, env, None)
        from shapecheck.runtime import explain

        assert matcher.failure is not None  # noqa: S101
        return Verdict(self, values, None, explain.arguments_error(self, values, initial, matcher.failure))

    def result(self, values: tuple[Any, ...], sizes: dict[str, Any], value: object) -> ShapeError | None:
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

    def check_result(self, values: tuple[Any, ...], env: Env, value: object) -> ShapeError | None:
        """The error that a returned value deserves."""
        signature = self.known_signature()
        if signature.returns is None:
            return None
        return self.check_value(values, env, "return", signature.returns, value)

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


def expression_names(hint: Hint) -> list[str]:
    """The names that the expressions of a hint need."""
    from shapecheck.annotations.hints import arrays

    return [name for array in arrays(hint) for name in array.spec.shape.used]


def header(parameters: list[sig.Parameter]) -> str:
    """The parameter list of the generated function; the true defaults are attached to the function object."""
    parts = []
    star = False
    last_positional_only = max(
        (i for i, parameter in enumerate(parameters) if parameter.kind == sig.POSITIONAL_ONLY), default=-1
    )
    for index, parameter in enumerate(parameters):
        prefix = {sig.VAR_POSITIONAL: "*", sig.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        if parameter.kind == sig.VAR_POSITIONAL:
            star = True
        if parameter.kind == sig.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        default = "" if parameter.default is sig.EMPTY else "=None"
        parts.append(f"{prefix}{parameter.name}{default}")
        if index == last_positional_only:
            parts.append("/")
    return ", ".join(parts)


def call_text(parameters: list[sig.Parameter]) -> tuple[str, str]:
    """The arguments of the call to the user's function, and a tuple of all of them."""
    arguments = []
    for parameter in parameters:
        if parameter.kind == sig.VAR_POSITIONAL:
            arguments.append(f"*{parameter.name}")
        elif parameter.kind == sig.VAR_KEYWORD:
            arguments.append(f"**{parameter.name}")
        elif parameter.kind == sig.KEYWORD_ONLY:
            arguments.append(f"{parameter.name}={parameter.name}")
        else:
            arguments.append(parameter.name)
    names = [parameter.name for parameter in parameters]
    return ", ".join(arguments), f"({', '.join(names)}{',' if len(names) == 1 else ''})"


def raise_lines(error: str, depth: int) -> list[str]:
    """Raise so that the traceback ends at the caller: a bare `raise` adds no frame to a traceback set to None."""
    indent = "    " * depth
    return [
        f"{indent}try:",
        f"{indent}    raise {error}",
        f"{indent}except {ERROR} as _error_:",
        f"{indent}    _error_.__traceback__ = None",
        f"{indent}    raise",
    ]


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
