"""What a user meets besides findings: standard input, interruptions, readers that stop, files that are not there."""

import contextlib
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import unquote_to_bytes
from xml.etree import ElementTree as ET

import pytest

from shapecheck.cli import main
from shapecheck.patterns import compiled, fault_in

ROOT = Path(__file__).parents[2]
HEAD = "from jaxtyping import Float\nfrom torch import Tensor\n"
FAULTY = HEAD + 'def swap(x: Float[Tensor, "B T"]) -> Float[Tensor, "T B"]:\n    return x\n'
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), *sys.path))}


def run(*arguments, cwd, stdin=""):
    done = subprocess.run(
        [sys.executable, "-m", "shapecheck", *arguments],
        check=False, capture_output=True, cwd=cwd, env=ENVIRONMENT,
        input=stdin if isinstance(stdin, bytes) else stdin.encode(),
    )  # fmt: skip
    return done.returncode, done.stdout.decode(), done.stderr.decode()


# -- standard input --------------------------------------------------------------------------------------------------


def test_standard_input_is_checked(tmp_path):
    status, out, err = run("check", "-", "--output-format", "concise", cwd=tmp_path, stdin=FAULTY)
    assert (status, err) == (1, "")
    assert out.startswith("<stdin>:4:12: error[SC201] return-shape: ")
    status, out, _ = run("check", "-", cwd=tmp_path, stdin=FAULTY.replace("return x", "return x.mT"))
    assert (status, out) == (0, "no findings in 1 file\n")
    # The source is shown as it came in.
    assert "4 |     return x\n" in run("check", "-", cwd=tmp_path, stdin=FAULTY)[1]


def test_standard_input_stands_for_a_file(tmp_path):
    """As in an editor: what is on the disk is older, imports and settings are those of the file's place."""
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "shapes.py").write_text(HEAD + "Turned = Float[Tensor, 'T B']\n")
    (package / "model.py").write_text("x = 1\n")
    (tmp_path / "pyproject.toml").write_text('[tool.shapecheck.per-file-ignores]\n"pkg/old.py" = ["SC2"]\n')
    text = HEAD + 'from .shapes import Turned\ndef swap(x: Float[Tensor, "B T"]) -> Turned:\n    return x\n'
    options = ("check", "-", "--output-format", "json", "--stdin-filename")
    status, out, _ = run(*options, "pkg/model.py", cwd=tmp_path, stdin=text)
    assert [(item["filename"], item["code"], item["location"]["row"]) for item in json.loads(out)] == [
        ("pkg/model.py", "SC201", 5)
    ]
    assert status == 1
    assert run(*options, "pkg/old.py", cwd=tmp_path, stdin=text)[:2] == (0, "[]\n")
    assert run(*options, str(package / "model.py"), cwd=tmp_path, stdin=text) == (status, out, "")
    assert (package / "model.py").read_text() == "x = 1\n"
    silenced = text.replace("return x", "return x  # shapecheck: ignore[SC201]")
    assert run(*options, "pkg/model.py", cwd=tmp_path, stdin=silenced)[:2] == (0, "[]\n")


def test_standard_input_in_another_encoding_or_none(tmp_path):
    latin = f"# coding: latin-1\n# é\n{FAULTY}".encode("latin-1")
    assert "6 |     return x\n" in run("check", "-", cwd=tmp_path, stdin=latin)[1]
    status, out, _ = run("check", "-", "--output-format", "concise", cwd=tmp_path, stdin=b"x = '\xff'\n")
    assert status == 1
    assert out.startswith("<stdin>:1:1: error[SC001] unreadable-file: is not UTF-8")
    assert run("check", "-", cwd=tmp_path) == (0, "no findings in 1 file\n", "")
    marked = b"\xef\xbb\xbf# coding: latin-1\n"
    assert "so its coding line must say utf-8, not iso-8859-1" in run("check", "-", cwd=tmp_path, stdin=marked)[1]


@pytest.mark.parametrize(
    "arguments", [("-", "other.py"), ("--stdin-filename", "m.py"), ("--stdin-filename=m.py", "n.py")]
)
def test_standard_input_is_checked_alone(tmp_path, arguments):
    assert run("check", *arguments, cwd=tmp_path) == (
        2, "", "shapecheck: standard input is checked alone: `shapecheck check --stdin-filename FILE -`\n",
    )  # fmt: skip


# -- interruptions -----------------------------------------------------------------------------------------------------

INTERRUPTED = """
import os, signal, sys, time
import shapecheck.forks, shapecheck.static.check as check
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have told it to be ignored
parent, jobs = os.getpid(), sys.argv[1]
def interrupted(project, parts, config):
    if not parts:
        return [], None
    if os.getpid() != parent or jobs == "1":
        # As the terminal does it: every process of the run gets the signal.
        os.killpg(os.getpgid(0), signal.SIGINT)
    time.sleep(30)
check.check_parts = shapecheck.forks.check_parts = interrupted
from shapecheck.__main__ import run
sys.argv[1:] = ["check", "--jobs", jobs, "a.py", "b.py"]
run()
"""


