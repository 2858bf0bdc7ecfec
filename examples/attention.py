"""Multi-head self-attention and the transformer block around it.

D features are split into H heads of Dh features each. B, T, H and Dh are told apart by name, so
that `(36, 36, 6, 6)` cannot pass for `(36, 6, 36, 6)` anywhere.
"""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from examples.embeddings import AlibiBias, RotaryEmbedding
from shapecheck import shapechecked


@shapechecked(dims={"D": "d_model", "H": "n_heads", "Dh": "d_head"})
class SelfAttention(nn.Module):
    """Every token gathers from the tokens up to itself, with H sets of weights at a time."""

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        rotary: RotaryEmbedding | None = None,
        alibi: AlibiBias | None = None,
    ) -> None:
        super().__init__()
        if d_model % n_heads != 0:
            raise ValueError(f"d_model = {d_model} is not a multiple of n_heads = {n_heads}")
        self.d_model = d_model
        self.n_heads = n_heads
        self.d_head = d_model // n_heads
        self.query = nn.Linear(d_model, d_model, bias=False)
        self.key = nn.Linear(d_model, d_model, bias=False)
        self.value = nn.Linear(d_model, d_model, bias=False)
        self.output = nn.Linear(d_model, d_model, bias=False)
        self.rotary = rotary
        self.alibi = alibi

    def split_heads(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B H T Dh"]:
        """Cut the features into heads, then bring the heads in front of the time axis."""
        B, T, _ = x.shape
        return x.view(B, T, self.n_heads, self.d_head).transpose(1, 2)

    def merge_heads(self, x: Float[Tensor, "B H T Dh"]) -> Float[Tensor, "B T D"]:
        """Bring the heads back beside their features, then join the two."""
        B, _, T, _ = x.shape
        return x.transpose(1, 2).reshape(B, T, self.d_model)

    def forward(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
        """Mix the tokens of each sample, looking back only."""
        q = self.split_heads(self.query(x))
        k = self.split_heads(self.key(x))
        v = self.split_heads(self.value(x))
        if self.rotary is not None:
            q, k = self.rotary(q), self.rotary(k)

        scores: Float[Tensor, "B H T T"] = q @ k.transpose(-2, -1) / self.d_head**0.5
        if self.alibi is not None:
            scores = self.alibi(scores)
        T = x.shape[1]
        future = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(diagonal=1)
        weights = scores.masked_fill(future, float("-inf")).softmax(dim=-1)

        heads: Float[Tensor, "B H T Dh"] = weights @ v
        return self.output(self.merge_heads(heads))


@shapechecked(dims={"D": "d_model"})
class TransformerBlock(nn.Module):
    """Attention, then a feed-forward layer; each after a LayerNorm, each added to its input."""

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        rotary: RotaryEmbedding | None = None,
        alibi: AlibiBias | None = None,
    ) -> None:
        super().__init__()
        self.d_model = d_model
        self.attention_norm = nn.LayerNorm(d_model)
        self.attention = SelfAttention(d_model, n_heads, rotary, alibi)
        self.feed_forward_norm = nn.LayerNorm(d_model)
        self.feed_forward = nn.Sequential(nn.Linear(d_model, 4 * d_model), nn.GELU(), nn.Linear(4 * d_model, d_model))

    def forward(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
        """One layer of the residual stream."""
        x = x + self.attention(self.attention_norm(x))
        return x + self.feed_forward(self.feed_forward_norm(x))
