"""SC316: a mean made by hand whose count holds one axis twice, or an axis that was not summed.

``x.sum() / (h * h * c)`` of ``[h, w, c]`` never divides by w, and ``x.sum(dim=0) / x.shape[1]`` divides by an axis that
is left. Only where one size stands for another: a total over one axis may be scaled by the others. Sizes that may count
the same elements (``i`` and ``j``), numbers, and sizes of which less is known are silent.
"""

from __future__ import annotations

from shapecheck.dims import ONE, Dim, Kind, Symbol
from shapecheck.rules.index_axis import alike
from shapecheck.rules.observed import (
    BATCH_NAMES,
    Observed,
    axis_name,
    here,
    methods,
    tensors_in,
    unmarked,
    watch,
    watch_totals,
)
from shapecheck.rules.tallies import Tally, fraction, parts_of, tallies, total, totals, with_tallies
from shapecheck.rules.traits import DIVISIONS, IDENTITIES, ORDERED, PERMUTED, is_number
from shapecheck.rules.weight_sums import letters_of, position_of
from shapecheck.shapes import (
    AnyValue,
    Axis,
    Constant,
    Factor,
    Fault,
    Mark,
    Mismatch,
    Number,
    Shape,
    Tensor,
    Undecided,
    scope,
)

MISCOUNTED = "miscounted"
_LOSSES = (
    "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits",
    "kl_div",
)  # fmt: skip
_LOSS_LAYERS = ("MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss", "BCELoss", "BCEWithLogitsLoss", "KLDivLoss")

_ITEMS = BATCH_NAMES | {
    "n", "N", "m", "M", "samples", "examples", "rays", "points", "pixels", "tokens", "nodes", "t", "T", "s", "S", "l",
    "L", "time", "steps", "frames", "seq", "length",
}
"""What axes are called that count what a loss is the mean of, or what a transform is normed by."""


class Miscounted(Mark):
    """The mark of an axis by whose size sums over another axis were divided."""

    __slots__ = ("mismatch",)

    def __init__(self, mismatch: Mismatch) -> None:
        super().__init__(MISCOUNTED, mismatch.place)
        self.mismatch = mismatch


# -- where totals come from --------------------------------------------------------------------------------------------


@watch(*methods("sum", "nansum"))
def _sum(call: Observed) -> None:
    source, given = call.tensor(0, "input"), call.argument(1, "dim", "axis")
    if source is None:
        return
    if given is None or given == Constant(None):
        _whole(call, source)
        return
    axes = call.axes(1, "dim", "axis")
    found = [source.shape.position(axis) for axis in axes or ()]
    positions = [position for position in found if isinstance(position, int)]
    if axes and len(positions) == len(axes) and all(position < len(source.shape) for position in positions):
        call.result = with_tallies(call.result, total(source, positions))


def _whole(call: Observed, source: Tensor) -> None:
    if source.shape.axes and source.shape.rest is None:
        call.result = with_tallies(call.result, total(source, list(range(len(source.shape)))))


@watch("torch.einsum", "torch.functional.einsum", "einops.einsum")
def _einsum(call: Observed) -> None:
    """An einsum of one operand sums over the letters that it drops."""
    equation = letters_of(call)
    if equation is None or len(equation.operands) != 1:
        return
    source, names = equation.operands[0], equation.terms[0]
    if len(set(names)) == len(names):
        _dropped(call, source, names, equation.result)


@watch("einops.reduce")
def _reduce(call: Observed) -> None:
    source, pattern, how = call.tensor(0, "tensor"), call.argument(1, "pattern"), call.argument(2, "reduction")
    if source is None or how != Constant("sum") or not isinstance(pattern, Constant):
        return
    before, _, after = str(pattern.value).partition("->")
    if not any(mark in before for mark in "(."):
        _dropped(call, source, before.split(), after.replace("(", " ").replace(")", " ").split())


def _dropped(call: Observed, source: Tensor, names: list[str], kept: list[str]) -> None:
    """Sums over the axes whose names are not kept."""
    gone = [position_of(names, name, source.shape) for name in names if name not in kept]
    positions = [position for position in gone if position is not None]
    if positions and len(positions) == len(gone):
        call.result = with_tallies(call.result, total(source, positions))


@watch("torch.trapezoid", "torch.trapz")
def _trapezoid(call: Observed) -> None:
    """As many trapezoids of width 1 as there are steps."""
    source, given, axes = call.tensor(0, "y"), call.argument(3, "dim"), call.axes(3, "dim")
    if source is None or len(call.args) > 1 or call.kwargs.keys() - {"y", "dim"}:
        return
    axis = source.shape.axis(-1 if given is None else axes[0] if axes else len(source.shape.axes))
    if isinstance(axis, Axis):
        call.result = with_tallies(call.result, totals(source, [scope().normal(axis.size) - 1]))


