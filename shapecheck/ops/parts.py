"""Parts of the elements: narrow, select, windows, diagonals."""

from __future__ import annotations

from shapecheck.dims import Dim, No, floordiv, minimum
from shapecheck.ops.axes import (
    constant,
    impossible,
    locate,
    sized,
    unknown_shape,
)
from shapecheck.ops.registry import op
from shapecheck.ops.views import flatten
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
    require,
    scope,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.ops.signature import Sizes


# -- a part of the elements --------------------------------------------------------------------------------------------


@op("torch.narrow", "torch.Tensor.narrow", "torch.narrow_copy", "torch.Tensor.narrow_copy")
def narrow(input: Tensor, dim: int, start: object, length: Dim) -> Tensor | Mismatch:
    """``[.. a ..] -> [.. length ..]``."""
    shape = input.shape
    axis = shape.axis(dim)
    if isinstance(axis, Mismatch):
        return axis
    if isinstance(start, Tensor) and start.shape.rank:
        return Mismatch(Fault.RANK, left_shape=start.shape, detail="0")
    position = shape.position(dim)
    if axis is None or not isinstance(position, int):
        return input.reshaped(shape.blurred(dim))
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
        return input.reshaped(shape.blurred(dim))
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


# -- diagonals ---------------------------------------------------------------------------------------------------------


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
    if dim1 % rank == dim2 % rank:
        return Mismatch(Fault.AXIS_RANGE, axis=dim2, left_shape=shape, detail="named twice")
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
