"""What a checked call costs, against bare calls, hand-written asserts, jaxtyping with beartype, and other checkers.

`python -m tests.bench.call_time` runs all variants in one process, interleaved, and prints medians: nanoseconds per
call, and each budget as a ratio within this run. Exit status 1 when a budget is exceeded.
"""

from __future__ import annotations

import argparse
import functools
import os
import statistics
import subprocess
import sys
import tempfile
import time
import timeit
from typing import TYPE_CHECKING, Any

import torch
from beartype import beartype
from jaxtyping import Float, jaxtyped
from torch import Tensor, nn

from shapecheck import shapechecked
from shapecheck.runtime import observe
from tests.bench import other_checkers

if TYPE_CHECKING:
    from collections.abc import Callable

FLOATS = frozenset({torch.float32, torch.float16, torch.bfloat16, torch.float64})
ROUNDS = 41


def medians(variants: dict[str, Callable[[], Any]], microseconds: float = 4000) -> dict[str, float]:
    """Nanoseconds per call of each variant: in every round each has its turn, and the median over rounds counts.

    A turn lasts about `microseconds`, so that a slow variant does not get more of the clock than a quick one. Processor
    time is counted, which a busy machine disturbs less than the clock on the wall.
    """
    times: dict[str, list[float]] = {name: [] for name in variants}
    numbers = {}
    for name, variant in variants.items():
        for _ in range(20):  # code that specialises itself has done so
            variant()
        once = timeit.timeit(variant, number=20, timer=time.perf_counter) / 20
        numbers[name] = max(1, int(microseconds * 1e-6 / once))
    for _ in range(ROUNDS):
        for name, variant in variants.items():
            spent = timeit.timeit(variant, number=numbers[name], timer=time.process_time)
            times[name].append(spent / numbers[name] * 1e9)
    return {name: statistics.median(values) for name, values in times.items()}


# The bodies return an argument of the right shape: what is measured are the checks, not the arithmetic.


def two_bare(x, w, out):
    return out


def two_asserts(x, w, out):
    assert isinstance(x, Tensor)
    assert x.dtype in FLOATS
    assert x.ndim == 3
    b, t, d = x.shape
    assert isinstance(w, Tensor)
    assert w.dtype in FLOATS
    assert w.ndim == 2
    assert w.shape[0] == d
    e = w.shape[1]
    result = out
    assert isinstance(result, Tensor)
    assert result.dtype in FLOATS
    assert result.shape == (b, t, e)
    return result


def two(x: Float[Tensor, "B T D"], w: Float[Tensor, "D E"], out) -> Float[Tensor, "B T E"]:
    return out


def four_bare(q, k, v, mask, out):
    return out


def four_asserts(q, k, v, mask, out):
    assert isinstance(q, Tensor)
    assert q.dtype in FLOATS
    assert q.ndim == 4
    b, h, t, d = q.shape
    assert isinstance(k, Tensor)
    assert k.dtype in FLOATS
    assert k.ndim == 4
    s = k.shape[2]
    assert k.shape == (b, h, s, d)
    assert isinstance(v, Tensor)
    assert v.dtype in FLOATS
    assert v.ndim == 4
    assert v.shape[:3] == (b, h, s)
    e = v.shape[3]
    assert isinstance(mask, Tensor)
    assert mask.dtype in FLOATS
    assert mask.ndim == 2
    assert mask.shape == (t, s)
    result = out
    assert isinstance(result, Tensor)
    assert result.dtype in FLOATS
    assert result.ndim == 4
    assert result.shape == (b, h, t, e)
    return result


def four(
    q: Float[Tensor, "B H T D"],
    k: Float[Tensor, "B H S D"],
    v: Float[Tensor, "B H S E"],
    mask: Float[Tensor, "T S"],
    out,
) -> Float[Tensor, "B H T E"]:
    return out


class Bare(nn.Module):
    def forward(self, x):
        return x


class Asserts(nn.Module):
    def forward(self, x):
        assert isinstance(x, Tensor)
        assert x.dtype in FLOATS
        assert x.ndim == 3
        b, t, d = x.shape
        result = x
        assert isinstance(result, Tensor)
        assert result.dtype in FLOATS
        assert result.shape == (b, t, d)
        return result


