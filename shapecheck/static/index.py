"""What each file defines and imports, and what its names mean; without running anything."""

from __future__ import annotations

import ast

from shapecheck.annotations import Alias, Resolver
from shapecheck.annotations.source import dotted_name
from shapecheck.diagnostics.model import Diagnostic
from shapecheck.static.files import SourceFile, parse_content, parse_text, read_content
from shapecheck.static.locations import Locations
from shapecheck.static.mutation import changed_names
from shapecheck.static.pieces import Piece
from shapecheck.static.walk import depth, statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias

    from shapecheck.static.classes import ClassIndex
    from shapecheck.static.locations import Question
    from shapecheck.static.signature import Signature

    Function: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef"

MAX_HOPS = 20
"""Re-exports are followed this far; more is a cycle."""


class Imported:
    """A name bound by an import: a module, or an attribute of one."""

    __slots__ = ("attribute", "level", "module")

    def __init__(self, module: str, attribute: str | None, level: int = 0) -> None:
        self.module = module
        self.attribute = attribute
        self.level = level


class Assigned:
    """A name bound by assignments at module level; the values in the order written."""

    __slots__ = ("annotation", "values")

    def __init__(self) -> None:
        self.values: list[ast.expr | None] = []
        self.annotation: ast.expr | None = None

    @property
    def value(self) -> ast.expr | None:
        """The value, if the name is assigned once."""
        return self.values[0] if len(self.values) == 1 else None


Binding = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | Imported | Assigned


