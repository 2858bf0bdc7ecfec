"""Axis names tied to attributes of the instance, `dims={"D": "d_model"}`: what is refused, and when.

A tie that is none, and one whose axis no annotation mentions, are refused when the class or function is decorated; a
path that leads nowhere when an object has been made, or, where a subclass or later code may still set the attribute, at
the first call that needs it.
"""

from __future__ import annotations

import functools
import sys
import types
from typing import TYPE_CHECKING, Any

from shapecheck.runtime.errors import AnnotationUseError
from shapecheck.runtime.resolve import annotations_of, innermost, names_of_class, names_of_function

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from shapecheck.runtime.resolve import Names

DIMS = "__shapecheck_dims__"
PENDING = "__shapecheck_pending_dims__"
"""The ties of a class some of whose annotations could not be evaluated when it was decorated."""


def short(qualname: str) -> str:
    """A qualified name without the functions around it."""
    return qualname.rpartition("<locals>.")[2]


def inherited_ties(cls: type) -> dict[str, str]:
    """The ties of the bases of a class."""
    ties: dict[str, str] = {}
    for base in reversed(cls.__mro__[1:]):
        ties.update(base.__dict__.get(DIMS, {}))
    return ties


def refuse_malformed(owner: str, ties: dict[str, str]) -> None:
    """Raise when a tie does not name an axis and a path of attributes."""
    for name, text in ties.items():
        try:
            compile(f"self.{text}", "<dims>", "eval")
        except SyntaxError:
            right = False
        else:
            right = name.isidentifier()
        if not right:
            message = f"dims of {short(owner)}: {name!r}: {text!r} ties no axis name to an attribute"
            raise TypeError(message)


def refuse_unused(owner: str, ties: Iterable[str], used: Mentions, inherited: Mentions | None = None) -> bool:
    """Raise when a tie is one of an axis that no annotation has, so that it would do nothing.

    A class without tensors of its own may tie names for its subclasses.

    Args:
        owner: the class or function.
        ties: the names that it ties itself.
        used: the names that its annotations mention.
        inherited: the names that those of its bases mention.

    Returns:
        Whether all is known; some annotations may have to wait for names that come later.
    """
    missing = [name for name in ties if not used.may_have(name)]
    elsewhere = [name for name in missing if inherited is not None and name in inherited.names]
    if not missing or not used.certain or not (used.tensors or elsewhere):
        return not missing
    name = (elsewhere or missing)[0]
    if elsewhere:
        reason = "which only inherited methods mention; tie it on the class that defines them"
    else:
        reason = f"which none of its annotations mentions; they have {', '.join(sorted(used.names)) or 'no names'}"
    message = f"dims of {short(owner)} tie {name}, {reason}"
    raise AnnotationUseError(message)


class Mentions:
    """The axis names that the annotations of some functions and classes mention.

    certain: whether all annotations could be evaluated.
    tensors: whether there is any tensor among them.
    """

    def __init__(self) -> None:
        self.names: set[str] = set()
        self.certain = True
        self.tensors = False
        self._functions: list[types.FunctionType] = []
        self._texts: list[str] = []

    def add_class(self, cls: type, around: Callable[[types.FunctionType], dict[str, Any] | None] | None = None) -> None:
        """Add the methods and the body of a class; `around` tells the local names around a nested function."""
        for member in vars(cls).values():
            for function, local in functions_of(member):
                self.add_function(function, local if local or around is None else around(function))
        if "__annotations__" in vars(cls) or "__annotate__" in vars(cls) or "__annotate_func__" in vars(cls):
            self._add(annotations_of(cls).values(), names_of_class(cls))

    def add_function(self, function: types.FunctionType, local: dict[str, Any] | None) -> None:
        """Add a function; `local` are names around a nested one."""
        self._functions.append(function)
        self._add(annotations_of(function).values(), names_of_function(function, local))

    def _add(self, annotations: Iterable[object], names: Names) -> None:
        from shapecheck.annotations.hints import ArrayHint, InvalidHint, walk
        from shapecheck.annotations.live import hint_from_live
        from shapecheck.runtime.records import with_records

        for annotation in annotations:
            if "jaxtyping" not in sys.modules:  # to evaluate it might import that: too early
                self.certain = False
                self._texts.append(str(annotation))
                continue
            for part in walk(with_records(hint_from_live(annotation, names.evaluate), names)):
                if isinstance(part, ArrayHint):
                    self.tensors = True
                    self.names.update((*part.spec.shape.bound, *part.spec.shape.used))
                elif isinstance(part, InvalidHint):
                    self.certain = False
                    self._texts.append(part.text)

    def may_have(self, name: str) -> bool:
        """Whether an axis of this name may be there; only the source has the annotations of local variables."""
        if name in self.names:
            return True
        import re

        word = re.compile(rf"\b{re.escape(name)}\b")
        return any(map(word.search, self._texts)) or any(
            word.search(line) for function in self._functions for line in _lines_with_strings(function.__code__)
        )


