"""SC307: a softmax, sort or cumulative operation along the batch axis.

What comes out still has the batch axis, but each place along it depends on all of them. That is a fault where such a
place is taken for a sample: returned, or combined with what belongs to single samples. It is none where the axis is
only a step on the way to a statistic of the batch: weights of the samples by which these are summed
(``scores.softmax(0).T @ x``), the difference of two sorted batches, the last of running sums. Scores of a batch against
itself, ``[b, b]``, may be normalised along either axis, as contrastive losses do. A batch axis that was moved, by a
``stack`` or a transpose, is one still, where the function declares it as one.

Until something like that is seen, it counts as a fault. Where the batch is merged with other axes, a softmax over
``[batch*time, k]``, it counts as none, until the batch is taken apart again and handed out.
"""

from __future__ import annotations

from shapecheck.dims import Dim
from shapecheck.rules.observed import BATCH_WORDS, MIXING, Observed, batch_among, is_batch, methods, tensors_in, watch
from shapecheck.shapes import Axis, Fault, Rest, Sequence, Shape, Tensor, Undecided, current, scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Final

    from shapecheck.shapes import AnyValue

PLACES: Final = "places"
WEIGHTS, LOGARITHMS, ORDERED, NORMALISED = "weights", "logarithms", "ordered", "normalised"

_HOW: Final = {
    **dict.fromkeys(("softmax",), WEIGHTS),
    **dict.fromkeys(("log_softmax",), LOGARITHMS),
    **dict.fromkeys(("cumsum", "cumprod", "cummax", "cummin", "logcumsumexp", "sort"), ORDERED),
    **dict.fromkeys(("normalize",), NORMALISED),
}
_REDUCTIONS: Final = frozenset((
    "sum", "mean", "nansum", "nanmean", "prod", "max", "min", "amax", "amin", "argmax", "argmin", "median", "std",
    "var", "logsumexp", "quantile", "norm", "vector_norm", "reduce",
))  # fmt: skip
_PRODUCTS: Final = frozenset(("matmul", "mm", "bmm", "mv", "einsum", "tensordot"))
_EACH: Final = frozenset(("gather", "take_along_dim", "Linear", "linear", "LayerNorm", "layer_norm"))
"""What else works on each sample by itself."""


class Mixed:
    """How the places along an axis depend on each other.

    ``beside`` tells that they were combined with what belongs to single samples, ``single`` that each was taken for a
    sample by itself.
    """

    __slots__ = ("batch", "beside", "cases", "single")

    def __init__(self, batch: Dim, cases: tuple[tuple[str, Undecided], ...], *, beside: bool, single: bool) -> None:
        self.batch = batch
        self.cases = cases
        self.beside = beside
        self.single = single


class Merged(Undecided):
    """Weights along an axis in which the batch is one of several."""

    __slots__ = ()

    def __init__(self, **fields: Any) -> None:
        super().__init__(**fields)
        self.excused = True


@watch(
    *methods("softmax", "log_softmax", "cumsum", "cumprod", "cummax", "cummin", "logcumsumexp", "sort"),
    *[f"torch.nn.functional.{name}" for name in ("softmax", "log_softmax", "normalize")],
)
def _along(call: Observed) -> None:
    source = call.tensor(0, "input")
    operation = call.name.rpartition(".")[2]
    axes = call.axes(2 if operation == "normalize" else 1, "dim", "axis")
    if source is not None and axes is not None and len(axes) == 1:
        _mix_along(call, source.shape, axes[0], _HOW[operation])


@watch("torch.nn.Softmax", "torch.nn.LogSoftmax")
def _layer(call: Observed) -> None:
    source, dim = call.tensor(0, "input"), getattr(call.layer, "dim", None)
    if source is not None and isinstance(dim, int):
        _mix_along(call, source.shape, dim, LOGARITHMS if "Log" in call.name else WEIGHTS)


def _mix_along(call: Observed, shape: Shape, dim: int, how: str) -> None:
    position = shape.position(dim)
    if len(shape) < 2 or not isinstance(position, int):
        return
    batch = batch_among(shape) if position == 0 and how == WEIGHTS else None
    axis = shape[0]
    if batch is None or not isinstance(axis, Axis):
        mix(call, shape, how, position=position)
    elif axis.size not in [other.size for other in shape.known[1:]]:
        found = Merged(kind=Fault.BATCH_LEAK, axis=0, left=Dim.of(batch), left_shape=shape, detail="along")
        _note(call, found, Dim.of(batch), how)


