"""What can be decorated, and what stays as it was."""

import abc
import copy
import dataclasses
import functools
import inspect
import pickle
import typing
import warnings

import cloudpickle
import numpy as np
import pytest
import torch
from beartype import beartype
from beartype.roar import BeartypeException
from jaxtyping import Float, Int, jaxtyped
from torch import Tensor, nn

import shapecheck
from shapecheck import AnnotationUseError, ShapecheckWarning, ShapeError, shapechecked, unchecked


@shapechecked
def project(x: Float[Tensor, "B T D"], w: Float[Tensor, "D E"], *, scale: float = 1.0) -> Float[Tensor, "B T E"]:
    """Multiply."""
    return x @ w * scale


@shapechecked
class Head(nn.Module):
    def __init__(self, d: int, e: int):
        super().__init__()
        self.proj = nn.Linear(d, e)

    def forward(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T E"]:
        return self.proj(x)

    @staticmethod
    def double(x: Float[Tensor, "B"]) -> Float[Tensor, "B"]:
        return x * 2

    @classmethod
    def zeros(cls, like: Float[Tensor, "B T"]) -> Float[Tensor, "T B"]:
        return torch.zeros_like(like)

    @property
    def weight(self) -> Float[Tensor, "E D E"]:
        return self.proj.weight

    @functools.cached_property
    def bias(self) -> Float[Tensor, "E 1"]:
        return self.proj.bias

    @unchecked
    def anything(self, x: Float[Tensor, "B T D"]) -> int:
        return 0

    def scaled(self, x: Float[Tensor, "B T D"], scale: float) -> Float[Tensor, "B T D"]:
        return x * scale

    doubled = functools.partialmethod(scaled, scale=2.0)

    def plain(self, x):
        return x

    class Inner:
        def method(self, x: Float[Tensor, "n"]) -> None:
            return None


x, w = torch.zeros(2, 3, 4), torch.zeros(4, 5)


def test_a_function_looks_like_itself():
    assert project(x, w).shape == (2, 3, 5)
    assert project(w=w, x=x, scale=2.0).shape == (2, 3, 5)
    assert project.__name__ == "project"
    assert project.__doc__ == "Multiply."
    assert str(inspect.signature(project)) == str(inspect.signature(project.__wrapped__))
    assert "def project" in inspect.getsource(project)
    assert typing.get_type_hints(project)["scale"] is float
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'w'"):
        project(x)
    with pytest.raises(TypeError, match="takes 2 positional arguments but 3"):
        project(x, w, 2.0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'v'"):
        project(x, w, v=1)


def test_arity_mistakes_are_pythons_own_at_the_first_call_too():
    @shapechecked
    def f(a: Float[Tensor, "n"], b=1):
        return a

    with pytest.raises(TypeError, match=r"f\(\) missing 1 required positional argument: 'a'") as caught:
        f()
    assert not isinstance(caught.value, ShapeError)
    assert f(torch.zeros(2)).shape == (2,)


def test_methods_of_every_kind():
    head = Head(4, 5)
    assert head(x).shape == (2, 3, 5)
    for call in (
        lambda: head(w),
        lambda: Head.double(w),
        lambda: Head.zeros(w),
        lambda: head.weight,
        lambda: head.bias,
        lambda: head.doubled(w),
        lambda: Head.Inner().method(w),
        lambda: Head("4", 5),
    ):
        with pytest.raises(ShapeError):
            call()
    assert head.doubled(x).shape == x.shape
    assert head.anything(3) == 0
    assert head.plain(3) == 3
    assert not hasattr(Head.plain, "__shapecheck__")
    assert isinstance(inspect.getattr_static(Head, "double"), staticmethod)
    assert isinstance(inspect.getattr_static(Head, "zeros"), classmethod)
    assert isinstance(inspect.getattr_static(Head, "weight"), property)


def test_properties_of_every_kind():
    class Logged(property):
        reads = 0

        def __get__(self, instance, owner=None):
            Logged.reads += 1
            return super().__get__(instance, owner)

    @shapechecked
    class Square:
        def __init__(self, rows: int):
            self.rows = rows

        @Logged
        def logged(self) -> Float[Tensor, "n n"]:
            return torch.zeros(2, self.rows)

        @property
        @abc.abstractmethod
        def abstract(self) -> Float[Tensor, "n n"]:
            return torch.zeros(2, self.rows)

        @property
        def plain(self) -> Float[Tensor, "n n"]:
            return torch.zeros(2, self.rows)

        @plain.setter
        def plain(self, value: Float[Tensor, "n n"]):
            self.rows = len(value)

    assert (Square(2).logged.shape, Logged.reads) == ((2, 2), 1)
    assert Square.__dict__["abstract"].__isabstractmethod__
    square = Square(3)
    for call in (
        lambda: square.logged,
        lambda: square.abstract,
        lambda: square.plain,
        lambda: setattr(square, "plain", torch.zeros(2, 3)),
    ):
        with pytest.raises(ShapeError):
            call()
    square.plain = torch.zeros(2, 2)
    assert square.plain.shape == (2, 2)


def test_decorating_twice_changes_nothing():
    assert shapechecked(project) is project
    before = Head.forward
    assert shapechecked(Head) is Head
    assert Head.forward is before


class Holder:
    def __init__(self, function):
        self.function = function

    def call(self, x: Float[Tensor, "n n"]) -> Float[Tensor, "n"]:
        return self.function(x)


def test_above_and_below_other_decorators():
    def f(x: Float[Tensor, "n n"]) -> Float[Tensor, "n"]:
        return x[0]

    square, oblong = torch.zeros(2, 2), torch.zeros(2, 3)
    for decorated in (
        shapechecked(jaxtyped(typechecker=beartype)(f)),
        jaxtyped(typechecker=beartype)(shapechecked(f)),
        shapechecked(beartype(f)),
        beartype(shapechecked(f)),
        shapechecked(torch.no_grad()(f)),
        torch.no_grad()(shapechecked(f)),
        shapechecked(functools.lru_cache(f)),
        functools.partial(shapechecked(f)),
        shapechecked(functools.partial(f)),
        shapechecked(Holder(f).call),
        staticmethod(shapechecked(f)),
        shapechecked(staticmethod(f)),
    ):
        assert decorated(square).shape == (2,)
        # beartype's own error when it is outermost
        with pytest.raises((TypeError, BeartypeException), match="n"):
            decorated(oblong)


def test_decorators_that_change_the_parameters_belong_above():
    def with_weights(function):
        @functools.wraps(function)
        def inner(x):
            return function(x, torch.zeros(2))

        return inner

    def f(x: Float[Tensor, "n"], w: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
        return x + w

    with pytest.raises(
        TypeError, match=r"f is not checked: a decorator changes its parameters; put @shapechecked below"
    ):
        shapechecked(with_weights(f))
    with pytest.raises(ShapeError):
        with_weights(shapechecked(f))(torch.zeros(3))

    def logged(function):
        @functools.wraps(function)
        def inner(self, a):
            return function(self, a)

        return inner

    class C:
        @with_weights
        def wrong(self, w: Float[Tensor, "n"]):
            return w

        @logged
        def right(self, x: Float[Tensor, "n n"]):
            return x

    with pytest.warns(ShapecheckWarning, match=r"C\.wrong is not checked: a decorator changes") as caught:
        shapechecked(C)
    assert caught[0].filename == __file__
    assert C().wrong().shape == (2,)
    assert C().right(x=torch.zeros(2, 2)).shape == (2, 2)
    with pytest.raises(ShapeError):
        C().right(torch.zeros(2, 3))


def test_what_cannot_be_called_is_refused():
    with pytest.raises(TypeError, match="not on int"):
        shapechecked(3)


def test_switched_off(monkeypatch):
    def f(x: Float[Tensor, "n"]):
        return x

    monkeypatch.setenv("SHAPECHECK", "off")
    assert shapechecked(f) is f
    assert shapechecked(dims={"n": "n"})(f) is f


def test_no_type_check_is_respected_above_and_below():
    @typing.no_type_check
    @shapechecked
    def g(x: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
        return x

    assert g(3) == 3

    @shapechecked
    @typing.no_type_check
    def f(x: Float[Tensor, "n"]):
        return x

    assert f(3) == 3


def test_dataclasses():
    @shapechecked
    @dataclasses.dataclass
    class Batch:
        tokens: Int[Tensor, "B T"]
        mask: Float[Tensor, "B T"] | None = None

    assert Batch(torch.zeros(2, 3, dtype=torch.int64)).mask is None
    with pytest.raises(ShapeError, match="mask"):
        Batch(torch.zeros(2, 3, dtype=torch.int64), torch.zeros(3, 2))


def test_autograd_functions():
    @shapechecked
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x: Float[Tensor, "n d"], s: Float[Tensor, "d"]) -> Float[Tensor, "n d"]:
            ctx.save_for_backward(x, s)
            return x * s

        @staticmethod
        def backward(ctx, g: Float[Tensor, "n d"]) -> tuple[Float[Tensor, "n d"], Float[Tensor, "d"]]:
            x, s = ctx.saved_tensors
            return g * s, (g * x).sum(0)

    a, s = torch.ones(2, 3, requires_grad=True), torch.ones(3, requires_grad=True)
    Scale.apply(a, s).sum().backward()
    assert s.grad.shape == (3,)
    with pytest.raises(ShapeError):
        Scale.apply(a, torch.ones(2))


def test_an_expression_before_its_names_is_an_error():
    @shapechecked
    def f(x: Float[Tensor, "n-1"], y: Float[Tensor, "n"]):
        return x

    with pytest.raises(AnnotationUseError, match="nothing has given n a size"):
        f(torch.zeros(2), torch.zeros(3))


def test_numpy_arrays():
    @shapechecked
    def f(x: Float[np.ndarray, "a b"], y: Int[np.ndarray, "b"]) -> Float[np.ndarray, "a"]:
        return x @ y

    assert f(np.zeros((2, 3)), np.zeros(3, dtype=int)).shape == (2,)
    with pytest.raises(ShapeError, match="dtype float64, expected Int"):
        f(np.zeros((2, 3)), np.zeros(3))
    with pytest.raises(ShapeError):
        f(np.zeros((2, 3)), np.zeros(2, dtype=int))


def test_pickles_and_copies():
    head = Head(4, 5)
    head(x)
    for again in (pickle.loads(pickle.dumps(head)), copy.deepcopy(head)):  # noqa: S301
        assert again(x).shape == (2, 3, 5)
    assert pickle.loads(pickle.dumps(project)) is project  # noqa: S301
    assert copy.deepcopy(project) is project

    def make():
        @shapechecked
        def local(x: Float[Tensor, "n n"]) -> Float[Tensor, "n"]:
            return x[0]

        return local

    fresh, used = make(), make()
    used(torch.zeros(2, 2))
    for function in (fresh, used):
        again = cloudpickle.loads(cloudpickle.dumps(function))
        assert again(torch.zeros(2, 2)).shape == (2,)
        with pytest.raises(ShapeError):
            again(torch.zeros(2, 3))
    error = None
    try:
        project(w, w)
    except ShapeError as caught:
        error = pickle.loads(pickle.dumps(caught))  # noqa: S301
    assert (error.argument, error.expected, str(error).partition("\n")[0]) == (
        "x",
        "3",
        'project(): x has 2 axes, expected 3 ("B T D")',
    )


def test_importing_is_free_of_frameworks():
    import subprocess
    import sys

    code = (
        "import sys, shapecheck; shapecheck.shapechecked; shapecheck.install_import_hook\n"
        "@shapecheck.shapechecked\n"
        "def f(x: int) -> int: return x\n"
        "print([m for m in ('torch', 'numpy', 'jaxtyping', 'beartype', 'inspect') if m in sys.modules])\n"
        "f(1)\n"
        "print([m for m in ('torch', 'numpy', 'jaxtyping', 'beartype') if m in sys.modules])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["[]", "[]"]


def test_nothing_is_warned_about_in_ordinary_use():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shapecheck.reveal_shape(project(x, w))
