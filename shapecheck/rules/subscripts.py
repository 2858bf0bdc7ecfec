"""Where the axes that a subscript slices stand before and behind it."""

from __future__ import annotations

from shapecheck.dims import ONE, Dim
from shapecheck.shapes import ELLIPSIS, NONE, Constant, Sequence, Slice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.shapes import AnyValue


def entries_of(index: AnyValue | None) -> list[object]:
    """The entries of a subscript."""
    return [*index.items] if isinstance(index, Sequence) and index.kind == "tuple" else [index]


def sliced_axes(index: AnyValue | None) -> list[tuple[int, int, Slice]]:
    """For each slice of a subscript the position in the operand, that in the result, and the slice.

    Behind an ellipsis the positions count from the end. Nothing is known of a subscript with more than numbers, slices,
    new axes and one list of a lone place.
    """
    entries = entries_of(index)
    if sum([isinstance(entry, Sequence) for entry in entries]) == 1:
        entries = [_as_slice(entry) for entry in entries]
    if not any(isinstance(entry, Slice) for entry in entries):
        return []
    if not all(isinstance(entry, (Slice, Dim)) or entry in (ELLIPSIS, NONE) for entry in entries):
        return []
    found: list[tuple[int, int, Slice]] = []
    dots = entries.index(ELLIPSIS) if ELLIPSIS in entries else len(entries)
    held = place = 0
    for entry in entries[:dots]:
        if isinstance(entry, Slice):
            found.append((held, place, entry))
        held += not isinstance(entry, Constant)
        place += not isinstance(entry, Dim)
    held = place = -1
    for entry in reversed(entries[dots + 1 :]):
        if isinstance(entry, Slice):
            found.append((held, place, entry))
        held -= not isinstance(entry, Constant)
        place -= not isinstance(entry, Dim)
    return found


def _as_slice(entry: object) -> object:
    """A list of one place takes what a slice takes."""
    if isinstance(entry, Sequence) and len(entry.items) == 1 and isinstance(entry.items[0], Dim):
        return Slice(entry.items[0], entry.items[0] + ONE, None)
    return entry
