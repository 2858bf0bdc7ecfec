"""Axis coverage: which annotated functions calls have reached, and which axes they never told apart.

If T and D had the same size in every call, code that exchanges them passes every test. Observation is switched on
before the functions are decorated (the pytest plugin does so before it imports the packages); otherwise it costs
nothing.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from shapecheck.runtime.decorator import Deferred


class Function(NamedTuple):
    """One decorated function: its qualified name with the module, and where it is defined."""

    name: str
    path: str
    line: int


class Coverage(NamedTuple):
    """What has been seen of one function: how often it was called, and the pairs of names that ever differed."""

    calls: int
    names: frozenset[str]
    apart: frozenset[tuple[str, str]]


class Observer:
    """Watches decorated functions. `state` and `merge` carry what was seen from one process to another."""

    def __init__(self) -> None:
        self.functions: set[Function] = set()
        self.seen: dict[Function, Coverage] = {}

    def add(self, deferred: Deferred) -> None:
        """Note a function that has been decorated."""
        self.functions.add(identity(deferred.function))

    def watch(self, function: Any) -> Callable[[dict[str, Any]], None]:
        """A function that notes the sizes of one call."""
        key = identity(function)
        self.functions.add(key)

        def note(sizes: dict[str, Any]) -> None:
            known = {name: size for name, size in sizes.items() if isinstance(size, int)}
            pairs = combinations(sorted(known), 2)
            apart = frozenset(pair for pair in pairs if known[pair[0]] != known[pair[1]])
            self.include(key, Coverage(1, frozenset(known), apart))

        return note

    def include(self, function: Function, coverage: Coverage) -> None:
        """Add what was seen of a function."""
        old = self.seen.get(function)
        if old is not None:
            coverage = Coverage(old.calls + coverage.calls, old.names | coverage.names, old.apart | coverage.apart)
        self.seen[function] = coverage

    def never_called(self) -> list[Function]:
        """The decorated functions that no call has reached with fitting arguments."""
        return sorted(self.functions - set(self.seen))

    def never_told_apart(self) -> list[tuple[Function, list[tuple[str, str]]]]:
        """For each called function the pairs of names that every call gave the same size."""
        found = []
        for function, coverage in sorted(self.seen.items()):
            equal = [pair for pair in combinations(sorted(coverage.names), 2) if pair not in coverage.apart]
            if equal:
                found.append((function, equal))
        return found

    def state(self) -> list[Any]:
        """All of it as lists, strings and numbers."""
        return [
            [*function, *([seen.calls, sorted(seen.names), sorted(map(list, seen.apart))] if seen else [])]
            for function in sorted(self.functions)
            for seen in [self.seen.get(function)]
        ]

    def merge(self, state: Iterable[Any]) -> None:
        """Add what another process has seen."""
        for name, path, line, *seen in state:
            function = Function(name, path, line)
            self.functions.add(function)
            if seen:
                calls, names, apart = seen
                self.include(function, Coverage(calls, frozenset(names), frozenset((a, b) for a, b in apart)))


def identity(function: Any) -> Function:
    """The key of a plain function."""
    code = function.__code__
    return Function(f"{function.__module__}.{function.__qualname__}", code.co_filename, code.co_firstlineno)


OBSERVER: Observer | None = None


def switch_on() -> Observer:
    """Observe everything decorated from now on."""
    global OBSERVER  # noqa: PLW0603  # one per process, as there is one set of decorated functions
    if OBSERVER is None:
        OBSERVER = Observer()
    return OBSERVER


def switch_off() -> None:
    """Stop observing what is decorated from now on."""
    global OBSERVER  # noqa: PLW0603  # as above
    OBSERVER = None
