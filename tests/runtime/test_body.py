"""`isinstance` inside a checked body, which sees the sizes of the call as under `jaxtyped`."""

import asyncio
import typing

import pytest
import torch
from beartype import beartype
from beartype.roar import BeartypeCallHintParamViolation
from jaxtyping import Float, jaxtyped
from jaxtyping._storage import _has_shape_memo
from torch import Tensor

from shapecheck import ShapeError, shapechecked

Row = Float[Tensor, "D"]


def pick(x: Float[Tensor, "B D"], y, *more: Float[Tensor, "*batch D"]) -> Float[Tensor, "k"]:
    if isinstance(y, Float[Tensor, "B k"]):
        return y[0]
    if isinstance(y, Row | None):
        return x[0]
    assert isinstance(y, Float[Tensor, "*batch D k"])
    return y.reshape(-1)[: y.shape[-1]]


@pytest.mark.parametrize("decorate", [shapechecked, jaxtyped(typechecker=beartype)])
def test_the_body_sees_the_sizes_of_the_call(decorate):
    checked = decorate(pick)
    x, batch = torch.zeros(2, 3), torch.zeros(4, 5, 3)
    assert checked(x, torch.zeros(2, 7)).shape == (7,)
    assert checked(x, torch.zeros(3)).shape == (3,)
    assert checked(x, torch.zeros(4, 5, 3, 6), batch).shape == (6,)
    with pytest.raises(AssertionError):
        checked(x, torch.zeros(4, 4, 3, 6), batch)
    with pytest.raises(AssertionError):
        checked(x, torch.zeros(4))


@pytest.mark.parametrize("decorate", [shapechecked, jaxtyped(typechecker=beartype)])
def test_what_the_body_binds_counts_for_the_result(decorate):
    @decorate
    def f(x: Float[Tensor, "n"], y) -> Float[Tensor, "m"]:
        assert isinstance(y, Float[Tensor, "m n"])
        return x

    assert f(torch.zeros(3), torch.zeros(3, 3)).shape == (3,)
    with pytest.raises(TypeError):
        f(torch.zeros(3), torch.zeros(4, 3))


def test_calls_inside_of_calls_have_sizes_of_their_own():
    @shapechecked
    def inner(x: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
        assert isinstance(x, Float[Tensor, "n"])
        return x

    @shapechecked
    def outer(x: Float[Tensor, "n m"]) -> Float[Tensor, "n m"]:
        inner(x[0])
        assert isinstance(x, Float[Tensor, "n m"])
        return x

    assert outer(torch.zeros(2, 3)).shape == (2, 3)


def test_an_exception_leaves_no_sizes_behind():
    @shapechecked
    def f(x: Float[Tensor, "n"]) -> None:
        if isinstance(x, Float[Tensor, "n"]):
            raise KeyError

    for _ in range(2):
        with pytest.raises(KeyError):
            f(torch.zeros(2))
        with pytest.raises(ShapeError):
            f(torch.zeros(2, 2))
        assert not _has_shape_memo()


def test_functions_that_beartype_alone_checks_see_their_callers_sizes():
    @beartype
    def transposed(x: Float[Tensor, "m n"]):
        return x

    @beartype
    def twice(x: "Float[Tensor, 'n m']", scale: float):
        return x

    @beartype
    def scaled(scale: float):
        return scale

    def f(x: Float[Tensor, "n m"], helper):
        return twice(x, scaled(2.0)) if helper == "twice" else transposed(x)

    for decorate in (shapechecked, jaxtyped(typechecker=beartype)):
        checked = decorate(f)
        assert checked(torch.zeros(2, 2), "").shape == (2, 2)
        assert checked(torch.zeros(2, 3), "twice").shape == (2, 3)
        with pytest.raises(BeartypeCallHintParamViolation):
            checked(torch.zeros(2, 3), "")

    @shapechecked
    def g(x: Float[Tensor, "n m"]):
        return scaled(2.0)

    assert g(torch.zeros(2, 3)) == 2.0
    assert "_enter" not in g.__globals__


def test_unchecked_helpers_test_in_the_sizes_of_their_caller():
    def is_row(y):
        return isinstance(y, Float[Tensor, "m"])

    def first(y):
        return is_row(y)

    def f(x: Float[Tensor, "n m"], y):
        return first(y)

    for decorate in (shapechecked, jaxtyped(typechecker=beartype)):
        checked = decorate(f)
        assert checked(torch.zeros(2, 3), torch.zeros(3))
        assert not checked(torch.zeros(2, 3), torch.zeros(2))


class Rows:
    Row = Float[Tensor, "m"]

    def is_row(self, y):
        return isinstance(y, self.Row)

    @shapechecked
    def of(self, x: Float[Tensor, "n m"], y):
        return self.is_row(y), isinstance(y, (Rows.Row, int))


def test_annotations_that_a_class_keeps():
    assert Rows().of(torch.zeros(2, 3), torch.zeros(3)) == (True, True)
    assert Rows().of(torch.zeros(2, 3), torch.zeros(2)) == (False, False)


def test_generators_and_coroutines_see_their_sizes_whenever_they_run():
    @shapechecked
    def rows(x: Float[Tensor, "n m"], ys) -> typing.Iterator[Float[Tensor, "k"]]:
        for y in ys:
            assert isinstance(y, Float[Tensor, "m k"])
            yield y[0]

    @shapechecked
    async def wait(x: Float[Tensor, "n"], y) -> Float[Tensor, "k"]:
        await asyncio.sleep(0)
        assert isinstance(y, Float[Tensor, "n k"])
        await asyncio.sleep(0)
        return y[:, 0] if len(y) > 3 else y[0]

    first, second = rows(torch.zeros(2, 3), [torch.zeros(3, 4)] * 2), rows(torch.zeros(2, 5), [torch.zeros(5, 6)] * 2)
    assert [len(next(part)) for part in (first, second, first, second)] == [4, 6, 4, 6]
    with pytest.raises(AssertionError):
        list(rows(torch.zeros(2, 3), [torch.zeros(4, 3)]))
    with pytest.raises(AssertionError):
        list(rows(torch.zeros(2, 3), [torch.zeros(3, 4), torch.zeros(3, 5)]))  # k is bound by the first

    async def run():
        many = await asyncio.gather(*(wait(torch.zeros(n), torch.zeros(n, 7)) for n in (1, 2, 3)))
        assert [len(part) for part in many] == [7, 7, 7]
        with pytest.raises(AssertionError):
            await wait(torch.zeros(2), torch.zeros(3, 7))
        with pytest.raises(ShapeError, match="the returned value"):
            await wait(torch.zeros(4), torch.zeros(4, 7))
        task = asyncio.create_task(wait(torch.zeros(1), torch.zeros(1, 1)))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(run())
    assert not _has_shape_memo()


def test_others_do_not_pay_for_it():
    @shapechecked
    def f(x: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
        return x if isinstance(x, Tensor) else None

    f(torch.zeros(2))
    assert "_enter" not in f.__globals__
