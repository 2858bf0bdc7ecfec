"""From an annotation in source (`ast`) to a hint.

What a name means is asked of a `Resolver`, so this module knows nothing of imports or files.
"""

from __future__ import annotations

import ast

from shapecheck.annotations.build import array_hint
from shapecheck.annotations.dtypes import DTYPES
from shapecheck.annotations.hints import (
    ArrayHint,
    DictHint,
    InvalidHint,
    NoneHint,
    OtherHint,
    PyTreeHint,
    SequenceHint,
    TupleHint,
    UnionHint,
    union,
)
from shapecheck.annotations.names import BUILTINS, MAPPINGS, SEQUENCES, TRANSPARENT, canonical
from shapecheck.annotations.places import Place, literal_positions
from shapecheck.annotations.spec import AnnotationError, DtypeSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from shapecheck.annotations.hints import Hint
    from shapecheck.annotations.places import Position

    Resolved: TypeAlias = "str | ast.expr | Alias | DtypeSpec | None"

# An alias of an alias ... of itself must end.
MAX_DEPTH = 30


class Alias:
    """A name that stands for an annotation written elsewhere; `resolver` is that of the place where it is written."""

    __slots__ = ("expression", "resolver")

    def __init__(self, expression: ast.expr, resolver: Resolver) -> None:
        self.expression = expression
        self.resolver = resolver


class Resolver:
    """What the names of one file mean. Subclass it; this one knows nothing.

    `path` is that of the file, and goes into the places of the hints.
    """

    path = ""

    def resolve(self, dotted: str) -> Resolved:
        """What a name stands for in this file.

        A qualified name as a string ("jaxtyping.Float", "torch.Tensor", "typing.Optional"), an expression or `Alias`
        that the name is another word for, the family of a user's own dtype class, or None when it is not known.
        """
        del dotted
        return None

    def source_line(self, number: int) -> str | None:
        """A line of the file, from 1, or None: tokens of unusual literals then have the place of the literal."""
        del number
        return None

    def to_file(self, line: int, column: int) -> Position | None:
        """Where a position among the nodes handed in lies in the file. Differs inside of string annotations."""
        return (line, column)


def parse_annotation(node: ast.expr, resolver: Resolver) -> Hint:
    """The hint that an annotation stands for. Never raises: what cannot be understood is an `OtherHint`."""
    return _read(node, resolver, 0)


def _read(node: ast.expr, resolver: Resolver, depth: int) -> Hint:
    if depth > MAX_DEPTH:
        return OtherHint(_text(node), "")
    if isinstance(node, ast.Subscript):
        return _read_subscript(node, resolver, depth)
    if isinstance(node, (ast.Name, ast.Attribute)):
        return _read_name(node, resolver, depth)
    if isinstance(node, ast.Constant):
        if node.value is None:
            return NoneHint()
        if isinstance(node.value, str):
            return _read_quoted(node, node.value, resolver, depth)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return union((_read(node.left, resolver, depth + 1), _read(node.right, resolver, depth + 1)))
    return OtherHint(_text(node), "")


