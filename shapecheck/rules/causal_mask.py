"""SC312: the triangle of scores that is kept is the one that sees the future.

A triangle is followed from where it is made (``tril``, ``triu``, a comparison of two ``arange``) through ``== 0``,
``~``, ``1 - m``, ``* -1e9`` and slices from the start to the scores that it masks (``masked_fill``, ``where``, an
addition, an attention mask). The fault is a softmax over keys that are all at or behind their query. Silent where two
masks are combined so that it is not certain what is left, and where a fill is a number that hides nothing.
"""

from __future__ import annotations

import math
import operator

from shapecheck.dims import Dim
from shapecheck.rules.observed import Observed, here, methods, watch, watch_marked
from shapecheck.shapes import (
    ELLIPSIS,
    NONE,
    Axis,
    Constant,
    Fault,
    Mark,
    Mismatch,
    Number,
    Sequence,
    Shape,
    Slice,
    Tensor,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from shapecheck.shapes import AnyValue

PAST, FUTURE = "past", "future"
EXACT, WITHIN, AROUND = "exact", "within", "around"
_OTHER: Final = {PAST: FUTURE, FUTURE: PAST, EXACT: EXACT, WITHIN: AROUND, AROUND: WITHIN}


class Triangle(Mark):
    """The part of ``[rows, columns]`` that is not 0, or that scores keep; on both axes, beside the mark they had.

    ``part`` is ``past`` where no column comes after its row, and ``extent`` whether it is exactly that triangle, lies
    within it, or around it. ``state`` is ``chosen`` for a mask of bools or ones, ``hidden`` for what is added to scores
    and very negative in that part, ``large`` for what is subtracted, ``kept`` for scores that a mask was applied to.
    """

    __slots__ = ("columns", "extent", "part", "state")

    def __init__(
        self, before: Mark | None, place: object, part: str, extent: str = EXACT, state: str = "chosen",
        *, columns: bool = True,
    ) -> None:
        super().__init__("" if before is None else before.kind, place if before is None else before.place)
        self.part = part
        self.extent = extent
        self.state = state
        self.columns = columns


class _Found:
    """A triangle as it lies in a tensor: which of its axes are rows and columns, counted from the end."""

    __slots__ = ("columns", "extent", "part", "rows", "state")

    def __init__(self, part: str, extent: str, state: str, rows: int, columns: int) -> None:
        self.part = part
        self.extent = extent
        self.state = state
        self.rows = rows
        self.columns = columns

    def turned(self, state: str) -> _Found:
        """The rest of the matrix."""
        return _Found(_OTHER[self.part], _OTHER[self.extent], state, self.rows, self.columns)

    def as_state(self, state: str, extent: str | None = None) -> _Found:
        """The same part in another role."""
        return _Found(self.part, extent or self.extent, state, self.rows, self.columns)


def _of(value: AnyValue | None) -> _Found | None:
    """The triangle in a tensor, if there is one."""
    if not isinstance(value, Tensor):
        return None
    places: dict[bool, int] = {}
    mark: Triangle | None = None
    for behind, axis in enumerate(reversed(value.shape.axes), 1):
        if isinstance(axis, Axis) and isinstance(axis.mark, Triangle) and axis.mark.columns not in places:
            mark = axis.mark
            places[mark.columns] = behind
    if mark is None or len(places) < 2:
        return None
    return _Found(mark.part, mark.extent, mark.state, places[False], places[True])


def _marked(value: AnyValue, found: _Found | None) -> AnyValue:
    """A tensor with a triangle, or without one."""
    if not isinstance(value, Tensor):
        return value
    shape = value.shape
    for position, axis in enumerate(shape.axes):
        if isinstance(axis, Axis) and isinstance(axis.mark, Triangle):
            before = Mark(axis.mark.kind, axis.mark.place) if axis.mark.kind else None
            shape = shape.replaced(position, axis.with_mark(before))
    if found is None or max(found.rows, found.columns) > len(shape) or shape.rest not in {None, 0}:
        return value.reshaped(shape) if shape is not value.shape else value
    for behind, columns in ((found.rows, False), (found.columns, True)):
        position = len(shape) - behind
        axis = shape[position]
        if isinstance(axis, Axis):
            mark = Triangle(axis.mark, here(), found.part, found.extent, found.state, columns=columns)
            shape = shape.replaced(position, axis.with_mark(mark))
    return value.reshaped(shape)


def _hides(value: AnyValue | None) -> bool:
    """Whether a fill takes scores out of a softmax: a very negative number, or one like ``-inf`` that is not known."""
    if isinstance(value, Constant):
        return isinstance(value.value, float) and value.value < -1
    if isinstance(value, Dim):
        return value.constant is not None and value.constant < -1
    return isinstance(value, Number) or (isinstance(value, Tensor) and value.shape.rank == 0)


# -- how triangles are made ------------------------------------------------------------------------------------------


@watch("torch.full", "torch.full_like")
def _full(call: Observed) -> None:
    if _hides(call.argument(1, "fill_value")) and isinstance(call.result, Tensor) and len(call.result.shape) > 1:
        axis = call.result.shape[-1]
        if isinstance(axis, Axis) and axis.mark is None:
            position = len(call.result.shape) - 1
            shape = call.result.shape.replaced(position, axis.with_mark(Mark(NEGATIVE, here())))
            call.result = call.result.reshaped(shape)


NEGATIVE = "very negative"


@watch(*methods("tril", "triu"), "torch.Tensor.tril_", "torch.Tensor.triu_")
def _triangle(call: Observed) -> None:
    source = call.tensor(0, "input")
    if source is None or len(source.shape) < 2:
        return
    last = source.shape[-1]
    negative = isinstance(last, Axis) and last.mark is not None and last.mark.kind == NEGATIVE
    part = PAST if "tril" in call.name else FUTURE
    call.result = _marked(call.result, _Found(part, EXACT, "hidden" if negative else "chosen", 2, 1))


POSITIONS = "positions"


@watch("torch.arange")
def _arange(call: Observed) -> None:
    if isinstance(call.result, Tensor) and len(call.result.shape) == 1 and isinstance(call.result.shape[0], Axis):
        axis = call.result.shape[0].with_mark(Mark(POSITIONS, here()))
        call.result = call.result.reshaped(Shape((axis,)))


def _position_axis(value: AnyValue | None) -> int | None:
    """Which axis of a tensor, counted from the end, counts positions; None unless all others are 1."""
    if not isinstance(value, Tensor) or value.shape.rest is not None:
        return None
    long = [behind for behind, axis in enumerate(reversed(value.shape.known), 1) if not axis.is_one]
    if len(long) != 1:
        return None
    mark = value.shape.known[-long[0]].mark
    return long[0] if mark is not None and mark.kind == POSITIONS else None


# -- how they are carried --------------------------------------------------------------------------------------------


_COMPARE: Final = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
}  # fmt: skip