def tie_function(target: Any, dims: dict[str, str]) -> None:
    """Refuse ties on a function that do nothing, and give the others to one that has been decorated already."""
    from shapecheck.runtime.resolve import local_names

    owner = getattr(target, "__qualname__", str(target))
    refuse_malformed(owner, dims)
    mentions = Mentions()
    for function, local in functions_of(target):
        owner = function.__qualname__
        mentions.add_function(function, local or local_names(function))
    mentions.tensors = True  # nothing inherits from a function
    refuse_unused(owner, dims, mentions)
    add_ties(target, dims)


def add_ties(member: Any, ties: dict[str, str], prefix: str = "") -> None:
    """Give ties to a method that has been decorated without them; its own are stronger.

    prefix: what the qualified name begins with if the method is the class's own, and not another's by assignment.
    """
    if isinstance(member, (staticmethod, classmethod)):
        return
    parts: tuple[Any, ...] = (member,)
    if isinstance(member, property):
        parts = (member.fget, member.fset, member.fdel)
    elif isinstance(member, functools.cached_property):
        parts = (member.func,)
    for part in parts:
        deferred = getattr(part, "__shapecheck__", None)
        if deferred is not None and deferred.function.__qualname__.startswith(prefix):
            deferred.dims = ties | (deferred.dims or {})


def functions_of(member: Any) -> list[tuple[types.FunctionType, dict[str, Any] | None]]:
    """The plain functions inside a member of a class, each with the local names around it that are known."""
    if isinstance(member, property):
        return [found for part in (member.fget, member.fset, member.fdel) for found in functions_of(part)]
    if isinstance(member, functools.cached_property):
        member = member.func
    member = getattr(member, "__func__", member)
    function = None if isinstance(member, type) else innermost(member)
    return [] if function is None else [(function, getattr(getattr(member, "__shapecheck__", None), "local", None))]


def _lines_with_strings(code: types.CodeType) -> list[str]:
    """The lines of a function's body that hold a string and a colon, as annotated local variables do."""
    import linecache

    last = max((line for _, _, line in code.co_lines() if line is not None), default=code.co_firstlineno)
    lines = linecache.getlines(code.co_filename)[code.co_firstlineno : last]
    found = [line for line in lines if ":" in line and ('"' in line or "'" in line)]
    nested = [part for part in code.co_consts if isinstance(part, types.CodeType)]
    return found + [line for part in nested for line in _lines_with_strings(part)]


def size_of(instance: Any, owner: str, name: str, text: str) -> Any:
    """The size that a tie gives an axis.

    Raises:
        AnnotationUseError: when the path leads nowhere, or to what is no size.
    """
    try:
        size = eval(f"self.{text}", {"self": instance})  # noqa: S307  # the user's own expression
    except (AttributeError, LookupError, TypeError) as error:
        message = f"dims of {short(owner)} tie {name} to self.{text}, which is not there: {error}"
        raise AnnotationUseError(message) from None
    if not hasattr(type(size), "__index__"):
        what = "None" if size is None else f"of type {type(size).__name__}"
        message = f"dims of {short(owner)} tie {name} to self.{text}, which is no size: it is {what}"
        raise AnnotationUseError(message)
    return size


def verify_at_construction(cls: Any, ties: dict[str, str]) -> None:
    """Have every tie of a class looked up when one of its objects has been made."""
    init: Any = vars(cls).get("__init__", cls.__init__)
    if not isinstance(init, types.FunctionType):
        return  # nothing to wait for: attributes may be set at any time
    own = "__init__" in vars(cls)

    @functools.wraps(init)
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807
        if own:
            init(self, *args, **kwargs)
        else:  # ours takes part in the cooperation of the bases, and stands for theirs
            super(cls, self).__init__(*args, **kwargs)
        kind = type(self)
        # The constructor of a subclass may have more to set.
        if any("__init__" in vars(base) for base in kind.__mro__[: kind.__mro__.index(cls)]):
            return
        if vars(cls).get(PENDING):
            mentions = Mentions()
            mentions.add_class(cls)
            refuse_unused(cls.__qualname__, vars(cls)[PENDING], mentions)
            setattr(cls, PENDING, ())
        for name, text in ties.items():
            try:
                size_of(self, cls.__qualname__, name, text)
            except AnnotationUseError:
                raise
            except Exception:  # noqa: BLE001, S112  # a property that is not ready yet: its own error comes with a call
                continue

    cls.__init__ = __init__
