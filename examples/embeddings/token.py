"""What stands at a position: one row of a table for each entry of the vocabulary."""

from jaxtyping import Float, Int
from torch import Tensor, nn

from shapecheck import shapechecked


@shapechecked
class TokenEmbedding(nn.Module):
    """A table of V rows with D features each; a token id picks its row.

    The rows are drawn from N(0, 0.02), as in GPT-2. The same table can serve as the output head
    (`logits`): the weights are then tied, and V*D parameters are saved.
    """

    def __init__(self, V: int, D: int, std: float = 0.02) -> None:
        super().__init__()
        self.table = nn.Embedding(V, D)
        nn.init.normal_(self.table.weight, std=std)

    def forward(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T D"]:
        """Look up a row for every token. A backward pass reaches only the rows that were used."""
        return self.table(ids)

    def logits(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T V"]:
        """Score x against every row. A backward pass reaches all V rows."""
        return x @ self.table.weight.T
