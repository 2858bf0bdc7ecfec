"""A size as a polynomial with integer coefficients over atoms, in one normal form.

``floordiv``, ``min`` and ``max`` are atoms of their own; ``a mod b`` is written ``a - b * floordiv(a, b)``, which is an
identity, so that two ways of writing one remainder meet in one form.

What would grow beyond the bounds below becomes an opaque symbol: a size of which nothing is known. So every operation
on sizes is quick, whatever code is read.
"""

from __future__ import annotations

from functools import lru_cache

from shapecheck.dims.polynomial import Monomial, Term, combined, content, over_term, product, quotient, serial
from shapecheck.dims.symbol import OPAQUE, RIGID, Atom, Call, Symbol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Final

MAX_TERMS: Final = 64
MAX_DEGREE: Final = 32
MAX_CALLS: Final = 32
"""Calls in a call, written out."""
MAX_ARGUMENTS: Final = 8
"""Arguments of one ``min`` or ``max``."""
MAX_BITS: Final = 256
"""Bits of a coefficient; torch's own sizes have 63."""
_MOST: Final = 1 << MAX_BITS


class Dim:
    """A size. Immutable and hashable; equal sizes have equal normal forms (``H*Dh == Dh*H``, ``2*D - D == D``)."""

    __slots__ = ("_atoms", "_hash", "terms")

    terms: tuple[Term, ...]

    def __init__(self, terms: tuple[Term, ...]) -> None:
        self.terms = terms
        self._hash = hash(terms)
        self._atoms: frozenset[Atom] | None = None

    @staticmethod
    def of(value: int | Symbol | Dim) -> Dim:
        """The size that a number or a symbol is."""
        if isinstance(value, Dim):
            return value
        if isinstance(value, Symbol):
            dim = value.dim
            if dim is None:
                dim = value.dim = Dim((((value,), 1),))
            return dim
        known = _CONSTANTS.get(value)
        if known is not None:
            return known
        return Dim((((), int(value)),)) if -_MOST < value < _MOST else _too_large()

    @staticmethod
    def term(monomial: Monomial, coefficient: int) -> Dim:
        """One term as a size."""
        return Dim(((monomial, coefficient),)) if coefficient else ZERO

    @staticmethod
    def _within(terms: tuple[Term, ...]) -> Dim:
        if not terms:
            return ZERO
        return Dim(terms) if len(terms) <= MAX_TERMS else _too_large()

    # -- questions ---------------------------------------------------------------------------------------------------

    @property
    def constant(self) -> int | None:
        """The number it is, or None if it contains an atom."""
        terms = self.terms
        if not terms:
            return 0
        # The constant is the last term: of a longer sum, never all of it.
        return None if terms[0][0] else terms[0][1]

    @property
    def symbol(self) -> Symbol | None:
        """The one symbol it is, or None."""
        terms = self.terms
        if len(terms) == 1 and terms[0][1] == 1 and len(terms[0][0]) == 1:
            atom = terms[0][0][0]
            return atom if isinstance(atom, Symbol) else None
        return None

    @property
    def atom(self) -> Atom | None:
        """The one symbol or call it is, or None."""
        terms = self.terms
        if len(terms) == 1 and terms[0][1] == 1 and len(terms[0][0]) == 1:
            return terms[0][0][0]
        return None

    @property
    def atoms(self) -> frozenset[Atom]:
        """Every atom in it, those inside calls included."""
        if self._atoms is None:
            found: set[Atom] = set()
            for monomial, _ in self.terms:
                for atom in monomial:
                    if atom not in found:
                        found.add(atom)
                        if isinstance(atom, Call):
                            for arg in atom.args:
                                found |= arg.atoms
            self._atoms = frozenset(found)
        return self._atoms

    def evaluate(self, values: Mapping[Symbol, int]) -> int:
        """The number it is for the given symbols.

        Raises:
            KeyError: a symbol has no value.
            ZeroDivisionError: a floor division by zero.
        """
        total = 0
        for monomial, coefficient in self.terms:
            product = coefficient
            for atom in monomial:
                if isinstance(atom, Symbol):
                    product *= values[atom]
                else:
                    product *= _NUMERIC[atom.function]([arg.evaluate(values) for arg in atom.args])
            total += product
        return total

    def substitute(self, values: Mapping[Symbol, Dim] | Mapping[Call, Dim]) -> Dim:
        """The size with symbols (or calls) replaced by sizes; opaque where a divisor becomes zero."""
        mapping: Mapping[Atom, Dim] = values  # type: ignore[assignment]  # Mapping is invariant in its key
        if mapping.keys().isdisjoint(self.atoms):
            return self
        total = ZERO
        for monomial, coefficient in self.terms:
            product = Dim.of(coefficient)
            for atom in monomial:
                factor = mapping.get(atom)
                if factor is not None:
                    product *= factor
                elif isinstance(atom, Symbol):
                    product *= Dim.of(atom)
                else:
                    args = tuple([arg.substitute(values) for arg in atom.args])
                    divides = atom.function != "floordiv" or args[1].terms
                    product *= call(atom.function, args) if divides else _too_large()
            total += product
        return total

    def content(self) -> tuple[int, Monomial]:
        """The greatest common coefficient (positive) and monomial of all terms; ``(0, ())`` for zero."""
        monomial, coefficient = content(self.terms)
        return coefficient, monomial

    def exact_quotient(self, divisor: Dim) -> Dim | None:
        """The polynomial ``q`` with ``q * divisor == self``, or None if there is none."""
        if not divisor.terms:
            return None
        if divisor is ONE:
            return self
        terms = quotient(self.terms, divisor.terms, MAX_TERMS)
        return None if terms is None else Dim._within(terms)

    # -- arithmetic --------------------------------------------------------------------------------------------------

    def __add__(self, other: Dim | int) -> Dim:
        if not isinstance(other, Dim):
            other = Dim.of(other)
        if not self.terms:
            return other
        if not other.terms:
            return self
        return Dim._within(combined(self.terms, other.terms, 1))

    def __neg__(self) -> Dim:
        return Dim(tuple([(monomial, -coefficient) for monomial, coefficient in self.terms]))

    def __sub__(self, other: Dim | int) -> Dim:
        if not isinstance(other, Dim):
            other = Dim.of(other)
        return Dim._within(combined(self.terms, other.terms, -1)) if other.terms else self

    def __mul__(self, other: Dim | int) -> Dim:
        if not isinstance(other, Dim):
            other = Dim.of(other)
        if self is ONE or not other.terms:
            return other
        if other is ONE or not self.terms:
            return self
        terms = product(self.terms, other.terms)
        if len(terms) > MAX_TERMS or len(terms[0][0]) > MAX_DEGREE:
            return _too_large()
        for _, coefficient in terms:
            if not -_MOST < coefficient < _MOST:
                return _too_large()
        return Dim(terms)

    def __radd__(self, other: int) -> Dim:
        return self + other

    def __rsub__(self, other: int) -> Dim:
        return Dim.of(other) - self

    def __rmul__(self, other: int) -> Dim:
        return self * other

    def __floordiv__(self, other: Dim | int) -> Dim:
        return floordiv(self, Dim.of(other))

    def __mod__(self, other: Dim | int) -> Dim:
        return mod(self, Dim.of(other))

    def __pow__(self, exponent: int) -> Dim:
        """The power; a negative one is no integer, and becomes an opaque size."""
        if not self.terms:
            return ZERO if exponent else ONE
        if self == ONE:
            return ONE
        if not 0 <= exponent <= MAX_BITS:
            return _too_large()
        result = ONE
        for _ in range(exponent):
            result *= self
            if result.symbol is not None and result.symbol.kind is OPAQUE and exponent > 1:
                return _too_large()
        return result

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Dim) and self._hash == other._hash and self.terms == other.terms)

    def __hash__(self) -> int:
        return self._hash

    # -- text --------------------------------------------------------------------------------------------------------

    def text(self, *, inside: bool = False) -> str:
        """As a person writes it: ``2*D``, ``T - 1``; in parentheses where it stands inside another expression."""
        from shapecheck.dims.text import written

        return written(self, inside=inside)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return f"Dim({self})"


