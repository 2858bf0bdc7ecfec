"""SC301 where the -1 of a reshape is known only afterwards.

``x.view(b, -1, h, w)`` of ``[b, n, c]``, returned as ``"b c h w"``: the declaration says that -1 is c, so n is h*w and
the elements were read in another order than they lie in. The same says a loss whose targets are as many, or a mask that
takes some of them: ``x.view(-1, classes)`` of ``[b, c, h, w]`` with ``[b*h*w]`` of them has c classes.
"""

from __future__ import annotations

from shapecheck.dims import Call, Dim, Kind
from shapecheck.rules.observed import Observed, here, marked_positions, watch, watch_marked
from shapecheck.shapes import (
    Axis,
    Context,
    Fault,
    Mark,
    Mismatch,
    Sequence,
    Shape,
    Tensor,
    current,
    reshape,
    scope,
    use,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence as Several

INFERRED = "inferred"


class _Reshape:
    """A reshape with a -1: what of, to which sizes, where."""

    __slots__ = ("place", "position", "shape", "shown", "sizes")

    def __init__(self, shape: Shape, sizes: list[Dim], position: int, shown: str) -> None:
        self.shape = shape
        self.sizes = sizes
        self.position = position
        self.shown = shown
        self.place = here()


@watch("torch.Tensor.view", "torch.Tensor.reshape", "torch.reshape")
def _reshape(call: Observed) -> None:
    source, result = call.tensor(0, "input"), call.result
    written = call.args[1:]
    if len(written) == 1 and isinstance(written[0], Sequence):
        written = written[0].items  # type: ignore[assignment]  # a Rest among them is no size
    sizes = [size for size in written if isinstance(size, Dim)]
    if source is None or not isinstance(result, Tensor) or result.shape.rank != len(sizes) != 0:
        return
    if source.shape.rest is not None or len(sizes) != len(written):
        return
    open_sizes = [position for position, size in enumerate(sizes) if size.constant == -1]
    axis = result.shape.known[open_sizes[0]] if len(open_sizes) == 1 else None
    if axis is not None and any(isinstance(atom, Call) or atom.name == "-1" for atom in axis.size.atoms):
        shown = f".{call.name.rpartition('.')[2]}"
        made = Mark(INFERRED, _Reshape(source.shape, sizes, open_sizes[0], shown))
        call.result = result.reshaped(result.shape.replaced(open_sizes[0], axis.with_mark(made)))


def inferred_axes(value: Tensor, declared: Several[Dim | None]) -> list[Mismatch]:
    """Scrambled reshapes whose -1 is what the value is declared to have there.

    Args:
        value: a tensor that keeps its declaration.
        declared: the declared size of each axis, None where it has no name.
    """
    found: list[Mismatch] = []
    for position in marked_positions(value.shape, INFERRED):
        axis = value.shape[position]
        size = declared[position] if position < len(declared) else None
        mark = axis.mark if isinstance(axis, Axis) else None
        made = None if mark is None else mark.place
        symbol = None if size is None else size.symbol
        if not isinstance(made, _Reshape) or symbol is None or symbol.kind is not Kind.RIGID or size is None:
            continue
        if any(size == known.size for known in made.shape.known):
            sizes = [size if at == made.position else other for at, other in enumerate(made.sizes)]
            found += _suspicions(made, sizes)
    return found


@watch_marked(
    "torch.nn.functional.cross_entropy", "torch.nn.functional.nll_loss", "torch.nn.CrossEntropyLoss", "torch.nn.NLLLoss"
)
def _targets(call: Observed) -> None:
    scores, targets = call.tensor(0, "input"), call.tensor(1, "target")
    if scores is not None and targets is not None:
        _meet(call, scores, targets)
        _meet(call, targets, scores)


@watch_marked("operator.getitem")
def _taken(call: Observed) -> None:
    source, mask = call.tensor(0, "tensor"), call.tensor(1, "index")
    if source is not None and mask is not None and mask.dtype == "bool":
        _meet(call, source, mask)


def _meet(call: Observed, value: Tensor, other: Tensor) -> None:
    """Note a reshape whose -1, the first axis, must be as long as the first axis of another tensor."""
    if 0 not in marked_positions(value.shape, INFERRED) or not other.shape.axes:
        return
    axis, axis_met = value.shape[0], other.shape[0]
    made = axis.mark.place if isinstance(axis, Axis) and axis.mark is not None else None
    if not isinstance(made, _Reshape) or made.position or not isinstance(axis_met, Axis):
        return
    size = scope().normal(axis_met.size)
    own = {atom for known in made.shape.known for atom in scope().normal(known.size).atoms}
    if len(size.terms) == 1 and size.terms[0][1] == 1 and size.atoms and size.atoms <= own:
        for found in _suspicions(made, [size, *made.sizes[1:]]):
            call.suspect(found)


def _suspicions(made: _Reshape, sizes: list[Dim]) -> list[Mismatch]:
    """What is suspected of a reshape, in a context of its own."""
    outer = current()
    context = Context(scope().fork())
    context.place = made.place
    use(context)
    try:
        reshape(made.shape, sizes)
    finally:
        use(outer)
    return [
        each.replace(place=made.place, operation=made.shown)
        for each in context.suspicions if each.kind is Fault.SCRAMBLED
    ]
