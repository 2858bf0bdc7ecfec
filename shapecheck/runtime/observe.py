"""Axis coverage: which annotated functions calls have reached, and which axes they never told apart.

If T and D had the same size in every call, code that exchanges them passes every test. Observation is switched on
before the functions are decorated (the pytest plugin does so before it imports the packages); otherwise it costs
nothing.
"""

from __future__ import annotations

from itertools import combinations, count
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


class Watch:
    """What the checker of one function notes of its calls. The usual call counts, and finds its sizes among `sizes`.

    names: the names that have sizes, in the order in which the checker notes these.
    counted: called once for each call; threads do not get into its way.
    sizes: the combinations that have been seen, as far as they are remembered; None for a name that has no size.
    """

    __slots__ = ("_apart", "_read", "_sized", "counted", "names", "sizes")

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        self.counted: Callable[[], int] = count().__next__
        self.sizes: set[tuple[Any, ...]] = set()
        self._read = 0
        self._sized: set[str] = set()
        self._apart: set[tuple[str, str]] = set()

    def note(self, sizes: tuple[Any, ...]) -> None:
        """Look at a combination of sizes that is not among those remembered."""
        if len(self.sizes) >= _REMEMBERED:
            self.sizes.clear()
        if all(size is None or isinstance(size, int) for size in sizes):
            self.sizes.add(sizes)
        self.note_named(dict(zip(self.names, sizes, strict=True)))

    def note_named(self, sizes: dict[str, Any]) -> None:
        """Look at sizes by name."""
        known = {name: size for name, size in sizes.items() if isinstance(size, int)}
        self._sized.update(known)
        pairs = combinations(sorted(known), 2)
        self._apart.update(pair for pair in pairs if known[pair[0]] != known[pair[1]])

    def accept(self, sizes: dict[str, Any]) -> None:
        """Count a call that the matcher has let pass."""
        self.counted()
        self.note_named(sizes)

    def take(self) -> Coverage:
        """What has been seen since this was last asked."""
        calls = self.counted() - self._read  # asking counts as well
        self._read += calls + 1
        return Coverage(calls, frozenset(self._sized), frozenset(self._apart))


_REMEMBERED = 1000
"""Sizes that change at every call are looked at afresh at times, so that they do not pile up."""


class Observer:
    """Watches decorated functions. `state` and `merge` carry what was seen from one process to another."""

    def __init__(self) -> None:
        self.functions: set[Function] = set()
        self._seen: dict[Function, Coverage] = {}
        self._watches: dict[tuple[Function, tuple[str, ...]], Watch] = {}

    def add(self, deferred: Deferred) -> None:
        """Note a function that has been decorated."""
        self.functions.add(identity(deferred.function))

    def watch(self, function: Any, names: tuple[str, ...]) -> Watch:
        """What is to be told of the calls of a function; those made from one definition share it."""
        key = identity(function)
        self.functions.add(key)
        return self._watches.setdefault((key, names), Watch(names))

    @property
    def seen(self) -> dict[Function, Coverage]:
        """What has been seen of each function that was called."""
        for (function, _), watch in list(self._watches.items()):
            coverage = watch.take()
            if coverage.calls:
                self.include(function, coverage)
        return self._seen

    def include(self, function: Function, coverage: Coverage) -> None:
        """Add what was seen of a function."""
        old = self._seen.get(function)
        if old is not None:
            coverage = Coverage(old.calls + coverage.calls, old.names | coverage.names, old.apart | coverage.apart)
        self._seen[function] = coverage

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
        all_seen = self.seen
        return [
            [*function, *([seen.calls, sorted(seen.names), sorted(map(list, seen.apart))] if seen else [])]
            for function in sorted(self.functions)
            for seen in [all_seen.get(function)]
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
