"""What a failing call raises, and what is warned about."""

from __future__ import annotations

from typing import Any


class ShapeError(TypeError):
    """A call whose tensors are not what the signature declares.

    Attributes:
        function: qualified name of the function.
        argument: the parameter at fault, "x" or "xs[2]", or "return", "yield".
        axis: index of the axis at fault, counted from 0; None when the whole value is (its type, dtype or rank).
        name: the axis as annotated, "D" or "2*D"; None where there is no axis.
        expected, actual: sizes for an axis, numbers of axes for a rank, names for a type or dtype.
    """

    # Class attributes and no `__init__`: Dynamo must be able to make one while it traces.
    function: str = ""
    argument: str = ""
    axis: int | None = None
    name: str | None = None
    expected: Any = None
    actual: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), self.args, dict(self.__dict__))


class AnnotationUseError(ValueError):
    """An annotation that cannot be checked: it does not parse, or needs a size that nothing has bound yet."""


class ShapecheckWarning(UserWarning):
    """Something annotated that is left unchecked, and why."""


for _public in (ShapeError, AnnotationUseError, ShapecheckWarning):
    _public.__module__ = "shapecheck"  # the name it is imported and shown by
