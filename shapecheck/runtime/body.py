"""`isinstance(x, Float[Tensor, "B T"])` inside a checked body: it sees the sizes of the call.

Such a test is jaxtyping's own; it looks into a stack of bindings, one entry per call, which is filled here for the
functions whose code can make such a test, or that call a function which makes it in their name, and only for those.
"""

from __future__ import annotations

import sys
import types
import typing
from typing import Any

from shapecheck.annotations.hints import InvalidHint, arrays
from shapecheck.annotations.live import hint_from_live, is_array_class, is_pytree_class
from shapecheck.runtime.resolve import annotations_of, innermost, names_of_function

CHECK = "__shapecheck_local__"


_DEPTH = 2
"""How far unchecked functions that call each other are followed."""

_OTHERS = {"torch", "numpy", "einops", "jax", "jaxtyping", "beartype", "builtins"}
"""Packages whose functions do not test the sizes of their callers."""


def tests_arrays(function: types.FunctionType) -> bool:
    """Whether the code of a function, or of one nested in it, mentions both `isinstance` and jaxtyping's types.

    So do functions that print their bindings, and those whose local variables are checked. Functions without sizes of
    their own count as part of those that call them by name: what they test is tested in the sizes of their caller.
    """
    return "jaxtyping" in sys.modules and _tests_arrays(function, set(), _DEPTH)


def _tests_arrays(function: types.FunctionType, seen: set[types.CodeType], depth: int) -> bool:
    seen.add(function.__code__)
    names: set[str] = set()
    collect_names(function.__code__, names)
    if CHECK in names or "print_bindings" in names:
        return True
    tested = "isinstance" in names
    for value in _values(function, names):
        if tested and mentions_arrays(value):
            return True
        if not isinstance(value, types.FunctionType) or _has_sizes(value):
            continue
        if borrows_sizes(value):
            return True
        if depth and value.__code__ not in seen and _tests_arrays(value, seen, depth - 1):
            return True
    return False


def _values(function: types.FunctionType, names: set[str]) -> list[Any]:
    """What the names in a function's code mean: globals, free variables, and what modules and the own class have."""
    known = names_of_function(function, None)
    found = [known.module[name] for name in names if name in known.module]
    found += [known[name] for name in names if name in dict.keys(known)]
    holders = [value for value in found if isinstance(value, (types.ModuleType, type)) and not _is_other(value)]
    if isinstance(known.owner, type):
        holders.append(known.owner)
    for holder in holders:
        members = vars(holder)
        found += [_bare(members[name]) for name in names if name in members]
    return found


def _bare(member: Any) -> Any:
    return member.__func__ if isinstance(member, (staticmethod, classmethod)) else member


def _is_other(value: Any) -> bool:
    name: Any = getattr(value, "__module__", None) or getattr(value, "__name__", "")
    return isinstance(name, str) and name.partition(".")[0] in _OTHERS


def _has_sizes(function: types.FunctionType) -> bool:
    """Whether a function's calls have sizes of their own, or it makes no tests at all."""
    return (
        "__shapecheck__" in function.__dict__ or function.__globals__.get("__name__", "").partition(".")[0] in _OTHERS
    )


def borrows_sizes(value: types.FunctionType) -> bool:
    """Whether beartype or typeguard alone checks a function: its tensors are then tested in the sizes of its caller."""
    checked = (
        "__beartype_wrapper" in value.__dict__
        or value.__globals__.get("__name__") == "typeguard"  # 2
        or "check_argument_types_internal" in value.__code__.co_varnames  # 4
    )
    function = innermost(value)
    if not checked or function is None:
        return False
    evaluate = names_of_function(function, None).evaluate
    hints = [hint_from_live(annotation, evaluate) for annotation in annotations_of(function).values()]
    return any(arrays(hint) or isinstance(hint, InvalidHint) for hint in hints)


def collect_names(code: types.CodeType, names: set[str]) -> None:
    """The global and free names of a code object and of all inside it."""
    names.update(code.co_names, code.co_freevars)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            collect_names(constant, names)


def mentions_arrays(value: object) -> bool:
    """Whether a value is jaxtyping, one of its families, an annotation, or a union with one."""
    jaxtyping = sys.modules["jaxtyping"]
    if value is jaxtyping or is_array_class(value) or is_pytree_class(value):
        return True
    if isinstance(value, type):
        return issubclass(value, jaxtyping.AbstractDtype)
    return any(is_array_class(part) for part in typing.get_args(value))


STRUCTURE = "tree "
"""What the names of PyTree structures start with among those of sizes."""


def enter(arguments: dict[str, Any], sizes: dict[str, Any]) -> None:
    """Put a call's sizes where jaxtyping looks for them. Variadic names have a star and may have their flag."""
    from jaxtyping._storage import push_shape_memo

    single, variadic, trees, _ = push_shape_memo(arguments)
    for name, size in sizes.items():
        if size is None:
            continue
        if name.startswith(STRUCTURE):
            trees[name[len(STRUCTURE) :]] = size
        elif not name.startswith("*"):
            single[name] = size
        else:
            flagged = len(size) == 2 and isinstance(size[0], bool)
            variadic[name[1:]] = size if flagged else (False, tuple(size))


def leave() -> dict[str, Any]:
    """Take the sizes back, those that the body has bound included."""
    from jaxtyping._storage import get_shape_memo, pop_shape_memo

    single, variadic, trees, _ = get_shape_memo()  # type: ignore[no-untyped-call]
    pop_shape_memo()
    flags = {f"*{name}": flagged for name, flagged in variadic.items()}
    return {**single, **flags, **{f"{STRUCTURE}{name}": tree for name, tree in trees.items()}}
