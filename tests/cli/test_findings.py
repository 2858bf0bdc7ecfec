import os

import pytest

from shapecheck.config import Settings
from shapecheck.diagnostics.baseline import read_baseline, write_baseline
from shapecheck.diagnostics.model import Diagnostic, Note, Place
from shapecheck.findings import Sources, filter_findings


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.py").write_text("a = b + c\nd = e + f  # shapecheck: ignore[SC203]\n")


def fault(row, code="SC203", filename="m.py", severity="error"):
    return Diagnostic(code, severity, "T vs S", Place(filename, row, 1, row, 5))


def test_selection_then_comments_then_baseline():
    faults = [fault(2), fault(1), fault(1, "SC302")]
    settings = Settings(os.getcwd(), codes=frozenset(("SC002", "SC203")))
    findings = filter_findings(faults, ["m.py"], settings)
    assert findings.diagnostics == [fault(1)]
    assert (findings.silenced, findings.baselined, findings.failing) == (1, 0, True)

    write_baseline("known.json", [fault(1), fault(9)], findings.sources.lines)
    findings = filter_findings(faults, ["m.py"], settings, read_baseline("known.json"))
    assert findings.diagnostics == []
    assert (findings.silenced, findings.baselined, findings.repaired, findings.failing) == (1, 1, 1, False)


def test_comments_of_no_use_are_found_in_clean_files():
    [unused] = filter_findings([], ["m.py"], Settings(os.getcwd())).diagnostics
    assert (unused.code, unused.place) == ("SC002", Place("m.py", 2, 12, 2, 39))


def test_the_same_finding_twice_is_one_and_paths_are_relative(tmp_path):
    absolute = fault(1, filename=str(tmp_path / "m.py")).replace(
        notes=(Note("here", Place(str(tmp_path / "m.py"), 2, 1, 2, 2)),)
    )
    findings = filter_findings([absolute, absolute], ["m.py"], Settings(str(tmp_path), codes=frozenset(("SC203",))))
    assert findings.diagnostics == [fault(1).replace(notes=(Note("here", Place("m.py", 2, 1, 2, 2)),))]


def test_notes_do_not_fail_and_are_not_in_a_baseline(tmp_path):
    shown = fault(1, "SC000", severity="note")
    (tmp_path / "known.json").write_text('{"version": 1, "findings": []}')
    findings = filter_findings(
        [shown], [], Settings(str(tmp_path), codes=frozenset(("SC000",))), read_baseline("known.json")
    )
    assert findings.diagnostics == [shown]
    assert not findings.failing


def test_sources_honour_the_declared_encoding(tmp_path):
    (tmp_path / "latin.py").write_bytes("# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"))
    (tmp_path / "broken.py").write_bytes(b"x = '\xff'\n")
    assert Sources().lines("latin.py")[1] == "x = 'é'"
    assert Sources().lines("broken.py") == Sources().lines("missing.py") == [""]
