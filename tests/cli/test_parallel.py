"""Several processes find what one finds, in the same order."""

import os
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapecheck.config import Settings
from shapecheck.parallel import _runs, check_in_parallel, pieces

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
def test_runs_of_whole_files_keep_the_order_and_none_is_empty(sizes, jobs):
    files = [f"{number}.py" for number in range(len(sizes))]
    runs = _runs(files, sizes, jobs)
    assert [file for run in runs for file in run] == files
    assert len(runs) <= jobs
    assert all(runs)


def test_runs_are_even():
    assert [len(run) for run in _runs([str(n) for n in range(12)], [100] * 12, 3)] == [4, 4, 4]


@pytest.fixture(scope="module")
def long_files(tmp_path_factory):
    directory = tmp_path_factory.mktemp("long")
    found = {}
    for rows in (1, 5, 40, 700):
        path = directory / f"rows{rows}.py"
        path.write_text("x = 1\n" * rows)
        found[str(path)] = path.stat().st_size
    return found


@given(st.data(), st.integers(1, 6), st.integers(1, 400))
def test_a_cut_file_is_checked_from_its_first_row_to_its_last(long_files, data, jobs, least):
    files = data.draw(st.permutations(sorted(long_files)))
    found = pieces(files, [long_files[file] for file in files], jobs, least)
    assert all(found)
    parts = [part for piece in found for part in piece]
    for file in files:
        own = [part for part in parts if part.path == file]
        assert own[0].start == 0
        assert own[-1].end is None
        assert [part.end for part in own[:-1]] == [part.start for part in own[1:]]
        assert all(part.end is None or part.start < part.end for part in own)
    assert list(dict.fromkeys(part.path for part in parts)) == files


def test_a_long_file_is_cut_and_small_ones_are_taken_together(long_files):
    [file] = [file for file in long_files if file.endswith("700.py")]
    found = pieces([file, "a", "b", "c"], [long_files[file], 300, 300, 900], 1, 1000)
    assert [[(part.start, part.end) for part in piece] for piece in found] == [
        [(0, 176)], [(176, 351)], [(351, 526)], [(526, None)], [(0, None), (0, None)], [(0, None)],
    ]  # fmt: skip


@pytest.mark.parametrize("size", [50, 66, 67, 68, 70, 80, 99, 100, 101, 150, 199])
def test_there_are_never_more_pieces_than_tickets(size):
    for count in range(50, 600, 7):
        assert len(pieces([str(number) for number in range(count)], [size] * count, 64, 1)) <= 256


HELPED = """
def helper(x):
    return x @ x


def first{number}(x: Float[Tensor, "B T"]) -> Float[Tensor, "B T"]:
    return helper(x)


class Block{number}(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.layer = nn.Linear(width, 2 * width)

    @property
    def doubled(self) -> Float[Tensor, "width"]:
        return self.layer.bias

    def forward(self, x: Float[Tensor, "B width"]) -> Float[Tensor, "B width"]:
        return self.layer(x)
"""


def fresh_process(script, *arguments):
    """Run a script where no thread hinders this process from being copied."""
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)], check=False, capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip


PARTS = """
import sys, os
import shapecheck.parallel as parallel
from shapecheck.config import Settings
from shapecheck.static.transport import packed
assert parallel._may_fork()
parallel._LEAST_PART = 300
print(packed(parallel.check_in_parallel(["long.py", "user.py"], Settings(".", jobs=int(sys.argv[1])))))
"""


def test_the_parts_of_a_file_say_what_the_whole_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    head = "from jaxtyping import Float\nfrom torch import Tensor, nn\n"
    (tmp_path / "long.py").write_text(head + "".join(HELPED.format(number=number) for number in range(9)))
    (tmp_path / "user.py").write_text(head + "from long import helper\n" + HELPED.format(number=0).split("\n\n\n")[1])
    one = fresh_process(PARTS, 1)
    assert one.stdout.count("'SC2") > 10, one.stderr
    for jobs in (2, 3, 5):
        assert fresh_process(PARTS, jobs).stdout == one.stdout


def test_a_process_that_dies_is_a_failure_of_the_run(files):
    script = PARTS.replace("assert", "import shapecheck.forks; shapecheck.forks.packed = lambda _: 1 / 0\nassert")
    done = fresh_process(script.replace('"long.py", "user.py"', ", ".join(map(repr, files))), 3)
    assert "ZeroDivisionError" in done.stderr
    assert done.stderr.endswith("ForkError: a process that checks files ended with status 1\n")


def test_where_no_process_can_be_copied_others_are_started(files, monkeypatch):
    one = check_in_parallel(files, Settings(".", jobs=1))
    monkeypatch.setattr("shapecheck.parallel._may_fork", lambda: False)
    assert summary(check_in_parallel(files, Settings(".", jobs=2))) == summary(one)


@pytest.mark.parametrize("sizes", [[0], [0, 0, 5_000], [0, 5_000, 0], [5_000, 0, 0]])
def test_empty_files_have_their_piece(sizes):
    files = [str(number) for number in range(len(sizes))]
    found = pieces(files, sizes, 2, 1)
    assert [part.path for piece in found for part in piece if not part.start] == files
