"""Arguments that are turned for a call, and turned back behind it: one helper runs along several axes.

``rows(x.transpose(1, 2)).transpose(1, 2)`` gives the helper its axes in another order on purpose, as does a function
that calls it with one tensor in two orders. Both are read from the syntax of the function that calls.
"""

from __future__ import annotations

import ast

from shapecheck.static.walk import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    Made: TypeAlias = "dict[str, list[tuple[int, ast.expr]]]"

_SWAPPING = frozenset(("transpose", "swapaxes", "swapdims"))
_MOVING = frozenset(("movedim", "moveaxis"))
_MATRIX = frozenset(("mT", "mH", "T", "t", "adjoint"))
_LEAVING = frozenset(("contiguous", "clone", "detach", "float", "to"))
"""Methods that leave the axes where they are."""
MAX_STEPS = 8
"""Names and methods that are followed to find out how a tensor was turned."""


class Turn:
    """How the axes of a tensor were brought into another order.

    ``how`` is a permutation as ``permute`` takes it, two axes that are swapped, two places of one that moves, or both
    sides of an einops pattern.
    """

    __slots__ = ("how", "kind", "source")

    def __init__(self, source: ast.expr, kind: str, how: tuple[object, ...]) -> None:
        self.source = source
        self.kind = kind
        self.how = how

    def undoes(self, other: Turn, rank: int) -> bool:
        """Whether one turn after the other leaves everything as it was."""
        if self.kind == other.kind == "pattern":
            return self.how == other.how[::-1]
        if "pattern" in (self.kind, other.kind):
            return True
        one, two = self.order(rank), other.order(rank)
        return one is not None and two is not None and [two[place] for place in one] == list(range(rank))

    def order(self, rank: int) -> list[int] | None:
        """The permutation of so many axes."""
        order = list(range(rank))
        places = [place % rank for place in self.how if isinstance(place, int) and -rank <= place < rank]
        if len(places) != len(self.how):
            return None
        if self.kind == "order":
            return places if sorted(places) == order else None
        first, second = places
        if self.kind == "move":
            order.insert(second, order.pop(first))
        else:
            order[first], order[second] = second, first
        return order


def is_turned_on_purpose(tree: ast.AST, given: ast.AST, rank: int) -> bool:
    """Whether an argument is turned for its call and the result turned back, or given in another order as well.

    Args:
        tree: a syntax tree that the argument is part of.
        given: the expression of the argument.
        rank: how many axes it has.
    """
    function = _around(tree, given)
    if function is None or not isinstance(given, ast.expr):
        return False
    parents = {id(child): node for node in nodes(function) for child in ast.iter_child_nodes(node)}
    call = parents.get(id(given))
    if isinstance(call, ast.keyword):
        call = parents.get(id(call))
    if not isinstance(call, ast.Call):
        return False
    made = _made(function)
    turn = _turn_of(given, made)
    if turn is not None and any(back.undoes(turn, rank) for back in _turned_results(call, parents, function)):
        return True
    for other, another in _other_orders(call, given, function, made):
        if turn is not None or any(back.undoes(another, rank) for back in _turned_results(other, parents, function)):
            return True
    return False


def _around(tree: ast.AST, given: ast.AST) -> ast.AST | None:
    """The innermost function that an expression stands in."""
    found: ast.AST | None = None
    row = getattr(given, "lineno", 0)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.lineno <= row <= (node.end_lineno or 0):
            found = node
    return found


def _made(function: ast.AST) -> Made:
    """What each variable is made of, with the rows where it is."""
    made: Made = {}
    for node in nodes(function):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            made.setdefault(node.targets[0].id, []).append((node.lineno, node.value))
    return made


def _turn_of(node: ast.expr, made: Made) -> Turn | None:
    """The last turn that an expression was made by."""
    for _ in range(MAX_STEPS):
        turn = _as_turn(node)
        if turn is not None:
            return turn
        inner = _same(node, made)
        if inner is None:
            return None
        node = inner
    return None


