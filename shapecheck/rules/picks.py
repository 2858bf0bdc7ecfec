"""SC306 and SC314: one place along an axis is picked for each place along another, against what the numbers tell.

``log_softmax(dim=-2)`` of ``[b, t, v]`` and ``.gather(-1, tokens[..., None])``: a token is picked for each t, of
what is normalised along t. Said where the last axis is picked from and an earlier one is normalised, or of `nll_loss`.
``sort(dim=1).values`` of ``[n, c]`` and ``.gather(0, rank[None])``: a rank is picked for each c, but places along c are
the ranks.

Silent are several places for each, an index that is the same all along the other axis (a choice of rows), one that a
search found (experts that choose their tokens), and of the pick from a matrix of pairs, which may be normalised either
way: computed here from two operands, or normalised both ways in the same function (see ``both_ways``).
"""

from __future__ import annotations

from shapecheck.rules.both_ways import excuse_both_ways
from shapecheck.rules.indices import Index, index_of
from shapecheck.rules.observed import Observed, Trait, here, is_batch, marked_positions, methods, watch, watch_marked
from shapecheck.rules.softmax_axis import PAIRED
from shapecheck.rules.subscripts import entries_of, sliced_axes
from shapecheck.rules.traits import RAISED, SAME, SCALED, Along, lone_axis, with_trait
from shapecheck.rules.weight_sums import Weights
from shapecheck.shapes import (
    ELLIPSIS,
    Axis,
    Copies,
    Fault,
    Mark,
    Mismatch,
    Sequence,
    Shape,
    Slice,
    Tensor,
    Undecided,
    scope,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

RANKED = "ranked"
ENTRIES = "entries"


class Piece(Along):
    """A part of weights, cut along the axis ``position`` along which all of them add up to 1."""

    __slots__ = ("source",)
    kept = frozenset((SAME,))

    def __init__(self, position: int, source: Tensor | None) -> None:
        super().__init__("piece", position, here())
        self.source = source

    def at(self, position: int) -> Trait:
        """The part with the axis where it stands now."""
        return Piece(position, self.source)


class Sorted(Along):
    """Values sorted along the axis ``position``."""

    __slots__ = ()
    kept = frozenset((SAME, SCALED, RAISED))

    def __init__(self, position: int) -> None:
        super().__init__("sorted", position, here())

    def at(self, position: int) -> Trait:
        """The values with the axis where it stands now."""
        return Sorted(position)


class Pick:
    """Places along the axis ``along`` of a tensor, one for each place along others.

    Attributes:
        source: the tensor.
        along: the axis that is picked from.
        index: the tensor of places.
        beside: the axis of the index that goes along with an axis of the tensor, by the position of that.
    """

    __slots__ = ("along", "beside", "index", "source")

    def __init__(self, source: Tensor, along: int, index: Tensor, beside: dict[int, Axis]) -> None:
        self.source = source
        self.along = along
        self.index = index
        self.beside = beside

    def differs(self, position: int) -> bool:
        """Whether the places differ along an axis of the tensor, all along it."""
        axis, whole = self.beside.get(position), self.source.shape[position]
        if axis is None or axis.is_one or not isinstance(whole, Axis) or not scope().equal(axis.size, whole.size):
            return False
        return not all(isinstance(factor.ident, Copies) for factor in axis.factors)


# -- what the numbers tell ---------------------------------------------------------------------------------------------


@watch_marked("operator.getitem", "torch.Tensor.__getitem__")
def _cut(call: Observed) -> None:
    """``log_probs[..., :-1, :]``."""
    source, result = call.tensor(0), call.result
    found = None if source is None else _normalised(source)
    if source is None or found is None or not isinstance(result, Tensor) or result.mark is not None:
        return
    for held, place, _ in sliced_axes(call.argument(1)):
        if held % len(source.shape) == found.position and -len(result.shape) <= place < len(result.shape):
            position = place % len(result.shape)
            if result.shape[position] is not source.shape[found.position]:
                call.result = with_trait(result, Piece(position, found.source))


def _normalised(tensor: Tensor) -> Weights | Piece | None:
    mark = tensor.mark
    return mark if isinstance(mark, (Weights, Piece)) and tensor.shape.rest is None else None


@watch(*methods("sort"))
def _sort(call: Observed) -> None:
    source, result = call.tensor(0, "input"), call.result
    if source is None or not isinstance(result, Sequence) or len(result.items) != 2 or source.shape.rest is not None:
        return
    position = lone_axis(call, source) if call.argument(1, "dim") is not None else len(source.shape) - 1
    values, places = result.items
    axis = source.shape[position] if position is not None and source.shape.axes else None
    if position is None or not isinstance(axis, Axis) or not isinstance(values, Tensor):
        return
    ranked = axis.with_mark(Mark(RANKED, here()))
    values = values.reshaped(values.shape.replaced(position, ranked))
    if isinstance(places, Tensor):
        shape = places.shape.replaced(position, ranked)
        places = Tensor(shape, places.dtype, places.kind, places.mark)
    call.result = Sequence([with_trait(values, Sorted(position)), places], result.kind, result.fields)


@watch("operator.matmul", *methods("matmul", "mm"), "torch.einsum", "torch.functional.einsum", "einops.einsum")
def _product(call: Observed) -> None:
    """A matrix of pairs, unless one operand is a layer's."""
    operands = [value for value in call.args if isinstance(value, Tensor)]
    if not isinstance(call.result, Tensor) or call.result.shape.rank != 2 or len(operands) != 2:
        return
    if not any(operand.kind == "torch.nn.Parameter" for operand in operands):
        _make_entries(call)


@watch("torch.cdist")
def _distances(call: Observed) -> None:
    _make_entries(call)


def _make_entries(call: Observed) -> None:
    result = call.result
    if isinstance(result, Tensor) and result.shape.rest is None:
        axes = [axis if axis.mark else axis.with_mark(Mark(ENTRIES, here())) for axis in result.shape.known]
        call.result = Tensor(Shape(axes), result.dtype, result.kind, result.mark)


# -- picks -------------------------------------------------------------------------------------------------------------


@watch_marked(*methods("gather"))
def _gather(call: Observed) -> None:
    source, index = call.tensor(0, "input"), call.tensor(2, "index")
    _along(call, source, index, None if source is None else lone_axis(call, source))


@watch_marked(*methods("take_along_dim"))
def _take(call: Observed) -> None:
    source, index = call.tensor(0, "input"), call.tensor(1, "indices")
    _along(call, source, index, None if source is None else lone_axis(call, source, 2))


def _along(call: Observed, source: Tensor | None, index: Tensor | None, along: int | None) -> None:
    if source is None or index is None or along is None or source.shape.rest is not None:
        return
    if index.shape.rank == len(source.shape) and source.shape.rank and index.shape.known[along].is_one:
        beside = {position: axis for position, axis in enumerate(index.shape.known) if position != along}
        _judge(call, Pick(source, along, index, beside))


@watch_marked("operator.getitem", "torch.Tensor.__getitem__")
def _subscript(call: Observed) -> None:
    """``log_probs[torch.arange(n), targets]``."""
    source, entries = call.tensor(0), entries_of(call.argument(1))
    if source is None or source.mark is None or source.shape.rest is not None or ELLIPSIS in entries:
        return
    placed = [(position, entry) for position, entry in enumerate(entries) if isinstance(entry, Tensor)]
    if len(placed) < 2 or not all(isinstance(entry, (Tensor, Slice)) for entry in entries):
        return
    counted = [(position, entry) for position, entry in placed if _is_count(entry)]
    if len(counted) != len(placed) - 1:
        return
    along, index = next((position, entry) for position, entry in placed if not _is_count(entry))
    if index.shape.rank is None or len([axis for axis in index.shape.known if not axis.is_one]) > len(counted):
        return
    beside: dict[int, Axis] = {}
    for position, count in counted:
        behind = [back for back, axis in enumerate(reversed(count.shape.known), 1) if not axis.is_one]
        if len(behind) == 1 and behind[0] <= len(index.shape.known):
            beside[position] = index.shape.known[-behind[0]]
    _judge(call, Pick(source, along, index, beside))


def _is_count(entry: Tensor) -> bool:
    index = index_of(entry)
    return index is not None and index.found == "arange" and entry.shape.rest is None


@watch_marked("torch.nn.functional.nll_loss", "torch.nn.NLLLoss")
def _loss(call: Observed) -> None:
    source, target = call.tensor(0, "input"), call.tensor(1, "target")
    if source is None or target is None or len(source.shape) < 2 or target.shape.rank != len(source.shape) - 1:
        return
    found = _normalised(source)
    if found is not None and found.position != 1:
        axes = target.shape.known
        _judge(call, Pick(source, 1, target, {0: axes[0]} | dict(enumerate(axes[1:], 2))), loss=True)


def _judge(call: Observed, pick: Pick, *, loss: bool = False) -> None:
    source, mark = pick.source, pick.source.mark
    if isinstance(mark, (Weights, Piece, Sorted)) and mark.position != pick.along and _is_given(pick.index):
        position, along = mark.position, pick.along
        if not pick.differs(position):
            return
        if isinstance(mark, Sorted):
            if not _is_ranked(pick.beside[position]):
                call.suspect(Mismatch(**_said(Fault.RANK_AXIS, source.shape, along, position)))
        elif (loss or along == len(source.shape) - 1) and not _may_be_either(source.shape, position, along):
            case = Undecided(**_said(Fault.PICK_AXIS, source.shape, along, position))
            excuse_both_ways(case, mark.source)
            call.suspect(case)


def _is_given(index: Tensor) -> bool:
    """Whether nothing tells that the places were found by a search."""
    return index.shape.rest is None and not isinstance(index.mark, Index)


def _is_ranked(axis: Axis) -> bool:
    """Whether places along an axis are ranks already, as in what was computed from the sorted values."""
    return axis.mark is not None and axis.mark.kind == RANKED


def _may_be_either(shape: Shape, position: int, along: int) -> bool:
    """Whether numbers may be normalised along both: of pairs; a batch is what another rule speaks of."""
    one, other = shape.known[position], shape.known[along]
    pairs = marked_positions(shape, PAIRED) or marked_positions(shape, ENTRIES)
    if pairs or scope().equal(one.size, other.size):
        return True
    return position == 0 and is_batch(shape)


def _said(fault: Fault, shape: Shape, along: int, position: int) -> dict[str, Any]:
    return {
        "kind": fault, "axis": along, "other_axis": position, "left": shape.known[along].size,
        "right": shape.known[position].size, "left_shape": shape,
    }  # fmt: skip
