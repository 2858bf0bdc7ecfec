import pytest

from tests.corpus.__main__ import TABLE, check, keys
from tests.corpus.table import Key, Table, TableError, read_table

ENTRY = {
    "package": "p", "file": "p/m.py", "line": 3, "code": "SC201", "verdict": "fault", "why": "crashes for n > 1",
}  # fmt: skip
KEY = Key("p", "p/m.py", 3, "SC201")


def table(*entries):
    return Table({"packages": {"p": "1.0", "q": "2.0"}, "finding": entries})


def test_the_committed_table_is_well_formed():
    committed = read_table(TABLE)
    assert set(committed.packages) == {"alphafold3_pytorch", "chai_lab", "interpreto", "nerfstudio", "transformer_lens"}
    assert not [key for key, verdict in committed.verdicts.items() if verdict == "false"]


def test_a_triaged_finding_passes_and_is_counted_by_its_verdict():
    compared = table(ENTRY).compare("p", [KEY])
    assert not compared.failing
    assert compared.verdicts == {"fault": 1}


def test_a_finding_of_another_line_or_code_is_untriaged():
    compared = table(ENTRY).compare("p", [KEY._replace(line=4), KEY._replace(code="SC203")])
    assert compared.untriaged == [KEY._replace(code="SC203"), KEY._replace(line=4)]
    assert compared.gone == [KEY]
    assert compared.failing


def test_one_line_may_hold_as_many_findings_as_were_triaged():
    assert table(ENTRY).compare("p", [KEY, KEY]).untriaged == [KEY]
    twice = table({**ENTRY, "count": 2})
    assert not twice.compare("p", [KEY, KEY]).failing
    assert twice.compare("p", [KEY, KEY]).verdicts == {"fault": 2}


def test_a_known_false_alarm_fails_until_it_is_gone():
    false = table({**ENTRY, "verdict": "false"})
    assert false.compare("p", [KEY]).false == [KEY]
    assert false.compare("p", [KEY]).failing
    assert not false.compare("p", []).failing


def test_entries_of_other_packages_are_not_missed():
    assert table(ENTRY).compare("q", []).gone == []


@pytest.mark.parametrize("wrong", [{"why": ""}, {"verdict": "maybe"}, {"package": "unknown"}])
def test_an_entry_needs_package_verdict_and_reason(wrong):
    with pytest.raises(TableError, match=next(iter(wrong.values())) or "reason"):
        table({**ENTRY, **wrong})


def test_an_entry_stands_once():
    with pytest.raises(TableError, match="twice"):
        table(ENTRY, ENTRY)


def test_a_finding_is_recognised_by_its_place_below_the_package(tmp_path, monkeypatch):
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "m.py").write_text(
        "from jaxtyping import Float\nfrom torch import Tensor\n"
        'def f(x: Float[Tensor, "a b"]) -> Float[Tensor, "b a"]: return x\n'
    )
    monkeypatch.chdir("/")
    report, diagnostics = check(str(tmp_path))
    assert keys("p", diagnostics) == [KEY]
    assert report.statistics.annotated_functions == report.statistics.checked_functions == 1
