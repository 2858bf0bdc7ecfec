"""`gather` wants an index with as many axes as the table it picks from.

Refused by torch on the first call.
"""

from jaxtyping import Float, Int
from torch import Tensor

from shapecheck import shapechecked


@shapechecked
def token_scores(scores: Float[Tensor, "B T V"], ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T"]:
    return scores.gather(-1, ids)  # error: SC204
    # repair: return scores.gather(-1, ids[:, :, None]).squeeze(-1)
