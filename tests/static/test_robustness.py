"""No Python source crashes the checker, or keeps it busy for long."""

import sysconfig
import time
from pathlib import Path

import pytest

from shapecheck.static import check_source
from tests.mdtest.blocks import PRELUDE
from tests.static.mutants import annotated, mutants, texts

MAX_SECONDS = 20.0
"""Far more than any of these takes, so that a busy machine is no failure."""


def assert_checked(text):
    begun = time.process_time()
    report = check_source(text, "mutant.py")
    assert time.process_time() - begun < MAX_SECONDS
    if report.internal:
        note = report.internal[0]
        pytest.fail(f"{note.function}: {note.message}\n{note.traceback}\n{text}", pytrace=False)


def test_mutated_source_does_not_crash():
    for text in mutants(250, seed=20):
        assert_checked(text)


def modules(largest):
    library = Path(sysconfig.get_paths()["stdlib"])
    return [path for path in sorted(library.glob("*.py")) if path.stat().st_size < largest]


def test_the_standard_library_with_shapes_does_not_crash():
    checked = 0
    for number, path in enumerate(modules(30_000)[::4]):
        assert_checked(annotated(path.read_text(encoding="utf-8"), number))
        checked += 1
    assert checked > 10


@pytest.mark.parametrize("cut", [3, 5, 7])
def test_source_that_ends_anywhere_does_not_crash(cut):
    for text in texts()[::cut]:
        lines = text.splitlines(keepends=True)
        assert_checked("".join(lines[: len(lines) * 2 // cut]))


def test_lists_that_hold_themselves():
    assert_checked(
        PRELUDE + 'def f(x: Float[Tensor, "n"]) -> Float[Tensor, "n"]:\n'
        "    a = [x]\n    a.append(a)\n    b = {}\n    b['b'] = b\n    c = [b]\n    b['c'] = c\n"
        "    for i in range(3):\n        a = [a]\n        b = {'b': b}\n    while x.sum() > 0:\n        a.append([a])\n"
        "    return x\n"
    )


def test_functions_that_call_each_other_without_end():
    assert_checked(
        PRELUDE + "def f(x):\n    return g(x) + h(x)\n"
        "def g(x):\n    return h(x) * f(x)\ndef h(x):\n    return f(g(x))\n"
        'def k(x: Float[Tensor, "n"]) -> Float[Tensor, "n"]:\n    return f(x) + g(x) + h(x)\n'
    )


def test_many_branches_in_a_row():
    body = "".join(f"    if c[{n}]:\n        x = x + {n}\n        y = [x]\n" for n in range(300))
    start = 'def f(x: Float[Tensor, "n"], c) -> Float[Tensor, "n"]:\n    y = []\n'
    assert_checked(f"{PRELUDE}{start}{body}    return x\n")


def test_loops_in_loops():
    text = PRELUDE + 'def f(x: Float[Tensor, "n"], c) -> Float[Tensor, "n"]:\n'
    for depth in range(1, 15):
        text += "    " * depth + f"for i{depth} in c:\n"
    text += "    " * 15 + "x = x * 2\n    return x\n"
    assert_checked(text)


@pytest.mark.parametrize(
    "cut",
    ["x.chunk(10**9)", "torch.tensor_split(x, 10**8)", "x.hsplit(10**8)", "torch.zeros(10**9, 2).split(1)",
     "torch.zeros(10**9, 2).chunk(10**7)", "torch.zeros(10**9, 2).unbind(0)"],
)  # fmt: skip
def test_more_parts_than_anybody_counts(cut):
    assert_checked(f'{PRELUDE}\ndef f(x: Float[Tensor, "a b"]):\n    return {cut}\n')
