"""Another order of axes: transpose, permute, flip, and triangles of a matrix."""

from __future__ import annotations

from shapecheck.dims import Dim
from shapecheck.ops.axes import (
    axis_numbers,
    locate,
    of_rank,
    unknown_shape,
)
from shapecheck.ops.registry import op
from shapecheck.shapes import (
    Fault,
    Mismatch,
    Rest,
    Shape,
    Tensor,
)
from shapecheck.shapes import Sequence as Several

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.ops.signature import Ints, Sizes


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


@op("torch.fliplr", "torch.Tensor.fliplr")
def fliplr(input: Tensor) -> Tensor | Mismatch:
    """``[a b] -> [a b]``."""
    if input.shape.rank in {0, 1}:
        return Mismatch(Fault.RANK, left_shape=input.shape, detail="at least 2")
    return input


@op("torch.flipud", "torch.Tensor.flipud")
def flipud(input: Tensor) -> Tensor | Mismatch:
    """``[a b] -> [a b]``."""
    return Mismatch(Fault.RANK, left_shape=input.shape, detail="at least 1") if input.shape.rank == 0 else input


@op("torch.roll", "torch.Tensor.roll")
def roll(input: Tensor, shifts: object, dims: Ints | None = None) -> Tensor | Mismatch:
    """``[a b] -> [a b]``."""
    for dim in dims or ():
        position = input.shape.position(dim)
        if isinstance(position, Mismatch):
            return position
    if dims is not None and not any(isinstance(item, Rest) for item in getattr(shifts, "items", ())):
        count = len(shifts.items) if isinstance(shifts, Several) else 1 if isinstance(shifts, Dim) else len(dims)
        if count != len(dims):
            return Mismatch(Fault.RANK, left_shape=input.shape, detail=f"as many shifts as axes ({len(dims)})")
    return input


@op("torch.rot90", "torch.Tensor.rot90")
def rot90(input: Tensor, k: int = 1, dims: Ints | None = None) -> Tensor | Mismatch:
    """``[a b] -> [b a]``."""
    if dims is not None and len(dims) != 2:
        return Mismatch(Fault.RANK, left_shape=input.shape, detail="2 axes of a plane")
    first, second = dims or (0, 1)
    positions = locate(input.shape, (first, second))
    if isinstance(positions, Mismatch):
        return positions
    turned = transpose(input, first, second)
    return turned if k % 2 or isinstance(turned, Mismatch) else input


@op("torch.tril", "torch.triu", "torch.Tensor.tril", "torch.Tensor.triu")
def tril(input: Tensor, diagonal: object = 0) -> Tensor | Mismatch:
    """``[.. a b] -> [.. a b]``."""
    rank = input.shape.rank
    if rank is not None and rank < 2:
        return Mismatch(Fault.RANK, left_shape=input.shape, detail="at least 2")
    return input
