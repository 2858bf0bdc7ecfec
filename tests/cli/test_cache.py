"""Results of earlier runs: whatever was edited since, a run says what a run without them says."""

import contextlib
import io
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shapecheck.cli import main
from tests.mdtest.blocks import blocks

ROOT = Path(__file__).parents[2]

HEAD = "from jaxtyping import Float\nfrom torch import Tensor\n"
SWAPS = 'def turn(x: Float[Tensor, "B T"]) -> Float[Tensor, "T B"]:\n    return x.mT\n'
KEEPS = 'def turn(x: Float[Tensor, "B T"]) -> Float[Tensor, "B T"]:\n    return x\n'
FAULTY = 'def turn(x: Float[Tensor, "B T"]) -> Float[Tensor, "T B"]:\n    return x\n'
BARE = "def turn(x):\n    return x.transpose(0, 1)\n"
CALLER = 'def run(x: Float[Tensor, "N D"]) -> Float[Tensor, "D N"]:\n    return turn(x)\n'

VARIANTS = {
    "app.py": (
        HEAD + "from pkg.layers import turn\n" + CALLER,
        HEAD + "from pkg import turn\n" + CALLER,
        HEAD + "from other import turn\n" + CALLER,
        HEAD + "import pkg.layers as p\n" + CALLER.replace("turn(x)", "p.turn(x)  # shapecheck: ignore[SC201]"),
        HEAD + "from pkg.layers import *\n" + CALLER,
    ),
    "pkg/__init__.py": ("", "from .layers import turn\n", "from .layers import *\n", "from .deep import turn\n"),
    "pkg/layers.py": (
        HEAD + SWAPS,
        HEAD + KEEPS,
        HEAD + FAULTY,
        HEAD + FAULTY.replace("return x", "return x  # shapecheck: ignore"),
        BARE,
        "from .deep import turn\n",
        "from other import turn\n",
        "def turn(:\n",
    ),
    # Each of these takes the place of another file, or gives way to it.
    "pkg/layers/__init__.py": (HEAD + KEEPS, "from ..deep import turn\n"),
    "pkg/layers.pyi": (HEAD + 'def turn(x: Float[Tensor, "B T"]) -> Float[Tensor, "B T"]: ...\n',),
    "pkg/deep.py": (HEAD + SWAPS, HEAD + KEEPS, BARE, "from other import turn\n"),
    "other.py": (HEAD + SWAPS, HEAD + KEEPS, b"x = '\xff'\n", "from pkg.deep import turn\n", "import torch\n" + BARE),
    "src/other.py": (HEAD + KEEPS, HEAD + SWAPS),
    "pkg/other.py": (HEAD + KEEPS,),
    "pyproject.toml": ('[tool.shapecheck]\nignore = ["SC201"]\n', '[tool.shapecheck]\nexclude = ["other.py"]\n'),
}


