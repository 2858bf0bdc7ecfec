"""Grouping one flat, ordered list of factors into axes of given sizes, in their order or permuted."""

from __future__ import annotations

from shapecheck.dims import ONE, Call, Computed, Dim, Symbol, floordiv
from shapecheck.shapes.alignment import align
from shapecheck.shapes.axis import Copies, Factor, Made, Part, part
from shapecheck.shapes.context import scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_STEPS = 2000
"""Bound on the search for a permutation; beyond it nothing is said."""


class Grouping:
    """Factors to be grouped into axes of given sizes, all sizes written over the same elementary symbols."""

    __slots__ = ("_written", "factors", "plain", "steps", "targets")

    def __init__(self, factors: Sequence[Factor], sizes: Sequence[Dim]) -> None:
        normal = scope().normal
        self.factors = [factor for factor in factors if normal(factor.size) != ONE]
        lengths = [normal(factor.size) for factor in self.factors]
        targets = [normal(size) for size in sizes]
        exact, self._written = exact_divisions([*lengths, *targets])
        if exact:
            lengths = [apply(size, exact) for size in lengths]
            targets = [apply(size, exact) for size in targets]
        self.plain = lengths
        """The size of each factor, with divisions taken as exact."""
        self.targets = targets
        self.steps = 0

    def _part(self, factor: Factor, outer: Dim, size: Dim) -> Factor:
        return part(factor, outer.substitute(self._written), size.substitute(self._written))

    def in_order(self) -> list[list[Factor]] | None:
        """The factors of each target axis without permuting any, or None if they cannot be cut so."""
        groups: list[list[Factor]] = []
        waiting = list(zip(self.factors, self.plain, strict=True))
        waiting.reverse()
        for target in self.targets:
            group: list[Factor] = []
            missing = target
            while missing != ONE:
                if not waiting:
                    return None
                factor, size = waiting.pop()
                if size == missing:
                    group.append(factor)
                    break
                left = missing.exact_quotient(size)
                if left is not None:
                    group.append(factor)
                    missing = left
                    continue
                inner = size.exact_quotient(missing)
                if inner is None:
                    return None
                group.append(self._part(factor, ONE, missing))
                waiting.append((self._part(factor, missing, inner), inner))
                break
            groups.append(group)
        return None if waiting else groups

    def aligned(self, *, agreed: bool) -> list[list[Factor]] | None:
        """The factors of each target axis as far as the ends tell, or if the sizes agree, which may not be known."""
        return align(list(zip(self.factors, self.plain, strict=True)), self.targets, self._part, agreed=agreed)

    def permuted(self) -> list[list[Factor]] | None:
        """The factors of each target axis if only a permutation of them fits, or None if none is known to.

        Nothing is claimed where a factor cannot be followed, where a target names a symbol that no factor has, where
        only numbers change places (unless whole axes do), or where they can be cut if a divisor is a root.
        """
        if self._is_cut_by_roots():
            return None
        plain, targets = self._with_whole_calls_named()
        sizes = [*plain, *targets]
        if any(factor.ident is None for factor in self.factors) or any(
            isinstance(atom, Call) for size in sizes for atom in size.atoms
        ):
            return None
        known = {atom for size in plain for atom in size.atoms}
        if any(atom not in known for size in targets for atom in size.atoms):
            return None
        pieces = [
            piece
            for factor, size in zip(self.factors, plain, strict=True)
            for piece in self._divided(factor, size)
        ]
        found = self._assign(pieces, targets)
        if found is None:
            return None
        moved = _moved([factor for factor, _ in pieces], [factor for group in found for factor in group])
        if _is_shift(moved) or all(isinstance(factor.ident, Copies) for factor in moved):
            return None
        if all(factor.size.constant is not None for factor in moved):
            whole = sorted(size.constant or 0 for size in plain)
            if whole != sorted(size.constant or 0 for size in targets if size != ONE):
                return None
        return found

    def _with_whole_calls_named(self) -> tuple[list[Dim], list[Dim]]:
        """The sizes of factors and targets; one that no polynomial expresses is a name where it stays whole."""
        sizes = [*self.plain, *self.targets]
        names: dict[Dim, Dim] = {}
        for size in self.plain:
            if size in self.targets and any(isinstance(atom, Call) for atom in size.atoms):
                inside = _symbols(size)
                # Nothing else may be made of the same symbols: h * (d // h) is d.
                if all(other == size or inside.isdisjoint(_symbols(other)) for other in sizes):
                    names[size] = Dim.of(Symbol(str(size)))
        if not names:
            return self.plain, list(self.targets)
        return [names.get(size, size) for size in self.plain], [names.get(size, size) for size in self.targets]

    def _is_cut_by_roots(self) -> bool:
        """Whether the factors can be cut in their order if what was computed, and divides a size, is the root of it."""
        before = self.plain, self.targets
        for quotient, division in self._written.items():
            root = division.atom.args[1].symbol if isinstance(division.atom, Call) else None
            if isinstance(root, Computed):
                change = {quotient: Dim.of(root)}
                self.plain, self.targets = [[size.substitute(change) for size in sizes] for sizes in before]
                found = self.in_order()
                self.plain, self.targets = before
                if found is not None:
                    return True
        return False

    def _divided(self, factor: Factor, size: Dim) -> list[tuple[Factor, Dim]]:
        """A factor that the targets divide, as quotient and divisor: ``h`` as ``h//p`` rows of ``p``."""
        if len(size.terms) != 1 or size.terms[0][1] != 1:
            return [(factor, size)]
        atoms = sorted(size.terms[0][0], key=lambda atom: atom not in self._written)
        if len(atoms) < 2 or atoms[0] not in self._written:
            return [(factor, size)]
        pieces: list[tuple[Factor, Dim]] = []
        outer = ONE
        for atom in atoms:
            length = Dim.term((atom,), 1)
            pieces.append((self._part(factor, outer, length), length))
            outer *= length
        return pieces

    def _assign(self, pieces: list[tuple[Factor, Dim]], targets: list[Dim]) -> list[list[Factor]] | None:
        if not targets:
            return [] if not pieces else None
        self.steps += 1
        if self.steps > _MOST_STEPS:
            return None
        target = targets[0]
        if target == ONE:
            rest = self._assign(pieces, targets[1:])
            return None if rest is None else [[], *rest]
        for index, (factor, size) in enumerate(pieces):
            others = pieces[:index] + pieces[index + 1 :]
            left = target.exact_quotient(size)
            if left is not None:
                rest = self._assign(others, [left, *targets[1:]])
                if rest is not None:
                    return [[factor, *rest[0]], *rest[1:]]
                continue
            inner = size.exact_quotient(target)
            if inner is not None:
                remainder = self._part(factor, target, inner), inner
                rest = self._assign([*pieces[:index], remainder, *pieces[index + 1 :]], targets[1:])
                if rest is not None:
                    return [[self._part(factor, ONE, target)], *rest]
        return None


