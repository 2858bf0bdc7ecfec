"""The text of a checked function: its checks, the call, and what happens when something does not fit.

The checks themselves come from `codegen.py`. A `break` in them leads to the matcher, which decides and explains.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shapecheck.annotations.hints import DictHint, OtherHint, TupleHint
from shapecheck.runtime import observe
from shapecheck.runtime import signature as sig
from shapecheck.runtime.codegen import Checks
from shapecheck.runtime.codegen_arrays import widening_names
from shapecheck.runtime.codegen_lines import BOUND, BROKEN, NotInlineError
from shapecheck.runtime.hint_names import names_of
from shapecheck.runtime.kinds import ASYNC_GENERATOR, COROUTINE, FUNCTION, GENERATOR
from shapecheck.runtime.whole import whole_shapes

if TYPE_CHECKING:
    from shapecheck.annotations.hints import Hint
    from shapecheck.runtime.checker import Checker

# The globals of the generated code, as they stand in the text until it is finished: a parameter may have any name that
# an identifier can have.
CALL, AGAIN, RESULT, BRIEF, COMPILING, DRIVE, ERROR, ENTER, LEAVE, CHECKER, TRACED, SCOPES, FITS, STEPS = _ALWAYS = (
    "$call", "$again", "$result", "$brief", "$compiling", "$drive", "$error", "$enter", "$leave", "$checker", "$traced",
    "$scopes", "$fits", "$steps",
)  # fmt: skip
COUNTED, SEEN, NOTE, OBSERVE = _OBSERVED = ("$counted", "$seen", "$note", "$observe")
GLOBALS = _ALWAYS + _OBSERVED


def key(name: str) -> str:
    """The name of a global in the namespace of the generated code."""
    return "_" + name[1:]


VARIADIC = {sig.VAR_POSITIONAL, sig.VAR_KEYWORD}


class FunctionText:
    """Writes the checked function of one checker; the objects it mentions go into the checker's namespace.

    inline: whether there are checks in the text at all, or the matcher is to look at every call.
    """

    def __init__(self, checker: Checker, signature: sig.Signature, *, inline: bool = True) -> None:
        self.checker = checker
        self.signature = signature
        self.namespace = checker.namespace
        self.kind = checker.kind
        self.inline = inline

    def source(self) -> str:
        """The text of the checked function."""
        signature = self.signature
        names = frozenset(parameter.name for parameter in signature.parameters)
        checks = Checks(self.namespace, signature.shared, names)
        checks.depth = 3
        checks.catching = True
        hints = [parameter.hint for parameter in signature.parameters if parameter.hint is not None]
        returns = signature.returns if self.kind in {FUNCTION, COROUTINE} else None
        checks.widening = widening_names([*hints, *([returns] if returns else [])])
        tied = self.bind_dims(checks, signature)
        sometimes = [parameter for parameter in signature.parameters if parameter.exempt or parameter.kind in VARIADIC]
        checks.whole_shapes = whole_shapes(
            [p.hint for p in signature.parameters if p.hint and p not in sometimes] + ([returns] if returns else []),
            [p.hint for p in sometimes if p.hint],
            self.checker.tied(signature),
        )
        inline = True
        try:
            if not self.inline:
                raise NotInlineError  # noqa: TRY301  # as a hint would
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
        if checks.catches or checks.evaluates:
            caught = BROKEN if tied or checks.evaluates else "(TypeError, ValueError)"
            lines += ["        try:", *checks.lines, f"        except {caught}:", "            break"]
        else:
            lines += [line[4:] for line in checks.lines]
        checks.catching = False
        if observe.OBSERVER is not None:
            lines += self.observation(checks)
        if self.kind in {GENERATOR, ASYNC_GENERATOR}:
            lines += self.generator_lines(checks, call, values)
        elif self.kind == FUNCTION and self.checker.scoped:
            lines += self.scoped_lines(checks, returns, call, values, inline=inline)
        elif self.kind == COROUTINE and self.checker.scoped:
            lines += self.steps_lines(checks, call, values)
        elif returns is None:
            lines.append(f"        return {call}")
        else:
            lines += self.result_lines(checks, returns, call, values, inline=inline)
        lines += self.refusal_lines(checks, call, values)
        return self.without_collisions("\n".join(lines), names)

    def without_collisions(self, text: str, parameters: frozenset[str]) -> str:
        """Give the globals names that no parameter has."""
        prefix = "_"
        while not parameters.isdisjoint(prefix + name[1:] for name in GLOBALS):
            prefix += "_"
        if prefix != "_":
            for name in GLOBALS:
                if key(name) in self.namespace:
                    self.namespace[prefix + name[1:]] = self.namespace[key(name)]
        return text.replace("$", prefix)

    def observation(self, checks: Checks) -> list[str]:
        """Note the sizes of a call that fits; not while Dynamo traces, which would make it part of the graph."""
        assert observe.OBSERVER is not None  # noqa: S101
        names = tuple(name for name in checks.state if not name.startswith("*"))
        watch = observe.OBSERVER.watch(self.checker.function, names)
        self.namespace.update(
            {key(COUNTED): watch.counted, key(SEEN): watch.sizes, key(NOTE): watch.note, key(OBSERVE): watch.accept}
        )
        lines = [f"{COUNTED}()"]
        if names:
            sizes = f"({', '.join(checks.variable(name) for name in names)},)"
            # The sizes of a traced graph cannot be looked up.
            lines += ["try:", f"    if {sizes} not in {SEEN}: {NOTE}({sizes})", "except TypeError: pass"]
        if key(COMPILING) in self.namespace:
            lines = [f"if not {COMPILING}():", *["    " + line for line in lines]]
        return ["        " + line for line in lines]

    def bind_dims(self, checks: Checks, signature: sig.Signature) -> bool:
        """Names tied to the instance have their sizes before any argument is looked at. Tells whether there are any."""
        tied = self.checker.tied(signature)
        for name, text in tied.items():
            checks.line(f"{checks.variable(name)} = {signature.parameters[0].name}.{text}")
            checks.state[name] = BOUND
        checks.catches = bool(tied)  # the matcher says what is not there
        return bool(tied)

    def check_parameter(self, checks: Checks, parameter: sig.Parameter) -> None:
        """The lines for one parameter."""
        hint = parameter.hint
        if hint is None:
            return
        if parameter.several and parameter.kind == sig.VAR_POSITIONAL:
            checks.loop(TupleHint((hint,), variadic=True), parameter.name)
        elif parameter.several:
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
        checks.evaluates = False
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
        if checks.evaluates:
            inner = ["    " + line for line in checks.lines]
            checks.lines = ["            try:", *inner, f"            except {BROKEN}:", "                break"]
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
        self.namespace.update({key(ENTER): self.checker.enter, key(LEAVE): self.checker.leave})
        bindings = ", ".join(f"{name!r}: {checks.variable(name)}" for name in checks.state)
        value, sizes, verdict = checks.fresh("r"), checks.fresh("r"), checks.fresh("r")
        indent = "        "
        scoped = [
            f"{ENTER}({values}, {{{bindings}}})",
            "try:",
            f"    {value} = {call}",
            "finally:",
            f"    {sizes} = {LEAVE}()",
        ]
        if returns is None:
            scoped.append(f"return {value}")
        else:
            test = self.result_test(returns)
            # jaxtyping keeps a flag beside the shape of a variadic name.
            if test is not None and not any(name.startswith("*") for name in names_of(returns)):
                scoped.append(f"if {test}({value}, {sizes}): return {value}")
            scoped += [
                f"{verdict} = {RESULT}({values}, {sizes}, {value})",
                f"if {verdict} is None: return {value}",
                *raise_lines(verdict, 0),
            ]
        if key(COMPILING) not in self.namespace:
            return [indent + line for line in scoped]
        return [
            f"{indent}if not {COMPILING}():",
            *[f"{indent}    {line}" for line in scoped],
            *[indent + line for line in self.traced_lines(returns, call, bindings, value)],
        ]

    def result_test(self, returns: Hint) -> str | None:
        """The global name of a quick test of the result, among sizes by name; it may ask for more than the matcher."""
        from shapecheck.runtime import traced

        if key(FITS) not in self.namespace:
            test = traced.test_function(returns, self.signature.shared)
            if test is None:
                return None
            self.namespace[key(FITS)] = test
        return FITS

    def steps_lines(self, checks: Checks, call: str, values: str) -> list[str]:
        """Await with the sizes where an `isinstance` in the body sees them, whenever it runs."""
        from shapecheck.runtime.generators import Steps

        self.namespace.update({key(STEPS): Steps, key(CHECKER): self.checker})
        bindings = ", ".join(f"{name!r}: {checks.variable(name)}" for name in checks.state)
        return [
            "        " + line
            for line in self.awaited_lines(checks, f"{STEPS}({CHECKER}, {values}, {{{bindings}}})", call)
        ]

    @staticmethod
    def awaited_lines(checks: Checks, steps: str, call: str) -> list[str]:
        """Make the steps, await the call through them, and check the result."""
        run, value, verdict = checks.fresh("r"), checks.fresh("r"), checks.fresh("r")
        return [
            f"{run} = {steps}",
            f"{value} = await {run}.awaited({call.removeprefix('await ')})",
            f"{verdict} = {run}.misfit({value})",
            f"if {verdict} is None: return {value}",
            *raise_lines(verdict, 0),
        ]

    def traced_lines(self, returns: Hint | None, call: str, bindings: str, value: str) -> list[str]:
        """The same for Dynamo, which sees neither jaxtyping's stack nor what its `isinstance` does."""
        from shapecheck.runtime import traced

        if self.checker.call is not self.checker.function:
            return [f"return {call}"]
        copy = traced.traceable_copy(self.checker.function)
        self.namespace.update({key(TRACED): copy, key(SCOPES): traced.SCOPES})
        test = self.result_test(returns) if returns is not None else None
        lines = [
            f"{SCOPES}.append({{{bindings}}})",
            f"{value} = {call.replace(CALL, TRACED, 1)}",
            f"_sizes_ = {SCOPES}.pop()",
        ]
        if test is not None:
            lines += [
                f"if not {test}({value}, _sizes_):",
                f"    raise {ERROR}({BRIEF}(({value},), ('return',)))",
            ]
        return [*lines, f"return {value}"]

    def generator_lines(self, checks: Checks, call: str, values: str) -> list[str]:
        """Hand the generator on, checking what it yields and returns."""
        bindings = ", ".join(f"{name!r}: {checks.variable(name)}" for name in checks.state)
        drive = f"{DRIVE}({call}, {CHECKER}, {values}, {{{bindings}}})"
        self.namespace[key(CHECKER)] = self.checker
        if self.kind == GENERATOR:
            return [f"        return (yield from {drive})"]
        part = checks.fresh("e")
        return [f"        async for {part} in {drive}: yield {part}", "        return"]

    def refusal_lines(self, checks: Checks, call: str, values: str) -> list[str]:
        """What happens after a `break`: the matcher decides, and its error is raised without frames of our own."""
        verdict, value = checks.fresh("r"), checks.fresh("r")
        parameters = [p.name for p in self.signature.parameters if p.hint is not None]
        lines = self.brief_lines(checks, ", ".join(parameters) + ",", ", ".join(map(repr, parameters)) + ",", 1)
        lines.append(f"    {verdict} = {AGAIN}({values})")
        lines.append(f"    if {verdict}.error is None:")
        if key(OBSERVE) in self.namespace:
            lines.append(f"        {OBSERVE}({verdict}.sizes())")
        if self.kind == GENERATOR:
            self.namespace[key(CHECKER)] = self.checker
            lines.append(f"        return (yield from {DRIVE}({call}, {CHECKER}, {values}, {verdict}.env))")
        elif self.kind == ASYNC_GENERATOR:
            self.namespace[key(CHECKER)] = self.checker
            lines.append(
                f"        async for {value} in {DRIVE}({call}, {CHECKER}, {values}, {verdict}.env): yield {value}"
            )
            lines.append("        return")
        elif key(STEPS) in self.namespace:
            lines += [
                "        " + line
                for line in self.awaited_lines(checks, f"{STEPS}({CHECKER}, {values}, {verdict}.sizes())", call)
            ]
        elif key(ENTER) in self.namespace:
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
        if key(COMPILING) not in self.namespace or not checks.exact or values == ",":
            return []
        indent = "    " * depth
        return [f"{indent}if {COMPILING}():", f"{indent}    raise {ERROR}({BRIEF}(({values}), ({names})))"]


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
