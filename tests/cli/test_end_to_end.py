"""The command line as users run it: a process of its own, with the real checker."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

FAULTY = """\
from jaxtyping import Float
from torch import Tensor


def swap(x: Float[Tensor, "B T D"]) -> Float[Tensor, "B D T"]:
    return x * 2
"""


def run(*arguments, cwd, env=None):
    return subprocess.run(
        [sys.executable, "-m", "shapecheck", *arguments], check=False, capture_output=True, text=True, cwd=cwd, env=env
    )


@pytest.fixture
def project(tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "model.py").write_text(FAULTY)
    return tmp_path


def test_a_fault_is_found_and_placed(project):
    done = run("check", "--output-format", "json", "src", cwd=project)
    assert done.stderr == ""
    assert done.returncode == 1
    [item] = json.loads(done.stdout)
    assert (item["filename"], item["code"], item["name"]) == ("src/model.py", "SC201", "return-shape")
    assert item["severity"] == "error"
    assert item["function"] == "swap"
    assert item["location"]["row"] == 6
    source = FAULTY.splitlines()[5]
    span = source[item["location"]["column"] - 1 : item["end_location"]["column"] - 1]
    assert span in {"return x * 2", "x * 2"}


def test_the_repair_is_clean(project):
    path = project / "src" / "model.py"
    path.write_text(FAULTY.replace("x * 2", "x.transpose(1, 2) * 2"))
    done = run("check", "src", cwd=project)
    assert (done.returncode, done.stdout, done.stderr) == (0, "no findings in 1 file\n", "")


def test_a_comment_silences_and_is_counted(project):
    path = project / "src" / "model.py"
    path.write_text(FAULTY.replace("x * 2", "x * 2  # shapecheck: ignore[SC201]"))
    done = run("check", cwd=project)
    assert (done.returncode, done.stdout) == (0, "no findings in 1 file; 1 silenced by comments\n")


def test_broken_files_are_reported_and_do_not_hide_the_others(project):
    (project / "src" / "broken.py").write_text("def f(:\n")
    (project / "src" / "binary.py").write_bytes(b"x = '\xff'\n")
    done = run("check", "--output-format", "json", cwd=project)
    assert done.returncode == 1
    found = {(item["filename"], item["code"]) for item in json.loads(done.stdout)}
    assert found == {("src/broken.py", "SC001"), ("src/binary.py", "SC001"), ("src/model.py", "SC201")}


def test_a_baseline_lets_old_findings_pass_where_they_move(project):
    assert run("check", "--baseline", "known.json", "--write-baseline", cwd=project).returncode == 0
    path = project / "src" / "model.py"
    path.write_text("# moved\n" * 5 + FAULTY)
    assert run("check", "--baseline", "known.json", cwd=project).returncode == 0
    path.write_text(FAULTY + FAULTY.split("\n\n\n")[1].replace("swap", "again"))
    done = run("check", "--baseline", "known.json", "--output-format", "concise", cwd=project)
    assert done.returncode == 1
    assert done.stdout.splitlines()[0].startswith("src/model.py:8:")


def test_statistics_count_what_was_checked(project):
    done = run("check", "--statistics", cwd=project)
    assert "annotated functions        1  1 checked\n" in done.stdout
    assert "of known shape (100.0 %)" in done.stdout
    (project / "src" / "other.py").write_text(
        "from jaxtyping import Float\nfrom torch import Tensor\n\n\n"
        'def double(x: Float[Tensor, "n"]) -> Tensor:\n    return x.of_a_later_version()\n'
    )
    done = run("check", "--statistics", cwd=project)
    assert "annotated functions        2  2 checked, 1 of them partly\n" in done.stdout
    assert "in each:\n        1  torch.Tensor.of_a_later_version has no rule\n" in done.stdout


def test_worker_processes_find_the_same(project):
    for number in range(6):
        (project / "src" / f"copy{number}.py").write_text(FAULTY)
    one = run("check", "--jobs", "1", "--output-format", "json", cwd=project)
    two = run("check", "--jobs", "2", "--output-format", "json", cwd=project)
    assert len(json.loads(one.stdout)) == 7
    assert (one.stdout, one.stderr) == (two.stdout, two.stderr)


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes there")
@pytest.mark.parametrize("form", ["full", "concise", "json", "github", "sarif", "junit"])
def test_names_and_text_that_cannot_be_encoded_are_shown_escaped(project, form):
    (project / "src" / "model.py").unlink()
    path = os.fsencode(project) + b"/src/m\xff.py"
    with open(path, "w", encoding="utf-8") as file:
        file.write(FAULTY.replace("x * 2", "x * 2  # ≠"))
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = run("check", "--output-format", form, cwd=project, env=environment)
    assert (done.returncode, done.stderr) == (1, "")
    assert "SC201" in done.stdout


def test_the_projects_own_code_is_clean():
    done = run("check", "--strict-internal", cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")
