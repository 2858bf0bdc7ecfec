"""Element-wise operations that write into their first operand: what they broadcast to must be its shape."""

from __future__ import annotations

from shapecheck.dims import ONE
from shapecheck.ops.pointwise import BITS, COMPARISONS, PROMOTED, QUOTIENTS, elementwise, promoted
from shapecheck.ops.registry import op
from shapecheck.shapes import AnyValue, Axis, Fault, Mismatch, Shape, Tensor, broadcast, scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from shapecheck.ops.signature import Operand

METHODS: Final = [
    f"torch.Tensor.{name}_"
    for table in (PROMOTED, BITS, QUOTIENTS, COMPARISONS)
    for prefixes, names in table.items()
    if "torch.Tensor." in prefixes
    for name in names.split()
    if name not in {"maximum", "minimum", "fmax", "fmin", "isclose", "logaddexp", "logaddexp2"}
]
"""``add_`` and its like."""

AUGMENTED: Final = [
    f"operator.i{name}"
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "lshift", "rshift")
]
"""``+=`` and its like."""


def written(input: Tensor, *others: Tensor) -> Tensor | Mismatch:
    """``[*s], [*b] -> [*s]``; a mismatch where the operands broadcast to more than the tensor written to."""
    shape = input.shape
    for other in others:
        source = other.shape
        together = broadcast(shape, source)
        if isinstance(together, Mismatch):
            return together
        if shape.rest is not None or source.rest is not None:
            continue
        if len(source) > len(shape):
            return _larger(shape, source, None, 0)
        lead = len(shape) - len(source)
        for position, axis in enumerate(source.known):
            target = shape[lead + position]
            if isinstance(target, Axis) and target.is_one and not axis.is_one and scope().differ(axis.size, ONE):
                return _larger(shape, source, lead + position, position)
    return input


def _larger(shape: Shape, source: Shape, axis: int | None, other_axis: int) -> Mismatch:
    size = source.known[other_axis].size
    return Mismatch(
        Fault.BROADCAST, axis=axis, other_axis=other_axis, left=None if axis is None else ONE, right=size,
        left_shape=shape, right_shape=source, detail="written in place",
    )


@op(*METHODS, "torch.Tensor.copy_", "torch.Tensor.clamp_min_", "torch.Tensor.clamp_max_")
def write(input: Tensor, other: Operand, *others: object, **options: object) -> Tensor | Mismatch:
    """``[*s], [*b] -> [*s]``."""
    return written(input, other)


@op("torch.Tensor.addcmul_", "torch.Tensor.addcdiv_")
def write_product(input: Tensor, tensor1: Tensor, tensor2: Tensor, *, value: object = None) -> Tensor | Mismatch:
    """``[*s], [*b], [*c] -> [*s]``."""
    return written(input, tensor1, tensor2)


@op("torch.Tensor.lerp_")
def write_lerp(input: Tensor, end: Tensor, weight: Operand) -> Tensor | Mismatch:
    """``[*s], [*b], [*c] -> [*s]``."""
    return written(input, end, weight)


@op("torch.Tensor.clamp_", "torch.Tensor.clip_")
def write_clamp(input: Tensor, min: Operand | None = None, max: Operand | None = None) -> Tensor | Mismatch:
    """``[*s], [*b], [*c] -> [*s]``."""
    return written(input, *[bound for bound in (min, max) if bound is not None])


@op(*AUGMENTED)
def augmented(input: AnyValue, other: Operand) -> Tensor | Mismatch:
    """``[*s], [*b] -> [*s]``; a number is replaced by the result instead of being written to."""
    if isinstance(input, Tensor):
        return written(input, other)
    return elementwise(promoted(other), other)
