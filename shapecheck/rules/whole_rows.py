"""SC306: a mask that has no extent along the axis of the softmax hides whole rows, and so nothing within them.

``scores.masked_fill(~valid[:, :, None], -1e9).softmax(-1)`` leaves every row as it was, or makes it uniform. Followed
are scores that were just computed, by a product or a layer, up to the softmax; whatever else happens to them, they may
have been masked before, and nothing is said. Silent are two masks of which one has an extent along the axis, what is
filled with a number that hides nothing (rows that would be empty), and masks that are multiplied behind the softmax.
"""

from __future__ import annotations

from shapecheck.dims import Dim
from shapecheck.rules.observed import Observed, Trait, here, methods, watch
from shapecheck.rules.traits import MOVED, with_trait
from shapecheck.shapes import Axis, Constant, Copies, Extreme, Fault, Mismatch, Origin, Shape, Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from shapecheck.shapes import AnyValue

LARGE: Final = 1000
"""From here on a number that is taken from scores hides them."""


class Mask:
    """A mask that scores were hidden by: its shape, and where."""

    __slots__ = ("place", "shape")

    def __init__(self, shape: Shape, place: object) -> None:
        self.shape = shape
        self.place = place

    def extends(self, behind: int) -> bool | None:
        """Whether the mask differs along the axis that stands so far from the end; None if that is not known.

        A 1 that a reduction left tells of the row: a distance, or whether anything in it is left.
        """
        if self.shape.rest is not None:
            return None
        axis = self.shape.known[-behind] if behind <= len(self.shape) else None
        if axis is not None and axis.is_one and axis.origin is Origin.KEPT:
            return None
        return axis is not None and not _is_constant_along(axis)


def _is_constant_along(axis: Axis) -> bool:
    return axis.is_one or (bool(axis.factors) and all(isinstance(factor.ident, Copies) for factor in axis.factors))


class Scores(Trait):
    """Scores that were just computed, with the masks that were put to them since."""

    __slots__ = ("masks",)

    def __init__(self, masks: tuple[Mask, ...] = ()) -> None:
        super().__init__("scores", here())
        self.masks = masks

    def through(self, how: str, source: Shape, result: Shape, *, ordered: bool) -> Trait | None:
        """The scores behind an operation."""
        del source, result, ordered
        return None if how == MOVED and self.masks else self


class Hiding(Trait):
    """What hides scores where it is added (``negative``) or subtracted."""

    __slots__ = ("negative",)

    def __init__(self, *, negative: bool) -> None:
        super().__init__("hiding", here())
        self.negative = negative

    def through(self, how: str, source: Shape, result: Shape, *, ordered: bool) -> Trait | None:
        """The same, wherever it stands."""
        del how, source, result, ordered
        return self


class Stretched(Trait):
    """A mask that was expanded from ``shape``, along whose axes of 1 it is still the same everywhere."""

    __slots__ = ("shape",)

    def __init__(self, shape: Shape) -> None:
        super().__init__("stretched", here())
        self.shape = shape


def _extent(mask: Tensor) -> Shape:
    """The shape of a mask before it was expanded."""
    return mask.mark.shape if isinstance(mask.mark, Stretched) else mask.shape


def _scores(tensor: Tensor | None) -> Scores | None:
    found = None if tensor is None else tensor.mark
    return found if isinstance(found, Scores) else None


def _sign(value: AnyValue | None) -> int:
    """-1 for a number so small that it hides scores, 1 for one as large, 0 for any other."""
    if isinstance(value, Extreme):
        return -1 if value.negative else 1
    number: object = value.constant if isinstance(value, Dim) else value.value if isinstance(value, Constant) else None
    if isinstance(number, bool) or not isinstance(number, (int, float)) or abs(number) < LARGE:
        return 0
    return -1 if number < 0 else 1


# -- scores ----------------------------------------------------------------------------------------------------------


@watch(
    "operator.matmul", *methods("matmul", "bmm", "mm"), "torch.einsum", "torch.functional.einsum", "einops.einsum",
    "torch.nn.Linear", "torch.nn.functional.linear",
)
def _compute(call: Observed) -> None:
    if isinstance(call.result, Tensor) and call.result.mark is None:
        call.result = with_trait(call.result, Scores())


@watch(
    *methods("tanh", "relu", "sigmoid"), "torch.nn.functional.leaky_relu", "torch.nn.functional.relu",
    "torch.nn.LeakyReLU", "torch.nn.Tanh", "torch.nn.ReLU",
)
def _bend(call: Observed) -> None:
    scores = _scores(call.tensor(0, "input"))
    if scores is not None and not scores.masks and isinstance(call.result, Tensor):
        call.result = with_trait(call.result, scores)


# -- masks -----------------------------------------------------------------------------------------------------------