def mix(
    call: Observed, shape: Shape, how: str, *, position: int = 0, place: object = None, operation: str = ""
) -> None:
    """Note that the result of a call depends, at each place along the batch axis, on the whole batch.

    Args:
        call: the call.
        shape: of what it works on.
        how: what the result is along the batch axis.
        position: the axis that it runs along; nothing is noted unless it is called like a batch.
        place: where the cause stands, if not at the call.
        operation: what is to be shown as the cause, if not the call.
    """
    axis = shape[position] if is_batch(shape, position) else None
    if not isinstance(axis, Axis) or axis.mixed == PLACES:
        return
    if axis.size in [other.size for other in shape.known if other is not axis]:
        return
    found = Undecided(
        kind=Fault.BATCH_LEAK, axis=position, left=axis.size, left_shape=shape, detail="along", place=place,
        operation=operation,
    )  # fmt: skip
    _note(call, found, axis.size, how)


def _note(call: Observed, found: Undecided, batch: Dim, how: str) -> None:
    call.suspect(found)
    current().mixing = True
    call.result = _marked(call.result, Mixed(batch, ((how, found),), beside=False, single=False))


def is_moved_batch(name: str, orders: Iterable[tuple[str, ...]]) -> bool:
    """Whether an axis that does not lead is that of a batch by what a function declares.

    A letter is one where it leads a declaration, and stands elsewhere only in front of the same axis, ``"b c"`` and
    ``"k b c"``, or among the same axes, ``"c b"``. Not behind an ``n``, which counts samples too.

    Args:
        name: the name of the axis.
        orders: the axis names of every array that the function declares.
    """
    if name in BATCH_WORDS:
        return True
    leading = [order for order in orders if len(order) > 1 and order[0] == name]
    behind = [order for order in orders if name in order[1:]]
    return bool(leading) and all(any(_is_moved(name, order, lead) for lead in leading) for order in behind)


def _is_moved(name: str, order: tuple[str, ...], lead: tuple[str, ...]) -> bool:
    start = order.index(name)
    if order[0] in {"n", "N"}:
        return False
    return order[start : start + 2] == lead[:2] or sorted(order) == sorted(lead)


@watch("torch.arange", "torch.linspace")
def _count(call: Observed) -> None:
    """Numbers that count along the batch belong to places, such as ranks, and to no sample."""
    call.result = _placed(call.result)


@watch(*methods("argsort"))
def _rank_samples(call: Observed) -> None:
    """The samples from the first to the last: along them stand ranks."""
    source, axes = call.tensor(0, "input"), call.axes(1, "dim")
    if source is not None and axes is not None and len(axes) == 1 and source.shape.position(axes[0]) == 0:
        call.result = _placed(call.result)


@watch(*methods("gather", "take_along_dim"))
def _in_order(call: Observed) -> None:
    """What is taken in the order of ranks."""
    index = call.tensor(1, "indices") if call.name.endswith("take_along_dim") else call.tensor(2, "index")
    axis = index.shape[0] if index is not None and index.shape.axes else None
    if isinstance(axis, Axis) and axis.mixed == PLACES:
        call.result = _placed(call.result)


def _placed(value: AnyValue) -> AnyValue:
    """The same tensor; along its leading axis, if it is a batch, stand places."""
    axis = value.shape[0] if isinstance(value, Tensor) and is_batch(value.shape) else None
    if not isinstance(value, Tensor) or not isinstance(axis, Axis):
        return value
    return Tensor(value.shape.replaced(0, axis.with_mixed(PLACES)), value.dtype, value.kind, value.mark)


