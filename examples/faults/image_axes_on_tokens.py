"""Pooling written for images, (B, C, Y, X), is applied to tokens, (B, T, D).

Refused by torch on the first call.
"""

from jaxtyping import Float
from torch import Tensor

from shapecheck import shapechecked


@shapechecked
def pool(x: Float[Tensor, "B T D"]) -> Float[Tensor, "B D"]:
    return x.mean(dim=(2, 3))  # error: SC204
    # repair: return x.mean(dim=1)
