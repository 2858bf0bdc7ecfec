"""Annotated local variables, checked because the decorator was asked to."""

import asyncio
import copy
import inspect
import warnings

import cloudpickle
import pytest
import torch
from jaxtyping import Float
from torch import Tensor

from shapecheck import ShapeError, shapechecked

Z = torch.zeros


@shapechecked(locals=True)
def mix(x: Float[Tensor, "B D"], w: Tensor, *, scale: float = 2.0) -> Float[Tensor, "B"]:
    """Multiply."""
    h: Float[Tensor, "B D"] = x * scale
    if scale:
        h: Float[Tensor, "B E"] = h @ w
    last: "Float[Tensor, 'B']" = h[:, 0]
    unset: Float[Tensor, "nothing"]  # noqa: F842  # declared, never given a value
    return last


def test_locals_are_checked_in_the_calls_bindings():
    assert mix(Z(2, 4), Z(4, 3)).shape == (2,)
    with pytest.raises(ShapeError, match=r"mix\(\): h has 1 axis") as caught:
        mix(Z(2, 4), Z(4))
    lines, first = inspect.getsourcelines(mix)
    at = first + next(number for number, line in enumerate(lines) if "B E" in line)
    assert f"test_locals.py:{at}" in str(caught.value)
    with pytest.raises(ShapeError, match=r"x has 1 axis"):
        mix(Z(2), Z(4))


def test_the_function_is_otherwise_itself():
    assert (mix.__name__, mix.__doc__, mix.__kwdefaults__) == ("mix", "Multiply.", {"scale": 2.0})
    assert str(inspect.signature(mix)) == str(inspect.signature(inspect.unwrap(mix)))
    assert inspect.getsource(mix).startswith("@shapechecked(locals=True)\ndef mix")
    code = inspect.unwrap(mix).__code__
    assert (code.co_filename, code.co_qualname) == (__file__, "mix")
    assert copy.deepcopy(mix) is mix


def test_closures_are_kept():
    total = 0
    rows = 3
    local_alias = Float[Tensor, "n 3"]

    @shapechecked(locals=True)
    def count(x: Float[Tensor, "n"]):
        nonlocal total
        total += rows
        y: "local_alias" = x[:, None].repeat(1, rows)
        return y

    assert count(Z(2)).shape == (2, 3)
    assert total == 3
    rows = 4
    with pytest.raises(ShapeError, match=r"axis 1 of y is 4, expected 3"):
        count(Z(2))
    assert total == 7
    rows = 3
    assert cloudpickle.loads(cloudpickle.dumps(count))(Z(2)).shape == (2, 3)


def test_functions_inside_have_sizes_of_their_own():
    @shapechecked(locals=True)
    def outer(x: Float[Tensor, "n"]):
        def inner(y):
            part: Float[Tensor, "n"] = y
            return part

        whole: Float[Tensor, "n"] = x
        return inner(whole[:1])

    assert outer(Z(3)).shape == (1,)


class Base:
    def start(self, x):
        return x


@shapechecked(locals=True, dims={"D": "d"})
class Layer(Base):
    d = 4

    def start(self, x: Float[Tensor, "B D"]) -> Float[Tensor, "B D"]:
        self.__hidden = 1
        return super().start(x)[: self.__hidden + 1]

    def forward(self, x: Float[Tensor, "B D"]) -> Float[Tensor, "B"]:
        self.__kept: Float[Tensor, "B D"] = x
        y: Float[Tensor, "B D"] = super().start(self.__kept)[:, : self.d]
        return y[:, 0]

    @staticmethod
    def double(x: Float[Tensor, "B"]) -> Float[Tensor, "B"]:
        y: Float[Tensor, "B"] = torch.cat([x, x])
        return y

    def unannotated(self, x):
        y: Float[Tensor, "D"] = x
        return y


