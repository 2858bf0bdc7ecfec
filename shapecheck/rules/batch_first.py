"""SC308: a recurrent or attention module gets batch and time the wrong way round.

These modules take ``[time, batch, features]`` unless they are made with ``batch_first=True``. Said only where the batch
axis is known by its name and stands where the module expects time.
"""

from __future__ import annotations

from shapecheck.rules.observed import Observed, is_batch, watch
from shapecheck.shapes import Axis, Fault, Mismatch

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
    if is_batch(source.shape, wrong) and not is_batch(source.shape, right):
        axis = source.shape[wrong]
        call.suspect(
            Mismatch(
                Fault.BATCH_FIRST, axis=wrong, left=axis.size if isinstance(axis, Axis) else None,
                left_shape=source.shape, detail=str(not batch_first),
            )
        )