def _symbols(size: Dim) -> set[Symbol]:
    """The symbols of a size, those inside of calls as well."""
    found: set[Symbol] = set()
    waiting = list(size.atoms)
    while waiting:
        atom = waiting.pop()
        if isinstance(atom, Symbol):
            found.add(atom)
        else:
            waiting += atom.atoms_below()
    return found


def _moved(before: Sequence[Factor], after: Sequence[Factor]) -> list[Factor]:
    """The pieces that stand at another place than in the flat list."""
    start = 0
    while start < len(after) and start < len(before) and after[start] == before[start]:
        start += 1
    stop = 0
    while stop < min(len(after), len(before)) - start and after[-stop - 1] == before[-stop - 1]:
        stop += 1
    return list(after[start : len(after) - stop])


def _is_shift(moved: Sequence[Factor]) -> bool:
    """Tell whether ``[T, S + 1]`` is viewed as ``[S + 1, T]``, the shift of relative positions.

    The axis is padded for that very purpose. What a layer made is not, nor is a part of an axis.
    """
    sums = [factor for factor in moved if len(scope().normal(factor.size).terms) > 1]
    return len(moved) == 2 and any(not isinstance(factor.ident, (Part, Made)) for factor in sums)


def exact_divisions(sizes: Sequence[Dim]) -> tuple[dict[Symbol, Dim], dict[Symbol, Dim]]:
    """For each symbol that is divided somewhere, the product that it is when the division is exact.

    The second mapping leads from the quotients' symbols back to the divisions as they were written.
    """
    divisors: dict[Symbol, Dim] = {}
    for size in sizes:
        for atom in size.atoms:
            if isinstance(atom, Call) and atom.function == "floordiv":
                numerator, denominator = atom.args
                symbol = numerator.symbol
                if symbol is None or symbol in denominator.atoms:
                    continue
                # Of several divisors the one that the others are likely to divide.
                known = divisors.get(symbol)
                if known is None or _extent(denominator) > _extent(known):
                    divisors[symbol] = denominator
    exact: dict[Symbol, Dim] = {}
    written: dict[Symbol, Dim] = {}
    for symbol, denominator in divisors.items():
        quotient = Symbol(f"{symbol.name}/{denominator}", symbol.kind)
        exact[symbol] = denominator * Dim.of(quotient)
        written[quotient] = floordiv(Dim.of(symbol), denominator)
    return exact, written


def _extent(divisor: Dim) -> tuple[int, int, tuple[int, ...]]:
    coefficient, monomial = divisor.content()
    return len(monomial), coefficient, tuple([atom.serial for atom in monomial])


def apply(size: Dim, exact: dict[Symbol, Dim]) -> Dim:
    """A size in which every symbol that is divided is the product that it stands for."""
    for _ in range(4):
        replaced = size.substitute(exact)
        if replaced == size:
            return size
        size = replaced
    return size
