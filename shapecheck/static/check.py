"""Checking files: which functions are interpreted, with which parameters, and what comes out."""

from __future__ import annotations

import ast

from shapecheck.annotations import InvalidHint, parse_annotation, walk
from shapecheck.diagnostics.model import Diagnostic
from shapecheck.ops import load
from shapecheck.ops.plugins import plugin_files
from shapecheck.static.analysis import Analyst
from shapecheck.static.bindings import unbound_expressions, unbound_results
from shapecheck.static.classes import ClassIndex, class_of
from shapecheck.static.index import ModuleIndex, Project
from shapecheck.static.loosen import loosened
from shapecheck.static.report import Reads, Report
from shapecheck.static.signature import annotated_locals, signature_of
from shapecheck.static.two_orders import Orders
from shapecheck.static.values import FunctionValue
from shapecheck.static.walk import statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Protocol

    from shapecheck.rules.vocabulary import Vocabulary
    from shapecheck.static.index import Function
    from shapecheck.static.interpreter import Interpreter

    class Config(Protocol):
        """What of the settings the checks themselves depend on."""

        axes: Vocabulary
        codes: frozenset[str]

MARKS = ("jaxtyping", "torchtyping", "Float[", "Int[", "Bool[", "Shaped[")
"""A file without any of these has no annotations to check."""


def check_files(
    paths: Iterable[str], config: Config | None = None, contents: Mapping[str, bytes] | None = None
) -> Report:
    """Check files; what they import from the project is read as far as it is needed.

    Args:
        paths: the files.
        config: the settings in force.
        contents: what stands for some of them instead of what lies on the disk.
    """
    whole = Report()
    for report in check_parts(Project(contents=contents), [Part(path) for path in paths], config)[0]:
        whole.add(report)
    return whole


def check_each(
    paths: Iterable[str], config: Config | None = None, stamp: Callable[[bytes], bytes] | None = None
) -> tuple[list[Report], Reads]:
    """Check files, each with a report of its own, and tell what all of them rest on.

    Args:
        paths: the files.
        config: the settings in force.
        stamp: makes of the content of a file what it is recognised by; without it no files are told.
    """
    return check_parts(Project(stamp), [Part(path) for path in paths], config)


class Part:
    """What begins at the top level of a file between two rows, `end` not included; by default all of it."""

    __slots__ = ("end", "path", "start")

    def __init__(self, path: str, start: int = 0, end: int | None = None) -> None:
        self.path = path
        self.start = start
        self.end = end


def check_parts(
    project: Project, parts: Sequence[Part], config: Config | None = None
) -> tuple[list[Report], Reads]:
    """Check parts of files, each with a report of its own, and tell what all of them rest on.

    Args:
        project: the files read so far.
        parts: what to check; a file that is checked in parts is counted with the first.
        config: the settings in force.
    """
    load()
    reports = []
    for part in parts:
        report = Report()
        index = project.load(part.path)
        report.statistics.files = int(part.start == 0)
        if not isinstance(index, Diagnostic):
            _check_index(project, index, report, config, part)
        elif part.start == 0:
            report.diagnostics.append(index)
        reports.append(report)
    locations = project.locations
    reads = Reads(project.stamps, project.asked(), locations.answers, locations.roots, plugin_files())
    return reports, reads


def check_source(
    text: str, filename: str = "<source>", others: dict[str, str] | None = None, config: Config | None = None
) -> Report:
    """Check a text as if it were a file; ``others`` are files it may import, by their names."""
    load()
    project = Project()
    report = Report()
    for name, content in (others or {}).items():
        project.load_text(name, content)
    index = project.load_text(filename, text)
    report.statistics.files = 1
    if isinstance(index, Diagnostic):
        report.diagnostics.append(index)
    else:
        _check_index(project, index, report, config)
    return report


def _check_index(
    project: Project, index: ModuleIndex, report: Report, config: Config | None, part: Part | None = None
) -> None:
    text = index.source.text
    if not any(mark in text for mark in MARKS) and not _may_have_annotations(index):
        return
    Checker(project, index, report, config).run(part)


