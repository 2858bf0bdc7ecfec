"""What the README shows is what a reader gets who saves its blocks and runs them."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from shapecheck.cli import main

README = Path(__file__).parents[2] / "README.md"


def blocks():
    """The fenced blocks of the README, in order."""
    return re.findall(r"^```\w*\n(.*?)^```$", README.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def block(start):
    [found] = [text for text in blocks() if text.startswith(start)]
    return found


def test_the_first_session(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(block("# model.py\n"))
    assert main(["check", "model.py"]) == 1
    assert "$ shapecheck check model.py\n" + capsys.readouterr().out == block("$ shapecheck check model.py\n")


def test_the_shapes_of_the_first_session(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(block("# model.py\n"))
    assert main(["show", "model.py::SelfAttention.forward"]) == 0
    command = "$ shapecheck show model.py::SelfAttention.forward\n"
    assert command + capsys.readouterr().out == block(command)


def test_the_failing_call(tmp_path):
    pytest.importorskip("torch")
    (tmp_path / "call.py").write_text(block("# call.py\n"))
    done = subprocess.run(
        [sys.executable, "call.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(README.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    printed = done.stderr[done.stderr.index("shapecheck.ShapeError") :].replace(str(tmp_path), "...")
    assert f"$ python call.py\n...\n{printed}" == block("$ python call.py\n")


def test_the_entry_point_of_a_package_with_rules():
    from shapecheck.ops.plugins import GROUP

    project = tomllib.loads(block("[project]\n"))["project"]
    assert project["entry-points"] == {GROUP: {"mylib": "mylib.shape_rules"}}
