"""Layers import downwards only, and nothing heavy is imported where it would be paid for at every start.

The imports are read from the source of every module, also those inside functions. What stands under
`if TYPE_CHECKING:` is for type checkers and never runs; it is held to the layers all the same.
"""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import shapecheck

PACKAGE = Path(shapecheck.__file__).parent

MAY_IMPORT = {
    "dims": set(),
    "annotations": {"dims"},
    "shapes": {"dims"},
    "diagnostics": {"dims", "shapes", "annotations"},
    # A rule may compare a declaration with what arrives (SC304), so it may read declarations.
    "rules": {"dims", "annotations", "shapes", "diagnostics"},
    "ops": {"dims", "shapes", "rules"},
    "static": {"dims", "annotations", "shapes", "diagnostics", "rules", "ops"},
    "runtime": {"dims", "annotations", "diagnostics"},
}
# Frontends may import every layer; only frontends import them.
FRONTENDS = {
    "__main__", "arguments", "axis_coverage", "cache", "cli", "config", "discovery", "findings", "forks",
    "parallel", "patterns", "progress", "pytest_plugin", "records", "show", "streams",
}  # fmt: skip
# The package itself offers the call-time names, lazily; the version is a constant, and distributions that bring rules
# are looked for without importing anything.
ANYWHERE = {"entry_points", "version"}

HEAVY = ("torch", "numpy", "einops", "jaxtyping", "beartype", "rich", "pathspec", "tomllib", "inspect", "dataclasses")


def modules():
    return sorted(path for path in PACKAGE.rglob("*.py") if "__pycache__" not in path.parts)


def layer_of(path):
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imported(path):
    """Yield (row, dotted name) of every module of this package that a file imports, in whatever function."""
    package = ("shapecheck", *path.relative_to(PACKAGE).parent.parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                base = ".".join((*package[: len(package) - node.level + 1], *filter(None, [node.module])))
            # `from shapecheck import ops` imports the layer as much as `import shapecheck.ops` does.
            names = [f"{base}.{alias.name}" for alias in node.names] if base == "shapecheck" else [base]
        else:
            continue
        yield from ((node.lineno, name) for name in names if name.split(".")[0] == "shapecheck")


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_downwards(path):
    layer = layer_of(path)
    if layer in FRONTENDS:
        return
    allowed = {"runtime"} if layer == "__init__" else MAY_IMPORT.get(layer, set()) | {layer}
    wrong = [
        f"{path.relative_to(PACKAGE)}:{row} imports {name}"
        for row, name in imported(path)
        if len(name.split(".")) > 1 and name.split(".")[1] not in allowed | ANYWHERE
    ]
    assert wrong == []


def test_every_module_belongs_to_a_layer():
    assert {layer_of(path) for path in modules()} <= set(MAY_IMPORT) | FRONTENDS | ANYWHERE | {"__init__"}


def loaded(statement, *arguments):
    """Return the names of the modules that a fresh interpreter has loaded after a statement."""
    script = f"import sys\n{statement}\nprint(*sys.modules)"
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("COV_", "PYTEST"))}
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments], check=True, capture_output=True, text=True, env=environment
    )
    return set(done.stdout.split())


def test_importing_the_package_loads_nothing_heavy():
    assert loaded("import shapecheck").isdisjoint((*HEAVY, "ast", "re", "typing"))


def test_the_command_line_loads_nothing_heavy(tmp_path):
    model = tmp_path / "model.py"
    model.write_text(
        "from jaxtyping import Float\nfrom torch import Tensor\n"
        'def f(x: Float[Tensor, "B T"]) -> Float[Tensor, "T B"]:\n    return x.mT\n'
    )
    names = loaded("from shapecheck.cli import main\nassert main(sys.argv[1:]) == 0", "check", str(model))
    assert names.isdisjoint((*HEAVY, "typing", "fractions", "importlib.metadata"))
