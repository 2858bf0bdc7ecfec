"""Each format is read back by what reads it elsewhere: `json`, `xml.etree`, a JSON schema, a terminal emulation."""

import json
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from shapecheck.diagnostics.model import Diagnostic, Note, Place
from shapecheck.diagnostics.renderers import FORMATS, Context, renderer
from shapecheck.diagnostics.renderers.full import print_in_colour
from shapecheck.rules.catalogue import RULES

SOURCE = [
    'def swap(x: Float[Tensor, "B T D"]) -> Float[Tensor, "B D T"]:',
    "    return x",
    "",
    "\ty = f(名前, ünï, a + b)",
    "z = g(",
    "    a,",
    "    b,",
    "    c,",
    "    d,",
    ")",
]

RETURN = Diagnostic(
    "SC201",
    "error",
    'returns "B T D" where "B D T" is declared',
    Place("src/m.py", 2, 12, 2, 13),
    "swap",
    [Note("T is bound here", Place("src/m.py", 1, 28, 1, 33)), Note("sizes are compared by name")],
    "x.transpose(1, 2)",
)
OPERAND = Diagnostic("SC203", "error", "T vs S: 100%\nsecond line", Place("src/m.py", 4, 17, 4, 22))
LONG = Diagnostic("SC302", "warning", "b meets itself", Place("src/m.py", 5, 5, 10, 2))
SHOWN = Diagnostic("SC000", "note", "B T D", Place("src/m.py", 2, 12, 2, 13))
ALL = [RETURN, OPERAND, LONG, SHOWN]


def context(lines=SOURCE):
    return Context(RULES, lambda _: lines, "# {}".format, "1.2.3")


def render(name, diagnostics=ALL, lines=SOURCE):
    return renderer(name)(diagnostics, context(lines))


def test_full_underlines_the_span_and_tells_where_sizes_came_from():
    assert render("full", [RETURN]) == (
        'error[SC201] return-shape: returns "B T D" where "B D T" is declared\n'
        " --> src/m.py:2:12 in swap\n"
        "2 |     return x\n"
        "  |            ^\n"
        "  = note: T is bound here\n"
        " --> src/m.py:1:28\n"
        '1 | def swap(x: Float[Tensor, "B T D"]) -> Float[Tensor, "B D T"]:\n'
        "  |                            -----\n"
        "  = note: sizes are compared by name\n"
        "  = repair: x.transpose(1, 2)\n"
        "\n"
    )


def test_full_counts_columns_as_a_terminal_shows_them():
    _, _, _, source, marks, _ = render("full", [OPERAND]).split("\n")[:6]
    # The two wide characters take four columns; the tab is four spaces.
    assert source == "4 |     y = f(名前, ünï, a + b)"
    assert marks.index("^") == source.index("a + b") + 2
    assert marks.count("^") == len("a + b")


def test_full_shows_the_ends_of_a_long_span():
    assert render("full", [LONG]).split("\n")[2:7] == [
        " 5 | z = g(",
        "   |     ^^",
        "   | ...",
        "10 | )",
        "   | ^",
    ]


def test_full_prints_no_control_characters():
    assert "\x1b" not in render("full", [RETURN], ["", "x = '\x1b[31m'"])


def test_full_without_source_still_says_where():
    assert "--> src/m.py:2:12" in render("full", [RETURN], [])


