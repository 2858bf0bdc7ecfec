"""One annotated function, run apart from its package: what an edit does to it, told by torch and not by the checker.

A function can be run where its names lead to torch, einops, einx (if installed), the standard library's arithmetic, or
functions, constants and modules of its own package, and where its annotations say what to call it with: every axis name
becomes a size of its own. A method is called on an object whose constructor takes sizes. Nothing else of the package is
run.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import contextlib
import copy
import importlib
import re
import signal
from dataclasses import dataclass
from itertools import islice, product
from typing import TYPE_CHECKING, Any

import torch

from shapecheck.static.index import Assigned, Imported
from tests.bench.declared import NotRunnableError, argument, axis_names, holds, leaves
from tests.bench.mutations import number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from shapecheck.static.index import Function, ModuleIndex

IMPORTED = frozenset(
    ("torch", "einops", "math", "typing", "functools", "itertools", "collections", "dataclasses", "operator", "enum",
     "typing_extensions", "abc", "jaxtyping", "numpy", "einx", "copy", "numbers", "random", "__future__")
)  # fmt: skip
FORBIDDEN = ("open", "exec", "eval", "compile", "input", "breakpoint", "exit", "quit")
PRIMES = (5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43)
SCALES = (1, 2, 4)
"""Sizes are primes times one of these: code that splits an axis needs it divisible."""
SECONDS = 1.0
"""A call that takes the processor longer says nothing."""
ATTEMPTS = 64
"""Constructor and axis sizes that are tried for one function."""


class Names(dict[str, Any]):
    """The globals of code from one file: each name is made when it is first looked up."""

    def __init__(self, index: ModuleIndex, made: dict[str, Names]) -> None:
        allowed = {name: value for name, value in vars(builtins).items() if name not in FORBIDDEN}
        super().__init__(__builtins__=allowed | {"__import__": _import}, __name__=index.path)
        self.index = index
        self.made = made
        self._defined: dict[str, ast.AST] = {}
        made[index.path] = self

    def provide(self, node: ast.AST) -> None:
        """Make every name that a piece of code may look up; what cannot be made is missing when the code runs."""
        for name in {part.id for part in ast.walk(node) if isinstance(part, ast.Name)} - self.keys():
            if name in vars(builtins):
                continue
            owner, binding = self.index.find(name)
            globals_ = self if owner is self.index else self.made.get(owner.path) or Names(owner, self.made)
            with contextlib.suppress(Exception):  # a name that cannot be made ends the run that needs it
                value = globals_.value(getattr(binding, "name", name), binding)
                self[name] = value

    def value(self, name: str, binding: object) -> Any:
        """What a binding of this file stands for."""
        if name in self:
            return self[name]
        if isinstance(binding, Imported):
            if binding.level or binding.module.partition(".")[0] not in IMPORTED:
                raise NotRunnableError(binding.module)
            module = importlib.import_module(binding.module)
            return module if binding.attribute is None else getattr(module, binding.attribute)
        if isinstance(binding, (ast.FunctionDef, ast.ClassDef)):
            return self.define(binding)
        if isinstance(binding, Assigned) and binding.value is not None:
            self.provide(binding.value)
            self[name] = eval(compile(ast.Expression(binding.value), "<constant>", "eval"), self)  # noqa: S307
            return self[name]
        raise NotRunnableError(name)

    def define(self, node: ast.FunctionDef | ast.ClassDef) -> Any:
        """Run a definition, without its decorators and annotations."""
        if self._defined.get(node.name) is node:
            return self[node.name]
        self._defined[node.name] = node
        bare = _Bare().visit(copy.deepcopy(node))
        self[node.name] = NotRunnableError  # a definition that needs itself finds it made when it runs
        self.provide(bare)
        module = ast.fix_missing_locations(ast.Module([bare], []))
        exec(compile(module, "<isolated>", "exec", __future__.annotations.compiler_flag), self)  # noqa: S102
        return self[node.name]


class _Bare(ast.NodeTransformer):
    """Takes away what only describes: annotations and decorators, except those that make a method what it is."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        kept = {"staticmethod", "classmethod", "property"}
        node.decorator_list = [one for one in node.decorator_list if isinstance(one, ast.Name) and one.id in kept]
        node.returns = None
        self.generic_visit(node)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.ClassDef:
        node.decorator_list = [one for one in node.decorator_list if "dataclass" in ast.unparse(one)]
        self.generic_visit(node)
        return node

    def visit_arg(self, node: ast.arg) -> ast.arg:
        node.annotation = None
        return node


