"""SC306: two distributions are compared, one normalised along another axis than the other.

``F.kl_div(x.log_softmax(1), y.softmax(2))``, and ``F.cross_entropy(scores, y.softmax(2))`` of ``[b, c, t]``, whose
classes are on axis 1. Silent where the two sizes are equal.
"""

from __future__ import annotations

from shapecheck.rules.observed import Observed, is_batch, watch
from shapecheck.rules.weight_sums import Weights
from shapecheck.shapes import Fault, Mismatch, Tensor, scope


@watch("torch.nn.functional.kl_div", "torch.nn.KLDivLoss")
def _divergence(call: Observed) -> None:
    source, target = call.tensor(0, "input"), call.tensor(1, "target")
    behind = _behind(source)
    if source is not None and target is not None and behind is not None and len(source.shape) == len(target.shape):
        _compare(call, target, len(target.shape) - behind)


@watch("torch.nn.functional.cross_entropy", "torch.nn.CrossEntropyLoss")
def _cross_entropy(call: Observed) -> None:
    scores, target = call.tensor(0, "input"), call.tensor(1, "target")
    if scores is not None and target is not None and len(scores.shape) == len(target.shape) > 1:
        _compare(call, target, 1)


def _behind(tensor: Tensor | None) -> int | None:
    """How far from the end the axis stands along which a tensor was normalised."""
    if tensor is None or tensor.shape.rest is not None or not isinstance(tensor.mark, Weights):
        return None
    return len(tensor.shape) - tensor.mark.position


def _compare(call: Observed, target: Tensor, wanted: int) -> None:
    behind = _behind(target)
    if behind is None or behind == len(target.shape) - wanted:
        return
    position = len(target.shape) - behind
    one, other = target.shape.known[wanted], target.shape.known[position]
    if is_batch(target.shape) and 0 in (wanted, position):
        # A softmax along the batch is what another rule speaks of.
        return
    if not one.is_one and not other.is_one and not scope().equal(one.size, other.size):
        call.suspect(
            Mismatch(
                Fault.COMPARED, axis=wanted, other_axis=position, left=one.size, right=other.size,
                left_shape=target.shape,
            )
        )
