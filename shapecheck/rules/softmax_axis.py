"""SC306: weights are normalised along one axis and summed over another.

A softmax marks its axis. A contraction of the marked tensor with another one, over an axis without the mark while the
marked one survives, is the fault: the weights of each sum do not add up to 1. Silent are: a division (weights
normalised anew, as in slot attention), an explicit reordering of axes, an operand that shares no batch axis with the
weights (mixing heads by a matrix) or has no axis of its own (an overlap, as in Dice), a sum over several axes, two
operands that are both weights, and a softmax along the very axis that a layer or a matrix of centres gives out: a soft
assignment to classes or clusters, whose members are summed; and sums beside which the sum of the weights
is taken into account (see ``weights_divided``). Of an einsum that is also a softmax over the last axis of
scores which are given, not computed from queries and keys: they may be scores of classes.
"""

from __future__ import annotations

from shapecheck.rules.observed import Observed, here, marked_positions, methods, unmarked, watch, watch_marked
from shapecheck.rules.traits import divides_by_own
from shapecheck.shapes import Axis, Constant, Fault, Mark, Mismatch, Origin, Rest, Shape, Tensor, Undecided, scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

NORMALISED = "normalised"
WEIGHTED = "weighted"
GIVEN = "given scores"
KINDS = (NORMALISED, GIVEN, WEIGHTED)
FLAT = "flat index"
SCORES = "scores"
PAIRED = "paired"
MOVED = "moved weights"

_SCORERS = [f"torch.nn.{name}" for name in ("Linear", "Conv1d", "Conv2d", "Conv3d")]

