"""Source that nobody wrote: mutated suites and examples, and the standard library with shapes in its signatures."""

import ast
import copy
import random
from collections.abc import Iterator
from pathlib import Path

from tests.mdtest.blocks import PRELUDE, blocks

ROOT = Path(__file__).parents[2]
HINTS = (
    'Float[Tensor, "a b"]',
    'Float[Tensor, "*n d"]',
    'Int[Tensor, "b"] | None',
    'list[Float[Tensor, "n d"]]',
    'tuple[Float[Tensor, "b t d"], Int[Tensor, "b"]]',
)
CONSTANTS = (0, 1, -1, 2, None, True, "x", "b t -> t b", 1.5, ..., 10**30, b"a")
_TARGETS = (ast.Store, ast.Del)
_PLACED = (ast.Starred, ast.Slice, ast.Yield, ast.YieldFrom, ast.Await, ast.NamedExpr)


def texts() -> list[str]:
    """The examples, and the blocks of the suites."""
    found = [path.read_text(encoding="utf-8") for path in sorted(ROOT.glob("examples/**/*.py"))]
    for path in sorted(ROOT.glob("tests/mdtest/*.md")):
        found += [file.text for block in blocks(path) for file in block.files]
    return found


class Mutator(ast.NodeTransformer):
    """Replaces expressions by constants or by each other, and moves or drops statements."""

    def __init__(self, chance: float, choose: random.Random, pool: list[ast.expr]) -> None:
        self.chance = chance
        self.choose = choose
        self.pool = pool

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for field in ("body", "orelse"):
            body = getattr(node, field, None)
            if isinstance(body, list) and len(body) > 1 and self.choose.random() < 2 * self.chance:
                first, second = self.choose.randrange(len(body)), self.choose.randrange(len(body))
                body[first], body[second] = body[second], body[first]
                if self.choose.random() < 0.5:
                    del body[first]
        if not isinstance(node, ast.expr) or isinstance(node, _PLACED) or isinstance(getattr(node, "ctx", 0), _TARGETS):
            return node
        self.pool.append(node)
        return self._replaced(node) if self.choose.random() < self.chance else node

    def _replaced(self, node: ast.expr) -> ast.expr:
        kind = self.choose.randrange(6)
        if kind == 0:
            return ast.Constant(self.choose.choice(CONSTANTS))
        if kind == 1:
            return ast.UnaryOp(ast.USub(), node)
        if kind == 2:
            return ast.Subscript(node, ast.Slice(), ast.Load())
        if kind == 3:
            return ast.Tuple([node, node], ast.Load())
        return copy.deepcopy(self.choose.choice(self.pool))


def mutants(count: int, seed: int) -> Iterator[str]:
    """Yield mutated texts that are still Python."""
    choose = random.Random(seed)  # noqa: S311  mutants are no secrets
    sources = texts()
    pool: list[ast.expr] = []
    made = 0
    while made < count:
        tree = ast.parse(choose.choice(sources))
        chance = choose.choice((0.005, 0.02, 0.05))
        try:
            text = ast.unparse(ast.fix_missing_locations(Mutator(chance, choose, pool[-2000:]).visit(tree)))
            ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            continue
        pool = pool[-2000:]
        made += 1
        yield text


class Annotator(ast.NodeTransformer):
    """Gives most parameters and half of the results a shape."""

    def __init__(self, choose: random.Random) -> None:
        self.choose = choose

    def _hint(self) -> ast.expr:
        return ast.parse(self.choose.choice(HINTS), mode="eval").body

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        for parameter in (*node.args.args, *node.args.kwonlyargs):
            if parameter.arg not in {"self", "cls"} and self.choose.random() < 0.7:
                parameter.annotation = self._hint()
        if self.choose.random() < 0.5:
            node.returns = self._hint()
        return node


def annotated(text: str, seed: int) -> str:
    """Return a text whose functions declare shapes."""
    tree = Annotator(random.Random(seed)).visit(ast.parse(text))  # noqa: S311  nor are these
    future = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    tree.body = [node for node in tree.body if node not in future]
    return f"{ast.unparse(ast.Module(future, []))}\n{PRELUDE}\n{ast.unparse(ast.fix_missing_locations(tree))}"
