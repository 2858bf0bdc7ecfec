"""SC306: weights are normalised along one axis and summed over another.

A softmax marks its axis. A contraction of the marked tensor with another one, over an axis without the mark while the
marked one survives, is the fault: the weights of each sum do not add up to 1. Silent are: a division (weights
normalised anew, as in slot attention), an explicit reordering of axes, an operand that shares no other axis with the
weights (mixing heads by a matrix), two operands that are both weights, and a softmax along the very axis that a layer
gives out: a soft assignment to classes or clusters, whose members are summed.
"""

from __future__ import annotations

from shapecheck.rules.observed import Observed, here, marked_positions, methods, unmarked, watch
from shapecheck.shapes import Axis, Constant, Fault, Mark, Mismatch, Origin, Shape, Tensor, scope

NORMALISED = "normalised"
WEIGHTED = "weighted"
KINDS = (NORMALISED, WEIGHTED)
FLAT = "flat index"
SCORES = "scores"
MOVED = "moved weights"

_SCORERS = [f"torch.nn.{name}" for name in ("Linear", "Conv1d", "Conv2d", "Conv3d")]

_SOFTMAX = (*methods("softmax"), "torch.nn.functional.softmax", "torch.special.softmax")
_PRODUCTS = ("operator.matmul", *methods("matmul", "bmm"))
_REORDER = (
    *methods("transpose", "permute", "movedim", "moveaxis", "swapaxes", "swapdims", "t", "mT"),
    "einops.rearrange",
)


@watch(*_SCORERS)
def _score(call: Observed) -> None:
    """The axis that a layer gives out: what it says of each element."""
    result = call.result
    if not isinstance(result, Tensor):
        return
    behind = 1 if call.name.endswith("Linear") else int(call.name[-2]) + 1
    position = len(result.shape) - behind
    axis = result.shape[position] if position >= 0 and result.shape.rest is None else None
    if isinstance(axis, Axis):
        call.result = result.reshaped(result.shape.replaced(position, axis.with_mark(Mark(SCORES, here()))))


@watch(*_SOFTMAX)
def _softmax(call: Observed) -> None:
    axes = call.axes(1, "dim", "axis")
    if axes is not None:
        _normalise(call, axes[0])


@watch("torch.nn.Softmax")
def _softmax_layer(call: Observed) -> None:
    dim = getattr(call.layer, "dim", None)
    if isinstance(dim, int):
        _normalise(call, dim)


def _normalise(call: Observed, dim: int) -> None:
    source, result = call.tensor(0, "input"), call.result
    if source is None or not isinstance(result, Tensor):
        return
    position = source.shape.position(dim)
    if not isinstance(position, int) or position >= len(source.shape):
        return
    axis = source.shape[position]
    if not isinstance(axis, Axis):
        return
    if axis.is_one:
        call.suspect(Mismatch(Fault.SOFTMAX_ONE, axis=position, left_shape=source.shape))
        return
    shape = unmarked(result, *KINDS).shape
    if axis.mark is None or axis.mark.kind != SCORES:
        shape = shape.replaced(position, axis.with_mark(Mark(NORMALISED, here())))
    call.result = result.reshaped(shape)


@watch(*_REORDER)
def _reorder(call: Observed) -> None:
    """Weights whose axes are moved on purpose are still weights, which may well meet others."""
    result = call.result
    if not isinstance(result, Tensor):
        return
    axes = [
        axis.with_mark(Mark(MOVED, axis.mark.place))
        if isinstance(axis, Axis) and axis.mark is not None and axis.mark.kind in KINDS
        else axis
        for axis in result.shape
    ]
    call.result = result.reshaped(Shape(axes))


@watch("operator.truediv", *methods("div", "divide", "true_divide"))
def _clear(call: Observed) -> None:
    if isinstance(call.result, Tensor):
        call.result = unmarked(call.result, *KINDS)


@watch(*_PRODUCTS)
def _product(call: Observed) -> None:
    left, right = call.tensor(0, "input"), call.tensor(1, "other", "mat2")
    if left is None or right is None or len(left.shape) < 2 or len(right.shape) < 2:
        return
    inner, other = len(left.shape) - 1, len(right.shape) - 2
    _contraction(call, left.shape, inner, right.shape, other)
    _contraction(call, right.shape, other, left.shape, inner)
    if isinstance(call.result, Tensor):
        call.result = unmarked(call.result, *KINDS)


@watch("torch.einsum", "torch.functional.einsum")
def _einsum(call: Observed) -> None:
    equation = call.argument(0, "equation")
    if isinstance(equation, Constant) and isinstance(equation.value, str):
        operands = [value for value in call.args[1:] if isinstance(value, Tensor)]
        terms, _, result = equation.value.replace(" ", "").partition("->")
        letters = terms.split(",")
        if len(letters) == len(operands) == 2 and "." not in equation.value and "->" in equation.value:
            _letters(call, letters, operands, result)
    if isinstance(call.result, Tensor):
        call.result = unmarked(call.result, *KINDS)


def _letters(call: Observed, letters: list[str], operands: list[Tensor], result: str) -> None:
    for one, other in ((0, 1), (1, 0)):
        for letter in set(letters[one]) & set(letters[other]) - set(result):
            shape, beside = operands[one].shape, operands[other].shape
            if len(shape) == len(letters[one]) and len(beside) == len(letters[other]):
                survivors = [position for position, name in enumerate(letters[one]) if name in result]
                _contraction(
                    call, shape, letters[one].index(letter), beside, letters[other].index(letter), survivors=survivors
                )


