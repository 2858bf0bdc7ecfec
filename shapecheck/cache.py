"""What earlier runs found, kept on disk, and used again where nothing that it rests on has changed.

A finding rests on the content of its file, on that of every file which this one reads in the project, directly or
through others, on where the names of modules lead (a file that appears may take the place of another), and on the
checker itself. Suppressions, per-file ignores and the baseline are applied afterwards, to old findings as to new ones.
There is one record for each working directory, set of paths and choice of rules, written whole, so that runs at the
same time cannot mix theirs up. What cannot be read, written or understood is as good as not there.
"""

from __future__ import annotations

import os
import sys

from shapecheck.diagnostics.suppressions import MARK
from shapecheck.records import DIGEST, digest, read_record, write_record
from shapecheck.static.locations import Locations, search_roots
from shapecheck.static.report import Reads, Report
from shapecheck.static.transport import packed, unpacked
from shapecheck.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from shapecheck.config import Settings

FORMAT = b"shapecheck cache 1\n"


def check_with_cache(
    files: Sequence[str],
    settings: Settings,
    directory: str,
    paths: Iterable[str],
    told: Callable[[int, int], None] | None = None,
) -> tuple[Report, set[str]]:
    """Check files, those anew of which nothing is known that still holds.

    Args:
        files: what to check.
        settings: how many processes check.
        directory: where records are kept.
        paths: what the command line named; runs that name the same share a record.
        told: takes how many pieces of all are done.

    Returns:
        What was found, and files that are known to hold no suppression comment.
    """
    record = _Record(directory, paths, settings)
    record.read()
    missing = [file for file in files if file not in record.results]
    found: dict[str, Report] = {}
    if missing:
        from shapecheck.parallel import check_each_in_parallel

        reports, reads = check_each_in_parallel(missing, settings, stamp, told)
        found = dict(zip(missing, reports, strict=True))
        if record.take(found, reads):
            record.write(file for file in files if file not in found or not found[file].internal)
    whole = Report()
    for file in files:
        whole.add(found[file] if file in found else unpacked(record.results[file]))
    return whole, {file for file, seen in record.reads.stamps.items() if seen is not None and not seen[-1]}


def stamp(content: bytes) -> bytes:
    """What the content of a file is recognised by; the last byte tells whether it may hold a suppression comment."""
    return digest(content) + (b"\1" if MARK.encode() in content else b"\0")


class _Record:
    """What is known of one set of paths: findings by file, and what all of them rest on."""

    def __init__(self, directory: str, paths: Iterable[str], settings: Settings) -> None:
        # Those of the settings that the checks depend on; per-file ignores and the baseline come afterwards.
        chosen = sorted(settings.axes.items()), sorted(settings.codes)
        place = repr((os.getcwd(), sys.version, list(map(os.path.abspath, paths)), chosen))
        self.path = os.path.join(directory, digest(place.encode(errors="surrogateescape")).hex())
        self.head = FORMAT + _checker()
        self.reads = Reads({}, {}, {}, {}, None)
        self.results: dict[str, Any] = {}

    def read(self) -> None:
        """Take what was written earlier and still holds."""
        kept = read_record(self.path, self.head)
        if kept is None:
            return
        stamps, asked, answers, roots, plugins, results = kept
        loaded = None if plugins is None else [path for path, _ in plugins[1]]
        if loaded is not None and plugins != _plugins(loaded):
            return
        self.reads, self.results = Reads(stamps, asked, answers, roots, loaded), results
        changed = _changed(self.reads)
        if changed:
            self._drop(changed)

    def _drop(self, changed: set[str]) -> None:
        reads = self.reads
        for path in changed:
            self.results.pop(path, None)
            reads.stamps.pop(path, None)
            reads.asked.pop(path, None)
        needed = {question for questions in reads.asked.values() for question in questions}
        reads.answers = {question: answer for question, answer in reads.answers.items() if question in needed}
        folders = set(map(os.path.dirname, reads.asked))
        reads.roots = {folder: roots for folder, roots in reads.roots.items() if folder in folders}

    def take(self, found: dict[str, Report], reads: list[Reads]) -> bool:
        """Take new findings; False if files were edited meanwhile, so that no one state has led to all of them."""
        for each in reads:
            if not self.reads.agrees(each):
                return False
            self.reads.add(each)
        self.results.update((file, packed(report)) for file, report in found.items())
        return True

    def write(self, files: Iterable[str]) -> None:
        """Write down the findings of these files, and what they rest on, if that can be written."""
        results = {file: self.results[file] for file in files}
        reads = self.reads
        kept = _reached(reads, results)
        asked = {path: reads.asked[path] for path in kept if path in reads.asked}
        answers = {question: reads.answers[question] for questions in asked.values() for question in questions}
        folders = set(map(os.path.dirname, asked))
        roots = {folder: roots for folder, roots in reads.roots.items() if folder in folders}
        plugins = None if reads.plugins is None else _plugins(reads.plugins)
        if plugins is not None and any(status is None for part in plugins for _, status in part):
            # A plugin that failed, or is gone: whatever is tried next, it is not this.
            return
        stamps = {path: reads.stamps[path] for path in kept}
        write_record(self.path, self.head, (stamps, asked, answers, roots, plugins, results))


