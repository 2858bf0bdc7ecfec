"""What the function under analysis gets: its parameters as they are, or moved about, scaled and converted.

Of numbers that nobody computed here it is known that nothing was done to them in this function.
"""

from __future__ import annotations

from shapecheck.rules.observed import Observed, Trait, here, watch
from shapecheck.rules.traits import EVERYWHERE, IDENTITIES, ORDERED, PERMUTED, SCALES, is_number, with_trait
from shapecheck.shapes import AnyValue, Tensor, current


class Given(Trait):
    """The parameter ``source``, moved about, scaled or converted."""

    __slots__ = ("source",)
    kept = EVERYWHERE

    def __init__(self, source: Tensor) -> None:
        super().__init__("given", here())
        self.source = source


def give(value: AnyValue) -> None:
    """Note that the function under analysis gets a tensor."""
    if isinstance(value, Tensor) and value.dtype == "float":
        current().given[id(value)] = value


def is_given(tensor: Tensor) -> bool:
    """Whether a tensor of floats is a parameter, but for its order and its scale."""
    return isinstance(tensor.mark, Given) or current().given.get(id(tensor)) is tensor


def source_of(tensor: Tensor) -> Tensor:
    """The parameter that a tensor is, but for its order and its scale; any other tensor is one of its own."""
    return tensor.mark.source if isinstance(tensor.mark, Given) else tensor


@watch(*IDENTITIES, *ORDERED, *PERMUTED)
def _moved(call: Observed) -> None:
    source, result = call.tensor(0, "input", "tensor"), call.result
    if source is not None and isinstance(result, Tensor) and result.mark is None and is_given(source):
        call.result = with_trait(result, Given(source_of(source)))


@watch(*SCALES)
def _scaled(call: Observed) -> None:
    one, other, result = call.argument(0, "input"), call.argument(1, "other"), call.result
    if is_number(one) and not call.name.endswith(("div", "divide")):
        one, other = other, one
    if not isinstance(one, Tensor) or not is_given(one) or not is_number(other):
        return
    if isinstance(result, Tensor) and result.mark is None:
        call.result = with_trait(result, Given(source_of(one)))
