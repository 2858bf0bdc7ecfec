"""Settings: the table [tool.shapecheck] of the nearest pyproject.toml, and what the command line adds to it."""

from __future__ import annotations

import os

from shapecheck.patterns import compiled, fault_in
from shapecheck.rules.catalogue import UnknownRuleError, codes_matching_any, codes_selected, default_codes
from shapecheck.rules.vocabulary import VocabularyError, read_vocabulary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from shapecheck.rules.vocabulary import Vocabulary

_ALWAYS = frozenset(("SC000", "SC001"))
"""Reported whatever is selected: a file that cannot be read must not pass in silence."""


DIRECTORY = ".shapecheck_cache"
"""Where the results of runs are kept beside the settings, if nobody says otherwise."""


class ConfigError(ValueError):
    """A setting that is unknown, misspelt or of the wrong type; the message names the file and the key."""


class Settings:
    """What to check and what to report.

    Attributes:
        root: absolute directory that patterns and the baseline are relative to.
        source: the file the settings came from, or None.
        exclude: gitignore patterns of files to leave out unless they are named on the command line.
        codes: the rules that are reported.
        per_file: gitignore pattern to the codes not reported in the files it matches.
        baseline: absolute path of the baseline file, or None.
        jobs: worker processes; 0 chooses by the number of files.
        axes: the project's vocabulary: spelling of an axis to the axis that it is between functions.
        cache_directory: absolute path of where results are kept, or None if the settings do not say.
    """

    __slots__ = (
        "_matchers", "axes", "baseline", "cache_directory", "codes", "exclude", "jobs", "per_file", "root", "source",
    )  # fmt: skip

    def __init__(
        self,
        root: str,
        source: str | None = None,
        exclude: Sequence[str] = (),
        codes: frozenset[str] | None = None,
        per_file: Mapping[str, frozenset[str]] | None = None,
        baseline: str | None = None,
        jobs: int = 0,
        axes: Vocabulary | None = None,
        cache_directory: str | None = None,
    ) -> None:
        self.root = root
        self.source = source
        self.exclude = tuple(exclude)
        self.codes = default_codes() if codes is None else codes
        self.per_file = dict(per_file or {})
        self.baseline = baseline
        self.jobs = jobs
        self.axes: Vocabulary = axes or {}
        self.cache_directory = cache_directory
        self._matchers: list[tuple[Any, frozenset[str]]] | None = None

    def active(self, filename: str) -> frozenset[str]:
        """Return the codes that are reported in a file."""
        codes = self.codes
        if self.per_file:
            relative = os.path.relpath(filename, self.root).replace(os.sep, "/")
            if all(_lies_elsewhere(pattern, relative) for pattern in self.per_file):
                # Without pathspec, which takes as long to import as a small file to check.
                return codes
            for spec, left_out in self._per_file_matchers():
                if spec.match_file(relative):
                    codes -= left_out
        return codes

    def _per_file_matchers(self) -> list[tuple[Any, frozenset[str]]]:
        if self._matchers is None:
            self._matchers = [(compiled([pattern]), codes) for pattern, codes in self.per_file.items()]
        return self._matchers


def _lies_elsewhere(pattern: str, relative: str) -> bool:
    """Whether the folder that a gitignore pattern begins with is not that of the file: it cannot match then."""
    literal = pattern.lstrip("/")
    for wild in "*?[\\":
        literal = literal.partition(wild)[0]
    folder = literal[: literal.rfind("/", 0, len(pattern.lstrip("/").rstrip("/"))) + 1]
    return bool(folder) and pattern[0] not in "!# " and not relative.startswith(folder)


def selected_codes(select: Iterable[str] | None, ignore: Iterable[str]) -> frozenset[str]:
    """Return the codes that are reported: those selected (None selects the defaults) less those ignored.

    Raises:
        UnknownRuleError: one of the selectors names no rule.
    """
    chosen = default_codes() if select is None else codes_selected(select) | _ALWAYS
    return chosen - codes_matching_any(ignore)


def find_settings(paths: Sequence[str], *, cache: bool = True) -> Settings:
    """Read the settings that apply to paths which are checked together.

    The nearest pyproject.toml with a table [tool.shapecheck], from the directory that holds all the paths upwards, is
    the one that counts. Where there is none and one of the paths lies in the working directory, those of the working
    directory hold; otherwise the defaults.

    Args:
        paths: what is checked.
        cache: whether a table that an earlier run has parsed may be taken from where its results are kept.

    Raises:
        ConfigError: the file is not TOML, or has unknown keys or values of the wrong type.
    """
    absolute = [os.path.abspath(path) for path in paths] or [os.getcwd()]
    try:
        directory = os.path.commonpath(absolute)
    except ValueError:
        # Different drives share no directory.
        directory = os.path.dirname(absolute[0])
    here = os.getcwd()
    starts = [directory]
    if any(path == here or path.startswith(os.path.join(here, "")) for path in absolute):
        starts.append(here)
    for start in starts:
        found = _nearest_settings(start, cache=cache)
        if found is not None:
            return found
    return Settings(here)


