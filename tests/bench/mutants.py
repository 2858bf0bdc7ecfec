"""How many single mistakes the checker sees: `python -m tests.bench.mutants` edits public packages in one place each.

The packages are those of tests/corpus, fetched or taken from DIR of ``--unpacked DIR``. In every annotated function
each edit of `tests.bench.mutations` is a mutant; a seeded sample of ``--limit`` is checked, each as a whole file in one
process. A mutant is caught if the checker finds anything in its file that it does not find in the original.

What a mutant does is told apart from what the checker says:
- A function that can be run alone is run on torch, before and after, with a size of its own for every axis name
  (`tests.bench.isolated`): the mutant is *shape-changing* if it stops or returns what is not declared, *silent* if
  shapes are as declared and numbers differ. A mutant that computes the same is dropped, and so is one that returns
  another shape where no annotation says which.
- Any other is what its kind of edit does as a rule (`KINDS`), which is often wrong: axes may be equally long. These are
  counted apart. Dropped are those without a rule, and those of functions that declare no result, since what they
  change may never meet a declaration.

Recall is printed for functions of which the checker knows every tensor expression (``known``), and for all. Exit status
1 if that of the mutants seen in a run of known functions is below the targets.
"""

from __future__ import annotations

import argparse
import ast
import multiprocessing
import os
import random
import sys
import tempfile
import warnings
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shapecheck.config import Settings
from shapecheck.discovery import discover
from shapecheck.findings import filter_findings
from shapecheck.ops import load
from shapecheck.static.check import MARKS, Checker, Report
from shapecheck.static.index import ModuleIndex, Project
from shapecheck.static.signature import signature_of
from tests.bench.mutations import KINDS, Mutation, Source, mutations
from tests.corpus.__main__ import TABLE, fetch
from tests.corpus.table import read_table

if TYPE_CHECKING:
    from shapecheck.static.classes import ClassIndex
    from shapecheck.static.values import FunctionValue

TARGETS = {"shape": 0.85, "silent": 0.50}
DROPPED = ("equivalent", "undeclared", "untold")
LIMIT = 1000
CHUNK = 30
"""Mutants that one process makes from a file before it goes: every mutant leaves its trees behind."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One edit of one file and what became of it.

    Attributes:
        effect: a key of `TARGETS` or one of `DROPPED`.
        ran: whether the effect was seen in a run; otherwise it follows from the kind of edit.
        known: whether the checker knows the shape of every tensor expression of the function.
        codes: what was found beyond what the original has.
    """

    package: str
    file: str
    function: str
    mutation: Mutation
    effect: str
    ran: bool
    known: bool
    codes: tuple[str, ...]


class Watcher(Checker):
    """A check that also tells which functions it knows wholly, by the lines they start at."""

    def __init__(self, project: Project, index: ModuleIndex, report: Report) -> None:
        super().__init__(project, index, report, None)
        self.known: dict[int, bool] = {}

    def _check_function(self, function: FunctionValue, cls: ClassIndex | None) -> None:
        found, statistics = self.interpreter, self.report.statistics
        before = found.tensor_expressions, found.known_expressions, statistics.checked_functions
        super()._check_function(function, cls)
        total, known = found.tensor_expressions - before[0], found.known_expressions - before[1]
        self.known[function.node.lineno] = 0 < total == known and statistics.checked_functions > before[2]


def positions(tree: ast.Module, index: ModuleIndex) -> list[int]:
    """The annotated functions of a file, by their place among all functions."""
    return [
        place
        for place, (node, _) in enumerate(functions(tree))
        if signature_of(node, index).arrays and not signature_of(node, index).is_left_out
    ]


