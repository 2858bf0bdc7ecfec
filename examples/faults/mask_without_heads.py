"""A padding mask has no axes for heads and queries, so its batch lines up with the queries.

Silent when B == Q: samples are then masked by each other's padding.
"""

from jaxtyping import Bool, Float
from torch import Tensor

from shapecheck import shapechecked


@shapechecked
def mask_padding(scores: Float[Tensor, "B H Q K"], padding: Bool[Tensor, "B K"]) -> Float[Tensor, "B H Q K"]:
    return scores.masked_fill(padding, float("-inf"))  # error: SC203
    # repair: return scores.masked_fill(padding[:, None, None, :], float("-inf"))
