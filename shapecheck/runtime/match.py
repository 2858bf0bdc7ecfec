"""The generic matcher: which sizes make a set of values fit a set of hints.

It backtracks over unions and says precisely what failed. The generated checkers (`codegen.py`) decide ordinary calls
without it; it has the last word on every call that they do not accept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from shapecheck.annotations.expression import Opaque, Path, apply, fold
from shapecheck.annotations.hints import (
    ArrayHint,
    DictHint,
    InvalidHint,
    NoneHint,
    OtherHint,
    PyTreeHint,
    SequenceHint,
    TupleHint,
    UnionHint,
    arrays,
)
from shapecheck.annotations.spec import AxisSpec, ShapeSpec
from shapecheck.runtime import others
from shapecheck.runtime.arrays import Reshaped, accepts_dtype, dtype_name, is_array, is_proxy, shape_of, widen
from shapecheck.runtime.records import ABSENT, RecordHint

if TYPE_CHECKING:
    from shapecheck.annotations.expression import Expression
    from shapecheck.annotations.hints import Hint

# Unions nested in long lists could be tried in exponentially many ways; beyond this the call is refused.
MAX_STEPS = 100_000
# Functions decorated inside of functions are new each time, and so are their hints.
MAX_TESTERS = 10_000


class Where(NamedTuple):
    """Which axis gave a name its size; `axis` -1 stands for an attribute named by `dims`."""

    path: str
    axis: int


class Bound(NamedTuple):
    """The value of a name: a size, or for a variadic name a shape and whether it may still widen."""

    value: Any
    where: Where
    flexible: bool = False


Env: TypeAlias = dict[str, Bound]  # variadic names with their star: "*batch"


class Failure(NamedTuple):
    """The first demand that does not hold.

    kind: "type", "dtype", "rank", "size", "variadic", "unbound", "length" or "missing" (a key).
    axis: index into the actual shape, -1 if no axis is to blame.
    progress: how many demands had been met before, by which the most telling of several failures is chosen.
    """

    kind: str
    path: str
    hint: Hint
    value: object
    axis: int
    name: str
    expected: Any
    actual: Any
    bound: Bound | None = None
    env: Env | None = None
    progress: int = 0


_CLOSENESS = {"type": 0, "length": 1, "missing": 1, "dtype": 1, "rank": 2, "unbound": 3, "size": 3, "variadic": 3}


class Misfit(NamedTuple):
    """Why one axis does not fit: "size" with the size it should have, or "unbound" with the name that has none."""

    kind: str
    expected: Any


class Unbound(Exception):  # noqa: N818  # control flow within this module: an expression needs a name without a size
    """An expression met a name that has no size."""


class Goal(NamedTuple):
    """One demand: a value must be one of a hint's. `forget` instead drops names that live for one element only."""

    path: str
    hint: Hint | None
    value: Any = None
    forget: frozenset[str] = frozenset()


Agenda: TypeAlias = "tuple[Goal, Agenda] | None"