def _too_large() -> Dim:
    """A size that is not followed any more: equal to nothing else, unequal to nothing else."""
    return Dim.of(Symbol("?", OPAQUE))


ZERO: Final = Dim(())
ONE: Final = Dim((((), 1),))
_CONSTANTS: Final[dict[int, Dim]] = {0: ZERO, 1: ONE} | {n: Dim((((), n),)) for n in (-1, *range(2, 65), 128, 256, 512)}


# -- functions that no polynomial expresses --------------------------------------------------------------------------

_NUMERIC: Final[dict[str, Callable[[list[int]], int]]] = {
    "floordiv": lambda args: args[0] // args[1],
    "min": min,
    "max": max,
}
_interned: dict[tuple[str, tuple[Dim, ...]], Dim] = {}


def _atom(function: str, args: tuple[Dim, ...]) -> Dim:
    """A call as a size; the same call is the same atom."""
    known = _interned.get((function, args))
    if known is None:
        atom = Call(function, args)
        if atom.weight > MAX_CALLS:
            return _too_large()
        known = _interned[function, args] = Dim((((atom,), 1),))
    return known


def call(function: str, args: tuple[Dim, ...]) -> Dim:
    """``floordiv``, ``mod``, ``min`` or ``max`` by name."""
    if function == "floordiv":
        return floordiv(*args)
    if function == "mod":
        return mod(*args)
    return _extremum(function, args)


