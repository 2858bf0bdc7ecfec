"""What every part of a generated checker needs: the lines so far, local variables for sizes, and global constants."""

from __future__ import annotations

import builtins
from typing import Any

BOUND, MAYBE = 1, 2

BROKEN = "(TypeError, ValueError, AttributeError, LookupError, ArithmeticError)"
"""What an expression of the user's may raise; the matcher then says so."""


class NotInlineError(Exception):
    """The signature holds something that only the generic matcher understands."""


class Lines:
    """Collects the lines of a checker and the objects they refer to.

    state: which names have a size at this point, for certain (BOUND) or on some paths only (MAYBE: the variable is
        None on the others).
    namespace: the globals of the generated code.
    exact: whether a `break` always means that the call does not fit, so that the matcher need not be asked.
    """

    def __init__(self, namespace: dict[str, Any], shared: frozenset[str], parameters: frozenset[str]) -> None:
        self.lines: list[str] = []
        self.depth = 1
        self.namespace = namespace
        self.shared = shared
        self.state: dict[str, int] = {}
        self.variables: dict[str, str] = {}
        self.widening: set[str] = set()
        self.exact = True
        # Where a `ValueError` is caught, unpacking is the test of the rank; `catches` says whether any relies on it.
        self.catching = False
        self.catches = False
        # Whether some expression may raise one of `BROKEN`.
        self.evaluates = False
        # Shape strings compared as a whole, and the variable that holds the first such shape.
        self.whole_shapes: frozenset[str] = frozenset()
        self.first_shapes: dict[str, str] = {}
        self.counter = 0
        self.parameters = parameters

    def line(self, text: str) -> None:
        """Add one line at the current depth."""
        self.lines.append("    " * self.depth + text)

    def variable(self, name: str) -> str:
        """The local variable that holds the size of a name."""
        if name not in self.variables:
            self.variables[name] = self.fresh("n")
        return self.variables[name]

    def fresh(self, prefix: str) -> str:
        """A new local variable."""
        self.counter += 1
        name = f"_{prefix}{self.counter}"
        return name if name not in self.parameters else self.fresh(prefix)

    def constant(self, prefix: str, value: object) -> str:
        """The global name of an object, the same for the same object."""
        for name, known in self.namespace.items():
            if known is value and name.startswith(f"_{prefix}"):
                return name
        name = self.fresh(prefix + "_")
        self.namespace[name] = value
        return name

    def builtin(self, name: str) -> str:
        """What a builtin is called here: a parameter may have its name."""
        return name if name not in self.parameters else self.constant("b", getattr(builtins, name))

    def no_instance(self, value: str, cls: str) -> str:
        """The test that a value is not of a class."""
        return f"not {self.builtin('isinstance')}({value}, {cls})"

    def maybe(self, names: list[str]) -> None:
        """Before a branch or a loop: names that it may bind exist afterwards in any case."""
        for name in names:
            if name not in self.state:
                self.line(f"{self.variable(name)} = None")
                self.state[name] = MAYBE
