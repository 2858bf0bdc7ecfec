"""The rules that watch operations for silent faults; importing this module registers them."""

from shapecheck.rules import (
    batch_first,
    batch_leak,
    diagonal,
    factor_order,
    norm_axis,
    softmax_axis,
    squeeze_batch,
)

__all__ = ["batch_first", "batch_leak", "diagonal", "factor_order", "norm_axis", "softmax_axis", "squeeze_batch"]
