"""Packed sequences: sequences of several lengths without their padding, as recurrent layers take them.

What is packed is followed as it was padded, time first: ``[t b ..]``.
"""

from __future__ import annotations

from shapecheck.dims import Dim
from shapecheck.ops.axes import flag, opaque, unknown_shape, wants
from shapecheck.ops.registry import op
from shapecheck.shapes import NONE, AnyValue, Axis, Fault, Mismatch, Rest, Sequence, Shape, Tensor, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

KIND: Final = "packed"
FIELDS: Final = ("data", "batch_sizes", "sorted_indices", "unsorted_indices", "padded")


def packed(padded: Tensor) -> Sequence:
    """The packed sequence of what is padded, time first: ``[t b ..] -> [n ..], [steps]``."""
    features = padded.shape.axes[2:] if padded.shape.rest is None else (Rest(),)
    steps = Tensor(Shape((Axis.of(opaque("steps")),)), "int")
    made = padded.reshaped(Shape((Axis.of(opaque("n")), *features)))
    return Sequence([made, steps, NONE, NONE, padded], KIND, FIELDS)


def padded_of(value: object) -> Tensor | None:
    """What a packed sequence was before it was packed, time first; None for any other value."""
    if isinstance(value, Sequence) and value.kind == KIND:
        last = value.items[-1]
        return last if isinstance(last, Tensor) else None
    return None


def _swapped(tensor: Tensor) -> Tensor:
    """Batch and time exchanged."""
    if tensor.shape.rest is not None or len(tensor.shape) < 2:
        return unknown_shape(tensor)
    first, second, *others = tensor.shape.axes
    return tensor.reshaped(Shape((second, first, *others)))


@op("torch.nn.utils.rnn.pack_padded_sequence")
def pack_padded_sequence(
    input: Tensor, lengths: object, batch_first: object = False, enforce_sorted: object = None
) -> AnyValue | Mismatch:
    """``[t b ..], [b] -> packed``; ``[b t ..]`` with ``batch_first``."""
    first = flag(batch_first, default=False)
    if first is None:
        return Unknown("a flag is not a constant")
    if input.shape.rank is not None and input.shape.rank < 2:
        return Mismatch(Fault.RANK, left_shape=input.shape, detail="at least 2")
    padded = _swapped(input) if first else input
    batch = padded.shape[1] if padded.shape.rest is None else None
    if isinstance(lengths, Tensor) and lengths.shape.rank == 1 and isinstance(batch, Axis):
        fault = wants(lengths.shape, 0, batch.size)
        if fault is not None:
            return fault
    return packed(padded)


@op("torch.nn.utils.rnn.pad_packed_sequence")
def pad_packed_sequence(
    sequence: object, batch_first: object = False, padding_value: object = None, total_length: object = None
) -> AnyValue:
    """``packed -> [t b ..], [b]``; the time is that of the longest, or ``total_length``."""
    padded, first = padded_of(sequence), flag(batch_first, default=False)
    if padded is None or first is None or padded.shape.rest is not None:
        return Unknown("a packed sequence that is not followed")
    total = total_length if isinstance(total_length, Dim) else opaque("longest")
    longest = padded.reshaped(Shape((Axis.of(total), *padded.shape.axes[1:])))
    lengths = Tensor(Shape(padded.shape.axes[1:2]), "int")
    return Sequence([_swapped(longest) if first else longest, lengths])
