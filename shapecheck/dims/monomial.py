"""Products of atoms: multiplied, divided, compared and ordered."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from shapecheck.dims.symbol import Atom

if TYPE_CHECKING:
    from collections.abc import Callable

Monomial = tuple[Atom, ...]
"""Atoms in the order of their serial numbers, one repeated for a power; ``()`` is the constant."""

Term = tuple[Monomial, int]
"""A monomial with its coefficient."""

serial: Callable[[Atom], int] = attrgetter("serial")


def term_key(term: Term) -> tuple[int, tuple[int, ...]]:
    """Graded lexicographic order: the highest degree first, so that a polynomial divides by its first term."""
    monomial = term[0]
    return (-len(monomial), tuple(map(serial, monomial)))


def times(left: Monomial, right: Monomial) -> Monomial:
    """The product of two monomials."""
    if not left:
        return right
    if not right:
        return left
    if left[-1].serial <= right[0].serial:
        return left + right
    if right[-1].serial <= left[0].serial:
        return right + left
    return tuple(sorted(left + right, key=serial))


def over(monomial: Monomial, divisor: Monomial) -> Monomial | None:
    """The quotient of two monomials, or None if it is none."""
    if not divisor:
        return monomial
    if monomial == divisor:
        return ()
    left = list(monomial)
    for atom in divisor:
        if atom not in left:
            return None
        left.remove(atom)
    return tuple(left)


def shared(left: Monomial, right: Monomial) -> Monomial:
    """The greatest common divisor of two monomials."""
    kept = []
    remaining = list(left)
    for atom in right:
        if atom in remaining:
            remaining.remove(atom)
            kept.append(atom)
    return tuple(kept)
