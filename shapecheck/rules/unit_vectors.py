"""SC311: vectors are made of length 1 along one axis, and compared along another.

``F.normalize(x) @ F.normalize(w)`` of ``[b, d]`` and ``[d, c]`` divides each row of w by its length, not each column.
Said where both operands were given length 1, and a product, an einsum or ``(a * b).sum(dim)`` sums along the axis of
one of them while that of the other stays. Silent where only one operand was (atoms of a dictionary), where a matrix
product sums along neither (a Gram matrix of maps), and of scores that were computed from pairs (weights, normalised by
their length), and of two matrices whose columns both have length 1: layers of such units. Pieces of what was normalised
across them, as by ``F.normalize(views, dim=1).unbind(1)``, are no vectors of length 1 either.
"""

from __future__ import annotations

from shapecheck.dims import Dim
from shapecheck.rules.observed import Observed, Trait, here, is_batch, marked_positions, methods, watch, watch_marked
from shapecheck.rules.softmax_axis import PAIRED
from shapecheck.rules.traits import MOVED, SAME, SCALED, Along, Total, divides_by_own, lone_axis, with_trait
from shapecheck.rules.weight_sums import letters_of, position_of
from shapecheck.shapes import Axis, Constant, Fault, Mismatch, Parts, Sequence, Shape, Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from shapecheck.shapes import AnyValue

_NORMS: Final = (*methods("norm"), "torch.linalg.norm", "torch.linalg.vector_norm")


class Unit(Along):
    """Vectors of one length along the axis ``position``."""

    __slots__ = ()
    kept = frozenset((SAME, SCALED))

    def __init__(self, position: int, place: object) -> None:
        super().__init__("unit", position, place)

    def at(self, position: int) -> Trait:
        """The vectors along the axis where it stands now."""
        return Unit(position, self.place)


class Apart(Trait):
    """Pieces of vectors of one length, taken apart along the axis ``position`` of ``shape``."""

    __slots__ = ("position", "shape")
    kept = frozenset((SAME, SCALED, MOVED))

    def __init__(self, position: int, shape: Shape, place: object) -> None:
        super().__init__("apart", place)
        self.position = position
        self.shape = shape


class Pairs(Trait):
    """Two sets of vectors of one length, multiplied element by element; each with its axis counted from the end."""

    __slots__ = ("operands",)

    def __init__(self, operands: tuple[tuple[Tensor, Unit], ...]) -> None:
        super().__init__("pairs", here())
        self.operands = operands


def _unit(tensor: Tensor | None) -> Unit | None:
    found = None if tensor is None or tensor.shape.rest is not None else tensor.mark
    return found if isinstance(found, Unit) else None


# -- where vectors of length 1 come from -------------------------------------------------------------------------------


@watch("torch.nn.functional.normalize")
def _normalize(call: Observed) -> None:
    source = call.tensor(0, "input")
    if source is None or not _is_two(call.argument(1, "p")):
        return
    given = call.argument(2, "dim")
    position = 1 if given is None and source.shape.rank is not None else lone_axis(call, source, 2)
    _make(call, source, position)


@watch(*_NORMS)
def _norm(call: Observed) -> None:
    source, result = call.tensor(0, "input", "A", "x"), call.result
    if source is None or not isinstance(result, Tensor) or not _is_two(call.argument(1, "p", "ord")):
        return
    position = lone_axis(call, source, 2)
    if position is not None:
        call.result = with_trait(result, Total(source, position, "norm", constant=False))


@watch_marked("operator.truediv", *methods("div", "divide", "true_divide"))
def _divide(call: Observed) -> None:
    source = call.tensor(0, "input")
    if source is not None:
        _make(call, source, divides_by_own(call, "norm", exact=False))


def _is_two(order: AnyValue | None) -> bool:
    if isinstance(order, Constant):
        return order.value in {None, 2.0, "fro"}
    return order is None or (isinstance(order, Dim) and order.constant == 2)


def _make(call: Observed, source: Tensor, position: int | None) -> None:
    result = call.result
    if position is None or not isinstance(result, Tensor) or position >= len(result.shape):
        return
    axis = result.shape[position]
    if isinstance(axis, Axis) and not axis.is_one and not marked_positions(source.shape, PAIRED):
        call.result = with_trait(result, Unit(position, here()))


# -- what becomes of them ----------------------------------------------------------------------------------------------


@watch_marked(*methods("unbind"))
def _unbind(call: Observed) -> None:
    source, result = call.tensor(0, "input"), call.result
    unit = _unit(source)
    if source is None or unit is None:
        return
    position = 0 if call.argument(1, "dim") is None else lone_axis(call, source)
    pieces = _pieces(source, unit, position)
    if pieces is None:
        return
    if isinstance(result, Sequence):
        items = [with_trait(item, pieces) if isinstance(item, Tensor) else item for item in result.items]
        call.result = Sequence(items, result.kind, result.fields)
    elif isinstance(result, Parts) and isinstance(result.element, Tensor):
        call.result = Parts(with_trait(result.element, pieces), result.length)


