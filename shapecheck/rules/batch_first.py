"""SC308: a recurrent or attention module gets batch and time the wrong way round.

These modules take ``[time, batch, features]`` unless they are made with ``batch_first=True``. Said only where the batch
axis is known by its name and stands where the module expects time. A letter may be another thing: bands, bins, bases.
"""

from __future__ import annotations

from shapecheck.rules.observed import BATCH_NAMES, BATCH_WORDS, Observed, axis_name, batch_among, is_batch, watch
from shapecheck.shapes import Axis, Fault, Mismatch, Origin, Shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_MODULES = [
    f"torch.nn.{name}"
    for name in ("RNN", "LSTM", "GRU", "MultiheadAttention", "TransformerEncoderLayer", "TransformerDecoderLayer",
                 "TransformerEncoder", "TransformerDecoder", "Transformer")
]  # fmt: skip


@watch(*_MODULES)
def _call(call: Observed) -> None:
    source = call.tensor(0, "input", "query", "src", "tgt")
    # A stack of layers takes what its layer takes.
    batch_first = getattr(getattr(call.layer, "layer", None) or call.layer, "batch_first", None)
    if source is None or not isinstance(batch_first, bool) or source.shape.rank != 3:
        return
    wrong, right = (1, 0) if batch_first else (0, 1)
    lead = source.shape[0]
    if batch_first and isinstance(lead, Axis) and lead.is_one and lead.origin is not Origin.KEPT:
        # `x[None]` of all samples: they are one sequence.
        return
    axis, other = source.shape[wrong], source.shape[right]
    # A merged batch, ``[batch*rows, columns, d]``, unless all of it is meant to be one sequence.
    merged = isinstance(other, Axis) and not other.is_one and batch_among(source.shape, wrong) is not None
    if (merged or is_batch(source.shape, wrong)) and not is_batch(source.shape, right):
        if merged and batch_among(source.shape, right) is not None:
            return
        call.suspect(
            Mismatch(
                Fault.BATCH_FIRST, axis=wrong, left=axis.size if isinstance(axis, Axis) else None,
                left_shape=source.shape, detail=str(not batch_first),
            )
        )


def is_among(names: Iterable[str], orders: Iterable[tuple[str, ...]]) -> bool:
    """Whether one of the names of a merged axis is a batch, by all that a function declares: it leads what it is in.

    Args:
        names: of what the axis is made.
        orders: the axis names of every array that the function declares.
    """
    known = [order for order in orders if len(order) > 1]
    return any(
        name in BATCH_WORDS
        or (name in BATCH_NAMES and bool(known) and all(name not in order or order[0] == name for order in known))
        for name in names
    )


def is_a_batch(name: str, shape: Shape, axis: int | None, orders: Iterable[tuple[str, ...]]) -> bool:
    """Whether what is called like a batch is one, by all that a function declares.

    A letter is one where it leads a declaration, or stands beside a plain name (``"t b d"``) that is no ``n``.

    Args:
        name: the name of the axis.
        shape: what a module gets, batch and time first.
        axis: where in it the axis stands.
        orders: the axis names of every array that the function declares.
    """
    if name in BATCH_WORDS or any(order[0] == name for order in orders if len(order) > 1):
        return True
    return axis_name(shape[0 if axis else 1]) not in (None, "n", "N")
