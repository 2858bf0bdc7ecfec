"""A layer that mixes the T tokens is given the features.

Silent when T == D.
"""

from jaxtyping import Float
from torch import Tensor, nn

from shapecheck import shapechecked


@shapechecked
class TokenMixer(nn.Module):
    def __init__(self, T: int) -> None:
        super().__init__()
        self.mix = nn.Linear(T, T)

    def forward(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
        return self.mix(x)  # error: SC203
        # repair: return self.mix(x.transpose(1, 2)).transpose(1, 2)
