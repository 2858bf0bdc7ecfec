"""A project's vocabulary of axes: which spellings stand for one axis, as ``[tool.shapecheck.axes]`` lists them.

``t = ["T", "seq"]`` says that `t`, `T` and `seq` are one axis wherever two functions meet. Inside of one function they
stay as many axes as it has names: an attention over ``"b t d"`` and ``"b seq d"`` tells the two apart on purpose.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeAlias

    Vocabulary: TypeAlias = Mapping[str, str]
    """Spelling to axis; a spelling that is missing is an axis of its own."""


class VocabularyError(ValueError):
    """A vocabulary that is no table of axis = [spellings], or in which one spelling stands for two axes."""


def read_vocabulary(table: object) -> Vocabulary:
    """Return the axis of every spelling.

    Args:
        table: the value of the setting: axis name to the list of its other spellings.

    Raises:
        VocabularyError: a wrong type, a name that no axis can have, or a spelling of two axes. The message begins with
            the key that is wrong.
    """
    if not isinstance(table, dict):
        raise VocabularyError('axes must be a table of axis = ["spelling", ...]')
    found: dict[str, str] = {}
    for axis, spellings in table.items():
        key = f"axes.{axis}"
        if not isinstance(spellings, list) or not all(isinstance(spelling, str) for spelling in spellings):
            raise VocabularyError(f"{key} must be a list of strings, the other spellings of the axis")
        for spelling in (axis, *spellings):
            if not spelling.isidentifier():
                raise VocabularyError(f"{key}: {spelling!r} cannot be the name of an axis")
            known = found.setdefault(spelling, axis)
            if known != axis:
                raise VocabularyError(f"{key}: {spelling!r} already stands for the axis {known!r}")
    return found
