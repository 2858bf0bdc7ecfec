"""Facts in scope, three-valued decisions and unification that remembers where a symbol was solved."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from shapecheck.dims.dim import Dim, floordiv
from shapecheck.dims.exact import exact_atoms
from shapecheck.dims.sampling import differ_everywhere
from shapecheck.dims.symbol import FLEXIBLE, OPAQUE, RIGID, Call, Symbol
from shapecheck.dims.verdict import YES, No, Unknown, Verdict

if TYPE_CHECKING:
    from shapecheck.dims.symbol import Atom, Kind


class Solution(NamedTuple):
    """``symbol`` was found to be ``value``; ``place`` is whatever the caller gave to remember where."""

    symbol: Symbol
    value: Dim
    place: object
    narrowed: bool
    """Whether an axis name was narrowed to a number (SC103)."""


class Scope:
    """What is known about the symbols at one point of one function.

    A scope is forked for each branch and the facts common to all branches are kept where they meet, so that what one
    branch needs is no claim about the other.
    """

    __slots__ = ("_holders", "_solutions", "_values")

    def __init__(self) -> None:
        self._values: dict[Symbol, Dim] = {}
        self._solutions: dict[Symbol, Solution] = {}
        self._holders: dict[Symbol, Symbol] = {}
        """The axis names already known to be one of the parameters of a signature, with that parameter."""

    # -- reading -----------------------------------------------------------------------------------------------------

    def normal(self, dim: Dim) -> Dim:
        """The size with every solved symbol replaced."""
        values = self._values
        if not values:
            return dim
        for monomial, _ in dim.terms:
            for atom in monomial:
                if atom in values or isinstance(atom, Call):
                    return dim.substitute(values)
        return dim

    def solution(self, symbol: Symbol) -> Solution | None:
        """How a symbol was solved, if it was."""
        return self._solutions.get(symbol)

    @property
    def solutions(self) -> tuple[Solution, ...]:
        """Every solution, the oldest first."""
        return tuple(self._solutions.values())

    def decide(self, left: Dim, right: Dim) -> Verdict:
        """Whether two sizes are equal, without solving anything."""
        if left is right or left == right:
            return YES
        left, right = self.normal(left), self.normal(right)
        difference = left - right
        if not difference.terms:
            return YES
        if difference.constant is not None:
            return No(left, right)
        return self._judge(left, right, difference)

    def equal(self, left: Dim, right: Dim) -> bool:
        """Whether two sizes are known to be equal."""
        return self.decide(left, right) is YES

    def differ(self, left: Dim, right: Dim) -> bool:
        """Whether two sizes are known to be unequal."""
        return isinstance(self.decide(left, right), No)

    def _judge(self, left: Dim, right: Dim, difference: Dim) -> Verdict:
        atoms = difference.atoms
        has_call = False
        flexible: list[Symbol] = []
        for atom in atoms:
            if isinstance(atom, Call):
                has_call = True
            elif atom.kind is OPAQUE:
                return Unknown("a size depends on the data")
            elif atom.kind is FLEXIBLE:
                flexible.append(atom)
        if has_call:
            remaining = exact_atoms(left, right)
            if remaining is not None:
                if not remaining:
                    return YES
                if all(isinstance(atom, Symbol) and atom.kind is RIGID for atom in remaining):
                    flexible = []
        if flexible:
            return self._judge_flexible(left, right, difference, flexible)
        if not has_call:
            return No(left, right)
        if differ_everywhere(left, right):
            return No(left, right)
        return Unknown("a rounded division, min or max decides")

    @staticmethod
    def _judge_flexible(left: Dim, right: Dim, difference: Dim, flexible: list[Symbol]) -> Verdict:
        if len(difference.terms) == 2 and len(flexible) == 2 and len(difference.atoms) == 2:  # noqa: PLR2004 - p - q
            (first, one), (second, other) = difference.terms
            if len(first) == 1 and len(second) == 1 and one == -other and abs(one) == 1:
                p, q = flexible
                if p.differs_from(q):
                    return No(left, right, "parameters")
        return Unknown(f"{flexible[0]} is not known")

    # -- solving -----------------------------------------------------------------------------------------------------

    def require(self, left: Dim, right: Dim, place: object = None, *, narrow: bool = True) -> Verdict:
        """Whether two sizes are equal where the code needs them to be, solving an unknown symbol if that makes them so.

        Args:
            left: a size.
            right: a size.
            place: remembered with the solution.
            narrow: whether an axis name may be narrowed to a number; not where a declaration is compared.
        """
        verdict = self.decide(left, right)
        if verdict is YES:
            return verdict
        left, right = self.normal(left), self.normal(right)
        difference = left - right
        if isinstance(verdict, No):
            if narrow and not verdict.because:
                return self._narrow(left, right, place) or verdict
            return verdict
        return self._solve(left, right, difference, place)

    def assume(self, left: Dim, right: Dim, place: object = None) -> None:
        """Take an equality as a fact, whatever it solves (an ``assert``, a condition that holds in a branch)."""
        left, right = self.normal(left), self.normal(right)
        difference = left - right
        if not difference.terms or difference.constant is not None:
            return
        for kind in (FLEXIBLE, RIGID, OPAQUE):
            found = _linear(difference, kind)
            if found is not None:
                self._record(found[0], found[1], place, narrowed=False)
                return

    def tie(self, parameter: Symbol, axis: Dim, place: object = None) -> None:
        """Let a parameter be the axis of the same name from the start."""
        self._record(parameter, axis, place, narrowed=False)

    def _narrow(self, left: Dim, right: Dim, place: object) -> Verdict | None:
        """An axis name that must be one number is that number for the rest of the call."""
        for axis, number in ((left, right), (right, left)):
            symbol, value = axis.symbol, number.constant
            if symbol is not None and symbol.kind is RIGID and value is not None and value > 1:
                self._record(symbol, number, place, narrowed=True)
                return YES
        return None

    def _solve(self, left: Dim, right: Dim, difference: Dim, place: object) -> Verdict:
        if any(isinstance(atom, Symbol) and atom.kind is OPAQUE for atom in difference.atoms):
            return Unknown("a size depends on the data")
        found = _linear(difference, FLEXIBLE)
        if found is None:
            return Unknown("an equation of several unknowns")
        symbol, value = found
        number = value.constant
        if number is not None and number < 0:
            return No(left, right)
        axis = value.symbol
        if axis is not None and axis.kind is RIGID and symbol.owner is not None:
            holder = self._holders.get(axis)
            if holder is not None and holder.differs_from(symbol):
                return No(left, right, "parameters")
        self._record(symbol, value, place, narrowed=False)
        return YES

    def _record(self, symbol: Symbol, value: Dim, place: object, *, narrowed: bool) -> None:
        if symbol in value.atoms or symbol in self._values:
            return
        axis = value.symbol
        if axis is not None and axis.kind is RIGID and symbol.owner is not None:
            self._holders.setdefault(axis, symbol)
        change = {symbol: value}
        for other, known in self._values.items():
            if symbol in known.atoms:
                self._values[other] = known.substitute(change)
        self._values[symbol] = value
        self._solutions[symbol] = Solution(symbol, value, place, narrowed)

    # -- branches ----------------------------------------------------------------------------------------------------

    def fork(self) -> Scope:
        """A copy for one branch."""
        copy = Scope.__new__(Scope)
        copy._values = dict(self._values)
        copy._solutions = dict(self._solutions)
        copy._holders = dict(self._holders)
        return copy

    def adopt(self, other: Scope) -> None:
        """Become another scope: the only branch that goes on."""
        self._values = dict(other._values)
        self._solutions = dict(other._solutions)
        self._holders = dict(other._holders)

    def meet(self, branches: list[Scope]) -> None:
        """Keep what holds in every branch."""
        if len(branches) == 1:
            self.adopt(branches[0])
            return
        first, rest = branches[0], branches[1:]
        kept = {
            symbol: value
            for symbol, value in first._values.items()
            if all(other._values.get(symbol) == value for other in rest)
        }
        self._values = kept
        self._solutions = {symbol: first._solutions[symbol] for symbol in kept}
        self._holders = {
            axis: holder for axis, holder in first._holders.items() if all(o._holders.get(axis) is holder for o in rest)
        }


def _linear(difference: Dim, kind: Kind) -> tuple[Symbol, Dim] | None:
    """The symbol of a kind that stands once, in one term, with what it must be; alone in its term if one is.

    A symbol inside a product is solved by an exact division (``D == H*K`` makes ``K`` into ``D // H``): axis names stay
    as they are, and so stay different from each other. Of several candidates the newest is taken.
    """
    best: tuple[bool, int, Symbol, Dim] | None = None
    counts: dict[Atom, int] = {}
    for monomial, _ in difference.terms:
        for atom in monomial:
            counts[atom] = counts.get(atom, 0) + 1
            if isinstance(atom, Call):
                for inner in atom.atoms_below():
                    counts[inner] = counts.get(inner, 0) + 1
    for term in difference.terms:
        monomial, coefficient = term
        for symbol in monomial:
            if counts[symbol] != 1 or not isinstance(symbol, Symbol) or symbol.kind is not kind:
                continue
            alone = len(monomial) == 1
            if best is not None and (alone, symbol.serial) <= best[:2]:
                continue
            rest = Dim((term,)) - difference
            beside = Dim(((tuple([atom for atom in monomial if atom is not symbol]), coefficient),))
            if coefficient < 0:
                rest, beside = -rest, -beside
            if rest.terms and not (alone and rest.exact_quotient(beside) is None):
                best = alone, symbol.serial, symbol, floordiv(rest, beside)
    return None if best is None else best[2:]