@watch_marked(*[f"operator.{name}" for name in _COMPARE], *methods(*_COMPARE))
def _compare(call: Observed) -> None:
    name = call.name.rpartition(".")[2]
    left, right = call.argument(0, "input"), call.argument(1, "other")
    rows, columns = _position_axis(left), _position_axis(right)
    if rows is not None and columns is not None and rows != columns and name not in {"eq", "ne"}:
        # rows >= columns: no column comes after its row.
        later = (name in {"ge", "gt"}) is (rows > columns)
        part = PAST if later else FUTURE
        made = _Found(part, EXACT, "chosen", max(rows, columns), min(rows, columns))
        call.result = _marked(call.result, made)
        return
    found, number = _of(left), _number(right)
    if found is None or number is None or found.state == "kept":
        call.result = _marked(call.result, None)
        return
    outside = _COMPARE[name](0.0, number)
    inside = _COMPARE[name](-math.inf if found.state == "hidden" else 1.0, number)
    made = found.as_state("chosen") if inside else found.turned("chosen")
    call.result = _marked(call.result, None if inside is outside else made)


def _number(value: AnyValue | None) -> float | None:
    if isinstance(value, Dim):
        return value.constant
    if isinstance(value, Constant) and isinstance(value.value, (bool, int, float)):
        return float(value.value)
    return None


@watch_marked("operator.invert", *methods("logical_not", "bitwise_not"))
def _invert(call: Observed) -> None:
    found = _of(call.tensor(0, "input"))
    if found is not None:
        call.result = _marked(call.result, found.turned("chosen") if found.state == "chosen" else None)


@watch_marked("operator.and_", "operator.or_", *methods("logical_and", "logical_or", "bitwise_and", "bitwise_or"))
def _combine(call: Observed) -> None:
    """Of two masks what both say, or what one says."""
    one, other = _of(call.tensor(0, "input")), _of(call.tensor(1, "other"))
    if one is not None and other is not None:
        # A band is cut out of two triangles on purpose.
        call.result = _marked(call.result, one if one.part == other.part and one.extent == other.extent else None)
        return
    found = other if one is None else one
    if found is None:
        return
    extent = WITHIN if "and" in call.name.rpartition(".")[2] else AROUND
    fits = found.extent in {EXACT, extent} and found.state == "chosen"
    call.result = _marked(call.result, found.as_state("chosen", extent) if fits else None)


@watch_marked("operator.sub", *methods("sub"), "torch.rsub")
def _subtract(call: Observed) -> None:
    found, scores = _of(call.tensor(1, "other")), _of(call.tensor(0, "input"))
    if found is None:
        return
    if found.state == "chosen":
        whole = _number(call.argument(0, "input")) == 1
        call.result = _marked(call.result, found.turned("chosen") if whole else None)
    else:
        call.result = _marked(call.result, found.turned("kept") if found.state == "large" and scores is None else None)