def write(directory, name, content):
    path = directory / name
    if content is None:
        path.unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def run(*arguments):
    """Return the exit status of a run and everything that it wrote."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        status = main(["check", *arguments])
    return status, out.getvalue(), err.getvalue()


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("app.py", "pkg/__init__.py", "pkg/layers.py", "other.py"):
        write(tmp_path, name, VARIANTS[name][0])
    return tmp_path


def records(project):
    return sorted(path for path in (project / "kept").iterdir() if path.name != ".gitignore")


EDITS = st.lists(
    st.sampled_from(sorted(VARIANTS)).flatmap(
        lambda name: st.tuples(st.just(name), st.sampled_from((None, *VARIANTS[name])))
    ),
    min_size=1,
    max_size=6,
)
PATHS = st.sampled_from(((), (".",), ("app.py",), ("pkg",), ("other.py", "app.py")))


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(EDITS, PATHS), min_size=1, max_size=6))
def test_after_any_edits_a_run_says_what_a_fresh_one_says(tmp_path_factory, monkeypatch, rounds):
    directory = tmp_path_factory.mktemp("project")
    monkeypatch.chdir(directory)
    write(directory, "app.py", VARIANTS["app.py"][0])
    write(directory, "other.py", VARIANTS["other.py"][0])
    for edits, paths in rounds:
        for name, content in edits:
            write(directory, name, content)
        existing = [path for path in paths if os.path.exists(path)]
        fresh = run("--statistics", "--no-cache", *existing)
        assert run("--statistics", "--cache-dir", "kept", *existing) == fresh
        # And once more, from what this run has kept.
        assert run("--statistics", "--cache-dir", "kept", *existing) == fresh


def test_an_unchanged_project_is_not_checked_again(project, monkeypatch):
    first = run("--cache-dir", "kept", "--statistics")
    monkeypatch.setattr("shapecheck.parallel.check_each_in_parallel", lambda *_: 1 / 0)
    assert run("--cache-dir", "kept", "--statistics") == first
    # How it is reported is decided afterwards, and so is what passes where.
    assert run("--cache-dir", "kept", "--output-format", "json")[1] == "[]\n"
    write(project, "pyproject.toml", '[tool.shapecheck.per-file-ignores]\n"pkg/**" = ["SC2"]\n')
    assert run("--cache-dir", "kept", "--statistics") == first
    # Which rules are wanted may decide what is looked at.
    assert run("--cache-dir", "kept", "--select", "SC3")[0] == 2


def test_the_vocabulary_is_part_of_what_a_finding_rests_on(project):
    write(
        project, "app.py",
        HEAD + 'def take(x: Float[Tensor, "b t"]) -> None: ...\n'
        'def give(x: Float[Tensor, "seq batch"]) -> None:\n    take(x)\n',
    )  # fmt: skip
    assert run("--cache-dir", "kept", "app.py")[0] == 0
    write(project, "pyproject.toml", '[tool.shapecheck.axes]\nb = ["batch"]\nt = ["seq"]\n')
    assert "SC304" in run("--cache-dir", "kept", "app.py")[1]


def test_only_what_an_edit_reaches_is_checked_again(project, monkeypatch):
    import shapecheck.parallel

    write(project, "alone.py", HEAD + SWAPS)
    run("--cache-dir", "kept")
    checked, check = [], shapecheck.parallel.check_each_in_parallel

    def noted(files, *others):
        checked.extend(files)
        return check(files, *others)

    monkeypatch.setattr(shapecheck.parallel, "check_each_in_parallel", noted)
    write(project, "pkg/layers.py", HEAD + KEEPS)
    status, out, _ = run("--cache-dir", "kept", "--output-format", "concise")
    assert checked == ["app.py", "pkg/layers.py"]
    assert status == 1
    assert out.startswith("app.py:5:12: error[SC201]")


def test_the_fault_of_an_edited_import_is_found(project):
    assert run("--cache-dir", "kept", "app.py")[0] == 0
    write(project, "pkg/layers.py", HEAD + KEEPS)
    assert run("--cache-dir", "kept", "app.py")[0] == 1


def test_a_file_that_appears_takes_the_place_of_another(project):
    assert run("--cache-dir", "kept", "app.py")[0] == 0
    write(project, "pkg/layers/__init__.py", HEAD + KEEPS)
    assert run("--cache-dir", "kept", "app.py")[0] == 1


def test_a_folder_that_becomes_a_package_looks_elsewhere(project):
    write(project, "pkg/__init__.py", None)
    write(project, "pkg/layers.py", "from other import turn\n")
    write(project, "pkg/other.py", HEAD + KEEPS)
    assert run("--cache-dir", "kept", "app.py")[0] == 1
    write(project, "pkg/__init__.py", "")
    assert run("--cache-dir", "kept", "app.py")[0] == 0


def test_every_file_that_reads_another_is_checked_again(project):
    write(project, "beside.py", VARIANTS["app.py"][0])
    assert run("--cache-dir", "kept", "app.py", "beside.py")[0] == 0
    write(project, "pkg/layers.py", HEAD + KEEPS)
    out = run("--cache-dir", "kept", "--output-format", "concise", "app.py", "beside.py")[1]
    assert [line.split(":")[0] for line in out.splitlines()[:-1]] == ["app.py", "beside.py"]


def test_a_damaged_record_is_as_good_as_none(project):
    expected = run("--cache-dir", "kept")
    [record] = records(project)
    content = record.read_bytes()
    for damaged in (b"", content[:40], content[:-1], content[:-9] + b"?" + content[-8:], content + b"x", b"\0" * 99):
        record.write_bytes(damaged)
        assert run("--cache-dir", "kept") == expected
        assert record.read_bytes() != damaged


def test_a_record_of_another_checker_is_not_believed(project, monkeypatch):
    run("--cache-dir", "kept")
    monkeypatch.setattr("shapecheck.cache._checker", lambda: b"another checker.")
    monkeypatch.setattr("shapecheck.parallel.check_each_in_parallel", lambda *_: 1 / 0)
    assert run("--cache-dir", "kept")[0] == 2


def test_the_checker_is_recognised_by_its_sources(tmp_path, monkeypatch):
    from shapecheck import cache

    package = tmp_path / "shapecheck"
    write(package, "cache.py", "")
    write(package, "dims/dim.py", "x = 1\n")
    monkeypatch.setattr(cache, "__file__", str(package / "cache.py"))
    first = cache._checker()
    assert cache._checker() == first
    write(package, "dims/dim.py", "x = 11\n")
    second = cache._checker()
    assert second != first
    write(tmp_path, f"torch_shapecheck-{cache.__version__}.dist-info/RECORD", "shapecheck/dims/dim.py,sha256=a,6\n")
    third = cache._checker()
    assert third not in {first, second}
    # An installed package is the same wherever and whenever it was installed.
    os.utime(package / "dims" / "dim.py", (1, 1))
    assert cache._checker() == third
    write(tmp_path, f"torch_shapecheck-{cache.__version__}.dist-info/RECORD", "shapecheck/dims/dim.py,sha256=b,6\n")
    assert cache._checker() != third


def test_no_cache_keeps_nothing(project):
    write(project, "long.py", HEAD + SWAPS + "# long\n" * 2000)
    run("--no-cache", ".")
    assert not (project / ".shapecheck_cache").exists()
    assert not (project / "kept").exists()


def test_the_usual_place_is_beside_the_settings_and_ignores_itself(project, monkeypatch):
    write(project, "pyproject.toml", "[tool.shapecheck]\n")
    write(project, "pkg/long.py", HEAD + SWAPS + "# long\n" * 2000)
    monkeypatch.chdir(project / "pkg")
    run("long.py")
    kept = project / ".shapecheck_cache"
    assert (kept / ".gitignore").read_text().splitlines()[-1] == "*"
    assert len(list(kept.iterdir())) == 2
    # To look for what is kept of so little code would not pay.
    monkeypatch.chdir(project)
    run("app.py")
    assert len([path for path in kept.iterdir() if path.name != "settings"]) == 2


def test_parsed_settings_are_kept_where_results_are(project, monkeypatch):
    table = '[tool.shapecheck]\nignore = ["SC201"]\n'
    write(project, "pyproject.toml", table)
    write(project, "other.py", HEAD + FAULTY)
    assert run("other.py")[0] == 0
    assert not (project / ".shapecheck_cache").exists()
    (project / ".shapecheck_cache").mkdir()
    assert run("other.py")[0] == 0
    with monkeypatch.context() as without:
        without.setattr("tomllib.loads", lambda _: 1 / 0)
        assert run("other.py")[0] == 0
        assert run("--no-cache", "other.py")[0] == 2
    # What is kept is that of these very bytes.
    write(project, "pyproject.toml", table.replace("SC201", "SC202"))
    assert run("other.py")[0] == 1
    write(project, "pyproject.toml", "[tool.other]  # not shapecheck\n")
    assert [run("other.py")[0] for _ in range(2)] == [1, 1]
    write(project, "pyproject.toml", "[tool.shapecheck]\nignore = 2026-01-01\n")
    assert ["ignore must be a list" in run("other.py")[2] for _ in range(2)] == [True, True]


def test_the_settings_name_a_place(project):
    write(project, "pyproject.toml", '[tool.shapecheck]\ncache-dir = "build/shapes"\n')
    run("app.py")
    assert len(list((project / "build" / "shapes").iterdir())) == 2
    write(project, "pyproject.toml", "[tool.shapecheck]\ncache-dir = 3\n")
    assert "cache-dir must be a string" in run("app.py")[2]


@pytest.mark.parametrize("obstacle", ["file", "locked"])
def test_where_nothing_can_be_written_a_run_says_the_same(project, obstacle):
    expected = run("--no-cache")
    kept = project / "kept"
    if obstacle == "file":
        kept.write_text("in the way\n")
    else:
        kept.mkdir()
        kept.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        assert run("--cache-dir", "kept") == expected
        assert run("--cache-dir", "kept/below") == expected
    finally:
        kept.chmod(stat.S_IRWXU)


def test_a_function_that_could_not_be_checked_is_tried_again(project, monkeypatch):
    from shapecheck.static.interpreter import Interpreter

    with monkeypatch.context() as broken:
        broken.setattr(Interpreter, "execute", lambda *_: 1 / 0)
        assert "internal failure" in run("--cache-dir", "kept")[2]
    assert run("--cache-dir", "kept") == run("--no-cache")


def test_the_oldest_records_go(project, monkeypatch):
    monkeypatch.setattr("shapecheck.records._KEPT", 3)
    for number in range(6):
        write(project, f"m{number}.py", HEAD + SWAPS)
        run("--cache-dir", "kept", f"m{number}.py")
        newest = max(records(project), key=lambda path: path.stat().st_mtime_ns)
        os.utime(newest, ns=(number, number))
    assert len(records(project)) == 3


def test_a_file_edited_during_the_run_is_not_kept(project, monkeypatch):
    """Two processes that read a file at different times may see different contents of it."""
    import shapecheck.parallel

    check = shapecheck.parallel.check_each_in_parallel

    def edited(files, *others):
        reports, [one] = check(files, *others)
        write(project, "other.py", VARIANTS["other.py"][1])
        _, [two] = check(files, *others)
        return reports, [one, two]

    monkeypatch.setattr(shapecheck.parallel, "check_each_in_parallel", edited)
    run("--cache-dir", "kept")
    assert not (project / "kept").exists()


def test_rules_of_other_packages_count(project, monkeypatch):
    rules = (
        "from shapecheck.ops import op\nfrom shapecheck.shapes import Tensor\n"
        '@op("fusedlib.turned")\ndef turned(x: "Tensor") -> "Tensor":\n'
        "    return x.reshaped(x.shape.without([0]))\n"
    )
    site = project.parent / "site"
    body = 'def f(x: Float[Tensor, "B T"]) -> Float[Tensor, "T"]:\n    return fusedlib.turned(x)\n'
    write(project, "model.py", f"{HEAD}import fusedlib\n{body}")

    def fresh_process(*options):
        done = subprocess.run(
            [sys.executable, "-m", "shapecheck", "check", *options, "model.py"],
            check=False, capture_output=True, text=True, cwd=project,
            # Python itself takes bytecode for that of a source of the same size written within the same second.
            env={**os.environ, "PYTHONPATH": os.pathsep.join((str(site), *sys.path)), "PYTHONDONTWRITEBYTECODE": "1"},
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    states = [
        None,
        {"fused.dist-info/entry_points.txt": "[shapecheck.ops]\nfused = fused_rules\n"},
        {"fused_rules.py": rules},
        {"fused_rules.py": rules.replace("[0]", "[1]")},
        {"fused_rules.py": None},
    ]
    said = []
    for state in states:
        for name, content in (state or {}).items():
            write(site, name, content)
        said.append(fresh_process("--no-cache"))
        for _ in range(2):
            assert fresh_process("--cache-dir", "kept") == said[-1]
    # Each state but the first two, where no rule is to be had, says something else.
    assert [status for status, *_ in said] == [0, 0, 0, 1, 0]


def test_runs_at_the_same_time_do_not_disturb_each_other(project):
    expected = run("--no-cache", "--jobs", "1")
    command = [sys.executable, "-m", "shapecheck", "check", "--cache-dir", "kept"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(ROOT), *sys.path))}
    for _ in range(3):
        running = [
            subprocess.Popen(
                [*command, "--jobs", str(1 + number % 2)], cwd=project, env=environment, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )
            for number in range(4)
        ]  # fmt: skip
        for process in running:
            out, err = process.communicate()
            assert (process.returncode, out, err) == expected
        [record] = records(project)
        record.write_bytes(record.read_bytes()[:100])


def test_the_blocks_of_the_suites_say_the_same_from_the_cache(tmp_path, monkeypatch):
    """Every kind of finding goes to disk and comes back whole."""
    monkeypatch.chdir(tmp_path)
    for path in sorted((ROOT / "tests" / "mdtest").rglob("*.md")):
        for number, block in enumerate(blocks(path)):
            for file in block.files:
                write(tmp_path, f"{path.stem}{number}/{file.name}", file.text)
    for form in ("full", "json"):
        options = ("--output-format", form, "--select", "ALL", "--statistics", "--jobs", "1")
        expected = run(*options, "--no-cache", ".")
        assert expected[1].count("SC") > 300
        for _ in range(2):
            assert run(*options, "--cache-dir", "kept", ".") == expected
