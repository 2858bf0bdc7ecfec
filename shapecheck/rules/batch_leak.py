"""SC307: samples of a batch influence each other.

A reduction over the whole batch that is combined with single samples again, as in ``adv - adv.mean()`` and
``total / mask.sum()``, and returned; a layer as wide as the batch; a table cut to the batch size and lined up with the
batch axis. Only a leading axis that is called like a batch counts. Silent are scalar results and batch statistics used
for standardising (a mean that is divided later). Of what runs along the batch axis ``batch_mixed`` speaks.
"""

from __future__ import annotations

from shapecheck.dims import Dim, Kind, Symbol
from shapecheck.rules.batch_mixed import NORMALISED, mix
from shapecheck.rules.norm_axis import CENTRED
from shapecheck.rules.observed import (
    BATCH_NAMES,
    Observed,
    axis_name,
    here,
    is_batch,
    marked_positions,
    methods,
    unmarked,
    watch,
    watch_marked,
)
from shapecheck.shapes import Axis, Fault, Mark, Mismatch, Shape, Slice, Tensor, scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from shapecheck.shapes import AnyValue

_LAYERS = (
    "Linear", "Bilinear", "LayerNorm", "GRU", "LSTM", "RNN", "Embedding", "MultiheadAttention",
    *[f"{kind}{rank}d" for kind in ("Conv", "ConvTranspose", "BatchNorm", "InstanceNorm") for rank in (1, 2, 3)],
)
_WIDTHS = frozenset((
    "in_features", "out_features", "normalized_shape", "num_features", "input_size", "hidden_size", "in_channels",
    "out_channels", "embedding_dim", "embed_dim",
))  # fmt: skip

WHOLE = "whole batch"
MEAN, SUM = f"{WHOLE} mean", f"{WHOLE} sum"
LEAK = "leak"
NORMS = "norms over the batch"
CENTRE = "mean over the batch"


class Whole(Mark):
    """What a number of the whole batch was taken of, the tensor ``source``; the place is the size of its batch axis."""

    __slots__ = ("source",)

    def __init__(self, kind: str, size: object, source: Tensor) -> None:
        super().__init__(kind, size)
        self.source = source


class Leak(Mark):
    """Samples that were combined with such a ``number``."""

    __slots__ = ("number",)

    def __init__(self, number: Mark) -> None:
        super().__init__(LEAK, here())
        self.number = number

    def whole(self) -> Shape | None:
        """The shape that the number was taken of, if it is known."""
        return self.number.source.shape if isinstance(self.number, Whole) else None


@watch(*methods("mean", "sum"))
def _reduce(call: Observed) -> None:
    """A number that is taken over the whole batch."""
    source, result = call.tensor(0, "input"), call.result
    if source is None or not isinstance(result, Tensor) or result.shape.axes or not is_batch(source.shape):
        return
    if len(source.shape) == 1:
        # One number a sample: there is no other axis that could have been meant (a baseline of returns).
        return
    axis = source.shape[0]
    if isinstance(axis, Axis):
        kind = MEAN if call.name.endswith("mean") else SUM
        call.result = Tensor(result.shape, result.dtype, result.kind, Whole(kind, axis.size, source))


@watch_marked(*methods("clamp", "clamp_min", "clip"), "operator.add", *methods("add"))
def _kept_from_zero(call: Observed) -> None:
    """A sum of the whole batch that is kept away from zero, ``mask.sum().clamp(min=1)``, is still one."""
    number, result, other = call.tensor(0, "input"), call.result, call.argument(1, "other")
    if number is None or number.mark is None or number.mark.kind != SUM or isinstance(other, Tensor):
        return
    if isinstance(result, Tensor) and not result.shape.axes:
        call.result = Tensor(result.shape, result.dtype, result.kind, number.mark)


@watch(*methods("mean"))
def _centre(call: Observed) -> None:
    """The mean sample of a batch; subtracted it centres, which is meant."""
    source, axes, result = call.tensor(0, "input"), call.axes(1, "dim", "axis"), call.result
    if source is None or axes is None or len(axes) != 1 or len(source.shape) < 2 or not isinstance(result, Tensor):
        return
    axis = source.shape[0]
    if source.shape.position(axes[0]) == 0 and is_batch(source.shape) and isinstance(axis, Axis):
        call.result = Tensor(result.shape, result.dtype, result.kind, Mark(CENTRE, axis.size))


@watch_marked("operator.add", *methods("add"))
def _add_centre(call: Observed) -> None:
    """The mean sample added to each; not to what differs from it, which only draws the samples towards it."""
    for one, other in ((0, 1), (1, 0)):
        samples = call.tensor(one, "input", "other")
        if samples is not None and 0 not in marked_positions(samples.shape, CENTRED):
            combine(call, CENTRE, samples, call.tensor(other, "other", "input"))


