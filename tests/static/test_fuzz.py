"""A fixed few hundred of the inputs that `python -m tests.bench.fuzz` tries, and what its runs found."""

import os

import pytest

from shapecheck.config import Settings
from shapecheck.diagnostics.renderers import Context, renderer
from shapecheck.findings import filter_findings
from shapecheck.rules.catalogue import RULES, page
from shapecheck.static import check_files, check_source
from tests.bench.fuzz import Outcome, try_input
from tests.mdtest.blocks import PRELUDE
from tests.static.fuzz_inputs import KINDS, make, pieces

COUNT = 300


def test_inputs_that_nobody_would_write():
    outcome = Outcome()
    sources = pieces()
    for number in range(COUNT):
        try_input(number, make(number, 0, sources), 20.0, outcome)
    assert outcome.tried == COUNT
    assert outcome.functions > COUNT // 2, "the inputs do not reach the interpreter"
    assert outcome.expressions > COUNT // 2
    if outcome.failures:
        number, kind, message = outcome.failures[0]
        pytest.fail(f"input {number} ({kind}): {message}", pytrace=False)


def test_an_input_is_made_from_its_number_alone():
    sources = pieces()
    assert [make(number, 3, sources) for number in range(20)] == [make(number, 3, sources) for number in range(20)]
    assert {make(number, 3, sources).kind for number in range(250)} > set(KINDS)


def checked(text, **others):
    report = check_source(text, "fuzz.py", {f"{name}.py": content for name, content in others.items()})
    assert not report.internal, report.internal[0].traceback
    return report


CHAINS = {
    "sums": "    return x" + " + x" * 2500,
    "calls": "    return x" + ".relu()" * 600,
    "nested calls": "    return " + "torch.relu(" * 95 + "x" + ")" * 95,
    "choices": "    return " + "x if c else " * 900 + "x",
    "elif": "    if c == 0:\n        pass\n" + "".join(f"    elif c == {i}:\n        x = -x\n" for i in range(900))
    + "    return x",
}  # fmt: skip


@pytest.mark.parametrize("name", CHAINS)
def test_what_is_nested_too_deeply_is_counted_as_not_checked_and_the_rest_is_checked(name):
    head = 'def {}(x: Float[Tensor, "n m"], c: int) -> Float[Tensor, "{}"]:\n'
    report = checked(f"{PRELUDE}{head.format('f', 'n m')}{CHAINS[name]}\n{head.format('g', 'm n')}    return x\n")
    assert [found.code for found in report.diagnostics] == ["SC201"]
    counts = report.statistics
    assert set(counts.unchecked) <= {"code nested too deeply to follow"}
    assert counts.annotated_functions == counts.checked_functions + sum(counts.unchecked.values()) == 2


def test_a_sum_that_python_itself_cannot_compile_is_told():
    text = "x = 1" + " + 1" * 40_000
    with pytest.raises((RecursionError, MemoryError)):
        compile(text, "fuzz.py", "exec")
    [finding] = checked(text).diagnostics
    assert finding.code == "SC001"
    assert "nested too deeply" in finding.message


CIRCLES = {
    "bases": "class A(B):\n    def f(self, x: Float[Tensor, 'n']):\n        return super().f(x)\n"
    "class B(C): pass\nclass C(A): pass\n",
    "itself": "class A(A): pass\nclass B(A, B):\n    def f(self, x: Float[Tensor, 'n']):\n        return self.g(x)\n",
    "diamonds": "class A0: pass\nclass B0: pass\n"
    + "".join(f"class A{i + 1}(A{i}, B{i}): pass\nclass B{i + 1}(A{i}, B{i}): pass\n" for i in range(60))
    + "class D(A60):\n    def f(self, x: Float[Tensor, 'n']):\n        return super().f(x)\n",
    "constants": "def f(x: Float[Tensor, 'n']):\n    return x * X900\nX0 = 1\n"
    + "".join(f"X{i + 1} = X{i} + X{i}\n" for i in range(900)),
    "alternatives of the module": "if c:\n    X = 1\n"
    + "".join(f"elif c == {i}:\n    def f(x: Float[Tensor, 'n']): return x\n" for i in range(900)),
}


