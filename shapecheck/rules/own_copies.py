"""SC305: copies of one tensor, in two orders, are all its pairs.

``x.repeat_interleave(n, 0) - x.repeat(n, 1)``: in one order every element would meet itself. So whoever copies one
tensor both ways and lines the copies up means pairs, whatever the number of copies is called.
"""

from __future__ import annotations

from shapecheck.rules.observed import Observed, Trait, here, methods, watch, watch_marked
from shapecheck.rules.traits import MOVED, SAME, with_trait
from shapecheck.shapes import Fault, Sequence, Tensor, current

_COMPARED = (
    *[f"operator.{name}" for name in ("add", "sub", "mul", "truediv", "eq", "ne", "gt", "ge", "lt", "le")],
    *methods("add", "sub", "mul", "div", "eq", "ne", "gt", "ge", "lt", "le", "minimum", "maximum", "cat", "stack"),
    "torch.concat", "torch.nn.functional.cosine_similarity", "torch.cosine_similarity", "torch.nn.CosineSimilarity",
    "torch.nn.functional.pairwise_distance", "torch.pairwise_distance", "torch.nn.PairwiseDistance",
)  # fmt: skip


class Copied(Trait):
    """Copies of ``source``."""

    __slots__ = ("source",)
    kept = frozenset((SAME, MOVED))

    def __init__(self, source: Tensor) -> None:
        super().__init__("copies", here())
        self.source = source


@watch("torch.Tensor.repeat", *methods("repeat_interleave", "tile"), "einops.repeat")
def _copy(call: Observed) -> None:
    source, result = call.tensor(0, "input", "tensor"), call.result
    if source is not None and isinstance(result, Tensor) and result.mark is None:
        call.result = with_trait(result, Copied(source))


@watch_marked(*_COMPARED)
def _compare(call: Observed) -> None:
    first = call.argument(0, "input", "tensors", "x1")
    parts = first.items if isinstance(first, Sequence) else [*call.args, *call.kwargs.values()]
    sources = [
        part.mark.source if isinstance(part, Tensor) and isinstance(part.mark, Copied) else None for part in parts
    ]
    if len(sources) > 1 and sources[0] is not None and all(source is sources[0] for source in sources):
        suspicions = current().suspicions
        suspicions[:] = [each for each in suspicions if each.kind is not Fault.FACTOR_ORDER]
