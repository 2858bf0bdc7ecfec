"""Views: the same elements under another shape, in another order of axes, or a part of them."""

from __future__ import annotations

from shapecheck.dims import ONE, YES, Dim, No
from shapecheck.ops.axes import (
    flat_list,
    is_one,
    locate,
    opaque,
    unknown_shape,
)
from shapecheck.ops.registry import op
from shapecheck.shapes import (
    AnyValue,
    Axis,
    Fault,
    Mismatch,
    Origin,
    Rest,
    Shape,
    Tensor,
    Unknown,
    broadcast,
    require,
    reshape,
    scope,
)
from shapecheck.shapes import Sequence as Several
from shapecheck.shapes import flatten as merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shapecheck.ops.signature import Ints, Sizes


# -- the same order of elements, grouped otherwise ---------------------------------------------------------------------


def regrouped(tensor: Tensor, sizes: Sizes) -> Tensor | Mismatch:
    """A tensor under new sizes."""
    found = reshape(tensor.shape, sizes)
    return found if isinstance(found, Mismatch) else tensor.reshaped(found)


@op("torch.Tensor.view", "torch.Tensor.reshape")
def view(input: Tensor, *shape: Sizes) -> Tensor | Mismatch:
    """``[.. a b ..] -> [.. a*b ..]``."""
    return regrouped(input, list(shape))  # type: ignore[arg-type]  # spread: each is a size


@op("torch.reshape", "torch.view_copy")
def reshape_function(input: Tensor, shape: Sizes) -> Tensor | Mismatch:
    """``[.. a b ..] -> [.. a*b ..]``."""
    return regrouped(input, shape)


@op("torch.Tensor.view_as", "torch.Tensor.reshape_as")
def view_as(input: Tensor, other: Tensor) -> Tensor | Mismatch:
    """``[a b], [c d] -> [c d]``."""
    if other.shape.is_unknown:
        return unknown_shape(input)
    return regrouped(input, [axis if isinstance(axis, Rest) else axis.size for axis in other.shape])


