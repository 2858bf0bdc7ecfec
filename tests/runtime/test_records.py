"""Arguments and results whose class says what tensors they hold: named tuples, dataclasses, typed dictionaries."""

from __future__ import annotations

import dataclasses
import typing
from typing import ClassVar, NamedTuple, NotRequired, TypedDict

import pytest
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from shapecheck import AnnotationUseError, ShapecheckWarning, ShapeError, shapechecked, unchecked

if typing.TYPE_CHECKING:
    from nowhere import Missing

Z = torch.zeros


class Pair(NamedTuple):
    x: Float[Tensor, "B T"]
    y: Float[Tensor, "B"]
    label: str = ""


@dataclasses.dataclass
class Batch:
    tokens: Int[Tensor, "B T"]
    mask: Float[Tensor, "B T"] = None
    count: int = 0
    cache: Float[Tensor, "B"] = dataclasses.field(init=False)
    unknown: Missing = None
    limit: ClassVar[Float[Tensor, "never"]] = None


class Sample(TypedDict):
    image: Float[Tensor, "C H W"]
    weight: NotRequired[Float[Tensor, "C"]]


def tokens(*shape):
    return Z(shape, dtype=torch.int64)


def test_named_tuples():
    @shapechecked
    def f(pair: Pair, w: Float[Tensor, "T D"]) -> Float[Tensor, "B D"]:
        return pair.x @ w

    assert f(Pair(Z(2, 3), Z(2)), Z(3, 5)).shape == (2, 5)
    with pytest.raises(ShapeError, match=r"f\(\): axis 0 of pair\.y \(B\) is 4, expected 2\nB = 2 .*pair\.x") as caught:
        f(Pair(Z(2, 3), Z(4)), Z(3, 5))
    assert (caught.value.argument, caught.value.axis) == ("pair.y", 0)
    table = """
  pair.x  declared  B  T
          actual    2  3
  pair.y  declared  B
          actual    4
                    ^
  w       declared  T  D
          actual    3  5
"""
    assert table in str(caught.value)
    with pytest.raises(ShapeError, match=r"axis 0 of w \(T\) is 4, expected 3"):
        f(Pair(Z(2, 3), Z(2)), Z(4, 5))
    with pytest.raises(ShapeError, match=r"pair is a tuple, expected a Pair"):
        f((Z(2, 3), Z(2), ""), Z(3, 5))
    with pytest.raises(ShapeError, match=r"pair\.x is a list"):
        f(Pair([1], Z(2)), Z(3, 5))


def test_dataclasses():
    @shapechecked
    def f(batch: Batch, w: Float[Tensor, "T"]) -> Float[Tensor, "B"]:
        return Z(batch.tokens.shape[0])

    batch = Batch(tokens(2, 3))
    assert f(batch, Z(3)).shape == (2,)  # `mask` has its default, `cache` is not there yet
    batch.cache = Z(4)
    with pytest.raises(ShapeError, match=r"batch\.cache"):
        f(batch, Z(3))
    with pytest.raises(ShapeError, match=r"axis 1 of batch\.mask \(T\) is 4, expected 3"):
        f(Batch(tokens(2, 3), Z(2, 4)), Z(3))
    assert f(Batch(tokens(2, 3), count="3"), Z(3)).shape == (2,)  # the class's own business
    with pytest.raises(ShapeError, match="axis 0 of w"):
        f(Batch(tokens(2, 3)), Z(4))


def test_typed_dictionaries():
    @shapechecked
    def f(sample: Sample, scale: Float[Tensor, "C"]) -> int:
        return len(sample)

    assert f({"image": Z(3, 4, 5)}, Z(3)) == 1
    assert f({"image": Z(3, 4, 5), "weight": Z(3), "more": 1}, Z(3)) == 3
    with pytest.raises(ShapeError, match=r"axis 0 of sample\['weight'\] \(C\) is 2, expected 3"):
        f({"image": Z(3, 4, 5), "weight": Z(2)}, Z(3))
    with pytest.raises(ShapeError, match=r"sample has no key 'image', which Sample requires"):
        f({"weight": Z(2)}, Z(2))
    with pytest.raises(ShapeError, match=r"sample is a list, expected a Sample"):
        f([], Z(3))


def test_results_and_containers():
    @shapechecked
    def split(x: Float[Tensor, "B T"], out: list) -> tuple[Pair, ...]:
        return tuple(out)

    x = Z(2, 3)
    assert len(split(x, [Pair(x, Z(2)), Pair(x, Z(2))])) == 2
    with pytest.raises(ShapeError, match=r"\[1\]\.y of the returned value"):
        split(x, [Pair(x, Z(2)), Pair(x, Z(3))])

    @shapechecked
    def make(x: Float[Tensor, "B T"], y: Tensor) -> Pair | None:
        return Pair(x, y)

    assert make(x, Z(2)).y.shape == (2,)
    with pytest.raises(ShapeError, match=r"axis 0 of y of the returned value \(B\) is 3, expected 2"):
        make(x, Z(3))

    @shapechecked
    def pairs(xs: list[Pair]) -> int:
        return len(xs)

    assert pairs([Pair(Z(2, 3), Z(2)), Pair(Z(4, 5), Z(4))]) == 2  # ragged, as lists may be
    with pytest.raises(ShapeError, match=r"xs\[1\]\.y"):
        pairs([Pair(Z(2, 3), Z(2)), Pair(Z(4, 5), Z(2))])


