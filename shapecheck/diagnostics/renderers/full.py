"""The long form: each finding with its source, the exact span underlined, where each size came from, and a repair.

The layout is a list of lines made of styled pieces, so that what a terminal shows in colour is the same text.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from shapecheck.diagnostics.model import Diagnostic, Place
    from shapecheck.diagnostics.renderers import Context

    Piece = tuple[str, str]
    """Text and its style, in the words of `rich`; an empty style is plain text."""
    Line = list[Piece]

_STYLES = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}
_FRAME = "dim"
_TAB = 4
_SHOWN_ROWS = 4


def render(diagnostics: Sequence[Diagnostic], context: Context) -> str:
    """Write the findings as plain text, with a blank line after each."""
    return "".join(
        "".join(text for text, _ in line).rstrip() + "\n"
        for diagnostic in diagnostics
        for line in _finding(diagnostic, context)
    )


def print_in_colour(diagnostics: Sequence[Diagnostic], context: Context) -> None:
    """Print the findings on the terminal in colour; the text is what `render` returns."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    for diagnostic in diagnostics:
        for line in _finding(diagnostic, context):
            console.print(Text.assemble(*line))


def _finding(diagnostic: Diagnostic, context: Context) -> Iterator[Line]:
    style = _STYLES[diagnostic.severity]
    first, *rest = diagnostic.message.split("\n")
    rule = context.rules[diagnostic.code]
    yield [(f"{diagnostic.severity}[{diagnostic.code}] {rule.name}: ", style), (first, "bold")]
    places = [diagnostic.place, *(note.place for note in diagnostic.notes if note.place is not None)]
    margin = len(str(max(place.end_row for place in places)))
    blank: Piece = (" " * margin, "")
    for line in rest:
        yield [blank, (f"   {line}", "")]
    where = diagnostic.place.label
    inside = "" if diagnostic.function is None else f" in {diagnostic.function}"
    yield [blank, ("--> ", _FRAME), (where + inside, "")]
    yield from _excerpt(diagnostic.place, context.lines, margin, "^", style)
    for note in diagnostic.notes:
        yield [blank, (" = ", _FRAME), ("note: ", _STYLES["note"]), (note.message, "")]
        if note.place is not None:
            yield [blank, ("--> ", _FRAME), (note.place.label, "")]
            yield from _excerpt(note.place, context.lines, margin, "-", _STYLES["note"])
    if diagnostic.repair is not None:
        first, *rest = diagnostic.repair.split("\n")
        yield [blank, (" = ", _FRAME), ("repair: ", "bold green"), (first, "")]
        for line in rest:
            yield [blank, (f"   {line}", "")]
    yield []


def _excerpt(
    place: Place, lines_of: Callable[[str], Sequence[str]], margin: int, mark: str, style: str
) -> Iterator[Line]:
    """Yield the source rows of a place with the span marked below each; of a long span, its ends."""
    lines = lines_of(place.filename)
    rows = [row for row in range(place.row, place.end_row + 1) if 0 < row <= len(lines)]
    if not rows or not any(lines[row - 1].strip() for row in rows):
        # Nothing to show: the file is gone or empty.
        return
    gap = len(rows) > _SHOWN_ROWS
    if gap:
        rows = [rows[0], rows[-1]]
    for row in rows:
        line = lines[row - 1]
        start = place.column - 1 if row == place.row else len(line) - len(line.lstrip())
        end = place.end_column - 1 if row == place.end_row else len(line.rstrip())
        indent = width(line[:start])
        span = max(1, width(line[:end]) - indent)
        yield [(f"{row:>{margin}} | ", _FRAME), (printable(line), "")]
        yield [(f"{'':>{margin}} | ", _FRAME), (" " * indent, ""), (mark * span, style)]
        if gap and row == place.row:
            yield [(f"{'':>{margin}} | ...", _FRAME)]


def printable(line: str) -> str:
    """Return a source line as it can be printed: tabs expanded, control characters replaced."""
    if line.isascii() and line.isprintable():
        return line
    shown = ""
    for character in line:
        if character == "\t":
            shown += " " * (_TAB - width(shown) % _TAB)
        else:
            shown += character if character.isprintable() else "\N{REPLACEMENT CHARACTER}"
    return shown


def width(text: str) -> int:
    """Return how many terminal columns a piece of a source line takes."""
    if text.isascii() and "\t" not in text:
        return len(text)
    from unicodedata import combining, east_asian_width

    columns = 0
    for character in text:
        if character == "\t":
            columns += _TAB - columns % _TAB
        elif not combining(character):
            columns += 2 if east_asian_width(character) in "WF" else 1
    return columns
