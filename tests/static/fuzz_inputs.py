"""Inputs that nobody would write: real source, mutated in many ways; each is made from its number alone.

The sources are pieces of the standard library and of directories given, whose functions get shapes, and the project's
own examples and suites. An input is files as bytes, so that encodings and cut-off characters are among them.
"""

from __future__ import annotations

import ast
import io
import random
import sysconfig
import tokenize
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from tests.mdtest.blocks import PRELUDE
from tests.static.fuzz_programs import absurd_programs
from tests.static.fuzz_shapes import absurd_declarations
from tests.static.mutants import Annotator, Mutator, texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

LONGEST_PIECE = 6000
OPERATORS = ("+", "-", "*", "/", "//", "%", "@", "**", "<<", ">>", "&", "|", "^", "<", ">", "==", "!=", "<=", ">=")
WORDS = ("and", "or", "not", "is", "in", "if", "else", "for", "yield", "await", "lambda", "return", "del", "global")
NAMES = ("x", "self", "torch", "Tensor", "F", "B", "range", "len", "super", "__init__", "ﬁ", "名前", "_", "match")


@dataclass(frozen=True)
class Input:
    """One or more files, by name; the kind of mutation that made them."""

    kind: str
    files: dict[str, bytes]


@cache
def pieces(directories: tuple[str, ...] = ()) -> list[str]:
    """Whole functions and classes of the standard library and of directories, and the project's own examples."""
    found = texts()
    library = Path(sysconfig.get_paths()["stdlib"])
    paths = sorted(library.glob("*.py")) + sorted(library.glob("[a-j]*/*.py"))
    for directory in directories:
        paths += sorted(Path(directory).rglob("*.py"))
    for path in paths:
        if "site-packages" not in path.parts:
            found += _cut(path)
    return found


def _cut(path: Path) -> list[str]:
    """The functions and classes of a file, without what stands between them."""
    try:
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
    except (OSError, ValueError, SyntaxError):
        return []
    found = []
    lines = text.splitlines(keepends=True)
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            piece = "".join(lines[node.lineno - 1 : node.end_lineno])
            if 80 < len(piece) <= LONGEST_PIECE:
                found.append(piece)
    return found


def make(number: int, seed: int, sources: list[str]) -> Input:
    """The input of a number: the same for the same seed and sources."""
    choose = random.Random(f"{seed}:{number}")  # noqa: S311  inputs are no secrets
    if choose.random() < 0.1:
        kind, files = absurd_programs(choose)
        return Input(kind, {name: text.encode("utf-8", "surrogatepass") for name, text in files.items()})
    text = _source(choose, sources)
    kind = choose.choice(list(KINDS))
    mutated = KINDS[kind](text, choose, sources)
    while isinstance(mutated, str) and not _is_python(mutated) and choose.random() < 0.95:
        # What the parser refuses tries little else: most of those get another try.
        mutated = KINDS[kind](text, choose, sources)
    if isinstance(mutated, str):
        mutated = mutated.encode("utf-8", "surrogatepass")
    return Input(kind, {"mutant.py": mutated})


