"""`isinstance` inside a checked body, which sees the sizes of the call as under `jaxtyped`."""

import pytest
import torch
from beartype import beartype
from beartype.roar import BeartypeCallHintParamViolation
from jaxtyping import Float, jaxtyped
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
    from jaxtyping._storage import _has_shape_memo

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


def test_others_do_not_pay_for_it():
    @shapechecked
    def f(x: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
        return x if isinstance(x, Tensor) else None

    f(torch.zeros(2))
    assert "_enter" not in f.__globals__