@watch(*[f"torch.nn.functional.{name}" for name in _LOSSES], *[f"torch.nn.{name}" for name in _LOSS_LAYERS])
def _loss(call: Observed) -> None:
    source, target = call.tensor(0, "input"), call.tensor(1, "target")
    given = call.kwargs if call.layer is None else getattr(call.layer, "keywords", {})
    summed = given.get("reduction") == Constant("sum")
    if summed and source is not None and target is not None and source.shape == target.shape:
        _whole(call, source)


# -- what keeps them ---------------------------------------------------------------------------------------------------


@watch_totals(*IDENTITIES, *ORDERED, *PERMUTED, "operator.neg", *methods("neg", "negative"))
def _keep(call: Observed) -> None:
    found = tallies(call.args[0] if call.args else None)
    if found:
        call.result = with_tallies(call.result, found)


@watch_totals("operator.add", "operator.sub", *methods("add", "sub", "subtract"))
def _add(call: Observed) -> None:
    """A sum of totals; what else is added to one may be a correction of its ends."""
    left, right = call.argument(0, "input"), call.argument(1, "other")
    one, other = tallies(left), tallies(right)
    if (not one and not other) or call.kwargs.keys() - {"other"}:
        return
    if one and other:
        call.result = with_tallies(call.result, (*one, *other))
        return
    beside = right if one else left
    if is_number(beside) and not isinstance(beside, Tensor):
        call.result = with_tallies(call.result, one or other)
    elif isinstance(beside, Tensor):
        call.result = with_tallies(call.result, tuple([tally.with_more() for tally in one or other]))


# -- counting ----------------------------------------------------------------------------------------------------------


@watch_totals(*DIVISIONS)
def _divide(call: Observed) -> None:
    _unmark(call)
    found, by = tallies(call.argument(0, "input")), fraction(call.argument(1, "other"))
    if not found:
        return
    if by is None or len(call.args) + len(call.kwargs) > 2:
        for tally in found:
            if tally.suspicion is not None:
                tally.suspicion.excused = True
        return
    _scaled(call, found, by[1], by[0])


@watch_totals("operator.mul", *methods("mul", "multiply"))
def _multiply(call: Observed) -> None:
    _unmark(call)
    for one, other in ((0, 1), (1, 0)):
        found, number = tallies(call.argument(one, "input", "other")), call.argument(other, "other", "input")
        if found and not isinstance(number, Tensor):
            by = fraction(number) or ((ONE, ONE) if isinstance(number, Number) else None)
            if by is not None:
                _scaled(call, found, *by)
            return


def _unmark(call: Observed) -> None:
    if isinstance(call.result, Tensor):
        call.result = unmarked(call.result, MISCOUNTED)


def _scaled(call: Observed, found: tuple[Tally, ...], times: Dim, over: Dim) -> None:
    """Totals times one size, over another."""
    result = call.result
    scaled = found
    if times.constant is None:
        scaled = tuple([tally.multiplied(times) for tally in scaled])
    if over.constant is None:
        scaled = tuple([tally.divided(over) for tally in scaled])
    if not isinstance(result, Tensor):
        return
    exchanged = [_exchanged(tally) for tally in scaled]
    # Sums and sums of squares are put together for what is counted in pairs: then none of them is a mean.
    sure = all(pair or tally.excess.constant is not None for tally, pair in zip(scaled, exchanged, strict=True))
    suspicion = None
    for tally, pair in zip(scaled, exchanged, strict=True):
        if tally.suspicion is not None:
            tally.suspicion.excused = tally.suspicion.excused or not _is_still(tally, tally.suspicion)
        elif pair is not None and sure:
            suspicion = _counted_twice(call, tally, *pair, suspicion)
            result = _another(tally, *pair, result)
    call.result = with_tallies(result, scaled)


def _exchanged(tally: Tally) -> tuple[Dim, Dim] | None:
    """The size that a total was divided by too often, and the one that was left out for it, if these alone are left."""
    excess = parts_of(tally.excess)
    if len(excess) != 1 or len(tally.open) != 1:
        return None
    size, missing = excess[0], tally.open[0]
    if missing not in tally.parts or not _are_named(size, missing):
        return None
    return size, missing


def _are_named(size: Dim, missing: Dim) -> bool:
    """Whether two sizes are made of the names of axes that are not the same."""
    atoms = [*size.atoms, *missing.atoms]
    if not all(isinstance(atom, Symbol) and atom.kind is Kind.RIGID for atom in atoms):
        return False
    names = [[atom.name for atom in one.atoms if isinstance(atom, Symbol)] for one in (size, missing)]
    return scope().differ(size, missing) and not any(
        name == other or _may_be_one(name, other) for name in names[0] for other in names[1]
    )