@lru_cache(maxsize=8192)
def floordiv(left: Dim, right: Dim) -> Dim:
    """``left // right``, rounded down; whole multiples of ``right`` are taken out of the call.

    Raises:
        ZeroDivisionError: ``right`` is zero.
    """
    if not right.terms:
        raise ZeroDivisionError
    if right is ONE:
        return left
    numerator, denominator = left.constant, right.constant
    if numerator is not None and denominator is not None:
        return Dim.of(numerator // denominator)
    whole = left.exact_quotient(right)
    if whole is not None:
        return whole
    if denominator is not None and denominator < 0:
        left, right = -left, -right
    outside, inside = _take_out_multiples(left, right)
    # (a*c) // (b*c) == a // b; the sign stays with the denominator.
    inside, right = _reduce(inside, right)
    denominator = right.constant
    if denominator == 1:
        return outside + inside
    if denominator is None:
        numerator = inside.constant
        if numerator == 0:
            return outside
        return outside + _nested(inside, right)
    if inside.constant is not None:
        return outside + inside.constant // denominator
    return outside + _nested(inside, right)


def _nested(left: Dim, right: Dim) -> Dim:
    """``(a // b + c) // d == (a + b*c) // (b*d)`` for positive divisors."""
    monomial, coefficient = left.terms[0]
    atom = monomial[0] if len(monomial) == 1 and coefficient == 1 else None
    if isinstance(atom, Call) and atom.function == "floordiv" and _is_positive(right):
        numerator, denominator = atom.args
        beside = left - Dim.term(monomial, 1)
        if _is_positive(denominator) and (beside.constant is not None):
            return floordiv(numerator + denominator * beside, denominator * right)
    return _atom("floordiv", (left, right))


def _is_positive(dim: Dim) -> bool:
    """Whether it is one product of axis names and parameters, times a positive number."""
    terms = dim.terms
    return len(terms) == 1 and terms[0][1] > 0 and all(isinstance(atom, Symbol) for atom in terms[0][0])


def _take_out_multiples(left: Dim, right: Dim) -> tuple[Dim, Dim]:
    """``outside, inside`` with ``left == outside * right + inside``, taken term by term."""
    number = right.constant
    if number is not None:
        outside = Dim(tuple([(monomial, c // number) for monomial, c in left.terms if c // number]))
        inside = Dim(tuple([(monomial, c % number) for monomial, c in left.terms if c % number]))
        return outside, inside
    outside, inside = ZERO, left
    for term in left.terms:
        step = over_term(term, right.terms[0])
        if step is not None:
            outside += Dim((step,))
            inside -= Dim((step,)) * right
    return outside, inside


def _reduce(left: Dim, right: Dim) -> tuple[Dim, Dim]:
    common = content((content(left.terms), content(right.terms)))
    if common in {((), 0), ((), 1)}:
        return left, right
    divisor = Dim((common,))
    return left.exact_quotient(divisor) or left, right.exact_quotient(divisor) or right


def mod(left: Dim, right: Dim) -> Dim:
    """``left % right`` with Python's sign.

    Raises:
        ZeroDivisionError: ``right`` is zero.
    """
    return left - right * floordiv(left, right)


def _extremum(function: str, args: tuple[Dim, ...]) -> Dim:
    """``min`` or ``max``: nested ones are flattened, and of two sizes known to be ordered one is dropped."""
    flat: set[Dim] = set()
    for arg in args:
        inner = arg.atom
        if isinstance(inner, Call) and inner.function == function:
            flat.update(inner.args)
        else:
            flat.add(arg)
    if len(flat) > MAX_ARGUMENTS:
        return _too_large()
    sign = 1 if function == "max" else -1
    kept: list[Dim] = []
    for arg in flat:
        if not any(sign * _order(other, arg) > 0 for other in kept):
            kept = [other for other in kept if sign * _order(arg, other) <= 0]
            kept.append(arg)
    kept.sort(key=_dim_key)
    return kept[0] if len(kept) == 1 else _atom(function, tuple(kept))


def _order(left: Dim, right: Dim) -> int:
    """1 if the left is the larger for all sizes of axes, -1 if the right is, 0 if it depends."""
    signs = set()
    for monomial, coefficient in (left - right).terms:
        if any(isinstance(atom, Call) or atom.kind is not RIGID for atom in monomial):
            return 0
        signs.add(coefficient > 0)
    return 0 if len(signs) != 1 else (1 if True in signs else -1)


def _dim_key(dim: Dim) -> tuple[tuple[tuple[int, ...], int], ...]:
    return tuple([(tuple(map(serial, monomial)), coefficient) for monomial, coefficient in dim.terms])


def minimum(*args: Dim) -> Dim:
    """The smallest of the sizes."""
    return _extremum("min", args)


def maximum(*args: Dim) -> Dim:
    """The largest of the sizes."""
    return _extremum("max", args)
