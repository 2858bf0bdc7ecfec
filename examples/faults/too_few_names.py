"""Token ids have two axes, their embeddings three.

Refused by Python on the first call, and before it by the check.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from shapecheck import shapechecked


@shapechecked
def causal_mask(x: Float[Tensor, "B T D"]) -> Float[Tensor, "T T"]:
    _, T = x.shape  # error: SC204
    # repair: _, T, _ = x.shape
    return torch.full((T, T), float("-inf")).triu(diagonal=1)