@op("torch.flatten", "torch.Tensor.flatten")
def flatten(input: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor | Mismatch:
    """``[a b c] -> [a b*c]``."""
    shape = input.shape
    if not shape.axes:
        return input.reshaped(Shape((Axis.of(1, Origin.WRITTEN),)))
    if shape.rest is not None and start_dim == 0 and end_dim == -1 and len(shape) == 1:
        return input.reshaped(Shape((merge(shape, 0, 0)[0],)))
    first, last = shape.position(start_dim), shape.position(end_dim)
    if isinstance(first, Mismatch):
        return first
    if isinstance(last, Mismatch):
        return last
    if first is None or last is None:
        return unknown_shape(input)
    if first > last:
        return Mismatch(Fault.AXIS_RANGE, axis=end_dim, left_shape=shape, detail="the last stands before the first")
    return input.reshaped(merge(shape, first, last))


@op("torch.ravel", "torch.Tensor.ravel")
def ravel(input: Tensor) -> Tensor | Mismatch:
    """``[a b] -> [a*b]``."""
    return flatten(input)


@op("torch.unflatten", "torch.Tensor.unflatten")
def unflatten(input: Tensor, dim: int, sizes: Sizes) -> Tensor | Mismatch:
    """``[.. a*b ..] -> [.. a b ..]``."""
    position = input.shape.position(dim)
    if isinstance(position, Mismatch):
        return position
    if position is None or not input.shape.axes:
        return unknown_shape(input)
    axis = input.shape[position]
    if isinstance(axis, Rest):
        return unknown_shape(input)
    found = reshape(Shape((axis,)), sizes)
    if isinstance(found, Mismatch):
        return Mismatch(
            Fault.RESHAPE, axis=dim, left=found.left, right=found.right, left_shape=input.shape,
            right_shape=found.right_shape, detail=found.detail, because=found.because,
        )
    return input.reshaped(input.shape.replaced(position, *found))


@op("torch.squeeze", "torch.Tensor.squeeze", "torch.squeeze_copy")
def squeeze(input: Tensor, dim: Ints | None = None) -> Tensor | Mismatch:
    """``[a 1 b] -> [a b]``."""
    shape = input.shape
    if dim is None:
        if shape.rest is not None:
            return unknown_shape(input)
        positions: Iterable[int] = range(len(shape))
    else:
        found = locate(shape, dim)
        if isinstance(found, Mismatch):
            return found
        if found is None:
            return unknown_shape(input)
        positions = [position for position in found if position < len(shape)]
    gone = []
    for position in positions:
        axis = shape[position]
        if isinstance(axis, Rest):
            return unknown_shape(input)
        if is_one(axis):
            gone.append(position)
        elif not scope().differ(axis.size, ONE):
            return unknown_shape(input)
        elif (
            # No other axis is 1: who squeezes this one may mean it to be 1, or nothing to happen unless it is. What
            # cannot be 1, a number say, is left as it is.
            dim is not None
            and not any(isinstance(other, Axis) and is_one(other) for other in shape)
            and scope().fork().require(axis.size, ONE, to_one=True) is YES
        ):
            if shape.rest is not None:
                return unknown_shape(input)
            shape = shape.replaced(position, Rest())
    return input.reshaped(shape.without(gone))


@op("torch.unsqueeze", "torch.Tensor.unsqueeze", "torch.unsqueeze_copy")
def unsqueeze(input: Tensor, dim: int) -> Tensor | Mismatch:
    """``[a b] -> [a 1 b]``."""
    shape = input.shape
    position = shape.position(dim, extra=1)
    if isinstance(position, Mismatch):
        return position
    if position is None:
        return input.reshaped(shape.blurred(dim))
    return input.reshaped(Shape((*shape.axes[:position], Axis.of(1, Origin.WRITTEN), *shape.axes[position:])))


@op("torch.atleast_1d")
def atleast_1d(*tensors: Tensor | Sequence[Tensor]) -> AnyValue | Mismatch:
    """``[] -> [1]``."""
    return _at_least(1, tensors)


@op("torch.atleast_2d")
def atleast_2d(*tensors: Tensor | Sequence[Tensor]) -> AnyValue | Mismatch:
    """``[a] -> [1 a]``."""
    return _at_least(2, tensors)


@op("torch.atleast_3d")
def atleast_3d(*tensors: Tensor | Sequence[Tensor]) -> AnyValue | Mismatch:
    """``[a] -> [1 a 1]``, ``[a b] -> [a b 1]``."""
    return _at_least(3, tensors)


def _at_least(rank: int, tensors: Iterable[Tensor | Sequence[Tensor]]) -> AnyValue:
    flat = flat_list(tensors)
    made: list[AnyValue] = [_with_axes(tensor, rank) for tensor in flat]
    return made[0] if len(made) == 1 else Several(made)


def _with_axes(tensor: Tensor, rank: int) -> AnyValue:
    if tensor.shape.rest is not None:
        return unknown_shape(tensor)
    missing = rank - len(tensor.shape)
    after = 1 if rank == 3 and tensor.shape.axes else 0
    one = Axis.of(1, Origin.WRITTEN)
    if missing <= 0:
        return tensor
    return tensor.reshaped(Shape((*[one] * (missing - after), *tensor.shape, *[one] * after)))


# -- more of the same --------------------------------------------------------------------------------------------------


def _expanded_axis(shape: Shape, position: int, size: Dim, like: Axis | None) -> Axis | Mismatch:
    axis = shape[position]
    if isinstance(axis, Rest) or size.constant == -1:
        return axis if isinstance(axis, Axis) else Axis.unfollowed(opaque("expanded"))
    if axis.is_one:
        return Axis.copied(size) if like is None else like
    verdict = scope().decide(axis.size, size)
    if verdict is YES:
        return axis
    if isinstance(verdict, No) and require(axis.size, size) is not YES:
        if is_one(axis):
            return Axis.copied(size) if like is None else like
        return Mismatch(
            Fault.SIZE, axis=position, left=axis.size, right=size, left_shape=shape, because=verdict.because,
        )
    return Axis.unfollowed(size) if not isinstance(verdict, No) else axis


def expanded(input: Tensor, sizes: Sizes, like: Shape | None = None) -> Tensor | Mismatch:
    """The tensor with axes of size 1 as long as ``sizes`` say; -1 keeps a size."""
    shape = input.shape
    if shape.rest is None and len(shape) > len(sizes) and not any(isinstance(size, Rest) for size in sizes):
        return Mismatch(Fault.RANK, left_shape=shape, detail=f"at most {len(sizes)}")
    axes: list[Axis | Rest] = []
    back = 0
    while back < len(sizes):
        back += 1
        size = sizes[-back]
        position = len(shape) - back
        known = shape[position] if position >= 0 else None
        if isinstance(size, Rest) or isinstance(known, Rest):
            lead = sizes[: len(sizes) - back + 1]
            same = len(lead) == 1 and lead[0] is known
            if not same and any(not isinstance(size, Rest) and size.constant == -1 for size in lead):
                return input.reshaped(Shape((Rest(), *reversed(axes))))
            axes += [size if isinstance(size, Rest) else Axis.copied(size) for size in reversed(lead)]
            break
        twin = like[len(like) - back] if like is not None else None
        twin = twin if isinstance(twin, Axis) else None
        if known is None:
            if size.constant == -1:
                return Mismatch(Fault.RANK, left_shape=shape, detail="-1 for an axis that does not exist")
            axes.append(Axis.copied(size) if twin is None else twin)
            continue
        axis = _expanded_axis(shape, position, size, twin)
        if isinstance(axis, Mismatch):
            return axis
        axes.append(axis)
    return input.reshaped(Shape(reversed(axes)))


@op("torch.Tensor.expand")
def expand(input: Tensor, *size: Sizes) -> Tensor | Mismatch:
    """``[1 b] -> [a b]``."""
    return expanded(input, list(size))  # type: ignore[arg-type]  # spread: each is a size


@op("torch.broadcast_to", "torch.Tensor.broadcast_to", "torch.expand_copy")
def broadcast_to(input: Tensor, size: Sizes) -> Tensor | Mismatch:
    """``[1 b] -> [a b]``."""
    return expanded(input, size)


@op("torch.Tensor.expand_as")
def expand_as(input: Tensor, other: Tensor) -> Tensor | Mismatch:
    """``[1 b], [a b] -> [a b]``."""
    if other.shape.is_unknown:
        return unknown_shape(input)
    return expanded(input, [axis if isinstance(axis, Rest) else axis.size for axis in other.shape], other.shape)


@op("torch.broadcast_tensors")
def broadcast_tensors(*tensors: Tensor) -> AnyValue | Mismatch:
    """``[a 1], [1 b] -> [a b], [a b]``."""
    if not tensors:
        return Unknown("nothing to broadcast")
    found = broadcast(*[tensor.shape for tensor in tensors])
    return found if isinstance(found, Mismatch) else Several([tensor.reshaped(found) for tensor in tensors])


@op("torch.broadcast_shapes")
def broadcast_shapes(*shapes: Sequence[Dim]) -> AnyValue | Mismatch:
    """``[a 1], [1 b] -> [a b]``."""
    if not shapes:
        return Several([], "torch.Size")
    found = broadcast(*[Shape.of(*sizes) for sizes in shapes])
    if isinstance(found, Mismatch):
        return found
    return Several([axis.size for axis in found if isinstance(axis, Axis)], "torch.Size")
