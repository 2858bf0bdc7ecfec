"""Reports as plain values, such as `marshal` writes: for the disk, and from one process to another."""

from __future__ import annotations

from shapecheck.diagnostics.model import Diagnostic, Note, Place
from shapecheck.static.report import InternalNote, Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def packed(report: Report) -> Any:
    """A report as tuples, lists and dictionaries of strings and numbers."""
    counts = report.statistics
    return (
        [_fields(diagnostic) for diagnostic in report.diagnostics],
        {field: getattr(counts, field) for field in counts.__slots__},
        [(note.file, note.function, note.message, note.traceback) for note in report.internal],
    )


def unpacked(values: Any) -> Report:
    """The report that was packed."""
    diagnostics, counts, internal = values
    report = Report()
    for code, severity, message, span, function, packed_notes, repair in diagnostics:
        notes = [Note(said, None if there is None else Place(*there), call) for said, there, call in packed_notes]
        report.diagnostics.append(Diagnostic(code, severity, message, Place(*span), function, notes, repair))
    for field, value in counts.items():
        setattr(report.statistics, field, value)
    report.internal += [InternalNote(*note) for note in internal]
    return report


def _fields(diagnostic: Diagnostic) -> Any:
    place, notes = _span(diagnostic.place), [(n.message, _span(n.place), n.call) for n in diagnostic.notes]
    return (
        diagnostic.code, diagnostic.severity, diagnostic.message, place, diagnostic.function, notes, diagnostic.repair,
    )  # fmt: skip


def _span(place: Place | None) -> Any:
    return None if place is None else (place.filename, place.row, place.column, place.end_row, place.end_column)
