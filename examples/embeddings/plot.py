"""The embedding tables as pictures. Needs matplotlib, which nothing else here does."""

import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from examples.embeddings.frequencies import wavelengths
from examples.embeddings.learned import LearnedPositionalEmbedding
from examples.embeddings.report import cosine_similarity
from examples.embeddings.sinusoidal import SinusoidalPositionalEmbedding

COLOURS = ("tab:blue", "tab:orange")


def draw(path: str, L: int, D: int, compared_with: int) -> None:
    """Write one picture to path: tables of D and of compared_with features, similarities, wavelengths."""
    figure = Figure(figsize=(16, 9.5), layout="constrained")  # no pyplot: Agg draws it, with or without a screen
    rows = figure.subplots(2, 3, gridspec_kw={"hspace": 0.08})
    figure.suptitle(f"Position embeddings of L = {L} positions", fontsize=16)
    draw_table(figure, rows[0, 0], L, D)
    draw_table(figure, rows[0, 1], L, compared_with)
    draw_wavelengths(rows[0, 2], L, (D, compared_with))
    draw_similarity(figure, rows[1, 0], f"sinusoidal, D = {D}", SinusoidalPositionalEmbedding(L, D).table)
    learned = LearnedPositionalEmbedding(L, D).table.weight.detach()
    draw_similarity(figure, rows[1, 1], f"learned, D = {D}, untrained", learned)
    draw_similarity_over_distance(rows[1, 2], L, (D, compared_with))
    figure.savefig(path, dpi=110)


def draw_table(figure: Figure, axes: Axes, L: int, D: int) -> None:
    """The sinusoidal table itself: a row for each position, a column for each feature."""
    image = axes.imshow(
        SinusoidalPositionalEmbedding(L, D).table.numpy(),
        aspect="auto",
        cmap="RdBu",
        vmin=-1,
        vmax=1,
        interpolation="nearest",
    )
    axes.set(title=f"sinusoidal table, D = {D}", xlabel="feature i (sine at even, cosine at odd)", ylabel="position p")
    figure.colorbar(image, ax=axes, ticks=(-1, 0, 1))


def draw_similarity(figure: Figure, axes: Axes, title: str, table: torch.Tensor) -> None:
    """Cosine similarity of every two positions."""
    image = axes.imshow(cosine_similarity(table).numpy(), cmap="RdBu", vmin=-1, vmax=1, interpolation="nearest")
    axes.set(title=f"cosine similarity, {title}", xlabel="position", ylabel="position")
    figure.colorbar(image, ax=axes, ticks=(-1, 0, 1))


def draw_wavelengths(axes: Axes, L: int, sizes: tuple[int, ...]) -> None:
    """Positions per turn of every pair of features, on a logarithmic scale: a straight line for each D."""
    for D, colour in zip(sizes, COLOURS, strict=True):
        axes.semilogy(range(0, D, 2), wavelengths(D).numpy(), "o-", color=colour, markersize=4, label=f"D = {D}")
    axes.axhline(L, color="grey", linestyle="--", label=f"L = {L}: above, less than one turn")
    axes.set(
        title="wavelengths $2\\pi \\cdot 10000^{2j/D}$",
        xlabel="first feature 2j of the pair",
        ylabel="positions per turn",
    )
    axes.grid(alpha=0.3)
    axes.legend()


def draw_similarity_over_distance(axes: Axes, L: int, sizes: tuple[int, ...]) -> None:
    """Cosine similarity of positions p and p+k. For sinusoids it is a function of k alone."""
    for D, colour in zip(sizes, COLOURS, strict=True):
        sinusoidal = cosine_similarity(SinusoidalPositionalEmbedding(L, D).table)
        axes.plot(sinusoidal[0].numpy(), color=colour, label=f"sinusoidal, D = {D}")
    learned = cosine_similarity(LearnedPositionalEmbedding(L, sizes[0]).table.weight.detach())
    axes.plot(learned[0].numpy(), color="grey", linewidth=1, label=f"learned, D = {sizes[0]}, untrained")
    axes.set(
        title="cosine similarity of positions 0 and k",
        xlabel="distance k",
        ylabel="cosine similarity",
        ylim=(-0.6, 1.05),
    )
    axes.grid(alpha=0.3)
    axes.legend(loc="upper right")
