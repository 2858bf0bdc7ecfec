"""The checker on public packages: `python -m tests.corpus` fetches them, checks them and compares with the table.

The packages are pinned in triage.toml and fetched with pip into a temporary directory (or taken from DIR of
``--unpacked DIR``, which holds one directory for each package). For each are printed: all annotated functions, and how
far they were checked, with the reasons; the share of tensor expressions whose shape is known, and the most frequent
reasons for not knowing one; the findings with their verdicts. The last line sums up. Exit status 1 when a finding is
not in the table or is a known false alarm, when a share is below 80 %, or when the checker itself fails anywhere.
Nothing of the packages is run or kept.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from typing import TYPE_CHECKING

from shapecheck.config import Settings
from shapecheck.discovery import discover
from shapecheck.findings import filter_findings
from shapecheck.parallel import check_in_parallel
from tests.corpus.table import VERDICTS, Key, read_table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from shapecheck.diagnostics.model import Diagnostic
    from shapecheck.static import Report, Statistics
    from tests.corpus.table import Comparison, Table

LEAST_SHARE = 0.8
"""Of the tensor expressions of a package, those whose shape must be known."""

TABLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "triage.toml")


def fetch(package: str, version: str, directory: str) -> str:
    """Download one wheel, without what it depends on, and unpack it; the directory it is in."""
    wheels, unpacked = os.path.join(directory, "wheels", package), os.path.join(directory, package)
    pip = [sys.executable, "-m", "pip", "download", "-qq", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--only-binary", ":all:", "--dest", wheels, f"{package}=={version}"], check=True)
    for wheel in os.listdir(wheels):
        with zipfile.ZipFile(os.path.join(wheels, wheel)) as archive:
            archive.extractall(unpacked)
    return unpacked


def check(directory: str) -> tuple[Report, list[Diagnostic]]:
    """Check everything below a directory under the default rules; file names become relative to it."""
    before = os.getcwd()
    os.chdir(directory)
    try:
        settings = Settings(directory)
        files = discover(["."], settings).files
        report = check_in_parallel(files, settings)
        return report, filter_findings(report.diagnostics, files, settings, None).diagnostics
    finally:
        os.chdir(before)


def keys(package: str, diagnostics: Iterable[Diagnostic]) -> list[Key]:
    """What each finding is recognised by in the table."""
    return [
        Key(package, found.place.filename.replace(os.sep, "/"), found.place.row, found.code) for found in diagnostics
    ]


def describe(statistics: Statistics, reasons: int) -> str:
    """How far the functions were checked, and why not further."""
    partly, left_out = statistics.partly_checked_functions, statistics.left_out
    whole = statistics.checked_functions - partly
    not_checked = statistics.annotated_functions - statistics.checked_functions
    lines = [f"  annotated functions: {statistics.annotated_functions}", f"    checked: {whole}"]
    lines += [f"    checked in part: {partly}", *_most_frequent(statistics.partly, reasons)]
    lines += [f"    not checked: {not_checked}", *_most_frequent(statistics.unchecked, reasons)]
    if left_out:
        lines.append(f"      {left_out:>5}  marked to be left out")
    lines.append(
        f"  tensor expressions: {statistics.tensor_expressions}, of known shape {statistics.known_expressions} "
        f"({100 * share(statistics):.1f} %)"
    )
    return "\n".join([*lines, *_most_frequent(statistics.reasons, reasons)])


def share(statistics: Statistics) -> float:
    """The share of tensor expressions whose shape is known."""
    total = statistics.tensor_expressions
    return statistics.known_expressions / total if total else 1.0


def _most_frequent(reasons: Mapping[str, int], most: int) -> list[str]:
    ordered = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    lines = [f"      {count:>5}  {reason}" for reason, count in ordered[:most]]
    rest = sum(count for _, count in ordered[most:])
    return [*lines, f"      {rest:>5}  other reasons"] if rest else lines


def show_findings(table: Table, found: list[Key], diagnostics: list[Diagnostic], compared: Comparison) -> None:
    """Print each finding with its verdict, and the entries that were not found."""
    for key, diagnostic in zip(found, diagnostics, strict=True):
        verdict = "UNTRIAGED" if key in compared.untriaged else table.verdicts[key]
        print(f"  {verdict:<10} {key.file}:{key.line} {key.code} {diagnostic.message}")
    for key in compared.gone:
        print(f"  {'not found':<10} {key.file}:{key.line} {key.code} ({table.verdicts[key]})")


def main(arguments: list[str] | None = None) -> int:
    """Check the packages; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.corpus", description=__doc__.split("\n", 1)[0])
    parser.add_argument("package", nargs="*", help="check only these")
    parser.add_argument("--unpacked", metavar="DIR", help="take packages from here instead of fetching them")
    parser.add_argument("--reasons", type=int, default=10, metavar="N", help="how many reasons to print")
    options = parser.parse_args(arguments)
    table = read_table(TABLE)
    wanted = options.package or list(table.packages)
    if unknown := set(wanted) - set(table.packages):
        parser.error(f"not in {TABLE}: {', '.join(sorted(unknown))}")
    failing = False
    untriaged = false = internal = 0
    shares = {}
    with tempfile.TemporaryDirectory() as scratch:
        for package in wanted:
            version = table.packages[package]
            directory = os.path.abspath(
                os.path.join(options.unpacked, package) if options.unpacked else fetch(package, version, scratch)
            )
            start = time.perf_counter()
            report, diagnostics = check(directory)
            took = time.perf_counter() - start
            found = keys(package, diagnostics)
            compared = table.compare(package, found)
            shares[package] = share(report.statistics)
            failing |= compared.failing or bool(report.internal) or shares[package] < LEAST_SHARE
            untriaged += len(compared.untriaged)
            false += sum(key.code.startswith(("SC1", "SC2")) for key in compared.false)
            internal += len(report.internal)
            summary = ", ".join(f"{compared.verdicts[verdict]} {verdict}" for verdict in VERDICTS)
            print(f"{package} {version}: {report.statistics.files} files in {took:.1f} s")
            print(describe(report.statistics, options.reasons))
            print(f"  findings: {len(found)} ({summary}), untriaged lines: {len(compared.untriaged)}")
            show_findings(table, found, diagnostics, compared)
            for note in report.internal:
                print(f"  INTERNAL   {note.file} {note.function}: {note.message}")
            if report.internal:
                print(report.internal[0].traceback)
            print(flush=True)
    least = min(shares, key=shares.__getitem__)
    print(
        f"{len(shares)} packages: untriaged findings {untriaged}, false alarms among SC1xx and SC2xx {false}, internal "
        f"failures {internal}, least known share {100 * shares[least]:.1f} % ({least})"
    )
    return int(failing)


if __name__ == "__main__":
    raise SystemExit(main())