def test_names_that_only_the_class_has_belong_to_each_of_its_objects():
    @shapechecked
    def concatenate(a: Pair, b: Pair) -> Pair:
        return Pair(torch.cat([a.x, b.x]), torch.cat([a.y, b.y]))

    assert concatenate(Pair(Z(2, 3), Z(2)), Pair(Z(4, 3), Z(4))).x.shape == (6, 3)
    with pytest.raises(ShapeError, match=r"b\.y"):
        concatenate(Pair(Z(2, 3), Z(2)), Pair(Z(4, 3), Z(3)))

    @shapechecked
    def mix(a: Pair, b: Pair, share: Float[Tensor, "B"]) -> Pair:
        return a

    with pytest.raises(ShapeError, match=r"axis 0 of b\.x \(B\) is 4, expected 2"):
        mix(Pair(Z(2, 3), Z(2)), Pair(Z(4, 3), Z(4)), Z(2))

    @shapechecked
    def label(a: Pair, b: Batch) -> int:
        return 0

    with pytest.raises(ShapeError, match=r"axis 1 of b\.tokens \(T\) is 5, expected 3"):
        label(Pair(Z(2, 3), Z(2)), Batch(tokens(2, 5)))


def test_classes_inside_classes_and_inside_themselves():
    @dataclasses.dataclass(slots=True)
    class Node:
        value: Float[Tensor, "d"]
        pair: Pair
        left: Node | None = None

    @shapechecked
    def f(node: Node, w: Float[Tensor, "d"]) -> int:
        return 0

    pair = Pair(Z(2, 3), Z(2))
    assert f(Node(Z(4), pair, Node(Z(4), pair)), Z(4)) == 0
    with pytest.raises(ShapeError, match=r"node\.pair\.y"):
        f(Node(Z(4), Pair(Z(2, 3), Z(3))), Z(4))
    with pytest.raises(ShapeError, match="axis 0 of w"):
        f(Node(Z(4), pair), Z(5))


def test_classes_left_alone():
    @dataclasses.dataclass(eq=False)
    class Linear(nn.Module):
        weight: Float[Tensor, "out in"]

        def __post_init__(self):
            super().__init__()

        def __call__(self, x):
            return x

    @unchecked
    class Free(NamedTuple):
        x: Float[Tensor, "a a"]

    @dataclasses.dataclass
    class Tied:
        n: int
        x: Float[Tensor, "{self.n}"]

    @shapechecked
    def f(a: Linear, b: Linear, c: Free, d: Tied, w: Float[Tensor, "out"]) -> int:
        return 0

    bare = Linear.__new__(Linear)
    assert f(bare, bare, Free(Z(2, 3)), Tied(3, Z(2)), Z(1)) == 0


def test_wrong_annotations_of_fields():
    class Broken(NamedTuple):
        x: Float[Tensor, "*a *b"]

    class Unresolved(NamedTuple):
        x: Float[Tensr, "a"]

    @shapechecked
    def f(broken: Broken):
        return 0

    @shapechecked
    def g(unresolved: Unresolved):
        return 0

    with pytest.raises(AnnotationUseError, match="annotation of `broken`"):
        f(Broken(Z(2)))
    with pytest.warns(ShapecheckWarning, match="Tensr"):
        assert g(Unresolved(Z(2))) == 0


def test_fields_in_a_compiled_graph():
    def f(pair: Pair, batch: Batch, sample: Sample, w: Float[Tensor, "T D"]) -> Pair:
        return Pair(pair.x + 1, pair.y)

    compiled = torch.compile(shapechecked(f), fullgraph=True, backend="eager")
    arguments = Pair(Z(2, 3), Z(2)), Batch(tokens(2, 3)), {"image": Z(3, 4, 5)}, Z(3, 5)
    assert compiled(*arguments).x.shape == (2, 3)


def test_dims_hold_for_every_element():
    @shapechecked(dims={"D": "d"})
    class Model:
        d = 4

        def f(self, xs: list[Float[Tensor, "n D"]], pair: Pair) -> int:
            return len(xs)

    pair = Pair(Z(2, 3), Z(2))
    assert Model().f([Z(2, 4), Z(3, 4)], pair) == 2
    with pytest.raises(ShapeError, match=r"xs\[1\]"):
        Model().f([Z(2, 4), Z(3, 5)], pair)
