"""Without keepdim the norms of the tokens line up with the features.

Silent when T == D and B is T or 1.
"""

from jaxtyping import Float
from torch import Tensor

from shapecheck import shapechecked


@shapechecked
def unit_vectors(x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
    return x / x.norm(dim=-1)  # error: SC203
    # repair: return x / x.norm(dim=-1, keepdim=True)
