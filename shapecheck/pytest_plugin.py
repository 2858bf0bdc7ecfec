"""The pytest plugin: static checks as test items, and call-time checks of the packages under test.

It is inert until asked, by `--shapecheck` or by one of these settings of pytest:

    shapecheck_paths = src      each Python file below is a test item that holds its static check
    shapecheck_packages = pkg   every annotated function of these packages checks its calls while the tests run

pytest imports this module in every run of an environment that has shapecheck installed, so nothing of shapecheck is
imported before it is asked for.
"""

from __future__ import annotations

import os
import sys

import pytest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from typing import Any

    from _pytest._code.code import ReprExceptionInfo

    from shapecheck.diagnostics.model import Diagnostic
    from shapecheck.findings import Findings
    from shapecheck.runtime.import_hook import ImportHook
    from shapecheck.runtime.observe import Observer

_CALLS: pytest.StashKey[tuple[Observer, ImportHook]] = pytest.StashKey()

_LINES = 20
"""A failure prints no more than this; the rest is one command away."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option and the two settings."""
    group = parser.getgroup("shapecheck")
    group.addoption(
        "--shapecheck",
        action="store_true",
        help="check axes: files of shapecheck_paths (default: all below the root) and calls of shapecheck_packages",
    )
    parser.addini("shapecheck_paths", "files and directories whose static check is a test item each", "args", [])
    parser.addini("shapecheck_packages", "packages whose annotated functions check their calls", "args", [])


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Install the import hook before any conftest can import the packages."""
    packages = early_config.getini("shapecheck_packages")
    if not packages:
        return
    import warnings

    from shapecheck.runtime.errors import ShapecheckWarning
    from shapecheck.runtime.import_hook import install_import_hook
    from shapecheck.runtime.observe import switch_on

    observer = switch_on()
    with warnings.catch_warnings():
        # What is imported already would go unchecked, for all that the settings say.
        warnings.simplefilter("error", ShapecheckWarning)
        try:
            hook = install_import_hook(packages)
        except ShapecheckWarning as warning:
            raise pytest.UsageError(f"shapecheck_packages: {warning}; does another plugin import it?") from None
    early_config.stash[_CALLS] = (observer, hook)


def pytest_report_header(config: pytest.Config) -> str | None:
    """Tell what is checked."""
    parts = []
    paths = _paths(config)
    if paths:
        parts.append(f"files below {', '.join(paths)}")
    packages = config.getini("shapecheck_packages")
    if packages:
        parts.append(f"calls of {', '.join(packages)}")
    return f"shapecheck: {'; '.join(parts)}" if parts else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Add an item for each file, before `-k` and `-m` choose among all items."""
    paths = _paths(config)
    if not paths:
        return
    from shapecheck.config import ConfigError, find_settings
    from shapecheck.discovery import DiscoveryError, discover

    absolute = [os.path.join(config.rootpath, path) for path in paths]
    try:
        check = _Check(find_settings(absolute))
        files = discover(absolute, check.settings).files
    except ConfigError as error:
        raise pytest.UsageError(f"shapecheck: {error}") from error
    except DiscoveryError as error:
        raise pytest.UsageError(f"shapecheck_paths: {error}") from error
    check.files = [file for file in files if _wanted(config, file)]
    items[:0] = [_item(session, file, check) for file in check.files]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show a call that does not fit its annotation by the line of the test and the error, which tells the rest."""
    report = yield
    excinfo = call.excinfo
    errors = sys.modules.get("shapecheck.runtime.errors")  # without it nothing has been decorated
    if excinfo is None or not report.failed or errors is None or not isinstance(excinfo.value, errors.ShapeError):
        return report
    report.__dict__["shapecheck"] = _first_line(excinfo)  # pytest-xdist sends what a report has
    # A traceback style asked for by name is a wish to see frames.
    if item.config.getoption("tbstyle") == "auto":
        report.longrepr = _short_call(item, excinfo)
    return report


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand what a worker of pytest-xdist has seen to the process that reports."""
    calls = session.config.stash.get(_CALLS, None)
    output = getattr(session.config, "workeroutput", None)
    if calls is not None and output is not None:
        output["shapecheck"] = calls[0].state()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Take what a worker has seen; a worker that crashed has sent nothing."""
    calls = node.config.stash.get(_CALLS, None)
    state = getattr(node, "workeroutput", {}).get("shapecheck")
    if calls is not None and state is not None:
        calls[0].merge(state)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Tell which functions were called, which axes no call told apart, and what pytest's own summary cuts off."""
    lines = _cut_off(terminalreporter, config)
    calls = config.stash.get(_CALLS, None)
    if calls is not None and config.option.verbose >= 0:
        from shapecheck.axis_coverage import summary_lines

        observer, hook = calls
        if observer.functions:
            here = str(config.invocation_params.dir)
            lines = [*summary_lines(observer, hook.wants, here, all_of_it=config.option.verbose > 0), *lines]
    if lines:
        terminalreporter.section("shapecheck")
    for line in lines:
        terminalreporter.line(line)