def _may_have_annotations(index: ModuleIndex) -> bool:
    """Annotations by names from elsewhere: `from .typing import Float`, `x: Image`."""
    return bool(index.stars) or any("[" in line and '"' in line for line in index.source.lines)


class Checker(Analyst):
    """The functions of one file, one after another."""

    def __init__(
        self,
        project: Project,
        index: ModuleIndex,
        report: Report,
        config: Config | None,
        interpreter: Interpreter | None = None,
    ) -> None:
        super().__init__(project, index, report, interpreter)
        if config is not None:
            self.interpreter.codes = config.codes
            self.interpreter.vocabulary = config.axes
        self.orders = Orders(self.interpreter.vocabulary)

    def run(self, part: Part | None = None) -> None:
        """Check every function and class of the file, or of a part of it."""
        source = self.index.source
        whole = part is None or (part.start == 0 and part.end is None)
        self._check_body(source.tree.body if part is None or whole else source.body(part.start, part.end), "")
        found = self.interpreter
        statistics = self.report.statistics
        statistics.known_expressions += found.known_expressions
        statistics.tensor_expressions += found.tensor_expressions
        for why, count in found.reasons.items():
            statistics.reasons[why] = statistics.reasons.get(why, 0) + count
        self.report.diagnostics += found.findings

    def _check_body(self, body: list[ast.stmt], prefix: str) -> None:
        for statement in statements(body):
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self._check_function(FunctionValue(statement, self.index, f"{prefix}{statement.name}"), None)
            elif isinstance(statement, ast.ClassDef):
                self._check_class(class_of(statement, self.index), prefix)

    def _check_class(self, cls: ClassIndex, prefix: str) -> None:
        name = f"{prefix}{cls.name}"
        for field in cls.fields.values():
            hint = parse_annotation(field.annotation, cls.index)
            self.interpreter.root = name
            for part in walk(hint):
                if isinstance(part, InvalidHint):
                    self.interpreter.report_invalid_hint(cls.index, part)
        for method in cls.methods.values():
            if method.name == "__init__":
                if self._has_shapes(method) or any(self._has_shapes(other) for other in cls.methods.values()):
                    self.instance(cls, name, count=self._has_shapes(method))
                continue
            function = FunctionValue(method, cls.index, f"{name}.{method.name}", owner=cls)
            self._check_function(function, cls)
        for nested in cls.nested.values():
            self._check_class(class_of(nested, cls.index), f"{name}.")

    def _has_shapes(self, node: Function) -> bool:
        return signature_of(node, self.index).arrays or annotated_locals(node, self.index)

    def _check_function(self, function: FunctionValue, cls: ClassIndex | None) -> None:
        node = function.node
        if isinstance(node, ast.Lambda):
            return
        signature = signature_of(node, self.index)
        if not signature.arrays and not signature.invalid and not annotated_locals(node, self.index):
            return
        self.interpreter.root = function.name
        if signature.has("overload"):
            # One of several declarations of a function that is counted where its body stands.
            for hint in signature.invalid:
                self.interpreter.report_invalid_hint(self.index, hint)
            return
        self.report.statistics.annotated_functions += 1
        if signature.is_left_out:
            self.report.statistics.left_out += 1
            return
        for hint in signature.invalid:
            self.interpreter.report_invalid_hint(self.index, hint)
        for unbound in unbound_expressions(signature, cls):
            self.interpreter.report_unbound(self.index, unbound)
        if self.interpreter.wants("SC102"):
            for array, axis in unbound_results(signature, cls):
                self.interpreter.report_unbound_result(self.index, array, axis)
        if self.interpreter.wants("SC313"):
            for array, first, where in self.orders.others(signature, function.name):
                self.interpreter.report_two_orders(self.index, array, first, where)
        self.guard(function.name, lambda: self.analyse(function, signature, cls))
        pending, self.interpreter.pending = self.interpreter.pending, []
        for nested in pending:
            nested.name = f"{function.name}.{nested.name}"
            nested.closure = loosened(nested.closure or {})
            self._check_function(nested, None)
