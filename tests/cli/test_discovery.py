"""Discovery against git itself where .gitignore is concerned, and against hand-made trees elsewhere."""

import os
import shutil
import subprocess

import pytest

from shapecheck.config import Settings
from shapecheck.discovery import DiscoveryError, discover


@pytest.fixture
def tree(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def make(*names, **texts):
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        for name, text in texts.items():
            (tmp_path / name).write_text(text)
        return tmp_path

    return make


def found(*paths, exclude=()):
    return discover(paths or ["."], Settings(os.getcwd(), exclude=exclude)).files


def test_python_files_in_order_and_nothing_else(tree):
    tree("b.py", "a.py", "notes.txt", "pkg/c.py", "pkg/sub/d.py")
    assert found() == ["a.py", "b.py", "pkg/c.py", "pkg/sub/d.py"]


def test_foreign_and_hidden_directories_are_left_out(tree):
    tree(
        "a.py",
        ".hidden/a.py",
        "__pycache__/a.py",
        "node_modules/a.py",
        "site-packages/a.py",
        "env/pyvenv.cfg",
        "env/a.py",
    )
    assert found() == ["a.py"]


def test_a_named_file_is_always_checked_and_only_once(tree):
    tree("a.py", "gen/b.py", "script")
    assert found("gen/b.py", "script", "./gen/b.py", ".", exclude=["gen"]) == ["gen/b.py", "script", "a.py"]


def test_excluded_files_are_left_out_unless_their_directory_is_named(tree):
    tree("a.py", "examples/faults/b.py", "examples/c.py")
    assert found(exclude=["examples/faults"]) == ["a.py", "examples/c.py"]
    assert found("examples", exclude=["examples/faults"]) == ["examples/c.py"]
    assert found("examples/faults", exclude=["examples/faults"]) == ["examples/faults/b.py"]


def test_names_outside_the_working_directory_stay_as_they_are(tree, tmp_path, monkeypatch):
    tree("pkg/a.py", "other/b.py")
    monkeypatch.chdir(tmp_path / "pkg")
    assert found(str(tmp_path / "pkg"), str(tmp_path / "other")) == ["a.py", str(tmp_path / "other" / "b.py")]


GITIGNORE = """
# comment
*.gen.py
!keep.gen.py
/top.py
build/
deep/**/x.py
"""


@pytest.mark.skipif(shutil.which("git") is None, reason="git decides what is right")
def test_gitignore_means_what_it_means_to_git(tree, tmp_path):
    tree(
        "top.py", "a.py", "a.gen.py", "keep.gen.py", "pkg/top.py", "pkg/b.gen.py", "build/c.py", "pkg/build/d.py",
        "deep/x.py", "deep/er/x.py", "deep/er/y.py", "pkg/inner/a.gen.py", "pkg/inner/b.py", "pkg/inner/c.py",
    )  # fmt: skip
    (tmp_path / ".gitignore").write_text(GITIGNORE)
    (tmp_path / "pkg/inner/.gitignore").write_text("!a.gen.py\nb.py\n")
    subprocess.run(["git", "init", "-q"], check=True)  # noqa: S607
    listed = subprocess.run(
        ["git", "ls-files", "--others", "--exclude-standard", "*.py"],  # noqa: S607
        check=True, capture_output=True, text=True,
    ).stdout.split()  # fmt: skip
    assert sorted(found()) == sorted(listed)
    # What holds at the top holds when the walk starts further down.
    assert sorted(found("pkg")) == sorted(name for name in listed if name.startswith("pkg/"))
    # Naming an ignored directory or file is a wish to check it.
    assert found("build") == ["build/c.py"]
    assert found("a.gen.py") == ["a.gen.py"]


def test_links_do_not_loop(tree, tmp_path):
    tree("pkg/a.py")
    os.symlink(tmp_path, tmp_path / "pkg" / "up")
    os.symlink("loop", tmp_path / "loop")
    os.symlink("nowhere.py", tmp_path / "broken.py")
    os.symlink("round.py", tmp_path / "round.py")
    assert found() == ["pkg/a.py"]


def test_a_directory_that_cannot_be_listed_is_told(tree, tmp_path, monkeypatch):
    tree("a.py", "shut/b.py")
    scan = os.scandir

    def refusing(path):
        if path.endswith("shut"):
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    # Taking the permission away would not do: root reads everything.
    monkeypatch.setattr(os, "scandir", refusing)
    found = discover(["."], Settings(str(tmp_path)))
    assert (found.files, found.unreadable) == (["a.py"], [("shut", "Permission denied")])


def test_a_missing_path_is_an_error(tree):
    tree("a.py")
    with pytest.raises(DiscoveryError, match=r"no such file or directory: b\.py"):
        found("b.py")
