"""JUnit XML, which build servers show as test results: each finding is a failed test of its file."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET  # only written, nothing foreign is parsed

from shapecheck.diagnostics.renderers.concise import one_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapecheck.diagnostics.model import Diagnostic
    from shapecheck.diagnostics.renderers import Context


def render(diagnostics: Sequence[Diagnostic], context: Context) -> str:
    """Write a test suite for each file with findings, or one passing test when there are none.

    Notes (revealed shapes) are no faults and are left out.
    """
    by_file: dict[str, list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        if diagnostic.severity != "note":
            by_file.setdefault(diagnostic.place.filename, []).append(diagnostic)
    total = sum(map(len, by_file.values()))
    root = ET.Element("testsuites", name="shapecheck", tests=str(total or 1), failures=str(total), errors="0")
    for filename, found in by_file.items():
        count = str(len(found))
        suite = ET.SubElement(root, "testsuite", name=_text(filename), tests=count, failures=count, errors="0")
        for diagnostic in found:
            _case(suite, diagnostic, context)
    if not total:
        suite = ET.SubElement(root, "testsuite", name="shapecheck", tests="1", failures="0", errors="0")
        ET.SubElement(suite, "testcase", name="no findings", classname="shapecheck")
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _case(suite: ET.Element, diagnostic: Diagnostic, context: Context) -> None:
    place = diagnostic.place
    name = f"{diagnostic.code} {context.rules[diagnostic.code].name} at {place.row}:{place.column}"
    classname = place.filename.removesuffix(".py")
    case = ET.SubElement(
        suite, "testcase", name=name, classname=_text(classname), file=_text(place.filename), line=str(place.row)
    )
    failure = ET.SubElement(case, "failure", type=diagnostic.severity, message=_text(one_line(diagnostic.message)))
    lines = [f"{place.label}: {diagnostic.message}"]
    for note in diagnostic.notes:
        where = "" if note.place is None else f"{note.place.label}: "
        lines.append(f"{where}{note.message}")
    if diagnostic.repair is not None:
        lines.append(f"repair: {diagnostic.repair}")
    failure.text = _text("\n".join(lines))


def _text(value: str) -> str:
    """Return the text without the characters that XML cannot hold."""
    return re.sub("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\N{REPLACEMENT CHARACTER}", value)
