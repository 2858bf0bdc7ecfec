"""Whether two sizes are equal, from their normal forms alone."""

from __future__ import annotations

from functools import lru_cache
from math import gcd

from shapecheck.dims.dim import Dim
from shapecheck.dims.exact import cleared
from shapecheck.dims.polynomial import serial, shared
from shapecheck.dims.sampling import differ_everywhere
from shapecheck.dims.symbol import FLEXIBLE, OPAQUE, RIGID, Call, Symbol
from shapecheck.dims.verdict import YES, No, Unknown, Verdict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from shapecheck.dims.symbol import Atom, Kind

DATA_DEPENDENT: Final = Unknown("a size depends on the data")

_MOST_EXTREMA: Final = 3
"""Of so many ``min`` and ``max`` every choice of arguments is followed."""


@lru_cache(maxsize=8192)
def judge(left: Dim, right: Dim) -> Verdict:
    """Whether two sizes without solved symbols are equal.

    Sizes that all terms of both have in common are cancelled: they are at least 1.
    """
    first, second = left.symbol, right.symbol
    if first is not None and second is not None and first.kind is RIGID and second.kind is RIGID:
        return YES if first is second else No(left, right)
    one, other = cancelled(left, right)
    difference = one - other
    number = difference.constant
    if number is not None:
        return No(left, right) if number else YES
    divides = False
    flexible: list[Symbol] = []
    extrema: list[Call] = []
    for atom in difference.atoms:
        if isinstance(atom, Call):
            divides = True
            if atom.function != "floordiv":
                extrema.append(atom)
        elif atom.kind is OPAQUE:
            return DATA_DEPENDENT
        elif atom.kind is FLEXIBLE:
            flexible.append(atom)
    if extrema:
        return _judge_extrema(left, right, one, other, extrema)
    if divides:
        polynomial = cleared(difference)
        if polynomial is not None:
            if not polynomial.terms:
                return YES
            if _are_two_parameters(polynomial):
                return No(left, right, "parameters")
            if polynomial.constant is None and all(
                isinstance(atom, Symbol) and atom.kind is RIGID for atom in polynomial.atoms
            ):
                flexible = []
        if _is_cofactor(one, other) or _is_cofactor(other, one):
            return No(left, right)
    if flexible:
        return _judge_flexible(left, right, difference, flexible)
    if not divides or differ_everywhere(one, other):
        return No(left, right)
    return Unknown("a rounded division decides")


def _is_cofactor(part: Dim, quotient: Dim) -> bool:
    """Whether one is a parameter and the other what is left when a size is divided by it: two parts of one axis."""
    symbol, call = part.symbol, quotient.atom
    if symbol is None or symbol.owner is None or not isinstance(call, Call) or call.function != "floordiv":
        return False
    numerator, denominator = call.args
    return denominator == part and numerator.constant is None and symbol not in numerator.atoms


def cancelled(left: Dim, right: Dim) -> tuple[Dim, Dim]:
    """Both sizes without the factors that all their terms have in common."""
    if not left.terms or not right.terms:
        return left, right
    left_coefficient, left_monomial = left.content()
    right_coefficient, right_monomial = right.content()
    coefficient = gcd(left_coefficient, right_coefficient)
    monomial = tuple([atom for atom in shared(left_monomial, right_monomial) if not _may_vanish(atom)])
    if coefficient == 1 and not monomial:
        return left, right
    common = Dim.term(monomial, coefficient)
    return left.exact_quotient(common) or left, right.exact_quotient(common) or right


def _may_vanish(atom: Atom) -> bool:
    """Whether an atom is 0 for most sizes: a number that is divided by one, ``1 // D``."""
    return isinstance(atom, Call) and atom.function == "floordiv" and atom.args[0].constant is not None


