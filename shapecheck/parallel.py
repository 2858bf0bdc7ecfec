"""Checking many files in several processes."""

from __future__ import annotations

import os

from shapecheck.static import Report, check_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapecheck.config import Settings

_BYTES_PER_PROCESS = 300_000
"""Less source than this is checked before another process has started."""


def check_in_parallel(files: Sequence[str], settings: Settings) -> Report:
    """Check files as `check_files` does, with as many processes as the settings say, or as pay off.

    Each process gets a run of neighbouring files, because neighbours import each other. The order of the findings does
    not depend on the number of processes.
    """
    sizes = [_size(file) for file in files]
    jobs = min(settings.jobs or _jobs_that_pay(sum(sizes)), len(files))
    if jobs <= 1:
        return check_files(files, settings)
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    shares = _shares(files, sizes, jobs)
    with ProcessPoolExecutor(len(shares), get_context("fork" if _may_fork() else "spawn")) as pool:
        reports = list(pool.map(check_files, shares, [settings] * len(shares)))
    return _merged(reports)


def _jobs_that_pay(total: int) -> int:
    if total < 2 * _BYTES_PER_PROCESS:
        return 1
    return min(os.cpu_count() or 1, total // _BYTES_PER_PROCESS)


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


def _shares(files: Sequence[str], sizes: list[int], jobs: int) -> list[list[str]]:
    """Split files into at most `jobs` runs of about the same number of bytes."""
    goal = sum(sizes) / jobs
    shares: list[list[str]] = [[]]
    taken = 0
    for file, size in zip(files, sizes, strict=True):
        if shares[-1] and taken + size / 2 > goal * len(shares) and len(shares) < jobs:
            shares.append([])
        shares[-1].append(file)
        taken += size
    return shares


def _merged(reports: Sequence[Report]) -> Report:
    whole = Report()
    total = whole.statistics
    for report in reports:
        whole.diagnostics += report.diagnostics
        whole.internal += report.internal
        part = report.statistics
        total.files += part.files
        total.annotated_functions += part.annotated_functions
        total.checked_functions += part.checked_functions
        total.partly_checked_functions += part.partly_checked_functions
        total.left_out += part.left_out
        total.known_expressions += part.known_expressions
        total.tensor_expressions += part.tensor_expressions
        for mine, other in (
            (total.reasons, part.reasons), (total.partly, part.partly), (total.unchecked, part.unchecked)
        ):
            for reason, count in other.items():
                mine[reason] = mine.get(reason, 0) + count
    return whole
