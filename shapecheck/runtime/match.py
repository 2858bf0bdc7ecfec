"""The generic matcher: which sizes make a set of values fit a set of hints.

It backtracks over unions and says precisely what failed. The generated checkers (`codegen.py`) decide ordinary calls
without it; it has the last word on every call that they do not accept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

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
)
from shapecheck.runtime import others
from shapecheck.runtime.goals import Bound, Env, Failure, Goal, Where
from shapecheck.runtime.hint_names import container_class, names_of
from shapecheck.runtime.match_arrays import ArrayMatcher, type_name
from shapecheck.runtime.records import ABSENT, RecordHint

if TYPE_CHECKING:
    from shapecheck.annotations.hints import Hint

# Unions nested in long lists could be tried in exponentially many ways; beyond this the call is refused.
MAX_STEPS = 100_000
# Functions decorated inside of functions are new each time, and so are their hints.
MAX_TESTERS = 10_000

_CLOSENESS = {
    "type": 0,
    "length": 1,
    "missing": 1,
    "dtype": 1,
    "rank": 2,
    "unbound": 3,
    "broken": 3,
    "size": 3,
    "variadic": 3,
}

Agenda: TypeAlias = "tuple[Goal, Agenda] | None"


class Matcher(ArrayMatcher):
    """Matches values against hints within one call.

    shared: names bound outside of containers of any length; all others are bound afresh for each element or object.
    """

    def __init__(self, arguments: dict[str, Any], shared: frozenset[str]) -> None:
        super().__init__(arguments)
        self.shared = shared
        self.failure: Failure | None = None

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