@watch(*methods("norm"), "torch.linalg.norm", "torch.linalg.vector_norm")
def _norm(call: Observed) -> None:
    """Norms over the samples of a batch: what is divided by them depends on all of them."""
    source, axes, result = call.tensor(0, "input", "x", "A"), call.axes(2, "dim", "axis"), call.result
    if source is None or axes is None or len(axes) != 1 or len(source.shape) < 2 or not isinstance(result, Tensor):
        return
    if source.shape.position(axes[0]) == 0 and is_batch(source.shape):
        call.result = Tensor(result.shape, result.dtype, result.kind, Mark(NORMS, here()))


@watch_marked("operator.sub", *methods("sub", "subtract"))
def _subtract(call: Observed) -> None:
    samples, number, result = call.tensor(0, "input"), call.tensor(1, "other"), call.result
    combine(call, MEAN, samples, number)
    if number is not None and number.mark is not None and number.mark.kind == CENTRE and isinstance(result, Tensor):
        axis = result.shape[0]
        if is_batch(result.shape) and isinstance(axis, Axis):
            shape = result.shape.replaced(0, axis.with_mark(Mark(CENTRED, here())))
            call.result = Tensor(shape, result.dtype, result.kind, result.mark)


@watch_marked("operator.truediv", *methods("div", "divide", "true_divide"))
def _divide(call: Observed) -> None:
    if isinstance(call.result, Tensor):
        # (x - mean) / std standardises with statistics of the batch, which is meant.
        call.result = unmarked(call.result, LEAK)
    combine(call, SUM, call.tensor(0, "input"), call.tensor(1, "other"))
    samples, norms = call.tensor(0, "input"), call.tensor(1, "other")
    if samples is not None and norms is not None and norms.mark is not None and norms.mark.kind == NORMS:
        mix(call, samples.shape, NORMALISED, place=norms.mark.place, operation=".norm")


def combine(call: Observed, kind: str, samples: Tensor | None, number: Tensor | None) -> None:
    """Samples combined with a number of the whole batch: a fault if the result is returned as it is."""
    result = call.result
    if samples is None or number is None or number.mark is None or number.mark.kind != kind:
        return
    if not isinstance(result, Tensor) or not is_batch(result.shape) or not is_batch(samples.shape):
        return
    axis, size = result.shape[0], number.mark.place
    if isinstance(axis, Axis) and scope().equal(axis.size, size):  # type: ignore[arg-type]  # the batch axis' size
        call.result = result.reshaped(result.shape.replaced(0, axis.with_mark(Leak(number.mark))))


def leak(value: AnyValue) -> Mismatch | None:
    """The fault of a returned value whose samples were combined with a number of the whole batch."""
    if not isinstance(value, Tensor):
        return None
    for position in marked_positions(value.shape, LEAK):
        axis = value.shape[position]
        if isinstance(axis, Axis) and axis.mark is not None:
            return Mismatch(
                Fault.BATCH_LEAK, axis=position, left=axis.size, left_shape=value.shape, detail="whole",
                right_shape=axis.mark.whole() if isinstance(axis.mark, Leak) else None, place=axis.mark.place,
            )
    return None


@watch(*[f"torch.nn.{name}.__init__" for name in _LAYERS])
def _width(call: Observed) -> None:
    """A layer as wide as the batch: it fits one batch size only."""
    for value in [*call.args[:2], *[value for name, value in call.kwargs.items() if name in _WIDTHS]]:
        width = value.symbol if isinstance(value, Dim) else None
        if width is not None and width.kind is Kind.FLEXIBLE:
            scope().widths |= {width}
        symbols = [atom for atom in value.atoms if isinstance(atom, Symbol)] if isinstance(value, Dim) else []
        for symbol in symbols:
            if symbol.name in BATCH_NAMES:
                call.suspect(Mismatch(Fault.BATCH_WIDTH, left=Dim.of(symbol)))
                return


def widths(batch: frozenset[str]) -> list[Mismatch]:
    """The widths of layers that were found to be a batch size: what was made so fits one batch size only.

    Args:
        batch: the axis names of the function under analysis that are its batch axis.
    """
    found: list[Mismatch] = []
    known = scope()
    for width in known.widths:
        solution = known.solution(width)
        symbol = None if solution is None else solution.value.symbol
        if solution is not None and symbol is not None and symbol.kind is Kind.RIGID and symbol.name in batch:
            found.append(
                Mismatch(
                    Fault.BATCH_WIDTH, left=Dim.of(symbol), detail=width.name, place=solution.place,
                )
            )
    return found


def batch_names(orders: Iterable[tuple[str, ...]]) -> frozenset[str]:
    """The axis names that are a batch by what a function declares: leading, with other axes behind it, and only so."""
    leading = {order[0] for order in orders if len(order) > 1} & BATCH_NAMES
    return frozenset(name for name in leading if all(name not in order[1:] for order in orders))


