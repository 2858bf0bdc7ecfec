"""SC307: single samples with a sum, or the norm, of the whole batch.

``q - alpha * log_prob.sum()`` and ``q - sum(log_det)``, where one number a sample was meant; ``kl.sum() * mask``;
``z / z.norm()``. Division by a sum is in ``batch_leak``. As there, what counts is that the result is returned.

Silent are all that is left without the samples themselves, ``r.sum() - r``; weighted means, ``r - (w * r).sum()``; a
sum times 0, which only keeps a graph together; counts and places, which are whole numbers; a sum divided by a size; the
norm of gradients, of one vector and of a square; and what is divided by its norm and scaled to another one.
"""

from __future__ import annotations

from shapecheck.dims import Dim
from shapecheck.rules.batch_leak import LEAK, SUM, WHOLE, Leak, Whole, combine
from shapecheck.rules.observed import (
    BATCH_WORDS,
    Observed,
    Trait,
    axis_name,
    is_batch,
    methods,
    unmarked,
    watch,
    watch_marked,
)
from shapecheck.rules.traits import DIVISIONS, EVERYWHERE, is_number, with_trait
from shapecheck.shapes import Axis, Constant, Mark, Sequence, Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.shapes import AnyValue

SAMPLES = f"{WHOLE} sum of samples"
"""The sum of one number a sample: what is divided by it is a share, and it weighs samples."""
NORM, INVERSE = f"{WHOLE} norm", f"{WHOLE} inverse norm"
SQUARES, PRODUCT = "squares", "product"
BOUND = 1e-3
"""Up to here a lower bound only keeps from zero; above it, gradients are clipped."""


class Gradient(Trait):
    """Gradients: their norm is that of all of them."""

    __slots__ = ()
    kept = EVERYWHERE


class Squares(Trait):
    """The squares of ``source``."""

    __slots__ = ("source",)

    def __init__(self, source: Tensor) -> None:
        super().__init__(SQUARES, None)
        self.source = source


def _mark(call: Observed, mark: Mark | None) -> None:
    if isinstance(call.result, Tensor) and mark is not None:
        call.result = Tensor(call.result.shape, call.result.dtype, call.result.kind, mark)


def _whole(tensor: Tensor | None, *kinds: str) -> Whole | None:
    """What is known of a number, if it is one of these of a whole batch."""
    mark = None if tensor is None or tensor.shape.axes else tensor.mark
    return mark if isinstance(mark, Whole) and mark.kind in kinds else None


def _is_two(value: AnyValue | None) -> bool:
    return (isinstance(value, Dim) and value.constant == 2) or (isinstance(value, Constant) and value.value == 2)


# -- numbers of a whole batch ------------------------------------------------------------------------------------------


@watch("builtins.sum", *methods("sum"))
def _sum_of_samples(call: Observed) -> None:
    source, result = call.tensor(0, "input"), call.result
    if source is None or len(source.shape) != 1 or not isinstance(result, Tensor) or result.shape.axes:
        return
    axis = source.shape[0]
    weighed = source.mark is not None and source.mark.kind in {SQUARES, PRODUCT}
    if is_batch(source.shape) and isinstance(axis, Axis) and not weighed:
        _mark(call, Whole(SAMPLES, axis.size, source))


@watch("operator.pow", "operator.mul", *methods("pow", "square", "mul", "multiply"))
def _product(call: Observed) -> None:
    """Squares, whose sum is that of a norm, and samples times weights, whose sum is a mean."""
    left, right, result = call.tensor(0, "input"), call.argument(1, "other", "exponent"), call.result
    if left is None or not isinstance(result, Tensor) or result.mark is not None or not is_batch(result.shape):
        return
    name = call.name.rpartition(".")[2]
    if name == "square" or right is left or (name == "pow" and _is_two(right)):
        call.result = with_trait(result, Squares(left))
    elif isinstance(right, Tensor) and len(right.shape) == 1:
        call.result = with_trait(result, Trait(PRODUCT, None))


@watch("torch.autograd.grad")
def _gradients(call: Observed) -> None:
    if isinstance(call.result, Sequence):
        items = [
            with_trait(item, Gradient("gradients", None)) if isinstance(item, Tensor) else item
            for item in call.result.items
        ]
        call.result = Sequence(items, call.result.kind, call.result.fields)


@watch(*methods("norm"), "torch.linalg.norm", "torch.linalg.vector_norm", "torch.linalg.matrix_norm")
def _norm(call: Observed) -> None:
    source = call.tensor(0, "input", "x", "A")
    if source is not None and not isinstance(source.mark, Gradient):
        _mark_norm(call, source)


@watch_marked(*methods("sqrt", "rsqrt"))
def _root(call: Observed) -> None:
    """The root of a sum of squares."""
    total = _whole(call.tensor(0, "input"), SUM)
    if total is not None and isinstance(total.source.mark, Squares):
        _mark_norm(call, total.source.mark.source, INVERSE if call.name.endswith("rsqrt") else NORM)


def _mark_norm(call: Observed, source: Tensor, kind: str = NORM) -> None:
    shape, result = source.shape, call.result
    axis = shape[0] if len(shape) > 1 and shape.rest is None and is_batch(shape) else None
    if not isinstance(axis, Axis) or not isinstance(result, Tensor) or result.shape.axes:
        return
    if axis.size not in [other.size for other in shape.known[1:]]:
        _mark(call, Whole(kind, axis.size, source))


