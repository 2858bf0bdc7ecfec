"""The parameters of a function, each with its hint."""

from __future__ import annotations

import types
import typing
import warnings
from typing import TYPE_CHECKING, Any

from shapecheck.annotations.hints import ArrayHint, InvalidHint, OtherHint, PyTreeHint, children, walk
from shapecheck.annotations.live import hint_from_live
from shapecheck.runtime import others
from shapecheck.runtime.errors import AnnotationUseError, ShapecheckWarning
from shapecheck.runtime.goals import Goal
from shapecheck.runtime.match import Matcher
from shapecheck.runtime.records import shared_names, with_records
from shapecheck.runtime.resolve import annotations_of, names_of_function

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shapecheck.annotations.hints import Hint
    from shapecheck.runtime.resolve import Names

EMPTY: Any = types.SimpleNamespace()

_WARNED: set[tuple[str, str]] = set()

POSITIONAL_ONLY, NORMAL, VAR_POSITIONAL, KEYWORD_ONLY, VAR_KEYWORD = range(5)


class Parameter:
    """One parameter.

    kind: as in `inspect.Parameter`, as a number.
    hint: None when there is nothing to check.
    exempt: the default is not one of the hint's values, and passes all the same (`x: Float[Tensor, "n"] = None`).
    several: the hint is that of each of the variadic arguments, not of all together as in `*xs: *tuple[int, str]`.
    """

    __slots__ = ("default", "exempt", "hint", "kind", "name", "several")

    def __init__(self, name: str, kind: int, default: Any = EMPTY) -> None:
        self.name = name
        self.kind = kind
        self.default = default
        self.hint: Hint | None = None
        self.exempt = False
        self.several = kind in {VAR_POSITIONAL, VAR_KEYWORD}


def parameters_of(function: types.FunctionType) -> list[Parameter]:
    """The parameters of a plain function, read off its code: `inspect` would cost more than everything else."""
    code = function.__code__
    count, only = code.co_argcount, code.co_posonlyargcount
    names = code.co_varnames
    parameters = [Parameter(name, POSITIONAL_ONLY if i < only else NORMAL) for i, name in enumerate(names[:count])]
    for parameter, default in zip(reversed(parameters), reversed(function.__defaults__ or ()), strict=False):
        parameter.default = default
    at = count + code.co_kwonlyargcount
    keyword = [Parameter(name, KEYWORD_ONLY) for name in names[count:at]]
    for parameter in keyword:
        parameter.default = (function.__kwdefaults__ or {}).get(parameter.name, EMPTY)
    if code.co_flags & 4:
        parameters.append(Parameter(names[at], VAR_POSITIONAL))
        at += 1
    parameters += keyword
    if code.co_flags & 8:
        parameters.append(Parameter(names[at], VAR_KEYWORD))
    return parameters


def unpacked(annotation: Any, evaluate: Callable[[str], object]) -> Any:
    """The type of all variadic arguments together, from `*tuple[int, str]` or `Unpack[Options]`; None for others."""
    if isinstance(annotation, str):
        if annotation.lstrip().startswith("*"):
            return annotation.lstrip()[1:]
        try:
            annotation = evaluate(annotation)
        except Exception:  # noqa: BLE001  # whatever it is, it is told of when the hint is made
            return None
    origin: Any = typing.get_origin(annotation)
    if origin is typing.Unpack:
        return typing.get_args(annotation)[0]
    return origin[typing.get_args(annotation)] if getattr(annotation, "__unpacked__", False) else None


def outside_of_trees(hint: Hint) -> list[ArrayHint]:
    """The tensors of a hint that are no leaves of a `PyTree`; jaxtyping looks at those."""
    if isinstance(hint, ArrayHint):
        return [hint]
    if isinstance(hint, PyTreeHint):
        return []
    return [array for part in children(hint) for array in outside_of_trees(part)]


