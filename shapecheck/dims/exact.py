"""Sizes under the assumption that every written division is exact: rational functions instead of rounding.

Code that writes ``d // h`` and multiplies by ``h`` again relies on ``h`` dividing ``d``, and torch refuses otherwise.
Here ``floordiv(a, m)`` with a monomial ``m`` becomes ``a / m``: ``h * (d // h)`` is ``d`` and ``d % h`` is 0.
"""

from __future__ import annotations

from math import lcm
from typing import TYPE_CHECKING, Final

from shapecheck.dims.dim import ZERO, Dim
from shapecheck.dims.monomial import serial
from shapecheck.dims.symbol import Call

if TYPE_CHECKING:
    from fractions import Fraction

    from shapecheck.dims.symbol import Atom

Powers = tuple[tuple["Atom", int], ...]
"""Atoms with their powers, negative ones included, in the order of their serial numbers."""
Rational = dict[Powers, "Fraction | int"]

_MOST_TERMS: Final = 512


class _TooLargeError(ArithmeticError):
    """The rational function has too many terms to be worth following."""


def exact_atoms(difference: Dim) -> frozenset[Atom] | None:
    """The atoms that are left of a difference once every division by a monomial is taken as exact.

    Empty where nothing is left; None where a number is left, or the division cannot be followed.
    """
    try:
        form = _exact_form(difference)
    except _TooLargeError:
        return None
    if not form:
        return frozenset()
    return frozenset([atom for powers in form for atom, _ in powers]) or None


def exact_ratio(left: Dim, right: Dim) -> Dim | None:
    """The polynomial that ``left / right`` is with every division taken as exact, or None if it is none.

    ``w//3`` over ``w//(3*h)`` is ``h``.
    """
    if not _has_division(left) and not _has_division(right):
        return None
    try:
        numerator, denominator = _exact_form(left), _exact_form(right)
        if len(denominator) != 1:
            return None
        ((powers, value),) = denominator.items()
        ratio = _times(numerator, {tuple([(base, -power) for base, power in powers]): _inverse(value)})
    except _TooLargeError:
        return None
    total = ZERO
    for found, coefficient in ratio.items():
        if coefficient != int(coefficient) or any(power < 0 for _, power in found):
            return None
        total += Dim.term(tuple([atom for atom, power in found for _ in range(power)]), int(coefficient))
    return total


def _has_division(dim: Dim) -> bool:
    return any(isinstance(atom, Call) and atom.function == "floordiv" for atom in dim.atoms)


def cleared(difference: Dim) -> Dim | None:
    """A difference of sizes as a polynomial that is zero where the divisions in it are exact and both sides are equal.

    Denominators are multiplied out and common factors left out: ``w//3 - g*(w//(3*h))`` becomes ``h - g``. None where
    nothing is divided by a monomial.
    """
    try:
        form = _exact_form(difference)
    except _TooLargeError:
        return None
    lowest: dict[Atom, int] = {}
    scale = 1
    for powers, value in form.items():
        scale = lcm(scale, value.denominator)
        for atom, power in powers:
            lowest[atom] = min(lowest.get(atom, 0), power)
    for powers in form:
        present = {atom for atom, _ in powers}
        for atom in lowest:
            if atom not in present:
                lowest[atom] = min(lowest[atom], 0)
    if scale == 1 and not any(power < 0 for power in lowest.values()) and len(form) == len(difference.terms):
        return None
    total = ZERO
    for powers, value in form.items():
        raised = dict(powers)
        atoms: list[Atom] = []
        for atom, least in lowest.items():
            atoms += [atom] * (raised.get(atom, 0) - min(least, 0))
        total += Dim.term(tuple(sorted(atoms, key=serial)), int(value * scale))
    if not total.terms:
        return total
    coefficient, monomial = total.content()
    return total.exact_quotient(Dim.term(monomial, coefficient))


def _exact_form(dim: Dim) -> Rational:
    """The size as a Laurent polynomial with rational coefficients."""
    total: Rational = {}
    for monomial, coefficient in dim.terms:
        product: Rational = {(): coefficient}
        for atom in monomial:
            product = _times(product, _of_atom(atom))
        for powers, value in product.items():
            total[powers] = total.get(powers, 0) + value
    return {powers: value for powers, value in total.items() if value}


def _of_atom(atom: Atom) -> Rational:
    if isinstance(atom, Call) and atom.function == "floordiv":
        numerator, denominator = (_exact_form(arg) for arg in atom.args)
        if len(denominator) == 1:
            ((powers, value),) = denominator.items()
            return _times(numerator, {tuple([(base, -power) for base, power in powers]): _inverse(value)})
    return {((atom, 1),): 1}


def _inverse(value: Fraction | int) -> Fraction | int:
    if value == 1:
        return 1
    from fractions import Fraction  # rarely needed, and slow to import

    return 1 / Fraction(value)


def _times(left: Rational, right: Rational) -> Rational:
    if len(left) * len(right) > _MOST_TERMS:
        raise _TooLargeError
    product: Rational = {}
    for left_powers, left_value in left.items():
        for right_powers, right_value in right.items():
            key = _product(left_powers, right_powers)
            product[key] = product.get(key, 0) + left_value * right_value
    return product


def _product(left: Powers, right: Powers) -> Powers:
    if not left:
        return right
    if not right:
        return left
    merged = dict(left)
    for atom, power in right:
        merged[atom] = merged.get(atom, 0) + power
    return tuple([(atom, merged[atom]) for atom in sorted(merged, key=serial) if merged[atom]])