@watch_marked("operator.mul", *methods("mul"))
def _multiply(call: Observed) -> None:
    for one, other in ((0, 1), (1, 0)):
        found = _of(call.tensor(one, "input", "other"))
        if found is None:
            continue
        factor = call.argument(other, "other", "input")
        if found.state == "chosen":
            number = _number(factor)
            large = number is not None and number > 1
            state = "hidden" if _hides(factor) else "large" if large else ""
            call.result = _marked(call.result, found.as_state(state) if state else None)
        return


@watch_marked("operator.getitem")
def _cut(call: Observed) -> None:
    """A part of a mask from its first row and column on: ``mask[:, :, :t, :t]``."""
    found, index = _of(call.tensor(0)), call.argument(1)
    if found is None or _of(call.result) is not None:
        return
    items = index.items if isinstance(index, Sequence) else [index]
    whole = all(
        item in (NONE, ELLIPSIS) or (isinstance(item, Slice) and item.start in (None, Dim.of(0)) and item.step is None)
        for item in items
    )
    call.result = _marked(call.result, found if whole else None)


# -- what they are put to ----------------------------------------------------------------------------------------------


@watch_marked(*methods("masked_fill"), "torch.Tensor.masked_fill_")
def _fill(call: Observed) -> None:
    mask = _of(call.tensor(1, "mask"))
    if mask is None or mask.state != "chosen" or not _hides(call.argument(2, "value")):
        return
    if mask.extent in {EXACT, AROUND}:
        call.result = _marked(call.result, mask.turned("kept"))


@watch_marked("torch.where")
def _where(call: Observed) -> None:
    mask, chosen, other = _of(call.tensor(0, "condition")), call.argument(1, "input"), call.argument(2, "other")
    if mask is None or mask.state != "chosen":
        return
    if _hides(other) and mask.extent in {EXACT, WITHIN}:
        call.result = _marked(call.result, mask.as_state("kept"))
    elif _hides(chosen) and not _hides(other) and mask.extent in {EXACT, AROUND}:
        call.result = _marked(call.result, mask.turned("kept"))


@watch_marked("operator.add", "operator.iadd", *methods("add", "add_"))
def _add(call: Observed) -> None:
    """What is very negative in one operand is hidden in the sum."""
    found = [mark for mark in (_of(call.tensor(0, "input")), _of(call.tensor(1, "other"))) if mark is not None]
    kept = [mark if mark.state == "kept" else mark.turned("kept") for mark in found if mark.state in {"kept", "hidden"}]
    call.result = _marked(call.result, kept[0] if len(kept) == 1 == len(found) else None)


@watch_marked(*methods("softmax"), "torch.nn.functional.softmax", "torch.special.softmax", "torch.nn.Softmax")
def _softmax(call: Observed) -> None:
    source = call.tensor(0, "input")
    found = _of(source)
    axes = call.axes(1, "dim", "axis")
    dim = axes[0] if axes else getattr(call.layer, "dim", None)
    if source is None or found is None or found.state != "kept" or not isinstance(dim, int):
        return
    position = source.shape.position(dim)
    behind = len(source.shape) - position if isinstance(position, int) else 0
    if behind in {found.rows, found.columns}:
        _judge(call, source, found.part if behind == found.columns else _OTHER[found.part], len(source.shape) - behind)
    call.result = _marked(call.result, None)


def _judge(call: Observed, scores: Tensor, part: str, position: int) -> None:
    axis = scores.shape[position]
    if part == FUTURE and isinstance(axis, Axis):
        call.suspect(Mismatch(Fault.CAUSAL_MASK, axis=position, left=axis.size, left_shape=scores.shape))


@watch("torch.nn.functional.scaled_dot_product_attention")
def _attention(call: Observed) -> None:
    mask = call.tensor(3, "attn_mask")
    _masked(call, mask, taken_part=True)


@watch("torch.nn.MultiheadAttention", "torch.nn.TransformerEncoderLayer", "torch.nn.TransformerEncoder")
def _module(call: Observed) -> None:
    """Here a bool says what is left out."""
    position = 5 if call.name.endswith("MultiheadAttention") else 1
    _masked(call, call.tensor(position, "attn_mask", "src_mask", "mask"), taken_part=False)


def _masked(call: Observed, mask: Tensor | None, *, taken_part: bool) -> None:
    found = _of(mask)
    if mask is None or found is None or found.columns != 1:
        return
    if found.state == "kept":
        kept = found
    elif found.state == "hidden" or not taken_part:
        kept = found.turned("kept")
    else:
        kept = found
    if kept.extent != AROUND:
        _judge(call, mask, kept.part, len(mask.shape) - 1)
