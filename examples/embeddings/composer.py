"""What and where, added: the input of a transformer."""

from typing import Literal

from jaxtyping import Float, Int
from torch import Tensor, nn

from examples.embeddings.learned import LearnedPositionalEmbedding
from examples.embeddings.sinusoidal import SinusoidalPositionalEmbedding
from examples.embeddings.token import TokenEmbedding
from shapecheck import shapechecked


@shapechecked
class EmbeddingComposer(nn.Module):
    """Token plus position: `(B, T, D) + (1, T, D)`, broadcast over the batch.

    Learned positions add L*D parameters to the V*D of the tokens, sinusoidal ones none.
    """

    position: LearnedPositionalEmbedding | SinusoidalPositionalEmbedding

    def __init__(self, V: int, L: int, D: int, position: Literal["learned", "sinusoidal"] = "learned") -> None:
        super().__init__()
        self.token = TokenEmbedding(V, D)
        if position == "learned":
            self.position = LearnedPositionalEmbedding(L, D)
        elif position == "sinusoidal":
            self.position = SinusoidalPositionalEmbedding(L, D)
        else:
            raise ValueError(f"position is 'learned' or 'sinusoidal', not {position!r}")

    def forward(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T D"]:
        """Embed every token and add the row of its position. Raises ValueError when T > L."""
        return self.token(ids) + self.position(ids)
