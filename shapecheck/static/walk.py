"""Walking over the statements of a function, without visiting every expression as ``ast.walk`` does."""

from __future__ import annotations

import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SIMPLE = frozenset((ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Return, ast.Import, ast.ImportFrom))
"""The most frequent statements that hold no others."""
_LEAVES = frozenset((ast.Name, ast.Constant))
"""The most frequent nodes that hold no others, but for how a name is used."""


def statements(body: list[ast.stmt], *, nested: bool = False) -> Iterator[ast.stmt]:
    """Every statement below a body, in order; with ``nested`` those of nested functions and classes too."""
    # Not recursive: a chain of `elif` nests as deep as it is long.
    waiting = [iter(body)]
    while waiting:
        statement = next(waiting[-1], None)
        if statement is None:
            waiting.pop()
            continue
        yield statement
        if type(statement) in _SIMPLE or (isinstance(statement, _SCOPES) and not nested):
            continue
        bodies = [getattr(statement, part, None) for part in ("body", "orelse", "finalbody")]
        bodies += [handler.body for handler in getattr(statement, "handlers", ())]
        bodies += [case.body for case in getattr(statement, "cases", ())]
        waiting += [iter(inner) for inner in reversed(bodies) if inner]


def nodes(root: ast.AST) -> Iterator[ast.AST]:
    """Every node of a tree, in no order: what ``ast.walk`` gives in a fifth of the time.

    Only ``ast.Load`` is left out, which stands at everything that is read.
    """
    waiting = [root]
    while waiting:
        node = waiting.pop()
        yield node
        if type(node) in _LEAVES:
            continue
        for part in vars(node).values():
            kind = type(part)
            if kind is list:
                waiting += [item for item in part if isinstance(item, ast.AST)]
            elif kind is not int and kind is not str and kind is not ast.Load and isinstance(part, ast.AST):
                waiting.append(part)


def depth(root: ast.AST) -> int:
    """How deep the nodes of a tree are nested."""
    deepest = 0
    waiting = [(root, 1)]
    while waiting:
        node, level = waiting.pop()
        deepest = max(deepest, level)
        waiting += [(child, level + 1) for child in ast.iter_child_nodes(node)]
    return deepest


def assigned_targets(statement: ast.stmt) -> list[ast.expr]:
    """What a statement binds, tuples taken apart."""
    if isinstance(statement, ast.Assign):
        waiting = list(statement.targets)
    elif isinstance(statement, (ast.AugAssign, ast.AnnAssign, ast.For, ast.AsyncFor)):
        waiting = [statement.target]
    elif isinstance(statement, (ast.With, ast.AsyncWith)):
        waiting = [item.optional_vars for item in statement.items if item.optional_vars is not None]
    else:
        return []
    found: list[ast.expr] = []
    while waiting:
        target = waiting.pop()
        if isinstance(target, (ast.Tuple, ast.List)):
            waiting += target.elts
        else:
            found.append(target.value if isinstance(target, ast.Starred) else target)
    return found


def yields(body: list[ast.stmt]) -> bool:
    """Whether a body is that of a generator."""
    waiting: list[ast.AST] = []
    for statement in statements(body):
        if isinstance(statement, _SCOPES):
            continue
        waiting += [
            value
            for name, value in ast.iter_fields(statement)
            if isinstance(value, ast.expr) and name not in {"annotation", "target"}
        ]
    while waiting:
        found = waiting.pop()
        if isinstance(found, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(found, ast.Lambda):
            waiting.extend(ast.iter_child_nodes(found))
    return False
