"""Single edits that a person could make by mistake in the body or the signature of an annotated function.

Each `Mutation` replaces one stretch of the source text; everything else stays as written. Its kind says what was
edited. Which axis a call means, which operand comes first and which letter stands where is all that is touched: no
edit changes a name, a size or an operator.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, pairwise

from tests.bench.pattern_mutations import annotation_edits, einops_edits, einsum_edits

REDUCTIONS = frozenset(
    ("sum", "mean", "std", "var", "prod", "max", "min", "amax", "amin", "argmax", "argmin", "norm", "any", "all",
     "logsumexp", "median", "nanmean", "count_nonzero")
)  # fmt: skip
NORMALISED = frozenset(("softmax", "log_softmax", "normalize"))
SCANS = frozenset(("cumsum", "cumprod", "flip", "sort", "argsort", "roll"))
PARTS = frozenset(("chunk", "split", "unbind", "tensor_split"))
JOINED = frozenset(("cat", "concat", "stack"))
PICKED = frozenset(("gather", "index_select", "topk", "take_along_dim"))
KINDS = {
    "annotation-order": "shape", "cat-dim": "shape", "drop-transpose": "shape", "drop-unsqueeze": "shape",
    "einops-group": "silent", "einops-input": "shape", "einops-output": "shape", "einsum-input": "shape",
    "einsum-output": "shape", "expand-args": "shape", "flatten-dim": "shape", "index-axis": "shape",
    "interleave": "silent", "keepdim": "shape", "matmul-operands": "shape", "none-place": "",
    "part-dim": "shape", "permute-order": "shape", "pick-dim": "shape", "reduction-dim": "shape",
    "repeat-args": "shape", "scan-dim": "silent", "shape-index": "", "softmax-dim": "silent",
    "squeeze-dim": "", "transpose-dim": "shape", "unsqueeze-dim": "shape", "view-args": "shape",
}  # fmt: skip
"""What each kind of edit does as a rule: change a shape, or change numbers alone; nothing where only a run can tell."""
_DIMS = {
    **dict.fromkeys(REDUCTIONS, "reduction-dim"), **dict.fromkeys(NORMALISED, "softmax-dim"),
    **dict.fromkeys(SCANS, "scan-dim"), **dict.fromkeys(PARTS, "part-dim"), **dict.fromkeys(JOINED, "cat-dim"),
    **dict.fromkeys(PICKED, "pick-dim"), "unsqueeze": "unsqueeze-dim", "squeeze": "squeeze-dim",
}  # fmt: skip
_DIM_SECOND = frozenset((*PARTS, "topk", "normalize", "roll", "norm", "repeat_interleave")) - {"unbind"}
"""Operations whose axis is the second argument after the tensor."""
_FUNCTIONAL = frozenset(("torch", "F", "nn", "functional", "torch.nn.functional", "nn.functional", "torch.linalg"))
_FOREIGN = frozenset(("np", "numpy", "jnp", "math", "os", "einx", "tf"))


@dataclass(frozen=True, slots=True)
class Mutation:
    """One edit: bytes `start` to `end` of the file's text in UTF-8 become `text`.

    Attributes:
        kind: a key of `KINDS`.
        row: the line of the edit, from 1.
        before: the expression that is edited, on one line.
        after: the expression that it becomes.
    """

    kind: str
    row: int
    before: str
    after: str
    start: int
    end: int
    text: bytes

    def apply(self, source: bytes) -> str:
        """The text of the file after the edit."""
        return (source[: self.start] + self.text + source[self.end :]).decode()


class Source:
    """The text of one file, and where its nodes stand in it."""

    def __init__(self, content: bytes) -> None:
        self.content = content
        self._starts = [0]
        for line in content.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def span(self, node: ast.expr) -> tuple[int, int]:
        """The first byte of an expression and the one behind it."""
        return (
            self._starts[node.lineno - 1] + node.col_offset,
            self._starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or node.col_offset),
        )

    def text(self, node: ast.expr) -> bytes:
        """The expression as written."""
        start, end = self.span(node)
        return self.content[start:end]

    def mutation(self, kind: str, whole: ast.expr, start: int, end: int, text: bytes) -> Mutation:
        """Edit a part of an expression."""
        first, last = self.span(whole)
        before = self.content[first:last].decode()
        after = (self.content[first:start] + text + self.content[end:last]).decode()
        return Mutation(kind, whole.lineno, " ".join(before.split()), " ".join(after.split()), start, end, text)

    def replaced(self, kind: str, whole: ast.expr, part: ast.expr, text: bytes) -> Mutation:
        """Replace one node inside an expression."""
        return self.mutation(kind, whole, *self.span(part), text)

    def swapped(self, kind: str, whole: ast.expr, one: ast.expr, two: ast.expr) -> Iterator[Mutation]:
        """Exchange two nodes of an expression, unless they read the same."""
        (start, middle), (behind, end) = self.span(one), self.span(two)
        if self.text(one) != self.text(two):
            text = self.text(two) + self.content[middle:behind] + self.text(one)
            yield self.mutation(kind, whole, start, end, text)


def number(node: ast.AST | None) -> int | None:
    """The value of an integer literal."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = number(node.operand)
        return None if value is None else -value
    value = getattr(node, "value", None)
    return value if isinstance(node, ast.Constant) and type(value) is int else None