def functions(tree: ast.Module) -> list[tuple[ast.FunctionDef, ast.ClassDef | None]]:
    """Every function of a file, with the class whose method it is."""
    owners = {id(child): node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for child in node.body}
    return [(node, owners.get(id(node))) for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def findings(index: ModuleIndex, project: Project) -> tuple[Counter[tuple[str, str]], Watcher]:
    """What the default rules say about a file, wherever it stands, and the check."""
    report = Report()
    watcher = Watcher(project, index, report)
    watcher.run()
    settings = Settings(os.path.dirname(index.path))
    kept = filter_findings(report.diagnostics, [], settings).diagnostics
    return Counter([(found.code, found.message) for found in kept if found.severity != "note"]), watcher


def check_mutants(task: tuple[str, str, list[tuple[int, int]]]) -> list[Mutant]:
    """Make and check some mutants of one file: pairs of a function's place and the edit's place in it."""
    from tests.bench.isolated import Isolated, NotRunnableError

    package, path, wanted = task
    load()
    warnings.simplefilter("ignore")  # what foreign code warns of, sizes apart, is not looked at
    project = Project()
    with open(path, "rb") as file:
        content = file.read()
    index = project.load(path)
    assert isinstance(index, ModuleIndex)
    source = Source(content)
    original, watcher = findings(index, project)
    before = functions(index.source.tree)
    isolated: dict[int, Isolated | None] = {}
    made = []
    for place, number in wanted:
        function, owner = before[place]
        if place not in isolated:
            try:
                isolated[place] = Isolated(index, function, owner)
            except NotRunnableError:
                isolated[place] = None
        mutation = mutations(function, source)[number]
        mutated = project.load_text(path, mutation.apply(content))
        if not isinstance(mutated, ModuleIndex):
            continue
        runner, effect = isolated[place], KINDS[mutation.kind] or "untold"
        if runner is None and not signature_of(function, index).declares_result:
            effect = "undeclared"
        if runner is not None:
            effect = runner.verdict(
                mutated, *functions(mutated.source.tree)[place], hints=mutation.kind == "annotation-order"
            )
        codes: tuple[str, ...] = ()
        if effect in TARGETS:
            found, _ = findings(mutated, project)
            codes = tuple(sorted(code for code, _ in (found - original).elements()))
        name = function.name if owner is None else f"{owner.name}.{function.name}"
        known = watcher.known.get(function.lineno, False)
        made.append(Mutant(package, path, name, mutation, effect, runner is not None, known, codes))
    return made


def sites(path: str) -> list[tuple[int, int]]:
    """Every mutant of a file."""
    project = Project()
    index = project.load(path)
    if not isinstance(index, ModuleIndex) or not any(mark in index.source.text for mark in MARKS):
        return []
    with open(path, "rb") as file:
        source = Source(file.read())
    nodes = functions(index.source.tree)
    return [
        (place, number)
        for place in positions(index.source.tree, index)
        for number in range(len(mutations(nodes[place][0], source)))
    ]


def sample(packages: dict[str, str], limit: int, seed: int) -> list[tuple[str, str, list[tuple[int, int]]]]:
    """The mutants to make, in tasks; every package has the same share as far as it has so many."""
    tasks = []
    for package, directory in sorted(packages.items()):
        files = discover([directory], Settings(directory)).files
        every = [(path, site) for path in sorted(files) for site in sites(path)]
        chosen = random.Random(f"{seed} {package}").sample(every, min(limit // len(packages) or 1, len(every)))
        by_file: dict[str, list[tuple[int, int]]] = {}
        for path, site in sorted(every if not limit else chosen):
            by_file.setdefault(path, []).append(site)
        for path, found in by_file.items():
            tasks += [(package, path, found[start : start + CHUNK]) for start in range(0, len(found), CHUNK)]
    return tasks


def recall(mutants: list[Mutant]) -> str:
    """Caught of all, as printed."""
    caught = sum(bool(one.codes) for one in mutants)
    return f"{caught:>5}/{len(mutants):<5}{f'{100 * caught / len(mutants):5.1f} %' if mutants else '':8}"


def table(title: str, groups: dict[str, list[Mutant]]) -> None:
    """One line for each group: shape-changing and silent mutants, in known functions and in all."""
    print(f"\n{title:22}{'shape, known':>19}{'shape, all':>19}{'silent, known':>19}{'silent, all':>19}")
    for name, group in groups.items():
        columns = [
            recall([one for one in group if one.effect == effect and (one.known or not known)])
            for effect in TARGETS
            for known in (True, False)
        ]
        print(f"{name:22}" + "".join(f"{column:>19}" for column in columns))


def main(arguments: list[str] | None = None) -> int:
    """Print the tables; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.mutants", description=__doc__.split("\n", 1)[0])
    parser.add_argument("package", nargs="*", help="edit only these")
    parser.add_argument("--unpacked", metavar="DIR", help="take packages from here instead of fetching them")
    parser.add_argument("--limit", type=int, default=LIMIT, metavar="N", help="mutants in all; 0 for every one")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="which mutants are drawn")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes")
    parser.add_argument("--misses", action="store_true", help="print what was not caught in known functions")
    options = parser.parse_args(arguments)
    pinned = read_table(TABLE).packages
    wanted = options.package or list(pinned)
    if unknown := set(wanted) - set(pinned):
        parser.error(f"not in {TABLE}: {', '.join(sorted(unknown))}")
    with tempfile.TemporaryDirectory() as scratch:
        directories = {
            package: os.path.abspath(
                os.path.join(options.unpacked, package)
                if options.unpacked
                else fetch(package, pinned[package], scratch)
            )
            for package in wanted
        }
        tasks = sample(directories, options.limit, options.seed)
        with multiprocessing.get_context("spawn").Pool(options.jobs, maxtasksperchild=4) as pool:
            made = [mutant for some in pool.map(check_mutants, tasks, chunksize=1) for mutant in some]
    counted = [one for one in made if one.effect in TARGETS]
    print(
        f"{len(made)} mutants, effect seen in a run: {sum(one.ran for one in made)}; dropped: "
        + ", ".join(f"{sum(one.effect == effect for one in made)} {effect}" for effect in DROPPED)
    )
    seen = [one for one in counted if one.ran]
    table("kind, run", {kind: [one for one in seen if one.mutation.kind == kind] for kind in sorted(KINDS)})
    table("package, run", {package: [one for one in seen if one.package == package] for package in wanted})
    table("how the effect is told", {name: [one for one in counted if one.ran == ran]
                                     for name, ran in (("by a run", True), ("by its kind", False))})  # fmt: skip
    for one in counted if options.misses else ():
        if one.known and not one.codes:
            told = "run" if one.ran else "kind"
            print(f"{one.effect} ({told}) {one.mutation.kind} {one.file}:{one.mutation.row} {one.function}")
            print(f"    {one.mutation.before[:200]}\n    {one.mutation.after[:200]}")
    kept = True
    for effect, target in TARGETS.items():
        group = [one for one in seen if one.effect == effect and one.known]
        reached = sum(bool(one.codes) for one in group) / len(group) if group else 1.0
        kept = kept and reached >= target
        print(f"{effect}, run, known functions: {reached:.1%} {'ok' if reached >= target else 'UNDER'} ({target:.0%})")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
