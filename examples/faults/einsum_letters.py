"""The einsum sums over the queries, though the values belong to the keys.

Silent when Q == K, as in all self-attention.
"""

import torch
from jaxtyping import Float
from torch import Tensor

from shapecheck import shapechecked


@shapechecked
def gather_values(weights: Float[Tensor, "B H Q K"], values: Float[Tensor, "B H K Dh"]) -> Float[Tensor, "B H Q Dh"]:
    return torch.einsum("bhqk,bhqd->bhkd", weights, values)  # error: SC207
    # repair: return torch.einsum("bhqk,bhkd->bhqd", weights, values)
