"""Checking much code in several processes: many files, or one long one by parts."""

from __future__ import annotations

import os

from shapecheck.static.check import Part, check_each, check_parts
from shapecheck.static.index import Project
from shapecheck.static.pieces import cut
from shapecheck.static.report import Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from shapecheck.config import Settings
    from shapecheck.static.report import Reads

    Told: TypeAlias = Callable[[int, int], None]
    """Takes how many pieces of all are done, or taken."""

_WORTH_TWO = 100_000
"""Bytes of source: less is checked before a second process has begun to pay."""
_BYTES_PER_PROCESS = 300_000
"""Of more processes each reads again what its files import."""
_LEAST_PART = 10_000
"""Bytes of source that are taken at a time; only longer files are cut."""
_PIECES_EACH = 8
_MOST_PIECES = 150
"""Files that fill more than two thirds of a piece make half as many again, and a ticket is one byte."""


def check_in_parallel(files: Sequence[str], settings: Settings, told: Told | None = None) -> Report:
    """Check files as `check_files` does, with as many processes as the settings say, or as pay off.

    The order of the findings does not depend on the number of processes. `told` takes word of how far it is.
    """
    whole = Report()
    for report in check_each_in_parallel(files, settings, told=told)[0]:
        whole.add(report)
    return whole


def check_each_in_parallel(
    files: Sequence[str],
    settings: Settings,
    stamp: Callable[[bytes], bytes] | None = None,
    told: Told | None = None,
) -> tuple[list[Report], list[Reads]]:
    """Check files as `check_each` does; each process tells what it has read.

    Where copies of this process can go on, they take pieces in turns, and long files are cut. Others get a run of
    neighbouring files each, because neighbours import each other.
    """
    sizes = [_size(file) for file in files]
    jobs = settings.jobs or _jobs_that_pay(sum(sizes))
    if jobs <= 1 or not files:
        if told is None:
            reports, reads = check_each(files, settings, stamp)
            return reports, [reads]
        return _check_one_by_one(files, settings, stamp, told)
    if _may_fork():
        # SC313 compares all the functions of a file.
        least = sum(sizes) if "SC313" in settings.codes else _LEAST_PART
        return _check_pieces(files, pieces(files, sizes, jobs, least), jobs, settings, stamp, told)
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    runs = _runs(files, sizes, jobs)
    with ProcessPoolExecutor(len(runs), get_context("spawn")) as pool:
        found = list(pool.map(check_each, runs, [settings] * len(runs), [stamp] * len(runs)))
    return [report for reports, _ in found for report in reports], [reads for _, reads in found]


def _check_pieces(
    files: Sequence[str],
    queue: Sequence[Sequence[Part]],
    jobs: int,
    settings: Settings,
    stamp: Callable[[bytes], bytes] | None,
    told: Told | None,
) -> tuple[list[Report], list[Reads]]:
    """Check pieces in this process and copies of it, in turns; the reports of the parts of a file become one."""
    from shapecheck.forks import Queue, check_from

    project = Project(stamp)
    for piece in queue:
        if piece[0].end is not None:
            # Each process parses what it needs of it.
            project.load(piece[0].path, lazily=True)
    with Queue(queue, project, settings, min(jobs, len(queue)) - 1) as others:
        found, reads = check_from(others.tickets, queue, project, settings, told)
        all_reads = [reads]
        for theirs, read in others.results():
            found.update(theirs)
            all_reads.append(read)
    if project.torn or len(found) < len(queue):
        # Code in a string looked like definitions, or nothing does: a file that is not read by pieces tells.
        reports, reads = check_each(files, settings, stamp)
        return reports, [reads]
    merged: dict[str, Report] = {}
    for number, piece in enumerate(queue):
        for part, report in zip(piece, found[number], strict=True):
            if part.start:
                _without_the_known(report, merged[part.path])
                merged[part.path].add(report)
            else:
                merged[part.path] = report
    return [merged[file] for file in files], all_reads


def _check_one_by_one(
    files: Sequence[str], settings: Settings, stamp: Callable[[bytes], bytes] | None, told: Told
) -> tuple[list[Report], list[Reads]]:
    project = Project(stamp)
    found, reads = check_parts(project, (), settings)
    for number, file in enumerate(files, 1):
        reports, reads = check_parts(project, [Part(file)], settings)
        found += reports
        told(number, len(files))
    return found, [reads]


def _without_the_known(report: Report, earlier: Report) -> None:
    """Leave out what an earlier part of the file found at the same place, as a check of the whole file does.

    It is a fault in a function that both call; a suspicion about what an earlier part has proven is none.
    """
    places = {(found.code, found.place) for found in earlier.diagnostics}
    proven = {place for code, place in places if code.startswith("SC2") and code != "SC209"}
    report.diagnostics = [
        found
        for found in report.diagnostics
        if (found.code, found.place) not in places and not (found.code == "SC209" and found.place in proven)
    ]


def _jobs_that_pay(total: int) -> int:
    if total < _WORTH_TWO:
        return 1
    return min(_processors(), max(2, total // _BYTES_PER_PROCESS))


def _processors() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        # Not told by this system.
        return os.cpu_count() or 1


def _may_fork() -> bool:
    """Tell whether a copy of this process can go on. With one thread, as on the command line, it can."""
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:
        return False


def _size(file: str) -> int:
    try:
        return os.stat(file).st_size
    except OSError:
        # The checker says what is wrong with it.
        return 0


def pieces(files: Sequence[str], sizes: Sequence[int], jobs: int, least: int) -> list[list[Part]]:
    """Split files into pieces to be taken one by one: a few small files, or part of a long one.

    Nobody knows beforehand how long each takes, so there are several for each process.

    Args:
        files: what to check, in order.
        sizes: the bytes of each.
        jobs: how many processes take pieces.
        least: the bytes that a piece of several has at least.
    """
    total = sum(sizes)
    size_of_one = max(total // (jobs * _PIECES_EACH), -(-total // _MOST_PIECES), least, 1)
    found: list[list[Part]] = []
    open_size = size_of_one
    for file, size in zip(files, sizes, strict=True):
        count = size // size_of_one
        if count >= 2:
            rows = [0, *_rows_at(file, [size * number // count for number in range(1, count)])]
            ends = [*rows[1:], None]
            found += [[Part(file, start, end)] for start, end in zip(rows, ends, strict=True)]
            open_size = size_of_one
        elif not found or open_size + size / 2 > size_of_one:
            found.append([Part(file)])
            open_size = size
        else:
            found[-1].append(Part(file))
            open_size += size
    return found


def _rows_at(file: str, offsets: list[int]) -> list[int]:
    """The rows, from 1, at some places in a file, each of them once.

    Where the file is parsed by pieces, the row where the next of them begins.
    """
    try:
        with open(file, "rb") as stream:
            content = stream.read()
    except OSError:
        return []
    rows = sorted({content.count(b"\n", 0, offset) + 1 for offset in offsets} - {1})
    starts = [piece.start + 1 for piece in cut(content.decode(errors="replace"))]
    return sorted({next((start for start in starts if start >= row), row) for row in rows})


def _runs(files: Sequence[str], sizes: Sequence[int], jobs: int) -> list[list[str]]:
    """Split files into at most `jobs` runs of about the same number of bytes."""
    goal = sum(sizes) / jobs
    runs: list[list[str]] = [[]]
    taken = 0
    for file, size in zip(files, sizes, strict=True):
        if runs[-1] and taken + size / 2 > goal * len(runs) and len(runs) < jobs:
            runs.append([])
        runs[-1].append(file)
        taken += size
    return runs
