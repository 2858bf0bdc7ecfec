"""The checker on inputs that nobody would write: `python -m tests.bench.fuzz [DIRECTORY ...]`.

Each input goes the way of a file given to `shapecheck check`: read, interpreted, filtered, rendered. It counts as a
crash if an exception comes out, the checker notes an internal failure of its own, or the process dies; as a hang if it
takes longer than ``--limit``. What fails is printed with its number: `--only NUMBER` runs it again, and `--show` prints
its source.
Inputs are mutated pieces of the standard library, the project's examples and suites, and Python files of directories.
Exit status 1 when anything failed.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from shapecheck.config import Settings
from shapecheck.diagnostics.renderers import Context, renderer
from shapecheck.findings import filter_findings
from shapecheck.rules.catalogue import RULES, page
from shapecheck.static import check_files
from tests.static.fuzz_inputs import Input, make, pieces

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

BATCH = 100
FORMATS = ("full", "concise", "json", "github", "sarif", "junit")
MEMORY = 3 * 2**30
"""More than this, and an allocation fails: an input must not exhaust the machine."""


class TimeUpError(BaseException):
    """Not an `Exception`: the checker contains those."""


@dataclass
class Outcome:
    """What became of some inputs."""

    tried: int = 0
    functions: int = 0
    expressions: int = 0
    findings: int = 0
    unreadable: int = 0
    failures: list[tuple[int, str, str]] = field(default_factory=list)
    """Number, kind and what happened."""
    longest: tuple[float, int] = (0.0, 0)
    """Processor seconds, and the number of the input."""
    kinds: Counter[str] = field(default_factory=Counter)
    peak: int = 0

    def add(self, other: Outcome) -> None:
        """Count what became of others too."""
        self.tried += other.tried
        self.functions += other.functions
        self.expressions += other.expressions
        self.findings += other.findings
        self.unreadable += other.unreadable
        self.failures += other.failures
        self.longest = max(self.longest, other.longest)
        self.kinds += other.kinds
        self.peak = max(self.peak, other.peak)


def try_input(number: int, one: Input, limit: float, outcome: Outcome) -> None:
    """Check one input as a user's file is checked, and count what became of it."""

    def up(_signal: int, _frame: FrameType | None) -> None:
        raise TimeUpError

    with tempfile.TemporaryDirectory() as folder:
        for name, content in one.files.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
        path = os.path.join(folder, "mutant.py")
        outcome.tried += 1
        outcome.kinds[one.kind] += 1
        before = signal.signal(signal.SIGPROF, up)
        begun = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, limit)
        try:
            report = check_files([path])
            settings = Settings(folder)
            found = filter_findings(report.diagnostics, [path], settings)
            context = Context(RULES, found.sources.lines, page, "0")
            renderer(FORMATS[number % len(FORMATS)])(found.diagnostics, context)
        except TimeUpError:
            outcome.failures.append((number, one.kind, f"HANG: not done after {limit:g} s\n{traceback.format_exc()}"))
        except Exception:  # noqa: BLE001  whatever comes out is what is looked for
            outcome.failures.append((number, one.kind, f"CRASH\n{traceback.format_exc()}"))
        else:
            for note in report.internal:
                outcome.failures.append((number, one.kind, f"CRASH inside {note.function}\n{note.traceback}"))
            outcome.functions += report.statistics.annotated_functions
            outcome.expressions += report.statistics.tensor_expressions
            outcome.findings += len(found.diagnostics)
            outcome.unreadable += any(finding.code == "SC001" for finding in found.diagnostics)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before)
        outcome.longest = max(outcome.longest, (time.process_time() - begun, number))


def try_batch(numbers: range, seed: int, directories: tuple[str, ...], limit: float) -> Outcome:
    """Try some inputs in this process."""
    sources = pieces(directories)
    outcome = Outcome()
    for number in numbers:
        try_input(number, make(number, seed, sources), limit, outcome)
    outcome.peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return outcome


def _bounded() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def outcomes(count: int, seed: int, directories: tuple[str, ...], limit: float, jobs: int) -> Iterator[Outcome]:
    """Try all inputs in processes of their own, batch by batch."""
    batches = [range(start, min(start + BATCH, count)) for start in range(0, count, BATCH)]
    while batches:
        with ProcessPoolExecutor(jobs, initializer=_bounded) as pool:
            waiting = {pool.submit(try_batch, batch, seed, directories, limit): batch for batch in batches}
            died = []
            for future, batch in waiting.items():
                try:
                    yield future.result()
                except BrokenProcessPool:
                    died.append(batch)
        if not died:
            return
        # Which of those that were under way took the process down is found by giving each one a process.
        first, batches = died[:jobs], died[jobs:]
        for number in (number for batch in first for number in batch):
            with ProcessPoolExecutor(1, initializer=_bounded) as pool:
                try:
                    yield pool.submit(try_batch, range(number, number + 1), seed, directories, limit).result()
                except BrokenProcessPool:
                    yield Outcome(tried=1, failures=[(number, "", "CRASH: the process died")])


def show(number: int, seed: int, directories: tuple[str, ...]) -> None:
    """Print the files of an input."""
    for name, content in make(number, seed, pieces(directories)).files.items():
        print(f"# file: {name}")
        sys.stdout.flush()
        sys.stdout.buffer.write(content)


def main(arguments: list[str] | None = None) -> int:
    """Try the inputs and print what became of them; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.fuzz", description=__doc__.split("\n", 1)[0])
    parser.add_argument("directory", nargs="*", help="take pieces of the Python files below it too")
    parser.add_argument("--inputs", type=int, default=20_000, metavar="N", help="how many to try (20000)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="which ones (1)")
    parser.add_argument("--limit", type=float, default=10.0, metavar="S", help="processor seconds for one input (10)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="try this one alone")
    parser.add_argument("--show", action="store_true", help="with --only: print its source")
    options = parser.parse_args(arguments)
    directories = tuple(map(os.path.abspath, options.directory))
    begun = time.perf_counter()
    total = Outcome()
    if options.only is not None:
        if options.show:
            show(options.only, options.seed, directories)
        total.add(try_batch(range(options.only, options.only + 1), options.seed, directories, options.limit))
    else:
        for outcome in outcomes(options.inputs, options.seed, directories, options.limit, options.jobs):
            total.add(outcome)
            for number, kind, message in outcome.failures:
                print(f"input {number} ({kind}): {message}", flush=True)
    return _summary(total, time.perf_counter() - begun, options)


def _summary(total: Outcome, took: float, options: argparse.Namespace) -> int:
    hangs = sum(message.startswith("HANG") for _, _, message in total.failures)
    if options.only is not None:
        for number, kind, message in total.failures:
            print(f"input {number} ({kind}): {message}")
    print(f"inputs tried: {total.tried} of {len(total.kinds)} kinds (seed {options.seed}) in {took:.0f} s")
    print("  " + ", ".join(f"{count} {kind}" for kind, count in total.kinds.most_common()))
    print(
        f"reached: {total.functions} annotated functions, {total.expressions} tensor expressions, "
        f"{total.findings} findings, {total.unreadable} inputs that are no Python"
    )
    print(f"crashes: {len(total.failures) - hangs}")
    print(f"hangs: {hangs} (over {options.limit:g} s)")
    print(f"longest single file: {total.longest[0]:.2f} s (input {total.longest[1]})")
    print(f"peak of one process: {total.peak / 1024:.0f} MB")
    return int(bool(total.failures))


if __name__ == "__main__":
    sys.exit(main())