class Matcher:
    """Matches values against hints within one call.

    arguments: parameter values by name, for braces in shape strings.
    shared: names bound outside of containers of any length; all others are bound afresh for each element or object.
    """

    def __init__(self, arguments: dict[str, Any], shared: frozenset[str]) -> None:
        self.arguments = arguments
        self.shared = shared
        self.failure: Failure | None = None
        self.progress = 0

    def solve(self, goals: list[Goal], env: Env) -> Env | None:
        """Sizes under which all goals hold, or None; `failure` then says what is wrong."""
        agenda: Agenda = None
        for goal in reversed(goals):
            agenda = (goal, agenda)
        choices: list[tuple[Agenda, Env, int]] = [(agenda, env, 0)]
        steps = 0
        while choices and steps < MAX_STEPS:
            agenda, env, self.progress = choices.pop()
            while agenda is not None:
                goal, agenda = agenda
                steps += 1
                if goal.hint is None:
                    env = {name: bound for name, bound in env.items() if name not in goal.forget}
                elif isinstance(goal.hint, UnionHint):
                    members = [(Goal(goal.path, member, goal.value), agenda) for member in goal.hint.members]
                    choices += [(member, env, self.progress) for member in reversed(members[1:])]
                    agenda = members[0]
                elif isinstance(goal.hint, (ArrayHint, PyTreeHint)):
                    hint = goal.hint
                    if isinstance(hint, ArrayHint):
                        outcome = self.array(hint, goal.value, goal.path, env)
                    else:
                        outcome = self.pytree(hint, goal, env)
                    if isinstance(outcome, Failure):
                        self.note(outcome)
                        break
                    env = outcome
                    self.progress += 1
                else:
                    inner = self.expand(goal.hint, goal)
                    if isinstance(inner, Failure):
                        self.note(inner)
                        break
                    for part in reversed(inner):
                        agenda = (part, agenda)
                    self.progress += not inner
            else:
                return env
        return None

    def note(self, failure: Failure) -> None:
        """Keep the failure that got furthest; of several alternatives at one place the closest."""
        known = self.failure
        if (
            known is not None
            and known.kind == failure.kind == "type"
            and (known.path, known.progress) == (failure.path, failure.progress)
            and failure.expected not in str(known.expected).split(" or ")
        ):  # the members of a union, none of which the value is
            self.failure = known._replace(expected=f"{known.expected} or {failure.expected}")
            return
        if known is None or (known.progress, _CLOSENESS[known.kind]) < (failure.progress, _CLOSENESS[failure.kind]):
            self.failure = failure

    def fail(self, kind: str, goal: Goal, expected: Any, actual: Any) -> Failure:
        """A failure of a whole value."""
        assert goal.hint is not None  # noqa: S101
        return Failure(kind, goal.path, goal.hint, goal.value, -1, "", expected, actual, progress=self.progress)

    def expand(self, hint: Hint, goal: Goal) -> list[Goal] | Failure:
        """The goals that a hint other than a tensor or a union consists of."""
        value: Any = goal.value
        if isinstance(hint, NoneHint):
            return [] if value is None else self.fail("type", goal, "None", type_name(value))
        if isinstance(hint, OtherHint):
            if accepts(hint, value):
                return []
            chosen = hint.name == "typing.Literal" and isinstance(value, (str, int))
            return self.fail("type", goal, hint.text, repr(value) if chosen else type_name(value))
        if isinstance(hint, InvalidHint):
            return []  # warned about when the checker was built
        if isinstance(hint, RecordHint):
            return self.expand_record(hint, goal)
        if isinstance(hint, TupleHint):
            return self.expand_tuple(hint, goal)
        if isinstance(hint, (SequenceHint, DictHint)):
            container: Any = container_class(hint)
            if not isinstance(value, container):
                return self.fail("type", goal, hint.origin.rpartition(".")[2], type_name(value))
            if isinstance(hint, SequenceHint):
                return self.elements(hint, [[Goal(f"{goal.path}[{i}]", hint.element, v)] for i, v in enumerate(value)])
            pairs = []
            for key, part in value.items():
                path = f"{goal.path}[{key!r}]"
                pairs.append([Goal(f"key {key!r} of {goal.path}", hint.key, key), Goal(path, hint.element, part)])
            return self.elements(hint, pairs)
        message = f"{type(hint).__name__} is no goal of its own"
        raise AssertionError(message)

    def elements(self, hint: Hint, parts: list[list[Goal]]) -> list[Goal]:
        """Goals for the elements of a container of any length: what only they bind is forgotten after each."""
        forget = Goal("", None, None, frozenset(names_of(hint)) - self.shared)
        return [goal for part in parts for goal in (*part, forget)]

    def expand_tuple(self, hint: TupleHint, goal: Goal) -> list[Goal] | Failure:
        """The goals that a tuple consists of."""
        value = goal.value
        if not isinstance(value, tuple):
            return self.fail("type", goal, "tuple", type_name(value))
        if hint.variadic:
            return self.elements(hint, [[Goal(f"{goal.path}[{i}]", hint.items[0], v)] for i, v in enumerate(value)])
        if len(value) != len(hint.items):
            return self.fail("length", goal, len(hint.items), len(value))
        return [
            Goal(f"{goal.path}[{index}]", item, element)
            for index, (item, element) in enumerate(zip(hint.items, value, strict=True))
        ]

    def expand_record(self, hint: RecordHint, goal: Goal) -> list[Goal] | Failure:
        """The goals that the fields of an object are; what only they bind is forgotten afterwards."""
        if not hint.accepts(goal.value):
            return self.fail("type", goal, hint.value.__name__, type_name(goal.value))
        parts = []
        for field, item in zip(hint.fields, hint.items, strict=True):
            value = hint.read(field, goal.value)
            if value is field.exempt:
                continue
            if value is ABSENT:
                return self.fail("missing", goal, hint.value.__name__, field.name)
            parts.append(Goal(hint.path(goal.path, field), item, value))
        return self.elements(hint, [parts])

    def array(self, hint: ArrayHint, value: Any, path: str, env: Env) -> Env | Failure:
        """Match one tensor: the sizes known afterwards, or what does not fit."""
        live: Any = hint.value
        original, shape = value, None
        if isinstance(value, Reshaped):
            original, shape = value.original, value.shape
        if is_proxy(original):
            return env
        goal = Goal(path, hint, original)
        if live.array_type is Any:
            if not is_array(original):
                return self.fail("type", goal, "an array", type_name(original))
        elif not isinstance(original, live.array_type):
            return self.fail("type", goal, type_text(live.array_type), type_name(original))
        name = dtype_name(original.dtype)
        if not accepts_dtype(hint.spec.dtype, name):
            return self.fail("dtype", goal, hint.spec.dtype.name, name)
        return self.shape(hint, original, shape_of(original) if shape is None else shape, path, dict(env))

    def pytree(self, hint: PyTreeHint, goal: Goal, env: Env) -> Env | Failure:
        """Match a PyTree through jaxtyping, which knows jax's trees and the names of their structures."""
        from shapecheck.runtime import body

        live: Any = hint.value
        body.enter(self.arguments, {name: bound.value for name, bound in env.items()})
        try:
            fits = isinstance(goal.value, live)
        finally:
            sizes = body.leave()
        if not fits:
            return self.fail(
                "type", goal, str(live).replace("<class 'jaxtyping.", "").rstrip("'>"), type_name(goal.value)
            )
        found = dict(env)
        for name, size in sizes.items():
            if name not in env:
                flexible, value = size if name.startswith("*") else (False, size)
                found[name] = Bound(value, Where(goal.path, -1), flexible)
        return found

    def shape(self, hint: ArrayHint, value: object, shape: tuple[int, ...], path: str, env: Env) -> Env | Failure:
        """Match a shape; `env` is changed in place."""
        spec = hint.spec.shape
        wrong_rank = rank_mismatch(spec, len(shape))
        if wrong_rank:
            return Failure(
                "rank", path, hint, value, -1, "", wrong_rank, len(shape), env=dict(env), progress=self.progress
            )
        count = len(spec.axes)
        for index, axis in enumerate(spec.axes):
            if index == spec.variadic:
                continue
            position = index if spec.variadic < 0 or index < spec.variadic else len(shape) - count + index
            misfit = self.axis(axis, shape[position], Where(path, position), env)
            if misfit is not None:
                bound = env.get(axis.name) if axis.kind == "name" else None
                actual = shape[position]
                return Failure(
                    misfit.kind,
                    path,
                    hint,
                    value,
                    position,
                    axis.text,
                    misfit.expected,
                    actual,
                    bound,
                    env,
                    self.progress,
                )
        if spec.variadic >= 0 and spec.axes[spec.variadic].kind == "name":
            axis = spec.axes[spec.variadic]
            part = shape[spec.variadic : spec.variadic + len(shape) - count + 1]
            name = "*" + axis.name
            known = env.get(name)
            met = widen((known.flexible, known.value) if known else None, part, broadcasts=axis.broadcast)
            if met is None:
                assert known is not None  # noqa: S101  # the first occurrence always fits
                return Failure(
                    "variadic", path, hint, value, spec.variadic, name, known.value, part, known, env, self.progress
                )
            env[name] = Bound(met[1], known.where if known else Where(path, spec.variadic), met[0])
        return env

    def axis(self, axis: AxisSpec, size: int, where: Where, env: Env) -> Misfit | None:
        """None when the axis fits. A name without a size gets this one."""
        if axis.kind == "anonymous" or (axis.broadcast and size == 1):
            return None
        if axis.kind == "fixed":
            return None if size == axis.size else Misfit("size", axis.size)
        if axis.kind == "name":
            bound = env.get(axis.name)
            if bound is None:
                env[axis.name] = Bound(size, where)
                return None
            return None if size == bound.value else Misfit("size", bound.value)
        assert axis.expression is not None  # noqa: S101
        try:
            value = self.evaluate(axis.expression, env)
        except Unbound as error:
            return Misfit("unbound", str(error))
        return None if size == value else Misfit("size", value)

    def evaluate(self, expression: Expression, env: Env) -> Any:
        """The size that an expression demands; raises `Unbound`."""

        def name(word: str) -> Any:
            if word not in env:
                raise Unbound(word)
            return env[word].value

        def path(part: Path) -> Any:
            value = self.braces(part.text)
            # jaxtyping formats the value into the expression, so that a string in braces is an expression of its own.
            return self.python(value, env) if isinstance(value, str) else value

        def opaque(part: Opaque) -> Any:
            text, names = part.text, part.names
            for word in names:
                name(word)
            pieces = []
            while "{" in text:
                before, _, text = text.partition("{")
                inner, _, text = text.partition("}")
                pieces += [before, format(self.braces(inner))]
            return self.python("".join(pieces) + text, env)

        def op(symbol: str, left: Any, right: Any) -> Any:
            return apply(symbol, left, right)

        return fold(expression, number=lambda value: value, name=name, path=path, op=op, opaque=opaque)

    def braces(self, text: str) -> Any:
        """The value of a braced expression among the call's arguments."""
        try:
            return eval(text, dict(self.arguments))  # noqa: S307  # the annotation is the user's own code
        except NameError as error:
            raise Unbound(str(error)) from None

    def python(self, text: str, env: Env) -> Any:
        """The value of an expression among the sizes bound so far."""
        sizes = {word: bound.value for word, bound in env.items()}
        try:
            return eval(text, sizes)  # noqa: S307  # as above
        except NameError as error:
            raise Unbound(str(error)) from None


