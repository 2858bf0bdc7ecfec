"""A block that says `# sizes: B=2 T=3` is also run: each of its functions is decorated and called with such tensors.

The static verdict, the call-time verdict and torch must agree: a function with an expected error (SC1xx, SC2xx) must
raise, one with a warning (SC3xx) or nothing expected must not, and what `reveal_shape` is called on must have the
revealed sizes.
"""

import ast
import re
import sys
import types

import torch

from shapecheck.rules.catalogue import RULES
from tests.mdtest.blocks import Block, Expectation, File

_SIZES = re.compile(r"^# sizes: (.+)$", re.MULTILINE)
# What no call shows: annotations of local variables are read by the static checker alone.
_UNSEEN_AT_CALLS = {"SC206"}


def sizes_of(block: Block) -> dict[str, int] | None:
    """Return the sizes that a block asks to be run with, or None."""
    for file in block.files:
        found = _SIZES.search(file.text)
        if found:
            return {name: int(size) for name, size in (part.split("=") for part in found[1].split())}
    return None


def disagreements(block: Block, sizes: dict[str, int]) -> list[str]:
    """Run a block of one file; return a line for each function whose call says otherwise than the comments."""
    from shapecheck import shapechecked

    [file] = block.files
    expected = file.expectations()
    revealed: list[tuple[int, tuple[int, ...]]] = []

    def reveal_shape(tensor):
        revealed.append((sys._getframe(1).f_lineno, tuple(tensor.shape)))
        return tensor

    namespace = {"__name__": "block"}
    exec(compile(file.text, str(block.path), "exec", dont_inherit=True), namespace)  # noqa: S102  our own suites
    namespace["reveal_shape"] = reveal_shape
    functions = [node for node in ast.parse(file.text).body if isinstance(node, ast.FunctionDef)]
    for node in functions:
        namespace[node.name] = shapechecked(namespace[node.name])

    said = []
    for node in functions:
        inside = [item for item in expected if node.lineno <= item.row <= node.end_lineno]
        said += _call(node, namespace[node.name], inside, sizes, file)
    for row, shape in revealed:
        wanted = [_evaluated(item.text, sizes) for item in expected if (item.row, item.code) == (row, "SC000")]
        if wanted and shape not in wanted:
            said.append(f"{file.offset + row}: revealed {wanted[0]}, but the run has {shape}")
    return said


def _call(
    node: ast.FunctionDef,
    function: types.FunctionType,
    inside: list[Expectation],
    sizes: dict[str, int],
    file: File,
) -> list[str]:
    arguments = [_argument(name, hint, sizes) for name, hint in _parameters(function)]
    codes = {item.code for item in inside} - {"SC000"}
    must_raise = any(RULES[code].severity == "error" for code in codes)
    where = f"{file.offset + node.lineno}: {node.name}"
    try:
        function(*arguments)
    except Exception as error:  # noqa: BLE001  torch, einops and Python each raise their own
        if must_raise:
            return []
        return [f"{where} raises when it is run: {type(error).__name__}: {error}"]
    if must_raise and not codes <= _UNSEEN_AT_CALLS:
        return [f"{where} is expected to be wrong ({', '.join(sorted(codes))}), but it runs"]
    return []


def _parameters(function):
    hints = dict(getattr(function, "__wrapped__", function).__annotations__)
    hints.pop("return", None)
    return hints.items()


def _argument(name, hint, sizes):
    if hint is int:
        return sizes[name]
    if hint is float:
        return 0.5
    if hint is bool:
        return False
    shape = _evaluated(hint.dim_str, sizes)
    family = " ".join(map(str, hint.dtypes))
    if "float" in family:
        return torch.randn(shape)
    return torch.ones(shape, dtype=torch.bool if "bool" in family and "int" not in family else torch.int64)


def _evaluated(text, sizes):
    """Return the sizes of a shape string; each token is an expression of the named ones."""
    return tuple(eval(token.lstrip("#"), {"__builtins__": {}}, dict(sizes)) for token in text.split())  # noqa: S307