@watch_marked("operator.neg", *methods("neg", "negative", "detach"))
def _same(call: Observed) -> None:
    _mark(call, _whole(call.tensor(0, "input"), SUM, SAMPLES))


@watch_marked("operator.mul", "operator.truediv", *methods("mul", "multiply", "div"))
def _scaled(call: Observed) -> None:
    """A sum times a number is one still; divided by one that is not written there, it may be a mean."""
    divided = call.name.endswith("div")
    for one, other in ((0, 1), (1, 0)):
        factor = call.argument(other, "other", "input")
        written = isinstance(factor, Constant) or (isinstance(factor, Dim) and factor.constant is not None)
        if divided and (one or not written):
            continue
        coefficient = is_number(factor) and not isinstance(factor, Tensor) and not _is_zero(factor)
        if coefficient and (written or not isinstance(factor, Dim)):
            _mark(call, _whole(call.tensor(one, "input", "other"), SUM, SAMPLES))


def _is_zero(value: AnyValue | None) -> bool:
    return (isinstance(value, Constant) and not value.value) or (isinstance(value, Dim) and value.constant == 0)


@watch_marked("operator.add", *methods("add", "clamp", "clamp_min", "clip"))
def _kept_from_zero(call: Observed) -> None:
    bound = call.argument(1, "other", "min")
    small = isinstance(bound, Constant) and isinstance(bound.value, float) and bound.value <= BOUND
    if (small or (call.name.endswith("add") and is_number(bound))) and call.argument(2, "max") is None:
        _mark(call, _whole(call.tensor(0, "input"), NORM))


# -- combined with samples ---------------------------------------------------------------------------------------------


@watch_marked("operator.add", "operator.sub", *methods("add", "sub", "subtract"))
def _add(call: Observed) -> None:
    subtracts = "sub" in call.name
    for one, other in ((0, 1), (1, 0)):
        samples, number = call.tensor(one, "input", "other"), call.tensor(other, "other", "input")
        total = _whole(number, SUM, SAMPLES)
        if samples is None or total is None or not _adds_up(total):
            continue
        own = samples is total.source
        if (own and subtracts and one == 1) or (total.kind == SAMPLES and (own or not _are_samples(total, samples))):
            continue
        combine(call, total.kind, samples, number)


def _adds_up(total: Whole) -> bool:
    """Whether what was summed are no counts, and no pairs, ``[b, b]``: where these are centred, it comes back."""
    shape = total.source.shape
    sizes = [axis.size for axis in shape.known]
    return total.source.dtype not in {"int", "bool"} and len(set(sizes)) == len(sizes)


def _are_samples(total: Whole, samples: Tensor) -> bool:
    """Whether what was summed has one number a sample: a lone letter may count bins."""
    return len(samples.shape) > 1 or axis_name(total.source.shape[0]) in {*BATCH_WORDS, "B"}


@watch_marked("operator.mul", *methods("mul", "multiply"))
def _multiply(call: Observed) -> None:
    for one, other in ((0, 1), (1, 0)):
        samples, number = call.tensor(one, "input", "other"), call.tensor(other, "other", "input")
        if samples is None or number is None or number.shape.axes:
            continue
        total = _whole(number, SUM)
        if _leaks_by_norm(samples):
            # Vectors that are scaled to another length: what matters is that of all of them.
            call.result = unmarked(call.result, LEAK) if isinstance(call.result, Tensor) else call.result
        elif total is not None and _adds_up(total) and samples is not total.source:
            combine(call, SUM, samples, number)
        else:
            _by_norm(call, samples, number, INVERSE)


def _leaks_by_norm(samples: Tensor) -> bool:
    axis = samples.shape[0] if samples.shape.axes else None
    return isinstance(axis, Axis) and isinstance(axis.mark, Leak) and axis.mark.number.kind in {NORM, INVERSE}


@watch_marked(*DIVISIONS)
def _divide(call: Observed) -> None:
    samples, number = call.tensor(0, "input"), call.tensor(1, "other")
    if samples is not None and number is not None:
        _by_norm(call, samples, number, NORM)


def _by_norm(call: Observed, samples: Tensor, number: Tensor, kind: str) -> None:
    """Activations divided by their own norm; where the mean was taken away, they are standardised."""
    norm, axis = _whole(number, kind), samples.shape[0] if samples.shape.axes else None
    if norm is not None and norm.source is samples and isinstance(axis, Axis) and axis.mark is None:
        combine(call, kind, samples, number)


@watch_marked("operator.add", "operator.sub", "operator.mul", *methods("add", "sub", "subtract", "mul", "multiply"))
def _combined_again(call: Observed) -> None:
    """Samples with the sum of all are no others where they stand on the right: ``mask * (q - log_prob.sum())``."""
    left, right, result = call.tensor(0, "input"), call.tensor(1, "other"), call.result
    if left is None or right is None or not isinstance(result, Tensor) or not is_batch(result.shape):
        return
    axis, own = result.shape[0], right.shape[0] if is_batch(right.shape) else None
    leak = own.mark if isinstance(own, Axis) and isinstance(own.mark, Leak) else None
    if leak is not None and leak.number.kind in {SUM, SAMPLES} and isinstance(axis, Axis) and axis.mark is None:
        call.result = result.reshaped(result.shape.replaced(0, axis.with_mark(leak)))
