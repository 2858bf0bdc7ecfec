"""A block that says `# sizes: B=2 T=3` is also run: each of its functions is decorated and called with such tensors.

The static verdict, the call-time verdict and torch must agree: a function with an expected error (SC1xx, SC2xx) must
raise, one with a warning (SC3xx) or nothing expected must not, and what `reveal_shape` is called on must have the
revealed sizes. A line `# equals: EXPRESSION` in a function says in torch's words what it returns, number for number.
"""

import ast
import inspect
import re
import sys

import torch

from shapecheck.rules.catalogue import RULES
from tests.mdtest.blocks import Block, Expectation, File

_SIZES = re.compile(r"^# sizes: (.+)$", re.MULTILINE)
_EQUALS = re.compile(r"^\s*# equals: (.+)$", re.MULTILINE)
# What no call shows: annotations of local variables are read by the static checker alone.
_UNSEEN_AT_CALLS = {"SC206"}


def sizes_of(block: Block) -> dict[str, int] | None:
    """Return the sizes that a block asks to be run with, or None."""
    for file in block.files:
        found = _SIZES.search(file.text)
        if found:
            return Sizes({name: int(size) for name, size in (part.split("=") for part in found[1].split())})
    return None


class Sizes(dict):
    """Sizes by name; a name that the block does not list (of a helper's own annotation) gets one no other has."""

    def __missing__(self, name):
        self[name] = max(self.values(), default=1) + 2
        return self[name]


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
        if _is_aid(namespace[node.name]):
            continue
        inside = [item for item in expected if node.lineno <= item.row <= node.end_lineno]
        said += _call(node, namespace, inside, sizes, file)
    for row, shape in revealed:
        wanted = [_evaluated(item.text, sizes) for item in expected if (item.row, item.code) == (row, "SC000")]
        if wanted and shape not in wanted:
            said.append(f"{file.offset + row}: revealed {wanted[0]}, but the run has {shape}")
    return said


def _call(
    node: ast.FunctionDef,
    namespace: dict[str, object],
    inside: list[Expectation],
    sizes: dict[str, int],
    file: File,
) -> list[str]:
    function = namespace[node.name]
    arguments, options, given = [], {}, {}
    for parameter, hint in _parameters(function):
        value = given[parameter.name] = _argument(parameter.name, hint, sizes)
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
            options[parameter.name] = value
        else:
            arguments.append(value)
    codes = {item.code for item in inside} - {"SC000"}
    must_raise = any(RULES[code].severity == "error" for code in codes)
    where = f"{file.offset + node.lineno}: {node.name}"
    try:
        result = function(*arguments, **options)
    except Exception as error:  # noqa: BLE001  torch, einops and Python each raise their own
        if must_raise:
            return []
        return [f"{where} raises when it is run: {type(error).__name__}: {error}"]
    if must_raise and not codes <= _UNSEEN_AT_CALLS:
        return [f"{where} is expected to be wrong ({', '.join(sorted(codes))}), but it runs"]
    return _differences(node, file, namespace | given, result, where)


def _differences(node: ast.FunctionDef, file: File, names: dict[str, object], result: object, where: str) -> list[str]:
    """Compare what a function returned with the expressions that it says it equals."""
    text = "\n".join(file.text.splitlines()[node.lineno - 1 : node.end_lineno])
    said = []
    for expression in _EQUALS.findall(text):
        wanted = eval(expression, names)  # noqa: S307  our own suites
        try:
            torch.testing.assert_close(result, wanted, rtol=1e-4, atol=1e-4)
        except AssertionError as error:
            said.append(f"{where} is not {expression}: {str(error).splitlines()[0]}")
    return said


def _own_parameters(function):
    return inspect.signature(getattr(function, "__wrapped__", function)).parameters.values()


def _is_aid(function):
    """Tell whether a function is only there to be called by others: a parameter has no annotation and no default."""
    return any(p.annotation is p.empty and p.default is p.empty for p in _own_parameters(function))


def _parameters(function):
    """Return the parameters a call needs, with their hints: those with a default keep it."""
    variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [(p, p.annotation) for p in _own_parameters(function) if p.default is p.empty and p.kind not in variable]


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
    return tuple(size for token in text.split() for size in _sizes_of_token(token.lstrip("#"), sizes))


def _sizes_of_token(token, sizes):
    if token.startswith("*"):
        return (sizes[f"{token[1:]}_0"], sizes[f"{token[1:]}_1"])
    if token in {"...", "_"}:
        return (sizes[token],)
    return (eval(token.partition("=")[2] or token, {"__builtins__": {}}, sizes),)  # noqa: S307
