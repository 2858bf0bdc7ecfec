"""Every Python block in the suites here and on the rules' pages is checked, and its comments are held to."""

import os
from pathlib import Path

import pytest

import shapecheck
from shapecheck.config import Settings
from shapecheck.findings import filter_findings
from shapecheck.rules.catalogue import RULES, default_codes
from shapecheck.rules.vocabulary import read_vocabulary
from shapecheck.static import check_files
from tests.mdtest import runs
from tests.mdtest.blocks import Block, blocks

SUITES = Path(__file__).parent
PAGES = Path(shapecheck.__file__).parent / "rules"
FILES = [*sorted(SUITES.rglob("*.md")), *sorted(PAGES.glob("*.md"))]


def named_blocks():
    seen = {}
    for path in FILES:
        name = path.relative_to(SUITES) if path.is_relative_to(SUITES) else path.relative_to(PAGES.parent)
        for block in blocks(path):
            title = f"{name.with_suffix('')}: {block.title}"
            seen[title] = seen.get(title, 0) + 1
            yield pytest.param(block, id=title if seen[title] == 1 else f"{title} ({seen[title]})")


def disagreements(block: Block) -> list[str]:
    """Check a block in the working directory; return a line for each finding and expectation that stands alone."""
    expected = [item for file in block.files for item in file.expectations()]
    for file in block.files:
        Path(file.name).parent.mkdir(parents=True, exist_ok=True)
        Path(file.name).write_text(file.text, encoding="utf-8")
    names = [file.name for file in block.files]
    # A rule that is off by default is on in a block that expects it.
    codes = default_codes() | {item.code for item in expected}
    settings = Settings(os.getcwd(), codes=codes, axes=read_vocabulary(block.axes()))
    report = check_files(names, settings)
    row = {file.name: file.offset for file in block.files}
    said = [f"{row[note.file] + 1}: internal failure in {note.function}: {note.message}" for note in report.internal]
    for diagnostic in filter_findings(report.diagnostics, names, settings).diagnostics:
        place = diagnostic.place
        met = next(
            (
                item
                for item in expected
                if (item.filename, item.row) == (place.filename, place.row)
                and item.met_by(diagnostic.code, diagnostic.message)
            ),
            None,
        )
        if met is not None:
            expected.remove(met)
        else:
            said.append(
                f"{row.get(place.filename, 0) + place.row}: unexpected {diagnostic.severity} [{diagnostic.code}] "
                f"{diagnostic.message}"
            )
    said += [f"{row[item.filename] + item.row}: {item} expected, but not reported" for item in expected]
    return said


@pytest.mark.parametrize("block", list(named_blocks()))
def test_block(block, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = disagreements(block)
    sizes = runs.sizes_of(block)
    if sizes is not None:
        said += runs.disagreements(block, sizes)
    if said:
        pytest.fail("\n".join(f"{block.path.name}:{line}" for line in said), pytrace=False)


def test_every_rule_has_a_page_with_a_flagged_and_a_repaired_example():
    assert {path.stem for path in PAGES.glob("*.md")} == set(RULES)
    for code, rule in RULES.items():
        path = PAGES / f"{code}.md"
        text = path.read_text(encoding="utf-8")
        assert text.startswith(f"# {rule.name} ({code})\n")
        assert "\n## How to silence\n" in text
        examples = {
            block.title: [item.code for file in block.files for item in file.expectations()] for block in blocks(path)
        }
        if code == "SC000":
            assert examples == {"Example": ["SC000"]}
        else:
            assert set(examples) == {"Flagged", "Repaired"}
            assert set(examples["Flagged"]) == {code}
            assert examples["Repaired"] == []
