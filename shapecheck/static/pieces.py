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


class Piece:
    """Part of the text of a file, from the 0-based row `start` on."""

    __slots__ = ("_body", "start", "text")

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.start = start
        self._body: list[ast.stmt] | None = None

    def names(self) -> list[str] | None:
        """What it defines, if its lines tell that it does nothing else."""
        return None if _OTHER.search(self.text) else _DEFINITION.findall(self.text)

    def body(self) -> list[ast.stmt]:
        """Its statements.

        Raises:
            SyntaxError: on its own it cannot be parsed.
        """
        if self._body is None:
            self._body = ast.parse("\n" * self.start + self.text).body
        return self._body

    def keeps_its_word(self) -> bool:
        """Whether it can be parsed, and defines what its lines tell and nothing else."""
        try:
            return [getattr(node, "name", None) for node in self.body()] == self.names()
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False


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
            return ast.Module([node for piece in pieces for node in piece.body()], [])
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
    return ast.parse(text, path)
