"""What code changes in place, found in its syntax: lists that grow, items that are set, names of an outer function."""

from __future__ import annotations

import ast

from shapecheck.static.walk import nodes, statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

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
    # All nodes of a file come by here, so their types are compared in the quickest way.
    inner: Any
    for inner in nodes(node):
        kind = type(inner)
        if kind is ast.Subscript and type(inner.ctx) is not ast.Load:
            owner = inner
        elif kind is ast.Call and type(inner.func) is ast.Attribute:
            if inner.func.attr not in _CHANGING:
                continue
            owner = inner.func.value
        elif kind is ast.AugAssign:
            owner = inner.target
        else:
            continue
        while type(owner) is ast.Subscript:
            owner = owner.value
        yield owner
