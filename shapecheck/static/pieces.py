"""The syntax of a long file, parsed by pieces that begin with a definition: the same tree in less memory and time.

Where several processes share a file, each of them parses only the pieces that it needs.
"""

from __future__ import annotations

import ast
import re

_LEAST = 5_000
"""Characters of a piece: what parsing a longer one needs has to be had from the system first."""
_CUT = re.compile(r"\n\n(?=(?:def|class|async def) |@)")
_DEFINITION = re.compile(r"^(?:async def|def|class) +(\w+)", re.MULTILINE)
_OTHER = re.compile(r"^(?!(?:async def|def|class) )[^@#)\]}\s]", re.MULTILINE)
"""Where a line at the margin begins something else than a definition."""
_NO_TREE = (SyntaxError, ValueError, RecursionError, MemoryError)


class Piece:
    """Part of the text of a file, from the 0-based row `start` on."""

    __slots__ = ("_body", "_names", "start", "text", "torn")

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.start = start
        self.torn = False
        """Whether it is not what its lines tell, and the file has to be read as a whole."""
        self._body: list[ast.stmt] | None = None
        self._names: list[str] | None = None

    @property
    def end(self) -> int:
        """The 0-based row behind it."""
        return self.start + self.text.count("\n") + (not self.text.endswith("\n"))

    @property
    def is_read(self) -> bool:
        """Whether it was parsed."""
        return self._body is not None

    def names(self) -> list[str] | None:
        """What it defines, if its lines tell that it does nothing else."""
        if self._names is None and not _OTHER.search(self.text):
            self._names = _DEFINITION.findall(self.text)
        return self._names

    def body(self) -> list[ast.stmt]:
        """Its statements.

        Raises:
            SyntaxError: on its own it cannot be parsed.
        """
        if self._body is None:
            self._body = ast.parse("\n" * self.start + self.text).body
        return self._body

    def definitions(self) -> list[ast.stmt]:
        """Its statements, of which the names were told already; none if it turns out that something else is there."""
        if self._body is None:
            import warnings

            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    found = self.body()
            except _NO_TREE:
                found, self.torn = [], True
            if [getattr(node, "name", None) for node in found] != self.names():
                found, self.torn = [], True
            self._body = found
        return self._body


def cut(text: str) -> list[Piece]:
    """The pieces of a text, one behind the other; one if it is short, or if its lines may be counted in another way."""
    if len(text) < 2 * _LEAST or "\r" in text or "\f" in text:
        return [Piece(text, 0)]
    found: list[Piece] = []
    begin = row = 0
    for place in _CUT.finditer(text, _LEAST):
        end = place.end()
        if end - begin >= _LEAST:
            found.append(Piece(text[begin:end], row))
            row += text.count("\n", begin, end)
            begin = end
    return [*found, Piece(text[begin:], row)]


def parse(text: str, path: str) -> ast.Module:
    """The tree of a text.

    A text that is none on its own, as where a definition stands in a string, tells nothing: the whole text does.
    """
    pieces = cut(text)
    if len(pieces) > 1:
        try:
            return joined(pieces)
        except _NO_TREE:
            pass
    return ast.parse(text, path)


def joined(pieces: list[Piece]) -> ast.Module:
    """The tree of all pieces."""
    return ast.Module([node for piece in pieces for node in piece.body()], [])


def parse_some(text: str) -> list[Piece]:
    """The pieces of a text; only those are parsed that do something else than define functions and classes.

    Nothing if that does not pay, or if the lines do not tell what all of it means.
    """
    pieces = cut(text)
    later = [name for piece in pieces for name in piece.names() or ()]
    # Of several definitions of a name each has its meaning.
    if not later or len(set(later)) < len(later) or "overload" in text or "global " in text:
        return []
    try:
        for piece in pieces:
            if piece.names() is None:
                piece.body()
    except _NO_TREE:
        return []
    return pieces
