"""The layers of einops: Rearrange, Reduce, EinMix."""

from __future__ import annotations

from shapecheck.ops.axes import is_one
from shapecheck.ops.einops_pattern import Malformed, Pattern, arrow, halves, side
from shapecheck.ops.einops_rules import bind_names, composed, lengths_of, malformed, reduce, transformed
from shapecheck.ops.registry import Module, module
from shapecheck.shapes import (
    AnyValue,
    Mismatch,
    Tensor,
    Unknown,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


@module("einops.layers.torch.Rearrange")
class Rearrange(Module):
    """``rearrange`` as a layer."""

    operation = "rearrange"

    def __init__(self, pattern: str, **axes_lengths: object) -> None:
        self.pattern, self.lengths = pattern, axes_lengths
        parsed = arrow(pattern, self.operation, frozenset(axes_lengths))
        if isinstance(parsed, Malformed):
            self.fault = malformed(parsed)

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """What the pattern says."""
        return transformed(input, self.pattern, self.operation, self.lengths)


@module("einops.layers.torch.Reduce")
class Reduce(Module):
    """``reduce`` as a layer."""

    def __init__(self, pattern: str, reduction: object, **axes_lengths: object) -> None:
        self.pattern, self.reduction, self.lengths = pattern, reduction, axes_lengths
        parsed = arrow(pattern, "reduce", frozenset(axes_lengths))
        if isinstance(parsed, Malformed):
            self.fault = malformed(parsed)

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """What the pattern says."""
        return reduce(input, self.pattern, self.reduction, **self.lengths)


@module("einops.layers.torch.EinMix")
class EinMix(Module):
    """A linear map whose input, output and weight axes are named by patterns."""

    def __init__(
        self, pattern: str, weight_shape: str, bias_shape: object = None, **axes_lengths: object
    ) -> None:
        self.lengths = lengths_of(axes_lengths)
        self.parsed: Pattern | None = None
        parsed = halves(pattern)
        weight = side(weight_shape)
        if isinstance(parsed, Malformed):
            self.fault = malformed(parsed)
        elif isinstance(weight, Malformed):
            self.fault = malformed(weight)
        else:
            self.fault = self._check(parsed, weight.names)
            self.parsed = parsed

    def _check(self, parsed: Pattern, weight: Iterable[str]) -> Mismatch | None:
        left = set(parsed.left.names)
        for name in weight:
            if name not in self.lengths and not name.isdecimal():
                return malformed(Malformed(f"the size of `{name}` is not given"))
        alone = next((name for name in parsed.right.names if name not in left and name not in set(weight)), None)
        return None if alone is None else malformed(Malformed(f"`{alone}` stands on the right only"))

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """What the pattern says."""
        if self.parsed is None:
            return Unknown("a pattern that does not parse")
        # The contraction broadcasts a weight's axis of size 1.
        alone = {group[0] for group in self.parsed.left.axes if len(group) == 1}
        given = {
            name: size for name, size in self.lengths.items() if name not in alone or size is None or not is_one(size)
        }
        bound = bind_names(input.shape, self.parsed.left, given)
        if isinstance(bound, Mismatch):
            return bound
        return input.reshaped(composed(self.parsed.right, bound, self.lengths))
