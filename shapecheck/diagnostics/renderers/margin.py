"""Source with what is known at each line beside it, for `shapecheck show`."""

from __future__ import annotations

from shapecheck.diagnostics.renderers.full import printable, width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    Line = list[tuple[str, str]]
    """Pieces of text, each with its style in the words of `rich`."""

_WIDEST = 88
"""Columns: what stands beside a longer line stands behind it, and does not push the others away."""


def render(lines: Sequence[str], rows: Sequence[int], beside: Mapping[int, str]) -> str:
    """Write some rows of a file as plain text."""
    return "".join("".join(text for text, _ in line).rstrip() + "\n" for line in _laid_out(lines, rows, beside))


def print_in_colour(lines: Sequence[str], rows: Sequence[int], beside: Mapping[int, str]) -> None:
    """Print some rows on the terminal in colour; the text is what `render` returns."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)
    for line in _laid_out(lines, rows, beside):
        console.print(Text.assemble(*line))


def _laid_out(lines: Sequence[str], rows: Iterable[int], beside: Mapping[int, str]) -> Iterator[Line]:
    shown = {row: printable(lines[row - 1]) for row in rows if 0 < row <= len(lines)}
    margin = len(str(max(shown, default=0)))
    column = max((width(text) for row, text in shown.items() if row in beside and width(text) <= _WIDEST), default=0)
    for row, text in shown.items():
        line: Line = [(f"{row:>{margin}} | ", "dim"), (text, "")]
        if row in beside:
            known = beside[row]
            line += [(" " * max(column - width(text), 0) + "   ", ""), (known, "yellow" if "?" in known else "cyan")]
        yield line