class ModuleIndex(Resolver):
    """The names of one file."""

    def __init__(self, source: SourceFile, project: Project) -> None:
        self.source = source
        self.project = project
        self.path = source.path
        self.asked: set[Question] = set()
        """What was looked for on behalf of this file."""
        self.bindings: dict[str, Binding | Piece] = {}
        """What each name stands for, or where it is defined."""
        self.stars: list[Imported] = []
        self.overloads: dict[str, list[Function]] = {}
        self._resolved: dict[str, str | Alias | None] = {}
        self._classes: list[ClassIndex] | None = None
        # What is read once for each function and class lives as long as the file does.
        self.signatures: dict[ast.AST, Signature] = {}
        self.annotated_locals: dict[ast.AST, bool] = {}
        self.class_indices: dict[ast.ClassDef, ClassIndex] = {}
        self._globals: frozenset[str] | None = None
        self.ambiguous: set[str] = set()
        """Functions and classes that are defined in more than one way: `try: from x import f / except: def f(...)`."""
        self._collect_pieces()

    # -- the annotation layer's questions ----------------------------------------------------------------------------

    def resolve(self, dotted: str) -> str | Alias | None:
        """What a dotted name of this file stands for: a qualified name, an alias, or None."""
        if dotted in self._resolved:
            return self._resolved[dotted]
        self._resolved[dotted] = None
        found = self._resolve(dotted)
        self._resolved[dotted] = found
        return found

    def source_line(self, number: int) -> str | None:
        """A line of the file, from 1."""
        lines = self.source.lines
        return lines[number - 1] if 0 < number <= len(lines) else None

    def _resolve(self, dotted: str) -> str | Alias | None:
        head, _, tail = dotted.partition(".")
        owner, binding = self.find(head)
        if binding is None:
            return None
        if isinstance(binding, Imported):
            module = binding.module if binding.attribute is None else f"{binding.module}.{binding.attribute}"
            target = self.project.module(module, self, binding.level) if tail else None
            if target is not None:
                return target.resolve(tail)
            if binding.level:
                return None
            return f"{module}.{tail}" if tail else module
        if tail:
            return None
        if isinstance(binding, Assigned):
            return Alias(binding.value, owner) if binding.value is not None else None
        if isinstance(binding, ast.ClassDef):
            return f"{owner.path}::{binding.name}"
        return None

    def classes(self, class_of: Callable[[ast.ClassDef, ModuleIndex], ClassIndex]) -> list[ClassIndex]:
        """The classes at the top level of the file."""
        if self._classes is None:
            bindings = map(self.binding, list(self.bindings))
            self._classes = [class_of(binding, self) for binding in bindings if isinstance(binding, ast.ClassDef)]
        return self._classes

    def is_global(self, name: str) -> bool:
        """Whether a function assigns the name of the module (``global``)."""
        if self._globals is None:
            self._globals = frozenset(
                changed
                for node in (
                    statements(self.source.tree.body, nested=True) if "global " in self.source.text else ()
                )
                if isinstance(node, ast.Global)
                for changed in node.names
            )
        return name in self._globals

    @property
    def changed(self) -> frozenset[str]:
        """The names of the module that are changed in place (``CACHE[key] = ...``)."""
        return changed_names(self.source.tree)

    # -- names -------------------------------------------------------------------------------------------------------

    def binding(self, name: str) -> Binding | None:
        """What a name is bound to in this file."""
        found = self.bindings.get(name)
        if isinstance(found, Piece):
            for node in found.definitions():
                self.bindings[node.name] = node  # type: ignore[attr-defined, assignment]  # definitions have names
            found = self.bindings[name]
            return None if isinstance(found, Piece) else found
        return found

    def find(self, name: str) -> tuple[ModuleIndex, Binding | None]:
        """The binding of a name, imports from other files of the project followed, and the file that holds it."""
        index: ModuleIndex = self
        for _ in range(MAX_HOPS):
            binding = index.binding(name)
            if binding is None:
                found = index.find_in_stars(name)
                if found is None:
                    return index, None
                index, binding = found
            if not isinstance(binding, Imported) or binding.attribute is None:
                return index, binding
            target = self.project.module(binding.module, index, binding.level)
            if target is None or (binding.attribute not in target.bindings and not target.stars):
                return index, binding
            if target is index and binding.attribute == name:
                return index, None
            index, name = target, binding.attribute
        return self, None

    def find_in_stars(self, name: str, asked: set[ModuleIndex] | None = None) -> tuple[ModuleIndex, Binding] | None:
        """The binding that a star import brings, if one does; files ``asked`` already have none."""
        asked = set() if asked is None else asked
        if name.startswith("_") or self in asked:
            return None
        asked.add(self)
        for star in self.stars:
            target = self.project.module(star.module, self, star.level)
            if target is None:
                if star.module in {"jaxtyping", "torch", "einops", "typing", "torch.nn", "torch.nn.functional", "math"}:
                    known = _EXPORTS.get(star.module)
                    if known is None or name in known:
                        return self, Imported(star.module, name)
                continue
            binding = target.binding(name)
            if binding is not None:
                return target, binding
            found = target.find_in_stars(name, asked)
            if found is not None:
                return found
        return None

    def _collect_pieces(self) -> None:
        """Read the names of the file, of definitions that are not parsed yet where they are."""
        later: list[str] = []
        for piece in self.source.pieces:
            if piece.is_read:
                self._collect(piece.body())
            else:
                later += piece.names() or ()
                self.bindings.update(dict.fromkeys(piece.names() or (), piece))
        if not self.source.pieces or not all(isinstance(self.bindings[name], Piece) for name in later):
            self.bindings.clear()
            self.stars.clear()
            self.ambiguous.clear()
            self._collect(self.source.tree.body)

    def _collect(self, body: list[ast.stmt]) -> None:
        top = set(map(id, body))
        for statement in statements(body):
            kind = type(statement)
            name = getattr(statement, "name", None)
            if isinstance(name, str) and name in self.bindings and id(statement) not in top:
                self.ambiguous.add(name)
            if kind is ast.Import:
                self._add_import(statement)  # type: ignore[arg-type]  # kind tells
            elif kind is ast.ImportFrom:
                self._add_import_from(statement)  # type: ignore[arg-type]  # kind tells
            elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if is_overload(statement):
                    self.overloads.setdefault(statement.name, []).append(statement)
                self.bindings[statement.name] = statement
            elif isinstance(statement, ast.ClassDef):
                self.bindings[statement.name] = statement
            elif isinstance(statement, ast.Assign):
                for target in statement.targets:
                    self._add_assignment(target, statement.value)
            elif isinstance(statement, ast.AnnAssign):
                self._add_assignment(statement.target, statement.value, statement.annotation)
            elif kind.__name__ == "TypeAlias":
                self._add_assignment(statement.name, statement.value)  # type: ignore[attr-defined]  # Python 3.12

    def _add_import(self, statement: ast.Import) -> None:
        for alias in statement.names:
            if alias.asname:
                self.bindings[alias.asname] = Imported(alias.name, None)
            else:
                top = alias.name.partition(".")[0]
                self.bindings.setdefault(top, Imported(top, None))

    def _add_import_from(self, statement: ast.ImportFrom) -> None:
        module = statement.module or ""
        for alias in statement.names:
            imported = Imported(module, alias.name, statement.level)
            if alias.name == "*":
                self.stars.append(Imported(module, None, statement.level))
            else:
                name = alias.asname or alias.name
                if isinstance(self.bindings.get(name), (ast.FunctionDef, ast.ClassDef)):
                    self.ambiguous.add(name)
                else:
                    self.bindings[name] = imported

    def _add_assignment(self, target: ast.expr, value: ast.expr | None, annotation: ast.expr | None = None) -> None:
        if isinstance(target, ast.Name):
            known = self.bindings.get(target.id)
            if not isinstance(known, Assigned):
                if isinstance(known, Imported) and isinstance(value, ast.Constant):
                    # `try: from x import y / except ImportError: y = None` keeps the import.
                    return
                known = self.bindings[target.id] = Assigned()
            known.values.append(value)
            known.annotation = annotation or known.annotation
        elif isinstance(target, (ast.Tuple, ast.List)):
            for item in target.elts:
                self._add_assignment(item, None)


