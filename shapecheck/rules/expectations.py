"""SC306: the mean of a scale under weights that are normalised along another axis.

``probs = logits.softmax(1)`` of ``[b, m, p]``, and ``(probs * bins).sum(-1)``, ``probs @ bins`` or an einsum, where
bins is a scale: made by arange or linspace, by numbers and other scales. What is summed over is not what adds up to 1.
Of a vector that is learned or given nothing is said: it may weigh heads, or members. Nor of a scale that is itself the
weights: in front of the normalised axis, of which the sum is divided by, or along time: later steps may count more or
less. A scale that falls towards 0, or is subtracted from a number, is taken for weights as well.
"""

from __future__ import annotations

from shapecheck.dims import Dim
from shapecheck.rules.indices import index_of
from shapecheck.rules.norm_axis import TIMES, is_called
from shapecheck.rules.observed import Observed, Trait, here, methods, watch, watch_marked
from shapecheck.rules.softmax_axis import WEIGHTED, normalised_axes, suspect_sum
from shapecheck.rules.traits import MOVED, RAISED, SAME, SCALED, is_number, with_trait
from shapecheck.rules.weight_sums import letters_of, name_at, position_of, weights_of
from shapecheck.shapes import Axis, Constant, Mark, Sequence, Shape, Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.shapes import AnyValue

_STEPS = TIMES - {"pos", "position", "positions"}
"""Parts of what an axis of time is called."""


