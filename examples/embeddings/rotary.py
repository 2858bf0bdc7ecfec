"""Position inside attention, as a rotation of queries and keys.

Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding" (2021).
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from examples.embeddings.frequencies import frequencies
from examples.embeddings.length import check_length
from shapecheck import shapechecked


@shapechecked
class RotaryEmbedding(nn.Module):
    """Turn each pair of features by an angle proportional to the position.

    Apply it to the queries and to the keys of every head, never to the values. The score
    `rotary(q)[p] . rotary(k)[s]` then depends on the positions through p - s alone, and no
    vector changes its length. Feature i is paired with feature i + Dh/2, as in GPT-NeoX and
    LLaMA; the paper pairs neighbours, which is the same up to the order of the features.
    """

    cos: Float[Tensor, "L F"]
    sin: Float[Tensor, "L F"]

    def __init__(self, L: int, Dh: int, base: float = 10_000.0) -> None:
        super().__init__()
        angle = torch.arange(L)[:, None] * frequencies(Dh, base)
        self.register_buffer("cos", angle.cos().float(), persistent=False)
        self.register_buffer("sin", angle.sin().float(), persistent=False)

    def forward(self, x: Float[Tensor, "B H T Dh"]) -> Float[Tensor, "B H T Dh"]:
        """Turn the vectors at positions 0 .. T-1. Raises ValueError when T > L."""
        T = x.shape[2]
        check_length(T, self.cos.shape[0])
        cos, sin = self.cos[:T], self.sin[:T]
        first, second = x.chunk(2, dim=-1)
        return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)
