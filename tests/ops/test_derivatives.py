"""Derivatives against torch, and sizes that a tensor holds."""

from __future__ import annotations

import pytest
import torch

from shapecheck import ops
from shapecheck.dims import Dim, Symbol
from shapecheck.shapes import Constant, Context, Rest, Sequence, Shape, Tensor, Unknown, scope, use

ops.load()

B, D, E, N = (Symbol(name) for name in "BDEN")


@pytest.fixture(autouse=True)
def own_scope():
    previous = use(Context())
    yield
    use(previous)


def tensor(*sizes, dtype="float"):
    return Tensor(Shape.of(*sizes), dtype)


def run(name, *args, **kwargs):
    return ops.find_operation(name)(list(args), kwargs)


def sizes(value):
    return tuple(str(axis.size) for axis in value.shape)


def test_a_gradient_has_the_shape_of_its_input():
    weight, bias = torch.ones(3, 5, requires_grad=True), torch.ones(5, requires_grad=True)
    loss = (torch.ones(2, 3) @ weight + bias).sum()
    real = torch.autograd.grad(loss, [weight, bias], retain_graph=True)
    found = run("torch.autograd.grad", tensor(), Sequence([tensor(3, 5), tensor(5)], "list"))
    assert [sizes(item) for item in found.items] == [tuple(map(str, gradient.shape)) for gradient in real]
    (real,) = torch.autograd.grad(outputs=loss, inputs=weight, create_graph=True)
    (found,) = run("torch.autograd.grad", outputs=tensor(), inputs=tensor(D, E), create_graph=Constant(True)).items
    assert sizes(found) == ("D", "E")
    assert len(found.shape) == real.ndim


@pytest.mark.parametrize("inputs", [Unknown("x"), Sequence([tensor(D), Unknown("x")]), Sequence([Rest()])])
def test_inputs_that_are_not_known_give_nothing(inputs):
    assert isinstance(run("torch.autograd.grad", tensor(), inputs), Unknown)


def test_gradients_of_a_batch_of_outputs_are_left_open():
    found = run("torch.autograd.grad", tensor(B), tensor(D), is_grads_batched=Constant(True))
    assert isinstance(found, Unknown)


def test_a_tensor_of_one_integer_is_a_size():
    longest = torch.tensor([2, 3]).max()
    assert torch.zeros((4, longest)).shape == (4, 3)
    assert torch.arange(longest).shape == (3,)
    assert torch.rand(2, 5).topk(longest).values.shape == (2, 3)
    held = tensor(dtype="int")
    made = run("torch.zeros", Sequence([Dim.of(4), held]))
    assert len(made.shape) == 2
    assert made.shape[0].size == Dim.of(4)
    assert len(run("torch.zeros", held, Dim.of(2)).shape) == 2
    values = run("torch.topk", tensor(B, N), held).items[0]
    assert sizes(values)[0] == "B"
    assert not scope().differ(values.shape[1].size, Dim.of(N))


@pytest.mark.parametrize("other", [tensor(dtype="float"), tensor(B, dtype="int")])
def test_no_other_tensor_is_a_size(other):
    assert isinstance(run("torch.zeros", Dim.of(4), other), Unknown)
