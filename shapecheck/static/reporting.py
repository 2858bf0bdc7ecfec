"""What the interpreter finds is reported here: in whose words, at which place, and once."""

from __future__ import annotations

import ast

from shapecheck.annotations import ArrayHint, InvalidHint, walk
from shapecheck.diagnostics import wording
from shapecheck.diagnostics.model import Diagnostic, Note, Place, character_column, place_of
from shapecheck.diagnostics.speaker import Said, Speaker
from shapecheck.dims import Dim, Scope, Symbol
from shapecheck.rules.silent import is_a_batch, is_among, is_moved_batch
from shapecheck.shapes import AnyValue, Fault, Mismatch, Undecided, current
from shapecheck.static.batch_sizes import is_batch_size
from shapecheck.static.index import ModuleIndex, Project
from shapecheck.static.walk import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.annotations.hints import Hint
    from shapecheck.annotations.spec import AxisSpec
    from shapecheck.diagnostics.misfit import Misfit
    from shapecheck.rules.vocabulary import Vocabulary
    from shapecheck.static.bindings import Unbound
    from shapecheck.static.declare import Names
    from shapecheck.static.frame import Frame


class Postponed:
    """A finding that what follows decides about, with the statement at which it was made."""

    __slots__ = ("finding", "mismatch", "statement")

    def __init__(self, finding: Diagnostic, mismatch: Undecided, statement: ast.stmt | None) -> None:
        self.finding = finding
        self.mismatch = mismatch
        self.statement = statement


