"""`isinstance(x, Float[Tensor, "B T"])` in a body that Dynamo traces.

Dynamo takes such a test for an ordinary one of a class, and folds it to False: without this module a compiled function
would silently take the other branch. While it traces, a copy of the function runs whose `isinstance` is the one below.
"""

from __future__ import annotations

import sys
import types
from typing import TYPE_CHECKING, Any

from shapecheck.runtime.body import CHECK

if TYPE_CHECKING:
    from collections.abc import Callable

    from shapecheck.annotations.hints import Hint

NAME = "__shapecheck_isinstance__"
NOTHING = "__shapecheck_nothing__"
_RENAMED = {"isinstance": NAME, CHECK: NOTHING}

# One dictionary of sizes per call that is being traced, innermost last.
SCOPES: list[dict[str, Any]] = []

# The generated tests. A module, because Dynamo looks its attributes up afresh.
TESTS = types.ModuleType("shapecheck_traced_tests")
sys.modules[TESTS.__name__] = TESTS


def traceable_copy(function: types.FunctionType) -> types.FunctionType:
    """The function with its `isinstance` replaced, also in the functions inside it, and without checks of locals."""
    function.__globals__[NAME] = traced_isinstance
    function.__globals__[NOTHING] = nothing
    copy = types.FunctionType(
        renamed(function.__code__),
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    copy.__kwdefaults__ = function.__kwdefaults__
    return copy


def renamed(code: types.CodeType) -> types.CodeType:
    """The code with other names for what Dynamo cannot trace."""
    names = tuple(_RENAMED.get(name, name) for name in code.co_names)
    constants = tuple(renamed(part) if isinstance(part, types.CodeType) else part for part in code.co_consts)
    return code.replace(co_names=names, co_consts=constants)


def nothing(name: str, value: object, annotation: object) -> None:
    """Stands for `check_local`, which reads frames."""


def traced_isinstance(value: Any, kind: Any) -> bool:
    """What Dynamo traces in place of `isinstance`."""
    if isinstance(kind, tuple):
        for member in kind:  # noqa: SIM110  # Dynamo does not trace a generator here
            if traced_isinstance(value, member):
                return True
        return False
    name = test_name(kind)
    if name == "":  # Dynamo knows the string, and not whether it is true
        return isinstance(value, kind)
    return bool(getattr(TESTS, name)(value, SCOPES[-1]))


def test_name(kind: Any) -> str:
    """The attribute of `TESTS` that tests for a tensor annotation or a union with one; empty for anything else."""
    from shapecheck.annotations.hints import arrays
    from shapecheck.annotations.live import hint_from_live

    hint = hint_from_live(kind)
    test = test_function(hint, None) if arrays(hint) else None
    if test is None:
        return ""
    name = f"test_{len(vars(TESTS))}"
    setattr(TESTS, name, test)
    return name


# Dynamo runs it while it traces, and takes the result for a constant.
test_name._dynamo_marked_constant = True  # type: ignore[attr-defined]  # noqa: SLF001


def test_function(hint: Hint, shared: frozenset[str] | None) -> Callable[[Any, dict[str, Any]], bool] | None:
    """A function of a value and the sizes so far: whether it fits, and if so the sizes it binds are added.

    shared: the names that are not bound afresh for each element of a container; None for all of them.
    """
    from shapecheck.runtime.codegen import Checks
    from shapecheck.runtime.codegen_arrays import widening_names
    from shapecheck.runtime.codegen_lines import BROKEN, MAYBE, NotInlineError
    from shapecheck.runtime.hint_names import expression_names, names_of

    namespace: dict[str, Any] = {}
    common = frozenset(names_of(hint)) if shared is None else shared
    checks = Checks(namespace, common, frozenset({"value", "sizes"}))
    checks.depth = 2
    checks.widening = widening_names([hint])
    found = dict.fromkeys([*names_of(hint), *expression_names(hint)])
    names = [name for name in found if shared is None or name in shared]
    for name in names:
        checks.line(f"{checks.variable(name)} = sizes.get({name!r})")
        checks.state[name] = MAYBE
    try:
        checks.check(hint, "value")
    except NotInlineError:
        return None
    for name in names:
        checks.line(f"if {checks.variable(name)} is not None: sizes[{name!r}] = {checks.variable(name)}")
    checks.line("return True")
    lines = checks.lines
    if checks.evaluates:
        lines = ["        try:", *["    " + line for line in lines], f"        except {BROKEN}:", "            break"]
    source = "\n".join(["def test(value, sizes):", "    while True:", *lines, "    return False"])
    exec(source, namespace)  # noqa: S102  # our own text
    test: Callable[[Any, dict[str, Any]], bool] = namespace["test"]
    return test
