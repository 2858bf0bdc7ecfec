"""What is asked of a hint as a whole: the names it binds, the names it needs, the class of a container."""

from __future__ import annotations

import typing

from shapecheck.annotations.hints import arrays

if typing.TYPE_CHECKING:
    from shapecheck.annotations.hints import DictHint, Hint, SequenceHint


def names_of(hint: Hint) -> list[str]:
    """The names that a hint binds; variadic ones with their star."""
    return list(
        dict.fromkeys(
            ("*" if axis.variadic else "") + axis.name
            for array in arrays(hint)
            for axis in array.spec.shape.axes
            if axis.kind == "name"
        )
    )


def expression_names(hint: Hint) -> list[str]:
    """The names that the expressions of a hint need."""
    return [name for array in arrays(hint) for name in array.spec.shape.used]


def container_class(hint: SequenceHint | DictHint) -> type:
    """The live class of a container hint."""
    origin: type = typing.get_origin(hint.value)  # type: ignore[assignment]
    return origin
