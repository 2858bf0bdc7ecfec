"""`cross_entropy` looks for the classes on axis 1, which is time.

Silent when T == V: every feature of the score is then a time step.
"""

from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from shapecheck import shapechecked


@shapechecked
def loss(logits: Float[Tensor, "B T V"], targets: Int[Tensor, "B T"]) -> Float[Tensor, ""]:
    return cross_entropy(logits, targets)  # error: SC203
    # repair: return cross_entropy(logits.transpose(1, 2), targets)
