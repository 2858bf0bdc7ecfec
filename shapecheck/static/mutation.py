"""What code changes in place, found in its syntax: lists that grow, items that are set, names of an outer function."""

from __future__ import annotations

import ast

from shapecheck.static.walk import nodes, statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_CHANGING = frozenset((
    "add", "append", "appendleft", "clear", "discard", "extend", "extendleft", "insert", "pop", "popleft", "popitem",
    "remove", "reverse", "rotate", "setdefault", "sort", "update",
))  # fmt: skip
"""Methods of lists, dictionaries, sets and deques that change them."""

_FOUND = "_changed_names"
"""The attribute of a node that keeps them: as long as the tree lives, and without importing weakref at each start."""


def changed_names(node: ast.AST) -> frozenset[str]:
    """The names whose values some statement below changes in place."""
    found: frozenset[str] | None = getattr(node, _FOUND, None)
    if found is None:
        found = frozenset(owner.id for owner in _changed(node) if isinstance(owner, ast.Name))
        setattr(node, _FOUND, found)
    return found


def changed_attributes(function: ast.AST) -> set[str]:
    """The attributes of ``self`` whose values a method changes in place."""
    return {
        owner.attr
        for owner in _changed(function)
        if isinstance(owner, ast.Attribute) and isinstance(owner.value, ast.Name) and owner.value.id == "self"
    }


def rebound_outside(function: ast.AST) -> set[str]:
    """The names of an outer function that a nested one assigns (``nonlocal``)."""
    body = getattr(function, "body", None)
    inner = statements(body, nested=True) if isinstance(body, list) else ()  # a lambda assigns nothing
    return {name for node in inner if isinstance(node, ast.Nonlocal) for name in node.names}


def _changed(node: ast.AST) -> Iterator[ast.expr]:
    for inner in nodes(node):
        owner: ast.expr | None = None
        if isinstance(inner, ast.Subscript) and not isinstance(inner.ctx, ast.Load):
            owner = inner.value
        elif isinstance(inner, ast.Call) and isinstance(inner.func, ast.Attribute) and inner.func.attr in _CHANGING:
            owner = inner.func.value
        elif isinstance(inner, ast.AugAssign):
            owner = inner.target
        while isinstance(owner, ast.Subscript):
            owner = owner.value
        if owner is not None:
            yield owner