@pytest.mark.parametrize("name", CIRCLES)
def test_circles_and_ladders_come_to_an_end(name):
    assert checked(PRELUDE + CIRCLES[name]).statistics.annotated_functions > 0


def test_star_imports_in_circles_come_to_an_end():
    names = [f"m{number}" for number in range(12)]
    others = {name: "".join(f"from {other} import *\n" for other in names) for name in names}
    report = checked(f"{PRELUDE}from m0 import *\ndef f(x: Float[Tensor, 'n']):\n    return nowhere(x)\n", **others)
    assert report.statistics.checked_functions == 1


def test_no_items_in_place_of_some():
    report = checked(
        f"{PRELUDE}def f(x: Float[Tensor, 'n m'], c: int):\n    y = [x for _ in range(c)]\n    y[2:] = []\n"
        "    reveal_shape(y[0])\n"
    )
    assert [found.message for found in report.diagnostics] == ["n m"]


@pytest.mark.parametrize("encoding", ["rot13", "hex", "utf-16", "idna", "none such"])
@pytest.mark.parametrize("output_format", ["full", "json", "sarif"])
def test_a_file_in_an_odd_encoding_is_reported(tmp_path, encoding, output_format):
    path = os.path.join(tmp_path, "code.py")
    with open(path, "wb") as file:
        file.write(f"# coding: {encoding}\nx = 'é' # shapecheck: ignore\n".encode())
    report = check_files([path])
    found = filter_findings(report.diagnostics, [path], Settings(str(tmp_path)))
    assert [finding.code for finding in found.diagnostics] == ["SC001"]
    assert "code.py" in renderer(output_format)(found.diagnostics, Context(RULES, found.sources.lines, page, "0"))


def test_a_pass_that_is_too_long_leaves_nothing_behind():
    """One alternative of a union that is not followed to its end says nothing, here and in the functions behind."""
    doubled = "".join(f"    def g{n}(y):\n        return g{n - 1}(y) + g{n - 1}(y)\n" for n in range(1, 5))
    text = (
        "def f(x: Float[Tensor, 'n'] | Float[Tensor, 'n m'], c) -> Float[Tensor, 'm']:\n"
        f"    a, b = x.shape\n    def g0(y):\n        return y\n{doubled}" + "    c = g4(x)\n" * 3000 + "    return x\n"
        "def h(x: Float[Tensor, 'n m']) -> Float[Tensor, 'n m']:\n    return x\n"
    )
    report = checked(PRELUDE + text)
    assert report.statistics.unchecked == {"a function too long to follow": 1}
    assert not report.diagnostics


ENDLESS = (
    "def g0(y):\n    return y\n"
    + "".join(f"def g{n}(y):\n    return g{n - 1}(y) + g{n - 1}(y) * g{n - 1}(y)\n" for n in range(1, 10))
    + "class Config:\n    def __init__(self, path):\n        self.path = path\n        self.parts = g9(path)\n"
    "        self.width = 3\n"
)
"""A helper, and an object, that take more steps than one call may."""


def test_an_object_that_takes_too_long_to_make_leaves_its_function_checked():
    report = checked(
        f"{PRELUDE}{ENDLESS}def f(x: Float[Tensor, 'n m'], config: Config) -> Float[Tensor, 'm n']:\n"
        "    print(config.path)\n    return x\n"
    )
    assert [found.code for found in report.diagnostics] == ["SC201"]
    assert not report.statistics.unchecked


def test_a_helper_that_takes_too_long_is_tried_once():
    calls = "".join(f"    y{n} = g9(x)\n" for n in range(12))
    report = checked(
        f"{PRELUDE}{ENDLESS}def f(x: Float[Tensor, 'n m']) -> Float[Tensor, 'm n']:\n{calls}    return x\n"
    )
    assert [found.code for found in report.diagnostics] == ["SC201"]
    assert not report.statistics.unchecked
