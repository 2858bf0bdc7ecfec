"""Reading files: what cannot be read or parsed is one clear finding, and never ends a run."""

import os

import pytest

from shapecheck.diagnostics.model import Diagnostic
from shapecheck.static import check_files, check_source
from shapecheck.static.files import MAX_BYTES, parse_content, parse_text

MARK = b"\xef\xbb\xbf"
BESIDE_MARK = "begins with a UTF-8 byte order mark, so its coding line must say utf-8"
GOOD = """\
from jaxtyping import Float
from torch import Tensor
def f(x: Float[Tensor, "n d"]) -> Float[Tensor, "d n"]:
    return x
"""


def written(tmp_path, content, name="code.py"):
    path = tmp_path / name
    path.write_bytes(content)
    return str(path)


def only_finding(path):
    report = check_files([path])
    assert not report.internal
    [finding] = report.diagnostics
    assert finding.code == "SC001"
    return finding


def test_a_missing_file_and_a_folder_say_that_they_cannot_be_read(tmp_path):
    assert "cannot be read" in only_finding(str(tmp_path / "none.py")).message
    assert "cannot be read" in only_finding(str(tmp_path)).message


def test_a_loop_of_links_cannot_be_read(tmp_path):
    os.symlink(tmp_path / "a.py", tmp_path / "b.py")
    os.symlink(tmp_path / "b.py", tmp_path / "a.py")
    assert "cannot be read" in only_finding(str(tmp_path / "a.py")).message


def test_a_syntax_error_is_told_where_it_is(tmp_path):
    finding = only_finding(written(tmp_path, b"x = 1\ndef f(:\n    pass\n"))
    assert (finding.place.row, finding.place.column) == (2, 7)


@pytest.mark.parametrize("content", [b"x = 1\0", b"\0" * 20])
def test_null_bytes_are_no_python(tmp_path, content):
    assert "not valid Python" in only_finding(written(tmp_path, content)).message


def test_bytes_that_are_no_utf_8_are_told_with_their_line(tmp_path):
    finding = only_finding(written(tmp_path, b"x = 1\ny = '\xff'\n"))
    assert "not UTF-8 (byte 0xff)" in finding.message
    assert finding.place.row == 2


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"# coding: nonsense\nx = 1\n", "declares an unknown encoding: nonsense"),
        (b"# coding: hex\nx = 1\n", "declares an encoding that is not one of text: hex"),
        (MARK + b"# coding: latin-1\n", f"{BESIDE_MARK}, not iso-8859-1"),
        (MARK + b"\n# coding: utf8\n", f"{BESIDE_MARK}, not utf8"),
    ],
)
def test_an_encoding_that_python_refuses_is_told(tmp_path, content, said):
    path = written(tmp_path, content)
    assert only_finding(path).message.startswith(said)
    with pytest.raises(SyntaxError):
        compile(content, path, "exec")


@pytest.mark.parametrize(
    ("content", "row", "said"),
    [
        (b"# coding: ascii\n\nx = '\xe9'\n", 3, "is not ascii (byte 0xe9), which it declares to be"),
        (b"# coding: utf-8\nx = '\xe9'\n", 2, "is not UTF-8 (byte 0xe9); save it as UTF-8 or declare its encoding"),
        (MARK + b"x = 1\ny = '\xff'\n", 2, "is not UTF-8 (byte 0xff)"),
        (b"x = 1\n# coding: latin-1\ny = '\xff'\n", 3, "is not UTF-8 (byte 0xff)"),
    ],
)
def test_bytes_that_are_not_of_the_declared_encoding_are_told_with_their_line(tmp_path, content, row, said):
    finding = only_finding(written(tmp_path, content))
    assert finding.message.startswith(said)
    assert finding.place.row == row


@pytest.mark.parametrize(
    "content",
    [
        GOOD.encode("utf-8-sig"),
        ("# coding: latin-1\n# caf\xe9\n" + GOOD).encode("latin-1"),
        ("#!" + 500 * "/x" + "\n# \xe9 coding: latin-1\n" + GOOD).encode("latin-1"),
        ("# coding: latin-1\n# \xe9\n" + GOOD).replace("\n", "\r").encode("latin-1"),
        ("# coding: utf-8\n" + GOOD).encode("utf-8-sig"),
        GOOD.replace("\n", "\r\n").encode(),
        GOOD.replace("\n", "\r").encode(),
        (GOOD + "\f\n").encode(),
        GOOD.rstrip("\n").encode(),
    ],
    ids=[
        "byte order mark", "latin-1", "latin-1 declared late", "latin-1 and CR", "both for UTF-8", "CRLF", "CR",
        "form feed", "no end of line",
    ],
)
def test_every_way_to_store_the_same_text_is_checked(tmp_path, content):
    [finding] = check_files([written(tmp_path, content)]).diagnostics
    assert finding.code == "SC201"


def test_a_file_of_more_bytes_than_people_write_is_left_alone(tmp_path):
    assert "larger than 10 MB" in only_finding(written(tmp_path, b"#" * (MAX_BYTES + 1))).message


@pytest.mark.parametrize("text", ["(" * 5000, "-" * 100_000 + "1", "x = " + "[" * 190 + "]" * 190, "a" + ".b" * 3000])
def test_deep_nesting_neither_crashes_nor_hangs(text):
    report = check_source(GOOD + text, "deep.py")
    assert not report.internal
    assert {finding.code for finding in report.diagnostics} <= {"SC001", "SC201"}


def test_a_deep_expression_inside_a_function_leaves_the_others_checked():
    deep = "def g(y: Float[Tensor, 'n']) -> Float[Tensor, 'n']:\n    return y" + " + y" * 2000 + "\n"
    report = check_source(GOOD + deep, "deep.py")
    assert [finding.code for finding in report.diagnostics] == ["SC201"]


def test_the_lines_of_a_file_are_kept():
    found = parse_content("code.py", b"a = 1\r\nb = 2\n")
    assert not isinstance(found, Diagnostic)
    assert found.lines[:2] == ["a = 1", "b = 2"]


def test_a_text_that_warns_does_not_warn_here():
    assert not isinstance(parse_text("w.py", 'x = "\\d" is 1\n'), Diagnostic)
