"""Two axes that are lined up: whether the parts that they are made of stand in one order."""

from __future__ import annotations

from shapecheck.dims import ONE, Dim, Kind
from shapecheck.shapes.axis import Axis, Copies, Factor, Part, part
from shapecheck.shapes.context import scope, suspect
from shapecheck.shapes.fault import Fault, Mismatch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

_PLAIN_WORDS: Final = frozenset(
    ("n", "m", "b", "bs", "num", "size", "count", "length", "len", "total", "number", "of", "self")
)
"""Words that do not say what a number counts."""


def suspect_order(one: Axis, other: Axis) -> None:
    """Note the same parts of a merged axis in another order: ``(h w)`` with ``(w h)``.

    Copies stand for any factor as long: ``(b k)`` with ``(copies b)`` is a fault too, and so do numbers. Copies on both
    sides are not where they may be as many as what the other side counts: that is how all pairs are made.
    """
    if one is other or (len(one.factors) < 2 and len(other.factors) < 2):
        return
    left, right = _taken_apart(one.factors, other), _taken_apart(other.factors, one)
    if len(left) < 2 or len(left) != len(right) or not _is_another_order(left, right):
        return
    suspect(Mismatch(Fault.FACTOR_ORDER, left=one.size, right=other.size, factors=left, wanted=(right,)))


def _taken_apart(factors: tuple[Factor, ...], other: Axis) -> tuple[Factor, ...]:
    """The factors of an axis; the one that it is alone as the parts of which another axis has one.

    ``n`` beside ``(copies n//g)`` is ``(n//g g)``.
    """
    whole = factors[0] if len(factors) == 1 else None
    if whole is None or whole.ident is None:
        return factors
    known = [
        factor for factor in other.factors
        if isinstance(factor.ident, Part) and factor.ident.whole == whole
    ]
    if len(known) != 1 or len(other.factors) != 2:
        return factors
    held, rest = known[0], next(factor.size for factor in other.factors if factor is not known[0])
    if scope().equal(held.size, rest):
        return factors
    outer = held.ident.outer if isinstance(held.ident, Part) else ONE
    if outer == ONE:
        return held, part(whole, held.size, rest)
    if scope().equal(outer * held.size, whole.size):
        return part(whole, ONE, outer), held
    return factors


def _is_another_order(one: Sequence[Factor], other: Sequence[Factor]) -> bool:
    left, right = _idents(one), _idents(other)
    if left == right or None in left or None in right or _all_copies(left) or _all_copies(right):
        return False
    shared = set(left) & set(right)
    if len(set(left)) != len(left) or len(set(right)) != len(right):
        return False
    if all(left.index(ident) == right.index(ident) for ident in shared):
        return False
    alone = [
        [(ident, factor.size) for ident, factor in zip(idents, factors, strict=True) if ident not in shared]
        for idents, factors in ((left, one), (right, other))
    ]
    if not alone[0]:
        return True
    copies = [[isinstance(ident, Copies) for ident, _ in idents] for idents in alone]
    numbers = all(size.constant is not None for idents in alone for _, size in idents)
    if (all(copies[0]) and all(copies[1])) or numbers:
        parts = [factor.size for ident, factor in zip(left, one, strict=True) if ident in shared]
        if not _are_as_many_as_none([size for _, size in alone[0]], parts):
            return False
    elif not ((all(copies[0]) and not any(copies[1])) or (all(copies[1]) and not any(copies[0]))):
        return False
    return _same_sizes([size for _, size in alone[0]], [size for _, size in alone[1]])


def _idents(factors: Sequence[Factor]) -> list[object]:
    """What tells the factors from each other: a number that nobody follows is one of its own."""
    return [
        id(factor) if factor.ident is None and factor.size.constant is not None else factor.ident for factor in factors
    ]


def _all_copies(idents: Sequence[object]) -> bool:
    """Whether an axis has the same element everywhere."""
    return all(isinstance(ident, Copies) for ident in idents)


def _are_as_many_as_none(counts: Sequence[Dim], parts: Sequence[Dim]) -> bool:
    """Whether there are certainly more or fewer copies than anything that is copied counts."""
    return bool(parts) and all(
        scope().differ(count, size) or _is_beside(count, size) for count in counts for size in parts
    )


def _is_beside(count: Dim, size: Dim) -> bool:
    """Whether a count is a parameter of its own beside a batch: how many samples there are is not told by it.

    Unless its name says as much, or nothing.
    """
    symbol, batch = scope().normal(count).symbol, scope().normal(size).symbol
    if symbol is None or symbol.kind is not Kind.FLEXIBLE or batch not in scope().samples:
        return False
    words = set(symbol.name.lower().replace(".", "_").split("_"))
    return not any("batch" in word or "sample" in word for word in words) and not words <= _PLAIN_WORDS


def _same_sizes(some: Sequence[Dim], others: Sequence[Dim]) -> bool:
    """Whether the factors that two axes do not share have the same sizes, in any order."""
    normal = scope().normal
    sizes = [normal(size) for size in some]
    for size in others:
        if normal(size) not in sizes:
            return False
        sizes.remove(normal(size))
    return not sizes
