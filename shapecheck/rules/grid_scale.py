"""SC314: places along one axis divided by the size of the other, ``xx / (h - 1)`` beside ``yy / (w - 1)``.

Two coordinates of one grid, each divided by the size of the axis along which the other runs, are exchanged for certain.
One divisor for both keeps the aspect. In front of ``grid_sample``, which stretches each axis by itself, one is enough.
"""

from __future__ import annotations

from shapecheck.dims import ONE, Dim, maximum
from shapecheck.rules.grid_axes import Spread, coordinates_of, same_order, sampled
from shapecheck.rules.indices import marked, size_of
from shapecheck.rules.observed import Observed, Trait, here, methods, watch
from shapecheck.rules.traits import DIVISIONS, MOVED, SAME
from shapecheck.shapes import Axis, Fault, Mismatch, Sequence, Shape, Tensor, scope


class Sizes(Trait):
    """A row of sizes, ``torch.tensor([h, w])``."""

    __slots__ = ("sizes",)

    def __init__(self, sizes: list[Dim]) -> None:
        super().__init__("sizes", here())
        self.sizes = sizes

    def through(self, how: str, source: Shape, result: Shape, *, ordered: bool) -> Trait | None:
        """The row behind an operation."""
        del ordered
        kept = how == SAME or (how == MOVED and source.axes[-1:] == result.axes[-1:])
        return self if kept else None


@watch("torch.tensor", "torch.as_tensor", "torch.Tensor.new_tensor")
def _row(call: Observed) -> None:
    given = call.argument(1 if call.name.endswith("new_tensor") else 0, "data")
    sizes = [size_of(item) for item in given.items] if isinstance(given, Sequence) else []  # type: ignore[arg-type]  # sizes
    known = [size for size in sizes if size is not None]
    if len(known) > 1 and len(known) == len(sizes) and isinstance(call.result, Tensor):
        call.result = marked(call.result, Sizes(known))


@watch("operator.sub", *methods("sub"))
def _one_less(call: Observed) -> None:
    """``torch.tensor([h, w]) - 1``."""
    row, less = call.tensor(0), call.argument(1, "other")
    if row is not None and isinstance(row.mark, Sizes) and less == ONE:
        call.result = marked(call.result, Sizes([size - ONE for size in row.mark.sizes]))


@watch(*DIVISIONS)
def _divided(call: Observed) -> None:
    """Both coordinates divided at once."""
    places, row = call.tensor(0, "input"), call.tensor(1, "other")
    mark = None if places is None else coordinates_of(places, len(places.shape) - 1)
    if mark is not None and row is not None and isinstance(row.mark, Sizes) and len(row.mark.sizes) == len(mark.along):
        scaled = [Spread(axis, by, here()) for axis, by in zip(mark.along, row.mark.sizes, strict=True)]
        _compare(call, scaled)


@watch("torch.stack", "torch.cat")
def _stacked(call: Observed) -> None:
    for position in range(len(call.result.shape)) if isinstance(call.result, Tensor) else ():
        mark = coordinates_of(call.result, position)
        if mark is not None:
            _compare(call, mark.spreads)


def _compare(call: Observed, coordinates: list[Spread]) -> None:
    """Two coordinates of which each is divided by the size of the axis along which the other runs."""
    for number, one in enumerate(coordinates):
        for other in coordinates[number + 1 :]:
            if _goes_by(one, other.axis) and _goes_by(other, one.axis):
                _suspect(call, one, other.axis, "both")
                return


@watch("torch.nn.functional.grid_sample")
def _sampled(call: Observed) -> None:
    found = sampled(call)
    if found is None or not same_order(found[0], found[1][::-1]):
        return
    mark, spatial = found
    for one in mark.spreads:
        wrong = next((axis for axis in spatial if _goes_by(one, axis)), None)
        if wrong is not None:
            _suspect(call, one, wrong, "")
            return


def _goes_by(coordinate: Spread, axis: Axis) -> bool:
    """Whether a coordinate is divided by the size of an axis that it does not run along."""
    by = coordinate.by
    if by is None or axis.size.constant is not None or scope().equal(axis.size, coordinate.axis.size):
        return False
    return _is_size(by, axis.size) and not _is_size(by, coordinate.axis.size)


def _is_size(by: Dim, size: Dim) -> bool:
    return any(scope().equal(by, other) for other in (size, size - ONE, maximum(size - ONE, ONE), maximum(size, ONE)))


def _suspect(call: Observed, coordinate: Spread, wrong: Axis, how: str) -> None:
    call.suspect(
        Mismatch(
            Fault.GRID_SCALE, left=coordinate.axis.size, right=wrong.size, place=coordinate.place, detail=how,
        )
    )
