"""Where the characters of a string literal stand in the file.

A literal may have a prefix, escapes, triple quotes or implicit concatenation: offsets into its value are not columns.
Positions are those of `ast`: lines from 1, columns from 0 in UTF-8 bytes.
"""

from __future__ import annotations

import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Position: TypeAlias = tuple[int, int]
    Span: TypeAlias = tuple[int, int, int, int]
    SourceLine: TypeAlias = Callable[[int], str | None]

_SIMPLE_ESCAPES = {
    "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
}  # fmt: skip
_HEX_DIGITS = {"x": 2, "u": 4, "U": 8}


def literal_positions(node: ast.Constant, source_line: SourceLine) -> list[Position] | None:
    """The position of every character of a string literal, and of its end; None when they cannot be told apart."""
    text = node.value
    assert isinstance(text, str)  # noqa: S101  # the caller looked
    last_line = node.end_lineno or node.lineno
    width = (node.end_col_offset or 0) - node.col_offset
    if node.lineno == last_line and width == len(text.encode("utf-8", "surrogatepass")) + 2:
        return _plain_positions(text, node.lineno, node.col_offset + 1)
    lines = []
    for number in range(node.lineno, last_line + 1):
        line = source_line(number)
        if line is None:
            return None
        lines.append(line if line.endswith("\n") else line + "\n")
    return _scanned_positions(text, lines, node)


def _plain_positions(text: str, line: int, column: int) -> list[Position]:
    positions = []
    for char in text:
        positions.append((line, column))
        column += 1 if char < "\x80" else len(char.encode("utf-8", "surrogatepass"))
    positions.append((line, column))
    return positions


class _Scanner:
    """Walks over the characters of a few lines, knowing the byte column of each."""

    def __init__(self, lines: list[str], node: ast.Constant) -> None:
        first = len(lines[0].encode()[: node.col_offset].decode(errors="replace"))
        self.places: list[Position] = []
        chars = []
        for number, line in enumerate(lines, node.lineno):
            column = 0
            for index, char in enumerate(line):
                if number > node.lineno or index >= first:
                    chars.append(char)
                    self.places.append((number, column))
                column += len(char.encode("utf-8", "surrogatepass"))
        self.text = "".join(chars)
        self.at = 0
        end = (node.end_lineno or node.lineno, node.end_col_offset or 0)
        self.end = sum(1 for place in self.places if place < end)

    def skip_to_quote(self) -> str | None:
        """Pass blanks, comments and the prefix; return the prefix, None at the end of the literal."""
        while self.at < self.end:
            char = self.text[self.at]
            if char == "#":
                self.at = self.text.find("\n", self.at)
            elif char in " \t\n\r\f\\()":
                self.at += 1
            else:
                start = self.at
                while self.at < self.end and self.text[self.at] not in "'\"":
                    self.at += 1
                return self.text[start : self.at].lower()
        return None


def _scanned_positions(text: str, lines: list[str], node: ast.Constant) -> list[Position] | None:
    scanner = _Scanner(lines, node)
    positions: list[Position] = []
    decoded: list[str] = []
    end = (node.lineno, node.col_offset)
    while (prefix := scanner.skip_to_quote()) is not None:
        if scanner.at >= scanner.end:
            return None
        quote = scanner.text[scanner.at]
        if scanner.text.startswith(quote * 3, scanner.at):
            quote *= 3
        scanner.at += len(quote)
        while not scanner.text.startswith(quote, scanner.at):
            if scanner.at >= scanner.end:
                return None
            place = scanner.places[scanner.at]
            char, length = _character(scanner.text, scanner.at, raw="r" in prefix, wanted=text[len(decoded) :])
            scanner.at += length
            if char is not None:
                decoded.append(char)
                positions.append(place)
        end = scanner.places[scanner.at]
        scanner.at += len(quote)
    if "".join(decoded) != text:
        return None
    positions.append(end)
    return positions


def _character(source: str, at: int, *, raw: bool, wanted: str) -> tuple[str | None, int]:
    """The character that the source at `at` stands for, and how long it is there."""
    char = source[at]
    if char != "\\" or raw:
        return char, 1
    following = source[at + 1 : at + 2]
    if following == "\n":
        return None, 2
    if following in _SIMPLE_ESCAPES:
        return _SIMPLE_ESCAPES[following], 2
    if following in _HEX_DIGITS:
        length = 2 + _HEX_DIGITS[following]
        try:
            return chr(int(source[at + 2 : at + length], 16)), length
        except (ValueError, OverflowError):
            return char, 1
    if following == "N" and source[at + 2 : at + 3] == "{":
        # The value says which character the name means.
        return wanted[:1], source.find("}", at) + 1 - at
    digits = ""
    while len(digits) < 3 and source[at + 1 + len(digits)] in "01234567":
        digits += source[at + 1 + len(digits)]
    if digits:
        return chr(int(digits, 8)), 1 + len(digits)
    return char, 1


class Place:
    """Where a shape string stands: the span of its literal, and on demand that of each token.

    `path` is that of the file that holds the literal: an alias may come from another one than the annotation.
    """

    __slots__ = ("_positions", "lead", "node_span", "path")

    def __init__(self, path: str, node_span: Span, lead: int, positions: Callable[[], list[Position] | None]) -> None:
        self.path = path
        self.node_span = node_span
        self.lead = lead
        self._positions: Callable[[], list[Position] | None] | list[Position] | None = positions

    @property
    def line(self) -> int:
        """The line on which the literal starts."""
        return self.node_span[0]

    @property
    def column(self) -> int:
        """The byte column at which the literal starts."""
        return self.node_span[1]

    def positions(self) -> list[Position] | None:
        """Position of every character of the literal's value and of its end, None if they cannot be told."""
        if callable(self._positions):
            self._positions = self._positions()
        return self._positions

    def locate(self, start: int, end: int) -> Span:
        """Line, column, end line, end column of columns `start` to `end` of the (stripped) shape string.

        When the literal is written so that columns cannot be mapped, the whole literal is returned.
        """
        positions = self.positions()
        start += self.lead
        end += self.lead
        if positions is None or not 0 <= start <= end < len(positions):
            return self.node_span
        if end > start:  # the end of the last character, not the start of what follows it in another piece
            line, column = positions[end - 1]
            following = positions[end]
            end_position = following if following[0] == line else (line, column + 1)
        else:
            end_position = positions[end]
        return (*positions[start], *end_position)

    def __repr__(self) -> str:
        return f"Place({self.path!r}, {self.node_span})"
