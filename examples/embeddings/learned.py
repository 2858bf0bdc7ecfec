"""Where a token stands, learned: one trained row for each position."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from examples.embeddings.length import check_length
from shapecheck import shapechecked


@shapechecked
class LearnedPositionalEmbedding(nn.Module):
    """A trained table of L positions with D features each: L*D parameters.

    Nothing relates one position to the next until training does, and position L does not exist.
    """

    def __init__(self, L: int, D: int, std: float = 0.02) -> None:
        super().__init__()
        self.table = nn.Embedding(L, D)
        nn.init.normal_(self.table.weight, std=std)

    def forward(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "1 T D"]:
        """Rows 0 .. T-1 of the table, the same for every sample of the batch.

        Raises ValueError when T > L.
        """
        T = ids.shape[1]
        check_length(T, self.table.num_embeddings)
        positions = torch.arange(T, device=ids.device)
        return self.table(positions).unsqueeze(0)
