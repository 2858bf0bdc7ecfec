"""Where a token stands, computed: sines and cosines of many wavelengths.

Vaswani et al., "Attention Is All You Need" (2017), section 3.5.
"""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from examples.embeddings.length import check_length
from shapecheck import shapechecked


@shapechecked
def sinusoidal_table(L: int, D: int, base: float = 10_000.0) -> Float[Tensor, "L D"]:
    """Sine (even i) or cosine (odd i) of `angle[p, i] = p / base ** (2 * (i // 2) / D)`.

    Features 2j and 2j+1 are one point on a circle, which goes round once in `2*pi * base**(2j/D)`
    positions. So row p+k is row p with every pair turned by an angle that depends on k alone.

    Raises ValueError for an odd D, whose last sine would lack its cosine.
    """
    if D % 2 != 0:
        raise ValueError(f"D = {D} is odd: every sine needs a cosine of the same wavelength")
    p = torch.arange(L, dtype=torch.float64)
    i = torch.arange(D, dtype=torch.float64)
    angle = p[:, None] / base ** (2 * (i // 2) / D)
    return torch.where(i % 2 == 0, angle.sin(), angle.cos()).float()


@shapechecked
class SinusoidalPositionalEmbedding(nn.Module):
    """A fixed table of L positions with D features each: a buffer, and no parameter.

    It is computed once, here, and left out of checkpoints.
    """

    table: Float[Tensor, "L D"]

    def __init__(self, L: int, D: int, base: float = 10_000.0) -> None:
        super().__init__()
        self.register_buffer("table", sinusoidal_table(L, D, base), persistent=False)

    def forward(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "1 T D"]:
        """Rows 0 .. T-1 of the table, the same for every sample of the batch.

        Raises ValueError when T > L.
        """
        T = ids.shape[1]
        check_length(T, self.table.shape[0])
        return self.table[:T].unsqueeze(0)
