import ast
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapecheck.diagnostics.model import Diagnostic, Note, Place, character_column, place_of, source_lines

PLACE = Place("model.py", 3, 5, 3, 9)


def test_records_are_values():
    same = Place("model.py", 3, 5, 3, 9)
    assert PLACE == same
    assert hash(PLACE) == hash(same)
    assert PLACE != PLACE.replace(row=4)
    assert PLACE.replace(row=4).row == 4
    assert Note("a", PLACE) != ("a", PLACE)
    assert repr(PLACE) == "Place(filename='model.py', row=3, column=5, end_row=3, end_column=9)"


def test_records_are_frozen():
    with pytest.raises(AttributeError, match=r"replace\(row=\.\.\.\)"):
        PLACE.row = 4


def test_diagnostics_travel_between_processes():
    diagnostic = Diagnostic("SC203", "error", "T vs S", PLACE, "forward", [Note("T is bound here", PLACE)], "swap them")
    assert pickle.loads(pickle.dumps(diagnostic)) == diagnostic  # noqa: S301  our own bytes
    assert diagnostic.notes == (Note("T is bound here", PLACE),)


@given(st.text(alphabet="aé→𝔹 ", max_size=12))
def test_columns_count_characters(prefix):
    line = prefix + "x"
    assert character_column(line, len(prefix.encode())) == len(prefix) + 1


def test_a_node_is_found_behind_wide_characters_and_form_feeds():
    text = 's = "\x0c"\r\nname = "𝔹→" + other\r\n'
    value = ast.parse(text).body[1].value.right
    place = place_of("f.py", value, source_lines(text))
    assert place == Place("f.py", 2, 15, 2, 20)
    row = source_lines(text)[place.row - 1]
    assert row[place.column - 1 : place.end_column - 1] == "other"


@given(st.text(alphabet="a\n\r\x0c\x1c\u2028", max_size=20))
def test_lines_are_the_ones_python_counts(text):
    following = ast.parse(f"'''{text}'''\nx").body[1]
    assert following.lineno == len(source_lines(text)) + 1
