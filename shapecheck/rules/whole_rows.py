"""SC306: a mask that has no extent along the axis of the softmax hides whole rows, and so nothing within them.

``scores.masked_fill(~valid[:, :, None], -1e9).softmax(-1)`` leaves every row as it was, or makes it uniform. Followed
are scores that were just computed, by a product or a layer, or that the function gets, up to the softmax; whatever else
happens to them, they may have been masked before, and nothing is said. So is a bias that the function gets, and that is
spread along the axis by hand: ``(scores + bias[:, :, None]).softmax(-1)`` is ``scores.softmax(-1)``.

Silent are two masks of which one has an extent along the axis, what is filled with a number that hides nothing (rows
that would be empty), masks that are multiplied behind the softmax, rows that are hidden once more behind it, and scores
that are used in another way as well: normalised along the other axis, returned, searched for the largest.
"""

from __future__ import annotations

from shapecheck.dims import Dim
from shapecheck.rules.given import is_given
from shapecheck.rules.observed import Observed, Trait, here, methods, tensors_in, watch, watch_marked
from shapecheck.rules.traits import EVERYWHERE, MOVED, with_trait
from shapecheck.shapes import (
    Axis,
    Constant,
    Copies,
    Extreme,
    Factor,
    Fault,
    Origin,
    Shape,
    Tensor,
    Undecided,
    current,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from shapecheck.shapes import AnyValue

LARGE: Final = 1000
"""From here on a number that is taken from scores hides them."""


class Mask:
    """A mask that scores were hidden by, or a bias that was ``added`` to them: its shape, and where.

    ``cases`` are the softmaxes that it does nothing for; ``useful`` tells that it does something elsewhere.
    """

    __slots__ = ("added", "cases", "place", "shape", "useful")

    def __init__(self, shape: Shape, *, added: bool = False) -> None:
        self.shape = shape
        self.place = here()
        self.added = added
        self.cases: list[Undecided] = []
        self.useful = False
        current().masks.append(self)

    def use(self) -> None:
        """Note that the mask is good for something."""
        self.useful = True
        for case in self.cases:
            case.excused = True

    def doubt(self, case: Undecided) -> None:
        """Note a softmax that the mask does nothing for."""
        case.excused = self.useful
        self.cases.append(case)

    @property
    def rows(self) -> set[Factor]:
        """What the mask tells apart."""
        return _parts(self.shape)

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


def _parts(shape: Shape) -> set[Factor]:
    return {factor for axis in shape.known for factor in axis.factors if not isinstance(factor.ident, Copies)}


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
    kept = EVERYWHERE

    def __init__(self, *, negative: bool) -> None:
        super().__init__("hiding", here())
        self.negative = negative


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
    if isinstance(found, Scores):
        return found
    return Scores() if tensor is not None and tensor.shape.axes and is_given(tensor) else None


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


@watch_marked("operator.invert", *methods("logical_not", "bitwise_not"))
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
        call.result = with_trait(result, Scores((*scores.masks, Mask(_extent(mask)))))
    elif source is None or not source.shape.axes or source.mark is None:
        call.result = with_trait(result, Hiding(negative=True))


@watch("operator.add", "operator.sub", "operator.iadd", *methods("add", "sub"))
def _add(call: Observed) -> None:
    left, right, result = call.tensor(0, "input"), call.tensor(1, "other"), call.result
    if left is None or right is None or not isinstance(result, Tensor):
        return
    minus = "sub" in call.name
    computed = [source for source in (left, right) if isinstance(source.mark, Scores)]
    for source, other in ((left, right), (right, left)):
        scores = _scores(source)
        if scores is None or (computed and source not in computed) or (minus and source is right):
            continue
        found = _with_term(scores, other, minus=minus)
        if found is None and not minus and _is_spread(other) and _is_full(source.shape, result.shape):
            found = Scores((*scores.masks, Mask(other.shape, added=True)))
        if found is not None:
            call.result = with_trait(result, found)
            return


def _with_term(scores: Scores, other: Tensor, *, minus: bool) -> Scores | None:
    """Scores to which something was added that is known to be a mask, or none."""
    if isinstance(other.mark, Scores):
        return Scores((*scores.masks, *other.mark.masks))
    if other.kind == "torch.nn.Parameter":
        return scores
    if isinstance(other.mark, Hiding) and other.mark.negative is not minus:
        return Scores((*scores.masks, Mask(other.shape)))
    return None


def _is_spread(bias: Tensor) -> bool:
    """Whether a bias that the function gets was given an axis of 1 by hand."""
    by_hand = any(axis.is_one and axis.origin is Origin.WRITTEN for axis in bias.shape.known)
    return by_hand and is_given(bias) and not all(axis.is_one for axis in bias.shape.known)


def _is_full(source: Shape, result: Shape) -> bool:
    """Whether nothing is repeated where the scores are lined up with something."""
    return len(source) == len(result) and all(
        isinstance(one, Axis) and isinstance(other, Axis) and one.is_one is other.is_one
        for one, other in zip(source, result, strict=True)
    )


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
        without = [mask for mask in scores.masks if mask.extends(behind) is False]
        for mask in scores.masks:
            if mask not in without:
                mask.use()
        if len(without) < len(scores.masks):
            without = [mask for mask in without if mask.added]
        if without:
            _suspect(call, without[-1], axis, source.shape, position)


@watch("torch.nn.functional.scaled_dot_product_attention")
def _attend(call: Observed) -> None:
    keys, given = call.tensor(1, "key"), call.tensor(3, "attn_mask")
    if keys is None or given is None or len(keys.shape) < 2 or keys.shape.rest is not None or not given.shape.axes:
        return
    axis, mask = keys.shape[-2], Mask(_extent(given))
    if isinstance(axis, Axis) and not axis.is_one and mask.extends(1) is False:
        _suspect(call, mask, axis, keys.shape, len(keys.shape) - 2)


def _suspect(call: Observed, mask: Mask, axis: Axis, scores: Shape, position: int) -> None:
    case = Undecided(
        kind=Fault.ROW_MASK, axis=position, left=axis.size, left_shape=scores, right_shape=mask.shape, place=mask.place,
        detail="added" if mask.added else "",
    )  # fmt: skip
    mask.doubt(case)
    call.suspect(case)


# -- what else a mask of rows is good for ------------------------------------------------------------------------------


@watch_marked(
    *methods(
        "sigmoid", "exp", "max", "amax", "argmax", "topk", "sort", "argsort", "flatten", "logsumexp", "sum", "mean",
    ),
    "torch.Tensor.view", *methods("reshape"), "torch.nn.functional.logsigmoid", "torch.special.logsumexp",
)  # fmt: skip
def _use(call: Observed) -> None:
    """Scores with hidden rows, of which one is searched, or that are used one by one."""
    source = call.tensor(0, "input")
    for mask in source.mark.masks if source is not None and isinstance(source.mark, Scores) else ():
        mask.use()


@watch(
    "operator.mul", "operator.imul", *methods("mul", "multiply", "masked_fill", "masked_select", "where", "einsum"),
    "torch.Tensor.mul_", "torch.Tensor.masked_fill_", "operator.getitem", "einops.einsum", *methods("nan_to_num"),
)
def _hide_again(call: Observed) -> None:
    """Rows that are hidden once more behind the softmax."""
    waiting = [mask for mask in current().masks if isinstance(mask, Mask) and mask.cases and not mask.useful]
    if not waiting:
        return
    given = [_parts(_extent(value)) for value in tensors_in(call.args)]
    for mask in waiting:
        if call.name.endswith("nan_to_num") or mask.rows in given:
            mask.use()


def overwritten() -> None:
    """Something is written into a tensor: the rows that were hidden, perhaps."""
    for mask in current().masks:
        if isinstance(mask, Mask) and mask.cases:
            mask.use()


def scores_handed_out(value: AnyValue) -> None:
    """Scores that others get as well may be used in other ways."""
    for tensor in tensors_in([value]):
        for mask in tensor.mark.masks if isinstance(tensor.mark, Scores) else ():
            mask.use()
