"""Edits of what stands in strings: einsum equations, einops patterns and the axes of annotations."""

from __future__ import annotations

import ast
import re
from itertools import combinations, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.bench.mutations import Mutation, Source

_TOKEN = re.compile(r"\([^()]*\)|\.\.\.|[^\s()]+")
_NAME = re.compile(r"[A-Za-z_]\w*\Z")
_PATTERN_DTYPES = frozenset(
    ("Float", "Float32", "Float16", "BFloat16", "Int", "Int32", "Int64", "UInt8", "Bool", "Num", "Shaped", "Complex",
     "Inexact", "Real", "Integer", "Key")
)  # fmt: skip


def einsum_edits(node: ast.Call, source: Source) -> Iterator[Mutation]:
    """Two letters of the output, or of one operand, change places."""
    for start, value in _literals(node, source):
        name = re.compile(r"[A-Za-z_]\w*" if re.search(r"\w\s+\w", value) else r"[A-Za-z]")
        left, _, right = value.partition("->")
        offset = 0
        for operand in (*left.split(","), right):
            kind = "einsum-output" if offset > len(left) else "einsum-input"
            places = [(offset + match.start(), match.group()) for match in name.finditer(operand)]
            for one, two in _pairs(places):
                yield _exchanged(kind, node, source, start, value, one, two)
            offset += len(operand) + (1 if offset + len(operand) < len(left) else 2)


def einops_edits(node: ast.Call, source: Source) -> Iterator[Mutation]:
    """Two names of a side change places, or two names inside one group."""
    for start, value in _literals(node, source):
        arrow = value.index("->")
        tokens = [(match.start(), match.group()) for match in _TOKEN.finditer(value)]
        for kind, left in (("einops-input", True), ("einops-output", False)):
            side = [(place, token) for place, token in tokens if (place < arrow) == left]
            for one, two in _pairs([(place, token) for place, token in side if _NAME.match(token)]):
                yield _exchanged(kind, node, source, start, value, one, two)
            for place, token in side:
                if token.startswith("("):
                    inner = [(place + match.start(), match.group()) for match in re.finditer(r"[A-Za-z_]\w*", token)]
                    for one, two in _pairs(inner):
                        yield _exchanged("einops-group", node, source, start, value, one, two)


def annotation_edits(function: ast.FunctionDef | ast.AsyncFunctionDef, source: Source) -> Iterator[Mutation]:
    """Two neighbouring axes of a declared shape change places, where other shapes name one of them too."""
    arguments = function.args
    hints = [arg.annotation for arg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    places: list[tuple[ast.expr, ast.Constant]] = []
    for hint in (*hints, function.returns):
        if hint is not None:
            functions = {id(part) for node in ast.walk(hint) if _is_callable(node) for part in ast.walk(node)}
            nodes = [node for node in ast.walk(hint) if id(node) not in functions]
            places += [(node, literal) for node in nodes for literal in _declared(node)]
    words = [str(literal.value).split() for _, literal in places]
    for position, (node, literal) in enumerate(places):
        elsewhere = {word for other, line in enumerate(words) if other != position for word in line}
        start, value = _inside(literal, source)
        if value is None:
            continue
        tokens = [(match.start(), match.group()) for match in re.finditer(r"\S+", value)]
        for (one, first), (two, second) in pairwise(tokens):
            if _NAME.match(first) and _NAME.match(second) and first != second and {first, second} & elsewhere:
                yield _exchanged("annotation-order", node, source, start, value, (one, first), (two, second))


def _is_callable(node: ast.AST) -> bool:
    """Whether an annotation declares a function: what it says holds elsewhere."""
    return isinstance(node, ast.Subscript) and ast.unparse(node.value).rpartition(".")[2] == "Callable"


def _declared(node: ast.AST) -> Iterator[ast.Constant]:
    """The shape string of `Float[Tensor, "b t"]`, and of wrappers that take it alone."""
    if not isinstance(node, ast.Subscript):
        return
    name = getattr(node.value, "attr", getattr(node.value, "id", ""))
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name in _PATTERN_DTYPES and isinstance(parts[-1], ast.Constant) and isinstance(parts[-1].value, str):
        yield parts[-1]


def _literals(node: ast.Call, source: Source) -> Iterator[tuple[int, str]]:
    """The patterns among the arguments: where each one's text starts in the file, and the text."""
    for argument in node.args:
        if isinstance(argument, ast.Constant) and isinstance(argument.value, str) and "->" in argument.value:
            start, value = _inside(argument, source)
            if value is not None:
                yield start, value


def _inside(literal: ast.Constant, source: Source) -> tuple[int, str | None]:
    """Where a string's text starts in the file; no text if it is not written as one plain literal."""
    start, _ = source.span(literal)
    written = source.text(literal).decode()
    value = str(literal.value)
    return start + 1, value if written[1:-1] == value and value.isascii() and "\n" not in value else None


def _pairs(places: list[tuple[int, str]]) -> Iterator[tuple[tuple[int, str], tuple[int, str]]]:
    """Two names each that differ, with their places."""
    return ((one, two) for one, two in combinations(places, 2) if one[1] != two[1])


def _exchanged(
    kind: str, whole: ast.expr, source: Source, start: int, value: str, one: tuple[int, str], two: tuple[int, str]
) -> Mutation:
    """Two words of a string change places."""
    (first, before), (second, behind) = one, two
    text = behind + value[first + len(before) : second] + before
    return source.mutation(kind, whole, start + first, start + second + len(behind), text.encode())
