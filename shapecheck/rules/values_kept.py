"""Operations that keep a trait: the last of the watchers, so that what a rule says of the values goes first."""

from __future__ import annotations

from shapecheck.rules.observed import Observed, Trait, watch_marked
from shapecheck.rules.traits import (
    CLAMPS,
    DROPOUTS,
    DROPPED,
    IDENTITIES,
    MOVED,
    ORDERED,
    PERMUTED,
    RAISED,
    RAISES,
    SAME,
    SCALED,
    SCALES,
    is_number,
    with_trait,
)
from shapecheck.shapes import Constant, Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

SMALL: Final = 1e-3
"""Up to here a lower bound only keeps from zero."""


def _carry(call: Observed, how: str, *, ordered: bool = True, operand: int = 0) -> None:
    source, result = call.tensor(operand, "input", "other", "tensor", "self"), call.result
    if source is None or not isinstance(result, Tensor) or result.mark is not None:
        return
    if isinstance(source.mark, Trait):
        trait = source.mark.through(how, source.shape, result.shape, ordered=ordered)
        if trait is not None:
            call.result = with_trait(result, trait)


@watch_marked(*IDENTITIES)
def _same(call: Observed) -> None:
    _carry(call, SAME)


@watch_marked(*DROPOUTS)
def _dropped(call: Observed) -> None:
    _carry(call, DROPPED)


@watch_marked(*SCALES)
def _scaled(call: Observed) -> None:
    if is_number(call.argument(1, "other")):
        _carry(call, SCALED)
    elif is_number(call.argument(0, "input")) and call.name.endswith(("mul", "multiply")):
        _carry(call, SCALED, operand=1)


@watch_marked(*RAISES)
def _raised(call: Observed) -> None:
    if is_number(call.argument(1, "other")):
        _carry(call, RAISED)
    elif is_number(call.argument(0, "input")) and call.name.endswith("add"):
        _carry(call, RAISED, operand=1)


@watch_marked(*CLAMPS)
def _kept_from_zero(call: Observed) -> None:
    bound = call.argument(1, "min")
    small = not isinstance(bound, Constant) or (isinstance(bound.value, float) and bound.value <= SMALL)
    if is_number(bound) and small and call.argument(2, "max") is None:
        _carry(call, RAISED)


@watch_marked(*ORDERED)
def _ordered(call: Observed) -> None:
    _carry(call, MOVED)


@watch_marked(*PERMUTED)
def _permuted(call: Observed) -> None:
    _carry(call, MOVED, ordered=False)