_SOFTMAX = (*methods("softmax"), "torch.nn.functional.softmax", "torch.special.softmax")
_PRODUCTS = ("operator.matmul", *methods("matmul", "bmm"))
_REORDER = (
    *methods("transpose", "permute", "movedim", "moveaxis", "swapaxes", "swapdims", "t", "T", "mT", "H", "mH"),
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
        computed = any(marked_positions(source.shape, kind) for kind in (PAIRED, *KINDS))
        last = position == len(source.shape) - 1
        given = last and not computed and not _are_heads(axis) and not _is_square(source.shape)
        shape = shape.replaced(position, axis.with_mark(Mark(GIVEN if given else NORMALISED, here())))
    call.result = result.reshaped(shape)


_HEADS = frozenset(("heads", "head", "n_heads", "num_heads", "n_head", "nheads", "nhead"))
"""What an axis of attention heads is called: nothing is classified into those."""


def _is_square(shape: Shape) -> bool:
    """Whether the last two axes are one: scores of elements for each other, and not of classes."""
    one, other = shape.axes[-2:] if len(shape) > 1 else (None, None)
    return isinstance(one, Axis) and isinstance(other, Axis) and one.size.constant is None and one.size == other.size


def _are_heads(axis: Axis) -> bool:
    symbol = axis.size.symbol
    return symbol is not None and symbol.name in _HEADS


def normalised_axes(shape: Shape) -> list[int]:
    """The axes along which the weights add up to 1."""
    return marked_positions(shape, NORMALISED) + marked_positions(shape, GIVEN)


@watch_marked(*_REORDER)
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


@watch_marked("operator.truediv", *methods("div", "divide", "true_divide"))
def _clear(call: Observed) -> None:
    """A division normalises anew, unless it is by the sum along the very axis that is normalised."""
    weights = call.tensor(0, "input")
    again = divides_by_own(call, "sum", exact=False)
    if isinstance(call.result, Tensor) and (weights is None or again not in normalised_axes(weights.shape)):
        call.result = unmarked(call.result, *KINDS)


@watch_marked("torch.nn.functional.normalize")
def _normalise_anew(call: Observed) -> None:
    if isinstance(call.result, Tensor):
        call.result = unmarked(call.result, *KINDS)


@watch(*_PRODUCTS)
def _product(call: Observed) -> None:
    left, right = call.tensor(0, "input"), call.tensor(1, "other", "mat2")
    if left is None or right is None or len(left.shape) < 2 or len(right.shape) < 2:
        return
    if _share_a_batch_axis(left.shape.axes[:-2], right.shape.axes[:-2]):
        inner, other = len(left.shape) - 1, len(right.shape) - 2
        _contraction(call, left.shape, inner, right.shape)
        _contraction(call, right.shape, other, left.shape)
    if isinstance(call.result, Tensor):
        shape = unmarked(call.result, *KINDS).shape
        if shape.rest is None and len(shape) > 2:
            # The columns of a matrix are what it says of each element; those of a batch of them are paired with rows.
            kind = SCORES if len(right.shape) == 2 and right.shape.rest is None else PAIRED
            shape = _with_marks(shape, kind, [len(shape) - 1] if kind == SCORES else [len(shape) - 2, len(shape) - 1])
        call.result = call.result.reshaped(shape)


def _with_marks(shape: Shape, kind: str, positions: list[int]) -> Shape:
    """The same shape with a mark on some axes."""
    axes = list(shape.axes)
    for position in positions:
        axis = axes[position]
        if isinstance(axis, Axis):
            axes[position] = axis.with_mark(Mark(kind, here()))
    return Shape(axes)


def _share_a_batch_axis(left: Sequence[Axis | Rest], right: Sequence[Axis | Rest]) -> bool:
    """Whether two operands of a batched product belong to the same samples."""
    return any(
        isinstance(one, Axis) and isinstance(other, Axis) and not one.is_one and scope().equal(one.size, other.size)
        for one, other in zip(reversed(left), reversed(right), strict=False)
    )


@watch("torch.einsum", "torch.functional.einsum", "einops.einsum")
def _einsum(call: Observed) -> None:
    words = call.name.startswith("einops.")
    equation = call.argument(len(call.args) - 1 if words and "pattern" not in call.kwargs else 0, "equation")
    if words and "pattern" in call.kwargs:
        equation = call.kwargs["pattern"]
    result = call.result
    if isinstance(result, Tensor):
        result = unmarked(result, *KINDS)
    if isinstance(equation, Constant) and isinstance(equation.value, str):
        operands = [value for value in call.args if isinstance(value, Tensor)]
        text = _as_letters(equation.value) if words else equation.value.replace(" ", "")
        terms, _, out = text.partition("->")
        letters = terms.split(",")
        if len(letters) == len(operands) == 2 and "." not in text and "->" in text:
            _letters(call, letters, operands, out)
            if isinstance(result, Tensor) and result.shape.rest is None and len(result.shape) == len(out):
                result = result.reshaped(_scored(result.shape, letters, out))
    if result is not None:
        call.result = result


def _as_letters(pattern: str) -> str:
    """A pattern of words, ``"batch query, batch key -> ..."``, as one of letters; without an arrow if it has others."""
    letters: dict[str, str] = {}
    terms, _, out = pattern.partition("->")
    sides = [[term.split() for term in side.split(",")] for side in (terms, out)]
    for word in [word for side in sides for term in side for word in term]:
        if not word.isidentifier():
            return ""
        letters.setdefault(word, chr(ord("a") + len(letters)))
    left, right = (",".join(["".join([letters[word] for word in term]) for term in side]) for side in sides)
    return f"{left}->{right}"


def _scored(shape: Shape, letters: list[str], out: str) -> Shape:
    """The result of an einsum: what a matrix says of each element, or rows paired with columns."""
    one, other = letters
    own = [[letter for letter in out if letter in one and letter not in other]]
    own.append([letter for letter in out if letter in other and letter not in one])
    for (mine, theirs), term in zip((own, own[::-1]), letters, strict=True):
        if len(term) == 2 and len(mine) == 1 and len(theirs) == len(out) - 1:
            return _with_marks(shape, SCORES, [out.index(mine[0])])
    return _with_marks(shape, PAIRED, [out.index(letter) for mine in own for letter in mine])


def _letters(call: Observed, letters: list[str], operands: list[Tensor], result: str) -> None:
    for one, other in ((0, 1), (1, 0)):
        shape, beside = operands[one].shape, operands[other].shape
        summed = [letter for letter in letters[one] if letter in letters[other] and letter not in result]
        samples = any(letter in letters[other] and letter in result for letter in letters[one])
        values = any(letter not in letters[one] and letter in result for letter in letters[other])
        known = len(shape) == len(letters[one]) and len(beside) == len(letters[other])
        if len(summed) == 1 and samples and values and known:
            survivors = [position for position, name in enumerate(letters[one]) if name in result]
            _contraction(call, shape, letters[one].index(summed[0]), beside, survivors=survivors)


def _contraction(
    call: Observed, weights: Shape, axis: int, values: Shape, *, survivors: list[int] | None = None
) -> None:
    marked = marked_positions(weights, NORMALISED)
    if not marked or axis in marked or any(marked_positions(values, kind) for kind in (NORMALISED, GIVEN, MOVED)):
        return
    if survivors is not None and not set(marked) & set(survivors):
        return
    suspect_sum(call, weights, axis, marked[0])


def suspect_sum(call: Observed, weights: Shape, summed: int, normalised: int) -> None:
    """Note that weights are summed along another axis than they were normalised along."""
    one, other = weights[summed], weights[normalised]
    if not isinstance(one, Axis) or not isinstance(other, Axis) or one.is_one:
        return
    call.suspect(
        Undecided(
            kind=Fault.SOFTMAX_AXIS, axis=summed, other_axis=normalised, left=one.size, right=other.size,
            left_shape=weights, place=None if other.mark is None else other.mark.place,
        )
    )


@watch_marked("operator.mul", *methods("mul", "multiply"))
def _multiply(call: Observed) -> None:
    """Weights times values: a sum that follows is a weighted one."""
    left, right, result = call.tensor(0, "input"), call.tensor(1, "other"), call.result
    if left is None or right is None or not isinstance(result, Tensor):
        return
    weighted = {len(left.shape) - n: left.shape[n] for n in normalised_axes(left.shape)}
    weighted |= {len(right.shape) - n: right.shape[n] for n in normalised_axes(right.shape)}
    both = normalised_axes(left.shape) and normalised_axes(right.shape)
    shape = unmarked(result, *KINDS).shape
    weigh = weighted and not both and left.shape.axes and right.shape.axes
    if weigh and not _is_assignment(left.shape, right.shape) and not _is_mixed(left.shape, right.shape):
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
        for position in normalised_axes(weights):
            beside = len(values) - (len(weights) - position)
            axis = values[beside] if beside >= 0 else None
            by_hand = any(one.is_one and one.origin is Origin.WRITTEN for one in weights.known)
            if by_hand and isinstance(axis, Axis) and not axis.is_one:
                return True
    return False


def _is_mixed(left: Shape, right: Shape) -> bool:
    """Whether weights are multiplied by what has no extent along the normalised axis, and none of its own.

    ``[b, q, k, h]`` times ``[h]``, summed over h, are the weights of all heads together.
    """
    for weights, values in ((left, right), (right, left)):
        for position in normalised_axes(weights):
            own = [back for back, axis in _extents(values) if not _has_extent(weights, back)]
            if not own and not _has_extent(values, len(weights) - position):
                return True
    return False


def _extents(shape: Shape) -> list[tuple[int, Axis | Rest]]:
    """The axes that are not 1, by where they stand from the end."""
    return [
        (back, axis)
        for back, axis in enumerate(reversed(shape.axes), 1)
        if isinstance(axis, Rest) or not axis.is_one
    ]


def _has_extent(shape: Shape, behind: int) -> bool:
    return any(back == behind for back, _ in _extents(shape))


@watch_marked(*methods("sum"))
def _sum(call: Observed) -> None:
    source, axes = call.tensor(0, "input"), call.axes(1, "dim", "axis")
    if source is not None and axes is not None:
        marked = marked_positions(source.shape, WEIGHTED)
        positions = [source.shape.position(axis) for axis in axes]
        if len(marked) == 1 and len(positions) == 1 and isinstance(positions[0], int) and positions[0] not in marked:
            suspect_sum(call, source.shape, positions[0], marked[0])
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
    marked = normalised_axes(source.shape)
    position = source.shape.position(axes[0])
    if marked and isinstance(position, int) and position not in marked and position < len(source.shape):
        suspect_sum(call, source.shape, position, marked[0])


@watch_marked("operator.eq", *methods("eq"))
def _compare(call: Observed) -> None:
    """One flat index of a whole tensor, compared with a row of indices."""
    for one, other in ((0, 1), (1, 0)):
        index, indices = call.tensor(one, "input", "other"), call.tensor(other, "other", "input")
        if index is None or indices is None or index.mark is None or index.mark.kind != FLAT:
            continue
        if indices.shape.rank and not all(isinstance(axis, Axis) and axis.is_one for axis in indices.shape):
            call.suspect(Mismatch(Fault.FLAT_INDEX, left_shape=indices.shape, place=index.mark.place))


_LOSSES = (
    "torch.nn.functional.cross_entropy", "torch.nn.functional.nll_loss", "torch.nn.CrossEntropyLoss", "torch.nn.NLLLoss"
)  # fmt: skip


@watch(*_LOSSES)
def _classes(call: Observed) -> None:
    """A loss that takes axis 1 for the classes, where the classes would have to be as many as an axis has elements.

    ``[b, t, v]`` with targets ``[b, t]`` asks for ``v == t``: a fault where only this loss says so. Scores of every
    element against every other, ``[b, t, t]``, may well have the classes on either axis.
    """
    scores, targets = call.tensor(0, "input"), call.tensor(1, "target")
    if scores is None or targets is None or not scores.shape.rank or scores.shape.rank != (targets.shape.rank or 0) + 1:
        return
    axis, *others = scores.shape.known[1:] or (None,)
    symbol = axis.size.symbol if isinstance(axis, Axis) else None
    if axis is None or symbol is None:
        return
    for other, target in zip(others, targets.shape.known[1:], strict=True):
        if target.size.symbol is symbol and _is_solved_here(other):
            call.suspect(
                Mismatch(
                    Fault.CLASS_AXIS, axis=1, left=axis.size, left_shape=scores.shape, right_shape=targets.shape
                )
            )
            return


def _is_solved_here(axis: Axis) -> bool:
    """Whether the size of an axis was open up to the call that is being evaluated."""
    symbol = axis.size.symbol
    solution = None if symbol is None else scope().solution(symbol)
    return solution is not None and solution.place == here()
