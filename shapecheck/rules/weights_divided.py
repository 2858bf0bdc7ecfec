"""SC306: weighted sums of which the sum of the weights is taken into account behind them.

``a @ v / a.sum(-1, keepdim=True)`` is a weighted mean, and ``a @ v - a.sum(-1, keepdim=True) * centres`` sums what the
members of a cluster differ from its centre. The weighted sum remembers what is suspected of it; the sum of the same
weights, along the very axis that was summed, excuses it. So does the sum of a scale: then the scale is the weights.
"""

from __future__ import annotations

from shapecheck.rules.expectations import ScaleTotal
from shapecheck.rules.observed import Observed, Trait, methods, watch, watch_marked
from shapecheck.rules.traits import DIVISIONS, MOVED, SAME, SCALED, Total, with_trait
from shapecheck.shapes import Axis, Fault, Shape, Tensor, Undecided, current, scope


class Unnormalised(Trait):
    """Sums whose weights do not add up to 1, as the ``suspicions`` say."""

    __slots__ = ("suspicions",)
    kept = frozenset((SAME, MOVED, SCALED))

    def __init__(self, suspicions: list[Undecided]) -> None:
        super().__init__("unnormalised", None)
        self.suspicions = suspicions


class Share(Trait):
    """Values times the sum of weights along one axis."""

    __slots__ = ("total",)

    def __init__(self, total: Total) -> None:
        super().__init__("share", None)
        self.total = total


@watch("operator.matmul", *methods("matmul", "bmm", "mv", "sum"), "torch.einsum", "torch.functional.einsum",
       "einops.einsum")  # fmt: skip
def _remember(call: Observed) -> None:
    found = [each for each in current().suspicions if isinstance(each, Undecided) and each.kind is Fault.SOFTMAX_AXIS]
    if found and isinstance(call.result, Tensor):
        call.result = with_trait(call.result, Unnormalised(found))


@watch_marked(*DIVISIONS)
def _divide(call: Observed) -> None:
    sums, total = call.tensor(0, "input"), call.tensor(1, "other")
    if sums is None or total is None:
        return
    if isinstance(total.mark, Total):
        _excuse(sums, total.mark)
    elif isinstance(total.mark, ScaleTotal):
        for suspicion in sums.mark.suspicions if isinstance(sums.mark, Unnormalised) else ():
            suspicion.excused = True


@watch_marked("operator.mul", *methods("mul", "multiply"))
def _multiply(call: Observed) -> None:
    for operand in (call.tensor(0, "input"), call.tensor(1, "other")):
        total = None if operand is None else operand.mark
        if isinstance(total, Total) and isinstance(call.result, Tensor) and call.result.mark is None:
            call.result = with_trait(call.result, Share(total))


@watch_marked("operator.sub", *methods("sub", "subtract"))
def _subtract(call: Observed) -> None:
    sums, share = call.tensor(0, "input"), call.tensor(1, "other")
    if sums is not None and share is not None and isinstance(share.mark, Share):
        _excuse(sums, share.mark.total)


def _excuse(sums: Tensor, total: Total) -> None:
    """Let go of what is suspected of weighted sums for which the sum of their weights makes up."""
    for suspicion in sums.mark.suspicions if isinstance(sums.mark, Unnormalised) and total.kind == "sum" else ():
        if _is_of(suspicion, total.source.shape, total.position):
            suspicion.excused = True


def _is_of(suspicion: Undecided, weights: Shape, position: int) -> bool:
    """Whether weights are those of a suspicion, and an axis of theirs the one that is summed over."""
    axis = weights[position]
    same = any(
        isinstance(other, Axis) and other.mark is not None and other.mark.place == suspicion.place
        for other in weights
    )
    return same and isinstance(axis, Axis) and suspicion.left is not None and scope().equal(axis.size, suspicion.left)