def _contraction(
    call: Observed, weights: Shape, axis: int, values: Shape, other: int, *, survivors: list[int] | None = None
) -> None:
    marked = marked_positions(weights, NORMALISED)
    if not marked or axis in marked or marked_positions(values, NORMALISED) or marked_positions(values, MOVED):
        return
    if survivors is not None and not set(marked) & set(survivors):
        return
    if not _share_an_axis(weights, axis, values, other):
        return
    _suspect(call, weights, axis, marked[0])


def _share_an_axis(weights: Shape, axis: int, values: Shape, other: int) -> bool:
    """Whether the values belong to the same samples: some other axis is common to both."""
    beside = [found for position, found in enumerate(values) if position != other and isinstance(found, Axis)]
    return any(
        isinstance(found, Axis) and not found.is_one and any(scope().equal(found.size, axis_.size) for axis_ in beside)
        for position, found in enumerate(weights)
        if position != axis
    )


def _suspect(call: Observed, weights: Shape, summed: int, normalised: int) -> None:
    one, other = weights[summed], weights[normalised]
    if not isinstance(one, Axis) or not isinstance(other, Axis) or one.is_one:
        return
    call.suspect(
        Mismatch(
            Fault.SOFTMAX_AXIS, axis=summed, other_axis=normalised, left=one.size, right=other.size,
            left_shape=weights, place=None if other.mark is None else other.mark.place,
        )
    )


@watch("operator.mul", *methods("mul", "multiply"))
def _multiply(call: Observed) -> None:
    """Weights times values: a sum that follows is a weighted one."""
    left, right, result = call.tensor(0, "input"), call.tensor(1, "other"), call.result
    if left is None or right is None or not isinstance(result, Tensor):
        return
    weighted = {len(left.shape) - n: left.shape[n] for n in marked_positions(left.shape, NORMALISED)}
    weighted |= {len(right.shape) - n: right.shape[n] for n in marked_positions(right.shape, NORMALISED)}
    both = marked_positions(left.shape, NORMALISED) and marked_positions(right.shape, NORMALISED)
    shape = unmarked(result, *KINDS).shape
    if weighted and not both and left.shape.axes and right.shape.axes and not _is_assignment(left.shape, right.shape):
        for behind, axis in weighted.items():
            position = len(shape) - behind
            found = shape[position] if 0 <= position < len(shape) else None
            if isinstance(found, Axis) and isinstance(axis, Axis) and axis.mark is not None:
                shape = shape.replaced(position, found.with_mark(Mark(WEIGHTED, axis.mark.place)))
    call.result = result.reshaped(shape)


def _is_assignment(left: Shape, right: Shape) -> bool:
    """Whether weights, unsqueezed by hand, meet values that have the normalised axis too.

    ``[i, o, 1]`` with ``[i, o, d]``, normalised over o: each i is shared out among its o (capsules, residuals to
    cluster centres), and the members of an o are summed.
    """
    for weights, values in ((left, right), (right, left)):
        for position in marked_positions(weights, NORMALISED):
            beside = len(values) - (len(weights) - position)
            axis = values[beside] if beside >= 0 else None
            by_hand = any(one.is_one and one.origin is Origin.WRITTEN for one in weights.known)
            if by_hand and isinstance(axis, Axis) and not axis.is_one:
                return True
    return False


@watch(*methods("sum"))
def _sum(call: Observed) -> None:
    source, axes = call.tensor(0, "input"), call.axes(1, "dim", "axis")
    if source is not None and axes is not None:
        marked = marked_positions(source.shape, WEIGHTED)
        positions = [source.shape.position(axis) for axis in axes]
        if len(marked) == 1 and len(positions) == 1 and isinstance(positions[0], int) and positions[0] not in marked:
            _suspect(call, source.shape, positions[0], marked[0])
    if isinstance(call.result, Tensor):
        call.result = unmarked(call.result, *KINDS)


@watch(*methods("argmax"))
def _argmax(call: Observed) -> None:
    source, axes, result = call.tensor(0, "input"), call.axes(1, "dim", "axis"), call.result
    if source is None:
        return
    if call.argument(1, "dim", "axis") is None and isinstance(result, Tensor) and (source.shape.rank or 0) > 1:
        call.result = Tensor(result.shape, result.dtype, result.kind, Mark(FLAT, here()))
    if axes is None:
        return
    marked = marked_positions(source.shape, NORMALISED)
    position = source.shape.position(axes[0])
    if marked and isinstance(position, int) and position not in marked and position < len(source.shape):
        _suspect(call, source.shape, position, marked[0])


@watch("operator.eq", *methods("eq"))
def _compare(call: Observed) -> None:
    """One flat index of a whole tensor, compared with a row of indices."""
    for one, other in ((0, 1), (1, 0)):
        index, indices = call.tensor(one, "input", "other"), call.tensor(other, "other", "input")
        if index is None or indices is None or index.mark is None or index.mark.kind != FLAT:
            continue
        if indices.shape.rank and not all(isinstance(axis, Axis) and axis.is_one for axis in indices.shape):
            call.suspect(Mismatch(Fault.FLAT_INDEX, left_shape=indices.shape, place=index.mark.place))
