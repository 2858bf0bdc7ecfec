"""A layer that mixes the T tokens is given the features.

Silent when T == D.
"""

from jaxtyping import Float
from torch import Tensor, nn

from shapecheck import shapechecked


@shapechecked(dims={"T": "n_tokens"})
class TokenMixer(nn.Module):
    def __init__(self, n_tokens: int) -> None:
        super().__init__()
        self.n_tokens = n_tokens
        self.mix = nn.Linear(n_tokens, n_tokens)

    def forward(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
        return self.mix(x)  # error: SC203
        # repair: return self.mix(x.transpose(1, 2)).transpose(1, 2)
