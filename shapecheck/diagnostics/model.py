"""Places, notes, diagnostics and rules: the values every checker produces and every renderer reads.

The classes are written out rather than made by `dataclasses`, whose import alone is a fifth of the time that checking
a small file may take.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Sequence
    from typing import Any, Literal, NoReturn, Self, TypeAlias

    Severity: TypeAlias = Literal["error", "warning", "note"]

_store = object.__setattr__


class Record:
    """A frozen value: equal, hashed and shown by its fields, which are its `__slots__` in construction order."""

    __slots__: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, field) == getattr(other, field) for field in self.__slots__)

    def __hash__(self) -> int:
        return hash(tuple(getattr(self, field) for field in self.__slots__))

    def __repr__(self) -> str:
        fields = ", ".join(f"{field}={getattr(self, field)!r}" for field in self.__slots__)
        return f"{type(self).__name__}({fields})"

    def __setattr__(self, field: str, value: object) -> NoReturn:
        message = f"{type(self).__name__} is frozen; make another with replace({field}=...)"
        raise AttributeError(message)

    def __reduce__(self) -> tuple[type[Self], tuple[object, ...]]:
        # Worker processes send diagnostics back; the default would set attributes one by one.
        return type(self), tuple(getattr(self, field) for field in self.__slots__)

    def replace(self, **changes: Any) -> Self:
        """Return the same value with some fields changed."""
        fields: dict[str, Any] = {field: getattr(self, field) for field in self.__slots__}
        return type(self)(**(fields | changes))


class Place(Record):
    """A span of a source file.

    Rows and columns are 1-based and columns count characters (not bytes). The end is exclusive: `end_column` is the
    column after the last character, on row `end_row`.
    """

    __slots__ = ("filename", "row", "column", "end_row", "end_column")

    filename: str
    row: int
    column: int
    end_row: int
    end_column: int

    def __init__(self, filename: str, row: int, column: int, end_row: int, end_column: int) -> None:
        _store(self, "filename", filename)
        _store(self, "row", row)
        _store(self, "column", column)
        _store(self, "end_row", end_row)
        _store(self, "end_column", end_column)

    @property
    def label(self) -> str:
        """What people and editors find the place by: `file:row:column`, on one line whatever the file is called."""
        return f"{escaped(self.filename)}:{self.row}:{self.column}"

    @property
    def sort_key(self) -> tuple[str, int, int]:
        """Orders places by file, then from top to bottom."""
        return (self.filename, self.row, self.column)


class Note(Record):
    """A sentence that explains a diagnostic: where a size was bound, which call led here.

    `call` marks the call that led into the function where the fault is; a suppression comment there counts too.
    """

    __slots__ = ("message", "place", "call")

    message: str
    place: Place | None
    call: bool

    def __init__(self, message: str, place: Place | None = None, call: bool = False) -> None:
        _store(self, "message", message)
        _store(self, "place", place)
        _store(self, "call", call)


class Diagnostic(Record):
    """One finding.

    `function` is the qualified name of the function that was being checked ("Attention.forward"), or None at module
    level. `repair` says what to write instead, if one change explains everything.
    """

    __slots__ = ("code", "severity", "message", "place", "function", "notes", "repair")

    code: str
    severity: Severity
    message: str
    place: Place
    function: str | None
    notes: tuple[Note, ...]
    repair: str | None

    def __init__(
        self,
        code: str,
        severity: Severity,
        message: str,
        place: Place,
        function: str | None = None,
        notes: Sequence[Note] = (),
        repair: str | None = None,
    ) -> None:
        _store(self, "code", code)
        _store(self, "severity", severity)
        _store(self, "message", message)
        _store(self, "place", place)
        _store(self, "function", function)
        _store(self, "notes", tuple(notes))
        _store(self, "repair", repair)

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        """Orders diagnostics by place, then by code."""
        return (*self.place.sort_key, self.code, self.message)


class Rule(Record):
    """A kind of finding.

    `code` is stable ("SC203"), `name` is kebab-case ("operand-shape"), `summary` is one sentence without a full stop,
    and `default` tells whether the rule is on when nothing is selected.
    """

    __slots__ = ("code", "name", "summary", "severity", "default")

    code: str
    name: str
    summary: str
    severity: Severity
    default: bool

    def __init__(self, code: str, name: str, summary: str, severity: Severity, default: bool = True) -> None:
        _store(self, "code", code)
        _store(self, "name", name)
        _store(self, "summary", summary)
        _store(self, "severity", severity)
        _store(self, "default", default)


def escaped(name: str) -> str:
    r"""Return the name of a file as it can be printed, on one line.

    What cannot be printed is written as in a Python string: a line break as `\n`, and a byte that is no text, which
    Python holds as a lone surrogate, as `\udcff`.
    """
    if name.isprintable():
        return name
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in name
    )


def source_lines(text: str) -> list[str]:
    r"""Split source text into lines as Python's own tokenizer does, without line ends.

    `str.splitlines` also splits at form feeds and Unicode separators, which would shift every later row.
    """
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def character_column(line: str, utf8_offset: int) -> int:
    """Return the 1-based character column of a 0-based UTF-8 byte offset, which is what `ast` counts in."""
    if line.isascii():
        return utf8_offset + 1
    return len(line.encode()[:utf8_offset].decode(errors="replace")) + 1


def place_of(filename: str, node: ast.AST, lines: Sequence[str]) -> Place:
    """Return the place of a syntax node, in a file whose `source_lines` are given.

    Args:
        filename: as it was given to the checker.
        node: any node with positions (expressions, statements, arguments, patterns).
        lines: all lines of the file.
    """
    row: int = node.lineno  # type: ignore[attr-defined]
    end_row: int = node.end_lineno  # type: ignore[attr-defined]
    return Place(
        filename,
        row,
        character_column(lines[row - 1], node.col_offset),  # type: ignore[attr-defined]
        end_row,
        character_column(lines[end_row - 1], node.end_col_offset),  # type: ignore[attr-defined]
    )
