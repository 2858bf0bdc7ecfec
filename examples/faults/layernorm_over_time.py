"""LayerNorm meets time where it was built for features.

Silent when T == D: each feature is then normalised over the whole sequence, the future included.
"""

from jaxtyping import Float
from torch import Tensor, nn

from shapecheck import shapechecked


@shapechecked(dims={"D": "d_model"})
class Normalise(nn.Module):
    def __init__(self, d_model: int) -> None:
        super().__init__()
        self.d_model = d_model
        self.norm = nn.LayerNorm(d_model)

    def forward(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
        features_first = x.transpose(1, 2)
        return self.norm(features_first).transpose(1, 2)  # error: SC203
        # repair: return self.norm(x)