def _judge_extrema(left: Dim, right: Dim, one: Dim, other: Dim, extrema: list[Call]) -> Verdict:
    """Follow one ``min`` or ``max`` to each of its arguments: any of them may be the smallest or largest."""
    unknown = Unknown("a min or max decides")
    if len(extrema) > _MOST_EXTREMA:
        return unknown
    # The outermost first, so that the choice is the same wherever it stands.
    extremum = max(extrema, key=lambda atom: atom.weight)
    answers = [judge(one.substitute({extremum: arg}), other.substitute({extremum: arg})) for arg in extremum.args]
    if all(isinstance(answer, No) for answer in answers):
        return No(left, right)
    return YES if all(answer is YES for answer in answers) else unknown


def _are_two_parameters(difference: Dim) -> bool:
    """Whether a difference is that of two parameters of one signature."""
    terms = difference.terms
    if len(terms) != 2 or terms[0][1] != -terms[1][1]:
        return False
    (first, _), (second, _) = terms
    if len(first) != 1 or len(second) != 1:
        return False
    one, other = first[0], second[0]
    return isinstance(one, Symbol) and isinstance(other, Symbol) and one.differs_from(other)


def _judge_flexible(left: Dim, right: Dim, difference: Dim, flexible: list[Symbol]) -> Verdict:
    if _are_two_parameters(difference):
        return No(left, right, "parameters")
    terms = difference.terms
    if not terms[-1][0]:
        # 2*p - 3 is no multiple of 2, and so never 0.
        common = gcd(*[coefficient for _, coefficient in terms[:-1]])
        if terms[-1][1] % common:
            return No(left, right)
    elif _is_sum_of_sizes(difference):
        return No(left, right)
    return Unknown(f"{min(flexible, key=serial)} is not known")


def _is_sum_of_sizes(difference: Dim) -> bool:
    """Whether a difference is made of nothing but sizes that are not 0 for generic arguments, all of one sign."""
    signs = {coefficient > 0 for _, coefficient in difference.terms}
    return len(signs) == 1 and all(
        isinstance(atom, Symbol) and (atom.kind is RIGID or (atom.owner is not None and atom.default != 0))
        for atom in difference.atoms
    )


def solved(difference: Dim, kind: Kind) -> tuple[Symbol, Dim] | None:
    """A symbol of a kind that a difference of zero determines, with what it must be.

    Where the difference itself does so only by rounding, it is tried with all divisions taken as exact:
    ``D - h*(d//h)`` makes ``d`` into ``D``.
    """
    found = linear(difference, kind)
    if found is None or not found[2]:
        polynomial = cleared(difference) if any(isinstance(atom, Call) for atom in difference.atoms) else None
        exact = None if polynomial is None else linear(polynomial, kind)
        if exact is not None and (found is None or exact[2]):
            found = exact
    return None if found is None else found[:2]


def linear(difference: Dim, kind: Kind) -> tuple[Symbol, Dim, bool] | None:
    """The symbol of a kind that stands once, in one term, with what it must be, and whether nothing is rounded there.

    A symbol inside a product is solved by an exact division (``D == H*K`` makes ``K`` into ``D // H``): axis names stay
    as they are, and so stay different from each other. Of several candidates the newest is taken.
    """
    best: tuple[bool, bool, int] | None = None
    found: tuple[Symbol, Dim, bool] | None = None
    counts: dict[Atom, int] = {}
    for monomial, _ in difference.terms:
        for atom in monomial:
            counts[atom] = counts.get(atom, 0) + 1
            if isinstance(atom, Call):
                for inner in atom.atoms_below():
                    counts[inner] = counts.get(inner, 0) + 1
    for monomial, coefficient in difference.terms:
        for symbol in monomial:
            if counts[symbol] != 1 or not isinstance(symbol, Symbol) or symbol.kind is not kind:
                continue
            rest = Dim.term(monomial, coefficient) - difference
            beside = Dim.term(tuple([atom for atom in monomial if atom is not symbol]), coefficient)
            if coefficient < 0:
                rest, beside = -rest, -beside
            if not rest.terms and len(monomial) != 1:
                continue
            whole = rest.exact_quotient(beside)
            if whole is None and rest.constant is not None:
                continue
            rank = len(monomial) == 1, whole is not None, symbol.serial
            if best is None or rank > best:
                best, found = rank, (symbol, rest // beside if whole is None else whole, whole is not None)
    return found
