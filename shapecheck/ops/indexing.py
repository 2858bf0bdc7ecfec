"""Indexing: subscripts as torch reads them, gathering, scattering, masks and searches."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from shapecheck.dims import ONE, YES, ZERO, Dim, No, floordiv
from shapecheck.ops import views
from shapecheck.ops.axes import constant, impossible, joined, of_rank, opaque, sized, unknown_shape, wants
from shapecheck.ops.registry import op
from shapecheck.shapes import (
    AnyValue,
    Axis,
    Constant,
    Fault,
    Mismatch,
    Number,
    Origin,
    Rest,
    Shape,
    Slice,
    Tensor,
    Unknown,
    broadcast,
    require,
    scope,
)
from shapecheck.shapes import Sequence as Several

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapecheck.ops.signature import Operand


# -- subscripts ------------------------------------------------------------------------------------------------------


class _Mask(NamedTuple):
    """A boolean tensor: it takes as many axes as it has, and leaves one of unknown length unless it is a constant."""

    shape: Shape
    kept: int | None = None


_Entry = Dim | Slice | Shape | _Mask | None
"""An index written out: an integer, a slice, an integer tensor's shape, a mask, or None for a new axis."""


def _entries(index: AnyValue) -> list[_Entry | Constant] | Unknown:
    """The entries of a subscript; the constant Ellipsis stands for itself."""
    items = index.items if isinstance(index, Several) and index.kind == "tuple" else [index]
    found: list[_Entry | Constant] = []
    for item in items:
        entry = _entry(item)
        if isinstance(entry, Unknown):
            return entry
        found.append(entry)
    return found


def _entry(item: object) -> _Entry | Constant | Unknown:
    if isinstance(item, (Dim, Slice)):
        return item
    if isinstance(item, Tensor):
        if item.dtype == "bool":
            return _Mask(item.shape)
        if item.dtype == "int":
            return item.shape if item.shape.axes else opaque("index")
        # A float cannot index; of an unknown dtype it is not known whether it is a mask.
        return Unknown("an index tensor of unknown dtype")
    if isinstance(item, Constant):
        if item.value is None:
            return None
        if item.value is Ellipsis:
            return item
        if isinstance(item.value, bool):
            return _Mask(Shape(()), int(item.value))
        return Unknown("an index of another kind")
    if isinstance(item, Several):
        return _listed(item)
    if isinstance(item, Number) and item.name == "int":
        return opaque("index")
    return item if isinstance(item, Unknown) else Unknown("an index of another kind")


def _listed(items: Several) -> _Entry | Unknown:
    """A list of integers, of flags or of lists of these, as the tensor that torch makes of it."""
    if any(isinstance(item, Rest) for item in items.items):
        return Unknown("an index of unknown length")
    inner = [_entry(item) for item in items.items]
    if all(isinstance(entry, Dim) for entry in inner):
        return Shape.of(len(inner))
    if all(isinstance(entry, _Mask) and entry.kept is not None for entry in inner):
        return _Mask(Shape.of(len(inner)), sum([entry.kept or 0 for entry in inner if isinstance(entry, _Mask)]))
    # torch read a list of lists as a tuple for long, and reads it as one array now.
    return Unknown("an index list of another kind")


def _taken(entry: _Entry | Constant) -> int:
    """How many axes of the operand an entry uses up."""
    if entry is None or isinstance(entry, Constant):
        return 0
    return len(entry.shape) if isinstance(entry, _Mask) else 1


def _indexed(shape: Shape, index: AnyValue) -> Shape | Mismatch | Unknown:
    """The shape of ``tensor[index]``."""
    entries = _entries(index)
    if isinstance(entries, Unknown):
        return entries
    if any(isinstance(entry, _Mask) and entry.shape.rest is not None for entry in entries):
        return Unknown("a mask of unknown rank")
    used = sum([_taken(entry) for entry in entries])
    if shape.rest is None and used > len(shape):
        return Mismatch(Fault.TOO_MANY_INDICES, left_shape=shape, detail=str(used))
    dots = [place for place, entry in enumerate(entries) if isinstance(entry, Constant)]
    if len(dots) > 1:
        return Unknown("two ellipses")
    if not dots:
        return _walk(shape, entries, [])
    place = dots[0]
    return _walk(shape, entries[:place], entries[place + 1 :], dotted=True)


