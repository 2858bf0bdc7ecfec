"""The command line around a checker that reports what the test says; the real one is met in test_end_to_end.py."""

import importlib.metadata
import json
import types

import pytest

from shapecheck.cli import main
from shapecheck.diagnostics.model import Diagnostic, Place
from shapecheck.rules.catalogue import RULES

FAULT = Diagnostic("SC203", "error", "T vs S", Place("m.py", 1, 5, 1, 10), "f")


@pytest.fixture
def checker(tmp_path, monkeypatch):
    """A stand-in for the static checker whose report the test may change."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.py").write_text("a = b + c\n")
    statistics = types.SimpleNamespace(
        annotated_functions=3, checked_functions=2, partly_checked_functions=1, tensor_expressions=40,
        known_expressions=30, left_out=1, unchecked={"too long": 1}, partly={"data-dependent size": 1},
        reasons={"operation without a rule: torch.foo": 7, "data-dependent size": 3},
    )  # fmt: skip
    report = types.SimpleNamespace(diagnostics=[], internal=[], statistics=statistics, calls=[])

    # It takes the place of the function that hands the files to the checker, in one process or several.
    def check_in_parallel(paths, settings, told):
        report.calls.append((list(paths), settings))
        return report

    monkeypatch.setattr("shapecheck.parallel.check_in_parallel", check_in_parallel)
    return report


def test_a_clean_run(checker, capsys):
    assert main(["check", "m.py"]) == 0
    assert capsys.readouterr().out == "no findings in 1 file\n"


def test_findings_are_shown_and_counted(checker, capsys):
    checker.diagnostics = [FAULT, FAULT.replace(severity="warning", code="SC302")]
    assert main(["check"]) == 1
    out = capsys.readouterr().out
    assert "  |     ^^^^^\n" in out
    assert out.endswith("1 error, 1 warning in 1 file\n")
    assert "\x1b" not in out


def test_notes_alone_are_no_findings(checker):
    checker.diagnostics = [FAULT.replace(code="SC000", severity="note")]
    assert main(["check"]) == 0


def test_machine_formats_print_nothing_else(checker, capsys):
    checker.diagnostics = [FAULT]
    assert main(["check", "--output-format", "json", "--statistics"]) == 1
    captured = capsys.readouterr()
    [item] = json.loads(captured.out)
    assert (item["filename"], item["code"], item["name"]) == ("m.py", "SC203", "operand-shape")
    assert "tensor expressions" in captured.err


def test_findings_go_to_a_file(checker, capsys, tmp_path):
    checker.diagnostics = [FAULT]
    assert main(["check", "--output-format=sarif", "--output-file", "out.sarif"]) == 1
    assert json.loads((tmp_path / "out.sarif").read_text())["version"] == "2.1.0"
    assert capsys.readouterr().out == ""
    assert main(["check", "--output-file", "missing/out"]) == 2
    assert "cannot write missing/out" in capsys.readouterr().err


def test_select_and_ignore(checker):
    checker.diagnostics = [FAULT]
    assert main(["check", "--select", "SC3,SC201"]) == 0
    assert main(["check", "--select", "operand-shape"]) == 1
    assert main(["check", "--ignore", "SC2"]) == 0
    assert main(["check", "--select", "SC2", "--ignore", "SC203,SC204", "--ignore", "SC001"]) == 0


def test_settings_reach_the_checker(checker, tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.shapecheck]\nignore = ["SC203"]\njobs = 3\n')
    checker.diagnostics = [FAULT]
    assert main(["check", "."]) == 0
    assert main(["check", ".", "--select", "SC203"]) == 1
    assert main(["check", "--jobs", "2"]) == 0
    assert [settings.jobs for _, settings in checker.calls] == [3, 3, 2]


def test_statistics(checker, capsys):
    assert main(["check", "--statistics"]) == 0
    assert capsys.readouterr().out == (
        "no findings in 1 file\n"
        "annotated functions        3  2 checked, 1 of them partly, 1 marked to be left out\n"
        "tensor expressions        40  30 of known shape (75.0 %)\n"
        "why functions are not checked:\n"
        "        1  too long\n"
        "why functions are checked partly, by what is most frequent in each:\n"
        "        1  data-dependent size\n"
        "why a shape is not known:\n"
        "        7  operation without a rule: torch.foo\n"
        "        3  data-dependent size\n"
    )


def test_an_internal_failure_is_told_and_fails_only_when_strict(checker, capsys):
    checker.internal = [types.SimpleNamespace(file="m.py", function="f", message="KeyError: 3", traceback="at line 7")]
    assert main(["check"]) == 0
    err = capsys.readouterr().err
    assert "f in m.py is not checked: KeyError: 3" in err
    assert "at line 7" not in err
    assert main(["check", "--strict-internal"]) == 2
    assert "at line 7" in capsys.readouterr().err


def test_a_failure_of_the_whole_is_status_2(checker, capsys, monkeypatch):
    monkeypatch.setattr("shapecheck.parallel.check_in_parallel", lambda *_: 1 / 0)
    assert main(["check"]) == 2
    assert "internal failure" in capsys.readouterr().err


def test_a_baseline_is_written_and_then_lets_pass(checker, capsys):
    checker.diagnostics = [FAULT]
    assert main(["check", "--baseline", "known.json", "--write-baseline"]) == 0
    assert capsys.readouterr().out == "1 finding written to known.json\n"
    assert main(["check", "--baseline", "known.json"]) == 0
    assert "1 known from the baseline" in capsys.readouterr().out
    checker.diagnostics = []
    assert main(["check", "--baseline", "known.json"]) == 0
    assert "1 of the baseline no longer there" in capsys.readouterr().out


@pytest.mark.parametrize("rules", ["SC2,", " SC2 , SC3", "sc203", "Operand-Shape", "all", ",SC2"])
def test_lists_of_rules_are_taken_in_any_spelling(checker, rules):
    checker.diagnostics = [FAULT]
    assert main(["check", "--select", rules]) == 1
    assert main(["check", "--ignore", rules]) == 0


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["check", "--select", ""], "--select '' names no rule"),
        (["check", "--select", "SC2", "--select", " , "], "--select ' , ' names no rule"),
        (["check", "--ignore", ""], "--ignore '' names no rule"),
        (["check", "--ignore", "SC2,SC999"], "no rule is called 'SC999'"),
        (["rule", ""], "an empty string names no rule"),
        (["check", "missing.py"], "no such file or directory: missing.py"),
        (["check", "--select", "SC999"], "no rule is called 'SC999'"),
        (["check", "--baseline", "missing.json"], "cannot read the baseline"),
        (["check", "--write-baseline"], "--write-baseline needs --baseline FILE"),
        (["rule", "operand"], "did you mean operand-shape"),
        (["m.py"], "did you mean `shapecheck check m.py`?"),
    ],
)
def test_wrong_use_is_one_line_and_status_2(checker, capsys, arguments, says):
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert says in captured.err
    assert captured.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [[], ["chekc"], ["check", "--jobs", "x"], ["check", "--output-format", "xml"]])
def test_wrong_options_show_the_usage(capsys, arguments):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: shapecheck" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["check", "--jobs", "-3"], "argument --jobs: must be 0 or more, not -3"),
        (["check", "--jobs", "x"], "argument --jobs: 'x' is not a whole number"),
        (["check", "--output-fromat=json", "m.py"], "unknown option --output-fromat; did you mean --output-format?"),
        (["check", "--output-fromat", "json", "m.py"], "unknown option --output-fromat; did you mean --output-format?"),
        (["check", "-jobs", "3"], "unknown option -jobs; did you mean --jobs?"),
        (["check", "--zzz", "m.py"], "unknown option --zzz"),
    ],
)
def test_wrong_options_are_explained(capsys, arguments, says):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    err = capsys.readouterr().err
    assert f"usage: shapecheck {arguments[0]} " in err
    assert err.endswith(f"{says}\n")


def test_a_misspelt_command_is_told_from_the_nearest(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["chek", "--jobs", "2", "m.py"])
    assert caught.value.code == 2
    assert capsys.readouterr().err.endswith("unknown command 'chek'; did you mean check?\n")


def test_a_mistake_in_the_settings_is_wrong_use(checker, capsys, tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.shapecheck]\nselct = []\n")
    assert main(["check"]) == 2
    assert "did you mean select" in capsys.readouterr().err


def test_no_files_is_told(checker, capsys, tmp_path):
    (tmp_path / "empty").mkdir()
    assert main(["check", "empty"]) == 0
    assert "no Python files under empty" in capsys.readouterr().err


def test_rules_are_listed_and_explained(capsys):
    assert main(["rule"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == sorted(RULES)
    for code in RULES:
        assert main(["rule", code]) == 0
        assert capsys.readouterr().out.startswith(f"# {RULES[code].name} ({code})\n")
    assert main(["rule", "SC3"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("# scrambled-reshape (SC301)\n")
    assert "\n\n# outer-broadcast (SC302)\n" in out
    assert main(["rule", "outer-broadcast", "SC301", "SC302"]) == 0
    out = capsys.readouterr().out
    titles = [line for line in out.splitlines() if line.startswith("# ") and line.endswith(")")]
    assert titles == ["# outer-broadcast (SC302)", "# scrambled-reshape (SC301)"]
    assert main(["rule", "SC301", "nothing-such"]) == 2


def test_the_version_is_the_installed_one(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"shapecheck {importlib.metadata.version('torch-shapecheck')}\n"
