"""One gate per head is lined up with the features of a head.

Silent when H == Dh.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from shapecheck import shapechecked


@shapechecked(dims={"H": "n_heads"})
class HeadGate(nn.Module):
    def __init__(self, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.gate = nn.Parameter(torch.ones(n_heads))

    def forward(self, x: Float[Tensor, "B T H Dh"]) -> Float[Tensor, "B T H Dh"]:
        return x * self.gate  # error: SC203
        # repair: return x * self.gate[:, None]
