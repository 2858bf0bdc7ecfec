"""Generators handed on with a check of every value they yield."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shapecheck.annotations.hints import OtherHint
from shapecheck.runtime.errors import ShapeError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Generator

    from shapecheck.annotations.hints import Hint
    from shapecheck.runtime.checker import Checker

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


class _Watch:
    """The checks of one running generator. Names that only the yielded values bind are bound afresh by each."""

    def __init__(self, checker: Checker, values: tuple[Any, ...], sizes: dict[str, Any] | None) -> None:
        self.checker = checker
        self.values = values
        self.env = checker.env_of(values, plain_sizes(sizes)) if sizes is not None else None
        self.yields, self.returns = yields_and_returns(checker.known_signature().returns)

    def check(self, what: str, value: object) -> None:
        hint = self.yields if what == "yield" else self.returns
        if hint is None or self.env is None:
            return
        error = self.checker.check_value(self.values, self.env, what, hint, value)
        if error is not None:
            raise error.with_traceback(None)


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
    watch = _Watch(checker, values, sizes)
    step: Any
    argument: Any
    try:
        value = next(generator)
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
            value = step(argument)
        except StopIteration as stop:
            watch.check("return", stop.value)
            return stop.value


async def drive_async(
    generator: AsyncGenerator[Any, Any], checker: Checker, values: tuple[Any, ...], sizes: dict[str, Any] | None
) -> AsyncGenerator[Any, Any]:
    """The same for asynchronous generators, which return nothing."""
    watch = _Watch(checker, values, sizes)
    step: Any = generator.asend
    argument: Any = None
    while True:
        try:
            value = await step(argument)
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
