"""Losses and distances: two shapes that fit, and a result that ``reduction`` makes a number unless it is ``"none"``."""

from __future__ import annotations

from shapecheck.dims import Dim, No
from shapecheck.ops.products import at_least, contract, exact_rank
from shapecheck.ops.reductions import reduction as reduced_over
from shapecheck.ops.registry import OPERATIONS, Module, module, op
from shapecheck.shapes import (
    FALSE,
    AnyValue,
    Axis,
    Constant,
    Fault,
    Mismatch,
    Origin,
    Shape,
    Tensor,
    broadcast,
    require,
    suspect_order,
)
from shapecheck.shapes import Sequence as Several

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Final

SCALAR: Final = Shape(())
FUNCTIONAL: Final = "torch.nn.functional."


def summed_up(
    shape: Shape | Mismatch, reduction: str, others: Sequence[object] = (), options: Mapping[str, object] | None = None
) -> Tensor | Mismatch:
    """One number, or where nothing is reduced the loss of each element.

    Args:
        shape: of the losses before they are reduced.
        reduction: as given by keyword.
        others: positional arguments, of which a string is the reduction.
        options: keyword arguments, of which ``reduce=False`` is the old way to ask for no reduction.
    """
    if isinstance(shape, Mismatch):
        return shape
    for other in others:
        if isinstance(other, Constant) and isinstance(other.value, str):
            reduction = other.value
    if options is not None and options.get("reduce") == FALSE:
        reduction = "none"
    return Tensor(shape if reduction == "none" else SCALAR, "float")


def same_shape(input: Shape, target: Shape) -> Shape | Mismatch:
    """The shape of two tensors that must have the same one."""
    if input.rest is not None or target.rest is not None:
        return input if target.is_unknown or input.rest is None else target
    if len(input) != len(target):
        return Mismatch(Fault.RANK, left_shape=target, right_shape=input, detail=str(len(input)))
    for position, (one, other) in enumerate(zip(input.known, target.known, strict=True)):
        fault = _fits(input, position, one, target, position, other)
        if fault is not None:
            return fault
    return input


def _fits(input: Shape, axis: int, one: Axis, target: Shape, other_axis: int, other: Axis) -> Mismatch | None:
    verdict = require(one.size, other.size)
    if isinstance(verdict, No):
        return Mismatch(
            Fault.SIZE, axis=axis, other_axis=other_axis, left=one.size, right=other.size, left_shape=input,
            right_shape=target, because=verdict.because,
        )
    suspect_order(one, other)
    return None


def of_classes(input: Shape, target: Shape) -> Shape | Mismatch:
    """``[n, c, *s]`` with classes ``[n, *s]``, or ``[c]`` with one class ``[]``: the shape of the target."""
    if input.rank is None or target.rank is None:
        return Shape.unknown() if target.rank is None else target
    if input.rank == 0:
        return Mismatch(Fault.RANK, left_shape=input, detail="at least 1")
    if target.rank != input.rank - 1:
        return Mismatch(Fault.RANK, left_shape=target, right_shape=input, detail=str(input.rank - 1))
    class_axis = 1 if input.rank > 1 else 0
    for position, axis in enumerate(target.known):
        place = position if position < class_axis else position + 1
        fault = _fits(input, place, input.known[place], target, position, axis)
        if fault is not None:
            return fault
    return target


def _weighted(input: Tensor, weight: AnyValue | None) -> Mismatch | None:
    """One weight for each class."""
    if not isinstance(weight, Tensor) or weight.shape.rank is None or input.shape.rank in {None, 0}:
        return None
    fault = exact_rank(weight.shape, 1)
    if fault is not None:
        return fault
    place = 1 if len(input.shape) > 1 else 0
    return _fits(weight.shape, 0, weight.shape.known[0], input.shape, place, input.shape.known[place])


@op(FUNCTIONAL + "cross_entropy")
def cross_entropy(
    input: Tensor, target: Tensor, weight: AnyValue | None = None, *others: object, reduction: str = "mean",
    **options: object,
) -> Tensor | Mismatch:
    """``[n, c, *s], [n, *s] -> []``; the target holds classes, or probabilities ``[n, c, *s]``."""
    fault = _weighted(input, weight)
    if fault is not None:
        return fault
    ranks = input.shape.rank, target.shape.rank
    if None not in ranks and ranks[0] == ranks[1] and target.dtype != "int":
        shape = same_shape(input.shape, target.shape)
        if not isinstance(shape, Mismatch) and shape.axes:
            shape = shape.without([1 if len(shape) > 1 else 0])
    else:
        shape = of_classes(input.shape, target.shape)
        if target.shape.rank is not None and input.shape.rank is None and target.dtype != "int":
            shape = shape if isinstance(shape, Mismatch) else Shape.unknown()
    return summed_up(shape, reduction, others, options)