def dotted_name(node: ast.expr) -> str:
    """`a.b.c` for a chain of attributes of a name, otherwise ""."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted_name(node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""


def _resolve(dotted: str, resolver: Resolver) -> Resolved:
    resolved = resolver.resolve(dotted)
    if isinstance(resolved, str):
        return canonical(resolved)
    if resolved is None and dotted in BUILTINS:
        return f"builtins.{dotted}"
    return resolved


def _follow(resolved: Resolved, resolver: Resolver) -> tuple[ast.expr, Resolver] | None:
    if isinstance(resolved, Alias):
        return resolved.expression, resolved.resolver
    if isinstance(resolved, ast.expr):
        return resolved, resolver
    return None


def _read_name(node: ast.expr, resolver: Resolver, depth: int) -> Hint:
    dotted = dotted_name(node)
    if not dotted:
        return OtherHint(_text(node), "")
    resolved = _resolve(dotted, resolver)
    alias = _follow(resolved, resolver)
    if alias is not None:
        return _read(*alias, depth + 1)
    return OtherHint(dotted, resolved if isinstance(resolved, str) else "")


def _read_quoted(node: ast.Constant, text: str, resolver: Resolver, depth: int) -> Hint:
    # In parentheses, so that an annotation may run over several lines, as type checkers read it.
    try:
        inner = ast.parse(f"({text})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return OtherHint(repr(text), "")
    if isinstance(inner, ast.Tuple):
        return OtherHint(repr(text), "")
    return _read(inner, _QuotedResolver(node, text, resolver), depth + 1)


class _QuotedResolver(Resolver):
    """Names and positions inside of a string annotation."""

    def __init__(self, node: ast.Constant, text: str, outer: Resolver) -> None:
        self.outer = outer
        self.path = outer.path
        self.node = node
        self.lines = f"({text})".splitlines(keepends=True)

    def resolve(self, dotted: str) -> Resolved:
        return self.outer.resolve(dotted)

    def source_line(self, number: int) -> str | None:
        return self.lines[number - 1] if number <= len(self.lines) else None

    def to_file(self, line: int, column: int) -> Position | None:
        positions = literal_positions(self.node, self.outer.source_line)
        if positions is None or line > len(self.lines):
            return None
        before = self.lines[line - 1].encode("utf-8", "surrogatepass")[:column].decode("utf-8", "replace")
        offset = sum(map(len, self.lines[: line - 1])) + len(before) - 1  # less the parenthesis
        if not 0 <= offset < len(positions):
            return None
        return self.outer.to_file(*positions[offset])


def _read_subscript(node: ast.Subscript, resolver: Resolver, depth: int) -> Hint:
    """What ``X[...]`` declares, where X may be a name that stands for another."""
    resolved = _resolve(dotted_name(node.value), resolver)
    alias = _follow(resolved, resolver)
    hops = 0
    while alias is not None:  # `F = jaxtyping.Float` and then `F[Tensor, "n"]`
        expression, owner = alias
        hops += 1
        resolved = _resolve(dotted_name(expression), owner) if hops < MAX_DEPTH else None
        alias = _follow(resolved, owner)
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if not items:
        empty = resolved == "builtins.tuple"
        return TupleHint((), variadic=False) if empty else OtherHint(_text(node), "")
    if isinstance(resolved, DtypeSpec):
        return _read_array(node, items, resolved, resolver, depth)
    name = resolved if isinstance(resolved, str) else ""
    family = DTYPES.get((name or dotted_name(node.value)).rpartition(".")[2])
    if family is not None:
        if name.startswith("jaxtyping."):
            return _read_array(node, items, family, resolver, depth)
        if len(items) <= 2 and _string(items[-1], resolver) is not None:  # a project's own wrapper of the same name
            return _read_array(node, items, family, resolver, depth, one_argument=True)
    if name == "jaxtyping.PyTree":
        structure = _string(items[1], resolver) if len(items) == 2 else None
        return PyTreeHint(_read(items[0], resolver, depth + 1), (structure[0] if structure else "").strip())
    if name == "torchtyping.TensorType":
        return _read_torchtyping(node, items, resolver)
    return _read_generic(node, name, items, resolver, depth)


def _read_generic(node: ast.Subscript, name: str, items: list[ast.expr], resolver: Resolver, depth: int) -> Hint:
    def read(item: ast.expr) -> Hint:
        return _read(item, resolver, depth + 1)

    if name == "typing.Optional":
        return union((read(items[0]), NoneHint()))
    if name == "typing.Union":
        return union(tuple(map(read, items)))
    if name in TRANSPARENT:
        return read(items[0])
    if name == "builtins.tuple":
        if len(items) == 2 and isinstance(items[1], ast.Constant) and items[1].value is Ellipsis:
            return TupleHint((read(items[0]),), variadic=True)
        return TupleHint(tuple(map(read, items)), variadic=False)
    if name in SEQUENCES and len(items) == 1:
        return SequenceHint(name, read(items[0]))
    if name in MAPPINGS and len(items) == 2:
        return DictHint(name, read(items[0]), read(items[1]))
    if name in {"typing.Literal", "builtins.type"}:
        return OtherHint(_text(node), name)
    flat: list[ast.expr] = []
    for item in items:
        flat += item.elts if isinstance(item, ast.List) else [item]
    return OtherHint(_text(node), name, tuple(map(read, flat)))


def _read_array(
    node: ast.Subscript,
    items: list[ast.expr],
    dtype: DtypeSpec,
    resolver: Resolver,
    depth: int,
    *,
    one_argument: bool = False,
) -> Hint:
    found = _string(items[-1], resolver)
    place = _place(found[1], found[0], found[2]) if found else _place_of(node, resolver)
    if len(items) != 2 and not (one_argument and len(items) == 1):
        message = 'a tensor annotation takes an array type and a shape: `Float[Tensor, "B T D"]`'
        return InvalidHint(AnnotationError(message, 0, 0), _text(node), _place_of(node, resolver))
    if found is None:
        if isinstance(items[1], ast.Constant):
            return InvalidHint(AnnotationError("the shape must be a string", 0, 0), _text(node), place)
        return OtherHint(_text(node), "")  # an f-string or a computed shape
    array: Hint = (
        OtherHint("Tensor", "torch.Tensor") if len(items) == 1 else _read_array_type(items[0], resolver, depth)
    )
    return array_hint(array, dtype, found[0], place)


def _read_array_type(node: ast.expr, resolver: Resolver, depth: int) -> Hint:
    hint = _read(node, resolver, depth + 1)
    if isinstance(hint, (ArrayHint, InvalidHint, UnionHint)):
        return hint
    if isinstance(hint, OtherHint):  # `np.ndarray[...]` counts as `np.ndarray`
        return OtherHint(hint.text, hint.name)
    return OtherHint(_text(node), "")


def _string(node: ast.expr, resolver: Resolver) -> tuple[str, ast.Constant, Resolver] | None:
    """A string literal, or the one that a constant's name stands for, and the resolver of its file."""
    for _ in range(MAX_DEPTH):
        if isinstance(node, ast.Constant):
            return (node.value, node, resolver) if isinstance(node.value, str) else None
        dotted = dotted_name(node)
        alias = _follow(resolver.resolve(dotted), resolver) if dotted else None
        if alias is None:
            return None
        node, resolver = alias
    return None


