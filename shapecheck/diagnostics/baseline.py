"""A baseline: the findings an old code base starts with, which pass until their line changes.

A finding is recognised by file, rule, function and the text of its source line, and not by its row, so moving code
keeps it known. Wording is left out: a newer version may say the same in other words.
"""

from __future__ import annotations

from shapecheck.diagnostics.model import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from shapecheck.diagnostics.model import Diagnostic

    LinesOf = Callable[[str], Sequence[str]]

VERSION = 1


class BaselineError(ValueError):
    """The baseline file is missing, or is not one."""


class Entry(Record):
    """What a known finding is recognised by."""

    __slots__ = ("filename", "code", "function", "line")

    filename: str
    code: str
    function: str | None
    line: str

    def __init__(self, filename: str, code: str, function: str | None, line: str) -> None:
        for field, value in zip(self.__slots__, (filename, code, function, line), strict=True):
            object.__setattr__(self, field, value)


class Baseline:
    """Known findings with how often each occurs; `passes` uses them up."""

    __slots__ = ("_left", "directory")

    def __init__(self, directory: str, counts: dict[Entry, int]) -> None:
        self.directory = directory
        self._left = dict(counts)

    def passes(self, diagnostic: Diagnostic, lines_of: LinesOf) -> bool:
        """Tell whether a finding is known, and count it off."""
        entry = _entry(diagnostic, self.directory, lines_of)
        left = self._left.get(entry, 0)
        if not left:
            return False
        self._left[entry] = left - 1
        return True

    @property
    def unmatched(self) -> int:
        """How many known findings have not been met: they are repaired, or their line has changed."""
        return sum(self._left.values())


def read_baseline(path: str) -> Baseline:
    """Read a baseline file.

    Raises:
        BaselineError: the file cannot be read, or was not written by `write_baseline`.
    """
    import json
    import os

    try:
        with open(path, encoding="utf-8") as file:
            content = json.load(file)
    except OSError as error:
        raise BaselineError(f"cannot read the baseline {path}: {error.strerror}") from error
    except ValueError as error:
        raise BaselineError(f"the baseline {path} is not JSON: {error}") from error
    if not isinstance(content, dict) or content.get("version") != VERSION:
        raise BaselineError(f"{path} is not a baseline of version {VERSION}; write it anew with --write-baseline")
    counts: dict[Entry, int] = {}
    try:
        for item in content["findings"]:
            entry = Entry(item["filename"], item["code"], item["function"], item["line"])
            counts[entry] = counts.get(entry, 0) + int(item["count"])
    except (KeyError, TypeError, ValueError) as error:
        raise BaselineError(f"the baseline {path} has a damaged entry ({error!r})") from error
    return Baseline(os.path.dirname(os.path.abspath(path)), counts)


def write_baseline(path: str, diagnostics: Iterable[Diagnostic], lines_of: LinesOf) -> int:
    """Write the given findings as known, and return how many there are.

    Raises:
        BaselineError: the file cannot be written.
    """
    import json
    import os

    directory = os.path.dirname(os.path.abspath(path))
    counts: dict[Entry, int] = {}
    for diagnostic in diagnostics:
        entry = _entry(diagnostic, directory, lines_of)
        counts[entry] = counts.get(entry, 0) + 1
    findings = [
        {"filename": e.filename, "code": e.code, "function": e.function, "line": e.line, "count": count}
        for e, count in sorted(counts.items(), key=lambda pair: _order(pair[0]))
    ]
    try:
        # The name of a file may hold what is no text; the escape that is written then is one of JSON's.
        with open(path, "w", encoding="utf-8", errors="backslashreplace") as file:
            json.dump({"version": VERSION, "findings": findings}, file, indent=1, ensure_ascii=False)
            file.write("\n")
    except OSError as error:
        raise BaselineError(f"cannot write the baseline {path}: {error.strerror}") from error
    return sum(counts.values())


def _order(entry: Entry) -> tuple[str, str, str, str]:
    return entry.filename, entry.code, entry.function or "", entry.line


def _entry(diagnostic: Diagnostic, directory: str, lines_of: LinesOf) -> Entry:
    import os

    place = diagnostic.place
    lines = lines_of(place.filename)
    line = lines[place.row - 1].strip() if 0 < place.row <= len(lines) else ""
    relative = os.path.relpath(place.filename, directory).replace(os.sep, "/")
    return Entry(relative, diagnostic.code, diagnostic.function, line)
