"""SC314: the number of a pass picks from another axis than the one whose size it counts up to.

``for i in range(x.shape[0]): step(x[:, i])`` of ``[b, t, d]``: it stops early or runs over the end, unless both axes
are equally long. Only where the counted axis stands in that very tensor and is not picked from by the same number, as a
diagonal is, ``x[i, i]``. Names that may count the same elements (``vocab_in`` and ``vocab_out``) are silent.
"""

from __future__ import annotations

from shapecheck.dims import Dim, Pass
from shapecheck.rules.index_axis import alike
from shapecheck.rules.observed import Observed, axis_name, methods, watch
from shapecheck.rules.subscripts import entries_of
from shapecheck.shapes import ELLIPSIS, NONE, Axis, Fault, Mismatch, Shape, Slice, scope


@watch("operator.getitem")
def _picked(call: Observed) -> None:
    source, entries = call.tensor(0), entries_of(call.argument(1))
    if source is None or source.shape.rest is not None:
        return
    numbers = [entry.symbol for entry in entries if isinstance(entry, Dim)]
    if not any(isinstance(number, Pass) for number in numbers) or len(set(numbers)) != len(numbers):
        return
    if not all(isinstance(entry, (Dim, Slice)) or entry in (ELLIPSIS, NONE) for entry in entries):
        return
    dots = entries.index(ELLIPSIS) if ELLIPSIS in entries else len(entries)
    taken = [entry for entry in entries[:dots] if entry != NONE]
    behind = [entry for entry in entries[dots + 1 :] if entry != NONE]
    start = len(source.shape) - len(behind)
    for place, entry in [*enumerate(taken), *enumerate(behind, start)]:
        number = entry.symbol if isinstance(entry, Dim) else None
        if isinstance(number, Pass):
            _suspect(call, source.shape, place, number.count)


@watch(*methods("select"))
def _selected(call: Observed) -> None:
    source, axes, index = call.tensor(0, "input"), call.axes(1, "dim"), call.argument(2, "index")
    number = index.symbol if isinstance(index, Dim) else None
    place = source.shape.position(axes[0]) if source is not None and axes else None
    if source is not None and isinstance(place, int) and isinstance(number, Pass):
        _suspect(call, source.shape, place, number.count)


def _suspect(call: Observed, shape: Shape, place: int, count: Dim) -> None:
    """Report a number that counts along another axis of the same tensor."""
    axis, counted = shape[place] if place < len(shape) else None, Axis.of(scope().normal(count))
    name, other = (axis_name(axis), axis_name(counted)) if isinstance(axis, Axis) else (None, None)
    if not isinstance(axis, Axis) or name is None or other is None or name == other or _may_be_one(name, other):
        return
    if sum(isinstance(other, Axis) and other.size == counted.size for other in shape) == 1:
        call.suspect(
            Mismatch(
                Fault.INDEX_AXIS, axis=place, left=counted.size, right=axis.size, left_shape=shape, detail="range",
            )
        )


def _may_be_one(name: str, other: str) -> bool:
    """Whether two names may count the same elements: they share a word, or are two letters for one thing."""
    words = [{word for word in each.split("_") if len(word) > 1} for each in (name, other)]
    return bool(words[0] & words[1]) or alike(name, other)
