"""The pattern names the axes of another layout: time is merged with the features, not the heads.

Silent when T == H.
"""

from einops import rearrange
from jaxtyping import Float
from torch import Tensor

from shapecheck import shapechecked


@shapechecked
def merge_heads(x: Float[Tensor, "B H T Dh"]) -> Float[Tensor, "B T H*Dh"]:
    return rearrange(x, "b t h d -> b t (h d)")  # error: SC201
    # repair: return rearrange(x, "b h t d -> b t (h d)")
