"""A character-level language model small enough to train in seconds."""

from jaxtyping import Float, Int
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from examples.attention import TransformerBlock
from examples.embeddings import EmbeddingComposer
from shapecheck import shapechecked


@shapechecked(dims={"V": "vocabulary", "D": "d_model"})
class CharacterModel(nn.Module):
    """Token and position embeddings, a few transformer blocks, and an output head tied to the tokens."""

    def __init__(self, vocabulary: int, context: int, d_model: int, n_heads: int, n_blocks: int) -> None:
        super().__init__()
        self.vocabulary = vocabulary
        self.d_model = d_model
        self.embedding = EmbeddingComposer(vocabulary, context, d_model)
        self.blocks = nn.ModuleList(TransformerBlock(d_model, n_heads) for _ in range(n_blocks))
        self.norm = nn.LayerNorm(d_model)

    def forward(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T V"]:
        """Scores of every character for the place after each character."""
        x: Float[Tensor, "B T D"] = self.embedding(ids)
        for block in self.blocks:
            x = block(x)
        return self.embedding.token.logits(self.norm(x))

    def loss(self, ids: Int[Tensor, "B T"], targets: Int[Tensor, "B T"]) -> Float[Tensor, ""]:
        """Mean cross-entropy in nats per character; `cross_entropy` wants the classes on axis 1."""
        logits = self(ids)
        return cross_entropy(logits.transpose(1, 2), targets)
