"""Hints that are no tensors: plain classes inline, everything else through beartype."""

from __future__ import annotations

import sys
import typing
import warnings

from shapecheck.annotations.hints import OtherHint
from shapecheck.runtime.errors import ShapecheckWarning

if typing.TYPE_CHECKING:
    from collections.abc import Callable

ANYTHING = frozenset(
    {"typing.Any", "builtins.object", "inspect._empty", "typing.Self", "typing.NoReturn", "typing.Never"}
)


def accepts_anything(hint: OtherHint) -> bool:
    """Whether nothing is to be checked.

    `Self` can only be checked by somebody who knows the class; beartype refuses it outside of one.
    """
    if isinstance(hint.value, (typing.ParamSpecArgs, typing.ParamSpecKwargs, typing.TypeVarTuple)):
        return True
    return hint.name in ANYTHING or (isinstance(hint.value, typing.TypeVar) and _unbounded(hint.value))


def _unbounded(variable: typing.TypeVar) -> bool:
    return variable.__bound__ is None and not variable.__constraints__


def plain_class(hint: OtherHint) -> type | None:
    """The class with which `isinstance` is all that beartype would do, or None."""
    value = hint.value
    if hint.args or not isinstance(value, type) or isinstance(value, type(list[int])):
        return None
    # Metaclasses and special classes (protocols, typed dictionaries, enumerations) have rules of their own.
    if type(value) is type and not hasattr(value, "__supertype__") and typing.Generic not in value.__mro__:
        return value
    torch = sys.modules.get("torch")
    if torch is not None and issubclass(value, torch.Tensor):
        return value
    return None


def tester(hint: OtherHint) -> Callable[[object], bool]:
    """A function that says whether a value is one of the hint's. beartype is imported here, at the first such hint."""
    if accepts_anything(hint):
        return lambda _: True
    cls = plain_class(hint)
    if cls is not None:
        return lambda value: isinstance(value, cls)
    from beartype.door import is_bearable
    from beartype.roar import BeartypeException

    live: typing.Any = hint.value
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # beartype has opinions on the spelling of hints
            is_bearable(None, live)
    except BeartypeException as error:
        reason = str(error).splitlines()[0]
        warnings.warn(f"values of `{hint.text}` are not checked: {reason}", ShapecheckWarning, stacklevel=2)
        return lambda _: True

    def test(value: object) -> bool:
        try:
            return is_bearable(value, live)
        except Exception:  # noqa: BLE001  # a tensor without axes has no `len`, which beartype asks of containers
            return True

    return test
