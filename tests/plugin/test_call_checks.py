"""Call-time checks under pytest: the packages named in the settings check their calls while the tests run.

numpy arrays stand for tensors, because torch takes seconds to import in each of these runs.
"""

import pytest

MODEL = """
from jaxtyping import Float
from numpy import ndarray


def scores(q: Float[ndarray, "B T D"], k: Float[ndarray, "B S D"]) -> Float[ndarray, "B T S"]:
    return q @ k.swapaxes(-1, -2)


def unused(q: Float[ndarray, "B T"]) -> Float[ndarray, "B T"]:
    return q


def outer(q: Float[ndarray, "B T D"]) -> Float[ndarray, "B T T"]:
    return scores(q, q[:, :, :-1])
"""

TESTS = """
import numpy as np
import pytest
from model.layers import outer, scores


def test_fits():
    assert scores(np.ones((2, 3, 4)), np.ones((2, 5, 4))).shape == (2, 3, 5)


def test_does_not_fit():
    q = np.ones((2, 3, 4))
    outer(
        q,
    )


def test_expects_the_error():
    with pytest.raises(TypeError, match="D"):
        outer(np.ones((2, 3, 4)))


def test_fails_otherwise():
    assert scores(np.ones((2, 3, 4)), np.ones((2, 5, 4))).shape == (2, 5, 3)
"""


@pytest.fixture
def project(pytester):
    package = pytester.mkpydir("model")
    (package / "layers.py").write_text(MODEL)
    # The package is imported by a conftest, as fixtures often do.
    pytester.makeconftest("import model.layers")
    pytester.makepyfile(test_model=TESTS)
    pytester.makeini("[pytest]\nshapecheck_packages = model\n")
    return pytester


def section(result, title):
    """Return the lines below the heading of a failure."""
    lines = result.stdout.lines
    start = next(row for row, line in enumerate(lines) if title in line and line.startswith("___")) + 1
    end = next(row for row in range(start, len(lines)) if lines[row].startswith(("___", "===")))
    return lines[start:end]


def test_calls_are_checked_and_failures_are_short(project):
    result = project.runpytest_subprocess()
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(["shapecheck: calls of model"])
    shown = section(result, "test_does_not_fit")
    assert len(shown) <= 20
    assert shown[0].startswith("ShapeError: scores()")
    assert "called at model/layers.py:15" in shown
    assert shown[-1] == "tested at test_model.py:12 in test_does_not_fit: outer("
    result.stdout.fnmatch_lines(["FAILED test_model.py::test_does_not_fit - ShapeError: scores()*"])
    # Another failure looks as it always does.
    assert any(line.startswith(">") for line in section(result, "test_fails_otherwise"))


VERDICT = "scores(): axis 2 of k (D) is 3, expected 4"


@pytest.mark.parametrize("options", [[], ["-q"], ["-n2"]], ids=["one process", "quiet", "workers"])
def test_the_whole_verdict_is_one_line_of_the_summary(project, monkeypatch, options):
    monkeypatch.setenv("COLUMNS", "80")
    result = project.runpytest_subprocess(*options)
    summary = result.stdout.lines[result.stdout.lines.index("calls that do not fit:") :]
    assert summary[1] == f"  test_does_not_fit: {VERDICT}"
    assert all(len(line) <= 80 for line in summary)


@pytest.mark.parametrize("options", [["-vv"], ["-v", "--tb=short"]])
def test_a_wide_summary_needs_no_second_one(project, monkeypatch, options):
    monkeypatch.setenv("COLUMNS", "160")
    result = project.runpytest_subprocess(*options)
    result.stdout.fnmatch_lines([f"FAILED test_model.py::test_does_not_fit - *ShapeError: {VERDICT}"])
    result.stdout.no_fnmatch_line("calls that do not fit:")


def test_where_pytest_cuts_nothing_off_there_is_no_second_summary(project, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("CI", "true")
    result = project.runpytest_subprocess()
    result.stdout.fnmatch_lines([f"FAILED test_model.py::test_does_not_fit - *ShapeError: {VERDICT}"])
    result.stdout.no_fnmatch_line("calls that do not fit:")


def test_functions_decorated_by_hand_fail_as_shortly(pytester):
    pytester.makepyfile(
        test_plain="""
        from jaxtyping import Float
        from numpy import ndarray, ones
        from shapecheck import shapechecked

        @shapechecked
        def square(x: Float[ndarray, "n n"]) -> Float[ndarray, "n n"]:
            return x

        def test_square():
            # A comment.
            x = ones(
                (2, 3),
            )
            assert square(x).shape
        """
    )
    result = pytester.runpytest_subprocess()
    shown = section(result, "test_square")
    assert len(shown) <= 20
    assert shown[0] == "ShapeError: square(): axis 1 of x (n) is 3, expected 2"
    assert shown[-1] == "tested at test_plain.py:14 in test_square: assert square(x).shape"


def test_a_traceback_that_is_asked_for_is_shown(project):
    result = project.runpytest_subprocess("--tb=long", "-k", "does_not_fit")
    result.assert_outcomes(failed=1)
    assert any("return scores(q, q[:, :, :-1])" in line for line in result.stdout.lines)


def test_switched_off_nothing_is_checked(project, monkeypatch):
    monkeypatch.setenv("SHAPECHECK", "off")
    result = project.runpytest_subprocess("-k", "does_not_fit")
    # numpy's own error, on the product.
    result.stdout.fnmatch_lines(["*ValueError: matmul*"])


SUMMARY = [
    "*= shapecheck =*",
    "2 of 3 annotated functions called, 5 calls in all",
    "never called:",
    "  model.layers.unused  model/layers.py:10",
    "always of equal size, so that exchanging them would pass:",
    "  B = D, B = T, D = T  in model.layers.outer  model/layers.py:14",
]

COVERAGE = """
import numpy as np
import pytest
from model.layers import outer, scores

@pytest.mark.parametrize("sizes", [(2, 3, 2, 3), (2, 2, 3, 3), (3, 2, 2, 2)])
def test_scores(sizes):
    B, T, S, D = sizes
    scores(np.ones((B, T, D)), np.ones((B, S, D)))

@pytest.mark.parametrize("number", range(2))
def test_outer(number):
    with pytest.raises(TypeError):
        outer(np.ones((2, 2, 2)))
"""


@pytest.mark.parametrize("options", [[], ["-n2"]], ids=["one process", "workers"])
def test_the_summary_tells_what_no_call_told_apart(project, options):
    project.makepyfile(test_model=COVERAGE)
    result = project.runpytest_subprocess(*options)
    result.assert_outcomes(passed=5)
    result.stdout.fnmatch_lines(SUMMARY)
    assert "scores" not in "".join(result.stdout.lines[-4:])


def test_a_quiet_run_has_no_summary(project):
    project.makepyfile(test_model=COVERAGE)
    project.runpytest_subprocess("-q").stdout.no_fnmatch_line("*annotated functions called*")


def test_workers_check_too(project):
    project.runpytest_subprocess("-n2").assert_outcomes(passed=2, failed=2)
