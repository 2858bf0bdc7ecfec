"""How fast each pair of features turns from one position to the next."""

import math

import torch
from jaxtyping import Float64
from torch import Tensor


def frequencies(D: int, base: float = 10_000.0) -> Float64[Tensor, "F"]:
    """Radians per position of the F = D/2 feature pairs: `base ** (-2i/D)` for i = 0 .. F-1.

    Raises ValueError for an odd D: a sine needs its cosine.
    """
    if D % 2 != 0:
        raise ValueError(f"D = {D} is odd: every frequency needs a pair of features")
    i = torch.arange(D // 2, dtype=torch.float64)
    return base ** (-2 * i / D)


def wavelengths(D: int, base: float = 10_000.0) -> Float64[Tensor, "F"]:
    """Positions per full turn of the F = D/2 feature pairs, geometric from 2*pi to almost 2*pi*base."""
    return 2 * math.pi / frequencies(D, base)
