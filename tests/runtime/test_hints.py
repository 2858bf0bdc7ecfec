"""Parameters and hints of every kind."""

import dataclasses
import typing
import warnings

import pytest
import torch
from jaxtyping import Float
from torch import Tensor

from shapecheck import AnnotationUseError, ShapeError, shapechecked

Z = torch.zeros


def refused(*calls):
    for call in calls:
        with pytest.raises(ShapeError):
            call()


def test_arguments_of_every_kind():
    @shapechecked
    def f(
        a: Float[Tensor, "n"], /, b, *rest: Float[Tensor, "n"], c: Float[Tensor, "n"] = None, **more: Float[Tensor, "n"]
    ):
        return len(rest), len(more)

    v, u = torch.zeros(2), torch.zeros(3)
    assert f(v, 1, v, v, c=v, d=v) == (2, 1)
    assert f(v, 1) == (0, 0)
    for call in (
        lambda: f(v, 1, v, u),
        lambda: f(v, 1, c=u),
        lambda: f(v, 1, d=u),
        lambda: f(u, 1, v),
    ):
        with pytest.raises(ShapeError):
            call()
    with pytest.raises(ShapeError, match=r"rest\[1\]"):
        f(v, 1, v, u)
    with pytest.raises(ShapeError, match=r"more\['d'\]"):
        f(v, 1, d=u)


def test_a_default_outside_of_its_hint_passes_when_it_is_left_out():
    @shapechecked
    def f(x: Float[Tensor, "n"], mask: Float[Tensor, "n"] = None) -> Float[Tensor, "n"]:
        return x

    assert f(torch.zeros(2)).shape == (2,)
    with pytest.raises(ShapeError):
        f(torch.zeros(2), torch.zeros(3))


def test_elements_of_containers_have_names_of_their_own():
    @shapechecked
    def f(xs: list[Float[Tensor, "n d"]], q: Float[Tensor, "d"], more: dict[str, Float[Tensor, "m"]]) -> int:
        return len(xs)

    a, b = torch.zeros(2, 4), torch.zeros(3, 4)
    assert f([a, b], torch.zeros(4), {"a": torch.zeros(2), "b": torch.zeros(3)}) == 2
    with pytest.raises(ShapeError, match=r"xs\[1\]"):
        f([a, torch.zeros(3, 5)], torch.zeros(4), {})
    with pytest.raises(ShapeError):
        f([a, torch.zeros(3)], torch.zeros(4), {})
    with pytest.raises(ShapeError, match=r"more\['a'\]"):
        f([a], torch.zeros(4), {"a": torch.zeros(2, 2)})


