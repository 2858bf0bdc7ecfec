"""Sizes under the assumption that every written division is exact: rational functions instead of rounding.

Code that writes ``d // h`` and multiplies by ``h`` again relies on ``h`` dividing ``d``, and torch refuses otherwise.
Here ``floordiv(a, m)`` with a monomial ``m`` becomes ``a / m``: ``h * (d // h)`` is ``d`` and ``d % h`` is 0.
"""

from __future__ import annotations

from math import gcd, lcm

from shapecheck.dims.dim import ZERO, Dim
from shapecheck.dims.polynomial import serial
from shapecheck.dims.symbol import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from shapecheck.dims.symbol import Atom

Powers = tuple[tuple["Atom", int], ...]
"""Atoms with their powers, negative ones included, in the order of their serial numbers."""
Ratio = tuple[int, int]
"""Numerator and denominator (positive) in lowest terms; ``fractions`` would be slow to import."""
Rational = dict[Powers, Ratio]

_MOST_TERMS: Final = 512


class _TooLargeError(ArithmeticError):
    """The rational function has too many terms to be worth following."""


def cleared(difference: Dim) -> Dim | None:
    """A difference of sizes as a polynomial that is zero where the divisions in it are exact and both sides are equal.

    Denominators are multiplied out and common factors left out: ``w//3 - g*(w//(3*h))`` becomes ``h - g``. None where
    that is too large to be worth following.
    """
    try:
        form = _exact_form(difference)
    except _TooLargeError:
        return None
    scale = lcm(*[denominator for _, denominator in form.values()])
    # The lowest power of each atom that is divided by, and so how often all terms are multiplied by it.
    missing: dict[Atom, int] = {}
    for powers in form:
        for atom, power in powers:
            if power < 0:
                missing[atom] = max(missing.get(atom, 0), -power)
    total = ZERO
    for powers, (numerator, denominator) in form.items():
        raised = dict(missing)
        for atom, power in powers:
            raised[atom] = raised.get(atom, 0) + power
        atoms = [atom for atom in sorted(raised, key=serial) for _ in range(raised[atom])]
        total += Dim.term(tuple(atoms), numerator * (scale // denominator))
    coefficient, monomial = total.content()
    return total.exact_quotient(Dim.term(monomial, coefficient)) if coefficient else total


def undivided(dim: Dim) -> Dim | None:
    """The polynomial that a size is when its divisions are exact, or None if a division is left.

    ``h * (D//h)`` is ``D``, and so is ``D // (D//h)`` just ``h``.
    """
    try:
        form = _exact_form(dim)
    except _TooLargeError:
        return None
    total = ZERO
    for powers, (numerator, denominator) in form.items():
        if denominator != 1 or any(power < 0 for _, power in powers):
            return None
        total += Dim.term(tuple([atom for atom, power in powers for _ in range(power)]), numerator)
    return total


def _exact_form(dim: Dim) -> Rational:
    """The size as a Laurent polynomial with rational coefficients."""
    total: Rational = {}
    for monomial, coefficient in dim.terms:
        product: Rational = {(): (coefficient, 1)}
        for atom in monomial:
            product = _times(product, _of_atom(atom))
        for powers, value in product.items():
            total[powers] = _sum(total.get(powers), value)
    return {powers: value for powers, value in total.items() if value[0]}


def _of_atom(atom: Atom) -> Rational:
    if isinstance(atom, Call) and atom.function == "floordiv":
        numerator, denominator = (_exact_form(arg) for arg in atom.args)
        if len(denominator) == 1:
            ((powers, value),) = denominator.items()
            return _times(numerator, {tuple([(base, -power) for base, power in powers]): _inverse(value)})
    return {((atom, 1),): (1, 1)}


def _inverse(value: Ratio) -> Ratio:
    numerator, denominator = value
    return (denominator, numerator) if numerator > 0 else (-denominator, -numerator)


def _sum(left: Ratio | None, right: Ratio) -> Ratio:
    return right if left is None else _reduced(left[0] * right[1] + right[0] * left[1], left[1] * right[1])


def _reduced(numerator: int, denominator: int) -> Ratio:
    common = gcd(numerator, denominator)
    return (numerator, denominator) if common == 1 else (numerator // common, denominator // common)


def _times(left: Rational, right: Rational) -> Rational:
    if len(left) * len(right) > _MOST_TERMS:
        raise _TooLargeError
    product: Rational = {}
    for left_powers, left_value in left.items():
        for right_powers, right_value in right.items():
            key = _product(left_powers, right_powers)
            value = _reduced(left_value[0] * right_value[0], left_value[1] * right_value[1])
            product[key] = _sum(product.get(key), value)
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
