import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapecheck.diagnostics.model import Diagnostic, Note, Place
from shapecheck.diagnostics.suppressions import apply_suppressions, find_suppressions
from shapecheck.rules.catalogue import RULES, codes_matching


def fault(code, row, end_row=None, notes=()):
    return Diagnostic(code, "error", "x", Place("m.py", row, 1, end_row or row, 9), notes=notes)


def apply(text, *diagnostics, active=frozenset(RULES)):
    standing, silenced = apply_suppressions(diagnostics, {"m.py": text}, codes_matching, lambda _: active)
    return [(d.code, d.place.row) for d in standing], [(d.code, d.place.row) for d in silenced]


def unused(text, *diagnostics):
    standing, _ = apply_suppressions(diagnostics, {"m.py": text}, codes_matching, lambda _: frozenset(RULES))
    return [d.message for d in standing if d.code == "SC002"]


@pytest.mark.parametrize(
    "comment", ["ignore[SC203]", "ignore", "ignore[SC2]", "ignore[operand-shape]", "ignore[SC301, SC203]"]
)
def test_a_comment_silences_its_line(comment):
    text = f"a = b + c  # shapecheck: {comment}\nd = e + f\n"
    standing, silenced = apply(text, fault("SC203", 1), fault("SC203", 2))
    assert ("SC203", 2) in standing
    assert silenced == [("SC203", 1)]


def test_another_code_stands_and_the_comment_is_unused():
    text = "a = b + c  # shapecheck: ignore[SC301]\n"
    assert apply(text, fault("SC203", 1)) == ([("SC203", 1), ("SC002", 1)], [])


def test_the_unused_part_of_a_list_is_named():
    assert unused("a = b + c  # shapecheck: ignore[SC203, SC301]\n", fault("SC203", 1)) == [
        "unused suppression: no SC301 is reported here"
    ]


def test_an_unused_comment_is_underlined_alone():
    text = 's = "# shapecheck: ignore"  # type: ignore # shapecheck: ignore # because\n'
    [found] = find_suppressions("m.py", text, codes_matching)
    assert text[found.place.column - 1 : found.place.end_column - 1] == "# shapecheck: ignore"
    assert text[found.place.end_column - 1 :] == " # because\n"


@pytest.mark.parametrize("rows", [(1, 1), (2, 2), (3, 3), (1, 4), (2, 3)])
@pytest.mark.parametrize("comment_row", [1, 4])
def test_the_ends_of_a_long_statement_cover_all_of_it(rows, comment_row):
    lines = ["y = f(", "    a + b,", "    c,", ")"]
    lines[comment_row - 1] += "  # shapecheck: ignore[SC203]"
    assert apply("\n".join(lines) + "\n", fault("SC203", *rows)) == ([], [("SC203", rows[0])])


def test_the_middle_of_a_long_statement_covers_its_row_alone():
    text = "y = f(\n    a + b,  # shapecheck: ignore\n    c + d,\n)\n"
    assert apply(text, fault("SC203", 2), fault("SC203", 3)) == ([("SC203", 3)], [("SC203", 2)])


def test_a_function_header_does_not_cover_its_body():
    text = "def f(x):  # shapecheck: ignore[SC203]\n    return x + y\n"
    assert apply(text, fault("SC203", 2))[1] == []


def test_a_whole_file():
    text = "# shapecheck: ignore-file[SC203]\na = b + c\nd = e.view(f)\n"
    assert apply(text, fault("SC203", 2), fault("SC205", 3)) == ([("SC205", 3)], [("SC203", 2)])
    assert unused("# shapecheck: ignore-file[SC203]\n") == ["unused suppression: no SC203 is reported in this file"]


def test_nothing_is_unused_in_a_file_that_is_left_out():
    text = "# shapecheck: ignore-file\na = b + c  # shapecheck: ignore\nd = e  # shapecheck: ingore[SC301]\n"
    assert apply(text, fault("SC205", 3)) == ([], [("SC205", 3)])
    other = {"m.py": text, "n.py": "a = b  # shapecheck: ignore\n"}
    standing, _ = apply_suppressions([], other, codes_matching, lambda _: frozenset(RULES))
    assert [(found.code, found.place.filename) for found in standing] == [("SC002", "n.py")]


@pytest.mark.parametrize("comment", ["ignore[]", "ignore[ , ]", "ignore-file[]"])
def test_empty_brackets_silence_nothing_and_are_told(comment):
    text = f"a = b + c  # shapecheck: {comment}\n"
    assert apply(text, fault("SC203", 1)) == ([("SC203", 1), ("SC002", 1)], [])
    [message] = unused(text, fault("SC203", 1))
    assert "[] names no rule" in message


def test_a_fault_in_a_function_is_silenced_where_it_is_called():
    call = Note("called from here", Place("m.py", 3, 1, 3, 5), call=True)
    bound = Note("T is bound here", Place("m.py", 3, 1, 3, 5))
    text = "def f(a, b):\n    return a + b\nf(x, y)  # shapecheck: ignore\n"
    assert apply(text, fault("SC203", 2, notes=[call]))[1] == [("SC203", 2)]
    assert apply(text, fault("SC203", 2, notes=[bound]))[1] == []


def test_mistakes_in_comments_are_reported():
    [message] = unused("a = b  # shapecheck: ingore[SC203]\n")
    assert "unknown directive 'ingore'" in message
    [message] = unused("a = b  # shapecheck: ignore[operand-shap]\n", fault("SC203", 1))
    assert "did you mean operand-shape or" in message


def test_prose_and_strings_are_no_suppressions():
    text = '# about shapecheck: ignore it\ns = """\n# shapecheck: ignore\n"""\n'
    assert find_suppressions("m.py", text, codes_matching) == []


def test_what_is_not_selected_is_not_called_unused():
    text = "a = b + c  # shapecheck: ignore[SC301]\n"
    assert apply(text, active=frozenset(("SC002", "SC203"))) == ([], [])
    assert apply(text, active=frozenset(("SC203", "SC301"))) == ([], [])


def test_a_file_that_does_not_tokenize_keeps_what_came_before():
    text = "a = b  # shapecheck: ignore\ny = (\n"
    assert apply(text, fault("SC203", 1))[1] == [("SC203", 1)]


@given(st.text(alphabet="#[](),\n\\\"' shapecheck:ignore-fileSC203", max_size=60).map("x = 1  # shapecheck:{}".format))
def test_no_text_makes_the_reader_fail(text):
    for found in find_suppressions("m.py", text, codes_matching):
        row = text.split("\n")[found.place.row - 1]
        assert row[found.place.column - 1 : found.place.end_column - 1].startswith("#")
