"""Static checks as test items. The checker is a stand-in that reports a fault on each line that says FAULT."""

import sys

import pytest

STAND_IN = """
import sys, types
from shapecheck.diagnostics.model import Diagnostic, Place

def check_files(paths, settings):
    with open("checked.txt", "a") as file:
        print(*paths, file=file)
    found = []
    for path in paths:
        with open(path) as file:
            lines = file.readlines()
        for row, line in enumerate(lines, 1):
            if "FAULT" in line:
                found.append(Diagnostic("SC203", "error", "T vs S", Place(path, row, 1, row, 5)))
            if "NOTE" in line:
                found.append(Diagnostic("SC000", "note", "B T", Place(path, row, 1, row, 5)))
    return types.SimpleNamespace(diagnostics=found, internal=[])

sys.modules["shapecheck.static"] = types.SimpleNamespace(check_files=check_files)
"""


@pytest.fixture
def project(pytester):
    """Two source files, one of them at fault, and one test."""
    pytester.makeconftest(STAND_IN)
    src = pytester.mkdir("src")
    (src / "clean.py").write_text("x = 1  # NOTE\n")
    (src / "faulty.py").write_text("x = 1\ny = x + z  # FAULT\n")
    tests = pytester.mkdir("tests")
    (tests / "test_one.py").write_text("def test_passes():\n    assert True\n")
    pytester.makeini("[pytest]\nshapecheck_paths = src\ntestpaths = tests\n")
    return pytester


def test_each_file_is_an_item(project):
    result = project.runpytest_inprocess("-v")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        [
            "shapecheck: files below src",
            "src/clean.py::shapecheck PASSED*",
            "src/faulty.py::shapecheck FAILED*",
            "tests/test_one.py::test_passes PASSED*",
            "*error[[]SC203[]] operand-shape: T vs S",
            " --> src/faulty.py:2:1",
            "2 | y = x + z  # FAULT",
            "  | ^^^^",
        ]
    )
    # Once for all the files: they may import each other.
    assert (project.path / "checked.txt").read_text() == "src/clean.py src/faulty.py\n"


def test_naming_a_test_leaves_the_files_alone(project):
    project.runpytest_inprocess("tests/test_one.py").assert_outcomes(passed=1)
    project.runpytest_inprocess("tests").assert_outcomes(passed=1)
    project.runpytest_inprocess("tests/test_one.py", "--shapecheck").assert_outcomes(passed=2, failed=1)


def test_naming_a_file_or_folder_checks_it(project):
    project.runpytest_inprocess("src").assert_outcomes(passed=1, failed=1)
    project.runpytest_inprocess("src/clean.py").assert_outcomes(passed=1)


def test_items_can_be_chosen_by_name(project):
    project.runpytest_inprocess("-k", "faulty").assert_outcomes(failed=1)


def test_the_option_alone_checks_the_whole_project(project):
    project.makeini("[pytest]\n")
    (project.path / ".gitignore").write_text("src/faulty.py\n")
    (project.path / ".git").mkdir()
    # clean.py, conftest.py, which says FAULT itself, and test_one.py
    project.runpytest_inprocess("--shapecheck").assert_outcomes(passed=3, failed=1)


def test_a_failure_is_short(project):
    (project.path / "src" / "faulty.py").write_text("y = 1  # FAULT\n" * 30)
    result = project.runpytest_inprocess("src/faulty.py", "--no-header", "--tb=long")
    shown = result.stdout.lines
    start = next(row for row, line in enumerate(shown) if line.startswith("error[SC203]"))
    end = next(row for row, line in enumerate(shown) if "short test summary" in line)
    assert end - start <= 20
    assert shown[end - 1] == "... 30 in all: shapecheck check src/faulty.py"


def test_settings_and_suppressions_hold_here_too(project):
    (project.path / "src" / "faulty.py").write_text("y = 1  # FAULT # shapecheck: ignore[SC203]\n")
    (project.path / "pyproject.toml").write_text('[tool.shapecheck]\nexclude = ["src/clean.py"]\n')
    project.runpytest_inprocess().assert_outcomes(passed=2)


def test_workers_share_the_items(project):
    result = project.runpytest_subprocess("-n2")
    result.assert_outcomes(passed=2, failed=1)


@pytest.mark.parametrize(
    ("ini", "says"),
    [
        ("shapecheck_paths = missing", "*shapecheck_paths: no such file or directory: *missing"),
        ("shapecheck_paths = nb.ipynb", "*shapecheck_paths: notebooks are not read: *nb.ipynb; *"),
        ("shapecheck_packages = pytest", "*shapecheck_packages: imported before the hook was installed*: pytest;*"),
    ],
)
def test_mistakes_are_told(project, ini, says):
    (project.path / "nb.ipynb").write_text("{}")
    project.makeini(f"[pytest]\n{ini}\n")
    result = project.runpytest_inprocess()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([says])


def test_not_asked_it_imports_nothing(pytester):
    pytester.makepyfile(
        """
        import sys

        def test_nothing_is_loaded():
            loaded = {name for name in sys.modules if name.split(".")[0] == "shapecheck"}
            assert loaded == {"shapecheck", "shapecheck.pytest_plugin"}
            assert not {"torch", "numpy", "einops", "jaxtyping", "beartype", "rich"} & set(sys.modules)
        """
    )
    # Plugins of others load what they like.
    others = [f"-pno:{name}" for name in ("jaxtyping", "hypothesispytest", "_hypothesis_pytestplugin", "xdist")]
    result = pytester.run(sys.executable, "-m", "pytest", *others)
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("shapecheck:*")
