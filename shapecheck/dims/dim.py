"""A size as a polynomial with integer coefficients over atoms, in one normal form.

``floordiv``, ``min`` and ``max`` are atoms of their own; ``a mod b`` is written ``a - b * floordiv(a, b)``, which is an
identity, so that two ways of writing one remainder meet in one form.
"""

from __future__ import annotations

from math import gcd
from typing import TYPE_CHECKING, Final

from shapecheck.dims.symbol import Atom, Call, Symbol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

Monomial = tuple[Atom, ...]
"""Atoms in the order of their serial numbers, one repeated for a power; ``()`` is the constant."""

MAX_TERMS: Final = 64
"""Beyond this a product is no longer worth following; see ``Dim.is_large``."""


def _serial(atom: Atom) -> int:
    return atom.serial


def _term_key(term: tuple[Monomial, int]) -> tuple[int, tuple[int, ...]]:
    monomial = term[0]
    return (-len(monomial), tuple([atom.serial for atom in monomial]))


class Dim:
    """A size. Immutable and hashable; equal sizes have equal normal forms (``H*Dh == Dh*H``, ``2*D - D == D``)."""

    __slots__ = ("_atoms", "_hash", "terms")

    terms: tuple[tuple[Monomial, int], ...]

    def __init__(self, terms: tuple[tuple[Monomial, int], ...]) -> None:
        self.terms = terms
        self._hash = hash(terms)
        self._atoms: frozenset[Atom] | None = None

    @staticmethod
    def of(value: int | Symbol | Dim) -> Dim:
        """The size that a number or a symbol is."""
        if isinstance(value, Dim):
            return value
        if isinstance(value, Symbol):
            return Dim((((value,), 1),))
        known = _CONSTANTS.get(value)
        if known is not None:
            return known
        return Dim((((), int(value)),)) if value else ZERO

    @staticmethod
    def _collect(terms: dict[Monomial, int]) -> Dim:
        kept = [term for term in terms.items() if term[1]]
        if len(kept) > 1:
            kept.sort(key=_term_key)
        return Dim(tuple(kept))

    # -- questions ---------------------------------------------------------------------------------------------------

    @property
    def constant(self) -> int | None:
        """The number it is, or None if it contains an atom."""
        terms = self.terms
        if not terms:
            return 0
        if len(terms) == 1 and not terms[0][0]:
            return terms[0][1]
        return None

    @property
    def symbol(self) -> Symbol | None:
        """The one symbol it is, or None."""
        terms = self.terms
        if len(terms) == 1 and terms[0][1] == 1 and len(terms[0][0]) == 1:
            atom = terms[0][0][0]
            return atom if isinstance(atom, Symbol) else None
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

    @property
    def is_large(self) -> bool:
        """Whether it has so many terms that it is better left unknown."""
        return len(self.terms) > MAX_TERMS or any(len(monomial) > MAX_TERMS for monomial, _ in self.terms)

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

    def substitute(self, values: Mapping[Symbol, Dim]) -> Dim:
        """The size with symbols replaced by sizes."""
        if not any(atom in values for atom in self.atoms):
            return self
        total = ZERO
        for monomial, coefficient in self.terms:
            product = Dim.of(coefficient)
            for atom in monomial:
                if isinstance(atom, Symbol):
                    factor = values.get(atom)
                    product *= Dim.of(atom) if factor is None else factor
                else:
                    product *= call(atom.function, tuple([arg.substitute(values) for arg in atom.args]))
            total += product
        return total

    def content(self) -> tuple[int, Monomial]:
        """The greatest common coefficient (positive) and monomial of all terms; ``(0, ())`` for zero."""
        if not self.terms:
            return 0, ()
        common_coefficient = 0
        common: list[Atom] | None = None
        for monomial, coefficient in self.terms:
            common_coefficient = gcd(common_coefficient, coefficient)
            common = list(monomial) if common is None else _common(common, monomial)
        return common_coefficient, tuple(common or ())

    def exact_quotient(self, divisor: Dim) -> Dim | None:
        """The polynomial ``q`` with ``q * divisor == self``, or None if there is none."""
        if not divisor.terms:
            return None
        if divisor is ONE:
            return self
        rest, quotient = self, ZERO
        lead, lead_coefficient = divisor.terms[0]
        for _ in range(MAX_TERMS):
            if not rest.terms:
                return quotient
            step = _divide_term(rest.terms[0], lead, lead_coefficient)
            if step is None:
                return None
            quotient += step
            rest -= step * divisor
        return None

    # -- arithmetic --------------------------------------------------------------------------------------------------

    def __add__(self, other: Dim | int) -> Dim:
        other = Dim.of(other)
        if not self.terms:
            return other
        if not other.terms:
            return self
        terms = dict(self.terms)
        for monomial, coefficient in other.terms:
            terms[monomial] = terms.get(monomial, 0) + coefficient
        return Dim._collect(terms)

    def __neg__(self) -> Dim:
        return Dim(tuple([(monomial, -coefficient) for monomial, coefficient in self.terms]))

    def __sub__(self, other: Dim | int) -> Dim:
        other = Dim.of(other)
        return self + -other if other.terms else self

    def __mul__(self, other: Dim | int) -> Dim:
        other = Dim.of(other)
        if self is ONE or not other.terms:
            return other
        if other is ONE or not self.terms:
            return self
        terms: dict[Monomial, int] = {}
        for left, left_coefficient in self.terms:
            for right, right_coefficient in other.terms:
                if left and right:
                    monomial = tuple(sorted(left + right, key=_serial))
                else:
                    monomial = left or right
                terms[monomial] = terms.get(monomial, 0) + left_coefficient * right_coefficient
        return Dim._collect(terms)

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
        result = ONE
        for _ in range(exponent):
            result *= self
        return result

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Dim) and self._hash == other._hash and self.terms == other.terms)

    def __hash__(self) -> int:
        return self._hash

    # -- text --------------------------------------------------------------------------------------------------------

    def text(self, *, inside: bool = False) -> str:
        """As a person writes it: ``2*D``, ``T - 1``; in parentheses where it stands inside another expression."""
        written = str(self)
        simple = len(self.terms) <= 1 and (not self.terms or len(self.terms[0][0]) <= 1 and "*" not in written)
        return written if not inside or (simple and "//" not in written) else f"({written})"

    def __str__(self) -> str:
        if not self.terms:
            return "0"
        parts: list[str] = []
        # Positive terms first: `T - 1`, never `-1 + T`.
        for monomial, coefficient in sorted(self.terms, key=_sign):
            magnitude = abs(coefficient)
            factors = [] if magnitude == 1 and monomial else [str(magnitude)]
            alone = len(monomial) == 1 and not factors
            factors += [
                str(atom) if alone or not isinstance(atom, Call) or atom.function != "floordiv" else f"({atom})"
                for atom in monomial
            ]
            sign = ("-" if coefficient < 0 else "") if not parts else (" - " if coefficient < 0 else " + ")
            parts.append(sign + "*".join(factors))
        return "".join(parts)

    def __repr__(self) -> str:
        return f"Dim({self})"


