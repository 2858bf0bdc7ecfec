"""SC314 for sampling grids: ``grid_sample`` takes (x, y), so that the first coordinate runs along the last axis.

A grid made by ``meshgrid`` of rows and columns, stacked as (y, x), samples the transposed picture. Each coordinate is
followed from where it is spread over the grid to the axis that it is stacked on, with the size that it is divided by
(see ``grid_scale``).
"""

from __future__ import annotations

from shapecheck.dims import Dim
from shapecheck.rules.indices import Index, Quotient, marked, size_of
from shapecheck.rules.observed import Observed, Trait, here, methods, watch, watch_marked
from shapecheck.rules.subscripts import entries_of
from shapecheck.rules.traits import MOVED, SAME
from shapecheck.shapes import (
    ELLIPSIS,
    Axis,
    Constant,
    Fault,
    Mark,
    Mismatch,
    Ratio,
    Sequence,
    Shape,
    Slice,
    Tensor,
    scope,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence as Several

    from shapecheck.shapes import AnyValue

COORDINATES = "coordinates"


class Spread(Trait):
    """The mark of a tensor whose numbers change along one axis only.

    ``by`` is the size that they are divided by, ``place`` where; ``rescaled`` if they are multiplied by one as well.
    """

    __slots__ = ("axis", "by", "rescaled")

    def __init__(self, axis: Axis, by: Dim | None = None, place: object = None, *, rescaled: bool = False) -> None:
        super().__init__("spread", place)
        self.axis = axis
        self.by = by
        self.rescaled = rescaled

    def through(self, how: str, source: Shape, result: Shape, *, ordered: bool) -> Trait | None:
        """The same numbers, wherever they stand."""
        del source, result, ordered
        return self if how in {SAME, MOVED} else None

    def divided(self, by: Dim) -> Spread:
        """The numbers divided by a size; of two nothing is known."""
        if self.by is not None or self.rescaled:
            return Spread(self.axis, rescaled=True)
        return Spread(self.axis, by, here())


class Coordinates(Mark):
    """The mark of an axis of coordinates: the axis that each of them changes along."""

    __slots__ = ("along", "spreads")

    def __init__(self, spreads: list[Spread]) -> None:
        super().__init__(COORDINATES, here())
        self.along = [spread.axis for spread in spreads]
        self.spreads = spreads


def _spread(value: AnyValue | None) -> Spread | None:
    """What a tensor changes along, if that is one axis: ``arange`` of its size, say, spread over a grid."""
    mark = value.mark if isinstance(value, Tensor) else None
    index = mark.index if isinstance(mark, Quotient) else mark
    if isinstance(index, Index) and index.found == "arange" and len(index.terms) == 1:
        axis, stride = index.terms[0]
        known = Spread(axis, rescaled=scope().normal(stride).constant is None)
        return known if mark is index or not isinstance(mark, Quotient) else _quotient(known, mark)
    return mark if isinstance(mark, Spread) else None


def _quotient(known: Spread, mark: Quotient) -> Spread:
    return known if known.rescaled else Spread(known.axis, mark.divisor, mark.place)


@watch("torch.meshgrid", "torch.functional.meshgrid")
def _meshgrid(call: Observed) -> None:
    given = call.args[0].items if call.args and isinstance(call.args[0], Sequence) else call.args
    if not isinstance(call.result, Sequence) or len(given) != len(call.result.items):
        return
    items = []
    for line, item in zip(given, call.result.items, strict=True):
        axis = line.shape[0] if isinstance(line, Tensor) and line.shape.rank == 1 else None
        known = _spread(line) if isinstance(line, Tensor) else None
        if known is None and isinstance(axis, Axis):
            known = Spread(axis)
        items.append(item if known is None else marked(item, known))  # type: ignore[arg-type]  # a tensor
    call.result = Sequence(items, call.result.kind, call.result.fields)


@watch("torch.Tensor.expand", "torch.Tensor.expand_as", "torch.Tensor.repeat", *methods("broadcast_to"))
def _expanded(call: Observed) -> None:
    """A line written over a grid: ``ys[:, None].expand(h, w)``."""
    source = call.tensor(0)
    if source is None or source.shape.rest is not None or not isinstance(call.result, Tensor):
        return
    known = _spread(source)
    long = [axis for axis in source.shape.known if not axis.is_one]
    if known is not None:
        call.result = marked(call.result, known)
    elif len(long) == 1 and call.result.mark is None and len(call.result.shape) > 1:
        call.result = marked(call.result, Spread(long[0]))


@watch_marked(
    "operator.add", "operator.sub", "operator.mul", "operator.truediv", "torch.Tensor.float", "torch.Tensor.to",
    "torch.Tensor.contiguous", *methods("clone", "unsqueeze", "add", "sub", "mul", "div"),
)
def _scaled(call: Observed) -> None:
    """A coordinate that is scaled by numbers, or by what else does not change from place to place."""
    if not isinstance(call.result, Tensor) or call.result.mark is not None:
        return
    for one in (0, 1):
        known = _spread(call.args[one]) if one < len(call.args) else None
        other = call.args[1 - one] if len(call.args) > 1 - one else None
        if known is not None and not (isinstance(other, Tensor) and other.shape.axes):
            call.result = marked(call.result, _rescaled(call, known, other, divided=one == 0))
            return


def _rescaled(call: Observed, known: Spread, other: AnyValue | None, *, divided: bool) -> Spread:
    """A coordinate that was divided by a size, or by a half of one, or multiplied by one."""
    size = size_of(other)
    if isinstance(other, Ratio):
        size = other.top if scope().normal(other.bottom).constant is not None else None
        inverse = other.bottom if scope().normal(other.top).constant is not None else None
    else:
        inverse = None
    if call.name.endswith("div"):
        if size is not None and divided and scope().normal(size).constant is None:
            return known.divided(size)
    elif call.name.endswith("mul"):
        if inverse is not None and scope().normal(inverse).constant is None:
            return known.divided(inverse)
        if not isinstance(other, Constant) and (size is None or scope().normal(size).constant is None):
            return Spread(known.axis, rescaled=True)
    return known


@watch_marked("operator.add", "operator.sub", *methods("add", "sub"))
def _displaced(call: Observed) -> None:
    """Coordinates that something is added to are still those, whichever operand they are."""
    result = call.result
    if not isinstance(result, Tensor) or result.shape.rest is not None:
        return
    found = {
        behind: mark
        for value in call.args[:2] if isinstance(value, Tensor) and value.shape.rest is None
        for behind in range(1, len(value.shape) + 1)
        if (mark := coordinates_of(value, len(value.shape) - behind)) is not None
    }
    if len(found) == 1:
        ((behind, mark),) = found.items()
        axis = result.shape.axes[-behind]
        if isinstance(axis, Axis) and axis.mark is None and not axis.is_one:
            position = len(result.shape) - behind
            call.result = result.reshaped(result.shape.replaced(position, axis.with_mark(mark)))


def coordinates_of(value: AnyValue | None, position: int) -> Coordinates | None:
    """The coordinates on an axis of a tensor."""
    axis = value.shape.axes[position] if isinstance(value, Tensor) and value.shape.axes else None
    return axis.mark if isinstance(axis, Axis) and isinstance(axis.mark, Coordinates) else None


@watch_marked("operator.getitem")
def _picked(call: Observed) -> None:
    """``grid[..., 0]``: one of the coordinates."""
    source, entries, result = call.tensor(0), entries_of(call.argument(1)), call.result
    if source is None or source.shape.rest is not None or not isinstance(result, Tensor) or result.mark is not None:
        return
    place = _number(entries)
    if place is None:
        return
    number, position = place
    mark = coordinates_of(source, position) if -len(source.shape) <= position < len(source.shape) else None
    if mark is not None and -len(mark.spreads) <= number < len(mark.spreads):
        call.result = marked(result, mark.spreads[number])


def _number(entries: list[object]) -> tuple[int, int] | None:
    """The one number in a subscript of slices and where it stands, from the end behind an ellipsis."""
    numbers = [place for place, entry in enumerate(entries) if isinstance(entry, Dim)]
    if len(numbers) != 1 or not all(isinstance(entry, (Dim, Slice)) or entry == ELLIPSIS for entry in entries):
        return None
    place = numbers[0]
    entry = entries[place]
    number = scope().normal(entry).constant if isinstance(entry, Dim) else None
    if number is None:
        return None
    return number, place - len(entries) if ELLIPSIS in entries[:place] else place


@watch("torch.stack", "torch.cat")
def _stacked(call: Observed) -> None:
    parts, axes, result = call.argument(0, "tensors"), call.axes(1, "dim", "axis"), call.result
    if not isinstance(parts, Sequence) or not isinstance(result, Tensor) or result.shape.rest is not None:
        return
    spreads = [_spread(part) for part in parts.items]  # type: ignore[arg-type]  # tensors
    along = [spread for spread in spreads if spread is not None]
    position = result.shape.position(axes[0]) if axes else 0
    if len(along) != len(spreads) or len(along) < 2 or not isinstance(position, int):
        return
    axis = result.shape.known[position]
    if scope().normal(axis.size).constant == len(along):
        call.result = result.reshaped(result.shape.replaced(position, axis.with_mark(Coordinates(along))))


@watch_marked(*methods("flip", "roll"))
def _turned(call: Observed) -> None:
    """What changes the order of coordinates."""
    result = call.result
    if isinstance(result, Tensor) and any(isinstance(axis, Axis) and axis.mark for axis in result.shape.axes):
        axes = [axis.with_mark(None) if _is_coordinates(axis) else axis for axis in result.shape.axes]  # type: ignore[union-attr]  # an Axis
        call.result = result.reshaped(Shape(axes))


def _is_coordinates(axis: object) -> bool:
    return isinstance(axis, Axis) and isinstance(axis.mark, Coordinates)


def sampled(call: Observed) -> tuple[Coordinates, tuple[Axis, ...]] | None:
    """What a call of ``grid_sample`` knows of its coordinates, and the axes of the picture that they go along."""
    picture, grid = call.tensor(0, "input"), call.tensor(1, "grid")
    if picture is None or grid is None or picture.shape.rank not in {4, 5} or not grid.shape.axes:
        return None
    mark, spatial = coordinates_of(grid, len(grid.shape) - 1), picture.shape.known[2:]
    return None if mark is None or len(mark.along) != len(spatial) else (mark, spatial)


@watch("torch.nn.functional.grid_sample")
def _sampled(call: Observed) -> None:
    found, picture, grid = sampled(call), call.tensor(0, "input"), call.tensor(1, "grid")
    if found is None or picture is None or grid is None:
        return
    mark, spatial = found
    if same_order(mark, spatial) and not same_order(mark, spatial[::-1]):
        call.suspect(
            Mismatch(
                Fault.GRID_ORDER, left=mark.along[0].size, right=spatial[-1].size, left_shape=picture.shape,
                right_shape=grid.shape, place=mark.place,
            )
        )


def same_order(mark: Coordinates, axes: Several[Axis]) -> bool:
    """Whether coordinates run along some axes, in their order."""
    return all(scope().equal(one.size, other.size) for one, other in zip(mark.along, axes, strict=True))