def test_classes():
    assert Layer().forward(Z(2, 4)).shape == (2,)
    assert Layer().start(Z(2, 4)).shape == (2, 4)
    assert Layer().unannotated(Z(4)).shape == (4,)
    for call in (lambda: Layer().forward(Z(2, 3)), lambda: Layer.double(Z(2)), lambda: Layer().unannotated(Z(4, 4))):
        with pytest.raises(ShapeError):
            call()


def test_source_that_cannot_be_had():
    namespace = {"Float": Float, "Tensor": Tensor}
    exec("def f(x: Float[Tensor, 'n']):\n    y: Float[Tensor, 'n'] = x\n    return y\n", namespace)  # noqa: S102
    with pytest.raises(TypeError, match=r"locals=True.*source of f.*<string>"):
        shapechecked(locals=True)(namespace["f"])
    assert shapechecked(namespace["f"])(Z(2)).shape == (2,)


def test_source_that_has_changed(tmp_path):
    path = tmp_path / "changed.py"
    path.write_text("def g(x):\n    return x\n")
    namespace = {}
    exec(compile("def f(x):\n    y: int = x\n    return y\n", str(path), "exec"), namespace)  # noqa: S102
    with pytest.raises(TypeError, match=r"source of f.*changed\.py.*no longer"):
        shapechecked(locals=True)(namespace["f"])


def test_below_other_decorators_only():
    def f(x: Float[Tensor, "n"]):
        y: Float[Tensor, "n"] = x[:1]
        return y

    with pytest.raises(TypeError, match=r"locals=True.*below"):
        shapechecked(locals=True)(torch.no_grad()(f))
    with pytest.raises(ShapeError, match="axis 0 of y"):
        torch.no_grad()(shapechecked(locals=True)(f))(Z(2))


def test_functions_that_run_by_fits_and_starts():
    @shapechecked(locals=True)
    def parts(x: Float[Tensor, "n d"]):
        for row in x:
            y: Float[Tensor, "d"] = row[: len(x)]
            received = yield y
            if received is not None:
                z: Float[Tensor, "n"] = received  # noqa: F841

    @shapechecked(locals=True)
    async def wait(x: Float[Tensor, "n"], y):
        await asyncio.sleep(0)
        z: Float[Tensor, "n"] = y
        return z

    @shapechecked(locals=True)
    async def stream(x: Float[Tensor, "n"], ys):
        for y in ys:
            await asyncio.sleep(0)
            z: Float[Tensor, "n"] = y
            yield z

    assert len(list(parts(Z(2, 2)))) == 2
    with pytest.raises(ShapeError, match=r"axis 0 of y \(d\) is 2, expected 3"):
        list(parts(Z(2, 3)))
    first, second = parts(Z(2, 2)), parts(Z(3, 3))
    _ = next(first), next(second), first.send(Z(2)), second.send(Z(3))
    with pytest.raises(ShapeError, match=r"z \(n\) is 3, expected 2"):
        first.send(Z(3))

    async def run():
        several = await asyncio.gather(*(wait(Z(n), Z(n)) for n in range(5)))
        assert [len(part) for part in several] == list(range(5))
        with pytest.raises(ShapeError, match=r"axis 0 of z \(n\) is 3, expected 2"):
            await wait(Z(2), Z(3))
        running = stream(Z(2), [Z(2), Z(1)])
        assert len(await anext(running)) == 2
        with pytest.raises(ShapeError, match=r"axis 0 of z \(n\) is 1, expected 2"):
            await anext(running)

    asyncio.run(run())


def test_nothing_to_check():
    def f(x: Float[Tensor, "n"]):
        return x

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert shapechecked(locals=True)(f).__wrapped__ is f


def test_switched_off(monkeypatch):
    def f(x: Float[Tensor, "n"]):
        y: Float[Tensor, "n"] = x
        return y

    monkeypatch.setenv("SHAPECHECK", "off")
    assert shapechecked(locals=True)(f) is f


def test_compiled_graphs_are_free_of_it():
    explained = torch._dynamo.explain(mix)(Z(2, 4), Z(4, 3))
    assert explained.graph_break_count == 0