def _walk(
    shape: Shape, before: list[_Entry | Constant], after: list[_Entry | Constant], *, dotted: bool = False
) -> Shape | Mismatch | Unknown:
    """Index the leading axes by ``before`` and the trailing ones by ``after``; what is between stays."""
    lead, trail = sum([_taken(entry) for entry in before]), sum([_taken(entry) for entry in after])
    if shape.rest is not None and (lead > shape.rest or trail > len(shape) - shape.rest - 1):
        return Unknown("an index into axes of unknown number")
    placed = _Placed(shape)
    position = 0
    for entry in before:
        position = placed.add(entry, position)
    middle = len(shape) - trail
    if dotted or middle > position:
        placed.keep(shape.axes[position:middle])
    position = middle
    for entry in after:
        position = placed.add(entry, position)
    return placed.finish()


class _Placed:
    """The result of a subscript while its entries are read from left to right."""

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self.axes: list[Axis | Rest] = []
        self.tensors: list[Shape] = []
        self.place = 0
        """Where the broadcast axes of all index tensors go."""
        self.apart = False
        """Whether something stands between two index tensors: their axes go to the front then."""
        self.gap = False
        self.fault: Mismatch | None = None

    def keep(self, axes: Sequence[Axis | Rest]) -> None:
        """Leave axes as they are."""
        self.axes += axes
        self.gap = True

    def add(self, entry: _Entry | Constant, position: int) -> int:
        """Read one entry at a position of the operand; returns the next position."""
        if entry is None:
            self.keep([Axis.of(1, Origin.WRITTEN)])
            return position
        if isinstance(entry, _Mask):
            self._mask(entry, position)
            return position + len(entry.shape)
        axis = self.shape[position]
        if isinstance(axis, Rest) or isinstance(entry, Constant):
            return position + 1
        if isinstance(entry, Slice):
            self.keep([sliced(axis, entry)])
        elif isinstance(entry, Dim):
            self._integer(entry, axis, position)
        else:
            self._index(entry)
        return position + 1

    def _integer(self, index: Dim, axis: Axis, position: int) -> None:
        place, size = constant(index), constant(axis.size)
        if place is not None and size is not None and not -size <= place < size:
            self.fault = self.fault or Mismatch(
                Fault.SIZE, axis=position, left=axis.size, right=index, left_shape=self.shape, detail="index",
            )

    def _index(self, shape: Shape) -> None:
        # Only what stands between two tensors sets them apart: an integer has been read by then, unlike in numpy.
        if self.tensors and self.gap:
            self.apart = True
        if not self.tensors:
            self.place = len(self.axes)
        self.tensors.append(shape)
        self.gap = False

    def _mask(self, mask: _Mask, position: int) -> None:
        axes = self.shape.axes[position : position + len(mask.shape)]
        for offset, (axis, flag) in enumerate(zip(axes, mask.shape, strict=True)):
            if isinstance(axis, Rest) or isinstance(flag, Rest):
                continue
            verdict = require(axis.size, flag.size)
            if isinstance(verdict, No):
                self.fault = self.fault or Mismatch(
                    Fault.SIZE, axis=position + offset, left=axis.size, right=flag.size, left_shape=self.shape,
                    right_shape=mask.shape, other_axis=offset, because=verdict.because,
                )
        count = opaque("nonzero") if mask.kept is None else Dim.of(mask.kept)
        self._index(Shape((Axis.unfollowed(count),)))

    def finish(self) -> Shape | Mismatch | Unknown:
        """The result's shape."""
        if self.fault is not None:
            return self.fault
        if not self.tensors:
            return Shape(self.axes)
        found = broadcast(*self.tensors)
        if isinstance(found, Mismatch):
            return found
        if found.rest is not None and any(isinstance(axis, Rest) for axis in self.axes):
            return Shape.unknown()
        place = 0 if self.apart else self.place
        return Shape((*self.axes[:place], *found, *self.axes[place:]))


def sliced(axis: Axis, part: Slice) -> Axis:
    """The part of an axis that a slice takes; the same axis where it takes all of it."""
    size = _slice_size(axis.size, part)
    return axis.resized(opaque("slice")) if size is None else sized(axis, size)


def _bound(value: AnyValue | None) -> Dim | Unknown | None:
    if value is None or (isinstance(value, Constant) and value.value is None):
        return None
    if isinstance(value, Dim):
        return scope().normal(value)
    return Unknown("a bound is not known")


