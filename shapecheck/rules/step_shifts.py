"""SC307: samples of a batch are taken for steps of a sequence.

``logits[:-1]`` against ``ids[1:]``, of a batch axis, in a loss, a comparison or a difference: each sample is held
against the next one. A difference or comparison of one tensor with itself counts only where it has an axis of time. And
a recurrent layer that is given what was flipped along the batch: where its result is flipped back, or joined with that
of another layer for the same input. ``x.flip(0)`` by itself is silent: mixtures and negative pairs want it.
"""

from __future__ import annotations

from shapecheck.dims import Dim
from shapecheck.rules.observed import Observed, Trait, axis_name, here, is_batch, methods, watch, watch_marked
from shapecheck.rules.traits import EVERYWHERE, IN_PLACE, MOVED, with_trait
from shapecheck.shapes import Axis, Fault, Mismatch, Sequence, Shape, Slice, Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from shapecheck.shapes import AnyValue, Rest

_TIMES: Final = frozenset(
    ("t", "T", "time", "times", "seq", "seq_len", "length", "len", "L", "l", "S", "steps", "n_steps", "frames")
)
"""What an axis of time is called."""


class _Whole(Trait):
    """A trait that belongs to all elements alike, wherever they stand."""

    __slots__ = ()
    kept = EVERYWHERE


class Shifted(_Whole):
    """The samples of ``source`` but the first or last ones: ``part`` is ``[1:]`` or ``[:-1]``, as written."""

    __slots__ = ("count", "first", "source")

    def __init__(self, source: Tensor, count: int, *, first: bool) -> None:
        super().__init__("shifted", here())
        self.source = source
        self.count = count
        self.first = first


class Turned(Trait):
    """What was flipped along the axis at ``position`` of ``shape``; None where that is no matter any more."""

    __slots__ = ("position", "shape")
    kept = IN_PLACE

    def __init__(self, shape: Shape, position: int | None) -> None:
        super().__init__("flipped", here())
        self.shape = shape
        self.position = position


class Flipped(_Whole, Turned):
    """The samples of ``source`` in reverse order."""

    __slots__ = ("size", "source")

    def __init__(self, source: Tensor, size: Dim, shape: Shape, position: int | None) -> None:
        Turned.__init__(self, shape, position)
        self.source = source
        self.size = size


class Ran(Trait):
    """Made by recurrent layers that ran along some of the leading two ``axes``: what they got last had this shape."""

    __slots__ = ("axes", "batch_first", "shape")
    kept = IN_PLACE

    def __init__(self, axes: frozenset[int], shape: Shape, *, batch_first: bool) -> None:
        super().__init__("ran", here())
        self.axes = axes
        self.shape = shape
        self.batch_first = batch_first


class Recurrent(_Whole):
    """What a recurrent layer gave for ``source``; ``flipped`` where it got the samples in reverse order.

    ``ran`` tells along which axes, for the output of every step as it was given.
    """

    __slots__ = ("flipped", "layer", "ran", "source")

    def __init__(self, layer: object, source: Tensor, flipped: Flipped | None, ran: Ran | None = None) -> None:
        super().__init__("recurrent", here())
        self.layer = layer
        self.source = source
        self.flipped = flipped
        self.ran = ran

    def through(self, how: str, source: Shape, result: Shape, *, ordered: bool) -> Trait | None:
        """The same; but axes that moved are followed no more."""
        del source, result, ordered
        return Recurrent(self.layer, self.source, self.flipped) if how == MOVED and self.ran is not None else self


def ran_along(value: Tensor | None) -> Ran | None:
    """Along which axes recurrent layers ran, if that is known."""
    mark = None if value is None else value.mark
    return mark.ran if isinstance(mark, Recurrent) else mark if isinstance(mark, Ran) else None


# -- shifts ----------------------------------------------------------------------------------------------------------


@watch("operator.getitem")
def _cut(call: Observed) -> None:
    source, index, result = call.tensor(0), call.argument(1), call.result
    part = index.items[0] if isinstance(index, Sequence) and index.items else index
    if source is None or not isinstance(part, Slice) or not isinstance(result, Tensor):
        return
    if len(source.shape) < 2 or not is_batch(source.shape):
        return
    start, stop = _number(part.start), _number(part.stop)
    if start in {None, 0} and stop is not None and stop < 0 and part.stop is not None:
        call.result = with_trait(result, Shifted(source, -stop, first=False))
    elif start is not None and start > 0 and part.stop is None:
        call.result = with_trait(result, Shifted(source, start, first=True))


def _number(value: AnyValue | None) -> int | None:
    return value.constant if isinstance(value, Dim) else None


_ROWWISE: Final = (
    *methods("softmax", "log_softmax", "argmax", "squeeze", "exp", "log", "sigmoid"), "torch.nn.functional.softmax",
    "torch.nn.functional.log_softmax", "torch.nn.functional.one_hot", "torch.nn.Linear", "torch.nn.Embedding",
    "torch.nn.Dropout", "torch.nn.LayerNorm",
)  # fmt: skip


@watch_marked(*_ROWWISE)
def _rowwise(call: Observed) -> None:
    """Operations that do not mix samples."""
    source, result = call.tensor(0, "input"), call.result
    if source is not None and isinstance(source.mark, _Whole) and isinstance(result, Tensor) and result.shape.axes:
        call.result = with_trait(result, source.mark)


