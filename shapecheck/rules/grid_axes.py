"""SC314 for sampling grids: ``grid_sample`` takes (x, y), so that the first coordinate runs along the last axis.

A grid made by ``meshgrid`` of rows and columns, stacked as (y, x), samples the transposed picture. Each coordinate is
followed from where it is spread over the grid to the axis that it is stacked on.
"""

from __future__ import annotations

from shapecheck.rules.indices import Index, Quotient, marked
from shapecheck.rules.observed import Observed, Trait, here, methods, watch
from shapecheck.shapes import Axis, Fault, Mark, Mismatch, Sequence, Shape, Tensor, scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.dims import Dim
    from shapecheck.shapes import AnyValue

COORDINATES = "coordinates"


class Spread(Trait):
    """The mark of a tensor whose numbers change along one axis only."""

    __slots__ = ("axis",)

    def __init__(self, axis: Axis) -> None:
        super().__init__("spread", None)
        self.axis = axis


class Coordinates(Mark):
    """The mark of an axis of coordinates: the axis that each of them changes along."""

    __slots__ = ("along",)

    def __init__(self, along: list[Axis]) -> None:
        super().__init__(COORDINATES, here())
        self.along = along


def _spread(value: AnyValue | None) -> Spread | None:
    """What a tensor changes along, if that is one axis: ``arange`` of its size, say, spread over a grid."""
    mark = value.mark if isinstance(value, Tensor) else None
    if isinstance(mark, Quotient):
        mark = mark.index
    if isinstance(mark, Index) and mark.found == "arange" and len(mark.terms) == 1:
        return Spread(mark.terms[0][0])
    return mark if isinstance(mark, Spread) else None


@watch("torch.meshgrid", "torch.functional.meshgrid")
def _meshgrid(call: Observed) -> None:
    given = call.args[0].items if call.args and isinstance(call.args[0], Sequence) else call.args
    if not isinstance(call.result, Sequence) or len(given) != len(call.result.items):
        return
    items = []
    for line, item in zip(given, call.result.items, strict=True):
        axis = line.shape[0] if isinstance(line, Tensor) and line.shape.rank == 1 else None
        items.append(marked(item, Spread(axis)) if isinstance(axis, Axis) else item)  # type: ignore[arg-type]  # a tensor
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


@watch(
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
            call.result = marked(call.result, known)
            return


@watch("operator.add", "operator.sub", *methods("add", "sub"))
def _displaced(call: Observed) -> None:
    """Coordinates that something is added to are still those, whichever operand they are."""
    marks = [_coordinates(value) for value in call.args[:2]]
    known = [mark for mark in marks if mark is not None]
    result = call.result
    if len(known) != 1 or not isinstance(result, Tensor) or not result.shape.axes:
        return
    last = result.shape.axes[-1]
    if isinstance(last, Axis) and last.mark is None and not last.is_one:
        call.result = result.reshaped(Shape((*result.shape.axes[:-1], last.with_mark(known[0]))))


def _coordinates(value: AnyValue) -> Coordinates | None:
    """The coordinates on the last axis of a tensor."""
    axis = value.shape.axes[-1] if isinstance(value, Tensor) and value.shape.axes else None
    return axis.mark if isinstance(axis, Axis) and isinstance(axis.mark, Coordinates) else None


@watch("torch.stack", "torch.cat")
def _stacked(call: Observed) -> None:
    parts, axes, result = call.argument(0, "tensors"), call.axes(1, "dim", "axis"), call.result
    if not isinstance(parts, Sequence) or not isinstance(result, Tensor) or result.shape.rest is not None:
        return
    spreads = [_spread(part) for part in parts.items]  # type: ignore[arg-type]  # tensors
    along = [spread.axis for spread in spreads if spread is not None]
    position = result.shape.position(axes[0]) if axes else 0
    if len(along) != len(spreads) or len(along) < 2 or not isinstance(position, int):
        return
    axis = result.shape.known[position]
    if scope().normal(axis.size).constant == len(along):
        call.result = result.reshaped(result.shape.replaced(position, axis.with_mark(Coordinates(along))))


@watch(*methods("flip", "roll"))
def _turned(call: Observed) -> None:
    """What changes the order of coordinates."""
    result = call.result
    if isinstance(result, Tensor) and any(isinstance(axis, Axis) and axis.mark for axis in result.shape.axes):
        axes = [axis.with_mark(None) if _is_coordinates(axis) else axis for axis in result.shape.axes]  # type: ignore[union-attr]  # an Axis
        call.result = result.reshaped(Shape(axes))


def _is_coordinates(axis: object) -> bool:
    return isinstance(axis, Axis) and isinstance(axis.mark, Coordinates)


@watch("torch.nn.functional.grid_sample")
def _sampled(call: Observed) -> None:
    picture, grid = call.tensor(0, "input"), call.tensor(1, "grid")
    if picture is None or grid is None or picture.shape.rank not in {4, 5} or not grid.shape.axes:
        return
    mark, spatial = _coordinates(grid), picture.shape.known[2:]
    if mark is None or len(mark.along) != len(spatial):
        return
    given, places = [axis.size for axis in mark.along], [axis.size for axis in spatial]
    if _same(given, places) and not _same(given, places[::-1]):
        call.suspect(
            Mismatch(
                Fault.GRID_ORDER, left=given[0], right=places[-1], left_shape=picture.shape, right_shape=grid.shape,
                place=mark.place,
            )
        )


def _same(sizes: list[Dim], others: list[Dim]) -> bool:
    return all(scope().equal(one, other) for one, other in zip(sizes, others, strict=True))