@op(FUNCTIONAL + "linear_cross_entropy")
def linear_cross_entropy(
    input: Tensor, linear_weight: Tensor, target: Tensor, *, reduction: str = "mean", **options: object
) -> Tensor | Mismatch:
    """``[n, d], [c, d], [n] -> []``: a linear layer and the cross entropy of what it gives."""
    width, classes = input.shape, linear_weight.shape
    fault = at_least(width, 1)
    if fault is None and classes.rank == 2:
        fault = contract(width, len(width) - 1, classes, 1)
    if fault is not None:
        return fault
    if width.rank not in {1, 2} or classes.rank != 2:
        # Classes on several axes: one loss for each class that the target names, or for each row of probabilities.
        shape = target.shape if target.dtype == "int" else Shape.unknown()
        if target.dtype == "float" and width.rank in {1, 2} and (target.shape.rank or 0) >= width.rank:
            shape = target.shape.without([width.rank - 1])
        return summed_up(shape, reduction)
    return cross_entropy(Tensor(Shape((*width.axes[:-1], classes.axes[0]))), target, reduction=reduction)


@op(FUNCTIONAL + "nll_loss")
def nll_loss(
    input: Tensor, target: Tensor, weight: AnyValue | None = None, *others: object, reduction: str = "mean",
    **options: object,
) -> Tensor | Mismatch:
    """``[n, c, *s], [n, *s] -> []``; the target holds classes."""
    fault = _weighted(input, weight)
    if fault is not None:
        return fault
    return summed_up(of_classes(input.shape, target.shape), reduction, others, options)


@op(FUNCTIONAL + "mse_loss", FUNCTIONAL + "l1_loss", FUNCTIONAL + "smooth_l1_loss", FUNCTIONAL + "huber_loss")
def mse_loss(
    input: Tensor, target: Tensor, *others: object, reduction: str = "mean", **options: object
) -> Tensor | Mismatch:
    """``[*a], [*b] -> []``, or what they broadcast to; torch warns where it is not the shape of both."""
    shapes = input.shape, target.shape
    if reduction != "none" and "none" not in others:
        # The mean over all pairs of samples is no loss, however the axis of one came about.
        shapes = _as_declared(input.shape), _as_declared(target.shape)
    return summed_up(broadcast(*shapes), reduction, others, options)


def _as_declared(shape: Shape) -> Shape:
    """The same shape, no axis of which was written by hand."""
    return Shape([axis.with_origin(Origin.DECLARED) if isinstance(axis, Axis) else axis for axis in shape])


@op(FUNCTIONAL + "kl_div", FUNCTIONAL + "poisson_nll_loss", FUNCTIONAL + "soft_margin_loss",
    FUNCTIONAL + "hinge_embedding_loss")
def kl_div(
    input: Tensor, target: Tensor, *others: object, reduction: str = "mean", **options: object
) -> Tensor | Mismatch:
    """``[*a], [*b] -> []``, or what they broadcast to."""
    return summed_up(broadcast(input.shape, target.shape), reduction, others, options)


@op(FUNCTIONAL + "gaussian_nll_loss")
def gaussian_nll_loss(
    input: Tensor, target: Tensor, var: AnyValue, *others: object, reduction: str = "mean", **options: object
) -> Tensor | Mismatch:
    """``[*a], [*b], [*v] -> []``, or what the first two broadcast to."""
    return summed_up(broadcast(input.shape, target.shape), reduction, others, options)


@op(FUNCTIONAL + "binary_cross_entropy", FUNCTIONAL + "binary_cross_entropy_with_logits")
def binary_cross_entropy(
    input: Tensor, target: Tensor, *others: object, reduction: str = "mean", **options: object
) -> Tensor | Mismatch:
    """``[*s], [*s] -> []`` or ``[*s]``; unlike other losses it does not broadcast."""
    for weights in [*others[:1], options.get("weight"), options.get("pos_weight")]:
        if isinstance(weights, Tensor):
            found = broadcast(input.shape, weights.shape)
            if isinstance(found, Mismatch):
                return found
    return summed_up(same_shape(input.shape, target.shape), reduction, others, options)