class Signature:
    """Parameters and return hint of a function, evaluated.

    shared: names bound outside of containers of any length, and by more than the fields of one class.
    """

    def __init__(self, function: types.FunctionType, local: dict[str, Any] | None) -> None:
        self.function = function
        self.parameters = parameters_of(function)
        names = names_of_function(function, local)
        annotations = annotations_of(function)
        for parameter in self.parameters:
            if parameter.name in annotations:
                annotation = annotations[parameter.name]
                if parameter.several:
                    together = unpacked(annotation, names.evaluate)
                    parameter.several = together is None
                    annotation = annotation if together is None else together
                parameter.hint = self.hint(parameter.name, annotation, names)
        self.returns: Hint | None = None
        if "return" in annotations:
            self.returns = self.hint("return", annotations["return"], names)
        hints = [parameter.hint for parameter in self.parameters if parameter.hint is not None]
        self.shared = shared_names([*hints, *([self.returns] if self.returns else [])])
        for parameter in self.parameters:
            parameter.exempt = self.is_exempt(parameter)

    def hint(self, name: str, annotation: object, names: Names) -> Hint | None:
        """The hint of one annotation; None where there is nothing to check."""
        if annotation == "":
            return None
        hint = with_records(hint_from_live(annotation, names.evaluate), names)
        for part in walk(hint):
            if isinstance(part, InvalidHint):
                self.refuse(name, part)
                return None
        if any(axis.tree for array in outside_of_trees(hint) for axis in array.spec.shape.axes):
            message = "`?name` is one size per leaf of a `PyTree` whose structure has a name, and this is no such leaf"
            raise AnnotationUseError(f"{self.function.__qualname__}: the annotation of `{name}`: {message}")
        if isinstance(hint, OtherHint) and (hint.value is Any or others.accepts_anything(hint)):
            return None
        return hint

    def refuse(self, name: str, part: InvalidHint) -> None:
        """Say that an annotation cannot be checked: an error when it is wrong, a warning when a name is missing."""
        qualname = self.function.__qualname__
        what = "the return annotation" if name == "return" else f"the annotation of `{name}`"
        message = f"{qualname}: {what}, `{part.text}`, cannot be evaluated ({part.error.message})"
        kind, colon, _ = part.error.message.partition(": ")
        wrong = {"ValueError", "SyntaxError"}  # what jaxtyping and Python themselves refuse
        if colon and kind.isidentifier() and kind not in wrong:
            # A name that only type checkers import may be in every annotation of a module: once is enough.
            key = (self.function.__module__, part.error.message)
            if key in _WARNED:
                return
            _WARNED.add(key)
            warnings.warn(f"{message}; it is not checked", ShapecheckWarning, stacklevel=2)
            return
        raise AnnotationUseError(message)

    @staticmethod
    def is_exempt(parameter: Parameter) -> bool:
        """Whether the default violates the hint of its parameter."""
        if parameter.default is EMPTY or parameter.hint is None:
            return False
        try:
            fits = Matcher({}, frozenset()).solve([Goal(parameter.name, parameter.hint, parameter.default)], {})
        except (AttributeError, KeyError, TypeError):  # braces that need the other arguments
            return False
        return fits is None

    def forget_hints(self) -> None:
        """Check nothing."""
        self.returns = None
        for parameter in self.parameters:
            parameter.hint = None

    def goals(self, values: Sequence[Any]) -> list[Goal]:
        """What the arguments of a call, in the order of the parameters, have to fulfil."""
        goals = []
        for parameter, value in zip(self.parameters, values, strict=True):
            hint = parameter.hint
            if hint is None or (parameter.exempt and value is parameter.default):
                continue
            if not parameter.several:
                goals.append(Goal(parameter.name, hint, value))
            elif parameter.kind == VAR_POSITIONAL:
                goals += [Goal(f"{parameter.name}[{index}]", hint, item) for index, item in enumerate(value)]
            else:
                goals += [Goal(f"{parameter.name}[{key!r}]", hint, item) for key, item in value.items()]
        return goals

    def arguments(self, values: Sequence[Any]) -> dict[str, Any]:
        """The arguments by name."""
        return {parameter.name: value for parameter, value in zip(self.parameters, values, strict=True)}
