"""The position table is lined up with the batch instead of with time.

Silent when B == T: every sample is then told that all its tokens stand at one position.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from shapecheck import shapechecked


@shapechecked
class Embedding(nn.Module):
    def __init__(self, V: int, L: int, D: int) -> None:
        super().__init__()
        self.token = nn.Embedding(V, D)
        self.position = nn.Embedding(L, D)

    def forward(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T D"]:
        positions = torch.arange(ids.shape[1])
        return self.token(ids) + self.position(positions).unsqueeze(1)  # error: SC203
        # repair: return self.token(ids) + self.position(positions).unsqueeze(0)
