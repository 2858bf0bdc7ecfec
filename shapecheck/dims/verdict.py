"""The three answers a question about sizes can have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from shapecheck.dims.dim import Dim


@dataclass(frozen=True, slots=True)
class Yes:
    """Equal for all sizes that the code can run with."""


@dataclass(frozen=True, slots=True)
class No:
    """Unequal for generic sizes; ``left`` and ``right`` are the two sides in their normal form."""

    left: Dim
    right: Dim
    because: str = ""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Neither could be shown; ``why`` names the reason in a few words."""

    why: str


Verdict = Yes | No | Unknown

YES: Final = Yes()
