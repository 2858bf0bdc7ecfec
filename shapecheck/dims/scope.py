"""Facts in scope, and unification that remembers where a symbol was solved."""

from __future__ import annotations

from shapecheck.dims.decide import cancelled, judge, solved
from shapecheck.dims.dim import Dim
from shapecheck.dims.exact import cleared, undivided
from shapecheck.dims.sampling import agree_somewhere
from shapecheck.dims.spelling import are_unrelated, spells_product
from shapecheck.dims.symbol import FLEXIBLE, OPAQUE, RIGID, Call, Symbol
from shapecheck.dims.verdict import YES, No, Unknown, Verdict, Yes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Solution:
    """``symbol`` was found to be ``value``; ``place`` is whatever the caller gave to remember where."""

    __slots__ = ("narrowed", "place", "symbol", "value")

    def __init__(self, symbol: Symbol, value: Dim, place: object, *, narrowed: bool) -> None:
        self.symbol = symbol
        self.value = value
        self.place = place
        self.narrowed = narrowed
        """Whether an axis name was narrowed to a number (SC103)."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Solution) and all(
            getattr(self, field) == getattr(other, field) for field in self.__slots__
        )

    def __hash__(self) -> int:
        return hash((self.symbol, self.value))


class Scope:
    """What is known about the symbols at one point of one function.

    A scope is forked for each branch and the facts common to all branches are kept where they meet, so that what one
    branch needs is no claim about the other.
    """

    __slots__ = ("_beside", "_doubted", "_named", "_open", "_positive", "_solutions", "_values", "constructor",
                 "correlated", "samples", "widths")  # fmt: skip

    def __init__(self) -> None:
        self._values: dict[Symbol, Dim] = {}
        """The solved symbols; no value contains a solved symbol."""
        self._solutions: dict[Symbol, Solution] = {}
        self._positive: frozenset[Dim] = frozenset()
        self._named: frozenset[Symbol] = frozenset()
        self._beside: frozenset[tuple[Symbol, int]] = frozenset()
        self._doubted: frozenset[frozenset[Dim]] = frozenset()
        self._open: frozenset[tuple[Dim, Dim]] = frozenset()
        """Sizes that a comparison in force lets be equal."""
        self.correlated = False
        """Whether a condition holds that may go with the parameters: two of them may be equal where it does."""
        self.widths: frozenset[Symbol] = frozenset()
        """Parameters that are the width or number of layers: fixed when they are made, so no batch size."""
        self.samples: frozenset[Symbol] = frozenset()
        """Batch axes: their size is no function of other sizes and of what a constructor was given."""
        self.constructor: object = None
        """The owner of the parameters of the object's constructor."""

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
        verdict = self._decide(left, right)
        if self.correlated and isinstance(verdict, No) and verdict.because == "parameters":
            return Unknown("a condition goes with the parameters")
        return self._unless_open(verdict, left, right)

    def _decide(self, left: Dim, right: Dim) -> Verdict:
        if self._values:
            left, right = self.normal(left), self.normal(right)
        if self._doubted and self._is_doubted(left, right):
            return Unknown("a condition leaves it open")
        if self._named and self._are_two_names(left.symbol, right.symbol):
            return No(left, right, "names")
        verdict = judge(left, right)
        if self._beside and isinstance(verdict, Unknown) and self._stand_beside(left, right):
            return No(left, right, "beside")
        if self._values and isinstance(verdict, Unknown):
            one, other = cancelled(left, right)
            for symbol, value in ((one.symbol, other), (other.symbol, one)):
                if symbol is not None and symbol.owner is not None and self._is_anothers(symbol, value):
                    return No(left, right, "parameters")
        if isinstance(verdict, Unknown) and not self.samples.isdisjoint(left.atoms | right.atoms):
            one, other = cancelled(left, right)
            if self._is_independent(one, other) or self._is_independent(other, one):
                return No(left, right, "samples")
        return verdict

    def _is_independent(self, samples: Dim, size: Dim) -> bool:
        """Whether one size is that of a batch, and the other made of other axes and of what a constructor was given."""
        symbol = samples.symbol
        if symbol not in self.samples or symbol in size.atoms:
            return False
        kinds = [
            atom.kind if atom.kind is not FLEXIBLE or atom.owner == self.constructor else OPAQUE
            for atom in size.atoms if isinstance(atom, Symbol)
        ]
        return RIGID in kinds and OPAQUE not in kinds and self.constructor is not None

    def _stand_beside(self, left: Dim, right: Dim) -> bool:
        """Whether one is a parameter and the other a number that is written beside it."""
        return any(
            one.symbol is not None and one.symbol.kind is FLEXIBLE and (one.symbol, other.constant) in self._beside
            for one, other in ((left, right), (right, left))
        )

    def doubt(self, left: Dim, right: Dim) -> None:
        """Leave open whether two sizes are equal: a condition that holds says that they are, or something else."""
        self._doubted |= {frozenset((left, right))}

    def _is_doubted(self, left: Dim, right: Dim) -> bool:
        pair = {left, right}
        for doubted in self._doubted:
            found = set()
            for size in doubted:
                normal = self.normal(size)
                if normal not in pair:
                    break
                found.add(normal)
            else:
                if found == pair:
                    return True
        return False

    def leave_open(self, left: Dim, right: Dim) -> None:
        """Let two sizes be equal for all that is known: what differs only where they differ is left open."""
        self._open |= {(left, right)}

    def _unless_open(self, verdict: Verdict, left: Dim, right: Dim) -> Verdict:
        """A verdict; none where it would be another one if sizes were equal that may be."""
        if not self._open or not isinstance(verdict, No):
            return verdict
        one, other = self.normal(left), self.normal(right)
        for pair in self._open:
            difference = self.normal(pair[0]) - self.normal(pair[1])
            for kind in (FLEXIBLE, RIGID, OPAQUE):
                found = solved(difference, kind)
                if found is not None:
                    change = {found[0]: found[1]}
                    if not isinstance(judge(one.substitute(change), other.substitute(change)), No):
                        return Unknown("a comparison leaves it open")
                    break
        return verdict

    def equal(self, left: Dim, right: Dim) -> bool:
        """Whether two sizes are known to be equal."""
        return self.decide(left, right) is YES

    def differ(self, left: Dim, right: Dim) -> bool:
        """Whether two sizes are known to be unequal."""
        return isinstance(self.decide(left, right), No)

    # -- solving -----------------------------------------------------------------------------------------------------

    def require(
        self, left: Dim, right: Dim, place: object = None, *, narrow: bool = True, to_one: bool = False
    ) -> Verdict:
        """Whether two sizes are equal where the code needs them to be, solving an unknown symbol if that makes them so.

        Args:
            left: a size.
            right: a size.
            place: remembered with the solution.
            narrow: whether an axis name may be narrowed to a number, or to a product or sum of other names; not where
                a declaration is compared.
            to_one: whether that number may be 1: where a 1 is written out for this axis, and does not broadcast.
        """
        verdict = self._require(left, right, place, narrow=narrow, to_one=to_one)
        return self._unless_open(verdict, left, right)

    def _require(self, left: Dim, right: Dim, place: object, *, narrow: bool, to_one: bool) -> Verdict:
        verdict = self.decide(left, right)
        if isinstance(verdict, Yes):
            return verdict
        whole = self.normal(left), self.normal(right)
        left, right = cancelled(*whole)
        if isinstance(verdict, Unknown):
            if not narrow and (self._is_named(left, right) or self._is_named(right, left)):
                # A declaration by a parameter's name is one by any other: the number is that of no axis in general.
                return No(left, right)
            return self._solve(left, right, verdict, place, factor=whole != (left, right))
        if not narrow or verdict.because:
            spelled = spells_product(left.symbol, right) or spells_product(right.symbol, left)
            return Unknown("a name is spelled as a product") if spelled else verdict
        return self._narrow(left, right, verdict, place, least=1 if to_one and whole == (left, right) else 2)

    def _is_named(self, name: Dim, number: Dim) -> bool:
        return number.constant is not None and name.symbol in self._named and name.symbol.kind is FLEXIBLE

    def assume(self, left: Dim, right: Dim, place: object = None) -> None:
        """Take an equality as a fact, whatever it solves (an ``assert``, a condition that holds in a branch)."""
        difference = self.normal(left) - self.normal(right)
        if difference.constant is not None:
            return
        for kind in (FLEXIBLE, RIGID, OPAQUE):
            found = solved(difference, kind)
            if found is not None:
                self._record(found[0], found[1], place, narrowed=False)
                return

    def tie(self, parameter: Symbol, axis: Dim, place: object = None) -> None:
        """Let a parameter be the axis of the same name from the start."""
        value = self.normal(axis)
        if parameter not in self._values and parameter not in value.atoms:
            self._record(parameter, value, place, narrowed=False)

    def name(self, symbol: Symbol) -> None:
        """Let a parameter be an axis name of the function as well: it is different from every other axis name."""
        self._named |= {symbol}

    def write_beside(self, symbol: Symbol, number: int) -> None:
        """Let an axis name be no axis of a number that is written beside it in one declaration: ``"n 3"``."""
        self._beside |= {(symbol, number)}

    def _are_two_names(self, left: Symbol | None, right: Symbol | None) -> bool:
        if left is None or right is None or left is right:
            return False
        named = self._named
        return (left in named and (right in named or right.kind is RIGID)) or (right in named and left.kind is RIGID)

    def suppose_positive(self, size: Dim) -> None:
        """Take a size to be at least 1 for generic arguments: what a slice leaves, say. No solution contradicts it."""
        self._positive |= {size}

    def _narrow(self, left: Dim, right: Dim, verdict: No, place: object, *, least: int) -> Verdict:
        """An axis name that must be one number is that number for the rest of the call.

        A product of several names that must be one number may be so too, and then nothing is said. A factor that should
        not be there at all (``T*D`` for ``D``) is narrowed to no 1: ``least`` is 2 then. Nor is a name narrowed to a
        number that a declaration writes beside it: who writes ``"n 3"`` for an axis of 3 does not call it ``n``.
        """
        for axis, number in ((left, right), (right, left)):
            value = number.constant
            if value is None or value < least or axis.constant is not None:
                continue
            constant = axis.terms[-1][1] if not axis.terms[-1][0] else 0
            terms = axis.terms[:-1] if constant else axis.terms
            if len(terms) != 1 or len(terms[0][0]) > 1 or isinstance(terms[0][0][0], Call):
                return Unknown("several axis names make up a number")
            symbol, coefficient = terms[0][0][0], terms[0][1]
            size, left_over = divmod(value - constant, coefficient)
            if (symbol, size) in self._beside:
                return No(left, right, "beside")
            if symbol.kind is RIGID and not left_over and size > 0:
                self._record(symbol, Dim.of(size), place, narrowed=True)
                return YES
        return self._name_composite(left, right, verdict, place)

    def _name_composite(self, left: Dim, right: Dim, verdict: No, place: object) -> Verdict:
        """An axis name that the code needs to be made of others is so: ``"bt d"`` viewed as ``b, t, d``.

        Two plain names never are, nor sizes that share a name, such as ``T`` and ``T - 1``, nor two products of which
        none can be made of the other.
        """
        left, right = undivided(left) or left, undivided(right) or right
        if left.atoms & right.atoms or left.constant is not None or right.constant is not None:
            return verdict
        plain = [side for side in (left, right) if side.symbol is not None]
        if len(plain) == 2:
            return verdict
        for name, parts in ((left, right), (right, left)):
            symbol = name.symbol
            if symbol is not None and symbol.kind is RIGID:
                self._record(symbol, parts, place, narrowed=True)
                return YES
        if are_unrelated(left, right):
            return verdict
        return Unknown("axis names may be made of others")

    def _solve(self, left: Dim, right: Dim, verdict: Unknown, place: object, *, factor: bool) -> Verdict:
        difference = left - right
        if any(isinstance(atom, Call) for atom in difference.atoms) and agree_somewhere(left, right):
            # `t + -t % m` is `(t + m - 1) // m * m` for every m.
            return verdict
        if not self.correlated and _is_a_factor_too_many(difference, factor=factor):
            return No(left, right)
        found = solved(difference, FLEXIBLE)
        if found is None or any(isinstance(atom, Symbol) and atom.kind is OPAQUE for atom in difference.atoms):
            return verdict
        symbol, value = found
        number = value.constant
        if number is not None and number <= 0:
            # An argument stands for sizes in general: an extent that must be 0 is one too many.
            if not number and symbol.owner is not None and symbol.default != 0:
                return No(left, right)
            return Unknown(f"{symbol} would not be a size")
        if number == 1 and factor and symbol.owner is not None and symbol.default != 1:
            # `T * n` where T is needed: an argument that must be 1 is a factor too many.
            return No(left, right)
        if not self.correlated and self._is_anothers(symbol, value):
            return No(left, right, "parameters")
        if any(self._is_empty(size, {symbol: value}) for size in self._positive):
            return No(left, right)
        self._record(symbol, value, place, narrowed=False)
        return YES

    def _is_anothers(self, symbol: Symbol, value: Dim) -> bool:
        """Whether a value is what another parameter of the same signature stands for."""
        if value.constant is not None:
            return False
        other = value.symbol
        if other is not None and symbol.differs_from(other):
            return True
        return any(symbol.differs_from(other) and known == value for other, known in self._values.items())

    def _is_empty(self, size: Dim, change: dict[Symbol, Dim]) -> bool:
        number = self.normal(size).substitute(change).constant
        return number is not None and number <= 0

    def _record(self, symbol: Symbol, value: Dim, place: object, *, narrowed: bool) -> None:
        change = {symbol: value}
        for other, known in self._values.items():
            if symbol in known.atoms:
                self._values[other] = known.substitute(change)
        self._values[symbol] = value
        self._solutions[symbol] = Solution(symbol, value, place, narrowed=narrowed)

    # -- branches ----------------------------------------------------------------------------------------------------

    def says_as_much(self, earlier: Scope) -> bool:
        """Whether nothing was learned since an earlier state, but for widths of layers."""
        return all(
            getattr(self, name) == getattr(earlier, name) for name in self.__slots__ if name != "widths"
        )

    def fork(self) -> Scope:
        """A copy for one branch."""
        copy = Scope.__new__(Scope)
        copy.adopt(self)
        return copy

    def adopt(self, other: Scope) -> None:
        """Become another scope: the only branch that goes on."""
        self._values = dict(other._values)
        self._solutions = dict(other._solutions)
        self._positive = other._positive
        self._named = other._named
        self._beside = other._beside
        self._doubted = other._doubted
        self._open = other._open
        self.correlated = other.correlated
        self.widths = other.widths
        self.samples = other.samples
        self.constructor = other.constructor

    def meet(self, branches: Sequence[Scope]) -> None:
        """Keep what holds in every branch: what they have in common, and what was known before they forked."""
        if not branches:
            return
        if len(branches) == 1:
            self.adopt(branches[0])
            return
        first, rest = branches[0], branches[1:]
        kept = {
            symbol: value
            for symbol, value in first._values.items()  # noqa: SLF001 - another scope
            if all(other._values.get(symbol) == value for other in rest)  # noqa: SLF001 - another scope
        }
        for symbol, value in self._values.items():
            known = self._solutions[symbol]
            if symbol not in kept and all(branch.solution(symbol) is known for branch in branches):
                kept[symbol] = value.substitute(kept)
        self._values = kept
        self._doubted = first._doubted.union(*[other._doubted for other in rest])  # noqa: SLF001 - another scope
        self._open = first._open.intersection(*[other._open for other in rest])  # noqa: SLF001 - another scope
        self._named = first._named.intersection(*[other._named for other in rest])  # noqa: SLF001 - another scope
        self.samples, self.constructor = first.samples, first.constructor
        self._beside = first._beside.intersection(*[other._beside for other in rest])  # noqa: SLF001 - another scope
        self.widths = first.widths.union(*[other.widths for other in rest])
        self._positive = first._positive.intersection(*[other._positive for other in rest])  # noqa: SLF001 - another scope
        self._solutions = {symbol: first._solutions[symbol] for symbol in kept}  # noqa: SLF001 - another scope


def _is_a_factor_too_many(difference: Dim, *, factor: bool) -> bool:
    """Whether sizes are equal only if arguments are 1: ``c // n`` where c is needed, or ``c * n * n``.

    Args:
        difference: of the two sizes, without the factors that both have in common.
        factor: whether there were such factors; where there is no division either, an argument itself must be 1.
    """
    divided = any(isinstance(atom, Call) for atom in difference.atoms)
    polynomial = cleared(difference) if divided else difference if factor else None
    if polynomial is None or len(polynomial.terms) != 2 or polynomial.terms[-1][0]:
        return False
    (arguments, one), (_, other) = polynomial.terms
    return {one, other} == {1, -1} and all(
        isinstance(atom, Symbol) and atom.kind is FLEXIBLE and atom.owner is not None and atom.default != 1
        for atom in arguments
    )
