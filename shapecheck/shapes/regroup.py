"""Reshape: one flat, ordered list of factors is grouped into new axes.

Elements keep their order, so the new axes must cut the flat list of factors where it can be cut. A target that fits
only after *permuting* factors has the right number of elements and the wrong ones: a scrambled reshape.
"""

from __future__ import annotations

from shapecheck.dims import ONE, YES, Call, Dim, Kind, No, Symbol, cancelled, floordiv
from shapecheck.shapes.alignment import align
from shapecheck.shapes.axis import Axis, Factor, Origin, Rest, fuse, fused_axis, merged, part
from shapecheck.shapes.context import require, scope, suspect
from shapecheck.shapes.fault import Fault, Mismatch
from shapecheck.shapes.shape import Shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_STEPS = 2000
"""Bound on the search for a permutation; beyond it nothing is said."""


def reshape(shape: Shape, sizes: Sequence[Dim | Rest]) -> Shape | Mismatch:
    """The shape that ``reshape``/``view`` gives; one size may be -1.

    A scrambled reshape is noted as a suspicion; the result is what torch returns.
    """
    total = shape.numel
    infer = [position for position, size in enumerate(sizes) if not isinstance(size, Rest) and size.constant == -1]
    if len(infer) > 1:
        return Mismatch(Fault.RESHAPE, left_shape=shape, detail="two sizes are -1")
    targets: list[Dim | Rest] = list(sizes)
    if infer:
        others = _product([size for position, size in enumerate(sizes) if position != infer[0]])
        inferred = _inferred(total, others)
        if inferred is None:
            return Mismatch(
                Fault.RESHAPE,
                left=total,
                right=others,
                left_shape=shape,
                right_shape=_plain(targets),
                detail="multiple",
            )
        targets[infer[0]] = inferred
    else:
        wanted = _product(targets)
        torn = _torn(shape, targets)
        verdict = require(total, wanted) if torn is None else scope().decide(total, wanted)
        if isinstance(verdict, No):
            return Mismatch(
                Fault.RESHAPE,
                left=total,
                right=wanted,
                left_shape=shape,
                right_shape=_plain(targets),
                because=verdict.because,
            )
        if verdict is not YES:
            if torn is not None:
                suspect(torn)
            return _aligned(shape, targets)
    found = _group(shape, targets)
    # A 1 put in or taken out, or one axis made of all: written to fit another operand.
    if len(found) == 1 or _ones(found) != _ones(shape):
        found = Shape([axis if isinstance(axis, Rest) else axis.with_origin(Origin.WRITTEN) for axis in found])
    return found


def _torn(shape: Shape, targets: Sequence[Dim | Rest]) -> Mismatch | None:
    """``[n, pp]`` viewed as ``[rows*p, columns*p]``: patches laid out as a picture without moving an axis.

    Two axes become two others that share a factor: that factor stands twice, so each of the new axes is made of a part
    of both old ones.
    """
    if shape.rest is not None or len(shape) != len(targets):
        return None
    pairs = [
        (axis, target) for axis, target in zip(shape, targets, strict=True)
        if isinstance(axis, Axis) and not isinstance(target, Rest) and not scope().equal(axis.size, target)
    ]
    if len(pairs) != 2:
        return None
    old = [scope().normal(axis.size).symbol for axis, _ in pairs]
    new = [scope().normal(target) for _, target in pairs]
    if any(symbol is None or symbol.kind is not Kind.RIGID for symbol in old) or old[0] is old[1]:
        return None
    parts = [set(target.terms[0][0]) if len(target.terms) == 1 else set() for target in new]
    common = {atom for atom in parts[0] & parts[1] if isinstance(atom, Symbol) and atom.kind is not Kind.OPAQUE}
    if len(common) != 1 or any(len(each) < 2 or each & set(old) for each in parts):
        return None
    return Mismatch(
        Fault.SCRAMBLED, left_shape=shape, right_shape=_plain(targets), right=Dim.of(common.pop()), detail="torn"
    )


def _ones(shape: Shape) -> int:
    return sum(axis.is_one for axis in shape.known)


