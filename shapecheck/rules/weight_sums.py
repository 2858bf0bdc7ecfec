"""SC306: weights that add up to 1 along an axis are summed or averaged along it, with nothing to weigh.

``einsum("bhqk,bhqd->bhqd", weights, v)`` sums k alone, and ``probs.softmax(0).mean(0)`` is 1/n everywhere. What adds up
to 1 is what a softmax made, or a division by its own sum. Every operation but a few loses that: masked or squared
weights may well be summed. Silent are also a sum by itself (a check) and a mean that is kept as an axis of 1 and not
multiplied with anything (a threshold).
"""

from __future__ import annotations

from shapecheck.rules.observed import Observed, Trait, here, methods, watch, watch_marked
from shapecheck.rules.traits import (
    DROPPED,
    MOVED,
    RAISED,
    SAME,
    SCALED,
    Along,
    Total,
    divides_by_own,
    lone_axis,
    with_trait,
)
from shapecheck.shapes import Axis, Constant, Fault, Mismatch, Rest, Sequence, Shape, Tensor

_SOFTMAX = (
    *methods("softmax"), "torch.nn.functional.softmax", "torch.special.softmax", "torch.nn.functional.gumbel_softmax"
)  # fmt: skip
_LOG_SOFTMAX = (*methods("log_softmax"), "torch.nn.functional.log_softmax", "torch.special.log_softmax")


class Weights(Along):
    """Weights that add up to one number along the axis ``position``; to 1 where they are ``exact``.

    ``source`` is what was normalised, where it is known.
    """

    __slots__ = ("exact", "source")
    kept = frozenset((SAME, DROPPED))

    def __init__(
        self, position: int, source: Tensor | None = None, *, exact: bool = True, logarithm: bool = False
    ) -> None:
        super().__init__("logarithms of weights" if logarithm else "weights", position, here())
        self.exact = exact
        self.source = source

    def at(self, position: int) -> Trait:
        """The weights along the axis where it stands now."""
        return Weights(position, self.source, exact=self.exact, logarithm=self.kind != "weights")

    def through(self, how: str, source: Shape, result: Shape, *, ordered: bool) -> Trait | None:
        """The weights behind an operation; scaled or raised they add up to another number."""
        if how in {SCALED, RAISED}:
            return None if self.kind != "weights" else Weights(self.position, self.source, exact=False)
        return super().through(how, source, result, ordered=ordered)


class Balanced(Trait):
    """Weights, or their logarithms, that were normalised along one axis and then another, as by Sinkhorn.

    They add up to 1 along the last one, and nearly so along the others.
    """

    __slots__ = ()
    kept = frozenset((SAME, DROPPED, SCALED, RAISED, MOVED))

    def __init__(self) -> None:
        super().__init__("balanced", here())


def weights_of(tensor: Tensor | None) -> Weights | None:
    """What is known of a tensor of weights."""
    found = None if tensor is None else tensor.mark
    return found if isinstance(found, Weights) and found.kind == "weights" else None


# -- where weights come from -----------------------------------------------------------------------------------------


@watch(*_SOFTMAX, *_LOG_SOFTMAX)
def _softmax(call: Observed) -> None:
    source = call.tensor(0, "input", "logits")
    if source is not None:
        number = 4 if call.name.endswith("gumbel_softmax") else 1
        _normalise(call, source, lone_axis(call, source, number))


@watch("torch.nn.Softmax", "torch.nn.LogSoftmax")
def _softmax_layer(call: Observed) -> None:
    source, dim = call.tensor(0, "input"), getattr(call.layer, "dim", None)
    position = source.shape.position(dim) if source is not None and isinstance(dim, int) else None
    if source is not None and isinstance(position, int):
        _normalise(call, source, position)


def _normalise(call: Observed, source: Tensor, position: int | None) -> None:
    result = call.result
    if position is None or not isinstance(result, Tensor) or len(result.shape) != len(source.shape):
        return
    axis = result.shape[position] if position < len(result.shape) else None
    if isinstance(axis, Axis) and not axis.is_one:
        logarithm = "log" in call.name.rpartition(".")[2].lower()
        again = logarithm and weights_of(source) is None and _is_normalised_elsewhere(source, position)
        call.result = with_trait(result, Balanced() if again else Weights(position, source, logarithm=logarithm))


def _is_normalised_elsewhere(source: Tensor, position: int) -> bool:
    """Whether what is about to be normalised along an axis was normalised along another one."""
    mark = source.mark
    return isinstance(mark, Balanced) or (isinstance(mark, Weights) and mark.position != position)


@watch_marked(*methods("exp"))
def _exponential(call: Observed) -> None:
    source, result = call.tensor(0, "input"), call.result
    logarithms = None if source is None or weights_of(source) is not None else source.mark
    if isinstance(logarithms, (Weights, Balanced)) and isinstance(result, Tensor):
        found = Weights(logarithms.position, logarithms.source) if isinstance(logarithms, Weights) else logarithms
        call.result = with_trait(result, found)


@watch_marked("operator.truediv", *methods("div", "divide", "true_divide"))
def _divide(call: Observed) -> None:
    source, position = call.tensor(0, "input"), divides_by_own(call, "sum", exact=False)
    if source is None or position is None or not isinstance(call.result, Tensor):
        return
    if _is_normalised_elsewhere(source, position):
        call.result = with_trait(call.result, Balanced())
    elif divides_by_own(call, "sum", exact=True) is not None:
        call.result = with_trait(call.result, Weights(position))


