"""The command line: `shapecheck check`, `shapecheck show`, `shapecheck rule`.

Exit status 0 means clean, 1 that something was found, 2 wrong use, a failure of shapecheck itself, or that what it says
cannot be written.
"""

from __future__ import annotations

import os
import sys

from shapecheck.diagnostics.model import escaped
from shapecheck.streams import WriteError, complain, flush, say, to_stdout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from shapecheck.config import Settings
    from shapecheck.diagnostics.baseline import Baseline
    from shapecheck.findings import Findings
    from shapecheck.progress import Bar
    from shapecheck.static import Report

CLEAN, FOUND, FAILED = 0, 1, 2
_INTERRUPTED = 130
"""What a shell reports for a program that was stopped by Ctrl-C."""

_LITTLE = 10_000
"""Bytes of source: to look for an earlier result takes a twentieth of the time that checking less does."""

_FOR_PEOPLE = ("full", "concise")
"""The formats after which a summary follows; what programs read holds nothing else."""

COMMANDS = ("check", "rule", "show")


class Options:
    """What the command line says, with the defaults of everything it may leave out."""

    def __init__(self, command: str | None = None, paths: Sequence[str] = ()) -> None:
        self.command = command
        self.paths = list(paths)
        self.output_format = "full"
        self.output_file: str | None = None
        self.select: list[str] | None = None
        self.ignore: list[str] = []
        self.baseline: str | None = None
        self.write_baseline = False
        self.statistics = False
        self.jobs: int | None = None
        self.cache = True
        self.cache_dir: str | None = None
        self.strict_internal = False
        self.stdin_filename: str | None = None
        self.codes: list[str] = []
        self.targets: list[str] = []


class UsageError(Exception):
    """Wrong use; the message is all that is shown."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line, by default that of the process, and return its exit status.

    Raises:
        SystemExit: help was asked for, or an option is wrong.
    """
    try:
        options = _options(list(sys.argv[1:] if argv is None else argv))
        status = _RUN[str(options.command)](options)
        flush()
    except (UsageError, WriteError) as error:
        complain(f"shapecheck: {escaped(str(error))}")
        return FAILED
    except KeyboardInterrupt:
        return _INTERRUPTED
    except Exception:  # noqa: BLE001  the exit status must tell a failure from findings, which Python's own 1 does not
        import traceback

        complain(traceback.format_exc() + "shapecheck: internal failure; nothing is known about the code")
        return FAILED
    return status


def _options(arguments: list[str]) -> Options:
    paths = [item for item in arguments[1:] if item != "--no-cache"]
    if paths and arguments[0] == "check" and not any(item.startswith("-") for item in paths):
        # The everyday call; argparse would cost a fifth of the time that a small file takes.
        options = Options("check", paths)
        options.cache = len(paths) == len(arguments) - 1
        return options
    from shapecheck.arguments import parsed

    return parsed(arguments)


def _check(options: Options) -> int:
    from shapecheck.discovery import DiscoveryError, discover

    if "-" in options.paths or options.stdin_filename is not None:
        return _check_input(options)
    paths = options.paths or ["."]
    settings = _settings(options, paths)
    baseline = None if options.write_baseline else _baseline(settings)
    try:
        found = discover(paths, settings)
    except DiscoveryError as error:
        raise UsageError(str(error)) from error
    if not found.files and not found.unreadable:
        complain(f"shapecheck: no Python files under {', '.join(map(escaped, paths))}")
    report, unmarked = _report(found.files, settings, options, paths)
    if found.unreadable:
        from shapecheck.findings import unreadable

        report.diagnostics = [*report.diagnostics, *(unreadable(path, reason) for path, reason in found.unreadable)]
    return _tell(report, found.files, options, settings, baseline, unmarked)


def _check_input(options: Options) -> int:
    """Check what comes from standard input, as if it were the content of a file."""
    from shapecheck.discovery import DiscoveryError, display_name, refuse_notebook
    from shapecheck.static.check import check_files

    if options.paths != ["-"]:
        raise UsageError("standard input is checked alone: `shapecheck check --stdin-filename FILE -`")
    name = display_name(options.stdin_filename or "<stdin>")
    settings = _settings(options, [name])
    baseline = None if options.write_baseline else _baseline(settings)
    try:
        refuse_notebook(name)
        contents = {name: sys.stdin.buffer.read()}
    except DiscoveryError as error:
        raise UsageError(str(error)) from error
    except OSError as error:
        raise UsageError(f"cannot read standard input: {error.strerror or error}") from error
    return _tell(check_files([name], settings, contents), [name], options, settings, baseline, (), contents)


