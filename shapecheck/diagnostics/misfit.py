"""A value that does not keep its declaration: facts, never sentences."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.annotations.hints import Hint
    from shapecheck.dims import Dim
    from shapecheck.shapes import AnyValue


class Misfit:
    """Which tensor of a value does not keep which declaration, and on which axis.

    ``axis`` is the index of the token in the declared shape and ``position`` that of the axis in the tensor, or None
    where the numbers of axes differ; ``path`` says which item of a tuple it is, as ``[1]``.
    """

    __slots__ = ("actual", "axis", "because", "expected", "hint", "path", "position", "value")

    def __init__(
        self,
        hint: Hint,
        value: AnyValue,
        *,
        axis: int | None = None,
        position: int | None = None,
        expected: Dim | None = None,
        actual: Dim | None = None,
        because: str = "",
    ) -> None:
        self.hint = hint
        self.value = value
        self.axis = axis
        self.position = position
        self.expected = expected
        self.actual = actual
        self.because = because
        self.path = ""
