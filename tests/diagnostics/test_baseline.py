import json
import os

import pytest

from shapecheck.diagnostics.baseline import BaselineError, read_baseline, write_baseline
from shapecheck.diagnostics.model import Diagnostic, Place


def fault(row, filename="pkg/m.py", code="SC203", function="f"):
    return Diagnostic(code, "error", f"said of row {row}", Place(filename, row, 1, row, 9), function)


def lines(*source):
    return lambda _: list(source)


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return "known.json"


def passing(path, diagnostics, lines_of):
    baseline = read_baseline(path)
    return [baseline.passes(diagnostic, lines_of) for diagnostic in diagnostics], baseline.unmatched


def test_moved_lines_stay_known(path):
    assert write_baseline(path, [fault(1)], lines("x = a + b")) == 1
    assert passing(path, [fault(3)], lines("", "", "        x = a + b  ")) == ([True], 0)


@pytest.mark.parametrize(
    "other", [fault(1, code="SC205"), fault(1, function="g"), fault(1, function=None), fault(1, filename="pkg/n.py")]
)
def test_another_finding_is_new(path, other):
    write_baseline(path, [fault(1)], lines("x = a + b"))
    assert passing(path, [other], lines("x = a + b")) == ([False], 1)


def test_a_changed_line_is_new(path):
    write_baseline(path, [fault(1)], lines("x = a + b"))
    assert passing(path, [fault(1)], lines("x = a + c")) == ([False], 1)


def test_each_occurrence_counts(path):
    source = lines("x = a + b", "x = a + b", "x = a + b")
    assert write_baseline(path, [fault(1), fault(2)], source) == 2
    assert passing(path, [fault(1), fault(2), fault(3)], source) == ([True, True, False], 0)


def test_names_are_relative_to_the_baseline(path, tmp_path, monkeypatch):
    write_baseline(path, [fault(1)], lines("x"))
    (tmp_path / "pkg").mkdir()
    monkeypatch.chdir(tmp_path / "pkg")
    assert passing(os.path.join("..", path), [fault(1, filename="m.py")], lines("x")) == ([True], 0)


def test_the_same_findings_write_the_same_file(path, tmp_path):
    write_baseline(path, [fault(2), fault(1)], lines("x", "y"))
    first = (tmp_path / path).read_text()
    write_baseline(path, [fault(1), fault(2)], lines("x", "y"))
    assert (tmp_path / path).read_text() == first


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a baseline of version 1"),
        (json.dumps({"version": 2}), "is not a baseline of version 1"),
        (json.dumps({"version": 1, "findings": [{"code": "SC203"}]}), "damaged entry"),
        (json.dumps({"version": 1, "findings": 3}), "damaged entry"),
    ],
)
def test_a_damaged_file_is_refused(path, tmp_path, content, says):
    (tmp_path / path).write_text(content)
    with pytest.raises(BaselineError, match=says):
        read_baseline(path)


def test_a_missing_file_is_refused(path):
    with pytest.raises(BaselineError, match="cannot read the baseline"):
        read_baseline(path)
