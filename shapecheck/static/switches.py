"""Switches: bools of a constructor that decide how many there are of something.

``bidirectional`` says how many directions a recurrent layer has: ``2 if bidirectional else 1`` and the first axis of
its states are known together, or not at all. The methods are interpreted once more for an object that was made with
True, for which the number was made a variable, and for one with False unless True is the default: many a class is
written for its default, and has the flag because others have it.
"""

from __future__ import annotations

import ast

from shapecheck.shapes import Constant, Number
from shapecheck.static.cases import Case
from shapecheck.static.signature import signature_of
from shapecheck.static.walk import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from shapecheck.dims import Scope
    from shapecheck.shapes import AnyValue
    from shapecheck.static.signature import Signature
    from shapecheck.static.values import Instance

MAX_SWITCHES = 2
"""Bools of one constructor that are taken apart."""
COUNTING = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Pow, ast.LShift)
"""Operators that take a bool for 0 or 1."""


def switch_cases(
    instance: Instance, make: Callable[[dict[str, AnyValue]], tuple[Instance, Scope] | None]
) -> list[Case]:
    """A case for each value of the switches of an object.

    Args:
        instance: the object, made with arguments of which nothing is known.
        make: makes one with some arguments given; None where the constructor refuses them.
    """
    found = instance.cls.method("__init__")
    flags = {
        name for name, value in instance.parameters.items() if isinstance(value, Number) and value.name == "bool"
    }
    if found is None or not flags:
        return []
    cases = []
    for flag in _counting(found[1], flags)[:MAX_SWITCHES]:
        for value in (True,) if _is_on(signature_of(found[1], found[0].index), flag) else (True, False):
            made = make({flag: Constant(value)})
            if made is not None:
                cases.append(Case(flag, str(value), made=made))
    return cases


def _is_on(signature: Signature, flag: str) -> bool:
    """Whether a parameter is True by default."""
    return any(
        parameter.name == flag and isinstance(parameter.default, ast.Constant) and parameter.default.value is True
        for parameter in signature.parameters
    )


def _counting(constructor: ast.AST, flags: set[str]) -> list[str]:
    """Which of the bools become numbers in a constructor, or say how many directions a layer has."""
    found: dict[str, None] = {}
    for node in nodes(constructor):
        for part in _numbers_of(node):
            name = _flag(part)
            if name in flags:
                found[name] = None
    return list(found)


def _flag(node: ast.expr) -> str:
    """The name of a parameter, or of the attribute that is called the same; empty for what is neither."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _numbers_of(node: ast.AST) -> list[ast.expr]:
    """What is taken for a number in a node, if it is a bool."""
    if isinstance(node, ast.IfExp):
        return [node.test] if _is_int(node.body) and _is_int(node.orelse) else []
    if isinstance(node, ast.If):
        assigned = [part for part in node.body if isinstance(part, ast.Assign) and _is_int(part.value)]
        return [node.test] if assigned else []
    if isinstance(node, ast.BinOp):
        return [node.left, node.right] if isinstance(node.op, COUNTING) else []
    if isinstance(node, ast.Call):
        whole = node.args if isinstance(node.func, ast.Name) and node.func.id == "int" else []
        return [*whole, *[each.value for each in node.keywords if each.arg == "bidirectional"]]
    return []


def _is_int(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) is int
