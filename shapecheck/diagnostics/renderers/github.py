"""Workflow commands that a GitHub Actions run turns into annotations beside the lines of a pull request."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapecheck.diagnostics.model import Diagnostic
    from shapecheck.diagnostics.renderers import Context

_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def render(diagnostics: Sequence[Diagnostic], context: Context) -> str:
    """Write one workflow command a finding, with its notes and repair in the text."""
    return "".join(_command(diagnostic, context) for diagnostic in diagnostics)


def _command(diagnostic: Diagnostic, context: Context) -> str:
    place = diagnostic.place
    properties = {
        "title": f"{diagnostic.code} {context.rules[diagnostic.code].name}",
        "file": place.filename,
        "line": str(place.row),
        "endLine": str(place.end_row),
    }
    if place.row == place.end_row:
        # Columns are refused for spans of several lines. Theirs are inclusive at the end.
        properties["col"] = str(place.column)
        properties["endColumn"] = str(max(place.column, place.end_column - 1))
    text = [diagnostic.message]
    for note in diagnostic.notes:
        where = "" if note.place is None else f" ({note.place.label})"
        text.append(f"{note.message}{where}")
    if diagnostic.repair is not None:
        text.append(f"repair: {diagnostic.repair}")
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    escaped = _data("\n".join(text))
    return f"::{_COMMANDS[diagnostic.severity]} {listed}::{escaped}\n"


def _data(value: str) -> str:
    return value.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: str) -> str:
    return _data(value).replace(":", "%3A").replace(",", "%2C")