class Reporter:
    """Collects the findings of a run, each with the function and the statement at which it was made."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.findings: list[Diagnostic] = []
        self.postponed: list[Postponed] = []
        self.seen: set[tuple[str, str, int, int]] = set()
        self.silent = 0
        """Above zero while nothing is reported: a branch of a choice of modules."""
        self.codes: frozenset[str] | None = None
        """The rules that are wanted; None for all of them."""
        self.vocabulary: Vocabulary = {}
        """The spellings of one axis in different functions."""
        self.active: list[Frame] = []
        """The calls whose bodies are entered, waiting for the one that runs."""
        self.foreseen = 0
        """Above zero inside of ``try`` whose handlers go on after an error of torch: operands may fail to fit."""
        self.sure_only = False
        """Whether only faults count that no condition leads to: in a pass for one value of a flag, another flag's
        branch may be one that never runs together with it."""
        self.conditional = 0
        """Above zero in branches that may be taken or not."""
        self.added: tuple[ast.expr, ...] = ()
        """What is added to the term that is being evaluated, from the outermost sum inwards."""
        self.root = ""
        """The qualified name of the function under analysis."""
        self.statement: ast.stmt | None = None
        """The statement that is being executed."""
        self.causes: dict[tuple[str, Place], ast.stmt | None] = {}
        """The statement at which each finding was made."""

    @property
    def scope(self) -> Scope:
        """The facts in force."""
        return current().scope

    def wants(self, code: str) -> bool:
        """Whether a rule is on: asked by those that take time of their own."""
        return self.codes is None or code in self.codes

    def report_invalid(self, frame: Frame, hint: Hint) -> None:
        """Report every malformed shape string inside a hint."""
        for part in walk(hint):
            if isinstance(part, InvalidHint):
                self.report_invalid_hint(frame.index, part, evaluated=False)

    def report_invalid_hint(self, index: ModuleIndex, hint: InvalidHint, *, evaluated: bool = True) -> None:
        """Report one malformed shape string, at its faulty token, or an annotation without any.

        Args:
            index: the file.
            hint: the annotation.
            evaluated: whether Python evaluates it when the function or class is made; not that of a local variable.
        """
        if hint.place is None or (hint.place.path and hint.place.path != index.path):
            return
        if hint.error.end > hint.error.start:
            span = hint.place.locate(hint.error.start, hint.error.end)
        elif evaluated:
            span = hint.place.node_span
        else:
            # No shape string at all: `Float[Tensor, p, l + 1]` on a local variable is never evaluated.
            return
        place = self.span(index, span)
        self.add(Diagnostic("SC101", "error", wording.invalid_annotation(hint), place, self.root or None))

    def report_unbound(self, index: ModuleIndex, found: Unbound) -> None:
        """Report an expression in a shape string that cannot be evaluated at any call.

        Where it is clear which size is meant, it serves whoever reads it, and only those who ask are told.
        """
        code = "SC101" if found.why in {"nowhere", "braces"} else "SC104"
        if code == "SC104" and not self.wants(code):
            return
        if found.array.place is None or found.array.place.path != index.path:
            return
        axis = found.axis
        place = self.span(index, found.array.place.locate(axis.start, axis.end))
        message = wording.unbound_name(axis.text, found.name, found.why)
        self.add(Diagnostic(code, "error", message, place, self.root or None))

    def report_unbound_result(self, index: ModuleIndex, hint: ArrayHint, axis: AxisSpec) -> None:
        """Report an axis of a result that nothing binds and nothing checks."""
        if hint.place is None or hint.place.path != index.path:
            return
        place = self.span(index, hint.place.locate(axis.start, axis.end))
        self.add(Diagnostic("SC102", "warning", wording.unbound_result(axis.text), place, self.root or None))

    def report_narrowed(self, frame: Frame) -> None:
        """Report the axis names of a function that its code so far needs to be one number."""
        if frame.names is None or frame.depth or self.silent or not self.wants("SC103"):
            return
        own = {size.symbol for size in frame.names.bound.values() if isinstance(size, Dim)}
        for found in self.scope.solutions:
            if not found.narrowed or found.symbol not in own or found.value.constant is None:
                continue
            place = None if found.place is None else self._solution_place(found.place)
            if place is not None:
                message = wording.narrowed(found.symbol.name, found.value.constant)
                self.add(Diagnostic("SC103", "warning", message, place, self.root or None))

    def report_two_orders(self, index: ModuleIndex, hint: ArrayHint, first: ArrayHint, where: str) -> None:
        """Report an array whose axes another function of the file declares in another order."""
        if hint.place is None or hint.place.path != index.path:
            return
        spec = hint.spec.shape
        place = self.span(index, hint.place.locate(spec.axes[0].start, spec.axes[-1].end))
        message = wording.two_orders(spec.text, first.spec.shape.text, where)
        there = self._solution_place(first)
        notes = [] if there is None else [Note(wording.first_order(where), there)]
        self.add(Diagnostic("SC313", "warning", message, place, self.root or None, notes))

    def report(self, frame: Frame, node: ast.AST, mismatch: Mismatch, operation: str = "") -> None:
        """Report operands that do not fit."""
        if self.silent or self.foreseen:
            return
        if mismatch.kind is Fault.OUTER and self._is_meant(frame, mismatch):
            return
        if mismatch.kind is Fault.BATCH_WIDTH and not mismatch.detail and not is_batch_size(
            mismatch.left, self.declared_orders(frame), frame.owner
        ):
            return
        if mismatch.kind is Fault.BATCH_LEAK and mismatch.axis and not self._was_moved(frame, mismatch):
            return
        if mismatch.kind is Fault.BATCH_FIRST and not self._takes_the_batch(frame, mismatch):
            return
        found = wording.mismatch(mismatch, operation, self.speaker(frame))
        severity = "warning" if mismatch.kind.code.startswith("SC3") else "error"
        place = mismatch.place
        if isinstance(place, tuple) and place[0] is frame.index:
            node = place[1]
        finding = self._finding(frame, node, mismatch.kind.code, severity, found)
        if isinstance(mismatch, Undecided):
            if not (self.sure_only and self.conditional):
                self.postponed.append(Postponed(finding, mismatch, self.statement))
        else:
            self.add(finding)

    def decide(self, since: int) -> None:
        """Report those of the postponed findings from a number on that are faults by now, and forget them all."""
        waiting, before = self.postponed[since:], self.statement
        del self.postponed[since:]
        for each in waiting:
            if each.mismatch.faulty or not each.mismatch.excused:
                self.statement = each.statement
                self.add(each.finding)
        self.statement = before

    def _takes_the_batch(self, frame: Frame, mismatch: Mismatch) -> bool:
        """Whether what a module takes for time is a batch by what the function declares, not by its letter alone."""
        symbol, shape = mismatch.left.symbol if isinstance(mismatch.left, Dim) else None, mismatch.left_shape
        atoms = () if mismatch.left is None else mismatch.left.atoms
        if len(atoms) > 1:
            return is_among([atom.name for atom in atoms if isinstance(atom, Symbol)], self.declared_orders(frame))
        if symbol is None or shape is None:
            return True
        return is_a_batch(symbol.name, shape, mismatch.axis, self.declared_orders(frame))

    def _was_moved(self, frame: Frame, mismatch: Mismatch) -> bool:
        """Whether an axis that does not lead is that of a batch by what the function declares."""
        if mismatch.detail != "along" or mismatch.left is None:
            return True
        symbols = [atom.name for atom in mismatch.left.atoms if isinstance(atom, Symbol)]
        return any(is_moved_batch(name, self.declared_orders(frame)) for name in symbols)

    def _is_meant(self, frame: Frame, mismatch: Mismatch) -> bool:
        """Whether all pairs along an axis are asked for: the function declares a ``[n, n]``, or adds a product."""
        symbol = mismatch.right.symbol if isinstance(mismatch.right, Dim) else None
        declared = symbol is not None and any(order.count(symbol.name) > 1 for order in self.declared_orders(frame))
        return declared or any(map(_is_product, self.added))

    def report_misfit(
        self, frame: Frame, node: ast.AST, misfit: Misfit, code: str, names: Names, subject: str
    ) -> None:
        """Report a value that does not keep its declaration."""
        if self.silent:
            return
        told = "SC202" if code == "SC209" else code
        said = wording.misfit(misfit, told, subject, self.speaker(frame), names.bound)
        self._add(frame, node, code, "warning" if code == "SC209" else "error", said)

    def report_never(self, frame: Frame, node: ast.AST, left: Dim, right: Dim) -> None:
        """Report an assert about two sizes that are never equal."""
        self._add(frame, node, "SC206", "error", wording.never(left, right, self.speaker(frame)))

    def declared_orders(self, frame: Frame) -> set[tuple[str, ...]]:
        """The axis names of every array that the function under analysis declares, each in its order."""
        signature = frame.signature or (self.active[0].signature if self.active else None)
        return set() if signature is None else signature.orders

    def speaker(self, frame: Frame) -> Speaker:
        """Who shows sizes by the names of the function under analysis."""
        names = frame.names
        return Speaker(self.scope, None if names is None else {**names.bound, **names.shown})

    def _add(self, frame: Frame, node: ast.AST, code: str, severity: str, said: Said) -> None:
        self.add(self._finding(frame, node, code, severity, said))

    def _finding(self, frame: Frame, node: ast.AST, code: str, severity: str, said: Said) -> Diagnostic:
        place = self.node_place(frame.index, node)
        notes = [
            Note(note.message, None if note.place is None else self._solution_place(note.place)) for note in said.notes
        ]
        for index, caller in reversed(frame.trail):
            message = f"reached by the call here, checking {self.root}"
            notes.append(Note(message, self.node_place(index, caller), call=True))
        root = self.root or frame.function
        return Diagnostic(code, severity, said.message, place, root, notes, said.repair)  # type: ignore[arg-type]  # error or warning

    def _solution_place(self, place: object) -> Place | None:
        if isinstance(place, tuple) and len(place) == 2 and isinstance(place[0], ModuleIndex):
            return self.node_place(place[0], place[1])
        if isinstance(place, ArrayHint) and place.place is not None:
            index = self.project.load(place.place.path)
            if isinstance(index, ModuleIndex):
                return self.span(index, place.place.node_span)
        return None

    def add(self, finding: Diagnostic) -> None:
        """Keep a finding, once for each place and code."""
        if self.sure_only and self.conditional:
            return
        key = finding.code, finding.place.filename, finding.place.row, finding.place.column
        if not self.silent and key not in self.seen:
            self.seen.add(key)
            self.findings.append(finding)
            self.causes[finding.code, finding.place] = self.statement

    def node_place(self, index: ModuleIndex, node: ast.AST) -> Place:
        """The place of a node; of a call in a chain over several lines, that of its last link."""
        place = place_of(index.path, node, index.source.lines)
        function = node.func if isinstance(node, ast.Call) else None
        if isinstance(function, ast.Attribute) and function.end_lineno is not None and function.end_lineno > place.row:
            start = (function.end_col_offset or 0) - len(function.attr.encode())
            return self.span(index, (function.end_lineno, start, place.end_row, (node.end_col_offset or 0)))  # type: ignore[attr-defined]
        return place

    def span(self, index: ModuleIndex, span: tuple[int, int, int, int]) -> Place:
        """A span of byte columns as a place."""
        lines = index.source.lines
        row, column, end_row, end_column = span
        return Place(
            index.path, row, character_column(lines[row - 1], column), end_row,
            character_column(lines[end_row - 1], end_column),
        )

    def reveal(self, frame: Frame, node: ast.AST, value: AnyValue) -> None:
        """Note the shape that ``reveal_shape`` was asked for."""
        place = self.node_place(frame.index, node)
        self.add(Diagnostic("SC000", "note", wording.revealed(value, self.scope), place, self.root or None))


def _is_product(node: ast.expr) -> bool:
    """Whether a term is a product of matrices: beside it, ``x2 + y2`` of ``[n, 1]`` and ``[n]`` is about all pairs."""
    return any(
        isinstance(part, ast.MatMult)
        or (isinstance(part, ast.Attribute) and part.attr in ("matmul", "mm", "einsum", "addmm"))
        for part in nodes(node)
    )