def _may_be_one(name: str, other: str) -> bool:
    """Whether two names may count the same elements: ``i`` and ``j``, ``q_len`` and ``k_len``."""
    words = name.split("_"), other.split("_")
    unlike = [pair for pair in zip(*words, strict=False) if pair[0] != pair[1]]
    return alike(name, other) or (len(words[0]) == len(words[1]) and len(unlike) == 1 and alike(*unlike[0]))


def _is_still(tally: Tally, suspicion: Undecided) -> bool:
    """Whether a total was not divided by the missing size, nor by one that may be that, since it is suspected."""
    excess = parts_of(tally.excess)
    rigid = all(isinstance(atom, Symbol) and atom.kind is Kind.RIGID for part in excess for atom in part.atoms)
    return rigid and suspicion.left in excess and suspicion.right in tally.open


def _counted_twice(
    call: Observed, tally: Tally, size: Dim, missing: Dim, before: Undecided | None
) -> Undecided | None:
    """Suspect a total that was divided by the size of a summed axis more often than there are such axes.

    Not where nothing else is in the count: squares of one size are written on purpose.
    """
    if size not in tally.parts or tally.beside or _times(size, tally.shape) > 1 or _times(missing, tally.shape) > 1:
        return before
    rest: Dim | None = tally.count
    others = tally.count
    while rest is not None:
        others, rest = rest, rest.exact_quotient(size)
    if others.constant is not None:
        return before
    if before is None:
        before = Undecided(
            kind=Fault.COUNTED_TWICE, left=size, right=missing, left_shape=tally.shape,
            factors=_factors(tally),
        )  # fmt: skip
        call.suspect(before)
    tally.suspicion = before
    return before


def _factors(tally: Tally) -> tuple[Factor, ...]:
    """What a total was divided by, in the order of its axes."""
    left, found = tally.count, list[Dim]()
    for part in dict.fromkeys(tally.parts):
        quotient = left.exact_quotient(part)
        while quotient is not None:
            found.append(part)
            left, quotient = quotient, quotient.exact_quotient(part)
    return tuple([Factor(part, None) for part in (*found, *parts_of(left))])


def _times(size: Dim, shape: Shape) -> int:
    """How many axes of a shape have a size as a factor."""
    return sum(1 for axis in shape.known if size in parts_of(scope().normal(axis.size)))


def _another(tally: Tally, size: Dim, missing: Dim, result: Tensor) -> Tensor:
    """Mark the axis by whose size sums over another axis were divided: a fault if it is returned as it is."""
    summed, there = _place(missing, tally.shape), _place(size, tally.shape)
    place = _place(size, result.shape)
    if summed is None or there is None or place is None or size in tally.parts:
        return result
    axis, less = result.shape[place], scope().normal(tally.shape.axes[there].size) - size
    if not isinstance(axis, Axis) or (tally.beside and less == Dim.of(0)):
        return result
    if less == Dim.of(0) and not _is_a_mean(tally, size, summed, there, result.shape):
        return result
    found = Mismatch(
        Fault.COUNTED_OTHER, axis=there, other_axis=summed, left=size, right=missing, left_shape=tally.shape,
        factors=_factors(tally), place=here(),
    )  # fmt: skip
    shape = result.shape.replaced(place, axis.with_mark(Miscounted(found)))
    return Tensor(shape, result.dtype, result.kind, result.mark)


def _is_a_mean(tally: Tally, size: Dim, summed: int, there: int, result: Shape) -> bool:
    """Whether it is sure that a mean is meant, and not sums of features that are scaled by how many rows there are.

    It is where the count holds other axes that were summed, or features are left that were not. (And where 1 is taken
    off the size: nobody scales by that.)
    """
    others = tally.count.exact_quotient(size)
    if others is not None and others.constant is None:
        return True
    if there > summed:
        return axis_name(tally.shape.axes[there]) not in _ITEMS
    behind = [axis for axis in tally.shape.axes[summed + 1 :] if isinstance(axis, Axis) and not axis.is_one]
    return any(one in result.axes for one in behind)


def _place(size: Dim, shape: Shape) -> int | None:
    """Where the only axis stands that is so long, or one longer."""
    sizes = [scope().normal(axis.size) for axis in shape.axes]
    for wanted in (size, size + 1):
        found = [place for place, one in enumerate(sizes) if one == wanted]
        if found:
            return found[0] if len(found) == 1 else None
    return None


# -- what is handed out ------------------------------------------------------------------------------------------------


def miscounted(value: AnyValue) -> Mismatch | None:
    """The fault of a returned value that was divided by the size of an axis that it still has."""
    for tensor in tensors_in([value]):
        for axis in tensor.shape.axes:
            if isinstance(axis, Axis) and isinstance(axis.mark, Miscounted):
                return axis.mark.mismatch
    return None

