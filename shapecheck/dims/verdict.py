"""The three answers a question about sizes can have.

Written out by hand, like every class of this layer: ``dataclasses`` costs more to import than a small file to check.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from shapecheck.dims.dim import Dim


class Yes:
    """Equal for all sizes that the code can run with. There is one object of it: ``YES``."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "YES"


class No:
    """Unequal for generic sizes; ``left`` and ``right`` are the two sides in their normal form."""

    __slots__ = ("because", "left", "right")

    def __init__(self, left: Dim, right: Dim, because: str = "") -> None:
        self.left = left
        self.right = right
        self.because = because
        """``"parameters"`` where two parameters of one signature would have to be equal."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, No) and (self.left, self.right, self.because) == (
            other.left,
            other.right,
            other.because,
        )

    def __hash__(self) -> int:
        return hash((self.left, self.right, self.because))

    def __repr__(self) -> str:
        return f"No({self.left} is not {self.right}{', ' if self.because else ''}{self.because})"


class Unknown:
    """Neither could be shown; ``why`` names the reason in a few words."""

    __slots__ = ("why",)

    def __init__(self, why: str) -> None:
        self.why = why

    def __repr__(self) -> str:
        return f"Unknown({self.why!r})"


Verdict = Yes | No | Unknown

YES: Final = Yes()