def _nearest_settings(directory: str, *, cache: bool) -> Settings | None:
    """The settings of `directory` (or of the file of that name) or of the nearest directory above that has some."""
    while True:
        candidate = os.path.join(directory, "pyproject.toml")
        table = _table(candidate, cache=cache)
        if table is not None:
            return settings_from(table, candidate)
        parent = os.path.dirname(directory)
        if parent == directory:
            return None
        directory = parent


def settings_from(table: Mapping[str, Any], source: str) -> Settings:
    """Make settings from the table [tool.shapecheck] of the file `source`.

    Raises:
        ConfigError: unknown keys, values of the wrong type, or selectors that name no rule.
    """
    known = ("axes", "baseline", "cache-dir", "exclude", "ignore", "jobs", "per-file-ignores", "select")
    for key in table:
        if key not in known:
            raise ConfigError(f"{source}: [tool.shapecheck] has no setting {key!r}{_nearest(key, known)}")
    codes, per_file = _rules(table, source)
    exclude = _patterns("exclude", _strings(table, "exclude", source), source)
    jobs = table.get("jobs", 0)
    if not isinstance(jobs, int) or isinstance(jobs, bool) or jobs < 0:
        raise ConfigError(f"{source}: jobs must be a whole number, 0 or more")
    try:
        axes = read_vocabulary(table.get("axes", {}))
    except VocabularyError as error:
        raise ConfigError(f"{source}: {error}") from error
    root = os.path.dirname(os.path.abspath(source))
    return Settings(
        root,
        source,
        exclude,
        codes,
        per_file,
        _path(table, "baseline", source, "file"),
        jobs,
        axes,
        _path(table, "cache-dir", source, "directory"),
    )


def _rules(table: Mapping[str, Any], source: str) -> tuple[frozenset[str], dict[str, frozenset[str]]]:
    """The codes that are reported, and those that are not in the files that a pattern matches."""
    select = _strings(table, "select", source) if "select" in table else None
    if select == []:
        raise ConfigError(f"{source}: select is empty, so nothing would be reported; without it the default rules are")
    per_file = table.get("per-file-ignores", {})
    if not isinstance(per_file, dict):
        raise ConfigError(f"{source}: per-file-ignores must be a table of pattern = [rules]")
    patterns = _patterns("per-file-ignores", per_file, source)
    try:
        codes = selected_codes(select, _strings(table, "ignore", source))
        return codes, {pattern: codes_matching_any(_strings(per_file, pattern, source)) for pattern in patterns}
    except UnknownRuleError as error:
        raise ConfigError(f"{source}: {error}") from error


def _patterns(key: str, patterns: Iterable[str], source: str) -> list[str]:
    """The gitignore patterns of a setting.

    Raises:
        ConfigError: one of them is none.
    """
    checked = list(patterns)
    for pattern in checked:
        fault = fault_in(pattern)
        if fault is not None:
            raise ConfigError(f"{source}: {key}: {pattern!r} is no gitignore pattern: {fault}")
    return checked


def _table(path: str, *, cache: bool) -> dict[str, Any] | None:
    """Return the table [tool.shapecheck] of a TOML file, or None when there is no such file or table.

    Most files do not mention it. Where they do, tomllib costs half as much as checking a small module, so the table is
    kept where results are: if there is such a place already.
    """
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError:
        return None
    if b"shapecheck" not in content:
        return None
    directory = os.path.join(os.path.dirname(path), DIRECTORY)
    if not cache or not os.path.isdir(directory):
        return _parsed(path, content)
    from shapecheck.records import digest, read_record, write_record

    kept, head = os.path.join(directory, "settings"), b"shapecheck settings 1\n" + digest(content)
    known = read_record(kept, head)
    if known is None:
        known = (_parsed(path, content),)
        write_record(kept, head, known)
    table: dict[str, Any] | None = known[0]
    return table


def _parsed(path: str, content: bytes) -> dict[str, Any] | None:
    import tomllib

    try:
        document = tomllib.loads(content.decode())
    except UnicodeDecodeError as error:
        row = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path} is not UTF-8: byte 0x{content[error.start]:02x} in line {row}") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not TOML: {error}") from error
    tool = document.get("tool")
    table = tool.get("shapecheck") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise ConfigError(f"{path}: tool.shapecheck must be a table")
    return table


def _path(table: Mapping[str, Any], key: str, source: str, kind: str) -> str | None:
    """The absolute path that a setting names, relative to the directory of the settings; None if it names none."""
    value = table.get(key)
    if value is None:
        return None
    if not isinstance(value, str):
        raise ConfigError(f"{source}: {key} must be a string, the path of a {kind}")
    return os.path.join(os.path.dirname(os.path.abspath(source)), value)


def _strings(table: Mapping[str, Any], key: str, source: str) -> list[str]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigError(f"{source}: {key} must be a list of strings")
    return value


def _nearest(key: str, known: Sequence[str]) -> str:
    import difflib

    near = difflib.get_close_matches(key, known, n=1)
    return f"; did you mean {near[0]}?" if near else f"; there are {', '.join(known)}"
