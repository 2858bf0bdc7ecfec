"""Which axes of a result are axes of the operands: the same elements in the same order, or new ones."""

from __future__ import annotations

import pytest

from shapecheck import ops
from shapecheck.dims import Dim, Symbol
from shapecheck.shapes import Axis, Constant, Context, Origin, Sequence, Shape, Tensor, use

ops.load()

B, T, S, D, E = (Symbol(name) for name in "BTSDE")
X = Tensor(Shape.of(B, T, D), "float")
Y = Tensor(Shape.of(B, S, D), "float")
W = Tensor(Shape.of(D, E), "float")


@pytest.fixture(autouse=True)
def own_scope():
    previous = use(Context())
    yield
    use(previous)


def run(name, *args, **kwargs):
    operation = ops.find_operation(name)
    result = operation([Dim.of(arg) if isinstance(arg, int) else arg for arg in args], kwargs)
    assert isinstance(result, (Tensor, Sequence)), result
    return result


def test_a_product_keeps_the_rows_and_the_columns():
    shape = run("operator.matmul", X, W).shape
    assert [shape[0], shape[1], shape[2]] == [X.shape[0], X.shape[1], W.shape[1]]
    assert all(one is other for one, other in zip(shape, (*X.shape.axes[:2], W.shape[1]), strict=True))


def test_einsum_keeps_the_axes_of_its_letters():
    shape = run("torch.einsum", Constant("btd,bsd->tsb"), X, Y).shape
    assert shape[0] is X.shape[1]
    assert shape[1] is Y.shape[1]
    assert shape[2] is X.shape[0]


def test_a_reduction_keeps_the_other_axes():
    shape = run("torch.sum", X, 1).shape
    assert shape[0] is X.shape[0]
    assert shape[1] is X.shape[2]


def test_a_kept_axis_knows_that_it_was_kept():
    axis = run("torch.mean", X, 1, keepdim=Constant(True)).shape[1]
    assert isinstance(axis, Axis)
    assert axis.origin is Origin.KEPT
    assert axis.is_one


@pytest.mark.parametrize("name", ["torch.softmax", "torch.cumsum"])
def test_a_scan_keeps_every_axis(name):
    assert run(name, X, 1).shape.axes == X.shape.axes


@pytest.mark.parametrize(("name", "args"), [("torch.sort", (1,)), ("torch.argsort", (1,)), ("torch.diff", (1, 1))])
def test_an_axis_with_other_elements_is_not_followed(name, args):
    result = run(name, X, *args)
    tensor = result.items[0] if isinstance(result, Sequence) else result
    axis = tensor.shape[1]
    assert isinstance(axis, Axis)
    assert X.shape[1].factors[0].ident not in [factor.ident for factor in axis.factors]
    assert tensor.shape[0] is X.shape[0]


def test_a_counted_axis_is_the_one_of_its_size():
    axis = run("torch.arange", Dim.of(T)).shape[0]
    assert isinstance(axis, Axis)
    assert axis == X.shape[1]


def test_kron_puts_the_second_operand_inside():
    axis = run("torch.kron", Tensor(Shape.of(B)), Tensor(Shape.of(T))).shape[0]
    assert isinstance(axis, Axis)
    assert [factor.ident for factor in axis.factors] == [B, T]


def test_a_transposed_matrix_has_its_axes_in_the_other_order():
    shape = ops.ATTRIBUTES["mT"](X).shape
    assert list(shape) == [X.shape[0], X.shape[2], X.shape[1]]