def _is_python(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
    return True


def _source(choose: random.Random, sources: list[str]) -> str:
    """A piece, or several below each other, whose functions declare shapes."""
    text = choose.choice(sources)
    while choose.random() < 0.2:
        text += "\n" + choose.choice(sources).removeprefix(PRELUDE)
    return text if "Tensor" in text else with_shapes(text, choose)


def with_shapes(text: str, choose: random.Random) -> str:
    """The text, with shapes in the signatures of its functions and statements on tensors among its own."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return text
    tree = Spliced(choose).visit(Annotator(choose).visit(tree))
    future = [node for node in tree.body if isinstance(node, ast.ImportFrom) and node.module == "__future__"]
    tree.body = [node for node in tree.body if node not in future]
    return f"{ast.unparse(ast.Module(future, []))}\n{PRELUDE}\n{ast.unparse(ast.fix_missing_locations(tree))}\n"


@cache
def _statements() -> list[ast.stmt]:
    """What the functions of the project's own examples and suites do."""
    found = []
    for text in texts():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                found += [part for part in node.body if not isinstance(part, (ast.FunctionDef, ast.ClassDef))]
    return found


class Spliced(ast.NodeTransformer):
    """Puts statements that work on tensors between the statements of functions; their names become the function's."""

    def __init__(self, choose: random.Random) -> None:
        self.choose = choose

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        names = [parameter.arg for parameter in node.args.args] or ["x"]
        for _ in range(self.choose.randrange(4)):
            statement = ast.parse(ast.unparse(self.choose.choice(_statements()))).body[0]
            for part in ast.walk(statement):
                if isinstance(part, ast.Name) and self.choose.random() < 0.4:
                    part.id = self.choose.choice(names)
            node.body.insert(self.choose.randrange(len(node.body) + 1), statement)
        return node


# -- mutations of the text -------------------------------------------------------------------------------------------


def _tokens(text: str) -> list[tokenize.TokenInfo]:
    try:
        return list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return []


def _edited(text: str, choose: random.Random, edit: Callable[[list[str], int], None], most: int = 4) -> str:
    """The text after some edits of the list of its tokens; what stands between tokens stays before them."""
    lines = text.splitlines(keepends=True)
    parts: list[str] = []
    row, column = 1, 0
    places = []
    for token in _tokens(text):
        (first, start), (last, end) = token.start, token.end
        if token.type in {tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER} or first > len(lines):
            continue
        between = lines[row - 1][column:start] if row == first else lines[row - 1][column:]
        if row != first:
            between += "".join(lines[row : first - 1]) + lines[first - 1][:start]
        if token.string.strip():
            places.append(len(parts) + 1)
        parts += [between, token.string]
        row, column = last, end
        if column >= len(lines[row - 1]) and row < len(lines):
            row, column = row + 1, 0
    if not places:
        return text[::-1]
    for _ in range(choose.randint(1, most)):
        edit(parts, choose.choice(places))
    return "".join(parts)


def _swap(text: str, choose: random.Random, _: list[str]) -> str:
    def edit(parts: list[str], place: int) -> None:
        other = min(place + 2 * choose.randint(1, 6), len(parts) - 1)
        parts[place], parts[other] = parts[other], parts[place]

    return _edited(text, choose, edit)


def _delete(text: str, choose: random.Random, _: list[str]) -> str:
    def edit(parts: list[str], place: int) -> None:
        parts[place] = ""

    return _edited(text, choose, edit)


def _duplicate(text: str, choose: random.Random, _: list[str]) -> str:
    def edit(parts: list[str], place: int) -> None:
        parts[place] = f"{parts[place]} " * choose.choice((2, 2, 3, 40))

    return _edited(text, choose, edit)


def _operators(text: str, choose: random.Random, _: list[str]) -> str:
    def edit(parts: list[str], place: int) -> None:
        if parts[place] in OPERATORS:
            parts[place] = choose.choice(OPERATORS)
        elif parts[place] in WORDS:
            parts[place] = choose.choice(WORDS)

    return _edited(text, choose, edit, 60)


def _renamed(text: str, choose: random.Random, _: list[str]) -> str:
    names = sorted({token.string for token in _tokens(text) if token.type == tokenize.NAME})
    to = dict(zip(choose.sample(names, min(len(names), 3)), choose.sample([*NAMES, *names], 3), strict=False))

    def edit(parts: list[str], place: int) -> None:
        parts[place] = choose.choice([*NAMES, *names])

    if choose.random() < 0.5:
        return _edited(text, choose, edit, 6)
    return "".join(to.get(token, token) for token in _words(text))


def _words(text: str) -> Iterable[str]:
    word = ""
    for letter in text:
        if letter.isidentifier():
            word += letter
            continue
        if word:
            yield word
        word = ""
        yield letter
    yield word


def _cut_off(text: str, choose: random.Random, _: list[str]) -> bytes:
    content = text.encode("utf-8", "surrogatepass")
    return content[: choose.randrange(len(content) + 1)]


def _encodings(text: str, choose: random.Random, _: list[str]) -> bytes:
    kind = choose.randrange(8)
    if kind == 0:
        return text.encode("utf-16", "surrogatepass")
    if kind == 1:
        cookie = choose.choice(
            ("latin-1", "utf-16", "cp037", "utf-7", "rot13", "hex", "none such", "utf-8-sig", "idna")
        )
        return f"# -*- coding: {cookie} -*-\n{text}".encode("utf-8", "surrogatepass")
    content = bytearray(text.encode("utf-8", "surrogatepass"))
    if kind == 2:
        return b"\xef\xbb\xbf" * choose.randint(1, 2) + content
    if kind == 3:
        return bytes(content).replace(b"\n", choose.choice((b"\r", b"\r\n", b"\f\n", b"\x0b", b"\x85", b"\n\f\t")))
    for _number in range(choose.randint(1, 5)):
        place = choose.randrange(len(content))
        content[place] = 0 if kind == 4 else choose.randrange(256)
    return bytes(content)


def _characters(text: str, choose: random.Random, _: list[str]) -> str:
    letters = list(text)
    for _number in range(choose.randint(1, 8)):
        odd = choose.choice("\0\t\r\f\x1b\u2028\u202e\ud800\U0001f980éßﬁ٣²½\u200b\"'\\()[]{}#@:;,.~`$?")
        letters[choose.randrange(len(letters))] = odd
    return "".join(letters)


def _lines(text: str, choose: random.Random, sources: list[str]) -> str:
    """Lines of another source, moved, doubled or indented otherwise."""
    lines = text.splitlines()
    other = choose.choice(sources).splitlines()
    for _number in range(choose.randint(1, 6)):
        place = choose.randrange(len(lines))
        kind = choose.randrange(4)
        if kind == 0:
            lines.insert(place, choose.choice(other or [""]))
        elif kind == 1:
            lines.insert(place, lines.pop(choose.randrange(len(lines))))
        elif kind == 2:
            lines[place] = "    " + lines[place]
        else:
            lines[place] = f"{lines[place]}\n{lines[place]}"
    return "\n".join(lines) + "\n"


# -- mutations of the tree -------------------------------------------------------------------------------------------


def _expressions(text: str, choose: random.Random, sources: list[str]) -> str:
    """Expressions replaced by each other and by constants, statements moved and dropped."""
    try:
        pool = [node for node in ast.walk(ast.parse(choose.choice(sources))) if isinstance(node, ast.expr)]
        pool = [node for node in pool if not isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))]
        pool = [node for node in pool if not isinstance(node, (ast.Starred, ast.Slice))]
        tree = Mutator(choose.choice((0.005, 0.02, 0.05)), choose, pool).visit(ast.parse(text))
        return ast.unparse(ast.fix_missing_locations(tree))
    except (SyntaxError, ValueError, RecursionError):
        return text


