"""Views: the same elements under another shape, in another order of axes, or a part of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapecheck.dims import ONE, YES, Dim, No, floordiv, minimum
from shapecheck.ops.axes import (
    axis_numbers,
    constant,
    flat_list,
    impossible,
    is_one,
    locate,
    of_rank,
    opaque,
    sized,
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

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from shapecheck.ops.signature import Ints, Sizes



# -- the same order of elements, grouped otherwise -------------------------------------------------------------------


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
    return input.reshaped(shape.without(gone))


@op("torch.unsqueeze", "torch.Tensor.unsqueeze", "torch.unsqueeze_copy")
def unsqueeze(input: Tensor, dim: int) -> Tensor | Mismatch:
    """``[a b] -> [a 1 b]``."""
    shape = input.shape
    position = shape.position(dim, extra=1)
    if isinstance(position, Mismatch):
        return position
    if position is None:
        return unknown_shape(input)
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


# -- another order of axes -------------------------------------------------------------------------------------------


@op(
    "torch.transpose", "torch.Tensor.transpose", "torch.swapaxes", "torch.Tensor.swapaxes", "torch.swapdims",
    "torch.Tensor.swapdims", "torch.transpose_copy",
)
def transpose(input: Tensor, dim0: int, dim1: int) -> Tensor | Mismatch:
    """``[.. a .. b ..] -> [.. b .. a ..]``."""
    shape = input.shape
    first, second = shape.position(dim0), shape.position(dim1)
    if isinstance(first, Mismatch):
        return first
    if isinstance(second, Mismatch):
        return second
    if first is None or second is None:
        return unknown_shape(input)
    if not shape.axes:
        return input
    axes = list(shape.axes)
    axes[first], axes[second] = axes[second], axes[first]
    return input.reshaped(Shape(axes))


def permuted(input: Tensor, dims: list[int]) -> Tensor | Mismatch:
    """The axes in another order."""
    shape = of_rank(input.shape, len(dims))
    if shape is None:
        return Mismatch(Fault.RANK, left_shape=input.shape, detail=f"{len(dims)}")
    positions = locate(shape, dims)
    if isinstance(positions, Mismatch):
        return positions
    return unknown_shape(input) if positions is None else input.reshaped(Shape([shape[index] for index in positions]))


@op("torch.permute", "torch.permute_copy")
def permute(input: Tensor, dims: Ints) -> Tensor | Mismatch:
    """``[a b c] -> [c a b]``."""
    return permuted(input, dims)


@op("torch.Tensor.permute")
def permute_method(input: Tensor, *dims: Sizes) -> Tensor | Mismatch:
    """``[a b c] -> [c a b]``."""
    numbers = axis_numbers(dims)
    return unknown_shape(input) if numbers is None else permuted(input, numbers)


@op("torch.movedim", "torch.Tensor.movedim", "torch.moveaxis", "torch.Tensor.moveaxis")
def movedim(
    input: Tensor, source: Ints, destination: Ints
) -> Tensor | Mismatch:
    """``[a b c] -> [b c a]``."""
    shape = input.shape
    if len(source) != len(destination):
        return Mismatch(Fault.RANK, left_shape=shape, detail=f"{len(source)} axes to {len(destination)} places")
    taken = locate(shape, source)
    if isinstance(taken, Mismatch):
        return taken
    if taken is None:
        return unknown_shape(input)
    if shape.rest is not None:
        if len(taken) != 1:
            return unknown_shape(input)
        rest = shape.without(taken)
        target = rest.position(destination[0], extra=1)
        if not isinstance(target, int):
            return unknown_shape(input) if target is None else target
        return input.reshaped(Shape((*rest.axes[:target], shape[taken[0]], *rest.axes[target:])))
    given = locate(shape, destination)
    if isinstance(given, Mismatch):
        return given
    if given is None or not shape.axes:
        return input
    order: list[int | None] = [None] * len(shape)
    for place, position in zip(given, taken, strict=True):
        order[place] = position
    others = iter([position for position in range(len(shape)) if position not in taken])
    return input.reshaped(Shape([shape[next(others) if place is None else place] for place in order]))


@op("torch.t", "torch.Tensor.t", "torch.t_copy")
def t(input: Tensor) -> Tensor | Mismatch:
    """``[a b] -> [b a]``."""
    if input.shape.rest is not None:
        return unknown_shape(input)
    if len(input.shape) > 2:
        return Mismatch(Fault.RANK, left_shape=input.shape, detail="at most 2")
    return input.reshaped(Shape(reversed(input.shape.axes)))


@op("torch.adjoint", "torch.Tensor.adjoint")
def adjoint(input: Tensor) -> Tensor | Mismatch:
    """``[.. a b] -> [.. b a]``."""
    return transpose(input, -2, -1)


@op("torch.flip")
def flip(input: Tensor, dims: Ints) -> Tensor | Mismatch:
    """``[a b] -> [a b]``."""
    found = locate(input.shape, dims)
    return found if isinstance(found, Mismatch) else input


@op("torch.Tensor.flip")
def flip_method(input: Tensor, *dims: Sizes) -> Tensor | Mismatch:
    """``[a b] -> [a b]``."""
    numbers = axis_numbers(dims)
    return input if numbers is None else flip(input, numbers)


@op("torch.fliplr", "torch.flipud", "torch.Tensor.fliplr", "torch.Tensor.flipud")
def fliplr(input: Tensor) -> Tensor | Mismatch:
    """``[a b] -> [a b]``."""
    return input


@op("torch.roll", "torch.Tensor.roll")
def roll(input: Tensor, shifts: object, dims: Ints | None = None) -> Tensor | Mismatch:
    """``[a b] -> [a b]``."""
    for dim in dims or ():
        position = input.shape.position(dim)
        if isinstance(position, Mismatch):
            return position
    return input


@op("torch.rot90", "torch.Tensor.rot90")
def rot90(input: Tensor, k: int = 1, dims: Ints | None = None) -> Tensor | Mismatch:
    """``[a b] -> [b a]``."""
    first, second = (0, 1) if dims is None or len(dims) != 2 else dims
    turned = transpose(input, first, second)
    return turned if k % 2 or isinstance(turned, Mismatch) else input


@op("torch.tril", "torch.triu", "torch.Tensor.tril", "torch.Tensor.triu")
def tril(input: Tensor, diagonal: object = 0) -> Tensor | Mismatch:
    """``[.. a b] -> [.. a b]``."""
    rank = input.shape.rank
    if rank is not None and rank < 2:
        return Mismatch(Fault.RANK, left_shape=input.shape, detail="at least 2")
    return input


# -- more of the same ------------------------------------------------------------------------------------------------


def _expanded_axis(shape: Shape, position: int, size: Dim, like: Axis | None) -> Axis | Mismatch:
    axis = shape[position]
    if isinstance(axis, Rest) or size.constant == -1:
        return axis if isinstance(axis, Axis) else Axis.unfollowed(opaque("expanded"))
    if axis.is_one:
        return Axis.of(size, Origin.WRITTEN) if like is None else like
    verdict = scope().decide(axis.size, size)
    if verdict is YES:
        return axis
    if isinstance(verdict, No) and require(axis.size, size) is not YES:
        if is_one(axis):
            return Axis.of(size, Origin.WRITTEN) if like is None else like
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
            axes += [size if isinstance(size, Rest) else Axis.of(size, Origin.WRITTEN) for size in reversed(lead)]
            break
        twin = like[len(like) - back] if like is not None else None
        twin = twin if isinstance(twin, Axis) else None
        if known is None:
            if size.constant == -1:
                return Mismatch(Fault.RANK, left_shape=shape, detail="-1 for an axis that does not exist")
            axes.append(Axis.of(size, Origin.WRITTEN) if twin is None else twin)
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


# -- a part of the elements ------------------------------------------------------------------------------------------


@op("torch.narrow", "torch.Tensor.narrow", "torch.narrow_copy", "torch.Tensor.narrow_copy")
def narrow(input: Tensor, dim: int, start: object, length: Dim) -> Tensor | Mismatch:
    """``[.. a ..] -> [.. length ..]``."""
    shape = input.shape
    axis = shape.axis(dim)
    if isinstance(axis, Mismatch):
        return axis
    position = shape.position(dim)
    if axis is None or not isinstance(position, int):
        return unknown_shape(input)
    begin = start if isinstance(start, Dim) and (constant(start) or 0) >= 0 else Dim.of(0)
    if impossible(begin + length, axis.size):
        return Mismatch(Fault.SIZE, axis=dim, left=axis.size, right=begin + length, left_shape=shape)
    return input.reshaped(shape.replaced(position, sized(axis, length)))


@op("torch.select", "torch.Tensor.select", "torch.select_copy")
def select(input: Tensor, dim: int, index: object) -> Tensor | Mismatch:
    """``[.. a ..] -> [.. ..]``."""
    shape = input.shape
    axis = shape.axis(dim)
    if isinstance(axis, Mismatch):
        return axis
    position = shape.position(dim)
    if axis is None or not isinstance(position, int):
        return unknown_shape(input)
    size, place = constant(axis.size), constant(index) if isinstance(index, Dim) else None
    if size is not None and place is not None and not -size <= place < size:
        return Mismatch(Fault.SIZE, axis=dim, left=axis.size, right=Dim.of(place), left_shape=shape, detail="index")
    return input.reshaped(shape.without([position]))


@op("torch.Tensor.unfold", "torch.unfold_copy")
def unfold(input: Tensor, dimension: int, size: Dim, step: Dim) -> AnyValue | Mismatch:
    """``[.. a ..] -> [.. (a-size)//step+1 .. size]``."""
    shape = input.shape
    if not shape.axes:
        # torch takes a scalar for one element here.
        return input.reshaped(Shape((Axis.of(size, Origin.WRITTEN),)))
    axis = shape.axis(dimension)
    if isinstance(axis, Mismatch):
        return axis
    position = shape.position(dimension)
    if axis is None or not isinstance(position, int):
        return unknown_shape(input)
    if impossible(size, axis.size):
        return Mismatch(Fault.SIZE, axis=dimension, left=axis.size, right=size, left_shape=shape)
    if not step.terms:
        return Unknown("a step of 0")
    count = floordiv(axis.size - size, step) + 1
    return input.reshaped(Shape((*shape.replaced(position, axis.resized(count)), Axis.of(size, Origin.WRITTEN))))


# -- diagonals -------------------------------------------------------------------------------------------------------


def _diagonal_size(rows: Dim, columns: Dim, offset: int) -> Dim:
    if scope().equal(rows, columns):
        return rows - abs(offset)
    return minimum(rows + min(offset, 0), columns - max(offset, 0))


@op("torch.diagonal", "torch.Tensor.diagonal", "torch.diagonal_copy")
def diagonal(input: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor | Mismatch:
    """``[a b ..] -> [.. min(a,b)]``."""
    positions = locate(input.shape, (dim1, dim2))
    if isinstance(positions, Mismatch):
        return positions
    if positions is None:
        return unknown_shape(input)
    one, other = (input.shape[position] for position in positions)
    if isinstance(one, Rest) or isinstance(other, Rest):
        return unknown_shape(input)
    size = _diagonal_size(one.size, other.size, offset)
    number = constant(size)
    axis = sized(one, Dim.of(0) if number is not None and number < 0 else size)
    return input.reshaped(Shape((*input.shape.without(positions), axis)))


@op("torch.linalg.diagonal")
def linalg_diagonal(A: Tensor, *, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor | Mismatch:
    """``[.. a b] -> [.. min(a,b)]``."""
    return diagonal(A, offset, dim1, dim2)


@op("torch.diag", "torch.Tensor.diag")
def diag(input: Tensor, diagonal: int = 0) -> Tensor | Mismatch:
    """``[a] -> [a a]; [a b] -> [min(a,b)]``."""
    rank = input.shape.rank
    if rank is None:
        return unknown_shape(input)
    if rank == 1:
        return diag_embed(input, diagonal)
    if rank == 2:
        return _diagonal(input, diagonal)
    return Mismatch(Fault.RANK, left_shape=input.shape, detail="1 or 2")


_diagonal = diagonal


@op("torch.diag_embed", "torch.Tensor.diag_embed")
def diag_embed(input: Tensor, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Tensor | Mismatch:
    """``[.. a] -> [.. a a]``."""
    shape = input.shape
    if shape.rest is not None and (dim1, dim2) != (-2, -1):
        return unknown_shape(input)
    axis = shape.axis(-1)
    if isinstance(axis, Mismatch):
        return axis
    if axis is None:
        return unknown_shape(input)
    square = sized(axis, axis.size + abs(offset))
    lead = list(shape.axes[:-1])
    if (dim1, dim2) == (-2, -1):
        return input.reshaped(Shape((*lead, square, square)))
    rank = len(shape) + 1
    if not (-rank <= dim1 < rank and -rank <= dim2 < rank):
        return Mismatch(Fault.AXIS_RANGE, axis=dim1, left_shape=shape)
    for place in sorted((dim1 % rank, dim2 % rank)):
        lead.insert(place, square)
    return input.reshaped(Shape(lead))


@op("torch.diagflat", "torch.Tensor.diagflat")
def diagflat(input: Tensor, offset: int = 0) -> Tensor | Mismatch:
    """``[a b] -> [a*b a*b]``."""
    flat = flatten(input)
    return flat if isinstance(flat, Mismatch) or flat.shape.rest is not None else diag_embed(flat, offset)


@op("torch.view_as_real", "torch.view_as_real_copy")
def view_as_real(input: Tensor) -> Tensor | Mismatch:
    """``[..] -> [.. 2]``."""
    return Tensor(Shape((*input.shape, Axis.of(2, Origin.WRITTEN))), "float", input.kind)


@op("torch.view_as_complex", "torch.view_as_complex_copy")
def view_as_complex(input: Tensor) -> Tensor | Mismatch:
    """``[.. 2] -> [..]``."""
    axis = input.shape.axis(-1)
    if isinstance(axis, Mismatch):
        return axis
    if axis is None:
        return unknown_shape(input, "complex")
    verdict = require(axis.size, Dim.of(2))
    if isinstance(verdict, No):
        return Mismatch(
            Fault.SIZE, axis=-1, left=axis.size, right=Dim.of(2), left_shape=input.shape, because=verdict.because
        )
    return Tensor(input.shape.without([len(input.shape) - 1]), "complex", input.kind)


@op("torch.as_strided", "torch.Tensor.as_strided", "torch.as_strided_copy")
def as_strided(input: Tensor, size: Sizes, stride: object, storage_offset: object = 0) -> Tensor | Mismatch:
    """``[a b] -> [size]``."""
    return input.reshaped(Shape([one if isinstance(one, Rest) else Axis.unfollowed(one) for one in size]))


