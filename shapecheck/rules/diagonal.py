"""SC310: a letter repeated inside one operand of an einsum takes its diagonal, and also meets another operand.

``"dd,bd->bd"`` multiplies by the diagonal of a matrix where the product with the matrix is meant. A diagonal or trace
on its own (``"ii->i"``) is what repeated letters are for.
"""

from __future__ import annotations

from shapecheck.rules.observed import Observed, watch
from shapecheck.shapes import Constant, Fault, Mismatch, Tensor


@watch("torch.einsum", "torch.functional.einsum")
def _einsum(call: Observed) -> None:
    equation = call.argument(0, "equation")
    if not isinstance(equation, Constant) or not isinstance(equation.value, str) or not isinstance(call.result, Tensor):
        return
    terms = equation.value.replace(" ", "").partition("->")[0].replace("...", "").split(",")
    for number, term in enumerate(terms):
        for letter in dict.fromkeys(term):
            elsewhere = any(letter in other for position, other in enumerate(terms) if position != number)
            if term.count(letter) > 1 and elsewhere:
                operand = call.args[number + 1] if number + 1 < len(call.args) else None
                shape = operand.shape if isinstance(operand, Tensor) else None
                call.suspect(Mismatch(Fault.DIAGONAL, left_shape=shape, detail=letter))
                return