@watch(
    "operator.add", "operator.sub", "operator.mul", "operator.truediv",
    *methods("add", "sub", "subtract", "mul", "multiply", "div", "divide"),
)
def _width_on_batch(call: Observed) -> None:
    """A batch axis lined up with the width of a layer: they are equal by accident, or the width is 1."""
    if not scope().widths:
        return
    left, right = call.tensor(0, "input"), call.tensor(1, "other")
    if left is None or right is None:
        return
    for one, other in ((left.shape, right.shape), (right.shape, left.shape)):
        if not is_batch(one) or one.rest is not None or other.rest is not None or not 1 < len(one) == len(other):
            continue
        facing = other[0]
        width = scope().normal(facing.size).symbol if isinstance(facing, Axis) else None
        batch = one[0]
        if width in scope().widths and isinstance(batch, Axis) and isinstance(facing, Axis):
            call.suspect(
                Mismatch(
                    Fault.BATCH_MEETS, left=batch.size, right=facing.size, left_shape=left.shape,
                    right_shape=right.shape,
                )
            )
            return

TABLE = "table"


@watch("operator.getitem")
def _cut(call: Observed) -> None:
    """A table cut to the batch size along its first axis: ``pe[: x.size(0)]``."""
    source, index, result = call.tensor(0), call.argument(1), call.result
    if source is None or not isinstance(index, Slice) or not isinstance(result, Tensor) or len(result.shape) < 2:
        return
    axis = result.shape[0]
    if isinstance(index.stop, Dim) and is_batch(result.shape) and not is_batch(source.shape) and isinstance(axis, Axis):
        call.result = result.reshaped(result.shape.replaced(0, axis.with_mark(Mark(TABLE, here()))))


_LENGTHS = frozenset(
    ("len", "maxlen", "length", "lengths", "seq", "seqlen", "ctx", "context", "block", "pos", "position", "positions")
)
"""Parts of what the length of a table of positions is called: `max_len`, `n_ctx`, `block_size`."""


def _is_length(axis: object) -> bool:
    """Whether the size of an axis is a parameter with the name of a length."""
    symbol = axis.size.symbol if isinstance(axis, Axis) else None
    if symbol is None or symbol.kind is not Kind.FLEXIBLE:
        return False
    words = set(symbol.name.lower().split("_"))
    return bool(words & _LENGTHS) and not words & BATCH_NAMES


COUNTED = "counted"
READ = "read"


@watch("torch.arange")
def _count(call: Observed) -> None:
    """Numbers that count the samples: ``arange(x.size(0))``."""
    result = call.result
    axis = result.shape[0] if isinstance(result, Tensor) and len(result.shape) == 1 else None
    if isinstance(result, Tensor) and isinstance(axis, Axis) and axis_name(axis) in BATCH_NAMES:
        counted = Shape([axis.with_mark(Mark(COUNTED, here()))])
        call.result = Tensor(counted, result.dtype, result.kind, result.mark)


@watch_marked(*[f"operator.{name}" for name in ("add", "sub", "mul", "floordiv", "mod")], *methods("add", "sub", "mul"))
def _computed(call: Observed) -> None:
    """What is computed of the numbers of the samples, ``rows * t + columns``, counts something else."""
    if isinstance(call.result, Tensor):
        call.result = unmarked(call.result, COUNTED)


@watch("torch.nn.Embedding")
def _look_up(call: Observed) -> None:
    """A table of positions read at the number of the sample: as if it were cut to the batch size."""
    rows, result = getattr(call.layer, "rows", None), call.result
    if not isinstance(rows, Dim) or not _is_length(Axis.of(rows)) or not isinstance(result, Tensor):
        return
    for position in marked_positions(result.shape, COUNTED):
        axis = result.shape[position]
        if isinstance(axis, Axis) and position == 0:
            call.result = result.reshaped(result.shape.replaced(0, axis.with_mark(Mark(READ, here()))))


@watch("operator.add", *methods("add"))
def _add(call: Observed) -> None:
    """A table of positions lined up with the batch: ``[b, t, d] + pe`` with a pe of ``[m, 1, d]``, or ``pe[:b]``."""
    left, right = call.tensor(0, "input"), call.tensor(1, "other")
    if left is None or right is None or len(left.shape) != len(right.shape) or len(left.shape) < 3:
        return
    for samples, table in ((left, right), (right, left)):
        if marked_positions(samples.shape, TABLE):
            continue
        read = marked_positions(table.shape, READ) == [0]
        cut = read or marked_positions(table.shape, TABLE) == [0]
        if not cut and not _is_length(table.shape[0]):
            continue
        second = table.shape[1]
        if is_batch(samples.shape) and isinstance(second, Axis) and (second.is_one or read):
            axis = samples.shape[0]
            call.suspect(
                Mismatch(
                    Fault.BATCH_TABLE, left=axis.size if isinstance(axis, Axis) else None, left_shape=samples.shape,
                    right_shape=table.shape, detail="read" if read else "cut" if cut else "",
                )
            )
