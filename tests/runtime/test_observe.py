"""Axis coverage: what calls have reached, and which axes they never told apart."""

import json
import threading

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


def test_calls_of_several_threads_are_all_counted(observer):
    @shapechecked
    def f(x: Float[Tensor, "a b"], y: Float[Tensor, "a"] | Float[Tensor, "b"]):
        return x

    def work(rows):
        for _ in range(500):
            f(Z(rows, 3), Z(rows))
            f(Z(rows, 3), Z(3))  # only the matcher accepts it, when a has been bound to the other member

    threads = [threading.Thread(target=work, args=(rows,)) for rows in (3, 3, 3, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (coverage,) = observer.seen.values()
    assert coverage.calls == 4000
    assert coverage.apart == {("a", "b")}
    assert observer.seen == observer.seen


def test_sizes_that_always_change_do_not_pile_up(observer):
    @shapechecked
    def f(x: Float[Tensor, "a b"], *rest: Float[Tensor, "b"]):
        return x

    for size in range(2 * observe._REMEMBERED):
        f(Z(size, 1).to("meta"))
    assert len(f.__globals__["_seen"]) <= observe._REMEMBERED
    (coverage,) = observer.seen.values()
    assert coverage == observe.Coverage(2 * observe._REMEMBERED, frozenset("ab"), frozenset({("a", "b")}))


def test_symbolic_sizes_are_left_alone(observer):
    from torch.fx.experimental.proxy_tensor import make_fx

    @shapechecked
    def f(x: Float[Tensor, "a b"]) -> Float[Tensor, "b a"]:
        return x.mT

    make_fx(f, tracing_mode="symbolic")(Z(2, 3))
    torch.compile(f, fullgraph=True, backend="eager", dynamic=True)(Z(2, 3))
    (coverage,) = observer.seen.values()
    assert coverage == observe.Coverage(1, frozenset(), frozenset())


def test_nothing_is_observed_unless_asked():
    @shapechecked
    def f(x: Float[Tensor, "a b"]):
        return x

    f(Z(2, 2))
    assert "_observe" not in f.__globals__
