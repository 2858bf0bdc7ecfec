"""Reading and parsing source files. What cannot be read becomes one clear diagnostic."""

from __future__ import annotations

import ast
import sys

from shapecheck.diagnostics.encoding import EncodingError, decoded
from shapecheck.diagnostics.model import Diagnostic, Place, source_lines
from shapecheck.static.pieces import parse, parse_some

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapecheck.static.pieces import Piece

MAX_BYTES = 10_000_000
"""A larger file is data, not code that people write."""


class SourceFile:
    """One parsed file: its path as given, its text, lines and syntax tree.

    Attributes:
        pieces: what the tree is made of when it is first asked for; empty if it is there already.
        has_yield: whether any function may be a generator.
    """

    __slots__ = ("_tree", "has_yield", "lines", "path", "pieces", "text")

    def __init__(self, path: str, text: str, tree: ast.Module | None, pieces: Sequence[Piece] = ()) -> None:
        self.path = path
        self.text = text
        self.lines = source_lines(text)
        self.pieces = pieces
        self.has_yield = "yield" in text
        self._tree = tree

    @property
    def tree(self) -> ast.Module:
        """The whole syntax tree."""
        if self._tree is None:
            self._tree = ast.Module([node for piece in self.pieces for node in piece.definitions()], [])
        return self._tree

    @property
    def torn(self) -> bool:
        """Whether it turned out that a piece is no code of its own: what is known of the file is not to be trusted."""
        return any(piece.torn for piece in self.pieces)

    def body(self, start: int, end: int | None) -> list[ast.stmt]:
        """The statements at the top level that begin between two rows, `end` not included."""
        found = [
            node
            for piece in self.pieces
            if piece.end >= start and (end is None or piece.start + 1 < end)
            for node in piece.definitions()
        ] if self._tree is None else self._tree.body  # fmt: skip
        return [node for node in found if start <= node.lineno < (end or node.lineno + 1)]


def read_content(path: str) -> bytes | Diagnostic:
    """The bytes of a file, or the diagnostic that says why it cannot be read."""
    try:
        with open(path, "rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as error:
        return unreadable(path, f"cannot be read: {error.strerror or error}")
    if len(content) > MAX_BYTES:
        return unreadable(path, f"is larger than {MAX_BYTES // 1_000_000} MB; exclude it or split it")
    return content


def parse_content(path: str, content: bytes, *, lazily: bool = False) -> SourceFile | Diagnostic:
    """The bytes of a file parsed, or the diagnostic that says what is wrong with its encoding or syntax.

    Args:
        path: the file.
        content: its bytes.
        lazily: whether definitions may be parsed when they are needed.
    """
    try:
        text = decoded(content)
    except EncodingError as error:
        return Diagnostic("SC001", "error", str(error), Place(path, error.row, 1, error.row, 2))
    return parse_text(path, text, lazily=lazily)


def parse_text(path: str, text: str, *, lazily: bool = False) -> SourceFile | Diagnostic:
    """The parsed text, or the diagnostic that says where its syntax is wrong."""
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pieces = parse_some(text) if lazily else []
            if pieces:
                return SourceFile(path, text, None, pieces)
            tree = parse(text, path)
    except SyntaxError as error:
        version = ".".join(map(str, sys.version_info[:2]))
        message = f"is not valid Python {version}: {error.msg}"
        row, column = max(error.lineno or 1, 1), max(error.offset or 1, 1)
        return Diagnostic("SC001", "error", message, Place(path, row, column, row, column + 1))
    except ValueError as error:
        return unreadable(path, f"is not valid Python: {error}")
    except (RecursionError, MemoryError):
        return unreadable(path, "is nested too deeply to be parsed; simplify its longest expression or exclude it")
    return SourceFile(path, text, tree)


def unreadable(path: str, message: str) -> Diagnostic:
    """The diagnostic for a file as a whole."""
    return Diagnostic("SC001", "error", message, Place(path, 1, 1, 1, 2))