@op(FUNCTIONAL + "cosine_similarity", "torch.cosine_similarity")
def cosine_similarity(x1: Tensor, x2: Tensor, dim: int = 1, eps: object = None) -> Tensor | Mismatch:
    """``[.. a ..], [.. a ..] -> [..]``."""
    shape = broadcast(x1.shape, x2.shape)
    return shape if isinstance(shape, Mismatch) else reduced_over(Tensor(shape), [dim], "float")


@op(FUNCTIONAL + "pairwise_distance", "torch.pairwise_distance")
def pairwise_distance(
    x1: Tensor, x2: Tensor, p: object = None, eps: object = None, keepdim: bool = False
) -> Tensor | Mismatch:
    """``[.., d], [.., d] -> [..]``."""
    shape = broadcast(x1.shape, x2.shape)
    return shape if isinstance(shape, Mismatch) else reduced_over(Tensor(shape), [-1], "float", keepdim=keepdim)


@op(FUNCTIONAL + "cosine_embedding_loss")
def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, target: Tensor, *others: object, reduction: str = "mean", **options: object
) -> Tensor | Mismatch:
    """``[n, d], [n, d], [n] -> []``."""
    shape = same_shape(input1.shape, input2.shape)
    if isinstance(shape, Mismatch):
        return shape
    fault = exact_rank(target.shape, 0, 1)
    if fault is not None:
        return fault
    if shape.rank is None or target.shape.rank is None:
        return summed_up(Shape.unknown(), reduction, others, options)
    return summed_up(broadcast(Shape(shape.axes[:-1]), target.shape), reduction, others, options)


@op(FUNCTIONAL + "margin_ranking_loss")
def margin_ranking_loss(
    input1: Tensor, input2: Tensor, target: Tensor, *others: object, reduction: str = "mean", **options: object
) -> Tensor | Mismatch:
    """``[*s], [*s], [*s] -> []``; as many axes each, which broadcast."""
    for other in (input2, target):
        if input1.shape.rank is not None and other.shape.rank not in {None, input1.shape.rank}:
            return Mismatch(
                Fault.RANK, left_shape=other.shape, right_shape=input1.shape, detail=str(input1.shape.rank)
            )
    return summed_up(broadcast(input1.shape, input2.shape, target.shape), reduction, others, options)


@op(FUNCTIONAL + "triplet_margin_loss", FUNCTIONAL + "triplet_margin_with_distance_loss")
def triplet_margin_loss(
    anchor: Tensor, positive: Tensor, negative: Tensor, *others: object, reduction: str = "mean", **options: object
) -> Tensor | Mismatch:
    """``[.., d], [.., d], [.., d] -> []``."""
    shape = broadcast(anchor.shape, positive.shape, negative.shape)
    if isinstance(shape, Mismatch):
        return shape
    if options.get("distance_function", Constant(None)) != Constant(None):
        return summed_up(Shape.unknown(), reduction, others, options)
    reduced = reduced_over(Tensor(shape), [-1], "float")
    return summed_up(reduced if isinstance(reduced, Mismatch) else reduced.shape, reduction, others, options)


@op(FUNCTIONAL + "multi_margin_loss")
def multi_margin_loss(
    input: Tensor, target: Tensor, *others: object, reduction: str = "mean", **options: object
) -> Tensor | Mismatch:
    """``[n, c], [n] -> []``."""
    fault = exact_rank(input.shape, 0, 1, 2)
    if fault is not None or input.shape.rank in {0, 1}:
        return fault or summed_up(target.shape, reduction, others, options)
    return summed_up(of_classes(input.shape, target.shape), reduction, others, options)


@op(FUNCTIONAL + "multilabel_margin_loss", FUNCTIONAL + "multilabel_soft_margin_loss")
def multilabel_margin_loss(
    input: Tensor, target: Tensor, *others: object, reduction: str = "mean", **options: object
) -> Tensor | Mismatch:
    """``[n, c], [n, c] -> []``."""
    shape = same_shape(input.shape, target.shape)
    if isinstance(shape, Mismatch):
        return shape
    reduced = Shape.unknown() if shape.rank is None else Shape(shape.axes[:-1])
    return summed_up(reduced, reduction, others, options)