@watch("torch.Tensor.expand", "torch.Tensor.expand_as", *methods("broadcast_to"))
def _stretch(call: Observed) -> None:
    source, result = call.tensor(0, "input"), call.result
    if source is not None and source.mark is None and isinstance(result, Tensor) and result.mark is None:
        call.result = with_trait(result, Stretched(source.shape))


@watch("operator.invert", *methods("logical_not", "bitwise_not"))
def _invert(call: Observed) -> None:
    source, result = call.tensor(0, "input"), call.result
    if source is not None and isinstance(source.mark, Stretched) and isinstance(result, Tensor):
        call.result = with_trait(result, source.mark)


@watch("operator.mul", *methods("mul", "multiply"))
def _multiply(call: Observed) -> None:
    """``(1 - mask) * -1e9``."""
    for one, other in ((0, 1), (1, 0)):
        sign = _sign(call.argument(one, "input", "other"))
        if sign and isinstance(call.argument(other, "other", "input"), Tensor) and isinstance(call.result, Tensor):
            call.result = with_trait(call.result, Hiding(negative=sign < 0))


@watch(*methods("masked_fill"), "torch.Tensor.masked_fill_")
def _fill(call: Observed) -> None:
    _hide(call, call.tensor(0, "input"), call.tensor(1, "mask"), call.argument(2, "value"))


@watch("torch.where")
def _where(call: Observed) -> None:
    chosen, other = call.argument(1, "input"), call.argument(2, "other")
    for scores, fill in ((chosen, other), (other, chosen)):
        if _sign(fill) < 0:
            _hide(call, scores if isinstance(scores, Tensor) else None, call.tensor(0, "condition"), fill)


def _hide(call: Observed, source: Tensor | None, mask: Tensor | None, fill: AnyValue | None) -> None:
    result = call.result
    if mask is None or _sign(fill) >= 0 or not isinstance(result, Tensor):
        return
    scores = _scores(source)
    if scores is not None:
        call.result = with_trait(result, Scores((*scores.masks, Mask(_extent(mask), here()))))
    elif source is None or not source.shape.axes or source.mark is None:
        call.result = with_trait(result, Hiding(negative=True))


@watch("operator.add", "operator.sub", "operator.iadd", *methods("add", "sub"))
def _add(call: Observed) -> None:
    left, right, result = call.tensor(0, "input"), call.tensor(1, "other"), call.result
    if left is None or right is None or not isinstance(result, Tensor):
        return
    minus = "sub" in call.name
    for source, other in ((left, right), (right, left)):
        scores = _scores(source)
        if scores is None or (minus and source is right):
            continue
        also = _scores(other)
        if also is not None:
            call.result = with_trait(result, Scores((*scores.masks, *also.masks)))
        elif other.kind == "torch.nn.Parameter":
            call.result = with_trait(result, scores)
        elif isinstance(other.mark, Hiding) and other.mark.negative is not minus:
            call.result = with_trait(result, Scores((*scores.masks, Mask(other.shape, here()))))
        return


# -- where they are compared -----------------------------------------------------------------------------------------


@watch(
    *methods("softmax", "log_softmax"), "torch.nn.functional.softmax", "torch.nn.functional.log_softmax",
    "torch.special.softmax", "torch.special.log_softmax", "torch.nn.Softmax", "torch.nn.LogSoftmax",
)
def _softmax(call: Observed) -> None:
    source, axes = call.tensor(0, "input"), call.axes(1, "dim", "axis")
    dim = axes[0] if axes else getattr(call.layer, "dim", None)
    scores = _scores(source)
    if source is None or scores is None or not scores.masks or not isinstance(dim, int):
        return
    position = source.shape.position(dim)
    axis = source.shape[position] if isinstance(position, int) and source.shape.rest is None else None
    if isinstance(position, int) and isinstance(axis, Axis) and not axis.is_one:
        behind = len(source.shape) - position
        if all(mask.extends(behind) is False for mask in scores.masks):
            mask = scores.masks[-1]
            _suspect(call, axis, source.shape, position, mask.shape, mask.place)


@watch("torch.nn.functional.scaled_dot_product_attention")
def _attend(call: Observed) -> None:
    keys, mask = call.tensor(1, "key"), call.tensor(3, "attn_mask")
    if keys is None or mask is None or len(keys.shape) < 2 or keys.shape.rest is not None or not mask.shape.axes:
        return
    axis = keys.shape[-2]
    if isinstance(axis, Axis) and not axis.is_one and Mask(_extent(mask), here()).extends(1) is False:
        _suspect(call, axis, keys.shape, len(keys.shape) - 2, mask.shape, here())


def _suspect(call: Observed, axis: Axis, scores: Shape, position: int, mask: Shape, place: object) -> None:
    call.suspect(
        Mismatch(
            Fault.ROW_MASK, axis=position, left=axis.size, left_shape=scores, right_shape=mask, place=place,
        )
    )