def _tell(
    report: Report,
    files: list[str],
    options: Options,
    settings: Settings,
    baseline: Baseline | None,
    unmarked: Container[str],
    contents: dict[str, bytes] | None = None,
) -> int:
    """Write what was found where the command line says; the exit status."""
    from shapecheck.findings import filter_findings

    findings = filter_findings(report.diagnostics, files, settings, baseline, unmarked, contents)
    _tell_internal(report, options)
    if options.write_baseline:
        return _write_baseline(settings, findings)
    _write(findings, options, len(files))
    if options.statistics:
        # A program that reads the findings from standard output must find nothing else there.
        _tell_statistics(report, for_people=options.output_format in _FOR_PEOPLE)
    if report.internal and options.strict_internal:
        return FAILED
    return FOUND if findings.failing else CLEAN


def _report(files: list[str], settings: Settings, options: Options, paths: list[str]) -> tuple[Report, Container[str]]:
    """What the files hold, and which of them are known to have no suppression comments."""
    from shapecheck.config import DIRECTORY

    directory = None
    if options.cache:
        directory = settings.cache_directory or (
            os.path.join(settings.root, DIRECTORY) if _worth_keeping(files) else None
        )
    bar = _bar()
    try:
        if directory is None:
            from shapecheck.parallel import check_in_parallel

            return check_in_parallel(files, settings, bar), ()
        from shapecheck.cache import check_with_cache

        return check_with_cache(files, settings, directory, paths, bar)
    finally:
        if bar is not None:
            bar.end()


def _bar() -> Bar | None:
    """A bar, where somebody watches: findings may go to a file, the bar is for the terminal."""
    if not sys.stderr.isatty() or os.environ.get("TERM") == "dumb":
        return None
    from shapecheck.progress import Bar

    return Bar()


def _worth_keeping(files: list[str]) -> bool:
    """Whether to check the files takes so long that what was found is kept without being told where."""
    size = 0
    for file in files:
        try:
            size += os.stat(file).st_size
        except OSError:
            # The checker says what is wrong with it.
            continue
        if size >= _LITTLE:
            return True
    return False


def _settings(options: Options, paths: list[str]) -> Settings:
    from shapecheck.config import ConfigError, find_settings, selected_codes
    from shapecheck.rules.catalogue import UnknownRuleError, codes_matching_any

    try:
        settings = find_settings(paths, cache=options.cache)
        if options.select is not None:
            settings.codes = selected_codes(_listed("--select", options.select), ())
        settings.codes -= codes_matching_any(_listed("--ignore", options.ignore))
    except (ConfigError, UnknownRuleError) as error:
        raise UsageError(str(error)) from error
    if options.baseline is not None:
        settings.baseline = os.path.abspath(options.baseline)
    if options.jobs is not None:
        settings.jobs = options.jobs
    if options.cache_dir is not None:
        settings.cache_directory = os.path.abspath(options.cache_dir)
    return settings


def _listed(option: str, values: list[str]) -> list[str]:
    """The rules that the values of an option list.

    Raises:
        UsageError: a value lists none; to select none would pass for a clean run.
    """
    listed = []
    for value in values:
        parts = [part for part in value.split(",") if part.strip()]
        if not parts:
            raise UsageError(f"{option} {value!r} names no rule; `shapecheck rule` lists them all")
        listed += parts
    return listed


def _baseline(settings: Settings) -> Baseline | None:
    if settings.baseline is None:
        return None
    from shapecheck.diagnostics.baseline import BaselineError, read_baseline

    try:
        return read_baseline(settings.baseline)
    except BaselineError as error:
        raise UsageError(str(error)) from error


def _write_baseline(settings: Settings, findings: Findings) -> int:
    from shapecheck.diagnostics.baseline import BaselineError, write_baseline

    if settings.baseline is None:
        raise UsageError("--write-baseline needs --baseline FILE, or the setting baseline in pyproject.toml")
    known = [diagnostic for diagnostic in findings.diagnostics if diagnostic.severity != "note"]
    try:
        count = write_baseline(settings.baseline, known, findings.sources.lines)
    except BaselineError as error:
        raise UsageError(str(error)) from error
    say(f"{_counted(count, 'finding')} written to {escaped(os.path.relpath(settings.baseline))}\n")
    return CLEAN


