"""Position inside attention, as a penalty on distance.

Press et al., "Train Short, Test Long: Attention with Linear Biases Enables Input Length
Extrapolation" (2021).
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from shapecheck import shapechecked


@shapechecked
def alibi_slopes(H: int) -> Float[Tensor, "H"]:
    """One slope for each head, geometric: `2 ** (-8i/H)` for i = 1 .. H, the last one 1/256."""
    i = torch.arange(1, H + 1)
    return 2.0 ** (-8 * i / H)


@shapechecked
class AlibiBias(nn.Module):
    """Lower each attention score in proportion to the distance between query and key.

    It has no parameters and no longest sequence. Add it before the softmax.
    """

    slopes: Float[Tensor, "H"]

    def __init__(self, H: int) -> None:
        super().__init__()
        self.register_buffer("slopes", alibi_slopes(H), persistent=False)

    def forward(self, scores: Float[Tensor, "B H Q K"]) -> Float[Tensor, "B H Q K"]:
        """`scores - slope * |distance|`, where the Q queries stand at the last of the K positions."""
        Q, K = scores.shape[2], scores.shape[3]
        query = torch.arange(K - Q, K, device=scores.device)
        key = torch.arange(K, device=scores.device)
        distance = (query[:, None] - key).abs()
        return scores - self.slopes[:, None, None] * distance