_EXPORTS: dict[str, frozenset[str]] = {
    "math": frozenset(("pi", "sqrt", "log", "ceil", "floor", "exp", "prod", "log2", "cos", "sin", "inf", "gcd")),
    "typing": frozenset(("Optional", "Union", "List", "Tuple", "Dict", "Sequence", "Any", "Callable", "Literal")),
    "einops": frozenset(("rearrange", "reduce", "repeat", "einsum", "pack", "unpack", "parse_shape")),
}


def is_overload(function: Function) -> bool:
    """Whether a function only declares one of several signatures."""
    return any(dotted_name(decorator).rpartition(".")[2] == "overload" for decorator in function.decorator_list)


class Project:
    """Every file read so far, and where a module's name leads.

    Attributes:
        stamps: what the content of each file read is recognised by, None where it could not be read; empty unless
            the project was given a function that makes such stamps.
    """

    def __init__(
        self, stamp: Callable[[bytes], bytes] | None = None, contents: Mapping[str, bytes] | None = None
    ) -> None:
        self.locations = Locations()
        self._contents = contents or {}
        """What stands for files instead of what lies on the disk."""
        self.locations.texts.update(self._contents)
        self.stamps: dict[str, bytes | None] = {}
        self._by_path: dict[str, ModuleIndex | Diagnostic] = {}
        self._stamp = stamp

    def load(self, path: str, *, lazily: bool = False) -> ModuleIndex | Diagnostic:
        """The index of a file, or the diagnostic that says why there is none.

        Args:
            path: the file.
            lazily: whether its definitions may be parsed when they are needed.
        """
        known = self._by_path.get(path)
        if known is None:
            source: SourceFile | Diagnostic
            content = self._contents[path] if path in self._contents else read_content(path)
            if isinstance(content, Diagnostic):
                stamp, source = None, content
            else:
                stamp = None if self._stamp is None else self._stamp(content)
                source = parse_content(path, content, lazily=lazily)
            if self._stamp is not None:
                self.stamps[path] = stamp
            known = source if isinstance(source, Diagnostic) else ModuleIndex(source, self)
            self._by_path[path] = known
        return known

    def load_text(self, path: str, text: str) -> ModuleIndex | Diagnostic:
        """The index of a text that stands for a file."""
        source = parse_text(path, text)
        known = source if isinstance(source, Diagnostic) else ModuleIndex(source, self)
        self._by_path[path] = known
        self.locations.texts.add(path)
        return known

    @property
    def depth(self) -> int:
        """How deep the syntax of the files read so far is nested."""
        indices = [index for index in self._by_path.values() if isinstance(index, ModuleIndex)]
        return max((depth(index.source.tree) for index in indices), default=0)

    def module(self, name: str, importer: ModuleIndex, level: int = 0) -> ModuleIndex | None:
        """The file of the project that a module's name leads to from another file; None if it is no project file."""
        path = self.locations.find(name, importer.path, level, importer.asked)
        if path is None:
            return None
        found = self.load(path)
        return found if isinstance(found, ModuleIndex) else None

    @property
    def torn(self) -> bool:
        """Whether a file that was read lazily turned out to be something else."""
        return any(isinstance(index, ModuleIndex) and index.source.torn for index in self._by_path.values())

    def asked(self) -> dict[str, set[Question]]:
        """For each file read, what it looked for among the files of the project."""
        return {path: index.asked for path, index in self._by_path.items() if isinstance(index, ModuleIndex)}
