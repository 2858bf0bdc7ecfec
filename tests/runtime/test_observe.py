"""Axis coverage: what calls have reached, and which axes they never told apart."""

import json

import pytest
import torch
from jaxtyping import Float
from torch import Tensor

from shapecheck import ShapeError, shapechecked
from shapecheck.runtime import observe

Z = torch.zeros


@pytest.fixture(autouse=True)
def _no_observer(monkeypatch):
    """The run of this suite may itself be observed; that is left alone."""
    monkeypatch.setattr(observe, "OBSERVER", None)


@pytest.fixture
def observer():
    return observe.switch_on()


def names(found):
    return [(function.name.rpartition(".")[2], pairs) for function, pairs in found]


def test_calls_and_axes(observer):
    @shapechecked
    def attend(x: Float[Tensor, "B T D"], mask: Float[Tensor, "T S"] | None = None) -> Float[Tensor, "B T D"]:
        return x

    @shapechecked
    def unused(x: Float[Tensor, "B T"]):
        return x

    @shapechecked
    def union(x: Float[Tensor, "n _"] | Float[Tensor, "_ n"], y: Float[Tensor, "n m"]):
        return x

    attend(Z(2, 3, 3))
    attend(Z(3, 3, 3), Z(3, 5))
    union(Z(2, 3), Z(3, 3))
    with pytest.raises(ShapeError):
        unused(Z(2, 3, 4))
    assert [function.name.rpartition(".")[2] for function in observer.never_called()] == ["unused"]
    assert names(observer.never_told_apart()) == [("attend", [("D", "T")]), ("union", [("m", "n")])]
    coverage = next(seen for function, seen in observer.seen.items() if function.name.endswith("attend"))
    assert coverage.calls == 2


def test_processes_are_merged(observer):
    @shapechecked
    def f(x: Float[Tensor, "a b"]):
        return x

    f(Z(2, 2))
    other = observe.Observer()
    other.merge(json.loads(json.dumps(observer.state())))
    assert names(other.never_told_apart()) == [("f", [("a", "b")])]
    f(Z(2, 3))
    other.merge(json.loads(json.dumps(observer.state())))
    assert not other.never_told_apart()
    assert not other.never_called()


def test_nothing_is_observed_unless_asked():
    @shapechecked
    def f(x: Float[Tensor, "a b"]):
        return x

    f(Z(2, 2))
    assert "_observe" not in f.__globals__