class Annotated(nn.Module):
    def forward(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
        return x


class Checked(nn.Module):
    @shapechecked
    def forward(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
        return x


class Block(nn.Module):
    """A pre-norm transformer block, for what checks cost beside real arithmetic."""

    def __init__(self, d: int, h: int) -> None:
        super().__init__()
        self.h = h
        self.norm, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.out = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.up, self.down = nn.Linear(d, 4 * d), nn.Linear(4 * d, d)

    def attend(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
        b, t, d = x.shape
        q, k, v = (part.view(b, t, self.h, -1).transpose(1, 2) for part in self.qkv(x).chunk(3, dim=-1))
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.out(mixed.transpose(1, 2).reshape(b, t, d))

    def forward(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
        x = x + self.attend(self.norm(x))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))


class CheckedBlock(Block):
    attend = shapechecked(Block.attend)
    forward = shapechecked(Block.forward)


class JaxtypedBlock(Block):
    attend = jaxtyped(typechecker=beartype)(Block.attend)
    forward = jaxtyped(typechecker=beartype)(Block.forward)


def gpt(block: type[Block]) -> Callable[[], Any]:
    torch.manual_seed(0)
    model = nn.Sequential(*(block(64, 4) for _ in range(4)))
    x = torch.randn(2, 16, 64)
    return lambda: model(x)


def gpt_step(block: type[Block]) -> Callable[[], Any]:
    forward = gpt(block)
    return lambda: forward().sum().backward()


class Report:
    """Prints lines and remembers whether a budget was exceeded."""

    def __init__(self) -> None:
        self.exceeded = False

    def times(self, title: str, times: dict[str, float], unit: float = 1.0, name: str = "ns") -> None:
        print(f"\n{title}")
        for variant, value in times.items():
            print(f"  {variant:<28} {value / unit:>12,.1f} {name}")

    def budget(self, what: str, value: float, limit: float) -> None:
        state = "ok" if value <= limit else "EXCEEDED"
        self.exceeded |= value > limit
        print(f"  {'budget: ' + what:<58} {value:>8.4f} <= {limit:<8.4f} {state}")


def calls(report: Report) -> None:
    x, w, out = torch.randn(2, 5, 8), torch.randn(8, 7), torch.randn(2, 5, 7)
    checked, jax = shapechecked(two), jaxtyped(typechecker=beartype)(two)
    jaxtyping_alone, bear = jaxtyped(typechecker=None)(two), beartype(two)
    others, others4 = other_checkers.variants(two_bare, four_bare)
    times = medians(
        {
            "bare": lambda: two_bare(x, w, out),
            "asserts": lambda: two_asserts(x, w, out),
            "shapecheck": lambda: checked(x, w, out),
            "jaxtyped(beartype)": lambda: jax(x, w, out),
            "jaxtyped alone": lambda: jaxtyping_alone(x, w, out),
            "beartype alone": lambda: bear(x, w, out),
        }
        | {name: functools.partial(other, x, w, out) for name, other in others.items()}
    )
    report.times("two tensors in, one out", times)
    overhead = times["shapecheck"] - times["bare"]
    report.budget("overhead / asserts", overhead / (times["asserts"] - times["bare"]), 1.0)
    report.budget("overhead / jaxtyped(beartype)", overhead / (times["jaxtyped(beartype)"] - times["bare"]), 1 / 25)

    shapes = [(2, 4, 5, 8), (2, 4, 6, 8), (2, 4, 6, 3), (5, 6), (2, 4, 5, 3)]
    tensors = [torch.randn(shape) for shape in shapes]
    checked4, jax4 = shapechecked(four), jaxtyped(typechecker=beartype)(four)
    times = medians(
        {
            "bare": lambda: four_bare(*tensors),
            "asserts": lambda: four_asserts(*tensors),
            "shapecheck": lambda: checked4(*tensors),
            "jaxtyped(beartype)": lambda: jax4(*tensors),
        }
        | {name: functools.partial(other, *tensors) for name, other in others4.items()}
    )
    report.times("four tensors in, one out", times)
    overhead = times["shapecheck"] - times["bare"]
    report.budget("overhead / asserts", overhead / (times["asserts"] - times["bare"]), 2 / 3)

    jax_forward = type("J", (nn.Module,), {"forward": jaxtyped(typechecker=beartype)(Annotated.forward)})()
    bare, asserts, module = Bare(), Asserts(), Checked()
    times = medians(
        {
            "bare": lambda: bare(x),
            "asserts": lambda: asserts(x),
            "shapecheck": lambda: module(x),
            "jaxtyped(beartype)": lambda: jax_forward(x),
        }
    )
    report.times("nn.Module, one tensor in and out", times)
    report.budget("overhead / asserts", (times["shapecheck"] - times["bare"]) / (times["asserts"] - times["bare"]), 1.0)


def observed(report: Report) -> None:
    """What the pytest plugin's counting adds to a checked call."""
    x, w, out = torch.randn(2, 5, 8), torch.randn(8, 7), torch.randn(2, 5, 7)
    checked, counted = shapechecked(two), shapechecked(two)
    checked(x, w, out)
    observe.switch_on()
    counted(x, w, out)
    observe.switch_off()
    times = medians(
        {
            "bare": lambda: two_bare(x, w, out),
            "asserts": lambda: two_asserts(x, w, out),
            "shapecheck": lambda: checked(x, w, out),
            "shapecheck, counted": lambda: counted(x, w, out),
        }
    )
    report.times("two tensors in, one out, while pytest counts calls", times)
    added = times["shapecheck, counted"] - times["shapecheck"]
    report.budget("counting / asserts", added / (times["asserts"] - times["bare"]), 1 / 2)


def models(report: Report) -> None:
    blocks = {"bare": Block, "shapecheck": CheckedBlock, "jaxtyped(beartype)": JaxtypedBlock}
    for title, build in (("GPT forward (4 blocks, d 64)", gpt), ("GPT forward and backward", gpt_step)):
        report.times(title, medians({name: build(block) for name, block in blocks.items()}, 20_000), 1e3, "us")


def failing(report: Report) -> None:
    x, w, out = torch.randn(2, 8, 5), torch.randn(8, 7), torch.randn(2, 5, 7)
    checked, jax = shapechecked(two), jaxtyped(typechecker=beartype)(two)

    def attempt(function: Callable[..., Any]) -> Callable[[], None]:
        def call() -> None:
            try:
                function(x, w, out)
            except TypeError as error:
                str(error)

        return call

    times = medians({"shapecheck": attempt(checked), "jaxtyped(beartype)": attempt(jax)})
    report.times("a failing call, message included", times, 1e3, "us")
    report.budget("shapecheck / jaxtyped(beartype)", times["shapecheck"] / times["jaxtyped(beartype)"], 1 / 10)


def decoration(report: Report) -> None:
    def fresh() -> Any:
        def function(x: Float[Tensor, "B T D"], w: Float[Tensor, "D E"]) -> Float[Tensor, "B T E"]:
            return x @ w

        return function

    x, w = torch.randn(2, 5, 8), torch.randn(8, 7)
    times = medians(
        {
            "definition alone": fresh,
            "shapecheck": lambda: shapechecked(fresh()),
            "jaxtyped(beartype)": lambda: jaxtyped(typechecker=beartype)(fresh()),
            "shapecheck with first call": lambda: shapechecked(fresh())(x, w),
            "jaxtyped with first call": lambda: jaxtyped(typechecker=beartype)(fresh())(x, w),
        }
    )
    report.times("decorating one function", times, 1e3, "us")
    alone = times["definition alone"]
    report.budget(
        "shapecheck / jaxtyped(beartype)",
        (times["shapecheck"] - alone) / (times["jaxtyped(beartype)"] - alone),
        1 / 20,
    )


def imports(report: Report) -> None:
    code = (
        "import torch, time; start = time.perf_counter(); import shapecheck; shapecheck.shapechecked; "
        "print(time.perf_counter() - start)"
    )
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": cache}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        runs = [
            float(subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True).stdout)
            for _ in range(6)
        ]
    milliseconds = statistics.median(runs[1:]) * 1e3  # the first one writes the byte code
    print(f"\nimport of shapecheck after torch\n  {'shapecheck':<28} {milliseconds:>12.2f} ms")
    report.budget("import in ms", milliseconds, 20)


def switched_off(report: Report) -> None:
    os.environ["SHAPECHECK"] = "off"
    try:
        same = shapechecked(two) is two
    finally:
        del os.environ["SHAPECHECK"]
    print(f"\nswitched off\n  {'the same function object':<28} {same!s:>12}")
    report.exceeded |= not same


def main() -> int:
    """Print the figures; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.call_time", description=__doc__.split("\n", 1)[0])
    parser.parse_args()
    torch.set_num_threads(1)
    started = time.perf_counter()
    report = Report()
    for part in (calls, observed, failing, decoration, imports, switched_off, models):
        part(report)
    print(f"\n{time.perf_counter() - started:.0f} s")
    return int(report.exceeded)


if __name__ == "__main__":
    sys.exit(main())