def is_running(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.skipif(not hasattr(os, "killpg"), reason="signals as on POSIX")
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interruption_ends_a_run_without_a_traceback(tmp_path, jobs):
    for name in "ab":
        (tmp_path / f"{name}.py").write_text(FAULTY + "# long\n" * 9000)
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, str(jobs)], cwd=tmp_path, env=ENVIRONMENT, start_new_session=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        out, err = process.communicate(timeout=100)
    assert (process.returncode, out, err) == (130, b"", b"")
    # And no other process is left behind, though the last may take a moment to go.
    until = time.monotonic() + 30
    while is_running(process.pid) and time.monotonic() < until:
        time.sleep(0.05)
    assert not is_running(process.pid)


# -- progress --------------------------------------------------------------------------------------------------------

WATCHED = """
import sys
import shapecheck.progress as progress
progress.PATIENCE = float(sys.argv[1])
sys.stderr.isatty = lambda: True
from shapecheck.cli import main
status = main(["check", "--no-cache", "--jobs", sys.argv[2], "."])
assert ("rich" in sys.modules) == (sys.argv[1] == "0"), sys.argv
sys.exit(status)
"""


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_run_that_takes_long_shows_how_far_it_is(tmp_path, jobs):
    for number in range(4):
        (tmp_path / f"m{number}.py").write_text(FAULTY + "# long\n" * 4000)
    plain = run("check", "--no-cache", ".", cwd=tmp_path)
    for patience in ("0", "60"):
        done = subprocess.run(
            [sys.executable, "-c", WATCHED, patience, str(jobs)],
            check=False, capture_output=True, text=True, cwd=tmp_path, env={**ENVIRONMENT, "FORCE_COLOR": "1"},
        )  # fmt: skip
        # What was found is as it is without; the bar is drawn beside it, and taken away.
        assert (done.returncode, done.stdout) == plain[:2], done.stderr
        assert ("checking" in done.stderr) is (patience == "0")
    assert plain[2] == ""


# -- files -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text(FAULTY)
    return tmp_path


def findings(capsys, *arguments):
    assert main(["check", "--output-format", "json", *arguments]) == 1
    return [(item["filename"], item["code"]) for item in json.loads(capsys.readouterr().out)]


@pytest.mark.parametrize("options", [(), ("--jobs", "2"), ("--cache-dir", "kept")])
def test_a_file_that_vanishes_is_told_and_hides_no_other(project, capsys, monkeypatch, options):
    from shapecheck import discovery

    discover = discovery.discover

    def and_then_one_goes(*arguments):
        found = discover(*arguments)
        (project / "a.py").unlink()
        return found

    monkeypatch.setattr(discovery, "discover", and_then_one_goes)
    assert findings(capsys, *options) == [("a.py", "SC001"), ("b.py", "SC201")]


def test_a_file_without_permission_is_told_and_hides_no_other(project, capsys, monkeypatch):
    if os.geteuid() == 0:
        # Root may read everything.
        import builtins

        real = builtins.open

        def guarded(path, *arguments, **options):
            if path == "a.py":
                raise PermissionError(13, "Permission denied")
            return real(path, *arguments, **options)

        monkeypatch.setattr(builtins, "open", guarded)
    (project / "a.py").chmod(0)
    assert findings(capsys) == [("a.py", "SC001"), ("b.py", "SC201")]


def test_links_that_lead_nowhere_or_round_in_a_circle_are_passed_over(project, capsys):
    (project / "dangling.py").symlink_to("nowhere.py")
    (project / "self.py").symlink_to("self.py")
    (project / "round").mkdir()
    (project / "round" / "again").symlink_to(project / "round")
    assert findings(capsys) == [("a.py", "SC201"), ("b.py", "SC201")]
    assert main(["check", "dangling.py"]) == 2
    assert "no such file or directory: dangling.py" in capsys.readouterr().err


@pytest.mark.parametrize("command", [("check",), ("show",), ("check", "-", "--stdin-filename"), ("check", "a.py")])
def test_a_notebook_is_not_taken_for_checked(project, capsys, command):
    """Its JSON is an expression of Python, in which there is nothing to find."""
    (project / "nb.ipynb").write_text('{"cells": []}')
    assert main([*command, "nb.ipynb"]) == 2
    said = "shapecheck: notebooks are not read: nb.ipynb; check what `jupyter nbconvert --to script` makes of it\n"
    assert capsys.readouterr() == ("", said)


ODD = ('q"u,o:t%e.py', "two\nlines.py", os.fsdecode(b"no\xfftext.py"), "\x1b[31mred.py", "o'\\n.py", "名 前.py")
"""Names that a file may have: no file system but a POSIX one takes all of them."""


@pytest.fixture
def odd(tmp_path):
    try:
        for name in ODD:
            (tmp_path / name).write_text(FAULTY)
    except (OSError, ValueError):
        pytest.skip("the file system refuses such names")
    return tmp_path