def _slice_size(size: Dim, part: Slice) -> Dim | None:
    """How many elements a slice takes, or None if it cannot be told; bounds are taken to be in range."""
    start, stop, step = _bound(part.start), _bound(part.stop), _bound(part.step)
    if isinstance(start, Unknown) or isinstance(stop, Unknown) or isinstance(step, Unknown):
        return None
    whole = scope().normal(size)
    length, first, last = whole.constant, start, stop
    if length is not None and (first is None or first.constant is not None) and (
        last is None or last.constant is not None
    ):
        begin, end, _ = slice(
            None if first is None else first.constant, None if last is None else last.constant
        ).indices(length)
        taken: Dim | None = Dim.of(max(end - begin, 0))
    else:
        taken = _open_slice(whole, first, last)
    if taken is None or step is None or step == ONE:
        return taken
    # torch refuses a negative or zero step.
    if not step.terms:
        return None
    return floordiv(taken + step - 1, step)


def _open_slice(whole: Dim, start: Dim | None, stop: Dim | None) -> Dim | None:
    begin = ZERO if start is None else _from_start(whole, start)
    end = whole if stop is None else _from_start(whole, stop)
    if begin is None or end is None:
        return None
    if stop is not None and ((end - whole).constant or 0) > 0:
        # `x[1 : n + 1]` of an axis of n: no size meets the bound, and torch cuts it off.
        end = whole
    length = end - begin
    number = length.constant
    if number is None and start is not None:
        scope().suppose_positive(length)
    return ZERO if number is not None and number < 0 else length


def _from_start(whole: Dim, bound: Dim) -> Dim | None:
    """A bound counted from the start; None where it may be negative."""
    sign = _sign(bound)
    if sign is None:
        return None
    return whole + bound if sign < 0 else bound


def _sign(bound: Dim) -> int | None:
    """-1 for a bound that counts from the end, 1 for one from the start, None if it cannot be told.

    A size is at least 1: ``-T`` and ``-1`` count from the end, ``T`` and ``T - 1`` from the start. In a difference such
    as ``T - S`` both are possible, and code that writes it means the start.
    """
    if not bound.terms:
        return 1
    if all(coefficient < 0 for _, coefficient in bound.terms):
        return -1
    return 1


@op("operator.getitem", "torch.Tensor.__getitem__")
def getitem(tensor: Tensor, index: object) -> Tensor | Mismatch | Unknown:
    """``[a b c][i, :, None] -> [b 1 c]``."""
    found = _indexed(tensor.shape, index)  # type: ignore[arg-type]  # an abstract value
    if isinstance(found, Unknown):
        return unknown_shape(tensor)
    return found if isinstance(found, Mismatch) else tensor.reshaped(found)


def setitem(tensor: Tensor, index: AnyValue, value: AnyValue) -> Mismatch | None:
    """Whether ``tensor[index] = value`` fits: the value must broadcast to the part that is set."""
    target = _indexed(tensor.shape, index)
    if isinstance(target, Mismatch):
        return target
    if isinstance(target, Unknown) or not isinstance(value, Tensor):
        return None
    return fits(value.shape, target)


def fits(shape: Shape, target: Shape) -> Mismatch | None:
    """Whether a shape broadcasts to another without changing that."""
    if target.rest is not None or shape.rest is not None:
        return None
    # Leading axes of size 1 are dropped by torch where something is assigned.
    axes = list(shape.axes)
    while len(axes) > len(target) and isinstance(axes[0], Axis) and axes[0].is_one:
        del axes[0]
    for back in range(1, min(len(axes), len(target)) + 1):
        have, want = axes[-back], target[-back]
        if isinstance(have, Rest) or isinstance(want, Rest) or have.is_one:
            continue
        verdict = scope().decide(have.size, want.size)
        if isinstance(verdict, No) and require(have.size, want.size) is not YES:
            return Mismatch(
                Fault.BROADCAST, axis=len(shape) - back, other_axis=len(target) - back, left=have.size, right=want.size,
                left_shape=shape, right_shape=target, because=verdict.because,
            )
    if len(axes) > len(target) and all(
        isinstance(axis, Axis) and scope().differ(axis.size, ONE) for axis in axes[: len(axes) - len(target)]
    ):
        return Mismatch(Fault.RANK, left_shape=shape, right_shape=target, detail=f"at most {len(target)}")
    return None