@watch(MIXING)
def _follow(call: Observed) -> None:
    """What becomes of a mixed axis in an operation."""
    operands = list(tensors_in([*call.args, *call.kwargs.values()]))
    marked = [(tensor, axis) for tensor in operands for axis in _mixed_axes(tensor)]
    results = list(tensors_in([call.result]))
    if not marked or not results or any(result.shape.rest is not None for result in results):
        return
    mixed = _together([axis.mixed for _, axis in marked if isinstance(axis.mixed, Mixed)])
    others = any(
        isinstance(axis, Axis) and axis.mixed is None and _counts(axis, mixed.batch)
        for tensor in operands if not _mixed_axes(tensor) for axis in tensor.shape.axes
    )  # fmt: skip
    if not any(_has(result.shape, mixed.batch) for result in results):
        for how, case in mixed.cases:
            if isinstance(case, Merged):
                continue
            verdict = _is_meant(call, how, mixed, marked, others=others)
            case.excused = case.excused or verdict is True
            case.faulty = case.faulty or verdict is False
        return
    operation = call.name.rpartition(".")[2]
    single = operation in _REDUCTIONS or operation in _PRODUCTS or operation in _EACH
    single = single or (operation == "getitem" and others)
    after = Mixed(mixed.batch, mixed.cases, beside=mixed.beside or others, single=mixed.single or single)
    call.result = _marked(call.result, after)


def _is_meant(
    call: Observed, how: str, mixed: Mixed, marked: list[tuple[Tensor, Axis]], *, others: bool
) -> bool | None:
    """Whether a mixed axis may well end in an operation; None if that tells nothing."""
    operation = call.name.rpartition(".")[2]
    pure = not mixed.beside and not others
    if operation == "getitem":
        return pure or None if how in (ORDERED, NORMALISED) else None
    if operation in _REDUCTIONS:
        if how in (ORDERED, NORMALISED):
            return pure
        alone = not mixed.single and all(_ends_alone(call, tensor, axis, mixed.batch) for tensor, axis in marked)
        return alone and (how == WEIGHTS or pure)
    if operation in _PRODUCTS and how == WEIGHTS:
        return not mixed.single
    return pure and how in (ORDERED, NORMALISED)


def _ends_alone(call: Observed, tensor: Tensor, axis: Axis, batch: Dim) -> bool:
    """Whether a reduction runs along the batch axis of a tensor and along no other."""
    lost = [_rank(tensor.shape) - _rank(result.shape) for result in tensors_in([call.result])]
    return axis.size == batch and len(tensor.shape) > 1 and set(lost) == {1}


def _rank(shape: Shape) -> int:
    return sum(1 for axis in shape.known if not axis.is_one)


def handed_out(value: AnyValue) -> None:
    """What is returned with a mixed axis is taken for one result a sample."""
    for tensor in tensors_in([value]):
        for axis in _mixed_axes(tensor):
            for _, case in axis.mixed.cases if isinstance(axis.mixed, Mixed) else ():
                # Rows that are still merged may be anything, also of one set.
                case.faulty = case.faulty or not isinstance(case, Merged) or is_batch(tensor.shape)


def _together(found: list[Mixed]) -> Mixed:
    first = found[0]
    cases = dict.fromkeys([case for each in found for case in each.cases])
    return Mixed(
        first.batch, tuple(cases), beside=any(each.beside for each in found), single=any(each.single for each in found)
    )



def _mixed_axes(tensor: Tensor) -> list[Axis]:
    return [axis for axis in tensor.shape.axes if isinstance(axis, Axis) and isinstance(axis.mixed, Mixed)]


def _counts(axis: Axis | Rest, batch: Dim) -> bool:
    return isinstance(axis, Axis) and batch.symbol in scope().normal(axis.size).atoms


def _has(shape: Shape, batch: Dim) -> bool:
    return any(_counts(axis, batch) for axis in shape.axes)


def _marked(value: AnyValue, mixed: Mixed) -> AnyValue:
    """The same value with every axis that counts samples mixed, also in what it is already."""
    if isinstance(value, Sequence):
        items = [item if isinstance(item, Rest) else _marked(item, mixed) for item in value.items]
        return Sequence(items, value.kind, value.fields)
    if not isinstance(value, Tensor):
        return value
    axes: list[Axis | Rest] = []
    for axis in value.shape.axes:
        if isinstance(axis, Axis) and _counts(axis, mixed.batch):
            before = [axis.mixed] if isinstance(axis.mixed, Mixed) else []
            axes.append(axis.with_mixed(_together([mixed, *before])))
        else:
            axes.append(axis)
    return Tensor(Shape(axes), value.dtype, value.kind, value.mark)
