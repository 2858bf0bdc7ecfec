"""Generators, coroutines and what contextlib makes of them."""

import asyncio
import contextlib
import inspect
import typing

import pytest
import torch
from jaxtyping import Float
from torch import Tensor

from shapecheck import ShapeError, shapechecked


def test_generators_check_what_they_yield_and_return():
    @shapechecked
    def batches(
        x: Float[Tensor, "B D"], shapes: list
    ) -> typing.Generator[Float[Tensor, "n D"], Float[Tensor, "D"], Float[Tensor, "B"]]:
        for shape in shapes:
            received = yield torch.zeros(shape)
            if received is not None:
                yield received[None]
        return torch.zeros(3)

    assert inspect.isgeneratorfunction(batches)
    source = torch.zeros(3, 4)
    assert [part.shape[0] for part in batches(source, [(1, 4), (2, 4)])] == [1, 2]  # n differs from yield to yield
    with pytest.raises(ShapeError, match="the yielded value") as caught:
        list(batches(source, [(1, 4), (2, 5)]))
    assert (caught.value.argument, caught.value.axis, caught.value.expected, caught.value.actual) == ("yield", 1, 4, 5)
    with pytest.raises(ShapeError, match="the returned value"):
        list(batches(torch.zeros(2, 4), []))
    with pytest.raises(ShapeError, match="x has 1 axis"):
        list(batches(torch.zeros(2), []))
    generator = batches(source, [(1, 4), (1, 4)])
    next(generator)
    assert generator.send(torch.zeros(4)).shape == (1, 4)
    generator.close()
    generator = batches(source, [(1, 4)])
    next(generator)
    with pytest.raises(KeyError):
        generator.throw(KeyError())


def test_context_managers():
    @contextlib.contextmanager
    @shapechecked
    def scope(x: Float[Tensor, "n"]) -> typing.Iterator[Float[Tensor, "n"]]:
        yield x

    with scope(torch.zeros(2)) as value:
        assert value.shape == (2,)


def test_coroutines_and_asynchronous_generators():
    @shapechecked
    async def double(x: Float[Tensor, "n"]) -> Float[Tensor, "2*n"]:
        await asyncio.sleep(0)
        return torch.cat([x, x]) if len(x) < 3 else x

    @shapechecked
    async def parts(x: Float[Tensor, "n d"]) -> typing.AsyncIterator[Float[Tensor, "d"]]:
        for row in x:
            yield row
        yield x

    assert inspect.iscoroutinefunction(double)
    assert inspect.isasyncgenfunction(parts)

    async def run():
        assert (await double(torch.zeros(2))).shape == (4,)
        with pytest.raises(ShapeError, match="expected 6"):
            await double(torch.zeros(3))
        with pytest.raises(ShapeError):
            await double(torch.zeros(3, 3))
        running = parts(torch.zeros(2, 3))
        assert [(await anext(running)).shape for _ in range(2)] == [(3,), (3,)]
        with pytest.raises(ShapeError, match="the yielded value"):
            await anext(running)

    asyncio.run(run())


def test_a_generator_that_another_decorator_has_made_a_function_of():
    @shapechecked
    class Scope:
        @contextlib.contextmanager
        def open(self, x: Float[Tensor, "n"]) -> typing.Iterator[Float[Tensor, "n"]]:
            yield x

    with Scope().open(torch.zeros(2)) as value:
        assert value.shape == (2,)
    with pytest.raises(ShapeError), Scope().open(torch.zeros(2, 2)):
        pass
