"""Where a module's name leads, and what a name of a file means."""

import ast

import pytest

from shapecheck.annotations import Alias
from shapecheck.static.index import Assigned, Imported, ModuleIndex, Project


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A function that writes files below an empty working directory and returns the index of one."""
    monkeypatch.chdir(tmp_path)

    def load(files, name):
        for path, text in files.items():
            target = tmp_path / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        index = Project().load(name)
        assert isinstance(index, ModuleIndex)
        return index

    return load


@pytest.mark.parametrize(
    ("files", "importer", "statement"),
    [
        ({"b.py": "f = 1"}, "a.py", "from b import f"),
        ({"p/__init__.py": "", "p/b.py": "f = 1"}, "p/a.py", "from .b import f"),
        ({"p/__init__.py": "", "p/b.py": "f = 1"}, "p/a.py", "from p.b import f"),
        ({"p/__init__.py": "from .b import f", "p/b.py": "f = 1"}, "a.py", "from p import f"),
        ({"p/__init__.py": "from .b import *", "p/b.py": "f = 1"}, "a.py", "from p import f"),
        ({"p/__init__.py": "", "p/q/__init__.py": "", "p/b.py": "f = 1"}, "p/q/a.py", "from ..b import f"),
        ({"p/b.py": "f = 1"}, "p/q/a.py", "from p.b import f"),
        ({"src/p/__init__.py": "", "src/p/b.py": "f = 1"}, "tests/a.py", "from p.b import f"),
        ({"src/p/__init__.py": "", "src/p/b.py": "f = 1"}, "src/p/a.py", "from p.b import f"),
        ({"b.pyi": "f: int = 1"}, "a.py", "from b import f"),
        ({"p/__init__.py": "from .b import g as f", "p/b.py": "from .c import h as g", "p/c.py": "h = 1"}, "a.py",
         "from p import f"),
    ],
    ids=["beside", "relative", "absolute", "re-exported", "star", "two up", "no __init__", "src", "inside src", "stub",
         "renamed"],
)  # fmt: skip
def test_imports_lead_to_the_definition(project, files, importer, statement):
    index = project({**files, importer: statement}, importer)
    owner, binding = index.find("f")
    assert isinstance(binding, Assigned)
    assert owner.path != index.path


def test_a_cycle_of_imports_ends(project):
    index = project({"a.py": "from b import f", "b.py": "from a import f"}, "a.py")
    owner, binding = index.find("f")
    assert binding is None or isinstance(binding, Imported)
    assert owner is not None


def test_a_star_of_itself_ends(project):
    index = project({"p/__init__.py": "from p import *\nfrom . import *\n"}, "p/__init__.py")
    assert index.find("f")[1] is None


@pytest.mark.parametrize("name", ["torch", "jaxtyping", "typing", "math"])
def test_libraries_are_never_files_of_the_project(project, name):
    index = project({f"{name}.py": "x = 1", "a.py": f"import {name}"}, "a.py")
    assert index.project.module(name, index) is None


def test_names_of_libraries_are_qualified(project):
    index = project(
        {"a.py": "import torch.nn as nn\nimport numpy as np\nfrom jaxtyping import Float as F\nT = F\n"}, "a.py"
    )
    assert index.resolve("nn.Linear") == "torch.nn.Linear"
    assert index.resolve("np.ndarray") == "numpy.ndarray"
    assert index.resolve("F") == "jaxtyping.Float"
    assert isinstance(index.resolve("T"), Alias)
    assert index.resolve("missing") is None


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    from x import f\nexcept ImportError:\n    def f(): ...\n",
        "if A:\n    def f(): ...\nelse:\n    def f(): ...\n",
        "def f(): ...\nif A:\n    def f(): ...\n",
    ],
)
def test_a_function_defined_in_two_ways_is_ambiguous(project, text):
    assert project({"a.py": text}, "a.py").ambiguous == {"f"}


def test_one_definition_is_not_ambiguous(project):
    text = "def f(): ...\nclass A: ...\nif X:\n    def g(): ...\n"
    text += "try:\n    import z\nexcept ImportError:\n    z = None\n"
    index = project({"a.py": text}, "a.py")
    assert not index.ambiguous
    assert isinstance(index.bindings["z"], Imported)


def test_names_changed_in_place_are_known(project):
    text = "A, B, C, D = {}, [], 1, []\n"
    text += "def f():\n    global C\n    C = 2\n    A['x'] = 1\n    B.append(1)\n    D[0]\n"
    index = project({"a.py": text}, "a.py")
    assert index.changed >= {"A", "B"}
    assert "D" not in index.changed
    assert index.is_global("C")
    assert not index.is_global("A")


def test_overloads_are_kept_apart(project):
    text = "from typing import overload\n"
    text += "@overload\ndef f(x: int): ...\n@overload\ndef f(x: str): ...\ndef f(x): ...\n"
    index = project({"a.py": text}, "a.py")
    assert len(index.overloads["f"]) == 2
    assert isinstance(index.bindings["f"], ast.FunctionDef)
