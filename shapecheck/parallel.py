"""Checking many files in several processes."""

from __future__ import annotations

import os

from shapecheck.static.check import check_each
from shapecheck.static.report import Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shapecheck.config import Settings
    from shapecheck.static.report import Reads

_BYTES_PER_PROCESS = 300_000
"""Less source than this is checked before another process has started."""


def check_in_parallel(files: Sequence[str], settings: Settings) -> Report:
    """Check files as `check_files` does, with as many processes as the settings say, or as pay off.

    The order of the findings does not depend on the number of processes.
    """
    whole = Report()
    for report in check_each_in_parallel(files, settings)[0]:
        whole.add(report)
    return whole


def check_each_in_parallel(
    files: Sequence[str], settings: Settings, stamp: Callable[[bytes], bytes] | None = None
) -> tuple[list[Report], list[Reads]]:
    """Check files as `check_each` does; each process tells what it has read.

    Each process gets a run of neighbouring files, because neighbours import each other.
    """
    sizes = [_size(file) for file in files]
    jobs = min(settings.jobs or _jobs_that_pay(sum(sizes)), len(files))
    if jobs <= 1:
        reports, reads = check_each(files, settings, stamp)
        return reports, [reads]
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    shares = _shares(files, sizes, jobs)
    with ProcessPoolExecutor(len(shares), get_context("fork" if _may_fork() else "spawn")) as pool:
        found = list(pool.map(check_each, shares, [settings] * len(shares), [stamp] * len(shares)))
    return [report for reports, _ in found for report in reports], [reads for _, reads in found]


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
