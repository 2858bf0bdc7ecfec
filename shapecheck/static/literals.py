"""The strings and numbers that code compares a parameter or attribute with: ``if self.pool == "cls"``."""

from __future__ import annotations

import ast

from shapecheck.annotations.source import dotted_name
from shapecheck.static.walk import nodes

MAX_STRINGS = 5
"""Of a parameter that is compared with more, none is followed by itself."""
MAX_NUMBERS = 4
"""The same for numbers."""


def compared_strings(body: ast.AST, subject: str) -> tuple[list[str], bool]:
    """The strings that ``name`` or ``self.name`` is compared with, and whether any other string goes a way of its own.

    A variable that is nothing but the subject is the subject. Another string has a way where the function reads the
    subject for nothing else, and each chain of comparisons ends in an ``else``.
    """
    names = {subject, *_aliases(body, subject)}
    found: dict[str, None] = {}
    comparisons = [(node, strings) for node in _comparisons(body, names) if (strings := _strings(node))]
    for _, strings in comparisons:
        found.update(dict.fromkeys(strings))
    if len(found) > MAX_STRINGS:
        return [], False
    alone = _uses(body, names) == len(comparisons) + len(names) - 1
    return list(found), alone and _ends_in_else(body, {id(node) for node, _ in comparisons})


def compared_numbers(body: ast.AST, subject: str) -> list[int]:
    """A number for each way that comparisons lead which are all that a function reads a parameter for."""
    found: set[int] = set()
    comparisons = _comparisons(body, {subject})
    for node in comparisons:
        if isinstance(node.ops[0], (ast.Eq, ast.NotEq)) and not _ends_in_else(body, {id(node)}):
            return []
        op, other = node.ops[0], node.comparators[0]
        if not isinstance(other, ast.Constant) or type(other.value) is not int:
            return []
        least = other.value - isinstance(op, (ast.Lt, ast.GtE))
        found |= {least, least + 1}
    alone = _uses(body, {subject}) == len(comparisons)
    return sorted(number for number in found if number >= 0) if alone and len(found) <= MAX_NUMBERS else []


def _comparisons(body: ast.AST, names: set[str]) -> list[ast.Compare]:
    return [
        node for node in nodes(body)
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and dotted_name(node.left) in names
    ]


def _uses(body: ast.AST, names: set[str]) -> int:
    return sum(
        1 for node in nodes(body)
        if isinstance(node, (ast.Name, ast.Attribute)) and isinstance(node.ctx, ast.Load) and dotted_name(node) in names
    )


def _ends_in_else(body: ast.AST, comparisons: set[int]) -> bool:
    """Whether no ``if`` that asks one of some comparisons lets what does not hold pass by."""
    for node in nodes(body):
        if isinstance(node, ast.If) and not node.orelse and any(id(part) in comparisons for part in nodes(node.test)):
            return False
    return True


def _aliases(body: ast.AST, subject: str) -> list[str]:
    return [
        node.targets[0].id for node in nodes(body)
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, (ast.Name, ast.Attribute)) and dotted_name(node.value) == subject
    ]


def _strings(node: ast.Compare) -> list[str]:
    """The strings on the other side of ``==``, ``!=``, ``in`` and ``not in``."""
    op, other = node.ops[0], node.comparators[0]
    if isinstance(op, (ast.Eq, ast.NotEq)):
        parts = [other]
    elif isinstance(op, (ast.In, ast.NotIn)) and isinstance(other, (ast.Tuple, ast.List, ast.Set)):
        parts = other.elts
    else:
        return []
    texts = [part.value for part in parts if isinstance(part, ast.Constant)]
    strings = [text for text in texts if isinstance(text, str)]
    return strings if len(strings) == len(parts) else []