def _write(findings: Findings, options: Options, files: int) -> None:
    for_people = options.output_format in _FOR_PEOPLE
    if findings.diagnostics or not for_people:
        from shapecheck.diagnostics.renderers import Context, renderer
        from shapecheck.rules.catalogue import RULES, page
        from shapecheck.version import __version__

        context = Context(RULES, findings.sources.lines, page, __version__)
        if options.output_format == "full" and options.output_file is None and _coloured():
            from shapecheck.diagnostics.renderers.full import print_in_colour

            to_stdout(print_in_colour, findings.diagnostics, context)
        else:
            _emit(renderer(options.output_format)(findings.diagnostics, context), options.output_file)
    if for_people:
        say(f"{_summary(findings, files)}\n")


def _emit(text: str, output_file: str | None) -> None:
    if output_file is None:
        say(text)
        return
    try:
        # As on standard output: the names of files may hold what is no text. In JSON its escape is one of JSON's.
        with open(output_file, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"cannot write {output_file}: {error.strerror}") from error


def _coloured() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _summary(findings: Findings, files: int) -> str:
    counts = dict.fromkeys(("error", "warning", "note"), 0)
    for diagnostic in findings.diagnostics:
        counts[diagnostic.severity] += 1
    parts = [_counted(count, severity) for severity, count in counts.items() if count]
    said = f"{', '.join(parts) or 'no findings'} in {_counted(files, 'file')}"
    if findings.silenced:
        said += f"; {findings.silenced} silenced by comments"
    if findings.baselined:
        said += f"; {findings.baselined} known from the baseline"
    if findings.repaired:
        said += f"; {findings.repaired} of the baseline no longer there (--write-baseline drops them)"
    return said


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _tell_internal(report: Report, options: Options) -> None:
    for note in report.internal:
        file = escaped(note.file)
        where = f"{note.function} in {file}" if note.function else file
        complain(f"shapecheck: internal failure, {where} is not checked: {note.message}")
        if options.strict_internal:
            complain(note.traceback)


def _tell_statistics(report: Report, *, for_people: bool) -> None:
    counts = report.statistics
    known, total = counts.known_expressions, counts.tensor_expressions
    share = 100 * known / total if total else 100.0
    partly = f", {counts.partly_checked_functions} of them partly" if counts.partly_checked_functions else ""
    lines = [
        f"annotated functions  {counts.annotated_functions:>7}  {counts.checked_functions} checked{partly}",
        f"tensor expressions   {total:>7}  {known} of known shape ({share:.1f} %)",
    ]
    if counts.left_out:
        lines[0] += f", {counts.left_out} marked to be left out"
    for title, reasons, most in (
        ("why functions are not checked:", counts.unchecked, 20),
        ("why functions are checked partly, by what is most frequent in each:", counts.partly, 10),
        ("why a shape is not known:", counts.reasons, 20),
    ):
        if reasons:
            lines.append(title)
            ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
            lines += [f"  {count:>7}  {reason}" for reason, count in ordered[:most]]
            rest = sum(count for _, count in ordered[most:])
            if rest:
                lines.append(f"  {rest:>7}  other reasons")
    if for_people:
        say("\n".join(lines) + "\n")
    else:
        complain("\n".join(lines))


def _rule(options: Options) -> int:
    from shapecheck.rules.catalogue import RULES, UnknownRuleError, codes_matching, page

    if not options.codes:
        width = max(len(rule.name) for rule in RULES.values())
        for rule in RULES.values():
            off = "" if rule.default else " (off by default)"
            say(f"{rule.code}  {rule.name:<{width}}  {rule.severity:<7}  {rule.summary}{off}\n")
        return CLEAN
    try:
        codes = [code for selector in options.codes for code in sorted(codes_matching(selector))]
    except UnknownRuleError as error:
        raise UsageError(str(error)) from error
    text = "\n".join(page(code) for code in dict.fromkeys(codes))
    if _coloured():
        from rich.console import Console
        from rich.markdown import Markdown

        to_stdout(Console().print, Markdown(text))
    else:
        say(text)
    return CLEAN


def _show(options: Options) -> int:
    from shapecheck.config import ConfigError
    from shapecheck.discovery import DiscoveryError
    from shapecheck.show import ShowError, show

    for target in options.targets:
        try:
            text, report = show(target, coloured=_coloured())
        except (ConfigError, DiscoveryError, ShowError) as error:
            raise UsageError(str(error)) from error
        say(text)
        _tell_internal(report, options)
    return CLEAN


_RUN = {"check": _check, "rule": _rule, "show": _show}
