"""SC306: weighted sums of which the sum of the weights is taken into account behind them.

``a @ v / a.sum(-1, keepdim=True)`` is a weighted mean, and ``a @ v - a.sum(-1, keepdim=True) * centres`` sums what the
members of a cluster differ from its centre. The weighted sum remembers what is suspected of it; the sum of the same
weights, along the very axis that was summed, excuses it, however it is spelt (see ``masses``). So does the sum of a
scale: then the scale is the weights.
"""

from __future__ import annotations

from shapecheck.rules.expectations import ScaleTotal
from shapecheck.rules.masses import summed_axes
from shapecheck.rules.observed import Observed, Trait, methods, watch, watch_marked
from shapecheck.rules.traits import DIVISIONS, MOVED, SAME, SCALED, with_trait
from shapecheck.shapes import Axis, Fault, Shape, Tensor, Undecided, current, scope


class Unnormalised(Trait):
    """Sums whose weights do not add up to 1, as the ``suspicions`` say."""

    __slots__ = ("suspicions",)
    kept = frozenset((SAME, MOVED, SCALED))

    def __init__(self, suspicions: list[Undecided]) -> None:
        super().__init__("unnormalised", None)
        self.suspicions = suspicions


class Share(Trait):
    """Values times the sum of weights along the ``axes``."""

    __slots__ = ("axes",)

    def __init__(self, axes: tuple[tuple[Shape, int], ...]) -> None:
        super().__init__("share", None)
        self.axes = axes


@watch("operator.matmul", *methods("matmul", "bmm", "mv", "sum"), "torch.einsum", "torch.functional.einsum",
       "einops.einsum")  # fmt: skip
def _remember(call: Observed) -> None:
    found = [each for each in current().suspicions if isinstance(each, Undecided) and each.kind is Fault.SOFTMAX_AXIS]
    source = call.tensor(0, "input")
    if not found and call.name.endswith("sum") and source is not None and isinstance(source.mark, Unnormalised):
        # Sums of sums: those of their weights are summed twice as well.
        found = source.mark.suspicions
    if found and isinstance(call.result, Tensor):
        call.result = with_trait(call.result, Unnormalised(found))


@watch_marked(*DIVISIONS)
def _divide(call: Observed) -> None:
    sums, total = call.tensor(0, "input"), call.tensor(1, "other")
    if sums is None or total is None:
        return
    _excuse(sums, summed_axes(total.mark))
    if isinstance(total.mark, ScaleTotal):
        for suspicion in sums.mark.suspicions if isinstance(sums.mark, Unnormalised) else ():
            suspicion.excused = True


@watch_marked("operator.mul", *methods("mul", "multiply"))
def _multiply(call: Observed) -> None:
    for operand in (call.tensor(0, "input"), call.tensor(1, "other")):
        axes = () if operand is None else summed_axes(operand.mark)
        if axes and isinstance(call.result, Tensor) and call.result.mark is None:
            call.result = with_trait(call.result, Share(axes))


@watch_marked("operator.sub", *methods("sub", "subtract"))
def _subtract(call: Observed) -> None:
    sums, share = call.tensor(0, "input"), call.tensor(1, "other")
    if sums is not None and share is not None and isinstance(share.mark, Share):
        _excuse(sums, share.mark.axes)


def _excuse(sums: Tensor, axes: tuple[tuple[Shape, int], ...]) -> None:
    """Let go of what is suspected of weighted sums for which the sum of their weights makes up."""
    for suspicion in sums.mark.suspicions if isinstance(sums.mark, Unnormalised) else ():
        if any(_are_of(suspicion, weights) for weights, _ in axes) and any(
            _is_along(suspicion, weights, position) for weights, position in axes
        ):
            suspicion.excused = True


def _are_of(suspicion: Undecided, weights: Shape) -> bool:
    """Whether weights are those of a suspicion."""
    return any(
        isinstance(axis, Axis) and axis.mark is not None and axis.mark.place == suspicion.place for axis in weights
    )


def _is_along(suspicion: Undecided, weights: Shape, position: int) -> bool:
    """Whether an axis is the one over which the weights of a suspicion are summed."""
    axis = weights[position]
    return isinstance(axis, Axis) and suspicion.left is not None and scope().equal(axis.size, suspicion.left)
