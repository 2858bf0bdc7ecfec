"""Standard streams that are closed, full, or read by nobody: one line tells what failed, and never a traceback."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAD = "from jaxtyping import Float\nfrom torch import Tensor\n"
FAULTY = 'def swap{}(x: Float[Tensor, "B T"]) -> Float[Tensor, "T B"]:\n    return x\n'

FAILED = "shapecheck: cannot write to standard output: "
COMMANDS = {
    ("--help",): 0,
    ("--version",): 0,
    ("check", "--help"): 0,
    ("rule",): 0,
    ("rule", "ALL"): 0,
    ("show", "few.py"): 0,
    ("show", "many.py"): 0,
    ("check", "clean.py"): 0,
    ("check", "--baseline", "known.json", "--write-baseline", "few.py"): 0,
    ("check", "--statistics", "few.py"): 1,
    ("check", "many.py"): 1,
    **{("check", "--output-format", name, "few.py"): 1
       for name in ("full", "concise", "json", "github", "sarif", "junit")},
}  # fmt: skip
"""What may be asked, and the exit status where it can be told."""

every_command = pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
posix = pytest.mark.skipif(os.name != "posix", reason="a shell closes and leads streams as on POSIX")
full_device = pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("streams")
    (path / "few.py").write_text(HEAD + FAULTY.format(""))
    (path / "many.py").write_text(HEAD + "".join(FAULTY.format(number) for number in range(300)))
    (path / "clean.py").write_text("x = 1\n")
    return path


def environment(unbuffered=""):
    paths = os.pathsep.join((str(ROOT), *sys.path))
    return {**os.environ, "PYTHONPATH": paths, "PYTHONUNBUFFERED": unbuffered}


def run(folder, redirected, *arguments, unbuffered=""):
    """Run the program under a shell that leads its streams as `redirected` says; status, output, complaints."""
    script = f'exec "$0" -m shapecheck "$@" {redirected}'
    done = subprocess.run(
        ["/bin/sh", "-c", script, sys.executable, *arguments],
        check=False, capture_output=True, text=True, cwd=folder, env=environment(unbuffered),
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@posix
@full_device
@pytest.mark.parametrize("unbuffered", ["", "1"], ids=["buffered", "unbuffered"])
@every_command
def test_a_full_disk_is_told(folder, command, unbuffered):
    said = f"{FAILED}No space left on device\n"
    assert run(folder, ">/dev/full", *command, unbuffered=unbuffered) == (2, "", said)


@posix
@every_command
def test_an_output_that_is_closed_is_told(folder, command):
    assert run(folder, ">&-", *command) == (2, "", f"{FAILED}Bad file descriptor\n")


@posix
@pytest.mark.parametrize("redirected", ["2>&-", pytest.param("2>/dev/full", marks=full_device)])
def test_complaints_that_nobody_can_hear_change_nothing(folder, redirected):
    assert run(folder, redirected, "check", "missing.py") == (2, "", "")
    assert run(folder, redirected, "check", "--nonsense") == (2, "", "")
    assert run(folder, redirected, "check", "clean.py") == (0, "no findings in 1 file\n", "")
    status, out, _ = run(folder, redirected, "check", "--statistics", "--output-format", "json", "few.py")
    assert (status, len(json.loads(out))) == (1, 1)
    assert run(folder, f">&- {redirected}", "rule") == (2, "", "")


@posix
def test_what_is_not_used_may_be_closed(folder):
    options = "check", "--output-format", "json", "--output-file", "out.json", "few.py"
    assert run(folder, "<&- >&-", *options) == (1, "", "")
    # Nothing else was written where standard output would have been.
    assert [item["code"] for item in json.loads((folder / "out.json").read_text())] == ["SC201"]
    assert run(folder, "<&-", "check", "clean.py") == (0, "no findings in 1 file\n", "")


@posix
@pytest.mark.parametrize("redirected", ["<&-", "0>/dev/null"], ids=["closed", "write only"])
def test_an_input_that_cannot_be_read_is_told(folder, redirected):
    said = "shapecheck: cannot read standard input: Bad file descriptor\n"
    assert run(folder, redirected, "check", "-") == (2, "", said)


@posix
@full_device
@pytest.mark.parametrize("options", [("--output-file",), ("--write-baseline", "--baseline")])
def test_a_full_disk_is_told_of_the_files_that_are_written(folder, options):
    status, out, err = run(folder, "", "check", *options, "/dev/full", "few.py")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.endswith("/dev/full: No space left on device\n")


def read_by_nobody(folder, *command):
    source, sink = os.pipe()
    os.close(source)
    done = subprocess.run(
        [sys.executable, "-m", *command],
        check=False, stdout=sink, stderr=subprocess.PIPE, cwd=folder, env=environment(),
    )  # fmt: skip
    os.close(sink)
    return done.returncode, done.stderr


@every_command
def test_a_reader_that_has_seen_enough_changes_no_status(folder, command):
    assert read_by_nobody(folder, "shapecheck", *command) == (COMMANDS[command], b"")


def test_a_reader_that_has_seen_enough_ends_an_example_quietly(folder):
    pytest.importorskip("torch")
    status, complaints = read_by_nobody(folder, "examples.embeddings")
    assert (status in {0, 1}, complaints) == (True, b"")
