"""What the matcher is asked and what it answers: goals, the sizes it has bound, and the first demand that fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from shapecheck.annotations.hints import Hint


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

    kind: "type", "dtype", "rank", "size", "variadic", "unbound", "broken" (an expression), "length", "missing" (a key).
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


class Goal(NamedTuple):
    """One demand: a value must be one of a hint's. `forget` instead drops names that live for one element only."""

    path: str
    hint: Hint | None
    value: Any = None
    forget: frozenset[str] = frozenset()
