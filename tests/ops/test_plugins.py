"""Rules of another distribution, found through its entry point."""

import subprocess
import sys

import pytest

RULES = """
from shapecheck.ops import op
from shapecheck.shapes import Tensor


@op("fusedlib.last_dropped")
def last_dropped(x: "Tensor") -> "Tensor":
    return x.reshaped(x.shape.without([len(x.shape) - 1]))
"""

MODEL = """
import fusedlib
from jaxtyping import Float
from torch import Tensor


def right(x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T"]:
    return fusedlib.last_dropped(x)


def wrong(x: Float[Tensor, "B T D"]) -> Float[Tensor, "B D"]:
    return fusedlib.last_dropped(x)
"""


@pytest.fixture
def site(tmp_path):
    library = tmp_path / "site"
    metadata = library / "fusedlib-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: fusedlib\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[shapecheck.ops]\nfusedlib = fusedlib_shapes\n")
    (library / "fusedlib_shapes.py").write_text(RULES)
    (tmp_path / "model.py").write_text(MODEL)
    return library


def check(site):
    return subprocess.run(
        [sys.executable, "-m", "shapecheck", "check", "--output-format", "concise", "model.py"],
        cwd=site.parent,
        env={"PYTHONPATH": f"{site}:{':'.join(sys.path)}", "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_rules_of_a_distribution_count(site):
    done = check(site)
    assert done.returncode == 1, done.stderr
    assert [line.split(": ")[0] for line in done.stdout.splitlines() if "SC201" in line] == ["model.py:12:12"]


def test_a_distribution_whose_rules_cannot_be_imported_is_named(site):
    (site / "fusedlib_shapes.py").write_text("import nothing_of_that_name\n")
    done = check(site)
    assert "fusedlib" in done.stderr
    assert "nothing_of_that_name" in done.stderr
    assert done.returncode == 0
