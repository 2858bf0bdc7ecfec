"""The embedding layers in figures: shapes, parameters, similarity of positions, wavelengths."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from examples.embeddings.composer import EmbeddingComposer
from examples.embeddings.frequencies import wavelengths
from examples.embeddings.learned import LearnedPositionalEmbedding
from examples.embeddings.sinusoidal import SinusoidalPositionalEmbedding
from examples.embeddings.token import TokenEmbedding
from shapecheck import shapechecked

DISTANCES = (1, 2, 4, 8, 16, 32, 64)


@shapechecked
def cosine_similarity(table: Float[Tensor, "L D"]) -> Float[Tensor, "L L"]:
    """Cosine of the angle between any two rows."""
    unit = table / table.norm(dim=-1, keepdim=True)
    return unit @ unit.T


def parameter_count(layer: nn.Module) -> int:
    """Trained numbers; a buffer does not count."""
    return sum(parameter.numel() for parameter in layer.parameters())


def layer_table(V: int, L: int, D: int, B: int, T: int) -> list[str]:
    """One line per layer: the axes it returns, their sizes here, and its parameters."""
    layers = (
        ("TokenEmbedding", "B T D", "V*D", TokenEmbedding(V, D)),
        ("LearnedPositionalEmbedding", "1 T D", "L*D", LearnedPositionalEmbedding(L, D)),
        ("SinusoidalPositionalEmbedding", "1 T D", "none, a buffer", SinusoidalPositionalEmbedding(L, D)),
        ("EmbeddingComposer, learned", "B T D", "V*D + L*D", EmbeddingComposer(V, L, D, "learned")),
        ("EmbeddingComposer, sinusoidal", "B T D", "V*D", EmbeddingComposer(V, L, D, "sinusoidal")),
    )
    ids = torch.randint(V, (B, T))
    lines = [f"{'layer':31}{'returns':9}{'sizes':15}{'parameters':>11}"]
    for name, axes, formula, layer in layers:
        sizes = " ".join(str(size) for size in layer(ids).shape)
        lines.append(f"{name:31}{axes:9}{sizes:15}{parameter_count(layer):>11,}  {formula}")
    return lines


def similarity_table(L: int, D: int) -> list[str]:
    """Cosine similarity of positions p and p+k, averaged over p, for each kind of position."""
    distances = [k for k in DISTANCES if k < L]
    tables = (
        ("learned, untrained", LearnedPositionalEmbedding(L, D).table.weight.detach()),
        ("sinusoidal", SinusoidalPositionalEmbedding(L, D).table),
    )
    lines = [f"{'k':31}" + "".join(f"{k:7}" for k in distances)]
    for name, table in tables:
        similarity = cosine_similarity(table)
        means = (similarity.diagonal(offset=k).mean().item() for k in distances)
        lines.append(f"{name:31}" + "".join(f"{mean:z7.2f}" for mean in means))
    return lines


def wavelength_table(L: int, D: int) -> list[str]:
    """How many pairs of features turn once within how many positions, a line for each power of ten."""
    periods = wavelengths(D)
    lines = [f"{'positions per turn':31}{'pairs':>7}{'features':>12}{f'turns in L={L}':>21}"]
    low = 1.0
    while low < periods[-1]:
        high = 10 * low
        pairs = ((periods >= low) & (periods < high)).nonzero().flatten().tolist()
        if pairs:
            first, last = pairs[0], pairs[-1]
            features = f"{2 * first}-{2 * last + 1}"
            turns = f"{L / periods[first]:.3g}" + (f" to {L / periods[last]:.3g}" if last > first else "")
            lines.append(f"{f'{low:,.0f} to {high:,.0f}':31}{len(pairs):>7}{features:>12}{turns:>21}")
        low = high
    return lines


def report(V: int, L: int, D: int, B: int, T: int) -> str:
    """All tables, ready to print. Raises ValueError for an odd D or for T > L."""
    shortest, longest = wavelengths(D)[0].item(), wavelengths(D)[-1].item()
    ratio = 10_000 ** (2 / D)
    return "\n".join(
        [
            f"V={V} vocabulary entries, L={L} positions, D={D} features; B={B} samples of T={T} tokens",
            "",
            *layer_table(V, L, D, B, T),
            "",
            "Cosine similarity of positions p and p+k (mean over p)",
            *similarity_table(L, D),
            "",
            f"Wavelengths {shortest:.2f} to {longest:,.0f} positions, each {ratio:.3f} times the one before",
            *wavelength_table(L, D),
        ]
    )
