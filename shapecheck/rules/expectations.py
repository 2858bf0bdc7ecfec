"""SC306: the mean of a scale under weights that are normalised along another axis.

``probs = logits.softmax(1)`` of ``[b, m, p]``, and ``(probs * bins).sum(-1)``, ``probs @ bins`` or an einsum, where
bins is a scale: made by arange or linspace, by numbers and other scales. What is summed over is not what adds up to 1.
Of a vector that is learned or given nothing is said: it may weigh heads, or members. Nor of a scale that is itself the
weights: in front of the normalised axis, or of which the sum is divided by.
"""

from __future__ import annotations

from shapecheck.rules.indices import index_of
from shapecheck.rules.observed import Observed, Trait, here, methods, watch, watch_marked
from shapecheck.rules.softmax_axis import WEIGHTED, normalised_axes, suspect_sum
from shapecheck.rules.traits import MOVED, RAISED, SAME, is_number, with_trait
from shapecheck.rules.weight_sums import letters_of, name_at, position_of, weights_of
from shapecheck.shapes import Axis, Mark, Sequence, Shape, Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.shapes import AnyValue


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
    if not isinstance(value, Tensor) or _extent(value.shape) is None:
        return False
    index = index_of(value)
    return isinstance(value.mark, Scale) or (index is not None and index.found == "arange")


def _extent(shape: Shape) -> int | None:
    """How far from the end the only axis stands that is not 1."""
    behind = [] if shape.rest is not None else [
        back for back, axis in enumerate(reversed(shape.known), 1) if not axis.is_one
    ]
    return behind[0] if len(behind) == 1 else None


# -- scales ------------------------------------------------------------------------------------------------------------


@watch("torch.arange", "torch.linspace", "torch.logspace")
def _make(call: Observed) -> None:
    _keep(call)


@watch_marked(
    *[f"operator.{name}" for name in ("add", "sub", "mul", "truediv", "neg")], *methods("add", "sub", "mul", "div")
)
def _compute(call: Observed) -> None:
    """``(edges[1:] + edges[:-1]) / 2``."""
    operands = [*call.args, *call.kwargs.values()]
    numbers = [operand for operand in operands if not isinstance(operand, Tensor) and is_number(operand)]
    scales = [operand for operand in operands if is_scale(operand)]
    if scales and len(scales) + len(numbers) == len(operands):
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
        if isinstance(result, Tensor) and len(result.shape) == len(weights.shape) and _is_behind(scale, behind):
            axis, source = result.shape[position], weights.shape[position]
            if isinstance(axis, Axis) and isinstance(source, Axis) and not axis.is_one:
                mark = Mark(WEIGHTED, None if source.mark is None else source.mark.place)
                call.result = result.reshaped(result.shape.replaced(position, axis.with_mark(mark)))
        return


def _is_behind(scale: Tensor, behind: int) -> bool:
    """Whether a scale runs along an axis behind the one that stands so far from the end."""
    extent = _extent(scale.shape)
    return extent is not None and extent < behind


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
    if position is not None and position < summed:
        suspect_sum(call, weights.shape, summed, position)
