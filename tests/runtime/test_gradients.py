"""`torch.autograd.Function`: what `backward` returns has the shapes of what `forward` was given."""

import pytest
import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable

from shapecheck import ShapeError, shapechecked


def ones(*shape):
    return torch.ones(shape, requires_grad=True)


def scaled(decorate, reduce, *, on_class):
    """`x * s` as an autograd function; `reduce` makes the gradient of s."""
    method = (lambda function: function) if on_class else decorate

    class Scale(torch.autograd.Function):
        @staticmethod
        @method
        def forward(ctx, x: Float[Tensor, "n d"], s: Float[Tensor, "d"], power: int = 1) -> Float[Tensor, "n d"]:  # noqa: ARG004
            ctx.save_for_backward(x, s)
            return x * s

        @staticmethod
        @method
        def backward(ctx, g):
            x, s = ctx.saved_tensors
            return g * s, reduce(g * x), None

    return decorate(Scale) if on_class else Scale


@pytest.mark.parametrize("on_class", [True, False])
def test_gradients_have_the_shapes_of_the_inputs(on_class):
    x, s = ones(2, 3), ones(3)
    right = scaled(shapechecked, lambda g: g.sum(0), on_class=on_class)
    right.apply(x, s, 1).sum().backward()
    assert s.grad.shape == (3,)
    # torch sums such a gradient without a word.
    wide = scaled(shapechecked, lambda g: g, on_class=on_class)
    with pytest.raises(ShapeError) as caught:
        wide.apply(x, s, 1).sum().backward()
    error = caught.value
    assert str(error).startswith(
        "Scale.backward(): the gradient of s (element 1 of what it returns) has the shape (2, 3), expected (3,)\n"
        "a gradient has the shape of its input; torch would sum this one without a word\n\n.sum(0) would fit\n\n"
        "declared at "
    )
    assert "test_gradients.py:" in str(error)
    assert (error.argument, error.name, error.expected, error.actual) == ("return[1]", "s", (3,), (2, 3))
    assert error.function.endswith("Scale.backward")
    kept = scaled(shapechecked, lambda g: g.sum(0, keepdim=True), on_class=on_class)
    with pytest.raises(ShapeError, match=r"\(1, 3\), expected \(3,\)\n.*\n\n\.squeeze\(0\) would fit"):
        kept.apply(x, s, 1).sum().backward()
    wrong = scaled(shapechecked, lambda g: g.sum(1), on_class=on_class)
    with pytest.raises(ShapeError, match=r"\(2,\), expected \(3,\)\na gradient has the shape of its input\n\ndeclared"):
        wrong.apply(x, s, 1).sum().backward()
    with pytest.raises(ShapeError, match="axis 0 of s"):
        right.apply(x, ones(2), 1)


def test_one_gradient_and_variadic_inputs():
    @shapechecked
    class Sum(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *parts):
            ctx.count = len(parts)
            return sum(part.sum() for part in parts)

        @staticmethod
        @once_differentiable
        def backward(ctx, g):
            gradients = tuple(g.expand(2, 1) for _ in range(ctx.count))
            return gradients if ctx.count > 1 else gradients[0]

    Sum.apply(ones(2, 1)).backward()
    with pytest.raises(
        ShapeError, match=r"the gradient of parts\[1\] .* \(2, 1\), expected \(1, 1\)\n.*\n\n\.sum\(0, k"
    ):
        Sum.apply(ones(2, 1), ones(1, 1)).backward()
    with pytest.raises(ShapeError, match=r"the gradient of parts\[0\] has the shape"):
        Sum.apply(ones(1, 1)).backward()


def split(reduce):
    @shapechecked
    class Scale(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x: Float[Tensor, "n d"], s: Float[Tensor, "d"]) -> Float[Tensor, "n d"]:
            return x * s

        @staticmethod
        def setup_context(ctx, inputs, output):  # noqa: ARG004
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, g):
            x, s = ctx.saved_tensors
            return g * s, reduce(g * x)

    return Scale


def test_setup_context():
    right, wide = split(lambda g: g.sum(0)), split(lambda g: g)
    x, s = ones(2, 3), ones(3)
    right.apply(x, s).sum().backward()
    with pytest.raises(ShapeError, match="the gradient of s"):
        wide.apply(x, s).sum().backward()
    gradient = torch.func.grad(lambda s: right.apply(x.detach(), s).sum())
    assert gradient(s.detach()).shape == (3,)
    assert torch.func.vmap(gradient)(torch.ones(4, 3)).shape == (4, 3)
    with pytest.raises(ShapeError, match="gradient of"):
        torch.func.grad(lambda s: wide.apply(x.detach(), s).sum())(s.detach())


@pytest.mark.filterwarnings("ignore:.*should not be instantiated:DeprecationWarning")  # torch's own
def test_compiled_as_if_undecorated():
    counts = []
    for decorate in (shapechecked, lambda function: function):
        function = scaled(decorate, lambda g: g.sum(0), on_class=True)
        x, s = ones(2, 3), ones(3)
        counts.append(torch._dynamo.explain(lambda x, s, f=function: f.apply(x, s, 1))(x, s).graph_break_count)
        compiled = torch.compile(lambda x, s, f=function: f.apply(x, s, 1), fullgraph=True, backend="aot_eager")
        compiled(x, s).sum().backward()
        assert s.grad.shape == (3,)
    assert counts == [0, 0]


def test_only_what_is_an_autograd_function():
    @shapechecked
    class Graph:
        @staticmethod
        def forward(ctx, x: Float[Tensor, "n"]):  # noqa: ARG004
            return x

        @staticmethod
        def backward(ctx, g: Float[Tensor, "n"]):  # noqa: ARG004
            return g[:1]

    ctx = object()
    Graph.forward(ctx, torch.zeros(3))
    assert Graph.backward(ctx, torch.zeros(3)).shape == (1,)
