"""Merging the heads keeps the axis of heads and drops time.

Refused by torch, unless H == T.
"""

from jaxtyping import Float
from torch import Tensor

from shapecheck import shapechecked


@shapechecked
def merge_heads(x: Float[Tensor, "B H T Dh"]) -> Float[Tensor, "B T H*Dh"]:
    B, H, _, Dh = x.shape
    return x.transpose(1, 2).reshape(B, H, H * Dh)  # error: SC205
    # repair: return x.transpose(1, 2).reshape(B, x.shape[2], H * Dh)
