"""Indexing: subscripts as torch reads them, and assignment to a part."""

from __future__ import annotations

from shapecheck.dims import ONE, YES, ZERO, Dim, No, Symbol, floordiv
from shapecheck.ops.axes import constant, dim_of, opaque, sized, unknown_shape
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
    hide,
    require,
    scope,
)
from shapecheck.shapes import Sequence as Several

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final


class _Mask:
    """A boolean tensor: it takes as many axes as it has, and leaves one of unknown length unless it is a constant."""

    __slots__ = ("kept", "shape")

    def __init__(self, shape: Shape, kept: int | None = None) -> None:
        self.shape = shape
        self.kept = kept


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
        hide()
        rest = shape[shape.rest]
        if len(before) == 1 and not dotted and isinstance(before[0], (Dim, Slice)) and str(rest) != "...":
            # Code that declares `*batch` promises to run where it has an axis.
            return shape.blurred(0)
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
    size = dim_of(value)
    return Unknown("a bound is not known") if size is None else scope().normal(size)


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
    if begin is None and start is not None and end == stop and end is not None and signs(end - start) == {1}:
        # `x[n - k : n]`: both count from the start.
        begin = start
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
    """A bound counted from the start; None where it may count from the end.

    ``-T`` and ``-1`` count from the end, ``T`` and ``T - 1`` from the start. In a difference such as ``T - S`` both are
    possible: it counts from the start where the axis itself is longer than it whatever the sizes (``T``).
    """
    found = signs(bound)
    if found <= {-1, 0} and -1 in found:
        return whole + bound
    if -1 not in found or signs(whole - bound) == {1}:
        return bound
    return None


_LARGE: Final = (1009, 10007, 100003, 1000003, 10000019, 100000007, 1000000007)


def signs(size: Dim) -> set[int]:
    """The signs (-1, 0, 1) that an expression has when its symbols are large, in this and in that order of size."""
    if size.constant is not None:
        return {(size.constant > 0) - (size.constant < 0)}
    symbols = sorted([atom for atom in size.atoms if isinstance(atom, Symbol)], key=_serial)
    if len(symbols) > len(_LARGE):
        return {-1, 0, 1}
    found: set[int] = set()
    for values in (_LARGE, _LARGE[len(symbols) - 1 :: -1], (_LARGE[3],) * len(symbols)):
        try:
            value = size.evaluate(dict(zip(symbols, values, strict=False)))
        except ZeroDivisionError:
            return {-1, 0, 1}
        found.add((value > 0) - (value < 0))
    return found


def _serial(symbol: Symbol) -> int:
    return symbol.serial


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
