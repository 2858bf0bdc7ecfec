"""Sums of weights, however they are spelt: over several axes, one axis after the other, by an einsum, with ones.

What was summed over tells whether weighted sums were divided by the sum of their weights (see ``weights_divided``).
``rules.traits.Total`` is the sum along one axis; here are the others.
"""

from __future__ import annotations

from shapecheck.rules.observed import Observed, Trait, here, methods, watch, watch_marked
from shapecheck.rules.traits import MOVED, RAISED, SAME, Total, with_trait
from shapecheck.rules.weight_sums import letters_of, position_of
from shapecheck.shapes import Constant, Mark, Shape, Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Mass(Trait):
    """The sum of a tensor along the ``axes``: each in the shape that it had, with its position."""

    __slots__ = ("axes",)
    kept = frozenset((SAME, MOVED, RAISED))

    def __init__(self, axes: tuple[tuple[Shape, int], ...]) -> None:
        super().__init__("mass", here())
        self.axes = axes


class Ones(Trait):
    """Ones everywhere: a product with them sums."""

    __slots__ = ()
    kept = frozenset((SAME, MOVED))

    def __init__(self) -> None:
        super().__init__("ones", here())


def summed_axes(mark: Mark | None) -> tuple[tuple[Shape, int], ...]:
    """The axes along which a tensor with a mark was summed, each in the shape that it had."""
    if isinstance(mark, Total) and mark.kind == "sum":
        return ((mark.source.shape, mark.position), *summed_axes(mark.source.mark))
    return mark.axes if isinstance(mark, Mass) else ()


@watch("torch.ones", "torch.ones_like", "torch.Tensor.new_ones")
def _ones(call: Observed) -> None:
    if isinstance(call.result, Tensor) and call.result.mark is None:
        call.result = with_trait(call.result, Ones())


@watch(*methods("sum"))
def _sum(call: Observed) -> None:
    """``p.sum((2, 3))``."""
    source, axes = call.tensor(0, "input"), call.axes(1, "dim", "axis")
    if source is not None and axes is not None and len(axes) > 1 and source.shape.rest is None:
        found = [source.shape.position(axis) for axis in axes]
        _make(call, source, [position for position in found if isinstance(position, int)])


@watch("einops.reduce")
def _reduce(call: Observed) -> None:
    source, pattern = call.tensor(0, "tensor"), call.argument(1, "pattern")
    if source is None or call.argument(2, "reduction") != Constant("sum"):
        return
    if isinstance(pattern, Constant) and isinstance(pattern.value, str):
        before, _, after = pattern.value.partition("->")
        names, left = before.split(), after.replace("(", " ").replace(")", " ").split()
        if len(names) == len(source.shape) and source.shape.rest is None and not any(mark in before for mark in "(."):
            _make(call, source, [position for position, name in enumerate(names) if name not in left])


@watch("torch.einsum", "torch.functional.einsum", "einops.einsum")
def _einsum(call: Observed) -> None:
    """``"bst->bs"``, and ``"bst,t->bs"`` with ones."""
    equation = letters_of(call)
    if equation is None:
        return
    whole = [place for place, operand in enumerate(equation.operands) if not isinstance(operand.mark, Ones)]
    if len(whole) == 1:
        source, names = equation.operands[whole[0]], equation.terms[whole[0]]
        found = [position_of(names, name, source.shape) for name in names if name not in equation.result]
        _make(call, source, [position for position in found if position is not None])


@watch_marked("operator.matmul", *methods("matmul", "mv"))
def _product(call: Observed) -> None:
    """``p @ torch.ones(t)``."""
    source, ones = call.tensor(0, "input"), call.tensor(1, "other", "vec")
    if source is not None and ones is not None and isinstance(ones.mark, Ones) and source.shape.rest is None:
        _make(call, source, [len(source.shape) - 1])


def _make(call: Observed, source: Tensor, positions: Iterable[int]) -> None:
    axes = tuple((source.shape, position) for position in positions if position < len(source.shape))
    if axes and isinstance(call.result, Tensor):
        call.result = with_trait(call.result, Mass((*axes, *summed_axes(source.mark))))
