"""A view puts heads before time without moving an element.

Always silent, whatever the sizes: each head receives a slice of time instead of a slice of features.
"""

from jaxtyping import Float
from torch import Tensor, nn

from shapecheck import shapechecked


@shapechecked(dims={"H": "n_heads", "Dh": "d_head"})
class SplitHeads(nn.Module):
    def __init__(self, d_model: int, n_heads: int) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.d_head = d_model // n_heads

    def forward(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B H T Dh"]:
        B, T, _ = x.shape
        return x.view(B, self.n_heads, T, self.d_head)  # error: SC301
        # repair: return x.view(B, T, self.n_heads, self.d_head).transpose(1, 2)