def _cut_off(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> list[str]:
    """Return the errors of calls for which pytest's line per failed test has no room."""
    from _pytest.compat import running_on_ci

    if running_on_ci() or config.option.verbose >= 2:  # pytest then prints them whole
        return []
    lines = []
    for report in terminalreporter.stats.get("failed", []):
        error = getattr(report, "shapecheck", "")
        if error and len(f"FAILED {report.nodeid} - {error}") > terminalreporter._tw.fullwidth:  # noqa: SLF001
            lines.append(f"  {report.nodeid.rpartition('::')[2]}: {error.partition(': ')[2]}")
    return ["calls that do not fit:", *lines] if lines else []


def _paths(config: pytest.Config) -> list[str]:
    paths: list[str] = config.getini("shapecheck_paths")
    return paths or (["."] if config.getoption("--shapecheck") else [])


def _wanted(config: pytest.Config, file: str) -> bool:
    """Tell whether this run is about a file: who names some tests wants those and not the whole project's files."""
    if config.getoption("--shapecheck") or config.args_source is not pytest.Config.ArgsSource.ARGS:
        return True
    path = os.path.abspath(file)
    named = (os.path.join(config.invocation_params.dir, argument.split("::")[0]) for argument in config.args)
    return any(path == os.path.normpath(name) or path.startswith(os.path.normpath(name) + os.sep) for name in named)


class _Check:
    """The static check of all the files, which the first item that runs starts; files import each other."""

    def __init__(self, settings: Any) -> None:
        self.settings = settings
        self.files: list[str] = []
        self._findings: Findings | None = None

    def findings(self) -> Findings:
        if self._findings is None:
            from shapecheck.findings import filter_findings
            from shapecheck.static import check_files

            baseline = None
            if self.settings.baseline is not None:
                from shapecheck.diagnostics.baseline import read_baseline

                baseline = read_baseline(self.settings.baseline)
            report = check_files(self.files, self.settings)
            self._findings = filter_findings(report.diagnostics, self.files, self.settings, baseline)
        return self._findings

    def of(self, file: str) -> list[Diagnostic]:
        """Return the faults found in a file."""
        return [
            diagnostic
            for diagnostic in self.findings().diagnostics
            if diagnostic.place.filename == file and diagnostic.severity != "note"
        ]


class StaticFaultError(Exception):
    """Faults found in a file without running it; the message shows them."""


class StaticItem(pytest.Item):
    """The static check of one file."""

    file: str
    check: _Check

    def runtest(self) -> None:
        """Fail with what was found in the file."""
        found = self.check.of(self.file)
        if found:
            raise StaticFaultError(_short(found, self.check.findings(), self.file))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show the faults, without the frames that led here."""
        if isinstance(excinfo.value, StaticFaultError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[os.PathLike[str] | str, int | None, str]:
        """Name the item in reports."""
        return self.path, None, f"{self.file}: shapes"


def _item(session: pytest.Session, file: str, check: _Check) -> pytest.Item:
    import pathlib

    collector = _StaticFile.from_parent(session, path=pathlib.Path(file).absolute())
    item = StaticItem.from_parent(collector, name="shapecheck")
    item.file, item.check = file, check
    return item


class _StaticFile(pytest.File):
    """A node for the file, so that the item is named `src/model.py::shapecheck`."""

    def collect(self) -> Iterator[pytest.Item]:
        """Collect nothing: the items are made when all the files are known."""
        return iter(())


def _short(found: list[Diagnostic], findings: Findings, file: str) -> str:
    from shapecheck.diagnostics.renderers import Context
    from shapecheck.diagnostics.renderers.full import render
    from shapecheck.rules.catalogue import RULES, page
    from shapecheck.version import __version__

    text = render(found, Context(RULES, findings.sources.lines, page, __version__)).rstrip()
    lines = [line for line in text.split("\n") if line]
    if len(lines) > _LINES:
        lines[_LINES - 1 :] = [f"... {len(found)} in all: shapecheck check {file}"]
    return "\n".join(lines)


def _first_line(excinfo: pytest.ExceptionInfo[BaseException]) -> str:
    return f"{type(excinfo.value).__name__}: {excinfo.value}".partition("\n")[0]


def _short_call(item: pytest.Item, excinfo: pytest.ExceptionInfo[BaseException]) -> ReprExceptionInfo:
    """Return the error, and the innermost line of the test's own file that led to it."""
    from _pytest._code.code import ReprEntryNative, ReprExceptionInfo, ReprFileLocation, ReprTraceback

    here = f"{item.config.invocation_params.dir}{os.sep}"
    lines = f"{type(excinfo.value).__name__}: {excinfo.value}".replace(here, "").split("\n")
    last = ""
    for entry in excinfo.traceback:
        if str(entry.path) == str(item.path):
            path = str(entry.path).removeprefix(here)
            statement = str(entry.statement).strip().split("\n")[0]
            last = f"tested at {path}:{entry.lineno + 1} in {entry.name}: {statement}"
    if len(lines) >= _LINES:
        lines[_LINES - 2 :] = ["... --tb=long shows the rest"]
    text = "\n".join([*lines, last] if last else lines)
    where = excinfo.traceback[-1]
    # The kind of failure that pytest-xdist can send, whose summary is one line.
    return ReprExceptionInfo(
        ReprTraceback([ReprEntryNative([f"{text}\n"])], None, "native"),
        ReprFileLocation(str(where.path), where.lineno + 1, _first_line(excinfo)),
    )
