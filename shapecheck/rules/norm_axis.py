"""SC311: statistics over one axis, affine parameters on another.

``(z - z.mean(1, keepdim=True)) / z.std(1, keepdim=True) * gain`` normalises along axis 1, and scales each position of
the last axis: a layer norm over time. A mean that is kept marks its axis; so does the difference from it, until a
parameter of one axis scales another axis than the marked one.

Only statistics over time that scale features are a fault: those of each sensor, over its own history, are an instance
norm, and those over the nodes of a graph or the points of a cloud, feature by feature, a norm of the whole set.
"""

from __future__ import annotations

from shapecheck.rules.observed import Observed, here, is_batch, marked_positions, methods, watch, watch_marked
from shapecheck.shapes import Axis, Fault, Mark, Mismatch, Tensor, scope

MEAN = "mean"
TIMES = frozenset((
    "t", "s", "l", "time", "times", "seq", "seqlen", "sequence", "len", "length", "step", "steps", "timesteps", "frame",
    "frames", "token", "tokens", "pos", "position", "positions", "ctx", "context",
))  # fmt: skip
"""Parts of what an axis is called whose places come one after the other."""
WIDTHS = frozenset((
    "d", "e", "h", "dim", "dims", "width", "hidden", "model", "emb", "embed", "embd", "embedding", "dmodel", "hid",
))  # fmt: skip
"""Parts of what the width of a layer is called: no series of its own, as one of `n_feat` measured features may be."""
CENTRED = "centred"


def is_called(axis: Axis, words: frozenset[str]) -> bool:
    """Whether the size of an axis is one name that has one of these words in it."""
    symbol = axis.size.symbol
    return symbol is not None and bool(words & set(symbol.name.lower().rpartition(".")[2].split("_")))


@watch(*methods("mean"))
def _mean(call: Observed) -> None:
    source, axes, result = call.tensor(0, "input"), call.axes(1, "dim", "axis"), call.result
    if source is None or axes is None or len(axes) != 1 or not isinstance(result, Tensor):
        return
    if not call.flag(2, "keepdim"):
        return
    position = source.shape.position(axes[0])
    if isinstance(position, int) and 0 <= position < len(result.shape):
        axis = result.shape[position]
        if isinstance(axis, Axis) and axis.is_one:
            call.result = result.reshaped(result.shape.replaced(position, axis.with_mark(Mark(MEAN, here()))))


@watch_marked("operator.sub", *methods("sub", "subtract"))
def _subtract(call: Observed) -> None:
    left, right, result = call.tensor(0, "input"), call.tensor(1, "other"), call.result
    if left is None or right is None or not isinstance(result, Tensor) or len(left.shape) != len(right.shape):
        return
    for position in marked_positions(right.shape, MEAN):
        axis, mark = result.shape[position], right.shape[position]
        if isinstance(axis, Axis) and isinstance(mark, Axis) and mark.mark is not None and not axis.is_one:
            call.result = result.reshaped(
                result.shape.replaced(position, axis.with_mark(Mark(CENTRED, mark.mark.place)))
            )


@watch_marked("operator.mul", *methods("mul", "multiply"))
def _scale(call: Observed) -> None:
    for one, other in ((0, 1), (1, 0)):
        centred, scale = call.tensor(one, "input", "other"), call.tensor(other, "other", "input")
        if centred is None or scale is None or scale.kind != "torch.nn.Parameter" or scale.shape.rank != 1:
            continue
        marked = marked_positions(centred.shape, CENTRED)
        last, own = centred.shape[-1] if centred.shape.axes else None, scale.shape[0]
        if len(marked) != 1 or not isinstance(last, Axis) or not isinstance(own, Axis) or own.is_one:
            continue
        position = marked[0]
        axis = centred.shape[position]
        if position == len(centred.shape) - 1 or not isinstance(axis, Axis) or axis.mark is None:
            continue
        if is_batch(centred.shape, position) or not scope().equal(own.size, last.size):
            # Statistics over the batch are a batch norm.
            continue
        if not is_called(axis, TIMES) or not is_called(last, WIDTHS):
            continue
        call.suspect(
            Mismatch(
                Fault.NORM_AXIS, axis=position, left=axis.size, right=own.size, left_shape=centred.shape,
                place=axis.mark.place,
            )
        )
