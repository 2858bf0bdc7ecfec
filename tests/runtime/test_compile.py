"""Decorated functions under everything that traces, transforms or fakes tensors, each against its undecorated twin."""

import importlib
import threading
import tracemalloc
import warnings

import pytest
import torch
import torch._dynamo as dynamo
from jaxtyping import Float
from torch import Tensor, nn
from torch._dynamo.testing import CompileCounter
from torch._subclasses.fake_tensor import FakeTensorMode

from shapecheck import ShapeError, install_import_hook, shapechecked

pytestmark = pytest.mark.filterwarnings("ignore:Guards may run slower on Python:RuntimeWarning")  # torch, on 3.13.0


def project(x: Float[Tensor, "B T D"], w: Float[Tensor, "D E"], scale: float = 1.0) -> Float[Tensor, "B T E"]:
    return x @ w * scale


def shift(
    x: Float[Tensor, "*batch T D"], mask: Float[Tensor, "T #D"] | None = None, *more: Float[Tensor, "T"]
) -> tuple[Float[Tensor, "*batch T D"], Float[Tensor, "*batch T-1 2*D"]]:
    y = x if mask is None else x * mask
    return y, torch.cat([y, y], -1)[..., 1:, :]


class Plain(nn.Module):
    def __init__(self, d: int):
        super().__init__()
        self.d = d
        self.norm, self.proj = nn.LayerNorm(d), nn.Linear(d, d)

    def mix(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
        return self.proj(self.norm(x))

    def forward(
        self, x: Float[Tensor, "B T D"], keep: Float[Tensor, "B T {self.d}"] | None = None
    ) -> Float[Tensor, "B T D"]:
        return x + self.mix(x)


@shapechecked
class Checked(Plain):
    mix = Plain.mix
    forward = Plain.forward


def counts(function, calls, **options):
    """How many graphs Dynamo makes for a sequence of calls, and what they give."""
    dynamo.reset()
    counter = CompileCounter()
    compiled = torch.compile(function, backend=counter, **options)
    results = [compiled(*arguments) for arguments in calls]
    return counter.frame_count, results


@pytest.mark.parametrize("dynamic", [None, True, False])
@pytest.mark.parametrize("used", [False, True])
def test_compile_adds_no_graph_and_no_break(dynamic, used):
    checked = shapechecked(project)
    if used:
        checked(torch.randn(2, 3, 8), torch.randn(8, 7))
    calls = [(torch.randn(2, t, 8), torch.randn(8, 7)) for t in (3, 4, 5, 6)]
    frames, results = counts(checked, calls, fullgraph=True, dynamic=dynamic)
    bare_frames, expected = counts(project, calls, fullgraph=True, dynamic=dynamic)
    assert frames == bare_frames
    torch.testing.assert_close(results, expected)


@pytest.mark.parametrize("dynamic", [None, True])
def test_compile_of_everything_at_once(dynamic):
    calls = [(torch.randn(2, 3, t, 8), torch.randn(t, 1), torch.randn(t)) for t in (3, 4, 5)]
    frames, results = counts(shapechecked(shift), calls, fullgraph=True, dynamic=dynamic)
    bare_frames, expected = counts(shift, calls, fullgraph=True, dynamic=dynamic)
    assert frames == bare_frames
    torch.testing.assert_close(results, expected)


@pytest.mark.parametrize("dynamic", [None, True])
def test_compile_of_modules(dynamic):
    torch.manual_seed(0)
    plain, checked = Plain(8), Checked(8)
    checked.load_state_dict(plain.state_dict())
    calls = [(torch.randn(2, t, 8), torch.randn(2, t, 8)) for t in (3, 4, 5)]
    frames, results = counts(checked, calls, fullgraph=True, dynamic=dynamic)
    bare_frames, expected = counts(plain, calls, fullgraph=True, dynamic=dynamic)
    assert frames == bare_frames
    torch.testing.assert_close(results, expected)


@pytest.mark.parametrize("dynamic", [None, True, False])
def test_compile_of_names_tied_to_attributes(dynamic):
    class Tied(Plain):
        mix = Plain.mix

        def forward(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
            return x + self.mix(x)

    plain, checked = Tied(8), shapechecked(dims={"D": "d"})(type("Checked", (Tied,), dict(vars(Tied))))(8)
    checked.load_state_dict(plain.state_dict())
    calls = [(torch.randn(2, t, 8),) for t in (3, 4, 5)]
    frames, results = counts(checked, calls, fullgraph=True, dynamic=dynamic)
    bare_frames, expected = counts(plain, calls, fullgraph=True, dynamic=dynamic)
    assert frames == bare_frames
    torch.testing.assert_close(results, expected)
    with pytest.raises(Exception, match=r"expected 8|ShapeError"):
        torch.compile(checked, fullgraph=True, dynamic=dynamic, backend="eager")(torch.randn(2, 3, 9))


def test_a_wrong_call_is_refused_in_compiled_code():
    good, bad = (torch.randn(2, 3, 8), torch.randn(8, 7)), (torch.randn(2, 3, 8), torch.randn(9, 7))
    whole = torch.compile(shapechecked(project), fullgraph=True, backend="eager")
    whole(*good)
    with pytest.raises(Exception, match=r"ShapeError.*the shapes do not fit the annotations: x .2, 3, 8., w ."):
        whole(*bad)
    dynamo.reset()
    parts = torch.compile(shapechecked(project), backend="eager")
    parts(*good)
    with pytest.raises(ShapeError, match="axis 0 of w"):
        parts(*bad)


@pytest.mark.parametrize("strict", [True, False])
def test_export(strict):
    time = torch.export.Dim("time", min=2, max=64)
    model = Checked(8)
    program = torch.export.export(model, (torch.randn(2, 3, 8),), dynamic_shapes={"x": {1: time}}, strict=strict)
    x = torch.randn(2, 9, 8)
    torch.testing.assert_close(program.module()(x), model(x))


def test_symbolic_trace_lets_proxies_pass():
    traced = torch.fx.symbolic_trace(Checked(8))
    x = torch.randn(2, 3, 8)
    assert traced(x).shape == x.shape
    traced = torch.fx.symbolic_trace(shapechecked(project), concrete_args={"scale": 1.0})
    assert traced(x, torch.randn(8, 7)).shape == (2, 3, 7)


def test_make_fx():
    from torch.fx.experimental.proxy_tensor import make_fx

    x, w = torch.randn(2, 3, 8), torch.randn(8, 7)
    for mode in ("real", "fake", "symbolic"):
        checked = shapechecked(project)
        graph = make_fx(lambda x, w: checked(x, w), tracing_mode=mode)(x, w)  # noqa: B023, PLW0108
        torch.testing.assert_close(graph(x, w), x @ w)


@pytest.mark.filterwarnings("ignore:`torch.jit.trace")
def test_jit_trace():
    @shapechecked
    class Fresh(Plain):  # tracing warns about comparisons of sizes, which is silenced when a checker is built
        forward = Plain.forward

    model = Fresh(8)
    x = torch.randn(2, 3, 8)
    model(x)
    traced = torch.jit.trace(model, (x,))
    torch.testing.assert_close(traced(x), model(x))


def test_function_transforms():
    checked = shapechecked(project)
    x, w = torch.randn(5, 2, 3, 8), torch.randn(8, 7)
    assert torch.vmap(checked, in_dims=(0, None))(x, w).shape == (5, 2, 3, 7)
    with pytest.raises(ShapeError):
        torch.vmap(checked, in_dims=(1, None))(x, torch.randn(9, 7))
    grad = torch.func.grad(lambda w: checked(x[0], w).sum())(w)
    assert grad.shape == w.shape
    jacobian = torch.func.jacrev(lambda w: checked(x[0], w))(w)
    assert jacobian.shape == (2, 3, 7, 8, 7)
    model = Checked(8)
    parameters = dict(model.named_parameters())
    assert torch.func.functional_call(model, parameters, (x[0],)).shape == (2, 3, 8)
    again = torch.utils.checkpoint.checkpoint(model, x[0].requires_grad_(), use_reentrant=False)
    again.sum().backward()


def test_fake_and_meta_tensors():
    checked = shapechecked(project)
    with FakeTensorMode():
        assert checked(torch.randn(2, 3, 8), torch.randn(8, 7)).shape == (2, 3, 7)
        with pytest.raises(ShapeError):
            checked(torch.randn(2, 3, 8), torch.randn(9, 7))
    meta = torch.device("meta")
    assert checked(torch.empty(2, 3, 8, device=meta), torch.empty(8, 7, device=meta)).shape == (2, 3, 7)
    with torch.device("meta"):
        model = Checked(8)
    assert model(torch.empty(2, 3, 8, device=meta)).shape == (2, 3, 8)


def test_subclasses_are_asked_once_for_each_attribute():
    asked = []

    class Counting(Tensor):
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            asked.append(getattr(func, "__name__", ""))
            return super().__torch_function__(func, types, args, kwargs or {})

    @shapechecked
    def f(x: Float[Tensor, "a b"], y: Float[Tensor, "b"]) -> None:
        return None

    x = torch.zeros(2, 3).as_subclass(Counting)
    f(x, torch.zeros(3))
    asked.clear()
    f(x, torch.zeros(3))
    assert len(asked) == 2


def test_threads_keep_their_calls_apart():
    checked = shapechecked(project)
    wrong = []

    def work(seed):
        good = torch.zeros(1, seed + 1, seed + 2), torch.zeros(seed + 2, seed + 3)
        bad = good[0], torch.zeros(seed + 3, seed + 3)
        expected = (1, seed + 1, seed + 3)
        wrong.extend(seed for _ in range(1500) if checked(*good).shape != expected)
        for _ in range(30):
            try:
                checked(*bad)
            except ShapeError as error:
                if (error.actual, error.expected) != (seed + 3, seed + 2):
                    wrong.append((seed, str(error)))
            else:
                wrong.append(seed)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_threads_may_make_the_first_call_together():
    for _ in range(30):
        checked = shapechecked(shift)
        barrier = threading.Barrier(4)
        failed = []

        def work(checked=checked, barrier=barrier, failed=failed):
            barrier.wait()
            try:
                checked(torch.zeros(2, 3, 4), torch.zeros(3, 1), torch.zeros(3))
            except Exception as error:  # noqa: BLE001
                failed.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failed


def test_memory_does_not_grow():
    @shapechecked
    def f(
        x: Float[Tensor, "a b"], xs: list[Float[Tensor, "n"]], y: Float[Tensor, "b"] | None = None
    ) -> Float[Tensor, "a b"]:
        return x

    x, y = torch.zeros(2, 3), torch.zeros(3)
    for _ in range(100):
        f(x, [y], y)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for _ in range(20_000):
        f(x, [y], y)
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 20_000


def test_compiling_is_quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        counts(shapechecked(project), [(torch.randn(2, 3, 8), torch.randn(8, 7))], fullgraph=True)


def branch(x: Float[Tensor, "B D"], y) -> Float[Tensor, "B k"]:
    if isinstance(y, Float[Tensor, "D k"]):
        return x @ y
    if isinstance(y, Row | None):
        return x if y is None else x + y
    if isinstance(y, (int, Float[Tensor, "B k"])):
        return x[:, :1] + y
    return x * 0


Row = Float[Tensor, "D"]


@pytest.mark.parametrize("dynamic", [None, True])
def test_isinstance_in_a_compiled_body_sees_the_sizes_of_the_call(dynamic):
    x = torch.randn(2, 3)
    others = [torch.randn(3, 7), torch.randn(3), None, torch.randn(2, 1), 3, torch.randn(4, 7)]
    for other in others:
        dynamo.reset()
        checked = shapechecked(branch)
        expected = checked(x, other)
        compiled = torch.compile(shapechecked(branch), fullgraph=True, dynamic=dynamic, backend="eager")
        torch.testing.assert_close(compiled(x, other), expected)


def test_what_a_compiled_body_binds_counts_for_the_result():
    @shapechecked
    def f(x: Float[Tensor, "n"], y) -> Float[Tensor, "m"]:
        return x if isinstance(y, Float[Tensor, "m"]) else y

    compiled = torch.compile(f, fullgraph=True, backend="eager")
    assert compiled(torch.zeros(2), torch.zeros(2)).shape == (2,)
    with pytest.raises(Exception, match=r"ShapeError.*return"):
        compiled(torch.zeros(2), torch.zeros(3))


def test_checked_locals_do_not_break_a_graph(tmp_path, monkeypatch):
    source = """
from jaxtyping import Float
from torch import Tensor

def mix(x: Float[Tensor, "b d"], k) -> Float[Tensor, "b d"]:
    h: Float[Tensor, "d d"] = k
    return x @ h
"""
    (tmp_path / "compiled_locals.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    with install_import_hook("compiled_locals", locals=True):
        mix = importlib.import_module("compiled_locals").mix
    compiled = torch.compile(mix, fullgraph=True, backend="eager")
    assert compiled(torch.zeros(2, 3), torch.zeros(3, 3)).shape == (2, 3)
    with pytest.raises(ShapeError, match="h"):
        mix(torch.zeros(2, 3), torch.zeros(3, 4))
