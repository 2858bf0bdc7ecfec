"""The sums are taken over a leading time axis, which is never moved back.

Silent when B == T: every sample then returns as a time step.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from shapecheck import shapechecked


@shapechecked
def running_mean(x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
    time_first = x.transpose(0, 1)
    count = torch.arange(1, x.shape[1] + 1)[:, None, None]
    return time_first.cumsum(dim=0) / count  # error: SC201
    # repair: return (time_first.cumsum(dim=0) / count).transpose(0, 1)
