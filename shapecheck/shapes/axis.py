"""Axes: a size, and the ordered list of elementary factors that the axis is made of.

A size alone cannot tell a transpose from a reshape. So every axis carries its factors, outermost first, each with a
size and an identity: two factors are the same only if they index the same elements. An axis of size 1 has no factors.
"""

from __future__ import annotations

from enum import Enum

from shapecheck.dims import ONE, Dim, Kind, Symbol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from typing import Final

    from shapecheck.dims import Scope


class Origin(Enum):
    """How an axis came to stand where it stands; decides whether a broadcast over it was meant."""

    DECLARED = "declared"
    """By an annotation, a layer, a creation function."""
    KEPT = "kept"
    """By a reduction with ``keepdim=True``."""
    WRITTEN = "written"
    """By hand: unsqueeze, None in an index, reshape, rearrange."""


class Factor:
    """An elementary part of an axis; ``ident`` is None where it cannot be followed. Immutable."""

    __slots__ = ("ident", "size")

    def __init__(self, size: Dim, ident: Hashable | None) -> None:
        self.size = size
        self.ident = ident

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Factor) and self.size == other.size and self.ident == other.ident)

    def __hash__(self) -> int:
        return hash((self.size, self.ident))

    def __repr__(self) -> str:
        return f"Factor({self.size}, {self.ident!r})"


class Part:
    """The identity of a part of a split factor: its ``whole`` and the product of the sizes ``outer`` to it."""

    __slots__ = ("outer", "whole")

    def __init__(self, whole: Factor, outer: Dim) -> None:
        self.whole = whole
        self.outer = outer

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Part) and self.whole == other.whole and self.outer == other.outer

    def __hash__(self) -> int:
        return hash((self.whole, self.outer))

    def __repr__(self) -> str:
        return f"Part({self.whole!r}, {self.outer})"


class Copies:
    """The identity of a factor that counts copies of the same elements: every use of it is another one.

    Unless a name counts them, ``symbol``: then they are that name's axis as well, where something else has one.
    """

    __slots__ = ("symbol",)

    def __init__(self, symbol: Symbol | None = None) -> None:
        self.symbol = symbol

    def __eq__(self, other: object) -> bool:
        if self.symbol is None:
            return self is other
        return self.symbol is (other.symbol if isinstance(other, Copies) else other)

    def __hash__(self) -> int:
        return id(self) if self.symbol is None else hash(self.symbol)


class Made:
    """The identity of an axis that a layer made, where no name stands for its size: features, or places of a window."""

    __slots__ = ()


class Mark:
    """What was done along an axis, for the rules about silent faults: ``kind``, and the ``place`` where."""

    __slots__ = ("kind", "place")

    def __init__(self, kind: str, place: object) -> None:
        self.kind = kind
        self.place = place