# -- gather and scatter ----------------------------------------------------------------------------------------------


def _beside(input: Tensor, dim: int, index: Tensor) -> Mismatch | None:
    """What gather and scatter need: the same rank, and no index axis longer than the operand's, but for ``dim``."""
    rank, other = input.shape.rank, index.shape.rank
    if rank is not None:
        position = input.shape.position(dim)
        if isinstance(position, Mismatch):
            return position
    else:
        position = None
    if rank is None or other is None:
        return None
    if max(rank, 1) != max(other, 1):
        return Mismatch(Fault.RANK, left_shape=index.shape, right_shape=input.shape, detail=str(rank))
    for place, (have, want) in enumerate(zip(index.shape, input.shape, strict=False)):
        if place != position and isinstance(have, Axis) and isinstance(want, Axis) and impossible(have.size, want.size):
            return Mismatch(
                Fault.SIZE, axis=place, left=have.size, right=want.size, left_shape=index.shape,
                right_shape=input.shape, other_axis=place,
            )
    return None


@op("torch.gather", "torch.Tensor.gather")
def gather(
    input: Tensor, dim: int, index: Tensor, *, sparse_grad: object = None, out: object = None
) -> Tensor | Mismatch:
    """``[.. a ..], [.. i ..] -> [.. i ..]``."""
    return _beside(input, dim, index) or input.reshaped(index.shape)


@op("torch.take_along_dim", "torch.Tensor.take_along_dim")
def take_along_dim(
    input: Tensor, indices: Tensor, dim: int | None = None, *, out: object = None
) -> Tensor | Mismatch:
    """``[.. a ..], [.. i ..] -> [.. i ..]``."""
    if dim is None:
        return input.reshaped(Shape((Axis.unfollowed(indices.shape.numel),)))
    rank, other = input.shape.rank, indices.shape.rank
    if rank is None or other is None:
        return unknown_shape(input)
    if rank != other:
        return Mismatch(Fault.RANK, left_shape=indices.shape, right_shape=input.shape, detail=str(rank))
    position = input.shape.position(dim)
    if not isinstance(position, int):
        return unknown_shape(input) if position is None else position
    if not rank:
        return input
    one = Axis.of(1)
    found = broadcast(input.shape.replaced(position, one), indices.shape.replaced(position, one))
    return found if isinstance(found, Mismatch) else input.reshaped(found.replaced(position, indices.shape[position]))


@op("torch.take", "torch.Tensor.take")
def take(input: Tensor, index: Tensor, *, out: object = None) -> Tensor:
    """``[a b], [i] -> [i]``."""
    return input.reshaped(index.shape)


@op("torch.put", "torch.Tensor.put")
def put(input: Tensor, index: Tensor, source: Tensor, accumulate: object = None) -> Tensor:
    """``[a b], [i], [i] -> [a b]``."""
    return input


@op("torch.index_select", "torch.Tensor.index_select")
def index_select(input: Tensor, dim: int, index: Tensor, *, out: object = None) -> Tensor | Mismatch:
    """``[.. a ..], [i] -> [.. i ..]``."""
    position = input.shape.position(dim)
    if isinstance(position, Mismatch):
        return position
    chosen = of_rank(index.shape, 1)
    if chosen is None:
        if index.shape.rank == 0:
            chosen = Shape.of(1)
        else:
            return Mismatch(Fault.RANK, left_shape=index.shape, detail="1")
    if position is None:
        return unknown_shape(input)
    return input.reshaped(input.shape.replaced(position, chosen[0]) if input.shape.axes else input.shape)


@op("torch.scatter", "torch.Tensor.scatter")
def scatter(
    input: Tensor, dim: int, index: Tensor, src: object = None, *, value: object = None, reduce: object = None
) -> Tensor | Mismatch:
    """``[.. a ..], [.. i ..], [.. i ..] -> [.. a ..]``."""
    if isinstance(src, Tensor) and src.shape.rank:
        fault = _beside(src, dim, index)
        if fault is not None and fault.kind is Fault.RANK:
            return fault
    return _beside(input, dim, index) or input


@op("torch.scatter_add", "torch.Tensor.scatter_add")
def scatter_add(input: Tensor, dim: int, index: Tensor, src: Tensor) -> Tensor | Mismatch:
    """``[.. a ..], [.. i ..], [.. i ..] -> [.. a ..]``."""
    return scatter(input, dim, index, src)


