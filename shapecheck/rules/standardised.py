"""SC311: a mean is taken away along one axis, and the rest divided by a deviation along another.

``(x - x.mean(1, keepdim=True)) / x.std(2, keepdim=True)``, with `var`, `rsqrt` and a small number between, or the
smallest and the span. Silent where both were measured along a common axis, where the deviation is that of another
tensor (also of the centred one), and of square matrices. Silent too where neither axis is called like the features of
a layer: returns may be less those of all stocks that day, and in units of each stock's own deviation.
"""

from __future__ import annotations

from shapecheck.rules.norm_axis import WIDTHS, is_called
from shapecheck.rules.observed import Observed, Trait, here, methods, watch
from shapecheck.rules.traits import DIVISIONS, MOVED, RAISED, SAME, with_trait
from shapecheck.shapes import Fault, Mismatch, Sequence, Tensor, scope

CENTRES = ("mean", "amin", "median")
SPREADS = ("std", "var")
ENDS = ("amax", "max", "min")
FEATURES = (WIDTHS - {"h", "width"}) | {"feature", "features"}
"""Parts of what an axis of features is called; an ``h`` may be the height of images."""


class Statistic(Trait):
    """What was measured of ``source`` along some of its axes; its kind is the operation, or ``span``."""

    __slots__ = ("axes", "source")
    kept = frozenset((SAME, MOVED, RAISED))

    def __init__(self, how: str, source: Tensor, axes: frozenset[int], place: object = None) -> None:
        super().__init__(how, here() if place is None else place)
        self.source = source
        self.axes = axes

class Centred(Trait):
    """A tensor without its mean, or its smallest."""

    __slots__ = ("centre",)
    kept = frozenset((SAME,))

    def __init__(self, centre: Statistic) -> None:
        super().__init__("centred", here())
        self.centre = centre

# -- what is measured --------------------------------------------------------------------------------------------------


@watch(*methods(*CENTRES, *SPREADS, *ENDS))
def _measure(call: Observed) -> None:
    source, axes = call.tensor(0, "input"), call.axes(1, "dim", "axis")
    if source is None or axes is None or source.shape.rest is not None:
        return
    positions = [source.shape.position(axis) for axis in axes]
    places = frozenset([position for position in positions if isinstance(position, int)])
    name, result = call.name.rpartition(".")[2], call.result
    measured = Statistic(name, source, places)
    if isinstance(result, Tensor) and result.mark is None:
        call.result = with_trait(result, measured)
    elif isinstance(result, Sequence) and result.items and isinstance(result.items[0], Tensor):
        values, *others = result.items
        call.result = Sequence([with_trait(values, measured), *others], result.kind, result.fields)  # type: ignore[arg-type]


@watch(*methods("sqrt", "rsqrt"))
def _root(call: Observed) -> None:
    found = _statistic(call.tensor(0, "input"))
    if found is not None and found.kind == "var" and isinstance(call.result, Tensor):
        root = Statistic("inverse" if "rsqrt" in call.name else "std", found.source, found.axes, found.place)
        call.result = with_trait(call.result, root)


def _statistic(tensor: Tensor | None) -> Statistic | None:
    found = None if tensor is None else tensor.mark
    return found if isinstance(found, Statistic) else None


# -- what is done with it ----------------------------------------------------------------------------------------------


@watch("operator.sub", *methods("sub", "subtract"))
def _subtract(call: Observed) -> None:
    left, right, result = call.tensor(0, "input"), call.tensor(1, "other"), call.result
    one, other = _statistic(left), _statistic(right)
    if left is None or other is None or not isinstance(result, Tensor) or "alpha" in call.kwargs:
        return
    if one is not None and one.source is other.source and one.axes == other.axes:
        if one.kind in ENDS and other.kind in {"amin", "min"}:
            call.result = with_trait(result, Statistic("span", one.source, one.axes))
    elif other.source is left and other.kind in {*CENTRES, "min"}:
        call.result = with_trait(result, Centred(other))


@watch(*DIVISIONS)
def _divide(call: Observed) -> None:
    _scale(call, call.tensor(0, "input"), call.tensor(1, "other"), ("std", "span"))


@watch("operator.mul", *methods("mul", "multiply"))
def _multiply(call: Observed) -> None:
    left, right = call.tensor(0, "input"), call.tensor(1, "other")
    _scale(call, left, right, ("inverse",))
    _scale(call, right, left, ("inverse",))


def _scale(call: Observed, whole: Tensor | None, by: Tensor | None, kinds: tuple[str, ...]) -> None:
    spread = _statistic(by)
    if whole is None or spread is None or not isinstance(whole.mark, Centred) or spread.kind not in kinds:
        return
    centre = whole.mark.centre
    if centre.source is not spread.source or not centre.axes or not spread.axes or centre.axes & spread.axes:
        return
    shape = centre.source.shape
    if not any(is_called(shape.known[axis], FEATURES) for axis in centre.axes | spread.axes):
        return
    one, other = min(centre.axes), min(spread.axes)
    if not any(scope().equal(shape.known[a].size, shape.known[b].size) for a in centre.axes for b in spread.axes):
        call.suspect(
            Mismatch(
                Fault.STANDARDISED, axis=one, other_axis=other, left=shape.known[one].size,
                right=shape.known[other].size, left_shape=shape, detail=f"{centre.kind}|{spread.kind}",
            )
        )
