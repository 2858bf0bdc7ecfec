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

_FOUND = "_changes"
"""The attribute of a node that keeps them: as long as the tree lives, and without importing weakref at each start."""
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class _Changes:
    """Names, and attributes of ``self``, whose values are changed in place."""

    __slots__ = ("attributes", "names")

    def __init__(self, names: frozenset[str], attributes: frozenset[str]) -> None:
        self.names = names
        self.attributes = attributes


def changed_names(node: ast.AST) -> frozenset[str]:
    """The names whose values some statement below changes in place."""
    return _changes(node).names


def changed_attributes(function: ast.AST) -> frozenset[str]:
    """The attributes of ``self`` whose values a method changes in place."""
    return _changes(function).attributes


def _changes(node: ast.AST) -> _Changes:
    """What is changed below a node; what a function changes is found once, also for the class and file around it."""
    found: _Changes | None = getattr(node, _FOUND, None)
    if found is None:
        names: set[str] = set()
        attributes: set[str] = set()
        for part in ast.iter_child_nodes(node) if isinstance(node, (ast.Module, ast.ClassDef)) else [node]:
            if part is not node and isinstance(part, _DEFINITIONS):
                inner = _changes(part)
                names |= inner.names
                attributes |= inner.attributes
                continue
            for owner in _changed(part):
                if isinstance(owner, ast.Name):
                    names.add(owner.id)
                elif isinstance(owner, ast.Attribute) and _is_self(owner.value):
                    attributes.add(owner.attr)
        found = _Changes(frozenset(names), frozenset(attributes))
        setattr(node, _FOUND, found)
    return found


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


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
