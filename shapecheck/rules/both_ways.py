"""SC306: scores of pairs, normalised along either axis, and the true pair picked from both.

``sim.log_softmax(1).gather(2, pair[..., None])`` alone is a pick from what is normalised along another axis. Beside
``sim.log_softmax(2)`` it is one direction of two, as in matching and contrastive losses: whoever normalises the same
scores both ways means both. Scores are the same where they are one tensor, or one parameter that was moved or scaled.
"""

from __future__ import annotations

from shapecheck.dims import Dim
from shapecheck.rules.given import source_of
from shapecheck.rules.observed import Observed, methods, watch
from shapecheck.rules.traits import lone_axis
from shapecheck.shapes import Axis, Tensor, Undecided, current, scope


class Scores:
    """What is known of the scores in ``tensor``.

    Attributes:
        tensor: keeps them alive, and so their identity.
        sizes: those of the axes along which they were normalised.
        cases: the picks from them, each excused as soon as they are normalised along the axis that is picked from.
    """

    __slots__ = ("cases", "sizes", "tensor")

    def __init__(self, tensor: Tensor) -> None:
        self.tensor = tensor
        self.sizes: list[Dim] = []
        self.cases: list[Undecided] = []

    def decide(self) -> None:
        """Excuse the picks from an axis along which they were normalised as well."""
        for case in self.cases:
            along = case.left
            if isinstance(along, Dim) and any(scope().equal(along, size) for size in self.sizes):
                case.excused = True


def scores_in(tensor: Tensor) -> Scores:
    """What is known of scores."""
    source = source_of(tensor)
    key = Scores, id(source)
    found = current().notes.get(key)
    if not isinstance(found, Scores):
        found = current().notes[key] = Scores(source)
    return found


def excuse_both_ways(case: Undecided, source: Tensor | None) -> None:
    """Let what follows, or what came before, excuse a pick from what became of some scores."""
    if source is not None:
        scores = scores_in(source)
        scores.cases.append(case)
        scores.decide()


@watch(*methods("softmax", "log_softmax", "logsumexp"), "torch.nn.functional.softmax",
       "torch.nn.functional.log_softmax", "torch.special.softmax", "torch.special.log_softmax")  # fmt: skip
def _softmax(call: Observed) -> None:
    source = call.tensor(0, "input")
    _note(source, None if source is None else lone_axis(call, source))


@watch("torch.nn.Softmax", "torch.nn.LogSoftmax")
def _softmax_layer(call: Observed) -> None:
    source, dim = call.tensor(0, "input"), getattr(call.layer, "dim", None)
    position = source.shape.position(dim) if source is not None and isinstance(dim, int) else None
    _note(source, position if isinstance(position, int) else None)


@watch("torch.nn.functional.cross_entropy", "torch.nn.CrossEntropyLoss")
def _loss(call: Observed) -> None:
    """A softmax along axis 1, and a pick from it."""
    scores, target = call.tensor(0, "input"), call.tensor(1, "target")
    if scores is not None and target is not None and target.shape.rank == len(scores.shape) - 1:
        _note(scores, 1)


def _note(source: Tensor | None, position: int | None) -> None:
    if source is None or position is None or position >= len(source.shape):
        return
    axis = source.shape[position]
    if isinstance(axis, Axis):
        scores = scores_in(source)
        scores.sizes.append(axis.size)
        scores.decide()