def _import(name: str, *rest: Any) -> Any:
    if name.partition(".")[0] not in IMPORTED:
        raise NotRunnableError(name)
    return builtins.__import__(name, *rest)


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a function is tried with.

    Attributes:
        sizes: of the axis names.
        full: whether optional arguments are given.
        made: sizes for the constructor.
    """

    sizes: dict[str, int]
    full: bool
    made: dict[str, int]


class Isolated:
    """A function that runs: the sizes it was found to run with, and what it returns then.

    Raises:
        NotRunnableError: it needs what is not there, or no sizes were found that it accepts.
    """

    def __init__(self, index: ModuleIndex, function: ast.FunctionDef, owner: ast.ClassDef | None) -> None:
        self.function = function
        self.owner = owner
        bound = axis_names(function)
        names = Names(index, {})
        fallback: tuple[Attempt, Any] | None = None
        waiting = self._attempts(bound)
        seen: list[Attempt] = []
        while waiting and len(seen) < ATTEMPTS:
            self.attempt = waiting.pop(0)
            if self.attempt in seen:
                continue
            seen.append(self.attempt)
            try:
                self.result = self.run(names, function, owner)
            except (NotRunnableError, NameError, ImportError, AttributeError) as error:
                raise NotRunnableError(str(error)) from error
            except Exception as error:  # noqa: BLE001 - whatever stops foreign code, other sizes may not
                waiting = [*self._repaired(str(error)), *waiting]
                continue
            if leaves(self.result) is None:
                raise NotRunnableError("a result that cannot be compared")
            if holds(function.returns, self.result, self.attempt.sizes) is not False:
                return
            fallback = fallback or (self.attempt, self.result)
        if fallback is None:
            raise NotRunnableError(function.name)
        self.attempt, self.result = fallback

    def _attempts(self, bound: list[str]) -> list[Attempt]:
        """Sizes of the axes, with optional arguments and without, and sizes for the constructor."""
        if len(bound) > len(PRIMES):
            return []
        required = [name for name, default in self._constructor().items() if default is None]
        optional = bool(self.function.args.defaults or any(self.function.args.kw_defaults))
        found = []
        for scale, full in product(SCALES, (True, False) if optional else (False,)):
            sizes = {name: prime * scale for name, prime in zip(bound, PRIMES, strict=False)}
            # A parameter that no axis is called like may be any axis, or a number of heads.
            choices = [[sizes[name]] if name in sizes else [*reversed(sizes.values()), 4, 2] for name in required]
            found += [
                Attempt(sizes, full, dict(zip(required, chosen, strict=True)))
                for chosen in islice(product(*choices), ATTEMPTS // 4)
            ]
        return found

    def _repaired(self, message: str) -> Iterator[Attempt]:
        """Attempts in which a parameter of the constructor that an error mentions is an axis that it mentions."""
        numbers = {int(digits) for digits in re.findall(r"\d+", message)}
        sizes, full, made = self.attempt.sizes, self.attempt.full, self.attempt.made
        for name, default in self._constructor().items():
            if made.get(name, default) in numbers:
                for size in sizes.values():
                    if size in numbers and size != made.get(name, default):
                        yield Attempt(sizes, full, made | {name: size})

    def _constructor(self) -> dict[str, int | None]:
        """The parameters that the constructor requires, and those whose default is a number, with that."""
        if self.owner is None or not _uses_object(self.function):
            return {}
        own = next((one for one in self.owner.body if getattr(one, "name", "") == "__init__"), None)
        if not isinstance(own, ast.FunctionDef):
            return {}
        given = {arg.arg: default for arg, default in _defaults(own)[1:]}
        return {
            name: None if default is None else number(default)
            for name, default in given.items()
            if default is None or number(default) is not None
        }

    def run(self, names: Names, function: ast.FunctionDef, owner: ast.ClassDef | None) -> Any:
        """Call a function, this one or an edited one, with arguments that its annotations describe."""
        torch.manual_seed(0)
        with _limited():
            arguments = _arguments(function, owner, self.attempt.sizes, full=self.attempt.full)
            if owner is not None and "staticmethod" not in map(ast.unparse, function.decorator_list):
                if _uses_object(function):
                    made = names.define(owner)(**self.attempt.made)
                    if isinstance(made, torch.nn.Module):
                        made.eval()
                        for parameter in made.parameters():
                            parameter.data.normal_()
                    return getattr(made, function.name)(**arguments)
                arguments[function.args.args[0].arg] = None
            with torch.no_grad():
                return names.define(function)(**arguments)

    def verdict(self, index: ModuleIndex, function: ast.FunctionDef, owner: ast.ClassDef | None, *, hints: bool) -> str:
        """What an edit does: ``shape``, ``silent``, ``equivalent``, or ``undeclared`` (another shape, never declared).

        Args:
            index: the edited file.
            function: the edited function.
            owner: its class.
            hints: whether the edit is one of the annotations, which leaves the code as it is.
        """
        try:
            result = self.run(Names(index, {}), function, owner)
        except (TimeoutError, NotRunnableError):
            return "equivalent"
        except Exception:  # noqa: BLE001 - code that stops is code whose shapes do not fit
            return "shape"
        if holds(function.returns, result, self.attempt.sizes) is False and (
            hints or holds(function.returns, self.result, self.attempt.sizes) is not False
        ):
            return "shape"
        before, after = leaves(self.result), leaves(result)
        if hints:
            return "equivalent"
        if before is None or after is None or [one.shape for one in before] != [one.shape for one in after]:
            return "undeclared"
        same = all(
            one.dtype == two.dtype and torch.allclose(one.double(), two.double(), rtol=1e-3, atol=1e-4, equal_nan=True)
            for one, two in zip(before, after, strict=True)
            if not one.is_complex() and not two.is_complex()
        )
        return "equivalent" if same else "silent"


@contextlib.contextmanager
def _limited() -> Iterator[None]:
    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _defaults(function: Function) -> list[tuple[ast.arg, ast.expr | None]]:
    """The parameters with their defaults."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults)) + [*arguments.defaults]
    return [*zip(positional, defaults, strict=True), *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]


def _uses_object(function: Function) -> bool:
    first = function.args.args[0].arg if function.args.args else ""
    return any(isinstance(node, ast.Name) and node.id == first for node in ast.walk(function))


def _arguments(function: Function, owner: ast.ClassDef | None, sizes: dict[str, int], *, full: bool) -> dict[str, Any]:
    """Arguments by name that fit what the parameters declare; optional ones only if ``full``."""
    bound = owner is not None and "staticmethod" not in map(ast.unparse, function.decorator_list)
    if function.args.posonlyargs:
        raise NotRunnableError("positional only")
    generator = torch.Generator().manual_seed(0)
    given = {}
    for arg, default in _defaults(function)[bound:]:
        try:
            value = argument(arg, sizes, generator)
        except NotRunnableError:
            if default is None:
                raise
            continue
        if default is None or (full and value is not None):
            given[arg.arg] = value
    return given
