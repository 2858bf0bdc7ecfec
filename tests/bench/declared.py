"""Annotations read for running code: tensors of the shapes they declare, and whether a result has one.

Written apart from the checker's own reading of annotations, for what single functions need: names, numbers,
expressions, `...`, `*names`; anything else makes a function one that cannot be run.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from typing import TYPE_CHECKING, Any

import torch

if TYPE_CHECKING:
    from collections.abc import Sequence

FLOATS = frozenset(("Float", "Float32", "Inexact", "Num", "Shaped", "Real"))
INTEGERS = frozenset(("Int", "Int64", "Int32", "Integer", "UInt8"))
MOST = 2_000_000
"""Elements of the largest tensor that is made."""
VARIADIC = (3, 2)
"""The sizes of `...` and of `*names`."""


class NotRunnableError(Exception):
    """The function cannot be run apart from its package."""


def declared(hint: ast.expr | None) -> tuple[str, str] | None:
    """The family of numbers and the shape string of one array's annotation, also an optional one."""
    if isinstance(hint, ast.BinOp):
        return declared(hint.left) or declared(hint.right)
    if not isinstance(hint, ast.Subscript):
        return None
    name = getattr(hint.value, "attr", getattr(hint.value, "id", ""))
    parts = hint.slice.elts if isinstance(hint.slice, ast.Tuple) else [hint.slice]
    if name == "Optional":
        return declared(hint.slice)
    if name not in {*FLOATS, *INTEGERS, "Bool"} or not isinstance(parts[-1], ast.Constant):
        return None
    text = parts[-1].value
    return (name, text) if isinstance(text, str) else None


def axis_names(function: ast.FunctionDef) -> list[str]:
    """Every axis name that the parameters declare, in the order written."""
    arguments = function.args
    found: dict[str, None] = {}
    for arg in (*arguments.args, *arguments.kwonlyargs):
        for node in ast.walk(arg.annotation) if arg.annotation is not None else ():
            array = declared(node) if isinstance(node, ast.expr) else None
            for written in array[1].split() if array else ():
                if re.fullmatch(r"[A-Za-z_]\w*", written.lstrip("#").partition("=")[0]) and written != "_":
                    found[written.lstrip("#").partition("=")[0]] = None
    return list(found)


def shape_of(text: str, sizes: dict[str, int]) -> tuple[int, ...]:
    """The sizes of a shape string.

    Raises:
        NotRunnableError: a part of it is not a name that is bound, a number or an expression of these.
    """
    shape: list[int] = []
    for written in text.split():
        bare = written.lstrip("#")
        if bare == "..." or bare.startswith("*"):
            shape += VARIADIC
        elif "=" in bare:
            shape.append(int(bare.partition("=")[2]))
        else:
            shape.append(_size(bare, sizes))
    return tuple(shape)


def _size(text: str, sizes: dict[str, int]) -> int:
    if text == "_":
        return 6
    if not re.fullmatch(r"[\w+\-*/() ]+", text):
        raise NotRunnableError(text)
    try:
        return int(eval(text, {"__builtins__": {}}, dict(sizes)))  # noqa: S307 - arithmetic of names and numbers
    except (NameError, SyntaxError, TypeError, ValueError, ZeroDivisionError) as error:
        raise NotRunnableError(text) from error


def argument(arg: ast.arg, sizes: dict[str, int], generator: torch.Generator) -> Any:
    """A value for a parameter.

    Raises:
        NotRunnableError: its annotation does not say what to pass.
    """
    hint = arg.annotation
    if hint is None:
        raise NotRunnableError(arg.arg)
    if isinstance(hint, ast.Name) and hint.id in {"int", "float", "bool"}:
        return {"int": sizes.get(arg.arg, 2), "float": 0.5, "bool": False}[hint.id]
    return _value(hint, sizes, generator)


def _value(hint: ast.expr, sizes: dict[str, int], generator: torch.Generator) -> Any:
    array = declared(hint)
    if array is None:
        name = getattr(hint.value, "id", "") if isinstance(hint, ast.Subscript) else ""
        if name in {"list", "List"}:
            return [_value(hint.slice, sizes, generator) for _ in range(2)]
        if name in {"tuple", "Tuple"} and isinstance(hint.slice, ast.Tuple):
            return tuple([_value(part, sizes, generator) for part in hint.slice.elts])
        raise NotRunnableError(ast.unparse(hint))
    family, text = array
    shape = shape_of(text, sizes)
    if torch.Size(shape).numel() > MOST:
        raise NotRunnableError(text)
    if family in INTEGERS:
        return torch.randint(0, 2, shape, generator=generator)
    drawn = torch.randn(shape, generator=generator)
    return drawn > -0.5 if family == "Bool" else drawn


def leaves(result: Any) -> list[torch.Tensor] | None:
    """The tensors of a result in order, numbers as tensors; None if it holds anything else."""
    if isinstance(result, torch.Tensor):
        return [result]
    if isinstance(result, (bool, int, float)):
        return [torch.tensor(result)]
    if result is None:
        return []
    if dataclasses.is_dataclass(result):
        result = vars(result)
    if isinstance(result, dict):
        result = list(result.values())
    if not isinstance(result, (list, tuple)):
        return None
    parts = [leaves(part) for part in result]
    return None if None in parts else [leaf for part in parts for leaf in part or ()]


def holds(hint: ast.expr | None, result: Any, sizes: dict[str, int]) -> bool | None:
    """Whether a result has the shape that is declared; None where nothing is declared."""
    bound = dict(sizes)
    found = _hold(hint, result, bound)
    return None if not found else all(found)


def _hold(hint: ast.expr | None, result: Any, bound: dict[str, int]) -> list[bool]:
    array = declared(hint)
    if array is not None:
        return [_fits(array[1].split(), result.shape, bound)] if isinstance(result, torch.Tensor) else []
    if isinstance(hint, ast.Subscript) and isinstance(hint.slice, ast.Tuple) and isinstance(result, tuple):
        parts = hint.slice.elts
        if len(parts) != len(result):
            return [False] if ast.unparse(parts[-1]) != "..." else []
        return [held for part, one in zip(parts, result, strict=True) for held in _hold(part, one, bound)]
    return []


def _fits(writtens: Sequence[str], shape: Sequence[int], bound: dict[str, int]) -> bool:
    """Compare axis by axis; a name that nothing has bound yet is bound here."""
    free = [place for place, written in enumerate(writtens) if written == "..." or written.startswith("*")]
    if free:
        before, behind = writtens[: free[0]], writtens[free[0] + 1 :]
        if len(shape) < len(before) + len(behind):
            return False
        middle = tuple(shape[len(before) : len(shape) - len(behind)])
        named = writtens[free[0]] != "..." and writtens[free[0]][1:] in bound
        return (
            _fits(before, shape[: len(before)], bound)
            and _fits(behind, shape[len(shape) - len(behind) :], bound)
            and (not named or middle == VARIADIC)
        )
    if len(writtens) != len(shape):
        return False
    for written, size in zip(writtens, shape, strict=True):
        bare = written.lstrip("#").partition("=")[0]
        if re.fullmatch(r"[A-Za-z_]\w*", bare):
            if bare != "_" and bound.setdefault(bare, size) != size:
                return False
        else:
            try:
                if _size(bare, bound) != size:
                    return False
            except NotRunnableError:
                continue  # an expression of names that nothing binds
    return True