def _checker() -> bytes:
    """What the checker that is running is recognised by: its sources, which need not be those of a release."""
    package = os.path.dirname(os.path.abspath(__file__))
    installed = os.path.join(os.path.dirname(package), f"torch_shapecheck-{__version__}.dist-info", "RECORD")
    try:
        with open(installed, "rb") as file:
            # It lists the digest of every file.
            return digest(file.read())
    except OSError:
        pass
    seen: list[tuple[str, int, int]] = []
    folders = [package] if os.path.isdir(package) else []
    for folder in folders:
        with os.scandir(folder) as scan:
            for entry in scan:
                if entry.name.endswith(".py"):
                    status = entry.stat()
                    seen.append((entry.path, status.st_size, status.st_mtime_ns))
                elif "." not in entry.name and entry.name != "__pycache__":
                    folders.append(entry.path)
    return digest(repr(sorted(seen)).encode(errors="surrogateescape"))


def _plugins(files: Iterable[str]) -> Any:
    """What rules of other distributions are recognised by: those that promise some, and the files that were loaded."""
    from shapecheck.entry_points import promising

    promised = [os.path.join(directory, "entry_points.txt") for directory in promising()]
    return [(path, _status(path)) for path in promised], [(path, _status(path)) for path in files]


def _status(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns


def _changed(reads: Reads) -> set[str]:
    """The files whose findings may be others now: they, what they looked for or what they read in turn has changed."""
    locations = Locations()
    elsewhere = {question for question, answer in reads.answers.items() if locations.answer(question) != answer}
    moved = {folder for folder, roots in reads.roots.items() if search_roots(folder) != roots}
    changed = {path for path, known in reads.stamps.items() if not _holds(path, known)}
    if elsewhere or moved:
        for path, questions in reads.asked.items():
            if os.path.dirname(path) in moved or not elsewhere.isdisjoint(questions):
                changed.add(path)
    if not changed:
        return changed
    importers: dict[str, list[str]] = {}
    for path, questions in reads.asked.items():
        for question in questions:
            answer = reads.answers[question]
            if answer is not None:
                importers.setdefault(answer, []).append(path)
    waiting = list(changed)
    while waiting:
        for path in importers.get(waiting.pop(), ()):
            if path not in changed:
                changed.add(path)
                waiting.append(path)
    return changed


def _holds(path: str, known: bytes | None) -> bool:
    """Whether a file has the content that is known; of one that could not be read, nothing is."""
    if known is None:
        return False
    try:
        with open(path, "rb") as file:
            return digest(file.read()) == known[:DIGEST]
    except OSError:
        return False


def _reached(reads: Reads, files: Iterable[str]) -> set[str]:
    """The files that some files rest on, they included."""
    reached = set(files)
    waiting = list(reached)
    while waiting:
        for question in reads.asked.get(waiting.pop(), ()):
            answer = reads.answers[question]
            if answer is not None and answer not in reached:
                reached.add(answer)
                waiting.append(answer)
    return reached
