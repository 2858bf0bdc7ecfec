"""Long files are parsed by pieces: the tree is the same, and so is what is found, whoever parses them."""

import ast

import pytest

from shapecheck.config import Settings
from shapecheck.parallel import check_in_parallel
from shapecheck.static.pieces import cut, parse, parse_some

HEADER = "from jaxtyping import Float\nfrom torch import Tensor\n\n"
FAULTY = 'def turned{n}(x: Float[Tensor, "n d"]) -> Float[Tensor, "d n"]:\n    return x{k}\n\n\n'
CALLING = """\
class C{n}(B):
    def f(self, x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:
        return turned{k}(x)


"""
DECORATED = "@keep(\n    1,\n\n)\n@other\nasync def late{n}():\n    yield {k}\n\n\n"
STRING = 'TEXT = """\n\ndef hidden{n}(:\n\nclass Hidden:\n    pass\n\n"""\n\n'
DOCUMENTED = 'def documented{n}():\n    """Example.\n\ndef turned{n}(x): pass\n\n    """\n\n\n'
BROKEN = "def broken{n}(:\n    pass\n\n\n"
AGAIN = FAULTY.replace("{n}", "399").replace("{k}", "")
GUARDED = 'if COMPILED:\n\n    def chosen(x: Float[Tensor, "n d"]) -> Float[Tensor, "n d"]:\n        return x.mT\n\n\n'
KINDS = (FAULTY, CALLING, DECORATED)


def text_of(*extra, count=600):
    """A file of some sixty kilobytes, with other code in its middle."""
    parts = [
        KINDS[number % len(KINDS)].replace("{n}", str(number)).replace("{k}", str(number - number % 3))
        for number in range(count)
    ]
    middle = [one.replace("{n}", f"x{number}") for number, one in enumerate(extra)]
    return HEADER + "".join([*parts[: count // 2], *middle, *parts[count // 2 :]]).replace("return x0", "return x.T")


EXTRAS = [(), (STRING,), (DOCUMENTED,), (GUARDED,), (STRING, DOCUMENTED, GUARDED), (AGAIN,)]


@pytest.mark.parametrize("extra", EXTRAS)
@pytest.mark.parametrize("tail", ["", "x = 1", "# the end\n\n"])
def test_the_tree_is_that_of_the_whole_text(extra, tail):
    text = text_of(*extra) + tail
    assert len(cut(text)) > 5
    assert "".join(piece.text for piece in cut(text)) == text
    whole = ast.parse(text)
    assert ast.dump(parse(text, "a.py"), include_attributes=True) == ast.dump(whole, include_attributes=True)


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_a_text_with_other_ends_of_lines_is_not_cut(ending):
    assert len(cut(text_of().replace("\n", ending))) == 1


def test_a_text_that_is_not_valid_says_where_as_ever():
    text = text_of(BROKEN)
    with pytest.raises(SyntaxError) as by_pieces:
        parse(text, "a.py")
    with pytest.raises(SyntaxError) as whole:
        ast.parse(text, "a.py")
    assert by_pieces.value.args == whole.value.args


def test_only_what_does_more_than_define_is_parsed_at_once():
    read = [piece.is_read for piece in parse_some(text_of())]
    assert read[0]
    assert not any(read[1:])


@pytest.mark.parametrize("extra", [(AGAIN,), ("def f():\n    global g\n    g = 1\n\n\n",)])
def test_nothing_is_put_off_where_a_name_has_several_meanings(extra):
    assert parse_some(text_of(*extra)) == []


@pytest.mark.parametrize("extra", [*EXTRAS, (BROKEN,)])
def test_two_processes_find_what_one_finds(extra, tmp_path):
    path = tmp_path / "code.py"
    path.write_text(text_of(*extra))
    assert path.stat().st_size > 40_000
    reports = [check_in_parallel([str(path)], Settings(str(tmp_path), jobs=jobs)) for jobs in (1, 2)]
    found = [[(one.code, one.place.row, one.message) for one in report.diagnostics] for report in reports]
    assert found[0] == found[1]
    assert found[0]
    statistics = [[getattr(report.statistics, name) for name in report.statistics.__slots__] for report in reports]
    assert statistics[0] == statistics[1]
    assert not reports[1].internal