# -- what is done with them ------------------------------------------------------------------------------------------


@watch(*methods("sum"))
def _sum(call: Observed) -> None:
    source, result = call.tensor(0, "input"), call.result
    position = None if source is None else lone_axis(call, source)
    if source is None or position is None or not isinstance(result, Tensor):
        return
    weights = weights_of(source)
    constant = weights is not None and weights.exact and weights.position == position
    call.result = with_trait(result, Total(source, position, constant=constant))


@watch_marked(*methods("mean"))
def _mean(call: Observed) -> None:
    source, axes, result = call.tensor(0, "input"), call.axes(1, "dim", "axis"), call.result
    weights = weights_of(source)
    if source is None or axes is None or weights is None or not isinstance(result, Tensor):
        return
    if weights.position not in [source.shape.position(axis) for axis in axes]:
        return
    if call.argument(2, "keepdim") is None:
        _suspect(call, "mean", weights.position, source.shape)
    else:
        call.result = with_trait(result, Total(source, weights.position, how="mean", constant=True))


@watch_marked("einops.reduce")
def _reduce(call: Observed) -> None:
    source, pattern, how = call.tensor(0, "tensor"), call.argument(1, "pattern"), call.argument(2, "reduction")
    weights = weights_of(source)
    if source is None or weights is None or how != Constant("mean"):
        return
    if not isinstance(pattern, Constant) or not isinstance(pattern.value, str):
        return
    before, _, after = pattern.value.partition("->")
    names = before.split()
    if len(names) != len(source.shape) or any(mark in before for mark in "(."):
        return
    if names[weights.position] not in after.replace("(", " ").replace(")", " ").split():
        _suspect(call, "mean", weights.position, source.shape)


@watch_marked("operator.mul", *methods("mul", "multiply"))
def _multiply(call: Observed) -> None:
    for one, other in ((0, 1), (1, 0)):
        total, values = call.tensor(one, "input", "other"), call.tensor(other, "other", "input")
        if total is None or values is None or not values.shape.axes or isinstance(values.mark, Total):
            continue
        if isinstance(total.mark, Total) and total.mark.constant:
            _suspect(call, "times", total.mark.position, total.mark.source.shape)
            return


@watch_marked("torch.einsum", "torch.functional.einsum", "einops.einsum")
def _einsum(call: Observed) -> None:
    equation = letters_of(call)
    if equation is None or len(equation.operands) < 2:
        return
    for number, (operand, names) in enumerate(zip(equation.operands, equation.terms, strict=True)):
        weights = weights_of(operand)
        if weights is None or operand.shape.rest is not None:
            continue
        name = name_at(names, weights.position, len(operand.shape))
        elsewhere = [*equation.terms[:number], *equation.terms[number + 1 :], equation.result]
        if name is not None and names.count(name) == 1 and not any(name in term for term in elsewhere):
            _suspect(call, "sum", weights.position, operand.shape)


def _suspect(call: Observed, how: str, position: int, shape: Shape) -> None:
    axis = shape[position]
    if isinstance(axis, Axis):
        call.suspect(Mismatch(Fault.WEIGHTS_ALONE, axis=position, left=axis.size, left_shape=shape, detail=how))


# -- letters ---------------------------------------------------------------------------------------------------------


class Letters:
    """The names that an einsum gives to the axes of its operands and of its result; ``...`` is one of them."""

    __slots__ = ("operands", "result", "terms")

    def __init__(self, operands: list[Tensor], terms: list[list[str]], result: list[str]) -> None:
        self.operands = operands
        self.terms = terms
        self.result = result


def letters_of(call: Observed) -> Letters | None:
    """The equation of an einsum, of torch or of einops; None unless all of it is known."""
    words = call.name.startswith("einops")
    given = [*call.args]
    pattern = given.pop(-1 if words else 0) if given else None
    if len(given) == 1 and isinstance(given[0], Sequence):
        given = [item for item in given[0].items if not isinstance(item, Rest)]
    operands = [value for value in given if isinstance(value, Tensor)]
    if not isinstance(pattern, Constant) or not isinstance(pattern.value, str) or len(operands) != len(given):
        return None
    left, arrow, right = pattern.value.partition("->")
    terms = [_names(term, words=words) for term in left.split(",")]
    if not arrow or len(terms) != len(operands):
        return None
    return Letters(operands, terms, _names(right, words=words))


def _names(term: str, *, words: bool) -> list[str]:
    if words:
        return term.split()
    before, dots, after = term.replace(" ", "").partition("...")
    return [*before, *(["..."] if dots else []), *after]


def name_at(names: list[str], position: int, rank: int) -> str | None:
    """The name of an axis of an operand; None if it is one of those of the ``...``."""
    dots = names.index("...") if "..." in names else len(names)
    if position < dots:
        return names[position]
    behind = rank - position
    return names[-behind] if dots < len(names) and behind < len(names) - dots else None


def position_of(names: list[str], name: str, shape: Shape) -> int | None:
    """Where in an operand the axis of a name stands."""
    if shape.rest is not None:
        return None
    return next((at for at in range(len(shape)) if name_at(names, at, len(shape)) == name), None)