_LOSSES: Final = (
    *[
        f"torch.nn.functional.{name}"
        for name in ("cross_entropy", "nll_loss", "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "kl_div",
                     "binary_cross_entropy", "binary_cross_entropy_with_logits", "cosine_similarity")
    ],
    *[
        f"torch.nn.{name}Loss"
        for name in ("CrossEntropy", "NLL", "MSE", "L1", "SmoothL1", "Huber", "KLDiv", "BCE", "BCEWithLogits")
    ],
    "operator.eq", "operator.ne", "operator.sub", *methods("eq", "ne", "sub"),
)  # fmt: skip


@watch_marked(*_LOSSES)
def _pair(call: Observed) -> None:
    _compare(call, call.tensor(0, "input", "x1"), call.tensor(1, "target", "other", "x2"))


@watch_marked(*methods("gather"))
def _gather(call: Observed) -> None:
    _compare(call, call.tensor(0, "input"), call.tensor(2, "index"))


def _compare(call: Observed, left: Tensor | None, right: Tensor | None) -> None:
    one, other = None if left is None else left.mark, None if right is None else right.mark
    if not isinstance(one, Shifted) or not isinstance(other, Shifted):
        return
    if one.first is other.first or one.count != other.count:
        return
    if one.source is other.source and not any(axis_name(axis) in _TIMES for axis in one.source.shape.axes[1:]):
        return
    axis = one.source.shape[0]
    if isinstance(axis, Axis):
        call.suspect(
            Mismatch(Fault.BATCH_STEPS, axis=0, left=axis.size, left_shape=one.source.shape, detail="shift")
        )


# -- flips -----------------------------------------------------------------------------------------------------------


@watch(*methods("flip", "flipud", "fliplr"))
def _flip(call: Observed) -> None:
    source, result = call.tensor(0, "input"), call.result
    position = None if source is None else flipped_axis(call, source.shape)
    if source is None or position is None or not isinstance(result, Tensor) or len(source.shape) < 2:
        return
    axis = source.shape[position]
    # Behind a flip along another axis it is not known which of them is meant.
    only = None if isinstance(source.mark, Turned) else position
    if not is_batch(source.shape, position):
        if result.mark is None:
            call.result = with_trait(result, Turned(result.shape, only))
    elif isinstance(source.mark, Recurrent) and source.mark.flipped is not None:
        _suspect_flip(call, source.mark.flipped)
    elif isinstance(axis, Axis):
        call.result = with_trait(result, Flipped(source, axis.size, result.shape, only))


def flipped_axis(call: Observed, shape: Shape) -> int | None:
    """Where the one axis stands that a flip reverses."""
    written = call.args[1:] or [value for name, value in call.kwargs.items() if name != "input"]
    dims = written[0].items if len(written) == 1 and isinstance(written[0], Sequence) else written
    numbers = [_number(dim) if isinstance(dim, Dim) else None for dim in dims]
    if call.name.endswith(("flipud", "fliplr")):
        numbers = [0 if call.name.endswith("flipud") else 1]
    position = shape.position(numbers[0]) if len(numbers) == 1 and numbers[0] is not None else None
    return position if isinstance(position, int) and position < len(shape) else None


@watch("torch.nn.GRU", "torch.nn.LSTM", "torch.nn.RNN")
def _run(call: Observed) -> None:
    source, result = call.tensor(0, "input"), call.result
    if source is None or not isinstance(result, Sequence) or not result.items:
        return
    flipped = source.mark if isinstance(source.mark, Flipped) else None
    given = source if flipped is None else flipped.source
    found = _all_with(result, Recurrent(call.layer, given, flipped))
    output, ran = found.items[0], _ran(source, getattr(call.layer, "batch_first", None))
    if ran is not None and isinstance(output, Tensor):
        output = with_trait(output, Recurrent(call.layer, given, flipped, ran))
    call.result = Sequence([output, *found.items[1:]], found.kind, found.fields)


def _ran(source: Tensor, batch_first: object) -> Ran | None:
    """Along which axis a layer runs, and those that made its input."""
    before = ran_along(source)
    lost = isinstance(source.mark, Recurrent) and before is None
    if source.shape.rank != 3 or not isinstance(batch_first, bool) or lost:
        return None
    axes = frozenset((1 if batch_first else 0,)) | (before.axes if before is not None else frozenset())
    return Ran(axes, source.shape, batch_first=batch_first)


def _all_with(values: Sequence, trait: Trait) -> Sequence:
    """The tensors of a nested tuple with a trait."""
    items: list[AnyValue | Rest] = []
    for item in values.items:
        if isinstance(item, Tensor):
            items.append(with_trait(item, trait))
        else:
            items.append(_all_with(item, trait) if isinstance(item, Sequence) else item)
    return Sequence(items, values.kind, values.fields)


@watch("torch.cat", "torch.concat", "torch.concatenate")
def _join(call: Observed) -> None:
    parts = call.argument(0, "tensors")
    if not isinstance(parts, Sequence):
        return
    marks = [item.mark for item in parts.items if isinstance(item, Tensor) and isinstance(item.mark, Recurrent)]
    for mark in marks:
        if mark.flipped is None:
            continue
        if any(
            other.flipped is None and other.source is mark.source and other.layer is not mark.layer for other in marks
        ):
            _suspect_flip(call, mark.flipped)
            return


def _suspect_flip(call: Observed, flipped: Flipped) -> None:
    call.suspect(
        Mismatch(
            Fault.BATCH_STEPS, axis=0, left=flipped.size, left_shape=flipped.source.shape, detail="flip",
            place=flipped.place,
        )
    )