@op(FUNCTIONAL + "ctc_loss")
def ctc_loss(
    log_probs: Tensor, targets: object, input_lengths: object, target_lengths: object, *others: object,
    reduction: str = "mean", **options: object,
) -> Tensor | Mismatch:
    """``[t, n, c], [n, s], [n], [n] -> []``; the targets may be one after another, ``[s]``."""
    fault = exact_rank(log_probs.shape, 2, 3)
    if fault is not None:
        return fault
    for given, ranks in ((targets, (2,)), (input_lengths, (1,)), (target_lengths, (1,))):
        if log_probs.shape.rank != 3 or not isinstance(given, Tensor) or given.shape.rank not in ranks:
            continue
        samples = given.shape.known[0]
        fault = _fits(log_probs.shape, 1, log_probs.shape.known[1], given.shape, 0, samples)
        if fault is not None:
            return fault
    shape = Shape(log_probs.shape.axes[1:2]) if log_probs.shape.rank == 3 else Shape.unknown()
    return summed_up(shape, reduction, others, options)


# -- layers ----------------------------------------------------------------------------------------------------------

CRITERIA: Final = {
    "L1Loss": "l1_loss",
    "MSELoss": "mse_loss",
    "SmoothL1Loss": "smooth_l1_loss",
    "HuberLoss": "huber_loss",
    "CrossEntropyLoss": "cross_entropy",
    "NLLLoss": "nll_loss",
    "BCELoss": "binary_cross_entropy",
    "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    "KLDivLoss": "kl_div",
    "PoissonNLLLoss": "poisson_nll_loss",
    "GaussianNLLLoss": "gaussian_nll_loss",
    "SoftMarginLoss": "soft_margin_loss",
    "HingeEmbeddingLoss": "hinge_embedding_loss",
    "CosineEmbeddingLoss": "cosine_embedding_loss",
    "MarginRankingLoss": "margin_ranking_loss",
    "TripletMarginLoss": "triplet_margin_loss",
    "TripletMarginWithDistanceLoss": "triplet_margin_with_distance_loss",
    "MultiMarginLoss": "multi_margin_loss",
    "MultiLabelMarginLoss": "multilabel_margin_loss",
    "MultiLabelSoftMarginLoss": "multilabel_soft_margin_loss",
    "CTCLoss": "ctc_loss",
}
"""Each loss layer and the function it calls with the reduction it was made with."""

FORWARDED: Final = ("weight", "distance_function", "reduce")


def _criterion(name: str, function: str) -> None:
    @module(f"torch.nn.{name}")
    class Criterion(Module):
        """A loss that keeps its reduction."""

        def __init__(self, *others: object, reduction: str = "mean", **options: object) -> None:
            chosen = [value for value in others if isinstance(value, Constant) and isinstance(value.value, str)]
            self.keywords: dict[str, AnyValue] = {"reduction": chosen[-1] if chosen else Constant(reduction)}
            for key in FORWARDED:
                value = options.get(key)
                if isinstance(value, (Tensor, Constant)):
                    self.keywords[key] = value

        def forward(self, *args: object, **options: object) -> AnyValue | Mismatch:
            """As the function, on the tensors of the call."""
            keywords = {**self.keywords, **options}
            return OPERATIONS[FUNCTIONAL + function](args, keywords)  # type: ignore[arg-type]  # abstract values


for _name, _function in CRITERIA.items():
    _criterion(_name, _function)


@module("torch.nn.LinearCrossEntropyLoss")
class LinearCrossEntropyLoss(Module):
    """``[n, d], [n] -> []`` with weights ``[c, d]``."""

    def __init__(
        self, in_features: Dim, num_classes: Dim, *, out_features: AnyValue | None = None, reduction: str = "mean",
        **options: object,
    ) -> None:
        plain = out_features is None or (isinstance(out_features, Several) and not out_features.items)
        classes = Shape.of(num_classes, in_features) if plain else Shape.unknown()
        self.weight = Tensor(classes, "float")
        self.reduction = reduction

    def forward(self, input: Tensor, target: Tensor) -> Tensor | Mismatch:
        """As the function."""
        return linear_cross_entropy(input, self.weight, target, reduction=self.reduction)


@module("torch.nn.CosineSimilarity")
class CosineSimilarity(Module):
    """``[.. a ..], [.. a ..] -> [..]``."""

    def __init__(self, dim: int = 1, eps: object = None) -> None:
        self.dim = dim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor | Mismatch:
        """As the function."""
        return cosine_similarity(x1, x2, self.dim)


@module("torch.nn.PairwiseDistance")
class PairwiseDistance(Module):
    """``[.., d], [.., d] -> [..]``."""

    def __init__(self, p: object = None, eps: object = None, keepdim: bool = False) -> None:
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor | Mismatch:
        """As the function."""
        return pairwise_distance(x1, x2, keepdim=self.keepdim)
