"""A prefix of P tokens is joined along the features instead of along time.

Refused by torch, unless P == T.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from shapecheck import shapechecked


@shapechecked
def with_prefix(prefix: Float[Tensor, "B P D"], x: Float[Tensor, "B T D"]) -> Float[Tensor, "B P+T D"]:
    return torch.cat([prefix, x], dim=2)  # error: SC203
    # repair: return torch.cat([prefix, x], dim=1)
