"""From what the checker reports to what the user sees: selection, suppressions and baseline, in this one place."""

from __future__ import annotations

from shapecheck.diagnostics.encoding import EncodingError, decoded
from shapecheck.diagnostics.model import Diagnostic, Note, Place, source_lines
from shapecheck.diagnostics.suppressions import MARK, apply_suppressions
from shapecheck.discovery import display_name
from shapecheck.rules.catalogue import codes_matching

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from shapecheck.config import Settings
    from shapecheck.diagnostics.baseline import Baseline


class Sources:
    """Reads source files once; a file that cannot be read or decoded has no lines.

    Args:
        contents: what stands for some files instead of what lies on the disk.
    """

    __slots__ = ("_contents", "_lines")

    def __init__(self, contents: Mapping[str, bytes] | None = None) -> None:
        self._contents = contents or {}
        self._lines: dict[str, list[str]] = {}

    def lines(self, filename: str) -> list[str]:
        """Return the lines of a file without their ends."""
        lines = self._lines.get(filename)
        if lines is None:
            lines = self._lines[filename] = source_lines(_text(self._content(filename)))
        return lines

    def marked(self, filenames: Iterable[str]) -> dict[str, str]:
        """Return the text of those files that contain a suppression comment."""
        mark = MARK.encode()
        contents = ((filename, self._content(filename)) for filename in filenames)
        return {filename: _text(content) for filename, content in contents if mark in content}

    def _content(self, filename: str) -> bytes:
        """The bytes of a file; none if it cannot be read, which the checker reports as SC001."""
        known = self._contents.get(filename)
        if known is not None:
            return known
        try:
            with open(filename, "rb") as file:
                return file.read()
        except OSError:
            return b""


class Findings:
    """What stands after filtering, in order, and how much was filtered by what."""

    __slots__ = ("baselined", "diagnostics", "repaired", "silenced", "sources")

    def __init__(
        self, diagnostics: list[Diagnostic], silenced: int, baselined: int, repaired: int, sources: Sources
    ) -> None:
        self.diagnostics = diagnostics
        self.silenced = silenced
        self.baselined = baselined
        self.repaired = repaired
        self.sources = sources

    @property
    def failing(self) -> bool:
        """Whether anything but notes stands."""
        return any(diagnostic.severity != "note" for diagnostic in self.diagnostics)


def filter_findings(
    diagnostics: Iterable[Diagnostic],
    filenames: Sequence[str],
    settings: Settings,
    baseline: Baseline | None = None,
    unmarked: Container[str] = (),
    contents: Mapping[str, bytes] | None = None,
) -> Findings:
    """Keep the findings that are selected, not silenced by a comment and not in the baseline.

    Args:
        diagnostics: everything the checker reported.
        filenames: all the files that were checked, so that suppressions of no use are found in clean files too.
        settings: which codes are active where.
        baseline: known findings; they are counted off.
        unmarked: files that are known to hold no suppression comment; they are not read again.
        contents: what stands for some files instead of what lies on the disk.
    """
    sources = Sources(contents)
    # A fault in a helper is found again through every file that calls it; the first call is told.
    first: dict[tuple[str, Place], Diagnostic] = {}
    for shown in map(_displayed, diagnostics):
        if shown.code in settings.active(shown.place.filename):
            first.setdefault((shown.code, shown.place), shown)
    selected = list(first.values())
    names = dict.fromkeys((*filenames, *(shown.place.filename for shown in selected)))
    texts = sources.marked(name for name in names if name not in unmarked)
    standing, silenced = apply_suppressions(selected, texts, codes_matching, settings.active)
    standing.sort(key=lambda diagnostic: diagnostic.sort_key)
    baselined = repaired = 0
    if baseline is not None:
        fresh = [
            diagnostic
            for diagnostic in standing
            if diagnostic.severity == "note" or not baseline.passes(diagnostic, sources.lines)
        ]
        baselined, repaired = len(standing) - len(fresh), baseline.unmatched
        standing = fresh
    return Findings(standing, len(silenced), baselined, repaired, sources)


def unreadable(path: str, reason: str) -> Diagnostic:
    """Return the diagnostic for a file or directory that cannot be read."""
    return Diagnostic("SC001", "error", f"cannot be read: {reason}", Place(path, 1, 1, 1, 1))


def _text(content: bytes) -> str:
    """The text of a Python file, its lines ended by line feeds; empty if it cannot be decoded."""
    try:
        return decoded(content).replace("\r\n", "\n").replace("\r", "\n")
    except EncodingError:
        # The checker reports such a file as SC001; here it only has no text to show.
        return ""


def _displayed(diagnostic: Diagnostic) -> Diagnostic:
    """Return the diagnostic with filenames relative to the working directory."""
    place = _relative(diagnostic.place)
    notes = tuple(
        note if note.place is None else Note(note.message, _relative(note.place), note.call)
        for note in diagnostic.notes
    )
    if place is diagnostic.place and notes == diagnostic.notes:
        return diagnostic
    return diagnostic.replace(place=place, notes=notes)


def _relative(place: Place) -> Place:
    filename = display_name(place.filename)
    return place if filename == place.filename else place.replace(filename=filename)
