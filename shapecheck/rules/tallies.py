"""What totals are of: the sizes of the axes that were summed, and the sizes that they were divided by since.

A mean made by hand is a total over its count. A tally keeps that fraction in lowest terms, for SC316: which sizes
nothing divided yet, and which ones were divided by without having been summed. Several stand for a sum of totals.
"""

from __future__ import annotations

from shapecheck.dims import ONE, Dim
from shapecheck.shapes import AnyValue, Axis, Constant, Opaque, Ratio, Shape, Tensor, Undecided, scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MOST = 4
"""Totals that one sum of totals is followed for."""


class Tally:
    """One total. Immutable but for what is suspected of it."""

    __slots__ = ("beside", "count", "excess", "open", "parts", "shape", "suspicion")

    def __init__(
        self,
        shape: Shape,
        parts: tuple[Dim, ...],
        opened: tuple[Dim, ...],
        excess: Dim = ONE,
        count: Dim = ONE,
        *,
        beside: bool = False,
        suspicion: Undecided | None = None,
    ) -> None:
        self.shape = shape
        """The shape of what was summed."""
        self.parts = parts
        """The factors of the sizes of the axes that were summed."""
        self.open = opened
        """Those of them, and those of what the total was multiplied by, that nothing divided yet."""
        self.excess = excess
        """What it was divided by beyond them."""
        self.count = count
        """All that it was divided by."""
        self.beside = beside
        """Whether something else was added."""
        self.suspicion = suspicion

    def over(self, sizes: Iterable[Dim]) -> Tally:
        """The total of these totals over axes of some sizes."""
        parts = tuple([part for size in sizes for part in parts_of(size)])
        return self._with((*self.parts, *parts), *lowest((*self.open, *parts), self.excess), self.count)

    def divided(self, size: Dim) -> Tally:
        """The total divided by a size."""
        return self._with(self.parts, *lowest(self.open, self.excess * size), self.count * size)

    def multiplied(self, size: Dim) -> Tally:
        """The total multiplied by a size."""
        count = self.count.exact_quotient(size)
        return self._with(
            self.parts, *lowest((*self.open, *parts_of(size)), self.excess), self.count if count is None else count
        )

    def with_more(self) -> Tally:
        """The total with something else added to it."""
        return Tally(
            self.shape, self.parts, self.open, self.excess, self.count, beside=True, suspicion=self.suspicion
        )

    def _with(self, parts: tuple[Dim, ...], opened: tuple[Dim, ...], excess: Dim, count: Dim) -> Tally:
        return Tally(self.shape, parts, opened, excess, count, beside=self.beside, suspicion=self.suspicion)


def parts_of(size: Dim) -> list[Dim]:
    """The factors of a size that are no numbers: those of ``2*b*(t - 1)`` are ``b`` and ``t - 1``."""
    if size.symbol is not None:
        return [size]
    coefficient, monomial = size.content()
    found = [Dim.term((atom,), 1) for atom in monomial]
    rest = size.exact_quotient(Dim.term(monomial, coefficient)) if coefficient else None
    return found if rest is None or rest.constant is not None else [*found, rest]


def lowest(opened: tuple[Dim, ...], excess: Dim) -> tuple[tuple[Dim, ...], Dim]:
    """What is left of a product over a size."""
    if excess is ONE:
        return opened, excess
    left = []
    for part in opened:
        quotient = excess.exact_quotient(part)
        if quotient is None:
            left.append(part)
        else:
            excess = quotient
    return tuple(left), excess


def tallies(value: AnyValue | None) -> tuple[Tally, ...]:
    """The totals that a tensor is the sum of; none if it is no total."""
    found = value.tally if isinstance(value, Tensor) else None
    return found if isinstance(found, tuple) else ()


def with_tallies(value: AnyValue, found: tuple[Tally, ...]) -> AnyValue:
    """The same tensor as a sum of totals."""
    if not isinstance(value, Tensor) or not 0 < len(found) <= MOST:
        return value
    result = Tensor(value.shape, value.dtype, value.kind, value.mark)
    result.tally = found
    return result


def total(source: Tensor, positions: list[int]) -> tuple[Tally, ...]:
    """What the sums of a tensor over some of its axes are."""
    sizes = [scope().normal(axis.size) for axis in map(source.shape.__getitem__, positions) if isinstance(axis, Axis)]
    if len(sizes) < len(positions):
        return ()
    return totals(source, sizes)


def totals(source: Tensor, sizes: list[Dim]) -> tuple[Tally, ...]:
    """What the sums of a tensor over so many elements are."""
    before = tallies(source) or (Tally(source.shape, (), ()),)
    return tuple([tally.over(sizes) for tally in before])


def fraction(value: AnyValue | None) -> tuple[Dim, Dim] | None:
    """A number as one size over another; numbers that do not depend on sizes are 1. None if it is not known."""
    if isinstance(value, Constant):
        return (ONE, ONE) if isinstance(value.value, (int, float)) else None
    if isinstance(value, Ratio):
        return scope().normal(value.top), scope().normal(value.bottom)
    size = value.size() if isinstance(value, Opaque) else value
    return (scope().normal(size), ONE) if isinstance(size, Dim) else None
