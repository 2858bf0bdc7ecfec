"""SC303 and SC304: products of features with features have two axes of features.

``self.up(a).mT @ c`` of ``[b, n, dim]`` and ``[b, n, d]`` sums over the elements, and leaves a width of the module in
the rows and one of the data in the columns. A layer or a parameter of that width behind it may well belong to the
columns: that the rows are as wide does not tell that they were meant. Weights that a softmax made are no features.
"""

from __future__ import annotations

from shapecheck.dims import Kind
from shapecheck.rules.observed import Observed, Trait, axis_name, here, marked_positions, methods, watch, watch_marked
from shapecheck.rules.softmax_axis import KINDS, MOVED
from shapecheck.rules.traits import SAME, SCALED, with_trait
from shapecheck.rules.weight_sums import Weights, letters_of, name_at
from shapecheck.shapes import Axis, Fault, Tensor, current


class Crossed(Trait):
    """Features by features: the rows are as many as a module is wide, the columns are those of the data."""

    __slots__ = ()
    kept = frozenset((SAME, SCALED))

    def __init__(self) -> None:
        super().__init__("crossed", here())


@watch("operator.matmul", *methods("matmul", "bmm"))
def _product(call: Observed) -> None:
    left, right = call.tensor(0, "input"), call.tensor(1, "other", "mat2")
    if left is not None and right is not None and len(left.shape) > 2 and len(right.shape) > 2:
        _cross(call, left, left.shape[-1])


@watch("torch.einsum", "torch.functional.einsum", "einops.einsum")
def _einsum(call: Observed) -> None:
    equation = letters_of(call)
    if equation is None or len(equation.operands) != 2 or len(equation.result) < 3:
        return
    for operand, names in zip(equation.operands, equation.terms, strict=True):
        ranked = operand.shape.rest is None
        places = range(len(operand.shape)) if ranked and len(operand.shape) > 2 else ()
        summed = [place for place in places if name_at(names, place, len(operand.shape)) not in equation.result]
        rows = [place for place in places if name_at(names, place, len(operand.shape)) == equation.result[-2]]
        if len(summed) == len(rows) == 1:
            _cross(call, operand, operand.shape[summed[0]])


def _cross(call: Observed, rows: Tensor, summed: object) -> None:
    result = call.result
    if not isinstance(result, Tensor) or result.mark is not None or result.shape.rest is not None:
        return
    if isinstance(rows.mark, Weights) or any(marked_positions(rows.shape, kind) for kind in (*KINDS, MOVED)):
        return
    if axis_name(summed) is not None and _is_width(result.shape[-2]) and axis_name(result.shape[-1]) is not None:
        call.result = with_trait(result, Crossed())


def _is_width(axis: object) -> bool:
    """Whether the size of an axis is one parameter of a module."""
    symbol = axis.size.symbol if isinstance(axis, Axis) else None
    return symbol is not None and symbol.kind is Kind.FLEXIBLE


@watch_marked(*[f"operator.{name}" for name in ("add", "sub", "mul", "truediv")], *methods("add", "sub", "mul", "div"))
def _beside_a_parameter(call: Observed) -> None:
    operands = [*call.args, *call.kwargs.values()]
    if any(isinstance(operand, Tensor) and isinstance(operand.mark, Crossed) for operand in operands):
        suspicions = current().suspicions
        suspicions[:] = [each for each in suspicions if each.kind is not Fault.MISALIGNED]
