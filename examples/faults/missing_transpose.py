"""Queries and keys are contracted over features with time.

Silent when K == Dh.
"""

from jaxtyping import Float
from torch import Tensor

from shapecheck import shapechecked


@shapechecked
def scores(query: Float[Tensor, "B H Q Dh"], key: Float[Tensor, "B H K Dh"]) -> Float[Tensor, "B H Q K"]:
    return query @ key  # error: SC203
    # repair: return query @ key.transpose(-2, -1)
