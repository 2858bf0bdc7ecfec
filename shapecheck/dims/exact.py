"""Sizes under the assumption that every written division is exact: rational functions instead of rounding.

Code that writes ``d // h`` and multiplies by ``h`` again relies on ``h`` dividing ``d``, and torch refuses otherwise.
Here ``floordiv(a, m)`` with a monomial ``m`` becomes ``a / m``: ``h * (d // h)`` is ``d`` and ``d % h`` is 0.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from shapecheck.dims.symbol import Call

if TYPE_CHECKING:
    from shapecheck.dims.dim import Dim
    from shapecheck.dims.symbol import Atom

Powers = tuple[tuple["Atom", int], ...]
"""Atoms with their powers, negative ones included, in the order of their serial numbers."""
Rational = dict[Powers, Fraction]


def exact_form(dim: Dim) -> Rational:
    """The size as a Laurent polynomial with rational coefficients."""
    total: Rational = {}
    for monomial, coefficient in dim.terms:
        product: Rational = {(): Fraction(coefficient)}
        for atom in monomial:
            product = _times(product, _of_atom(atom))
        for powers, value in product.items():
            total[powers] = total.get(powers, Fraction(0)) + value
    return {powers: value for powers, value in total.items() if value}


def exact_atoms(left: Dim, right: Dim) -> frozenset[Atom] | None:
    """The atoms by which two sizes differ once every division by a monomial is taken as exact.

    Empty where they are equal then; None where they differ by a number, or contain no division.
    """
    if not _has_division(left, right):
        return None
    difference = exact_form(left - right)
    if not difference:
        return frozenset()
    return frozenset([atom for powers in difference for atom, _ in powers]) or None


def _has_division(*dims: Dim) -> bool:
    return any(isinstance(atom, Call) and atom.function == "floordiv" for dim in dims for atom in dim.atoms)


def _of_atom(atom: Atom) -> Rational:
    if isinstance(atom, Call) and atom.function == "floordiv":
        numerator, denominator = (exact_form(arg) for arg in atom.args)
        if len(denominator) == 1:
            ((powers, value),) = denominator.items()
            inverse = {tuple([(base, -power) for base, power in powers]): 1 / value}
            return _times(numerator, inverse)
    return {((atom, 1),): Fraction(1)}


def _times(left: Rational, right: Rational) -> Rational:
    product: Rational = {}
    for left_powers, left_value in left.items():
        for right_powers, right_value in right.items():
            merged = dict(left_powers)
            for atom, power in right_powers:
                merged[atom] = merged.get(atom, 0) + power
            key = tuple(sorted([item for item in merged.items() if item[1]], key=_serial))
            product[key] = product.get(key, Fraction(0)) + left_value * right_value
    return product


def _serial(item: tuple[Atom, int]) -> int:
    return item[0].serial