def neighbours(axis: int) -> tuple[int, ...]:
    """The axes that a person writes instead of one: those beside it, counted from the same end."""
    if axis in {0, -1}:
        return (1,) if axis == 0 else (-2,)
    return axis - 1, axis + 1


def mutations(function: ast.FunctionDef | ast.AsyncFunctionDef, source: Source) -> list[Mutation]:
    """Every edit of one function, in the order of the text; the defaults and decorators stay as they are."""
    found = list(annotation_edits(function, source))
    for statement in function.body:
        for node in _expressions(statement):
            if isinstance(node, ast.Call):
                found += _call_edits(node, source)
            elif isinstance(node, ast.Subscript):
                found += _subscript_edits(node, source)
            elif isinstance(node, ast.Attribute) and node.attr in {"mT", "T", "mH"}:
                found.append(_dropped("drop-transpose", node, node.value, source))
            elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
                found += source.swapped("matmul-operands", node, node.left, node.right)
    same = {(edit.start, edit.end, edit.text): edit for edit in found}
    return sorted(same.values(), key=lambda edit: (edit.start, edit.end, edit.kind, edit.text))


def _expressions(statement: ast.stmt) -> Iterator[ast.expr]:
    """Every expression below a statement that runs, except those of functions inside it that declare a result."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.returns is not None:
            continue
        for name, value in ast.iter_fields(node):
            if name in {"annotation", "returns", "decorator_list"}:
                continue
            waiting += [
                child for child in (value if isinstance(value, list) else [value]) if isinstance(child, ast.AST)
            ]
        if isinstance(node, ast.expr):
            yield node


def _dropped(kind: str, whole: ast.expr, kept: ast.expr, source: Source) -> Mutation:
    return source.mutation(kind, whole, *source.span(whole), source.text(kept))


def _called(node: ast.Call) -> tuple[str, list[ast.expr], bool] | None:
    """The last name of what is called, the arguments after the tensor, and whether it is a method of the tensor."""
    if isinstance(node.func, ast.Name):
        return node.func.id, node.args[1:], False
    if not isinstance(node.func, ast.Attribute) or any(isinstance(arg, ast.Starred) for arg in node.args):
        return None
    owner = ast.unparse(node.func.value)
    if owner.partition(".")[0] in _FOREIGN:
        return None
    return (node.func.attr, node.args[1:], False) if owner in _FUNCTIONAL else (node.func.attr, node.args, True)


def _call_edits(node: ast.Call, source: Source) -> Iterator[Mutation]:
    called = _called(node)
    if called is None:
        return
    name, arguments, method = called
    keywords = {keyword.arg: keyword.value for keyword in node.keywords}
    if name in {"einsum", "rearrange", "reduce", "repeat"}:
        yield from (einsum_edits if name == "einsum" else einops_edits)(node, source)
    if name in _DIMS:
        place = 1 if name in _DIM_SECOND else 0
        given = keywords.get("dim", keywords.get("axis", arguments[place] if len(arguments) > place else None))
        axis = number(given)
        if axis is not None and given is not None and (method or isinstance(node.func, ast.Attribute)):
            for other in neighbours(axis):
                yield source.replaced(_DIMS[name], node, given, str(other).encode())
        numbers = given.elts if isinstance(given, (ast.Tuple, ast.List)) else [given]
        if name in REDUCTIONS and None not in map(number, numbers) and (method or isinstance(node.func, ast.Attribute)):
            yield from _keepdim(node, keywords.get("keepdim"), source)
    if isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) != "einops":
        yield from _moving_edits(node, name, arguments, method, source)


def _keepdim(node: ast.Call, given: ast.expr | None, source: Source) -> Iterator[Mutation]:
    if isinstance(given, ast.Constant):
        yield source.replaced("keepdim", node, given, str(not given.value).encode())
    elif given is None and len(node.args) < 3:
        last = max((*node.args, *[keyword.value for keyword in node.keywords]), key=lambda part: source.span(part)[1])
        end = source.span(last)[1]
        yield source.mutation("keepdim", node, end, end, b", keepdim=True")


def _moving_edits(
    node: ast.Call, name: str, arguments: list[ast.expr], method: bool, source: Source
) -> Iterator[Mutation]:
    """Edits of calls that move, merge, split or repeat axes."""
    kept = node.func.value if method and isinstance(node.func, ast.Attribute) else (node.args or [None])[0]
    listed = arguments
    if len(arguments) == 1 and isinstance(arguments[0], (ast.Tuple, ast.List)):
        listed = arguments[0].elts
    axes = [number(argument) for argument in listed]
    least = {"transpose": 2, "swapaxes": 2, "permute": 1}.get(name)
    if least is not None and kept is not None and len(axes) >= least:
        yield _dropped("drop-transpose", node, kept, source)
        if name == "permute" and None not in axes:
            for one, two in combinations(listed, 2):
                yield from source.swapped("permute-order", node, one, two)
        elif len(axes) == 2 and None not in axes:
            for position in (0, 1):
                for other in neighbours(axes[position] or 0):
                    if other not in axes:
                        yield source.replaced("transpose-dim", node, listed[position], str(other).encode())
    elif name == "unsqueeze" and kept is not None:
        yield _dropped("drop-unsqueeze", node, kept, source)
    elif name == "flatten" and arguments and None not in axes:
        for argument, axis in zip(arguments, axes, strict=True):
            for other in neighbours(axis or 0):
                yield source.replaced("flatten-dim", node, argument, str(other).encode())
    elif name in {"view", "reshape", "expand", "repeat"} and len(listed) > 1:
        kind = {"expand": "expand-args", "repeat": "repeat-args"}.get(name, "view-args")
        for one, two in pairwise(listed):
            yield from source.swapped(kind, node, one, two)
        if name == "repeat" and method and sum(axis != 1 for axis in axes) == 1:
            yield _interleaved(node, listed, axes, source)
    elif name == "repeat_interleave" and method and kept is not None:
        yield from _tiled(node, arguments, source)
    elif name in {"matmul", "bmm"} and len(arguments) == 1 and kept is not None:
        yield from source.swapped("matmul-operands", node, kept, arguments[0])
    elif name == "size" and len(axes) == 1 and axes[0] is not None:
        for other in neighbours(axes[0]):
            yield source.replaced("shape-index", node, arguments[0], str(other).encode())


def _interleaved(node: ast.Call, listed: list[ast.expr], axes: list[int | None], source: Source) -> Mutation:
    """`x.repeat(1, n)` becomes `x.repeat_interleave(n, dim=1)`."""
    assert isinstance(node.func, ast.Attribute)
    place = next(place for place, axis in enumerate(axes) if axis != 1)
    text = source.text(node.func.value) + b".repeat_interleave(" + source.text(listed[place]) + b", dim=%d)" % place
    return source.mutation("interleave", node, *source.span(node), text)


def _tiled(node: ast.Call, arguments: list[ast.expr], source: Source) -> Iterator[Mutation]:
    """`x.repeat_interleave(n, dim=1)` becomes `torch.cat([x] * n, dim=1)`."""
    dim = next((keyword.value for keyword in node.keywords if keyword.arg == "dim"), (*arguments, None)[-1])
    axis = number(dim)
    if axis is None or not arguments or arguments[0] is dim or not isinstance(node.func, ast.Attribute):
        return
    kept, count = source.text(node.func.value), source.text(arguments[0])
    text = b"torch.cat([" + kept + b"] * (" + count + b"), dim=%d)" % axis
    yield source.mutation("interleave", node, *source.span(node), text)


def _subscript_edits(node: ast.Subscript, source: Source) -> Iterator[Mutation]:
    if not isinstance(node.ctx, ast.Load):
        return
    if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
        axis = number(node.slice)
        if axis is not None:
            for other in neighbours(axis):
                yield source.replaced("shape-index", node, node.slice, str(other).encode())
        return
    if not isinstance(node.slice, ast.Tuple) or len(node.slice.elts) < 2:
        return
    items = node.slice.elts
    added = [isinstance(item, ast.Constant) and item.value is None for item in items]
    if any(added):
        rest = [item for item, one in zip(items, added, strict=True) if not one]
        if all(_is_whole(item) for item in rest):
            yield _dropped("drop-unsqueeze", node, node.value, source)
        for one, two in pairwise(items):
            yield from source.swapped("none-place", node, one, two)
    elif _is_whole(items[0]) and not _is_whole(items[-1]):
        yield source.mutation("index-axis", node, source.span(items[0])[0], source.span(items[1])[0], b"")


def _is_whole(item: ast.expr) -> bool:
    """Whether an item of a subscript is `:` or `...`."""
    if isinstance(item, ast.Slice):
        return item.lower is None and item.upper is None and item.step is None
    return isinstance(item, ast.Constant) and item.value is Ellipsis
