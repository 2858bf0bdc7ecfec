"""B predictions of shape (B, 1) minus B targets of shape (B,): a B by B table of differences.

Always silent: the mean pulls every prediction towards the mean of all targets.
"""

from jaxtyping import Float
from torch import Tensor, nn

from shapecheck import shapechecked


@shapechecked
class Regression(nn.Module):
    def __init__(self, D: int) -> None:
        super().__init__()
        self.head = nn.Linear(D, 1)

    def forward(self, x: Float[Tensor, "B D"], target: Float[Tensor, "B"]) -> Float[Tensor, ""]:
        return (self.head(x) - target).square().mean()  # error: SC302
        # repair: return (self.head(x).squeeze(-1) - target).square().mean()