def flatten(shape: Shape, first: int, last: int) -> Shape:
    """The axes at positions ``first`` to ``last`` (inclusive) merged into one."""
    axes = shape.axes[first : last + 1]
    if len(axes) == 1 and isinstance(axes[0], Axis):
        return shape
    return Shape((*shape.axes[:first], merged(axes, scope()), *shape.axes[last + 1 :]))


def split_axis(axis: Axis, sizes: Sequence[Dim]) -> list[Axis]:
    """One axis as several, the first outermost; their product is known to be its size."""
    grouping = _Grouping(axis.factors, list(sizes))
    groups = grouping.in_order()
    if groups is None:
        return [Axis.unfollowed(size, Origin.WRITTEN) for size in sizes]
    return [Axis(size, tuple(group), Origin.WRITTEN) for size, group in zip(sizes, groups, strict=True)]


def _product(sizes: Sequence[Dim | Rest]) -> Dim:
    total = ONE
    for size in sizes:
        total *= size.size if isinstance(size, Rest) else size
    return total


def _inferred(total: Dim, others: Dim) -> Dim | None:
    """The size that -1 stands for, or None if no size does."""
    exact = total.exact_quotient(others)
    if exact is not None:
        return exact
    normal_total, normal_others = cancelled(scope().normal(total), scope().normal(others))
    exact = normal_total.exact_quotient(normal_others)
    if exact is not None:
        return exact
    divided, written = _exact_divisions([normal_total, normal_others])
    if divided:
        exact = _apply(normal_total, divided).exact_quotient(_apply(normal_others, divided))
        if exact is not None:
            return scope().normal(exact.substitute(written))
    if not normal_others.terms:
        return Dim.of(Symbol("-1", Kind.OPAQUE))
    if normal_total.constant is not None and normal_others.constant is not None:
        return None
    divisors = normal_others.atoms
    if normal_total.symbol is not None or (divisors and all(map(_is_flexible, divisors))):
        return floordiv(normal_total, normal_others)
    # "bt d" viewed as b, t, -1: names that are made of others, or numbers that several names make up.
    return Dim.of(Symbol("-1", Kind.FLEXIBLE))


def _is_flexible(atom: Symbol | Call) -> bool:
    return isinstance(atom, Symbol) and atom.kind is Kind.FLEXIBLE


def _plain(targets: Sequence[Dim | Rest]) -> Shape:
    return Shape([size if isinstance(size, Rest) else Axis.of(size, Origin.WRITTEN) for size in targets])


def _unfollowed(shape: Shape, targets: Sequence[Dim | Rest]) -> Shape:
    """The targets as axes that cannot be followed, but for those that stay whole at either end."""
    made = [size if isinstance(size, Rest) else Axis.unfollowed(size, Origin.WRITTEN) for size in targets]
    reach = min(len(shape), len(targets))
    first = 0
    while first < reach and _stays(shape[first], targets[first]):
        made[first] = shape[first]
        first += 1
    for position in range(1, reach - first + 1):
        if not _stays(shape[len(shape) - position], targets[-position]):
            break
        made[-position] = shape[len(shape) - position]
    return Shape(made)


def _aligned(shape: Shape, targets: list[Dim | Rest]) -> Shape:
    """The targets with the factors that they have if the sizes agree, which is not known."""
    made = _unfollowed(shape, targets)
    if shape.rest is not None or made.rest is not None:
        return made
    factors = [factor for axis in shape.axes for factor in axis.factors]
    grouping = _Grouping(factors, [axis.size for axis in made])
    groups = grouping.aligned()
    if groups is None:
        return made
    axes = []
    for axis, group in zip(made, groups, strict=True):
        kept = not isinstance(axis, Axis) or axis.is_one or any(factor.ident is not None for factor in axis.factors)
        axes.append(axis if kept else Axis(axis.size, fuse(group, scope()), Origin.WRITTEN))
    return Shape(axes)


def _stays(axis: Axis | Rest, target: Dim | Rest) -> bool:
    if isinstance(axis, Rest) or isinstance(target, Rest):
        return axis is target
    return scope().equal(axis.size, target)


