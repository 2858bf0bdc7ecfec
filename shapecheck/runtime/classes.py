"""Decorating a class: every annotated method it defines, in place."""

from __future__ import annotations

import functools
import types
import warnings
from typing import Any

from shapecheck.runtime.decorator import CHANGED, MARK, decorate, is_unchecked, takes_the_same
from shapecheck.runtime.errors import ShapecheckWarning
from shapecheck.runtime.gradients import is_autograd_class, is_method
from shapecheck.runtime.resolve import NO_ANNOTATIONS, has_annotations, innermost, local_names
from shapecheck.runtime.ties import (
    DIMS,
    PENDING,
    Mentions,
    add_ties,
    inherited_ties,
    refuse_malformed,
    refuse_unused,
    verify_at_construction,
)


def decorate_class(cls: type, dims: dict[str, str] | None, *, check_locals: bool = False) -> type:
    """Check the annotated methods that the class itself defines; inherited ones are checked where they are defined.

    `dims` are inherited: a decorated subclass has those of its bases and its own.
    """
    if is_unchecked(cls):
        return cls
    inherited = inherited_ties(cls)
    ties = inherited | (dims or {})
    if dims:
        refuse_malformed(cls.__qualname__, dims)
        _refuse_unused(cls, dims)
    if ties:
        setattr(cls, DIMS, ties)
    gradients = is_autograd_class(cls)
    for name, member in list(vars(cls).items()):
        if isinstance(member, type):
            if member.__qualname__.startswith(f"{cls.__qualname__}."):
                decorate_class(member, None, check_locals=check_locals)
            continue
        here = check_locals and _can_check_locals(member, cls)
        if here or _wants_check(member) or (gradients and _gives_gradients(member)):
            changed = next((found for found in _plain(member) if not takes_the_same(*found)), None)
            if changed is not None:
                warnings.warn(f"{changed[1].__qualname__} is not checked: {CHANGED}", ShapecheckWarning, stacklevel=5)
                continue
            bound = not isinstance(member, (staticmethod, classmethod))
            checked = decorate(member, ties if bound else None, check_locals=here)
            _tell_name(checked, cls)
            setattr(cls, name, checked)
        elif ties:
            add_ties(member, ties, f"{cls.__qualname__}.")
    if ties:
        verify_at_construction(cls, ties)
    return cls


def _plain(member: Any) -> list[tuple[types.FunctionType, types.FunctionType]]:
    """The functions that a member consists of, each with the one inside that has the annotations."""
    if isinstance(member, property):
        return [found for part in (member.fget, member.fset, member.fdel) for found in _plain(part)]
    if isinstance(member, (staticmethod, classmethod)):
        return _plain(member.__func__)
    member = getattr(member, "func", member)
    function = innermost(member)
    return [(member, function)] if isinstance(member, types.FunctionType) and function is not None else []


def _refuse_unused(cls: type, dims: dict[str, str]) -> None:
    """Refuse ties of axes that are not there, now or when the names of all annotations are known."""
    own, above = Mentions(), Mentions()
    own.add_class(cls, local_names)
    for base in cls.__mro__[1:]:
        if any(MARK in getattr(member, "__dict__", {}) for member in vars(base).values()):
            above.add_class(base)
    if not refuse_unused(cls.__qualname__, dims, own, above):
        setattr(cls, PENDING, tuple(dims))


def _tell_name(checked: Any, cls: type) -> None:
    """Let annotations in quotes mention the class and what it holds; inside of a function nothing else does."""
    if "<locals>" not in cls.__qualname__:
        return
    for part in (checked, getattr(checked, "__func__", None), getattr(checked, "fget", None)):
        deferred = getattr(part, MARK, None)
        if deferred is not None:
            own = {name: value for name, value in vars(cls).items() if not isinstance(value, NO_ANNOTATIONS)}
            deferred.local = {**own, cls.__name__: cls, **(deferred.local or {})}


def _gives_gradients(member: Any) -> bool:
    """Whether a member of an autograd function is one of the methods that are watched, annotated or not."""
    function = innermost(member.__func__) if isinstance(member, staticmethod) else None
    return function is not None and is_method(function) and not is_unchecked(member.__func__)


def _can_check_locals(member: Any, cls: type) -> bool:
    """Whether a member of a class has local variables that are to be checked."""
    from shapecheck.runtime.recompiled import has_annotated_locals

    if isinstance(member, property):
        return any(_can_check_locals(part, cls) for part in (member.fget, member.fset, member.fdel) if part is not None)
    if isinstance(member, (staticmethod, classmethod)):
        member = member.__func__
    elif isinstance(member, functools.cached_property):
        member = member.func
    if not isinstance(member, types.FunctionType) or MARK in member.__dict__ or is_unchecked(member):
        return False
    function = innermost(member)
    # What `@dataclass` has written has no source, nor local variables of the user's.
    written = hasattr(cls, "__dataclass_fields__") and member.__code__.co_filename == "<string>"
    if function is None or written or not has_annotated_locals(function):
        return False
    if function is not member:
        message = (
            f"the local variables of {function.__qualname__} are not checked: "
            "put @shapechecked(locals=True) on it, below its other decorators"
        )
        warnings.warn(message, ShapecheckWarning, stacklevel=5)
        return False
    return True


def _wants_check(member: Any) -> bool:
    """Whether a member of a class is something callable with annotations of its own."""
    if isinstance(member, (staticmethod, classmethod)):
        return _wants_check(member.__func__)  # may be a property, before Python 3.13
    if isinstance(member, property):
        return any(_wants_check(part) for part in (member.fget, member.fset, member.fdel) if part is not None)
    if isinstance(member, (functools.cached_property, functools.partialmethod)):
        member = member.func
    if not isinstance(member, types.FunctionType) or MARK in member.__dict__ or is_unchecked(member):
        return False
    function = innermost(member)
    return function is not None and has_annotations(function)
