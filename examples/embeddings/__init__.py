"""Embedding layers with their shapes in the signature.

Axis names used throughout:

====  =========================================================
B     samples in the batch
T     tokens in the sequence
V     entries of the vocabulary
L     positions in a table (T <= L)
D     features of the model
H     attention heads
Dh    features of one head
F     pairs of features that turn together (D/2 or Dh/2)
Q, K  query positions, key positions
====  =========================================================

`TokenEmbedding` says *what* stands at a position. `LearnedPositionalEmbedding` and
`SinusoidalPositionalEmbedding` say *where* it stands; `EmbeddingComposer` adds the two.
`RotaryEmbedding` and `AlibiBias` put the position into attention instead.
"""

from examples.embeddings.alibi import AlibiBias
from examples.embeddings.composer import EmbeddingComposer
from examples.embeddings.learned import LearnedPositionalEmbedding
from examples.embeddings.rotary import RotaryEmbedding
from examples.embeddings.sinusoidal import SinusoidalPositionalEmbedding
from examples.embeddings.token import TokenEmbedding

__all__ = [
    "AlibiBias",
    "EmbeddingComposer",
    "LearnedPositionalEmbedding",
    "RotaryEmbedding",
    "SinusoidalPositionalEmbedding",
    "TokenEmbedding",
]