class Axis:
    """One axis of a tensor: its size, its factors (outermost first) and its origin. Immutable.

    ``mark`` tells what was done along it, ``mixed`` that each place along it depends on the others; they take no part
    in comparisons and go where the axis goes.
    """

    __slots__ = ("factors", "mark", "mixed", "origin", "size")

    def __init__(
        self,
        size: Dim,
        factors: tuple[Factor, ...],
        origin: Origin = Origin.DECLARED,
        mark: Mark | None = None,
        mixed: object = None,
    ) -> None:
        self.size = size
        self.factors = factors
        self.origin = origin
        self.mark = mark
        self.mixed = mixed

    @staticmethod
    def of(size: Dim | int | Symbol, origin: Origin = Origin.DECLARED, ident: Hashable | None = None) -> Axis:
        """An axis of one factor, known by ``ident``.

        Without one, a size that is one symbol is that symbol's axis, another size that is no number an axis of its own.
        """
        size = Dim.of(size)
        if size == ONE:
            return Axis(ONE, (), origin)
        if ident is None:
            ident = size.symbol or (object() if size.constant is None else None)
        return Axis(size, (Factor(size, ident),), origin)

    @staticmethod
    def unfollowed(size: Dim, origin: Origin = Origin.DECLARED) -> Axis:
        """An axis whose elements cannot be told apart from other axes' any more."""
        return Axis(size, () if size == ONE else (Factor(size, None),), origin)

    @staticmethod
    def features(size: Dim) -> Axis:
        """The axis of the features that a layer puts out."""
        named = size.symbol is not None or size.constant is not None
        return Axis.of(size) if named else Axis.of(size, ident=Made())

    @staticmethod
    def copied(size: Dim) -> Axis:
        """An axis written by hand along which all elements are the same, as ``expand`` makes."""
        if size == ONE:
            return Axis(ONE, (), Origin.WRITTEN)
        return Axis(size, (Factor(size, Copies(size.symbol)),), Origin.WRITTEN)

    @property
    def is_one(self) -> bool:
        """Whether the size is the number 1."""
        return self.size == ONE

    def resized(self, size: Dim) -> Axis:
        """An axis of another size: an axis of its own, since it no longer holds the same elements (slice, pad)."""
        return Axis(size, () if size == ONE else (Factor(size, object()),), self.origin)

    def windowed(self, size: Dim) -> Axis:
        """The axis of the places where a layer's window stood along this one."""
        return Axis(size, () if size == ONE else (Factor(size, Made()),), self.origin)

    def with_origin(self, origin: Origin) -> Axis:
        """The same axis with another origin."""
        return self if origin is self.origin else Axis(self.size, self.factors, origin, self.mark, self.mixed)

    def with_mark(self, mark: Mark | None) -> Axis:
        """The same axis with another mark."""
        return self if mark is self.mark else Axis(self.size, self.factors, self.origin, mark, self.mixed)

    def with_mixed(self, mixed: object) -> Axis:
        """The same axis, with what its places have to do with each other."""
        return self if mixed is self.mixed else Axis(self.size, self.factors, self.origin, self.mark, mixed)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Axis) and self.size == other.size and self.factors == other.factors

    def __hash__(self) -> int:
        return hash((self.size, self.factors))

    def __str__(self) -> str:
        return str(self.size)

    def __repr__(self) -> str:
        return f"Axis({self.size}: {' '.join(str(factor.size) for factor in self.factors)})"


class Rest:
    """Any number of axes, such as ``*batch``: the same object wherever the same axes stand.

    ``symbol`` is the product of their sizes.
    """

    __slots__ = ("name", "symbol")

    mark = None
    """It never has one."""

    def __init__(self, name: str = "...") -> None:
        self.name = name
        self.symbol = Symbol(name, Kind.RIGID if name != "..." else Kind.OPAQUE)

    @property
    def size(self) -> Dim:
        """The product of the sizes."""
        return Dim.of(self.symbol)

    @property
    def factors(self) -> tuple[Factor, ...]:
        """The axes taken as one factor."""
        return (Factor(self.size, self),)

    def __str__(self) -> str:
        return self.name if self.name == "..." else f"*{self.name}"

    def __repr__(self) -> str:
        return f"Rest({self.name!r})"


NO_FACTORS: Final[tuple[Factor, ...]] = ()


def fuse(factors: Sequence[Factor], scope: Scope) -> tuple[Factor, ...]:
    """Neighbouring parts of one factor, in their order, become that factor (or a larger part of it) again."""
    fused: list[Factor] = []
    for factor in factors:
        previous = fused[-1] if fused else None
        if previous is not None and isinstance(factor.ident, Part) and isinstance(previous.ident, Part):
            before, after = previous.ident, factor.ident
            if before.whole == after.whole and scope.equal(before.outer * previous.size, after.outer):
                size = previous.size * factor.size
                whole = before.whole
                fused[-1] = whole if scope.equal(size, whole.size) else Factor(size, before)
                continue
        fused.append(factor)
    return tuple(fused)


def part(factor: Factor, outer: Dim, size: Dim) -> Factor:
    """The part of a factor that has ``outer`` steps outside it and is ``size`` long."""
    if factor.ident is None:
        return Factor(size, None)
    if isinstance(factor.ident, Part):
        return Factor(size, Part(factor.ident.whole, factor.ident.outer * outer))
    return Factor(size, Part(factor, outer))


def merged(axes: Sequence[Axis | Rest], scope: Scope, origin: Origin = Origin.WRITTEN) -> Axis:
    """One axis made of neighbouring ones, the first outermost; parts of one axis are that axis again, size and all."""
    size = ONE
    factors: list[Factor] = []
    for axis in axes:
        size *= axis.size
        factors += axis.factors
    return fused_axis(size, factors, scope, origin)


def fused_axis(size: Dim, factors: Sequence[Factor], scope: Scope, origin: Origin = Origin.WRITTEN) -> Axis:
    """The axis of a size that neighbouring factors make up; parts of one axis are that axis again."""
    fused = fuse(factors, scope)
    if len(fused) == 1 and scope.equal(fused[0].size, size):
        size = fused[0].size
    return Axis(size, fused, origin)
