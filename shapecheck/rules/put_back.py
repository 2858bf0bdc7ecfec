"""SC301: axes that a reshape read in another order than they lie, and that go back together as they were.

Frames and channels that are called channels and frames, moved as a block, and merged again are the same elements under
wrong names in between: whatever treats all places along them alike leaves them so. The tensor remembers what is
suspected of it, and loses that wherever the new axes may be told apart.
"""

from __future__ import annotations

from shapecheck.rules.observed import Observed, Trait, methods, watch, watch_marked
from shapecheck.rules.traits import MOVED, ORDERED, PERMUTED, with_trait
from shapecheck.shapes import Axis, Factor, Scrambled, Shape, Tensor, current, lies_in_order

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_EACH = (
    *methods("relu", "sigmoid", "tanh", "exp", "log", "sqrt", "abs", "square", "neg", "sin", "cos"), "operator.neg",
    *[f"torch.nn.functional.{name}" for name in ("relu", "gelu", "silu", "elu", "leaky_relu", "sigmoid", "tanh")],
    *[f"torch.nn.{name}" for name in ("ReLU", "GELU", "SiLU", "ELU", "LeakyReLU", "Sigmoid", "Tanh")],
)  # fmt: skip
"""What does the same to each element."""
_EACH_ROW = ("torch.nn.Linear", "torch.nn.functional.linear")
"""What does the same to each row along the last axis."""
_ALL = methods("sum", "mean", "prod", "amax", "amin", "std", "var", "logsumexp", "any", "all")
"""Statistics, which are the same for elements in any order."""


class Torn(Trait):
    """Elements under axes that a reshape tore apart, as the ``suspicions`` say."""

    __slots__ = ("suspicions",)

    def __init__(self, suspicions: Sequence[Scrambled]) -> None:
        super().__init__("torn", None)
        self.suspicions = suspicions

    def through(self, how: str, source: Shape, result: Shape, *, ordered: bool) -> Trait | None:
        """The elements behind an operation; what is put back in it is excused."""
        left = self.suspicions
        if how == MOVED:
            left = [each for each in left if not _put_back(each, source, result, ordered=ordered)]
        left = [each for each in left if _place(each.pieces, result.axes) is not None]
        return Torn(left) if left else None


def still_torn(tensor: Tensor) -> set[Scrambled]:
    """What a reshape tore apart behind a tensor, and what may be put back: all that it made stands in there."""
    torn = tensor.mark.suspicions if isinstance(tensor.mark, Torn) else ()
    return {each for each in torn if _place(each.pieces, tensor.shape.axes) is not None}


def _factors(axes: Sequence[object]) -> list[Factor]:
    return [factor for axis in axes if isinstance(axis, Axis) for factor in axis.factors]


def _place(pieces: Sequence[Factor], axes: Sequence[object]) -> int | None:
    """Where in all factors of the axes the pieces stand; they may be apart, and then it is the first of them."""
    held = [id(factor) for factor in _factors(axes)]
    missing = not pieces or any(id(piece) not in held for piece in pieces)
    return None if missing else held.index(id(pieces[0]))


def _is_block(pieces: Sequence[Factor], axes: Sequence[object]) -> bool:
    """Whether the pieces stand one behind the other, in their order."""
    place = _place(pieces, axes)
    if place is None:
        return False
    held = _factors(axes)[place : place + len(pieces)]
    return list(map(id, held)) == list(map(id, pieces))


def _put_back(torn: Scrambled, source: Shape, result: Shape, *, ordered: bool) -> bool:
    """Whether an operation puts the pieces of a reshape back together; excuses it then."""
    whole = any(isinstance(axis, Axis) and _is_block(torn.pieces, (axis,)) for axis in result.axes)
    if not whole and ordered and source.rest is None and result.rest is None and _is_block(torn.pieces, source.axes):
        held, place = _factors(source.axes), _place(torn.pieces, source.axes) or 0
        behind = held[place + len(torn.pieces) :]
        whole = lies_in_order([*held[:place], *torn.lying, *behind], result)
    torn.excused = torn.excused or whole
    return whole


@watch(*ORDERED, *PERMUTED)
def _remember(call: Observed) -> None:
    found = [each for each in current().suspicions if isinstance(each, Scrambled) and each.pieces]
    if found and isinstance(call.result, Tensor):
        call.result = with_trait(call.result, Torn(found))


@watch_marked(*_EACH, *_EACH_ROW)
def _each(call: Observed) -> None:
    source, result = call.tensor(0, "input"), call.result
    if source is None or not isinstance(source.mark, Torn) or not isinstance(result, Tensor) or result.mark is not None:
        return
    last = source.shape.axes[-1]
    if call.name not in _EACH_ROW or not any(
        piece is factor for each in source.mark.suspicions for piece in each.pieces for factor in last.factors
    ):
        call.result = with_trait(result, source.mark.through("each", source.shape, result.shape, ordered=True))


@watch_marked(*_ALL)
def _all(call: Observed) -> None:
    source = call.tensor(0, "input")
    trait = None if source is None else source.mark
    if source is None or not isinstance(trait, Torn):
        return
    axes = call.axes(1, "dim", "axis")
    if axes is None and (len(call.args) > 1 or call.kwargs):
        return
    places = range(len(source.shape)) if axes is None else [source.shape.position(axis) for axis in axes]
    gone = [source.shape[place] for place in places if isinstance(place, int)]
    for each in trait.suspicions:
        each.excused = each.excused or _place(each.pieces, gone) is not None