@watch_marked("operator.getitem")
def _take(call: Observed) -> None:
    """``views[:, 0]``."""
    source, index, result = call.tensor(0), call.argument(1), call.result
    unit = _unit(source)
    if source is None or unit is None or not isinstance(result, Tensor):
        return
    items = index.items if isinstance(index, Sequence) else [index]
    numbers = [place for place, item in enumerate(items) if isinstance(item, Dim)]
    if len(numbers) == 1 and not any(isinstance(item, Constant) for item in items):
        pieces = _pieces(source, unit, numbers[0])
        if pieces is not None:
            call.result = with_trait(result, pieces)


def _pieces(source: Tensor, unit: Unit, position: int | None) -> Apart | None:
    """What is left of vectors that are taken apart along their own axis; two or three coordinates are meant to be."""
    axis = source.shape[position] if position == unit.position else None
    if position is None or not isinstance(axis, Axis) or axis.size.constant is not None:
        return None
    return Apart(position, source.shape, unit.place)


@watch_marked("torch.cat", "torch.concat", "torch.concatenate", "torch.stack")
def _join(call: Observed) -> None:
    parts, result = call.argument(0, "tensors"), call.result
    if not isinstance(parts, Sequence) or not isinstance(result, Tensor) or not parts.items:
        return
    marks = [item.mark if isinstance(item, Tensor) else None for item in parts.items]
    if all(isinstance(mark, Apart) for mark in marks):
        call.result = with_trait(result, marks[0])  # type: ignore[arg-type]  # all are


# -- where they are compared -------------------------------------------------------------------------------------------


@watch_marked("operator.matmul", *methods("matmul", "bmm", "mm"))
def _product(call: Observed) -> None:
    left, right = call.tensor(0, "input"), call.tensor(1, "other", "mat2")
    if left is not None and right is not None and len(left.shape) > 1 and len(right.shape) > 1:
        _compare(call, left, len(left.shape) - 1, right, len(right.shape) - 2)


@watch_marked("torch.nn.functional.linear")
def _linear(call: Observed) -> None:
    left, right = call.tensor(0, "input"), call.tensor(1, "weight")
    if left is not None and right is not None and left.shape.axes and len(right.shape) == 2:
        _compare(call, left, len(left.shape) - 1, right, 1)


@watch_marked("torch.einsum", "torch.functional.einsum", "einops.einsum")
def _einsum(call: Observed) -> None:
    equation = letters_of(call)
    if equation is None or len(equation.operands) != 2:
        return
    one, other = equation.terms
    summed = [name for name in dict.fromkeys(one) if name in other and name not in equation.result and name != "..."]
    if len(summed) != 1 or one.count(summed[0]) > 1 or other.count(summed[0]) > 1:
        return
    left, right = equation.operands
    places = [
        position_of(names, summed[0], operand.shape)
        for names, operand in zip(equation.terms, equation.operands, strict=True)
    ]
    if places[0] is not None and places[1] is not None:
        _compare(call, left, places[0], right, places[1])


def _compare(call: Observed, left: Tensor, inner: int, right: Tensor, other_inner: int) -> None:
    """A sum of products along one axis of each operand."""
    if isinstance(left.mark, Apart) and isinstance(right.mark, Apart):
        call.suspect(_mismatch(left.mark.shape, left.mark.position, left.shape, inner, left.mark.place))
        return
    one, other = _unit(left), _unit(right)
    if one is None or other is None:
        return
    if one.position == inner and other.position != other_inner:
        call.suspect(_mismatch(right.shape, other.position, right.shape, other_inner, other.place))
    elif one.position != inner and other.position == other_inner and not _are_units(left, one, right, other):
        call.suspect(_mismatch(left.shape, one.position, left.shape, inner, one.place))


def _are_units(left: Tensor, one: Unit, right: Tensor, other: Unit) -> bool:
    """Whether two matrices have columns of length 1 each: weights of the units of two layers, or mixed directions.

    Samples that are normalised over the batch are no such thing.
    """
    matrices = len(left.shape) == len(right.shape) == 2
    return matrices and one.position == other.position == 0 and not is_batch(left.shape)


@watch_marked("operator.mul", *methods("mul", "multiply"))
def _multiply(call: Observed) -> None:
    left, right, result = call.tensor(0, "input"), call.tensor(1, "other"), call.result
    one, other = _unit(left), _unit(right)
    if left is not None and right is not None and one is not None and other is not None and isinstance(result, Tensor):
        call.result = with_trait(result, Pairs(((left, one), (right, other))))


@watch_marked(*methods("sum"))
def _sum(call: Observed) -> None:
    source = call.tensor(0, "input")
    if source is None or not isinstance(source.mark, Pairs):
        return
    position = lone_axis(call, source)
    if position is None:
        return
    behind = len(source.shape) - position
    for operand, unit in source.mark.operands:
        summed = len(operand.shape) - behind
        if unit.position != summed and summed >= 0:
            call.suspect(_mismatch(operand.shape, unit.position, operand.shape, summed, unit.place))
            return


def _mismatch(shape: Shape, position: int, compared: Shape, summed: int, place: object) -> Mismatch:
    made, inner = shape[position], compared[summed]
    return Mismatch(
        Fault.UNIT_AXIS, axis=position, other_axis=summed, left=made.size, right=inner.size, left_shape=shape,
        right_shape=compared, place=place,
    )