def _group(shape: Shape, targets: list[Dim | Rest]) -> Shape:
    factors = [factor for axis in shape.axes for factor in axis.factors]
    sizes = [size.size if isinstance(size, Rest) else size for size in targets]
    grouping = _Grouping(factors, sizes)
    groups = grouping.in_order()
    if groups is None:
        permuted = grouping.permuted()
        if permuted is None:
            return _aligned(shape, targets)
        suspect(
            Mismatch(
                Fault.SCRAMBLED,
                left_shape=shape,
                right_shape=_plain(targets),
                factors=tuple(factors),
                wanted=tuple([tuple(group) for group in permuted]),
            )
        )
        return _unfollowed(shape, targets)
    axes: list[Axis | Rest] = []
    # By the factor object: two axes of one name are still two axes.
    whole = {id(axis.factors[0]): axis for axis in shape.known if len(axis.factors) == 1}
    for size, group in zip(targets, groups, strict=True):
        if isinstance(size, Rest):
            axes.append(size)
            continue
        kept = whole.get(id(group[0])) if len(group) == 1 else None
        axes.append(fused_axis(size, group, scope()) if kept is None else kept)
    return Shape(axes)


class _Grouping:
    """Factors to be grouped into axes of given sizes, all sizes written over the same elementary symbols."""

    __slots__ = ("_written", "factors", "plain", "steps", "targets")

    def __init__(self, factors: Sequence[Factor], sizes: Sequence[Dim]) -> None:
        normal = scope().normal
        self.factors = [factor for factor in factors if normal(factor.size) != ONE]
        lengths = [normal(factor.size) for factor in self.factors]
        targets = [normal(size) for size in sizes]
        exact, self._written = _exact_divisions([*lengths, *targets])
        if exact:
            lengths = [_apply(size, exact) for size in lengths]
            targets = [_apply(size, exact) for size in targets]
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

    def aligned(self) -> list[list[Factor]] | None:
        """The factors of each target axis if the sizes agree, which is not known."""
        return align(list(zip(self.factors, self.plain, strict=True)), self.targets, self._part)

    def permuted(self) -> list[list[Factor]] | None:
        """The factors of each target axis if only a permutation of them fits, or None if none is known to.

        Nothing is claimed where a factor cannot be followed, where a target names a symbol that no factor has, or where
        only numbers change places (unless whole axes do).
        """
        sizes = [*self.plain, *self.targets]
        if any(factor.ident is None for factor in self.factors) or any(
            isinstance(atom, Call) for size in sizes for atom in size.atoms
        ):
            return None
        known = {atom for size in self.plain for atom in size.atoms}
        if any(atom not in known for size in self.targets for atom in size.atoms):
            return None
        pieces = [
            piece
            for factor, size in zip(self.factors, self.plain, strict=True)
            for piece in self._divided(factor, size)
        ]
        found = self._assign(pieces, list(self.targets))
        if found is None:
            return None
        moved = _moved([factor for factor, _ in pieces], [factor for group in found for factor in group])
        if any(len(size.terms) > 1 for size in moved):
            # [T, S + 1] viewed as [S + 1, T]: the shift of relative positions, padded for that very purpose.
            return None
        if all(size.constant is not None for size in moved):
            whole = sorted(size.constant or 0 for size in self.plain)
            if whole != sorted(size.constant or 0 for size in self.targets if size != ONE):
                return None
        return found

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


def _moved(before: Sequence[Factor], after: Sequence[Factor]) -> list[Dim]:
    """The sizes of the pieces that stand at another place than in the flat list."""
    start = 0
    while start < len(after) and start < len(before) and after[start] == before[start]:
        start += 1
    stop = 0
    while stop < min(len(after), len(before)) - start and after[-stop - 1] == before[-stop - 1]:
        stop += 1
    return [factor.size for factor in after[start : len(after) - stop]]


def _exact_divisions(sizes: Sequence[Dim]) -> tuple[dict[Symbol, Dim], dict[Symbol, Dim]]:
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


def _apply(size: Dim, exact: dict[Symbol, Dim]) -> Dim:
    for _ in range(4):
        replaced = size.substitute(exact)
        if replaced == size:
            return size
        size = replaced
    return size
