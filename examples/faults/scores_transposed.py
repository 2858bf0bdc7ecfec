"""The scores are laid out keys by queries, and the softmax runs over the queries.

Silent when Q == K.
"""

from jaxtyping import Float
from torch import Tensor

from shapecheck import shapechecked


@shapechecked
def attention_weights(query: Float[Tensor, "B Q D"], key: Float[Tensor, "B K D"]) -> Float[Tensor, "B Q K"]:
    scores: Float[Tensor, "B Q K"] = key @ query.transpose(1, 2)  # error: SC206
    # repair: scores: Float[Tensor, "B Q K"] = query @ key.transpose(1, 2)
    return scores.softmax(dim=-1)