def test_unions_backtrack_over_the_whole_signature():
    @shapechecked
    def f(x: Float[Tensor, "n _"] | Float[Tensor, "_ n"], y: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
        return y

    assert f(torch.zeros(2, 3), torch.zeros(3)).shape == (3,)
    assert f(torch.zeros(2, 3), torch.zeros(2)).shape == (2,)
    with pytest.raises(ShapeError):
        f(torch.zeros(2, 3), torch.zeros(4))

    @shapechecked
    def g(x: Float[Tensor, "n _"] | Float[Tensor, "_ n"]) -> Float[Tensor, "n"]:
        return torch.zeros(3)

    assert g(torch.zeros(2, 3)).shape == (3,)
    with pytest.raises(ShapeError):
        g(torch.zeros(2, 4))


def test_beartype_judges_everything_else():
    @shapechecked
    def f(
        a: typing.Literal["x", "y"], b: int | str | None, c: list[int], d: typing.Callable, e: typing.Any = None
    ) -> None:
        return None

    f("x", None, [1], print)
    for arguments in (("z", None, [1], print), ("x", 1.0, [1], print), ("x", 1, ["s"], print), ("x", 1, [1], 3)):
        with pytest.raises(ShapeError):
            f(*arguments)


def test_parameters_may_be_called_like_what_checks_use():
    @shapechecked
    def f(
        type: Float[Tensor, "n"],
        len: tuple[Float[Tensor, "n"], int],
        isinstance: Float[Tensor, "min(n,3)"],
        tuple: list[Float[Tensor, "k"]],
        min: Float[Tensor, "*batch m"],
        _call: Float[Tensor, "n"] | Float[Tensor, "n n"],
        _n1: int = 3,
        getattr: str = "",
    ) -> Float[Tensor, "n"]:
        return type

    good = [Z(2), (Z(2), 1), Z(2), [Z(1), Z(5)], Z(3, 4), Z(2, 2)]
    assert f(*good).shape == (2,)
    for index, wrong in enumerate([Z(3), (Z(3), 1), Z(3), [Z(1, 1)], Z(()), Z(2, 3)]):
        refused(lambda index=index, wrong=wrong: f(*good[:index], wrong, *good[index + 1 :]))


def test_containers_nested_deeper_than_python_nests_loops():
    depth = 22
    hint, good = Float[Tensor, "n"], torch.zeros(2)
    for _ in range(depth):
        hint, good = list[hint], [good]

    @shapechecked
    def f(x: hint, y: Float[Tensor, "m"]) -> Float[Tensor, "m"]:
        return y

    assert f(good, Z(3)).shape == (3,)
    refused(lambda: f([good], Z(3)), lambda: f(good, Z(3, 3)))


def test_expressions_that_cannot_be_evaluated_are_named():
    @shapechecked
    def arguments(x: Float[Tensor, "n"], y: Float[Tensor, "{x.foo}"]):
        return x

    @shapechecked
    def result(x: Float[Tensor, "n"]) -> Float[Tensor, "4//n"]:
        return x

    @shapechecked
    def members(x: Float[Tensor, "n"], y: Float[Tensor, "12//n"] | Float[Tensor, "n"]):
        return x

    assert result(Z(2)).shape == (2,)
    assert members(Z(0), Z(0)).shape == (0,)
    for call, said in (
        (
            lambda: arguments(Z(2), Z(2)),
            r"axis 0 of y is declared as \{x.foo\}, which cannot be evaluated .Attribute.*foo",
        ),
        (
            lambda: result(Z(0)),
            r"axis 0 of return is declared as 4//n, which cannot be evaluated .ArithmeticError: 4//0 is no size",
        ),
    ):
        with pytest.raises(AnnotationUseError, match=said):
            call()


def test_an_axis_of_tree_leaves_belongs_into_a_tree():
    @shapechecked
    def f(x: list[Float[Tensor, "?n"]]):
        return x

    with pytest.raises(AnnotationUseError, match=r"annotation of `x`: `\?name` is one size per leaf of a `PyTree`"):
        f([])


class Options(typing.TypedDict, total=False):
    scale: typing.Required[Float[Tensor, "n"]]
    bias: Float[Tensor, "m"]


P, R, Ts = typing.ParamSpec("P"), typing.TypeVar("R"), typing.TypeVarTuple("Ts")


@pytest.mark.parametrize("quoted", [False, True])
def test_variadic_parameters_that_are_unpacked(quoted):
    def f(*args: *tuple[Float[Tensor, "n"], int], **more: typing.Unpack[Options]) -> int:
        return 0

    def g(*args: typing.Unpack[tuple[Float[Tensor, "n"], ...]], last: int = 3) -> int:  # noqa: UP044  # the older spelling
        return len(args)

    def h(call: typing.Callable[P, R], pair: tuple[int, *Ts], *args: P.args, **more: P.kwargs) -> R:
        return call(*args, **more)

    def k(*args: *Ts) -> tuple[*Ts]:
        return args

    if quoted:
        f.__annotations__ |= {"args": '*tuple[Float[Tensor, "n"], int]', "more": "typing.Unpack[Options]"}
        g.__annotations__["args"] = 'typing.Unpack[tuple[Float[Tensor, "n"], ...]]'
        h.__annotations__ |= {"args": "P.args", "more": "P.kwargs", "pair": "tuple[int, *Ts]"}
        k.__annotations__ |= {"args": "*Ts", "return": "tuple[*Ts]"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f, g, h, k = map(shapechecked, (f, g, h, k))
        assert f(Z(2), 1, scale=Z(2)) == 0
        assert g(Z(2), Z(2)) == 2
        assert h(max, (1, 2, 3), 1, 2) == 2
        assert k(1, "s") == (1, "s")
    refused(
        lambda: f(Z(2), scale=Z(2)),
        lambda: f(Z(2), "s", scale=Z(2)),
        lambda: f(Z(2), 1, scale=Z(3)),
        lambda: f(Z(2), 1, bias=Z(3)),
        lambda: f(Z(2), 1, scale=Z(2), bias=Z(3, 3)),
        lambda: g(Z(2), Z(2, 2)),
        lambda: h(3, (1,)),
    )


def test_parameters_of_dataclasses_that_are_no_fields():
    @shapechecked
    @dataclasses.dataclass
    class Batch:
        x: Float[Tensor, "b t"]
        start: dataclasses.InitVar[Float[Tensor, "b"]]

        def __post_init__(self, start):
            self.x = self.x + start[:, None]

    assert Batch(Z(2, 3), Z(2)).x.shape == (2, 3)
    refused(lambda: Batch(Z(2, 3), Z(3)))


def test_results_that_tell_a_type_checker_something():
    @shapechecked
    def is_tensor(x: object) -> typing.TypeGuard[Tensor]:
        return isinstance(x, Tensor) or x

    assert is_tensor(Z(2)) is True
    refused(lambda: is_tensor(3))