def _shuffled(text: str, choose: random.Random, _: list[str]) -> str:
    """Statements in another order, bodies exchanged between functions."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return text
    bodies = [
        node for node in ast.walk(tree) if isinstance(node, (ast.FunctionDef, ast.For, ast.If, ast.While, ast.ClassDef))
    ]
    for node in bodies:
        if choose.random() < 0.3:
            choose.shuffle(node.body)
    if len(bodies) > 1 and choose.random() < 0.6:
        first, second = choose.sample(bodies, 2)
        if first not in list(ast.walk(second)) and second not in list(ast.walk(first)):
            first.body, second.body = second.body, first.body
    return ast.unparse(ast.fix_missing_locations(tree))


def _declared(text: str, choose: random.Random, _: list[str]) -> str:
    """Declarations that are no shapes, or none that anyone needs."""
    return absurd_declarations(text, choose)


def _arguments(text: str, choose: random.Random, _: list[str]) -> str:
    """Arguments of calls dropped, doubled, starred, named otherwise or replaced."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return text
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    values = [node for node in ast.walk(tree) if isinstance(node, (ast.Name, ast.Constant, ast.Tuple, ast.UnaryOp))]
    values = [node for node in values if not isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))]
    for call in calls:
        kind = choose.randrange(12)
        if kind == 0 and call.args:
            call.args.pop(choose.randrange(len(call.args)))
        elif kind == 1 and call.args:
            call.args = call.args * choose.choice((2, 30))
        elif kind == 2 and call.args:
            call.args[0] = ast.Starred(call.args[0], ast.Load())
        elif kind == 3:
            name = choose.choice(("dim", "keepdim", "out", "size", "input", None, "axis", "dtype", "no_such"))
            call.keywords.append(ast.keyword(name, choose.choice(values)))
        elif kind == 4:
            call.args.insert(0, choose.choice(values))
        elif kind == 5:
            number = choose.choice((-1, 0, 1, 2, -7, 99, 10**12, 2**64, -(10**30)))
            call.args.append(ast.Constant(number))
    try:
        return ast.unparse(ast.fix_missing_locations(tree))
    except (ValueError, RecursionError):
        return text


KINDS: dict[str, Callable[[str, random.Random, list[str]], str | bytes]] = {
    "as it is": lambda text, _choose, _sources: text,
    "tokens swapped": _swap,
    "tokens deleted": _delete,
    "tokens doubled": _duplicate,
    "operators changed": _operators,
    "names changed": _renamed,
    "cut off": _cut_off,
    "encodings": _encodings,
    "odd characters": _characters,
    "lines moved": _lines,
    "expressions replaced": _expressions,
    "statements shuffled": _shuffled,
    "absurd declarations": _declared,
    "arguments changed": _arguments,
}
