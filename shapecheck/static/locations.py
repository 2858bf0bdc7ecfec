"""Where in the project the name of a module leads.

Nothing else of this layer is imported here: the cache asks the same questions again without loading the checker.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Question: TypeAlias = tuple[str, str]
    """A folder, and the dotted name of a module looked for in it."""


class Locations:
    """The answers to what was asked so far; texts that stand for files are there as if they lay on disk."""

    __slots__ = ("answers", "roots", "texts")

    def __init__(self) -> None:
        self.answers: dict[Question, str | None] = {}
        self.roots: dict[str, tuple[str, ...]] = {}
        """For the folder of a file, where absolute imports are looked up."""
        self.texts: set[str] = set()

    def find(self, name: str, importer: str, level: int, asked: set[Question]) -> str | None:
        """The file that a module's name leads to from another file, or None.

        Args:
            name: the dotted name, without leading dots.
            importer: the file that holds the import.
            level: the number of leading dots.
            asked: takes every question whose answer counted.
        """
        directory = os.path.dirname(importer)
        if level:
            for _ in range(level - 1):
                directory = os.path.dirname(directory) if directory else os.pardir
            return self._ask(directory, name, asked)
        head = name.partition(".")[0]
        if name == "shapecheck" or head in _NEVER_LOCAL:
            # Its public names are known by their rules, also where the package itself lies in the project.
            return None
        for root in self._roots_of(directory):
            path = self._ask(root, name, asked)
            if path is not None:
                return path
        # A package without `__init__.py`: a folder above is called like it.
        parts = directory.split(os.sep)
        for position in range(len(parts) - 1, -1, -1):
            if parts[position] == head:
                path = self._ask(os.sep.join(parts[:position]), name, asked)
                if path is not None:
                    return path
        return None

    def _ask(self, root: str, name: str, asked: set[Question]) -> str | None:
        question = root, name
        asked.add(question)
        if question not in self.answers:
            self.answers[question] = self.answer(question)
        return self.answers[question]

    def answer(self, question: Question) -> str | None:
        """The file of a module in a folder as it lies there now: a package before a module, source before a stub."""
        root, name = question
        base = os.path.join(root, *name.split(".")) if name else root
        package = os.path.join(base, "__init__.py")
        candidates = (package, f"{base}.py", f"{package}i", f"{base}.pyi") if name else (package, f"{package}i")
        for candidate in candidates:
            if candidate in self.texts or os.path.isfile(candidate):
                return candidate
        return None

    def _roots_of(self, directory: str) -> tuple[str, ...]:
        roots = self.roots.get(directory)
        if roots is None:
            roots = self.roots[directory] = search_roots(directory)
        return roots


def search_roots(directory: str) -> tuple[str, ...]:
    """Where absolute imports are looked up: beside the topmost package around a file, then beside the file."""
    top = directory
    while os.path.isfile(os.path.join(top, "__init__.py")):
        parent = os.path.dirname(os.path.abspath(top)) if top in {"", os.curdir} else os.path.dirname(top)
        if parent == top:
            break
        top = parent
    roots = [top] if top == directory else [top, directory]
    for extra in ("", "src"):
        if extra not in roots and os.path.isdir(extra or os.curdir):
            roots.append(extra)
    return tuple(roots)


_NEVER_LOCAL = frozenset(
    ("torch", "jaxtyping", "einops", "typing", "numpy", "math", "dataclasses", "collections", "functools", "abc", "os",
     "sys", "re", "itertools", "beartype", "typing_extensions", "__future__", "enum", "pathlib", "warnings", "jax")
)  # fmt: skip
