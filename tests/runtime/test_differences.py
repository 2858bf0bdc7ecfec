"""Where shapecheck and jaxtyping with beartype differ on purpose. The list is whole: generated calls agree otherwise.

1. Every element of a container is checked; beartype looks at one, drawn at random.
2. Names that only a container's elements have are bound afresh for each element; in jaxtyping the element that happens
   to be looked at binds them for the call.
3. Unions are tried in all combinations; jaxtyping keeps the first member that fits.
4. Results of coroutines are checked when they have been awaited; jaxtyping refuses the coroutine.
5. Yielded values are checked; jaxtyping leaves them alone.
6. A string annotation that cannot be evaluated is an error or a warning; jaxtyping drops the check.
7. An annotated default that is not one of its hint's values passes also when it is given explicitly.
8. An expression that is not Python is an error of the annotation; in jaxtyping a `SyntaxError` at the first call.
9. Sizes beyond 64 bits and absurdly nested expressions are refused.
10. The fields of named tuples, dataclasses and typed dictionaries are checked where they have tensor annotations;
   beartype looks at their class alone. Names that only one such class has belong to each of its objects.

jaxtyping's own tests (0.3.11), with `shapechecked` in place of `jaxtyped(typechecker=...)`, pass but for these:

- test_incomplete_symbolic: the same call is refused, with `AnnotationUseError` for jaxtyping's `AnnotationError`.
- test_stringified_multiple_varaidic: difference 6.
- test_arg_localisation, test_return, test_dataclass_init: they compare the sentences of jaxtyping's messages.
- test_import_hook_broken_checker: it names a type checker that does not exist, and none is asked for.
- test_pickle pickles annotations of jax arrays, which depends on jax's version and on no decorator.
"""

import asyncio
import dataclasses
import gc
from collections.abc import Iterator
from typing import NamedTuple, TypedDict

import pytest
import torch
from beartype import beartype
from jaxtyping import Float, TypeCheckError, jaxtyped
from torch import Tensor

from shapecheck import AnnotationUseError, ShapecheckWarning, ShapeError, shapechecked

theirs = jaxtyped(typechecker=beartype)
Z = torch.zeros


def test_1_every_element_is_checked():
    def f(xs: list[Float[Tensor, "n"]]):
        return len(xs)

    mixed = [Z(2)] * 200 + [Z(2, 2)]
    accepted = 0
    for _ in range(20):
        try:
            accepted += theirs(f)(mixed) > 0
        except TypeCheckError:
            continue
    assert accepted > 10
    with pytest.raises(ShapeError, match=r"xs\[200\]"):
        shapechecked(f)(mixed)


def test_2_ragged_lists_next_to_each_other():
    def f(xs: list[Float[Tensor, "n"]], ys: list[Float[Tensor, "n"]]):
        return len(xs)

    with pytest.raises(TypeCheckError):
        theirs(f)([Z(2)], [Z(3)])
    assert shapechecked(f)([Z(2), Z(4)], [Z(3)]) == 2


def test_3_unions_backtrack():
    def f(x: Float[Tensor, "n _"] | Float[Tensor, "_ n"], y: Float[Tensor, "n"]):
        return len(y)

    with pytest.raises(TypeCheckError):
        theirs(f)(Z(2, 3), Z(3))
    assert shapechecked(f)(Z(2, 3), Z(3)) == 3


@pytest.mark.filterwarnings("ignore:coroutine")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_4_coroutines():
    async def f(x: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
        return x

    async def g(x: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
        return x[:1]

    with pytest.raises(TypeCheckError):
        theirs(f)(Z(2))
    gc.collect()  # the coroutine that was never awaited is complained about here
    assert len(asyncio.run(shapechecked(f)(Z(2)))) == 2
    with pytest.raises(ShapeError):
        asyncio.run(shapechecked(g)(Z(2)))


def test_5_yields():
    def f(x: Float[Tensor, "n"]) -> Iterator[Float[Tensor, "n"]]:
        yield x[:1]

    assert len(list(theirs(f)(Z(2)))) == 1
    with pytest.raises(ShapeError):
        list(shapechecked(f)(Z(2)))


def test_6_unresolved_strings():
    def f(x: "Float[Tensr, 'n']"):
        return x

    def g(x: "Float[Tensor, '*n *m']"):
        return x

    assert theirs(f)(3) == 3
    with pytest.warns(ShapecheckWarning, match="Tensr"):
        shapechecked(f)(3)
    assert theirs(g)(3) == 3
    with pytest.raises(AnnotationUseError):
        shapechecked(g)(3)


def test_7_defaults():
    def f(x: Float[Tensor, "n"] = None):
        return x

    assert theirs(f)() is None
    assert shapechecked(f)() is None
    with pytest.raises(TypeCheckError):
        theirs(f)(None)
    assert shapechecked(f)(None) is None


def test_8_expressions_that_are_not_python():
    def f(x: Float[Tensor, "n 2n"]):
        return x

    with pytest.raises((TypeCheckError, SyntaxError)):
        theirs(f)(Z(2, 4))
    with pytest.raises(AnnotationUseError, match="not a size expression"):
        shapechecked(f)(Z(2, 4))


def test_9_absurd_sizes():
    def f(x: Float[Tensor, "99999999999999999999"]):
        return x

    with pytest.raises(TypeCheckError):
        theirs(f)(Z(2))
    with pytest.raises(AnnotationUseError, match="64 bits"):
        shapechecked(f)(Z(2))


class Pair(NamedTuple):
    x: Float[Tensor, "n"]
    y: Float[Tensor, "n"]


@dataclasses.dataclass
class Both:
    x: Float[Tensor, "n"]
    y: Float[Tensor, "n"]


class Named(TypedDict):
    x: Float[Tensor, "n"]
    y: Float[Tensor, "n"]


@pytest.mark.parametrize("cls", [Pair, Both, Named])
def test_10_fields(cls):
    def f(a: cls, b: cls | None = None):
        return 0

    assert theirs(f)(cls(x=Z(2), y=Z(3))) == 0
    with pytest.raises(ShapeError, match="y"):
        shapechecked(f)(cls(x=Z(2), y=Z(3)))
    assert shapechecked(f)(cls(x=Z(2), y=Z(2)), cls(x=Z(3), y=Z(3))) == 0
