"""A JSON array of findings, for programs."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from shapecheck.diagnostics.model import Diagnostic, Place
    from shapecheck.diagnostics.renderers import Context


def render(diagnostics: Sequence[Diagnostic], context: Context) -> str:
    """Write an array with one object a finding.

    Each has `filename`, `location` and `end_location` (1-based `row` and `column` in characters, the end exclusive),
    `code`, `name`, `severity`, `message`, `function` (or null), `notes` (each with `message`, and `filename`,
    `location` and `end_location` or null) and `repair` (or null). A byte of a file's name that is no text is the lone
    surrogate by which Python holds it.
    """
    items = [
        {
            **_span(diagnostic.place),
            "code": diagnostic.code,
            "name": context.rules[diagnostic.code].name,
            "severity": diagnostic.severity,
            "message": diagnostic.message,
            "function": diagnostic.function,
            "notes": [{"message": note.message, **_span(note.place)} for note in diagnostic.notes],
            "repair": diagnostic.repair,
        }
        for diagnostic in diagnostics
    ]
    return json.dumps(items, indent=2, ensure_ascii=False) + "\n"


def _span(place: Place | None) -> dict[str, Any]:
    if place is None:
        return {"filename": None, "location": None, "end_location": None}
    return {
        "filename": place.filename,
        "location": {"row": place.row, "column": place.column},
        "end_location": {"row": place.end_row, "column": place.end_column},
    }