def accepts(hint: OtherHint, value: object) -> bool:
    """Whether a hint that is no tensor accepts a value."""
    test = _TESTERS.get(id(hint))
    if test is None:
        if len(_TESTERS) > MAX_TESTERS:
            _TESTERS.clear()
        test = _TESTERS[id(hint)] = (others.tester(hint), hint)
    return test[0](value)


# By identity, since live hints need not be hashable; holding the hint keeps its identity taken.
_TESTERS: dict[int, tuple[Any, OtherHint]] = {}


def rank_mismatch(spec: ShapeSpec, rank: int) -> str:
    """Empty when a tensor of this rank can fit, else the number of axes demanded: "3" or "2 or more"."""
    if spec.variadic < 0:
        return "" if rank == len(spec.axes) else str(len(spec.axes))
    return "" if rank >= len(spec.axes) - 1 else f"{len(spec.axes) - 1} or more"


def names_of(hint: Hint) -> list[str]:
    """The names that a hint binds; variadic ones with their star."""
    return list(
        dict.fromkeys(
            ("*" if axis.variadic else "") + axis.name
            for array in arrays(hint)
            for axis in array.spec.shape.axes
            if axis.kind == "name"
        )
    )


def expression_names(hint: Hint) -> list[str]:
    """The names that the expressions of a hint need."""
    return [name for array in arrays(hint) for name in array.spec.shape.used]


def container_class(hint: SequenceHint | DictHint) -> type:
    """The live class of a container hint."""
    import typing

    origin: type = typing.get_origin(hint.value)  # type: ignore[assignment]
    return origin


def type_name(value: object) -> str:
    """The type of a value as its user writes it."""
    return "None" if value is None else type_text(type(value))


def type_text(cls: Any) -> str:
    """A class by its short name."""
    return getattr(cls, "__name__", str(cls))
