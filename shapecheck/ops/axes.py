"""What several families of rules need to know about axes: where they stand, and sizes that nothing determines."""

from __future__ import annotations

from shapecheck.dims import ONE, YES, Dim, Kind, No, Symbol, Verdict
from shapecheck.shapes import Axis, Constant, Fault, Mismatch, Opaque, Rest, Shape, Tensor, require, scope
from shapecheck.shapes import Sequence as Several

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def opaque(name: str) -> Dim:
    """A size that only the elements determine: never equal and never unequal to another."""
    return Dim.of(Symbol(name, Kind.OPAQUE))


def is_opaque(size: Dim) -> bool:
    """Whether only the elements determine a size."""
    return any(isinstance(atom, Symbol) and atom.kind is Kind.OPAQUE for atom in scope().normal(size).atoms)


def unknown_shape(tensor: Tensor, dtype: str | None = None) -> Tensor:
    """A tensor of which only the dtype is known (the operand's, unless another is given)."""
    return Tensor(Shape.unknown(), tensor.dtype if dtype is None else dtype, tensor.kind)


def constant(size: Dim) -> int | None:
    """The number that a size is known to be."""
    return scope().normal(size).constant


def is_one(axis: Axis | Dim) -> bool:
    """Whether a size is known to be 1."""
    size = axis.size if isinstance(axis, Axis) else axis
    return size is ONE or scope().normal(size) == ONE


def locate(shape: Shape, dims: Sequence[int]) -> list[int] | Mismatch | None:
    """The positions of several axis numbers; a mismatch if one is out of range or repeated, None if one is hidden."""
    found: list[int] = []
    hidden = False
    for dim in dims:
        position = shape.position(dim)
        if isinstance(position, Mismatch):
            return position
        if position is None:
            hidden = True
        elif position in found:
            return Mismatch(Fault.AXIS_RANGE, axis=dim, left_shape=shape, detail="named twice")
        else:
            found.append(position)
    return None if hidden else found


def axis_numbers(sizes: Iterable[object]) -> list[int] | None:
    """Axis numbers given one by one, None if one of them is not known."""
    numbers = [constant(size) if isinstance(size, Dim) else None for size in sizes]
    known = [number for number in numbers if number is not None]
    return known if len(known) == len(numbers) else None


def flat_list(tensors: Iterable[Tensor | Sequence[Tensor]]) -> list[Tensor]:
    """Tensors given one by one or as one list."""
    return [tensor for group in tensors for tensor in ([group] if isinstance(group, Tensor) else group)]


def of_rank(shape: Shape, rank: int) -> Shape | None:
    """The shape written with that many axes, unknown ones standing for the ``Rest``; None if it has another number."""
    if shape.rest is None:
        return shape if len(shape) == rank else None
    missing = rank - len(shape) + 1
    if missing < 0:
        return None
    axes = [Axis.unfollowed(opaque("...")) for _ in range(missing)]
    return Shape((*shape.axes[: shape.rest], *axes, *shape.axes[shape.rest + 1 :]))


def trailing(shape: Shape, count: int) -> list[Axis | None] | None:
    """The last ``count`` axes, None for each that the ``Rest`` may hide; None if there are fewer."""
    if shape.rest is None:
        return None if len(shape) < count else list(shape.known[len(shape) - count :])
    behind = [axis for axis in shape.axes[shape.rest + 1 :] if isinstance(axis, Axis)][-count:] if count else []
    return [None] * (count - len(behind)) + list(behind)


def sized(axis: Axis, size: Dim) -> Axis:
    """The same axis where the size stays what it was, else one that holds other elements."""
    return axis if scope().equal(axis.size, size) else axis.resized(size)


def wants(shape: Shape, dim: int, size: Dim) -> Mismatch | None:
    """Require the axis at torch's number ``dim`` to be ``size`` long; a hidden axis is not checked."""
    axis = shape.axis(dim)
    if isinstance(axis, Mismatch):
        return axis
    if axis is None:
        return None
    # A layer that is made for one channel takes one, as one that is made for three takes three.
    verdict = require(axis.size, size, to_one=True)
    if isinstance(verdict, No):
        return wrong_size(shape, dim, axis.size, size, verdict)
    return None


def wrong_size(shape: Shape, dim: int, actual: Dim, wanted: Dim, verdict: Verdict) -> Mismatch:
    """The mismatch of an axis that is not as long as it must be."""
    because = verdict.because if isinstance(verdict, No) else ""
    return Mismatch(Fault.SIZE, axis=dim, left=actual, right=wanted, left_shape=shape, because=because)


def impossible(left: Dim, right: Dim) -> bool:
    """Whether ``left <= right`` holds for no sizes at all: two numbers, the first the larger."""
    one, other = constant(left), constant(right)
    return one is not None and other is not None and one > other


def joined(shape: Shape, other: Shape, position: int, dim: int) -> Mismatch | None:
    """Require two axes at one position of two shapes to be equally long."""
    one, two = shape[position], other[position]
    if one is two or isinstance(one, Rest) or isinstance(two, Rest):
        return None
    verdict = require(one.size, two.size)
    if verdict is not YES and isinstance(verdict, No):
        return Mismatch(
            Fault.CONCAT, axis=position, other_axis=dim, left=one.size, right=two.size, left_shape=shape,
            right_shape=other, because=verdict.because,
        )
    return None


# -- arguments that may be unknown without the result's rank being so ------------------------------------------------


def dim_of(value: object) -> Dim | None:
    """An integer argument as a size, None where it is not known to be an integer."""
    if isinstance(value, Dim):
        return value
    if isinstance(value, Opaque):
        return value.size()
    return Dim.of(value) if isinstance(value, int) else None


def size_of(value: object, name: str) -> Dim:
    """An integer argument as a size, one that nothing determines where it is not known."""
    size = dim_of(value)
    return opaque(name) if size is None else size


def sizes_of(value: object, count: int) -> list[Dim | None]:
    """One integer for each of several axes: a lone one stands for all; None for each that is not known."""
    if isinstance(value, int):
        return [Dim.of(value)] * count
    if isinstance(value, Dim):
        return [value] * count
    if isinstance(value, Several) and not any(isinstance(item, Rest) for item in value.items):
        items = [dim_of(item) for item in value.items]
        if len(items) == count:
            return items
        if len(items) == 1:
            return items * count
    return [None] * count


def flag(value: object, *, default: bool) -> bool | None:
    """A flag's value, None where it is not known."""
    if isinstance(value, bool):
        return value
    if value is None:
        return default
    if isinstance(value, Constant) and (value.value is None or isinstance(value.value, bool)):
        return default if value.value is None else value.value
    if isinstance(value, Dim) and value.constant is not None:
        return bool(value.constant)
    return None


def is_none(value: object) -> bool:
    """Whether an argument is None, or was left out."""
    return value is None or (isinstance(value, Constant) and value.value is None)


def text_of(value: object, default: str) -> str | None:
    """A string argument, None where it is not known."""
    if value is None:
        return default
    return value.value if isinstance(value, Constant) and isinstance(value.value, str) else None