def test_colour_changes_no_text(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    print_in_colour(ALL, context())
    shown = capsys.readouterr().out
    assert [line.rstrip() for line in shown.split("\n")] == render("full").split("\n")


def test_concise_is_one_line_each():
    assert render("concise").splitlines() == [
        'src/m.py:2:12: error[SC201] return-shape: returns "B T D" where "B D T" is declared',
        "src/m.py:4:17: error[SC203] operand-shape: T vs S: 100% second line",
        "src/m.py:5:5: warning[SC302] outer-broadcast: b meets itself",
        "src/m.py:2:12: note[SC000] revealed-shape: B T D",
    ]


def test_json_holds_every_field():
    first, *_, last = json.loads(render("json"))
    assert first == {
        "filename": "src/m.py",
        "location": {"row": 2, "column": 12},
        "end_location": {"row": 2, "column": 13},
        "code": "SC201",
        "name": "return-shape",
        "severity": "error",
        "message": 'returns "B T D" where "B D T" is declared',
        "function": "swap",
        "notes": [
            {
                "message": "T is bound here",
                "filename": "src/m.py",
                "location": {"row": 1, "column": 28},
                "end_location": {"row": 1, "column": 33},
            },
            {"message": "sizes are compared by name", "filename": None, "location": None, "end_location": None},
        ],
        "repair": "x.transpose(1, 2)",
    }
    assert (last["severity"], last["function"], last["repair"]) == ("note", None, None)
    assert json.loads(render("json", [])) == []


def test_github_escapes_and_leaves_out_columns_of_long_spans():
    _, operand, long, shown = render("github").splitlines()
    assert operand == (
        "::error title=SC203 operand-shape,file=src/m.py,line=4,endLine=4,col=17,endColumn=21"
        "::T vs S: 100%25%0Asecond line"
    )
    assert long.startswith("::warning title=SC302 outer-broadcast,file=src/m.py,line=5,endLine=10::")
    assert shown.startswith("::notice ")
    odd = OPERAND.replace(place=Place("a,b:c.py", 1, 1, 1, 1))
    assert "file=a%2Cb%3Ac.py" in render("github", [odd])


POSITIVE = {"type": "integer", "minimum": 1}
REGION = {
    "type": "object",
    "required": ["startLine", "startColumn", "endLine", "endColumn"],
    "additionalProperties": False,
    "properties": {
        "startLine": POSITIVE,
        "startColumn": POSITIVE,
        "endLine": POSITIVE,
        "endColumn": POSITIVE,
    },
}
MESSAGE = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
LOCATION = {
    "type": "object",
    "required": ["physicalLocation"],
    "additionalProperties": False,
    "properties": {
        "message": MESSAGE,
        "logicalLocations": {"type": "array", "items": {"type": "object", "required": ["fullyQualifiedName"]}},
        "physicalLocation": {
            "type": "object",
            "required": ["artifactLocation", "region"],
            "properties": {
                "artifactLocation": {"type": "object", "required": ["uri"], "properties": {"uri": {"type": "string"}}},
                "region": REGION,
            },
        },
    },
}
LEVEL = {"enum": ["none", "note", "warning", "error"]}
# The parts of the SARIF 2.1.0 standard that concern what we write (its sections 3.13, 3.14, 3.19, 3.27 to 3.30, 3.49).
SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "properties": {
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {
                            "driver": {
                                "type": "object",
                                "required": ["name"],
                                "properties": {
                                    "rules": {
                                        "type": "array",
                                        "uniqueItems": True,
                                        "items": {
                                            "type": "object",
                                            "required": ["id"],
                                            "properties": {
                                                "shortDescription": MESSAGE,
                                                "help": MESSAGE,
                                                "defaultConfiguration": {"properties": {"level": LEVEL}},
                                            },
                                        },
                                    }
                                },
                            }
                        },
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "required": ["message", "ruleId"],
                            "properties": {
                                "message": MESSAGE,
                                "level": LEVEL,
                                "ruleIndex": {"type": "integer", "minimum": 0},
                                "locations": {"type": "array", "items": LOCATION},
                                "relatedLocations": {"type": "array", "items": LOCATION},
                            },
                        },
                    },
                },
            },
        },
    },
}


@pytest.mark.parametrize("diagnostics", [ALL, []], ids=["found", "clean"])
def test_sarif_follows_the_standard(diagnostics):
    log = json.loads(render("sarif", diagnostics))
    jsonschema.validate(log, SARIF)
    [run] = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rules[result["ruleIndex"]]["id"] for result in run["results"]] == [d.code for d in diagnostics]


def test_sarif_names_are_uris():
    odd = OPERAND.replace(place=Place("a b/ü#.py", 1, 1, 1, 1))
    [result] = json.loads(render("sarif", [odd]))["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b/%C3%BC%23.py"


def test_junit_counts_failures_by_file():
    odd = OPERAND.replace(message="\x1b<&>", place=Place("n.py", 1, 1, 1, 1))
    root = ET.fromstring(render("junit", [*ALL, odd]))  # noqa: S314  our own text
    assert (root.get("tests"), root.get("failures")) == ("4", "4")
    assert [(suite.get("name"), suite.get("failures")) for suite in root] == [("src/m.py", "3"), ("n.py", "1")]
    case = root[0][0]
    assert (case.get("name"), case.get("line")) == ("SC201 return-shape at 2:12", "2")
    assert "repair: x.transpose(1, 2)" in case[0].text
    assert root[1][0][0].get("message") == "\N{REPLACEMENT CHARACTER}<&>"


def test_junit_of_a_clean_run_is_one_passing_test():
    root = ET.fromstring(render("junit", [SHOWN]))  # noqa: S314  our own text
    assert (root.get("tests"), root.get("failures")) == ("1", "0")
    assert len(root.findall(".//testcase")) == 1
    assert root.findall(".//failure") == []


def test_an_unknown_format_names_the_known_ones():
    with pytest.raises(ValueError, match="full, concise, json, github, sarif, junit"):
        renderer("xml")
    assert all(callable(renderer(name)) for name in FORMATS)
