"""Functions that run by fits and starts: generators, checked at every value they yield, and coroutines.

Where their body tests tensors with `isinstance`, the sizes of the call are put in place for each of the steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shapecheck.annotations.hints import OtherHint
from shapecheck.runtime.errors import ShapeError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Generator

    from shapecheck.annotations.hints import Hint
    from shapecheck.runtime.checker import Checker
    from shapecheck.runtime.goals import Env

_GENERATORS = {"collections.abc.Generator", "collections.abc.AsyncGenerator"}
_ITERATORS = {
    "collections.abc.Iterator",
    "collections.abc.Iterable",
    "collections.abc.AsyncIterator",
    "collections.abc.AsyncIterable",
}


def yields_and_returns(hint: Hint | None) -> tuple[Hint | None, Hint | None]:
    """What the return annotation of a generator function says about yielded values and about the returned one."""
    if not isinstance(hint, OtherHint) or not hint.args:
        return None, None
    if hint.name in _ITERATORS:
        return hint.args[0], None
    if hint.name in _GENERATORS:
        return hint.args[0], hint.args[2] if len(hint.args) == 3 else None
    return None, None


class Steps:
    """One running generator or coroutine. Names that only the yielded values bind are bound afresh by each."""

    def __init__(self, checker: Checker, values: tuple[Any, ...], sizes: dict[str, Any] | None) -> None:
        self.checker = checker
        self.values = values
        self.sizes = None if sizes is None else plain_sizes(sizes)
        self._env: Env | None = None
        self.yields, self.returns = yields_and_returns(checker.known_signature().returns)
        self.scoped = self.sizes is not None and checker.scoped

    @property
    def env(self) -> Env | None:
        """The sizes with the places that bound them, made when they are asked for; None when nothing is checked."""
        if self._env is None and self.sizes is not None:
            self._env = self.checker.env_of(self.values, self.sizes)
        return self._env

    def step(self, method: Callable[..., Any], *arguments: Any) -> Any:
        """Run the body as far as it goes, in the sizes of the call and with those that it binds itself."""
        if not self.scoped or self.sizes is None:
            return method(*arguments)
        before = self.sizes
        self.checker.enter(self.values, before)
        try:
            return method(*arguments)
        finally:
            self.sizes = self.checker.leave()
            if self.sizes.keys() != before.keys():
                self._env = None

    def check(self, what: str, value: object) -> None:
        """Raise when a yielded value, or what a generator returns, does not fit."""
        hint = self.yields if what == "yield" else self.returns
        if hint is None or self.sizes is None:
            return
        quick = self.checker.yield_test(hint) if what == "yield" else None
        if quick is not None and quick(value, dict(self.sizes)):  # what a value binds is its own
            return
        if self.env is None:
            return
        error = self.checker.check_value(self.values, self.env, what, hint, value)
        if error is not None:
            raise error.with_traceback(None)

    def misfit(self, value: object) -> Exception | None:
        """The error that the result of a coroutine deserves."""
        return None if self.env is None else self.checker.check_result(self.values, self.env, value)

    def awaited(self, awaitable: Any) -> Awaited:
        """The same awaitable, run step by step."""
        return Awaited(self, awaitable)


class Awaited:
    """An awaitable whose steps are run by `Steps` (PEP 492: what `await` asks of the object behind it)."""

    def __init__(self, steps: Steps, awaitable: Any) -> None:
        self.steps = steps
        self.awaitable = awaitable

    def __await__(self) -> Generator[Any, Any, Any]:
        running = self.awaitable.__await__()
        method: Any = running.__next__
        arguments: tuple[Any, ...] = ()
        while True:
            try:
                waiting = self.steps.step(method, *arguments)
            except StopIteration as stop:
                return stop.value
            try:
                sent = yield waiting
            except GeneratorExit:
                if hasattr(running, "close"):
                    running.close()
                raise
            except BaseException as error:  # noqa: BLE001  # a cancelled task, for one: the body decides
                method, arguments = running.throw, (error,)
            else:
                method, arguments = (running.__next__, ()) if sent is None else (running.send, (sent,))


def plain_sizes(sizes: dict[str, Any]) -> dict[str, Any]:
    """Sizes by name, from the matcher's bindings or as the generated code has them."""
    from shapecheck.runtime.goals import Bound

    return {
        name: ((bound.flexible, bound.value) if bound.flexible else bound.value) if isinstance(bound, Bound) else bound
        for name, bound in sizes.items()
    }


def drive(
    generator: Generator[Any, Any, Any], checker: Checker, values: tuple[Any, ...], sizes: dict[str, Any] | None
) -> Generator[Any, Any, Any]:
    """What `yield from generator` does (PEP 380), with checks."""
    watch = Steps(checker, values, sizes)
    step: Any
    argument: Any
    try:
        value = watch.step(next, generator)
    except StopIteration as stop:
        watch.check("return", stop.value)
        return stop.value
    while True:
        try:
            watch.check("yield", value)
        except ShapeError:
            generator.close()
            raise
        try:
            sent = yield value
        except GeneratorExit:
            generator.close()
            raise
        except BaseException as error:  # noqa: BLE001  # thrown in from outside: the generator decides
            step, argument = generator.throw, error
        else:
            step, argument = generator.send, sent
        try:
            value = watch.step(step, argument)
        except StopIteration as stop:
            watch.check("return", stop.value)
            return stop.value


async def drive_async(
    generator: AsyncGenerator[Any, Any], checker: Checker, values: tuple[Any, ...], sizes: dict[str, Any] | None
) -> AsyncGenerator[Any, Any]:
    """The same for asynchronous generators, which return nothing."""
    watch = Steps(checker, values, sizes)
    step: Any = generator.asend
    argument: Any = None
    while True:
        try:
            value = await (watch.awaited(step(argument)) if watch.scoped else step(argument))
        except StopAsyncIteration:
            return
        try:
            watch.check("yield", value)
        except ShapeError:
            await generator.aclose()
            raise
        try:
            argument = yield value
            step = generator.asend
        except GeneratorExit:
            await generator.aclose()
            raise
        except BaseException as error:  # noqa: BLE001  # as above
            step, argument = generator.athrow, error