@op("torch.scatter_reduce", "torch.Tensor.scatter_reduce")
def scatter_reduce(
    input: Tensor, dim: int, index: Tensor, src: Tensor, reduce: object, *, include_self: object = None
) -> Tensor | Mismatch:
    """``[.. a ..], [.. i ..], [.. i ..] -> [.. a ..]``."""
    return scatter(input, dim, index, src)


@op("torch.index_add", "torch.Tensor.index_add", "torch.index_copy", "torch.Tensor.index_copy", "torch.index_reduce",
    "torch.Tensor.index_reduce")
def index_add(
    input: Tensor, dim: int, index: Tensor, source: Tensor, reduce: object = None, *, alpha: object = None,
    include_self: object = None, out: object = None,
) -> Tensor | Mismatch:
    """``[.. a ..], [i], [.. i ..] -> [.. a ..]``."""
    position = input.shape.position(dim)
    if isinstance(position, Mismatch):
        return position
    if position is None or source.shape.rest is not None or input.shape.rest is not None or not source.shape.axes:
        return input
    if len(source.shape) != len(input.shape):
        return Mismatch(Fault.RANK, left_shape=source.shape, right_shape=input.shape, detail=str(len(input.shape)))
    chosen = of_rank(index.shape, 1)
    if chosen is not None and isinstance(chosen[0], Axis):
        fault = wants(source.shape, position, chosen[0].size)
        if fault is not None:
            return fault
    for place in range(len(source.shape)):
        fault = joined(source.shape, input.shape, place, place) if place != position else None
        if fault is not None:
            return fault
    return input


@op("torch.index_fill", "torch.Tensor.index_fill")
def index_fill(input: Tensor, dim: int, index: Tensor, value: object) -> Tensor | Mismatch:
    """``[.. a ..], [i] -> [.. a ..]``."""
    position = input.shape.position(dim)
    return position if isinstance(position, Mismatch) else input


@op("torch.index_put", "torch.Tensor.index_put")
def index_put(input: Tensor, indices: object, values: object, accumulate: object = None) -> Tensor | Mismatch:
    """``[.. a ..], ([i], ..) -> [.. a ..]``."""
    if isinstance(indices, Several):
        fault = setitem(input, Several(indices.items), values)  # type: ignore[arg-type]  # an abstract value
        if fault is not None:
            return fault
    return input


def _replaces(src: Tensor, target: Shape) -> Mismatch | None:
    """Whether the source has exactly the shape of the part it is written to."""
    if src.shape.rest is not None or target.rest is not None:
        return None
    if len(src.shape) != len(target):
        return Mismatch(Fault.RANK, left_shape=src.shape, right_shape=target, detail=str(len(target)))
    for place, (have, want) in enumerate(zip(src.shape.known, target.known, strict=True)):
        verdict = require(have.size, want.size)
        if isinstance(verdict, No):
            return Mismatch(
                Fault.SIZE, axis=place, other_axis=place, left=have.size, right=want.size, left_shape=src.shape,
                right_shape=target, because=verdict.because,
            )
    return None


@op("torch.select_scatter", "torch.Tensor.select_scatter")
def select_scatter(input: Tensor, src: Tensor, dim: int, index: object) -> Tensor | Mismatch:
    """``[.. a ..], [.. ..] -> [.. a ..]``."""
    part = views.select(input, dim, index)
    return part if isinstance(part, Mismatch) else _replaces(src, part.shape) or input


@op("torch.slice_scatter", "torch.Tensor.slice_scatter")
def slice_scatter(
    input: Tensor, src: Tensor, dim: int = 0, start: object = None, end: object = None, step: object = 1
) -> Tensor | Mismatch:
    """``[.. a ..], [.. b ..] -> [.. a ..]``."""
    axis, position = input.shape.axis(dim), input.shape.position(dim)
    if isinstance(axis, Mismatch):
        return axis
    if axis is None or not isinstance(position, int):
        return input
    bounds = [Dim.of(bound) if isinstance(bound, int) else bound for bound in (start, end, step)]
    part = sliced(axis, Slice(*bounds))  # type: ignore[arg-type]  # abstract values
    return _replaces(src, input.shape.replaced(position, part)) or input


