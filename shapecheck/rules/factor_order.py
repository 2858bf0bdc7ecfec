"""SC305: the parts of a merged or repeated axis meet the same parts in another order.

``repeat`` puts the copies outside, ``repeat_interleave`` inside; ``(h w)`` is not ``(w h)``. Where both orders are
known, and the parts are the same, sample 0 of one operand meets sample 1 of the other. Broadcasting compares the
factors of the axes that it lines up (``shapes.broadcast``); here is what a layer expects of its own accord.
"""

from __future__ import annotations

from shapecheck.rules.observed import Observed, watch
from shapecheck.shapes import Axis, Fault, Mismatch


@watch("torch.nn.MultiheadAttention")
def _attention_mask(call: Observed) -> None:
    """``nn.MultiheadAttention`` flattens batch and heads with the batch outside, and so must a mask of three axes."""
    query, mask = call.tensor(0, "query"), call.tensor(5, "attn_mask")
    batch_first = getattr(call.layer, "batch_first", None)
    if query is None or mask is None or not isinstance(batch_first, bool):
        return
    if query.shape.rank != 3 or mask.shape.rank != 3:
        return
    batch, merged = query.shape[0 if batch_first else 1], mask.shape[0]
    if not isinstance(batch, Axis) or not isinstance(merged, Axis) or not batch.factors:
        return
    if any(factor.ident is None for factor in (*batch.factors, *merged.factors)):
        return
    count = len(batch.factors)
    if len(merged.factors) > count and merged.factors[-count:] == batch.factors:
        copies = merged.factors[:-count]
        call.suspect(
            Mismatch(
                Fault.FACTOR_ORDER, axis=0, left_shape=mask.shape, factors=merged.factors,
                wanted=((*batch.factors, *copies),), detail="attn_mask",
            )
        )
