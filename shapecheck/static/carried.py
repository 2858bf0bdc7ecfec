"""What one pass of a loop hands to the next: the variables that a pass may read before it assigns them.

The others are made anew in every pass, and what they were before changes nothing.
"""

from __future__ import annotations

import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Loop: TypeAlias = ast.For | ast.AsyncFor | ast.While
    Names: TypeAlias = frozenset[str]

_FOUND = "_carried"
"""The attribute of a loop that keeps them, as long as the tree lives."""
_LOOPS = (ast.For, ast.AsyncFor, ast.While)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.GeneratorExp, ast.DictComp)
_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_NONE: Names = frozenset()


def carried(loop: Loop) -> frozenset[str]:
    """The names that a pass of a loop may read before it assigns them, and perhaps more."""
    found: frozenset[str] | None = getattr(loop, _FOUND, None)
    if found is None:
        reads = _Reads()
        reads.one_pass(loop, _NONE)
        found = frozenset(reads.found)
        setattr(loop, _FOUND, found)
    return found


class _Reads:
    """Goes through statements in order, with the names that are assigned on every way there."""

    def __init__(self) -> None:
        self.found: set[str] = set()

    def one_pass(self, loop: Loop, known: Names) -> None:
        if isinstance(loop, ast.While):
            self._expression(loop.test, known)
        else:
            known = self._target(loop.target, known)
        self._body(loop.body, known)

    def _body(self, body: list[ast.stmt], known: Names) -> Names | None:
        """The names known behind the statements; None if nothing goes on there."""
        for statement in body:
            after = self._statement(statement, known)
            if after is None:
                return None
            known = after
        return known

    def _statement(self, node: ast.stmt, known: Names) -> Names | None:
        if isinstance(node, ast.Assign):
            self._expression(node.value, known)
            for target in node.targets:
                known = self._target(target, known)
        elif isinstance(node, ast.If):
            self._expression(node.test, known)
            return _both(self._body(node.body, known), self._body(node.orelse, known))
        elif isinstance(node, _LOOPS):
            # It may have no pass at all.
            if not isinstance(node, ast.While):
                self._expression(node.iter, known)
            self.one_pass(node, known)
            self._body(node.orelse, known)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                self._expression(item.context_expr, known)
                if item.optional_vars is not None:
                    known = self._target(item.optional_vars, known)
            return self._body(node.body, known)
        elif isinstance(node, (ast.Try, ast.TryStar)):
            # Any part of the body may have run.
            self._body(node.orelse, self._body(node.body, known) or known)
            for handler in node.handlers:
                if handler.type is not None:
                    self._expression(handler.type, known)
                self._body(handler.body, known)
            self._body(node.finalbody, known)
        elif isinstance(node, (*_DEFINITIONS, ast.Import, ast.ImportFrom)):
            self._expression(node, known)
            return known | _bound(node)
        else:
            # What else assigns, such as `match` and `x += 1`, is not followed: what it assigns stays unknown.
            self._expression(node, known)
            return None if isinstance(node, _LEAVING) else known
        return known

    def _target(self, target: ast.expr, known: Names) -> Names:
        """The names known behind an assignment to a target, whose own parts may be read."""
        if isinstance(target, ast.Name):
            return known | {target.id}
        if isinstance(target, (ast.Tuple, ast.List)):
            for part in target.elts:
                known = self._target(part, known)
            return known
        if isinstance(target, ast.Starred):
            return self._target(target.value, known)
        self._expression(target, known)
        return known

    def _expression(self, root: ast.AST, known: Names) -> None:
        """Note every name below a node, however it is used."""
        waiting = [root]
        while waiting:
            node = waiting.pop()
            if isinstance(node, ast.Name):
                if node.id not in known:
                    self.found.add(node.id)
            elif isinstance(node, _COMPREHENSIONS):
                first, *others = node.generators
                waiting.append(first.iter)
                own = known.union(*[self._target(each.target, _NONE) for each in node.generators])
                parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
                parts += [*first.ifs, *[part for each in others for part in (each.iter, *each.ifs)]]
                for part in parts:
                    self._expression(part, own)
            elif isinstance(node, ast.Constant):
                if isinstance(node.value, str) and "{" in node.value:
                    # An annotation: `Float[Tensor, "b {n}"]`.
                    text = [char if char.isalnum() or char == "_" else " " for char in node.value]
                    self.found.update("".join(text).split())
            else:
                if isinstance(node, (ast.Global, ast.Nonlocal)):
                    self.found.update(node.names)
                waiting += ast.iter_child_nodes(node)


def _both(one: Names | None, other: Names | None) -> Names | None:
    """The names known where two ways meet."""
    if one is None or other is None:
        return other if one is None else one
    return one & other


def _bound(node: ast.stmt) -> Names:
    """The names that an import or a definition binds."""
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return frozenset([alias.asname or alias.name.partition(".")[0] for alias in node.names])
    return frozenset((node.name,)) if isinstance(node, _DEFINITIONS) else _NONE
