"""Both directions are stacked in front of time, where they are promised behind it.

Refused at call time, unless T == 2.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from shapecheck import shapechecked


@shapechecked
def both_directions(x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T 2 D"]:
    return torch.stack([x, x.flip(1)], dim=1)  # error: SC201
    # repair: return torch.stack([x, x.flip(1)], dim=2)