@op("torch.diagonal_scatter", "torch.Tensor.diagonal_scatter")
def diagonal_scatter(input: Tensor, src: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor | Mismatch:
    """``[a b ..], [.. min(a,b)] -> [a b ..]``."""
    part = views.diagonal(input, offset, dim1, dim2)
    return part if isinstance(part, Mismatch) else _replaces(src, part.shape) or input


@op("torch.as_strided_scatter", "torch.Tensor.as_strided_scatter")
def as_strided_scatter(
    input: Tensor, src: Tensor, size: object, stride: object, storage_offset: object = None
) -> Tensor | Mismatch:
    """``[a b], [c] -> [a b]``."""
    return input


@op("torch.masked_scatter", "torch.Tensor.masked_scatter")
def masked_scatter(input: Tensor, mask: Tensor, source: Tensor) -> Tensor | Mismatch:
    """``[a b], [a b], [n] -> [a b]``."""
    return masked_fill(input, mask, source)


# -- masks -----------------------------------------------------------------------------------------------------------


@op("torch.masked_fill", "torch.Tensor.masked_fill")
def masked_fill(input: Tensor, mask: Tensor, value: object) -> Tensor | Mismatch:
    """``[a b], [a b] -> [a b]``."""
    found = broadcast(input.shape, mask.shape)
    return found if isinstance(found, Mismatch) else input.reshaped(found)


@op("torch.Tensor.masked_fill_")
def masked_fill_(input: Tensor, mask: Tensor, value: object) -> Tensor | Mismatch:
    """``[a b], [1 b] -> [a b]``."""
    return fits(mask.shape, input.shape) or input


@op("torch.masked_select", "torch.Tensor.masked_select")
def masked_select(input: Tensor, mask: Tensor, *, out: object = None) -> Tensor | Mismatch:
    """``[a b], [a b] -> [n]``."""
    found = broadcast(input.shape, mask.shape)
    return found if isinstance(found, Mismatch) else input.reshaped(Shape((Axis.unfollowed(opaque("masked")),)))


@op("torch.where")
def where(
    condition: Tensor, input: Operand | None = None, other: Operand | None = None, *, out: object = None,
) -> AnyValue | Mismatch:
    """``[a 1], [1 b], [a b] -> [a b]``."""
    if input is None or other is None:
        return nonzero(condition, as_tuple=True)
    found = broadcast(condition.shape, input.shape, other.shape)
    if isinstance(found, Mismatch):
        return found
    return Tensor(found, input.dtype if input.dtype == other.dtype else _wider(input, other))


@op("torch.Tensor.where")
def where_method(self: Operand, condition: Tensor, other: Operand) -> AnyValue | Mismatch:
    """``[a b], [a 1], [1 b] -> [a b]``."""
    return where(condition, self, other)


def _wider(one: Tensor, other: Tensor) -> str | None:
    """The dtype family of both together; a number without axes never makes ints of floats."""
    for family in ("complex", "float"):
        if family in {one.dtype, other.dtype}:
            return family if family == "complex" or None not in {one.dtype, other.dtype} else _floating(one, other)
    return None if None in {one.dtype, other.dtype} else "int"


def _floating(one: Tensor, other: Tensor) -> str | None:
    number = one if one.dtype is None else other
    return "float" if not number.shape.axes else None


@op("torch.nonzero", "torch.Tensor.nonzero", "torch.argwhere", "torch.Tensor.argwhere")
def nonzero(input: Tensor, *, as_tuple: bool = False, out: object = None) -> AnyValue | Mismatch:
    """``[a b] -> [n 2]``."""
    rank = input.shape.rank
    if rank is None:
        return Unknown("positions in a tensor of unknown rank") if as_tuple else Tensor(
            Shape((Axis.unfollowed(opaque("nonzero")), Axis.unfollowed(opaque("rank")))), "int"
        )
    count = Axis.unfollowed(opaque("nonzero"))
    if as_tuple:
        return Several([Tensor(Shape((count,)), "int") for _ in range(max(rank, 1))])
    return Tensor(Shape((count, Axis.of(rank))), "int")


@op("torch.nonzero_static", "torch.Tensor.nonzero_static")
def nonzero_static(input: Tensor, *, size: Dim, fill_value: object = None) -> AnyValue | Mismatch:
    """``[a b] -> [size 2]``."""
    rank = input.shape.rank
    axis = Axis.unfollowed(opaque("rank")) if rank is None else Axis.of(rank)
    return Tensor(Shape((Axis.of(size), axis)), "int")


# -- tables and searches ---------------------------------------------------------------------------------------------


def not_whole(tensor: Tensor) -> Mismatch | None:
    """What a table says about indices that are no integers."""
    if tensor.dtype in {"float", "complex", "bool"}:
        return Mismatch(Fault.DTYPE, left_shape=tensor.shape, detail="int")
    return None


@op("torch.embedding")
def plain_embedding(
    weight: Tensor, indices: Tensor, padding_idx: object = None, scale_grad_by_freq: object = None,
    sparse: object = None,
) -> Tensor | Mismatch:
    """``[v d], [..] -> [.. d]``."""
    return embedding(indices, weight)


@op("torch.nn.functional.embedding")
def embedding(
    input: Tensor, weight: Tensor, padding_idx: object = None, max_norm: object = None, norm_type: object = None,
    scale_grad_by_freq: object = None, sparse: object = None,
) -> Tensor | Mismatch:
    """``[..], [v d] -> [.. d]``."""
    table = of_rank(weight.shape, 2)
    if table is None:
        return Mismatch(Fault.RANK, left_shape=weight.shape, detail="2")
    return not_whole(input) or weight.reshaped(Shape((*input.shape, table[1])))


@op("torch.nn.functional.embedding_bag")
def embedding_bag(
    input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: object = None, norm_type: object = None,
    scale_grad_by_freq: object = None, mode: object = None, sparse: object = None, per_sample_weights: object = None,
    include_last_offset: bool = False, padding_idx: object = None,
) -> Tensor | Mismatch:
    """``[b n], [v d] -> [b d]``."""
    table = of_rank(weight.shape, 2)
    if table is None:
        return Mismatch(Fault.RANK, left_shape=weight.shape, detail="2")
    if offsets is None:
        bags = of_rank(input.shape, 2)
        return unknown_shape(weight) if bags is None else weight.reshaped(Shape((bags[0], table[1])))
    starts = of_rank(offsets.shape, 1)
    if starts is None or not isinstance(starts[0], Axis):
        return unknown_shape(weight)
    count = starts[0].resized(starts[0].size - 1) if include_last_offset else starts[0]
    return weight.reshaped(Shape((count, table[1])))


@op("torch.nn.functional.one_hot")
def one_hot(input: Tensor, num_classes: object = None) -> Tensor | Mismatch:
    """``[..] -> [.. c]``."""
    size = opaque("classes")
    if isinstance(num_classes, Dim) and constant(num_classes) != -1:
        size = num_classes
    return Tensor(Shape((*input.shape, Axis.of(size))), "int", input.kind)


@op("torch.searchsorted")
def searchsorted(
    sorted_sequence: Tensor, input: Operand, *, out_int32: object = None, right: object = None, side: object = None,
    sorter: object = None, out: object = None,
) -> Tensor | Mismatch:
    """``[.. a], [.. b] -> [.. b]``."""
    rank, other = sorted_sequence.shape.rank, input.shape.rank
    if rank is not None and other is not None and rank > 1:
        if rank != other:
            return Mismatch(Fault.RANK, left_shape=input.shape, right_shape=sorted_sequence.shape, detail=str(rank))
        for place in range(rank - 1):
            fault = joined(input.shape, sorted_sequence.shape, place, place)
            if fault is not None:
                return fault
    return Tensor(input.shape, "int")


@op("torch.bucketize")
def bucketize(
    input: Operand, boundaries: Tensor, *, out_int32: object = None, right: object = None, out: object = None,
) -> Tensor | Mismatch:
    """``[..], [n] -> [..]``."""
    return Tensor(input.shape, "int")


@op("torch.bincount", "torch.Tensor.bincount")
def bincount(input: Tensor, weights: Tensor | None = None, minlength: object = None) -> Tensor | Mismatch:
    """``[n] -> [values]``."""
    if of_rank(input.shape, 1) is None:
        return Mismatch(Fault.RANK, left_shape=input.shape, detail="1")
    return Tensor(Shape((Axis.unfollowed(opaque("bins")),)), None if weights is not None else "int")


@op("torch.isin")
def isin(elements: Operand, test_elements: Operand, *, assume_unique: object = None, invert: object = None) -> Tensor:
    """``[..], [n] -> [..]``."""
    return Tensor(elements.shape, "bool")