def _sign(term: tuple[Monomial, int]) -> bool:
    return term[1] < 0


def _common(left: list[Atom], right: Iterable[Atom]) -> list[Atom]:
    kept = []
    remaining = list(left)
    for atom in right:
        if atom in remaining:
            remaining.remove(atom)
            kept.append(atom)
    return kept


def _divide_term(term: tuple[Monomial, int], lead: Monomial, lead_coefficient: int) -> Dim | None:
    monomial, coefficient = term
    if coefficient % lead_coefficient:
        return None
    left = list(monomial)
    for atom in lead:
        if atom not in left:
            return None
        left.remove(atom)
    return Dim(((tuple(left), coefficient // lead_coefficient),))


ZERO: Final = Dim(())
ONE: Final = Dim((((), 1),))
_CONSTANTS: Final[dict[int, Dim]] = {0: ZERO, 1: ONE} | {n: Dim((((), n),)) for n in (*range(2, 65), 128, 256, 512)}


# -- functions that no polynomial expresses --------------------------------------------------------------------------

_NUMERIC: Final[dict[str, Callable[[list[int]], int]]] = {
    "floordiv": lambda args: args[0] // args[1],
    "min": min,
    "max": max,
}
_interned: dict[tuple[str, tuple[Dim, ...]], Call] = {}


def _atom(function: str, args: tuple[Dim, ...]) -> Dim:
    known = _interned.get((function, args))
    if known is None:
        known = _interned[function, args] = Call(function, args)
    return Dim((((known,), 1),))


def call(function: str, args: tuple[Dim, ...]) -> Dim:
    """``floordiv``, ``mod``, ``min`` or ``max`` by name."""
    if function == "floordiv":
        return floordiv(*args)
    if function == "mod":
        return mod(*args)
    return _extremum(function, args)


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
    outside, inside = _take_out_multiples(left, right)
    if inside.constant == 0:
        return outside
    # (a*c) // (b*c) == a // b; the sign stays with the denominator.
    inside, right = _reduce(inside, right)
    if right is ONE:
        return outside + inside
    constants = inside.constant, right.constant
    if constants[0] is not None and constants[1] is not None:
        return outside + constants[0] // constants[1]
    return outside + _nested(inside, right)


def _nested(left: Dim, right: Dim) -> Dim:
    """``(a // b) // c == a // (b*c)`` for positive sizes."""
    if len(left.terms) == 1 and left.terms[0][1] == 1 and len(left.terms[0][0]) == 1:
        atom = left.terms[0][0][0]
        if isinstance(atom, Call) and atom.function == "floordiv":
            first, second = right.constant, atom.args[1].constant
            if first is not None and second is not None and first > 0 and second > 0:
                return floordiv(atom.args[0], atom.args[1] * right)
    return _atom("floordiv", (left, right))


def _take_out_multiples(left: Dim, right: Dim) -> tuple[Dim, Dim]:
    """``outside, inside`` with ``left == outside * right + inside``, taken term by term."""
    outside, inside = ZERO, left
    lead, lead_coefficient = right.terms[0]
    for monomial, coefficient in left.terms:
        if not lead and monomial == ():
            quotient = coefficient // lead_coefficient
            step = Dim.of(quotient)
        elif len(right.terms) == 1 and lead_coefficient > 0 and not lead:
            step = Dim._collect({monomial: coefficient // lead_coefficient})  # noqa: SLF001 - this module's own class
        else:
            found = _divide_term((monomial, coefficient), lead, lead_coefficient)
            step = ZERO if found is None else found
        if step.terms:
            outside += step
            inside -= step * right
    return outside, inside


def _reduce(left: Dim, right: Dim) -> tuple[Dim, Dim]:
    left_coefficient, left_monomial = left.content()
    right_coefficient, right_monomial = right.content()
    shared = Dim(((tuple(sorted(_common(list(left_monomial), right_monomial), key=_serial)),
                   gcd(left_coefficient, right_coefficient)),))
    if shared == ONE:
        return left, right
    reduced_left, reduced_right = left.exact_quotient(shared), right.exact_quotient(shared)
    if reduced_left is None or reduced_right is None:
        return left, right
    return reduced_left, ONE if reduced_right == ONE else reduced_right


def mod(left: Dim, right: Dim) -> Dim:
    """``left % right`` with Python's sign.

    Raises:
        ZeroDivisionError: ``right`` is zero.
    """
    return left - right * floordiv(left, right)


def _extremum(function: str, args: tuple[Dim, ...]) -> Dim:
    """``min`` or ``max``: nested ones are flattened, what all have in common is taken out, constants are folded."""
    flat: set[Dim] = set()
    for arg in args:
        inner = arg.terms[0][0][0] if len(arg.terms) == 1 and arg.terms[0][1] == 1 and len(arg.terms[0][0]) == 1 else None
        if isinstance(inner, Call) and inner.function == function:
            flat.update(inner.args)
        else:
            flat.add(arg)
    pick = min if function == "min" else max
    kept: list[Dim] = []
    for arg in sorted(flat, key=_dim_key):
        for index, other in enumerate(kept):
            distance = (arg - other).constant
            if distance is not None:
                kept[index] = other if pick(distance, 0) == 0 and distance else arg
                break
        else:
            kept.append(arg)
    return kept[0] if len(kept) == 1 else _atom(function, tuple(sorted(kept, key=_dim_key)))


def _dim_key(dim: Dim) -> tuple[tuple[tuple[int, ...], int], ...]:
    return tuple([(tuple([atom.serial for atom in monomial]), coefficient) for monomial, coefficient in dim.terms])


def minimum(*args: Dim) -> Dim:
    """The smallest of the sizes."""
    return _extremum("min", args)


def maximum(*args: Dim) -> Dim:
    """The largest of the sizes."""
    return _extremum("max", args)
