"""The sentence vector is a mean over the samples instead of over the tokens.

Silent when B == T.
"""

from jaxtyping import Float
from torch import Tensor

from shapecheck import shapechecked


@shapechecked
def sentence_vector(x: Float[Tensor, "B T D"]) -> Float[Tensor, "B D"]:
    return x.mean(dim=0)  # error: SC201
    # repair: return x.mean(dim=1)
