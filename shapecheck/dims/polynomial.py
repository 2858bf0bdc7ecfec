"""Polynomials as ordered terms: products of atoms with coefficients, added, multiplied and divided."""

from __future__ import annotations

from math import gcd
from operator import attrgetter

from shapecheck.dims.symbol import Atom

TYPE_CHECKING = False
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


def precedes(left: Monomial, right: Monomial) -> bool:
    """Whether one monomial stands before another, unequal one: the order of ``term_key``."""
    if len(left) != len(right):
        return len(left) > len(right)
    for one, other in zip(left, right, strict=True):
        if one is not other:
            return one.serial < other.serial
    return False


def combined(left: tuple[Term, ...], right: tuple[Term, ...], sign: int) -> tuple[Term, ...]:
    """The terms of ``left + sign * right``; all three in order."""
    found: list[Term] = []
    position, end = 0, len(left)
    for term in right:
        monomial, coefficient = term
        while position < end and left[position][0] != monomial and precedes(left[position][0], monomial):
            found.append(left[position])
            position += 1
        if position < end and left[position][0] == monomial:
            coefficient = left[position][1] + sign * coefficient
            position += 1
            if coefficient:
                found.append((monomial, coefficient))
        else:
            found.append(term if sign == 1 else (monomial, -coefficient))
    found += left[position:]
    return tuple(found)


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


def scaled(terms: tuple[Term, ...], by: Term) -> tuple[Term, ...]:
    """Each term times one and the same term, which keeps them in order."""
    beside, factor = by
    return tuple([(times(monomial, beside), coefficient * factor) for monomial, coefficient in terms])


def product(left: tuple[Term, ...], right: tuple[Term, ...]) -> tuple[Term, ...]:
    """The terms of a product."""
    if len(right) == 1:
        return scaled(left, right[0])
    if len(left) == 1:
        return scaled(right, left[0])
    found: dict[Monomial, int] = {}
    for one, one_coefficient in left:
        for other, other_coefficient in right:
            monomial = times(one, other)
            found[monomial] = found.get(monomial, 0) + one_coefficient * other_coefficient
    return tuple(sorted([term for term in found.items() if term[1]], key=term_key))


def over_term(term: Term, divisor: Term) -> Term | None:
    """The quotient of two terms, or None if it is none."""
    left = over(term[0], divisor[0])
    return None if left is None or term[1] % divisor[1] else (left, term[1] // divisor[1])


def quotient(terms: tuple[Term, ...], divisor: tuple[Term, ...], most: int) -> tuple[Term, ...] | None:
    """The terms of an exact quotient, or None if there is none of at most ``most`` terms."""
    found: list[Term] = []
    if len(divisor) == 1:
        for term in terms:
            step = over_term(term, divisor[0])
            if step is None:
                return None
            found.append(step)
        return tuple(found)
    rest = terms
    while rest and len(found) < most:
        step = over_term(rest[0], divisor[0])
        if step is None:
            return None
        found.append(step)
        rest = combined(rest, scaled(divisor, step), -1)
    return None if rest else tuple(found)


def content(terms: tuple[Term, ...]) -> Term:
    """The greatest common monomial and coefficient (positive) of all terms; ``((), 0)`` for none."""
    if not terms:
        return (), 0
    common, coefficient = terms[0]
    for monomial, other in terms[1:]:
        coefficient = gcd(coefficient, other)
        if common:
            common = shared(common, monomial)
    return common, abs(coefficient)
