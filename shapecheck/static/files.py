"""Reading and parsing source files. What cannot be read becomes one clear diagnostic."""

from __future__ import annotations

import ast
import sys

from shapecheck.diagnostics.encoding import EncodingError, decoded
from shapecheck.diagnostics.model import Diagnostic, Place, source_lines
from shapecheck.static.pieces import parse

MAX_BYTES = 10_000_000
"""A larger file is data, not code that people write."""


class SourceFile:
    """One parsed file: its path as given, its text, lines and syntax tree."""

    __slots__ = ("has_yield", "lines", "path", "text", "tree")

    def __init__(self, path: str, text: str, tree: ast.Module) -> None:
        self.path = path
        self.text = text
        self.lines = source_lines(text)
        self.tree = tree
        self.has_yield = "yield" in text
        """Whether any function may be a generator."""


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


def parse_content(path: str, content: bytes) -> SourceFile | Diagnostic:
    """The bytes of a file parsed, or the diagnostic that says what is wrong with its encoding or syntax."""
    try:
        text = decoded(content)
    except EncodingError as error:
        return Diagnostic("SC001", "error", str(error), Place(path, error.row, 1, error.row, 2))
    return parse_text(path, text)


def parse_text(path: str, text: str) -> SourceFile | Diagnostic:
    """The parsed text, or the diagnostic that says where its syntax is wrong."""
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
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
