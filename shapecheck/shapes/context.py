"""The scope that operations decide in, and what they noticed besides their result.

One analysis runs at a time in a process; operations reach its context here instead of passing it through every call,
so that a rule for an operation reads like the operation itself.
"""

from __future__ import annotations

from shapecheck.dims import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.dims import Dim, Verdict
    from shapecheck.shapes.fault import Mismatch
    from shapecheck.shapes.values import Tensor


class Context:
    """The facts in force and the suspicions collected."""

    __slots__ = ("given", "hidden", "masks", "mixing", "notes", "place", "scope", "suspicions")

    def __init__(self, scope: Scope | None = None) -> None:
        self.scope = Scope() if scope is None else scope
        self.suspicions: list[Mismatch] = []
        self.place: object = None
        """What is being evaluated; remembered with each solution."""
        self.mixing = False
        """Whether any axis is mixed: its places depend on each other."""
        self.given: dict[int, Tensor] = {}
        """The tensors that the function under analysis gets, by identity."""
        self.masks: list[object] = []
        """The masks of scores, of which what follows tells what they are good for."""
        self.notes: dict[object, object] = {}
        """What rules remember of the function under analysis, each by its own keys."""
        self.hidden = False
        """Whether an axis could not be told because it is counted across axes of unknown number."""


_current = Context()


def current() -> Context:
    """The context of the analysis that is running."""
    return _current


def use(context: Context) -> Context:
    """Make a context the current one; returns the previous one, to be put back."""
    global _current  # noqa: PLW0603 - the one piece of state of an analysis
    previous = _current
    _current = context
    return previous


def scope() -> Scope:
    """The facts in force."""
    return _current.scope


def require(left: Dim, right: Dim, *, narrow: bool = True, to_one: bool = False) -> Verdict:
    """Whether two sizes are equal where the operation needs it, solving an unknown if that makes them so."""
    return _current.scope.require(left, right, _current.place, narrow=narrow, to_one=to_one)


def hide() -> None:
    """Note that an axis is counted across axes of unknown number, so that nobody can say which it is."""
    _current.hidden = True


def suspect(mismatch: Mismatch) -> None:
    """Note a silent fault; the operation's result stands all the same."""
    _current.suspicions.append(mismatch)
