"""The import hook on packages written to disk."""

import importlib
import os
import subprocess
import sys

import numpy as np
import pytest

from shapecheck import ShapecheckWarning, ShapeError, install_import_hook

LAYERS = """
from __future__ import annotations
import dataclasses, typing
from jaxtyping import Float
from numpy import ndarray
import shapecheck

def double(x: Float[ndarray, "n"]) -> Float[ndarray, "2*n"]:
    return x if len(x) == 3 else x.repeat(2)

class Layer:
    def __init__(self, w: Float[ndarray, "d e"]):
        self.w = w

    @property
    def bias(self) -> Float[ndarray, "e"]:
        return self.w

    @staticmethod
    def square(x: Float[ndarray, "n n"]): return x

    def make(self):
        def inner(x: Float[ndarray, "k"]): return x
        return inner

@dataclasses.dataclass
class Batch:
    tokens: Float[ndarray, "b t"]

@shapecheck.unchecked
def free(x: Float[ndarray, "n"]): return x

@typing.overload
def over(x: int) -> int: ...
@typing.overload
def over(x: str) -> str: ...
def over(x): return x

def plain(x): return x
"""

EIGHT, SQUARE, ROW = np.zeros((2, 4)), np.zeros((3, 3)), np.zeros(3)


@pytest.fixture
def package(tmp_path, monkeypatch, request):
    name = "hooked_" + "".join(char for char in request.node.name if char.isalnum())
    root = tmp_path / name
    root.mkdir()
    (root / "__init__.py").write_text("")
    (root / "layers.py").write_text(LAYERS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "path_hooks", list(sys.path_hooks))  # beartype's hook stays for good
    yield name
    sys.path_importer_cache.clear()
    for loaded in [module for module in sys.modules if module.startswith(name)]:
        del sys.modules[loaded]


def test_every_annotated_function_is_checked(package):
    with install_import_hook(package):
        layers = importlib.import_module(f"{package}.layers")
    assert layers.double(np.zeros(2)).shape == (4,)
    for call in (
        lambda: layers.double(ROW),
        lambda: layers.Layer(ROW),
        lambda: layers.Layer(EIGHT).bias,
        lambda: layers.Layer.square(EIGHT),
        lambda: layers.Layer(EIGHT).make()(EIGHT),
        lambda: layers.Batch(ROW),
    ):
        with pytest.raises(ShapeError) as caught:
            call()
        assert caught.value.function
    assert layers.free(EIGHT) is EIGHT
    assert layers.over(3) == 3
    assert not hasattr(layers.plain, "__shapecheck__")


def test_other_modules_are_left_alone(package):
    with install_import_hook(["elsewhere", "other.*"]):
        layers = importlib.import_module(f"{package}.layers")
    assert layers.double(np.zeros(3)).shape == (3,)


@pytest.mark.parametrize("pattern", ["{}", "{}.layers", "{}.*", "hooked_*", "?ooked_test*[!x]"])
def test_patterns(package, pattern):
    with install_import_hook(pattern.format(package)):
        layers = importlib.import_module(f"{package}.layers")
    with pytest.raises(ShapeError):
        layers.double(ROW)


def test_modules_imported_before_are_named(package):
    importlib.import_module(f"{package}.layers")
    with pytest.warns(ShapecheckWarning, match=rf"imported before.*{package}, {package}\.layers"):
        install_import_hook(package).uninstall()


def test_no_byte_code_is_shared_with_unchecked_imports(package, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    for hooked in (True, False, True):
        hook = install_import_hook(package) if hooked else None
        layers = importlib.import_module(f"{package}.layers")
        assert hasattr(layers.double, "__shapecheck__") == hooked
        if hook:
            hook.uninstall()
        for loaded in [module for module in sys.modules if module.startswith(package)]:
            del sys.modules[loaded]
        importlib.invalidate_caches()


@pytest.mark.parametrize("ours_first", [True, False])
@pytest.mark.parametrize("other", ["jaxtyping", "beartype"])
def test_together_with_the_hooks_of_others(package, other, ours_first):
    def theirs():
        if other == "jaxtyping":
            import jaxtyping

            return jaxtyping.install_import_hook(package, "beartype.beartype")
        from beartype.claw import beartype_package

        beartype_package(package)
        return None

    if ours_first:
        ours, hook = install_import_hook(package), theirs()
    else:
        hook = theirs()
        ours = install_import_hook(package)
    try:
        layers = importlib.import_module(f"{package}.layers")
    finally:
        ours.uninstall()
        if hook is not None:
            hook.uninstall()
    assert layers.Layer.square(SQUARE) is SQUARE
    with pytest.raises(Exception, match=r"\bn\b"):
        layers.Layer.square(EIGHT)
    assert layers.Batch(SQUARE).tokens is SQUARE


LOCALS = """
import typing
from jaxtyping import Float
from numpy import ndarray
if typing.TYPE_CHECKING:
    from nowhere import Nothing

def mix(x: Float[ndarray, "b d"], k) -> Float[ndarray, "b"]:
    h: Float[ndarray, "b k d"] = k
    h: Float[ndarray, "b k"] = k[:, :, 0]
    y: "Float[ndarray, 'b']" = h[:, 0]
    z: Nothing = 3
    w: ndarray
    class Inner:
        d: int = 3
    helper(k)
    for _ in pieces(k):
        pass
    return y

def helper(k):
    b: Float[ndarray, "d b k"] = k
    return b

def pieces(k):
    b: Float[ndarray, "d b k"] = k
    yield b

def rows(x: Float[ndarray, "b d"]):
    for row in x:
        y: Float[ndarray, "b"] = row
        yield y
"""


def test_annotated_locals(package, tmp_path):
    (tmp_path / package / "layers.py").write_text(LOCALS)
    with install_import_hook(package, locals=True):
        layers = importlib.import_module(f"{package}.layers")
    assert layers.mix(EIGHT, np.zeros((2, 5, 4))).shape == (2,)
    with pytest.raises(ShapeError, match=r"mix\(\): axis 2 of h \(d\) is 3, expected 4") as caught:
        layers.mix(EIGHT, np.zeros((2, 5, 3)))
    assert (caught.value.argument, caught.value.axis, caught.value.function) == ("h", 2, "mix")
    assert "layers.py:9" in str(caught.value)
    assert len(list(layers.rows(SQUARE))) == 3
    with pytest.raises(ShapeError, match="axis 0 of y"):
        list(layers.rows(EIGHT))


def test_switched_off(package, monkeypatch):
    monkeypatch.setenv("SHAPECHECK", "off")
    before = list(sys.meta_path)
    install_import_hook(package)
    assert sys.meta_path == before


def test_a_module_run_as_a_program(package, tmp_path):
    main = '"""Doc."""\nfrom __future__ import annotations\n' + LAYERS.partition("import annotations")[2]
    (tmp_path / package / "__main__.py").write_text(main + "\nimport numpy\ndouble(numpy.zeros(3))\n")
    environment = {**os.environ, "SHAPECHECK_PACKAGES": package, "PYTHONPATH": str(tmp_path)}
    (tmp_path / package / "__init__.py").write_text("import shapecheck")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", package], env=environment, capture_output=True, text=True, check=False
    )
    assert "ShapeError: double()" in done.stderr


def test_from_the_environment(package, tmp_path):
    code = f"import shapecheck, {package}.layers as m; import numpy as np; m.double(np.zeros(3))"
    environment = {**os.environ, "SHAPECHECK_PACKAGES": f"{package}, other", "PYTHONPATH": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert "ShapeError: double()" in done.stderr
