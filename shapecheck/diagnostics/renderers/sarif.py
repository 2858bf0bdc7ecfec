"""SARIF 2.1.0, the interchange format that code scanning services read."""

from __future__ import annotations

import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from shapecheck.diagnostics.model import Diagnostic, Place, Rule
    from shapecheck.diagnostics.renderers import Context


def render(diagnostics: Sequence[Diagnostic], context: Context) -> str:
    """Write one run, with the rules that are met, a result for each finding, and its notes as related locations."""
    codes = sorted({diagnostic.code for diagnostic in diagnostics})
    index = {code: position for position, code in enumerate(codes)}
    run = {
        "tool": {
            "driver": {
                "name": "shapecheck",
                "version": context.version,
                "rules": [_rule(context.rules[code], context.page(code)) for code in codes],
            },
        },
        "columnKind": "unicodeCodePoints",
        "results": [_result(diagnostic, index[diagnostic.code]) for diagnostic in diagnostics],
    }
    log = {
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [run],
    }
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _rule(rule: Rule, page: str) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": rule.summary},
        "help": {"text": f"shapecheck rule {rule.code}", "markdown": page},
        "defaultConfiguration": {"level": rule.severity, "enabled": rule.default},
    }


def _result(diagnostic: Diagnostic, rule_index: int) -> dict[str, Any]:
    text = diagnostic.message
    if diagnostic.repair is not None:
        text += f"\nRepair: {diagnostic.repair}"
    location = _location(diagnostic.place)
    if diagnostic.function is not None:
        location["logicalLocations"] = [{"fullyQualifiedName": diagnostic.function, "kind": "function"}]
    result = {
        "ruleId": diagnostic.code,
        "ruleIndex": rule_index,
        "level": diagnostic.severity,
        "message": {"text": text},
        "locations": [location],
    }
    related = [
        {**_location(note.place), "message": {"text": note.message}}
        for note in diagnostic.notes
        if note.place is not None
    ]
    if related:
        result["relatedLocations"] = related
    return result


def _location(place: Place) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": _uri(place.filename)},
            "region": {
                "startLine": place.row,
                "startColumn": place.column,
                "endLine": place.end_row,
                "endColumn": place.end_column,
            },
        },
    }


def _uri(filename: str) -> str:
    import os
    import pathlib
    from urllib.parse import quote

    if os.path.isabs(filename):
        return pathlib.Path(filename).as_uri()
    return quote(os.fsencode(filename.replace(os.sep, "/")))
