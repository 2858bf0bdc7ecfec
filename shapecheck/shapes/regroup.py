"""Reshape: one flat, ordered list of factors is grouped into new axes.

Elements keep their order, so the new axes must cut the flat list of factors where it can be cut. A target that fits
only after *permuting* factors has the right number of elements and the wrong ones: a scrambled reshape.
"""

from __future__ import annotations

from shapecheck.dims import ONE, YES, Call, Dim, Kind, No, Symbol, cancelled, floordiv
from shapecheck.shapes.axis import Axis, Factor, Made, Origin, Rest, fuse, fused_axis, merged, part
from shapecheck.shapes.context import require, scope, suspect
from shapecheck.shapes.fault import Fault, Mismatch, Scrambled
from shapecheck.shapes.grouping import Grouping, apply, exact_divisions
from shapecheck.shapes.shape import Shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


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
            else:
                _suspect_equated(shape, targets, total, wanted)
            return _aligned(shape, targets, agreed=False)
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


def _suspect_equated(shape: Shape, targets: Sequence[Dim | Rest], total: Dim, wanted: Dim) -> None:
    """Note ``[n, c]`` viewed as ``[c, s, s]``, with an s that is not known: torch refuses it unless n is s*s.

    So it does where a layer with a kernel that is not known made n.
    """
    if shape.rest is not None:
        return
    normal = scope().normal
    left, right = cancelled(normal(total), normal(wanted))
    if len(right.terms) != 1 or right.terms[0][1] != 1:
        return
    held = [factor for axis in shape.known for factor in axis.factors]
    equated = [factor for factor in held if normal(factor.size) == left]
    named = left.symbol is not None and left.symbol.kind is Kind.RIGID
    if len(equated) != 1 or not (named or isinstance(equated[0].ident, Made)):
        return
    factors: list[Factor] = []
    for factor in held:
        if factor is not equated[0]:
            factors.append(factor)
            continue
        outer = ONE
        for atom in right.terms[0][0]:
            length = Dim.term((atom,), 1)
            factors.append(part(factor, outer, length))
            outer *= length
    grouping = Grouping(factors, [ONE if isinstance(target, Rest) else target for target in targets])
    permuted = grouping.permuted() if grouping.in_order() is None else None
    if permuted is not None:
        _suspect_scrambled(shape, targets, permuted, ())


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
    grouping = Grouping(axis.factors, list(sizes))
    groups = grouping.in_order()
    if groups is None:
        return [Axis.unfollowed(size, Origin.WRITTEN) for size in sizes]
    return [Axis(size, tuple(group), Origin.WRITTEN) for size, group in zip(sizes, groups, strict=True)]


def split_in_order(axis: Axis, sizes: Sequence[Dim]) -> list[Axis]:
    """The same where a pattern names the parts, which may be in another order."""
    parts = split_axis(axis, sizes)
    suspect_split(axis, sizes, parts)
    return parts


def suspect_split(axis: Axis, sizes: Sequence[Dim], parts: Sequence[Axis] = ()) -> None:
    """Note the parts ``(n t)`` of an axis that lies as ``(t n)``."""
    grouping = Grouping(axis.factors, list(sizes))
    permuted = grouping.permuted() if grouping.in_order() is None else None
    if permuted is not None:
        _suspect_scrambled(Shape([axis]), sizes, permuted, parts, "pattern")


def _suspect_scrambled(
    shape: Shape,
    targets: Sequence[Dim | Rest],
    permuted: Sequence[Sequence[Factor]],
    made: Sequence[Axis | Rest],
    detail: str = "",
) -> None:
    """Note that the targets fit only with the factors of the shape in another order; ``made`` are the new axes."""
    factors = tuple([factor for axis in shape.axes for factor in axis.factors])
    first, last, held = _torn_apart([factor for factor in factors if not scope().equal(factor.size, ONE)], permuted)
    suspect(
        Scrambled(
            tuple([factor for axis in made[first:last] for factor in axis.factors]),
            held,
            kind=Fault.SCRAMBLED,
            left_shape=shape,
            right_shape=_plain(targets),
            factors=factors,
            wanted=tuple([tuple(group) for group in permuted]),
            detail=detail,
        )
    )


def _torn_apart(
    factors: Sequence[Factor], permuted: Sequence[Sequence[Factor]]
) -> tuple[int, int, tuple[Factor, ...]]:
    """Which of the groups hold what was moved, from and up to where, and the factors that lie there."""
    first, last, start, stop = 0, len(permuted), 0, len(factors)
    while first < last and list(permuted[first]) == list(factors[start : start + len(permuted[first])]):
        start += len(permuted[first])
        first += 1
    while last > first and list(permuted[last - 1]) == list(factors[stop - len(permuted[last - 1]) : stop]):
        stop -= len(permuted[last - 1])
        last -= 1
    return first, last, tuple(factors[start:stop])


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
    divided, written = exact_divisions([normal_total, normal_others])
    if divided:
        exact = apply(normal_total, divided).exact_quotient(apply(normal_others, divided))
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


def _aligned(shape: Shape, targets: list[Dim | Rest], *, agreed: bool) -> Shape:
    """The targets with the factors that they have if the sizes agree, which is not known if not ``agreed``."""
    made = _unfollowed(shape, targets)
    if shape.rest is not None or made.rest is not None:
        return made
    factors = [factor for axis in shape.axes for factor in axis.factors]
    grouping = Grouping(factors, [axis.size for axis in made])
    groups = grouping.aligned(agreed=agreed)
    if groups is None:
        return made
    axes = []
    for axis, group in zip(made, groups, strict=True):
        kept = not isinstance(axis, Axis) or axis.is_one or any(factor.ident is not None for factor in axis.factors)
        axes.append(axis if kept else Axis(axis.size, fuse(group, scope()), Origin.WRITTEN))
    return Shape(axes)


def lies_in_order(factors: Sequence[Factor], shape: Shape) -> bool:
    """Whether the axes of a shape are made of these factors in their order."""
    sizes = [axis.size for axis in shape.axes]
    return Grouping(factors, sizes).in_order() is not None


def _stays(axis: Axis | Rest, target: Dim | Rest) -> bool:
    if isinstance(axis, Rest) or isinstance(target, Rest):
        return axis is target
    return scope().equal(axis.size, target)


def _group(shape: Shape, targets: list[Dim | Rest]) -> Shape:
    factors = [factor for axis in shape.axes for factor in axis.factors]
    sizes = [size.size if isinstance(size, Rest) else size for size in targets]
    grouping = Grouping(factors, sizes)
    groups = grouping.in_order()
    if groups is None:
        permuted = grouping.permuted()
        if permuted is None:
            return _aligned(shape, targets, agreed=scope().equal(shape.numel, _product(targets)))
        made = _unfollowed(shape, targets)
        _suspect_scrambled(shape, targets, permuted, made.axes)
        return made
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