@pytest.mark.parametrize("output", [(), ("--output-file", "out")])
def test_every_format_tells_files_of_any_name(odd, output):
    def told(name):
        done = run("check", "--output-format", name, *output, cwd=odd)
        assert (done[0], done[2]) == (1, ""), name
        return (odd / "out").read_text() if output else done[1]

    def uri(result):
        return result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]

    shown = ["\\x1b[31mred.py", "no\\udcfftext.py", "o'\\n.py", 'q"u,o:t%e.py', "two\\nlines.py", "名 前.py"]
    concise = [line for line in told("concise").splitlines() if "error[" in line]
    assert [line.partition(":4:12: error[SC201]")[0] for line in concise] == shown
    assert [line[5:] for line in told("full").splitlines() if " --> " in line] == [f"{n}:4:12 in swap" for n in shown]
    # Programs get the name itself: in JSON all of it, in SARIF byte by byte, in a workflow command what is text.
    assert {item["filename"] for item in json.loads(told("json"))} == set(ODD)
    [sarif] = json.loads(told("sarif"))["runs"]
    assert {os.fsdecode(unquote_to_bytes(uri(result))) for result in sarif["results"]} == set(ODD)
    commands = told("github").splitlines()
    assert len(commands) == len(ODD)
    assert commands[3].startswith('::error title=SC201 return-shape,file=q"u%2Co%3At%25e.py,line=4,')
    assert ",file=two%0Alines.py,line=4," in commands[4]
    assert len(ET.fromstring(told("junit")).findall(".//failure")) == len(ODD)  # noqa: S314  our own text


def test_files_of_any_name_pass_by_a_baseline(odd):
    options = "check", "--baseline", "known.json"
    assert run(*options, "--write-baseline", cwd=odd) == (0, "6 findings written to known.json\n", "")
    assert run(*options, cwd=odd) == (0, "no findings in 6 files; 6 known from the baseline\n", "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "a\nb.py"], "no such file or directory: a\\nb.py"),
        (["check", ""], "no such file or directory: ''"),
        (["show", ""], "no such file: ''"),
        (["check", "--output-file", "a\n/b", "a.py"], "cannot write a\\n/b: No such file or directory"),
    ],
)
def test_a_complaint_is_one_line_whatever_a_file_is_called(project, capsys, arguments, said):
    assert main(arguments) == 2
    assert capsys.readouterr() == ("", f"shapecheck: {said}\n")


# -- settings and comments -------------------------------------------------------------------------------------------


def test_settings_that_are_not_utf8_are_told_with_their_place(project, capsys):
    (project / "pyproject.toml").write_bytes(b"[tool.shapecheck]\n# \xff\n")
    assert main(["check", "."]) == 2
    path = project / "pyproject.toml"
    assert capsys.readouterr().err == f"shapecheck: {path} is not UTF-8: byte 0xff in line 2\n"


def test_a_tool_that_is_no_table_has_no_settings(project, capsys):
    (project / "pyproject.toml").write_text('tool = "shapecheck"\n')
    assert main(["check", "a.py"]) == 1


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("[", "its [ is not closed by a ]"),
        ("build/[ab", "its [ is not closed by a ]"),
        ("[]", "its [ is not closed by a ]"),
        ("!", "'!' names nothing"),
        ("end\\\\", "the backslash at its end escapes nothing"),
        ("[z-a].py", "the range in [z-a] goes backwards"),
    ],
)
def test_a_pattern_that_is_none_is_told(project, capsys, pattern, said):
    for table in ('[tool.shapecheck]\nexclude = ["{}"]', '[tool.shapecheck.per-file-ignores]\n"{}" = []'):
        (project / "pyproject.toml").write_text(table.format(pattern))
        assert main(["check", "a.py"]) == 2
        err = capsys.readouterr().err
        assert err.startswith(f"shapecheck: {project / 'pyproject.toml'}: ")
        assert err.endswith(f"is no gitignore pattern: {said}\n")


@pytest.mark.parametrize(
    "pattern", ["", "# [", "\\[", "[[]x", "[]]x", "[!]]x", "[a-z]*.py", "a\\ ", "**/b/", "!x", "[[:x]"]
)
def test_what_git_takes_for_a_pattern_is_one(pattern):
    assert fault_in(pattern) is None
    compiled([pattern])


def test_lines_of_gitignore_that_are_no_patterns_match_nothing(project, capsys):
    (project / ".git").mkdir()
    (project / ".gitignore").write_text("!\n[\nb.py\n[z-a]\nx\\\n")
    assert findings(capsys) == [("a.py", "SC201")]


@pytest.mark.parametrize("comment", ["ignore[SC201", "ignore-file[SC201", "ignore[SC201 # more"])
def test_a_bracket_that_is_not_closed_silences_nothing_and_is_told(project, capsys, comment):
    (project / "a.py").write_text(FAULTY.replace("return x", f"return x  # shapecheck: {comment}"))
    assert findings(capsys, "a.py") == [("a.py", "SC201"), ("a.py", "SC002")]
    with contextlib.suppress(SystemExit):
        main(["check", "--output-format", "concise", "a.py"])
    assert "is not closed, so it silences nothing" in capsys.readouterr().out
