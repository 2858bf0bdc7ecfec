"""``fancy_einsum.einsum``: an equation of words, or of letters as torch writes it."""

from __future__ import annotations

from shapecheck.ops.einops_rules import einsum as of_words
from shapecheck.ops.einsum import einsum as of_letters
from shapecheck.ops.registry import op
from shapecheck.shapes import AnyValue, Constant, Mismatch, Unknown


@op("fancy_einsum.einsum")
def einsum(equation: AnyValue, *operands: object) -> AnyValue | Mismatch:
    """``[b t d], [b s d] -> [b t s]`` for ``"batch query d, batch key d -> batch query key"``."""
    text = equation.value if isinstance(equation, Constant) else None
    if not isinstance(text, str):
        return Unknown("the equation is not known")
    terms = [term.split() for term in text.replace("->", ",").split(",")]
    if any(len(term) > 1 for term in terms):
        return of_words(*operands, equation)
    if any(len(term[0]) > 1 for term in terms if term) and "->" in text:
        return of_letters(equation, *operands)
    return Unknown("an equation that may be of words or of letters")