def _same(node: ast.expr, made: Made) -> ast.expr | None:
    """What an expression is another name of, its axes in the same order."""
    if isinstance(node, ast.Name):
        before = [(row, value) for row, value in made.get(node.id, ()) if row < node.lineno]
        return max(before, key=lambda item: item[0])[1] if before else None
    function = node.func if isinstance(node, ast.Call) else None
    return function.value if isinstance(function, ast.Attribute) and function.attr in _LEAVING else None


def _as_turn(node: ast.AST) -> Turn | None:
    if isinstance(node, ast.Attribute) and node.attr in _MATRIX:
        return Turn(node.value, "swap", (-2, -1))
    if not isinstance(node, ast.Call):
        return None
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    args = list(node.args)
    if name == "rearrange" and len(args) == 2:
        return _as_pattern(args[0], args[1])
    if not isinstance(node.func, ast.Attribute):
        return None
    source = node.func.value
    if isinstance(source, ast.Name) and source.id == "torch" and args:
        source, args = args[0], args[1:]
    if name in _MATRIX and not args:
        return Turn(source, "swap", (-2, -1))
    if len(args) == 1 and isinstance(args[0], (ast.Tuple, ast.List)):
        args = args[0].elts
    numbers = [_number(arg) for arg in args]
    if None in numbers or node.keywords:
        return None
    if name in (*_SWAPPING, *_MOVING) and len(numbers) == 2:
        return Turn(source, "swap" if name in _SWAPPING else "move", tuple(numbers))
    return Turn(source, "order", tuple(numbers)) if name == "permute" else None


def _as_pattern(source: ast.expr, pattern: ast.expr) -> Turn | None:
    text = pattern.value if isinstance(pattern, ast.Constant) else None
    words = [tuple(side.split()) for side in text.split("->")] if isinstance(text, str) else []
    if len(words) != 2 or sorted(words[0]) != sorted(words[1]):
        return None
    return Turn(source, "pattern", tuple(words))


def _number(node: ast.expr) -> int | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        found = _number(node.operand)
        return None if found is None else -found
    return node.value if isinstance(node, ast.Constant) and type(node.value) is int else None


def _turned_results(call: ast.Call, parents: dict[int, ast.AST], function: ast.AST) -> Iterator[Turn]:
    """The turns that are made of the result of a call, directly or through a variable."""
    names: set[str] = set()
    chain: list[ast.AST] = [call]
    for _ in range(MAX_STEPS):
        parent = parents.get(id(chain[-1]))
        if isinstance(parent, ast.Assign):
            names |= {target.id for target in parent.targets if isinstance(target, ast.Name)}
        if not isinstance(parent, (ast.Attribute, ast.Call)):
            break
        turn = _as_turn(parent)
        if turn is not None and turn.source in chain:
            yield turn
            return
        chain.append(parent)
    for other in nodes(function):
        turn = _as_turn(other)
        source = None if turn is None else turn.source
        while source is not None and not isinstance(source, ast.Name):
            source = _same(source, {})
        if turn is not None and isinstance(source, ast.Name) and source.id in names and source.lineno >= call.lineno:
            yield turn


def _other_orders(
    call: ast.Call, given: ast.expr, function: ast.AST, made: Made
) -> Iterator[tuple[ast.Call, Turn]]:
    """The other calls of the same helper with the same tensor in another order, and how it is turned there."""
    turn, root, helper = _turn_of(given, made), _root(given, made), ast.dump(call.func)
    for other in nodes(function):
        if not root or not isinstance(other, ast.Call) or other is call or ast.dump(other.func) != helper:
            continue
        for arg in [*other.args, *[keyword.value for keyword in other.keywords]]:
            another = _turn_of(arg, made) or Turn(arg, "order", ())
            if _root(arg, made) == root and another.how != (() if turn is None else turn.how):
                yield other, another


def _root(node: ast.expr, made: Made) -> str:
    """The variable that an expression is another order of."""
    name = ""
    for _ in range(MAX_STEPS):
        turn = _as_turn(node)
        inner = turn.source if turn is not None else _same(node, made)
        if isinstance(node, ast.Name):
            name = node.id
            if inner is not None and _as_turn(inner) is None and _same(inner, made) is None:
                break
        if inner is None:
            break
        node = inner
    return name
