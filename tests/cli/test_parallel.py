"""Several processes find what one finds, in the same order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapecheck.config import Settings
from shapecheck.parallel import _shares, check_in_parallel

FAULTY = """
from jaxtyping import Float
from torch import Tensor

def swap{number}(x: Float[Tensor, "B T D"]) -> Float[Tensor, "B D T"]:
    return x * 2
"""


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [f"m{number}.py" for number in range(7)]
    for number, name in enumerate(names):
        (tmp_path / name).write_text(FAULTY.format(number=number))
    (tmp_path / "broken.py").write_text("def f(:\n")
    return [*names, "broken.py"]


def summary(report):
    counts = report.statistics
    return (
        report.diagnostics,
        [(note.file, note.message) for note in report.internal],
        (counts.files, counts.annotated_functions, counts.checked_functions, counts.left_out),
        (counts.partly_checked_functions, counts.partly, counts.unchecked),
        (counts.known_expressions, counts.tensor_expressions, counts.reasons),
    )


@pytest.mark.parametrize("jobs", [2, 3, 99])
def test_the_number_of_processes_changes_nothing(files, jobs):
    one = check_in_parallel(files, Settings(".", jobs=1))
    assert len(one.diagnostics) == 8
    assert summary(check_in_parallel(files, Settings(".", jobs=jobs))) == summary(one)


def test_no_files_are_no_findings():
    assert check_in_parallel([], Settings(".", jobs=4)).diagnostics == []


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=30), st.integers(1, 8))
def test_shares_keep_the_order_and_none_is_empty(sizes, jobs):
    files = [f"{number}.py" for number in range(len(sizes))]
    shares = _shares(files, sizes, jobs)
    assert [file for share in shares for file in share] == files
    assert len(shares) <= jobs
    assert all(shares)


def test_shares_are_even():
    assert [len(share) for share in _shares([str(n) for n in range(12)], [100] * 12, 3)] == [4, 4, 4]
