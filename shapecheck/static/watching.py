"""What is known at each line of a file: the values that its statements bind and return, as `shapecheck show` tells."""

from __future__ import annotations

import ast

from shapecheck.diagnostics import wording
from shapecheck.diagnostics.model import Diagnostic
from shapecheck.ops import load
from shapecheck.shapes import NONE, AnyValue, Tensor, Unknown
from shapecheck.static.check import Checker
from shapecheck.static.frame import Frame
from shapecheck.static.index import Project
from shapecheck.static.interpreter import Interpreter
from shapecheck.static.report import Report
from shapecheck.static.values import Elements, Instance, Layer, OneOf
from shapecheck.static.walk import assigned_targets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.diagnostics.speaker import Speaker
    from shapecheck.static.check import Config
    from shapecheck.static.classes import ClassIndex
    from shapecheck.static.index import ModuleIndex
    from shapecheck.static.signature import Signature
    from shapecheck.static.values import FunctionValue


class Watched:
    """A file with what is known at each of its rows.

    Attributes:
        lines: the source.
        tree: its syntax.
        beside: row to what is known there.
        functions: the qualified names of the functions that were interpreted.
        report: what was found, and how far it was checked.
    """

    __slots__ = ("beside", "functions", "lines", "report", "tree")

    def __init__(self, lines: list[str], tree: ast.Module) -> None:
        self.lines = lines
        self.tree = tree
        self.beside: dict[int, str] = {}
        self.functions: set[str] = set()
        self.report = Report()


def watch(path: str, config: Config | None = None) -> Watched | Diagnostic:
    """Interpret the annotated functions of a file; the diagnostic if it cannot be read.

    Args:
        path: the file.
        config: the settings in force.
    """
    load()
    project = Project()
    index = project.load(path)
    if isinstance(index, Diagnostic):
        return index
    watched = Watched(index.source.lines, index.source.tree)
    interpreter = _Watching(project, index)
    _Watcher(project, index, watched.report, config, interpreter).run()
    watched.beside = interpreter.texts()
    watched.functions = interpreter.functions
    return watched


class _Watcher(Checker):
    """Goes over a file as a check does."""

    interpreter: _Watching

    def _interpret(
        self, function: FunctionValue, signature: Signature, cls: ClassIndex | None, *, ties: bool
    ) -> dict[str, str]:
        # Without ties by name a function is only interpreted to tell its findings apart.
        self.interpreter.watching = ties
        try:
            return super()._interpret(function, signature, cls, ties=ties)
        finally:
            self.interpreter.watching = True


class _Watching(Interpreter):
    """Remembers the values that the statements of one file have, in the order of the runs."""

    def __init__(self, project: Project, index: ModuleIndex) -> None:
        super().__init__(project)
        self.index = index
        self.watching = True
        self.functions: set[str] = set()
        self._runs: dict[Frame, dict[int, dict[str, str]]] = {}
        """For each time that a body was interpreted, what was known at its rows; of a loop, in its last pass. By name
        where a statement binds several."""
        self._parts: dict[Frame, dict[int, tuple[tuple[int, int], str]]] = {}
        """The same of the outermost expressions that end on rows of their own, each with its extent."""

    def texts(self) -> dict[int, str]:
        """For each row what is known there: where a body was interpreted several times, each alternative."""
        found: dict[int, dict[str, list[str]]] = {}
        for frame, rows in self._runs.items():
            parts = {row: {"": text} for row, (_, text) in self._parts.get(frame, {}).items()}
            for row, texts in {**parts, **rows}.items():
                for name, text in texts.items():
                    found.setdefault(row, {}).setdefault(name, []).append(text)
        said = {
            row: wording.beside_names([(name, wording.beside_choice(texts)) for name, texts in names.items()])
            for row, names in found.items()
        }
        return {row: text for row, text in said.items() if text}

    def execute(self, frame: Frame, body: list[ast.stmt]) -> bool:
        """Run statements one by one, and remember what each of them binds."""
        if not self._is_watched(frame):
            return super().execute(frame, body)
        for statement in body:
            goes_on = super().execute(frame, [statement])
            self._remember(frame, statement)
            if not goes_on:
                return False
        return True

    def check_result(self, frame: Frame, node: ast.expr, value: AnyValue) -> None:
        """Check what is returned, and remember it."""
        super().check_result(frame, node, value)
        if self._is_watched(frame) and isinstance(self.statement, ast.Return):
            self._runs[frame][self.statement.lineno] = {"": _text(value, self.speaker(frame))}

    def count(self, frame: Frame, node: ast.AST, value: AnyValue) -> None:
        """Count an expression, and remember it for the row where it ends."""
        super().count(frame, node, value)
        if not isinstance(node, ast.expr) or node is getattr(self.statement, "value", None) is not None:
            # The statement tells its own value.
            return
        if isinstance(value, (Tensor, Unknown)) and self._is_watched(frame):
            row, end = node.end_lineno or 0, node.end_col_offset or 0
            span = row - node.lineno, end - node.col_offset
            rows = self._parts.setdefault(frame, {})
            if row not in rows or rows[row][0] <= span:
                rows[row] = span, _text(value, self.speaker(frame))

    def _is_watched(self, frame: Frame) -> bool:
        """Whether a body of the file itself runs, and not one that a call leads to."""
        if frame.depth or self.silent or not self.watching or frame.index is not self.index:
            return False
        if frame not in self._runs:
            self._runs[frame] = {}
            self.functions.add(self.root)
        return True

    def _remember(self, frame: Frame, statement: ast.stmt) -> None:
        speaker = self.speaker(frame)
        held = [(target, _held(frame, target)) for target in sorted(assigned_targets(statement), key=_position)]
        bound = [(ast.unparse(target), _text(value, speaker)) for target, value in held if value is not None]
        if not bound:
            return
        alone = len(bound) == 1 and not isinstance(statement, (ast.For, ast.AsyncFor, ast.With, ast.AsyncWith))
        self._runs[frame][statement.lineno] = {"": bound[0][1]} if alone else dict(bound)


def _held(frame: Frame, target: ast.expr) -> AnyValue | None:
    """What a name or an attribute of the object itself holds."""
    if isinstance(target, ast.Name):
        return None if target.id == "_" else frame.env.get(target.id)
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        owner = frame.env.get(target.value.id)
        if isinstance(owner, Instance):
            return owner.attributes.get(target.attr)
    return None


def _position(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _text(value: AnyValue, speaker: Speaker) -> str:
    if isinstance(value, OneOf):
        options = [_text(option, speaker) for option in value.options]
        if any(options):
            options += ["None" for option in value.options if option == NONE]
        return wording.beside_choice(options)
    if isinstance(value, Layer):
        weight = value.rule.attributes().get("weight")
        return wording.beside_layer(_text(weight, speaker)) if isinstance(weight, Tensor) else ""
    if isinstance(value, Elements):
        return wording.beside_items(_text(value.element, speaker), value.kind)
    return wording.beside(value, speaker)