class Scale(Trait):
    """Numbers that are written down, in a row."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__("scale", here())

    def through(self, how: str, source: Shape, result: Shape, *, ordered: bool) -> Trait | None:
        """The numbers behind an operation."""
        del source, result, ordered
        return self if how in {SAME, MOVED, RAISED} else None


class ScaleTotal(Trait):
    """The sum of a scale."""

    __slots__ = ()

    def through(self, how: str, source: Shape, result: Shape, *, ordered: bool) -> Trait | None:
        """The sum behind an operation."""
        del source, result, ordered
        return self if how in {SAME, MOVED, RAISED} else None


def is_scale(value: AnyValue | None) -> bool:
    """Whether a tensor is a scale along one axis."""
    if not isinstance(value, Tensor):
        return False
    if not isinstance(value.mark, Scale):
        index = index_of(value)
        if index is None or index.found != "arange":
            return False
    return _extent(value.shape) is not None


def _extent(shape: Shape) -> int | None:
    """How far from the end the only axis stands that is not 1."""
    behind = [] if shape.rest is not None else [
        back for back, axis in enumerate(reversed(shape.known), 1) if not axis.is_one
    ]
    return behind[0] if len(behind) == 1 else None


# -- scales ------------------------------------------------------------------------------------------------------------


class Falling(Trait):
    """Numbers in a row that fall towards 0, or that are subtracted from one: weights rather than values."""

    __slots__ = ()
    kept = frozenset((SAME, MOVED, RAISED, SCALED))

    def __init__(self) -> None:
        super().__init__("falling", here())


@watch("torch.arange", "torch.linspace", "torch.logspace")
def _make(call: Observed) -> None:
    first, last = _number(call.argument(0, "start")), _number(call.argument(1, "end"))
    step = _number(call.argument(2, "step")) if call.name == "torch.arange" else None
    if last is not None and last >= 0 and ((first is not None and first > last) or (step is not None and step < 0)):
        _fall(call)
    else:
        _keep(call)


def _number(value: AnyValue | None) -> float | None:
    if isinstance(value, Constant):
        return value.value if isinstance(value.value, (int, float)) else None
    return value.constant if isinstance(value, Dim) else None


def _fall(call: Observed) -> None:
    if isinstance(call.result, Tensor):
        call.result = with_trait(call.result, Falling())


@watch_marked(
    *[f"operator.{name}" for name in ("add", "sub", "mul", "truediv", "neg")], *methods("add", "sub", "mul", "div")
)
def _compute(call: Observed) -> None:
    """``(edges[1:] + edges[:-1]) / 2``."""
    operands = [*call.args, *call.kwargs.values()]
    scales = [operand for operand in operands if is_scale(operand)]
    if not scales:
        return
    numbers = [operand for operand in operands if not isinstance(operand, Tensor) and is_number(operand)]
    name = call.name.rpartition(".")[2]
    if name == "neg" or (name == "sub" and numbers and operands[0] is numbers[0]):
        _fall(call)
    elif len(scales) + len(numbers) == len(operands):
        _keep(call)


@watch_marked("torch.cat", "torch.concat", "torch.concatenate")
def _join(call: Observed) -> None:
    """Edges and one more."""
    parts = call.argument(0, "tensors")
    items = parts.items if isinstance(parts, Sequence) else []
    if items and all(isinstance(item, Tensor) and isinstance(item.mark, Scale) for item in items):
        _keep(call)


@watch_marked(*methods("sum"))
def _total(call: Observed) -> None:
    if is_scale(call.argument(0, "input")) and isinstance(call.result, Tensor):
        call.result = with_trait(call.result, ScaleTotal("total of a scale", here()))


def _keep(call: Observed) -> None:
    if isinstance(call.result, Tensor) and call.result.mark is None:
        call.result = with_trait(call.result, Scale())


# -- means under weights -----------------------------------------------------------------------------------------------


def _normalised(tensor: Tensor | None) -> int | None:
    """Along which axis weights add up to 1."""
    if tensor is None or tensor.shape.rest is not None:
        return None
    weights = weights_of(tensor)
    if weights is not None:
        return weights.position
    axes = normalised_axes(tensor.shape)
    return axes[0] if len(axes) == 1 else None


@watch_marked("operator.mul", *methods("mul", "multiply"))
def _multiply(call: Observed) -> None:
    """A sum that follows is a mean of the scale."""
    result = call.result
    for one, other in ((0, 1), (1, 0)):
        weights, scale = call.tensor(one, "input", "other"), call.tensor(other, "other", "input")
        position = _normalised(weights)
        if weights is None or scale is None or position is None or not is_scale(scale):
            continue
        behind = len(weights.shape) - position
        extent = _extent(scale.shape)
        if extent is None or extent >= behind or is_called(weights.shape.known[-extent], _STEPS):
            return
        if isinstance(result, Tensor) and len(result.shape) == len(weights.shape):
            axis, source = result.shape[position], weights.shape[position]
            if isinstance(axis, Axis) and isinstance(source, Axis) and not axis.is_one:
                mark = Mark(WEIGHTED, None if source.mark is None else source.mark.place)
                call.result = result.reshaped(result.shape.replaced(position, axis.with_mark(mark)))
        return


@watch_marked("operator.matmul", *methods("matmul", "mv"))
def _product(call: Observed) -> None:
    left, right = call.tensor(0, "input"), call.tensor(1, "other", "vec")
    if left is None or right is None:
        return
    if is_scale(right) and _extent(right.shape) == min(len(right.shape), 2):
        _contract(call, left, len(left.shape) - 1)


@watch_marked("torch.einsum", "torch.functional.einsum", "einops.einsum")
def _einsum(call: Observed) -> None:
    equation = letters_of(call)
    if equation is None or len(equation.operands) != 2:
        return
    for one, other in ((0, 1), (1, 0)):
        weights, scale = equation.operands[one], equation.operands[other]
        position, behind = _normalised(weights), _extent(scale.shape)
        if position is None or behind is None or not is_scale(scale):
            continue
        names = equation.terms[one]
        kept = name_at(names, position, len(weights.shape))
        summed = name_at(equation.terms[other], len(scale.shape) - behind, len(scale.shape))
        if summed is None or summed in equation.result or kept is None or kept not in equation.result:
            continue
        inner = position_of(names, summed, weights.shape)
        if inner is not None:
            _contract(call, weights, inner)
        return


def _contract(call: Observed, weights: Tensor, summed: int) -> None:
    position = _normalised(weights)
    if position is not None and position < summed and not is_called(weights.shape.known[summed], _STEPS):
        suspect_sum(call, weights.shape, summed, position)