def _place(node: ast.Constant, text: str, resolver: Resolver) -> Place:
    span = _span(node, resolver)

    def positions() -> list[Position] | None:
        inner = literal_positions(node, resolver.source_line)
        if inner is None or type(resolver) is not _QuotedResolver:
            return inner
        outer = [resolver.to_file(*position) for position in inner]
        return None if None in outer else outer  # type: ignore[return-value]

    return Place(resolver.path, span, len(text) - len(text.lstrip()), positions)


def _place_of(node: ast.expr, resolver: Resolver) -> Place:
    return Place(resolver.path, _span(node, resolver), 0, lambda: None)


def _span(node: ast.expr, resolver: Resolver) -> tuple[int, int, int, int]:
    """The node's span in the file, or that of the string annotation around it that cannot be mapped."""
    while isinstance(resolver, _QuotedResolver):
        start = resolver.to_file(node.lineno, node.col_offset)
        end = resolver.to_file(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)
        if start is not None and end is not None:
            return (*start, *end)
        node, resolver = resolver.node, resolver.outer
    return (node.lineno, node.col_offset, node.end_lineno or node.lineno, node.end_col_offset or node.col_offset)


def _read_torchtyping(node: ast.Subscript, items: list[ast.expr], resolver: Resolver) -> Hint:
    """`TensorType["b", "t", 3, ..., float]` in the words of jaxtyping, as far as they go."""
    axes = []
    dtype = DTYPES["Shaped"]
    for item in items:
        if isinstance(item, ast.Slice):  # "rows": 4
            name, size = getattr(item.lower, "value", None), getattr(item.upper, "value", None)
            if not isinstance(name, str) or (size is not Ellipsis and not isinstance(size, int)):
                return OtherHint(_text(node), "torchtyping.TensorType")
            axes.append(f"*{name}" if size is Ellipsis else f"{name}={size}")
        elif isinstance(item, ast.Constant) and isinstance(item.value, (str, int)):
            # A string is a name here, whatever it looks like: "atoms+conditions" is no sum.
            text = str(item.value)
            axes.append("".join([char if char.isalnum() else "_" for char in text]) or "_")
        elif isinstance(item, ast.Constant) and item.value is Ellipsis:
            axes.append("...")
        elif isinstance(item, ast.UnaryOp):  # -1: any size
            axes.append("_")
        elif dotted_name(item) in {"float", "int", "bool", "complex"}:
            dtype = DTYPES[dotted_name(item).capitalize()]
        else:
            return OtherHint(_text(node), "torchtyping.TensorType")
    return array_hint(OtherHint("Tensor", "torch.Tensor"), dtype, " ".join(axes), _place_of(node, resolver))


def _text(node: ast.expr) -> str:
    try:
        return ast.unparse(node)
    except (RecursionError, ValueError):
        return "..."
