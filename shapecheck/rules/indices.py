"""What the numbers of an integer tensor are places on: ``scores.topk(k, dim=1)`` of ``[b, t]`` finds places along t.

A search along an axis, ``arange``, ``randperm`` mark their result; what moves the numbers about (a view, a gather)
carries the mark on, arithmetic with the sizes of axes changes it, and anything else drops it.
"""

from __future__ import annotations

from shapecheck.dims import ONE, ZERO, Dim
from shapecheck.rules import softmax_axis
from shapecheck.rules.observed import Observed, Trait, here, methods, watch, watch_marked
from shapecheck.rules.traits import MOVED, SAME
from shapecheck.shapes import (
    ELLIPSIS,
    AnyValue,
    Axis,
    Constant,
    Mark,
    Opaque,
    Sequence,
    Slice,
    Tensor,
    merged,
    scope,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from shapecheck.shapes import Shape

    Term = tuple[Axis, Dim]


INDEX = "index"


class Index(Trait):
    """The mark of a tensor of places: each number is a sum of places along axes, times the stride of each.

    Attributes:
        terms: the axes with their strides; none once something was written into the tensor.
        found: the operation that found the places.
        source: the shape in which it looked for them, if it looked.
        ranks: whether they lie as a search left them that gives a ranking along the axis: sort, argsort.
    """

    __slots__ = ("found", "ranks", "source", "terms")

    def __init__(
        self,
        terms: Iterable[Term],
        found: str,
        source: Shape | None = None,
        kind: str = INDEX,
        place: object = None,
        *,
        ranks: bool = False,
    ) -> None:
        super().__init__(kind, here() if place is None else place)
        self.terms = tuple(terms)
        self.found = found
        self.source = source
        self.ranks = ranks

    def over(self, terms: Iterable[Term]) -> Index:
        """The mark of other places, made of these."""
        return Index(terms, self.found, self.source, place=self.place)


class Columns(Trait):
    """The mark of a tensor with a column of places for each of several axes; none once it was written into."""

    __slots__ = ("indices",)

    def __init__(self, indices: list[Index]) -> None:
        super().__init__(INDEX, here())
        self.indices: list[Index] | None = indices


class Quotient(Trait):
    """The mark of places divided by a size: rounded down, they are places again."""

    __slots__ = ("divisor", "index")

    def __init__(self, index: Index, divisor: Dim) -> None:
        super().__init__("quotient", here())
        self.index = index
        self.divisor = divisor

    def through(self, how: str, source: Shape, result: Shape, *, ordered: bool) -> Trait | None:
        """The same quotients, wherever they stand."""
        del source, result, ordered
        return self if how in {SAME, MOVED} else None


def index_of(value: AnyValue | None) -> Index | None:
    """What the numbers of a tensor are places on, if it is known."""
    mark = value.mark if isinstance(value, Tensor) else None
    return mark if isinstance(mark, Index) and mark.terms else None


def marked(value: AnyValue, mark: Mark) -> AnyValue:
    """The same tensor with a mark."""
    return Tensor(value.shape, value.dtype, value.kind, mark) if isinstance(value, Tensor) else value


def size_of(value: AnyValue | None) -> Dim | None:
    """An operand that is a size."""
    return value if isinstance(value, Dim) else value.size() if isinstance(value, Opaque) else None


# -- where places come from --------------------------------------------------------------------------------------------

_SEARCHES = {
    "argmax": (1, None), "argmin": (1, None), "max": (1, None), "min": (1, None), "median": (1, None),
    "nanmedian": (1, None), "mode": (1, -1), "kthvalue": (2, -1), "cummax": (1, None), "cummin": (1, None),
    "sort": (1, -1), "argsort": (1, -1), "topk": (2, -1),
}  # fmt: skip
"""Searches along an axis: which argument names it, and which it is by default (None: there is no axis then)."""

_RANKINGS = frozenset(("sort", "argsort"))
"""Those whose result is as long as the axis."""


@watch(*methods(*_SEARCHES))
def _search(call: Observed) -> None:
    source, name = call.tensor(0, "input"), call.name.rpartition(".")[2]
    number, default = _SEARCHES[name]
    given, axes = call.argument(number, "dim", "axis"), call.axes(number, "dim", "axis")
    if source is None or not source.shape.axes:
        return
    if axes is None and (given is None or given == Constant(None)):
        if default is not None:
            axes = [default]
        elif name in {"argmax", "argmin"} and source.shape.rest is None and isinstance(call.result, Tensor):
            # One place in the whole tensor; that it is one is remembered as well, for SC306.
            whole, mark = merged(source.shape.axes, scope()), call.result.mark
            kind = INDEX if mark is None else mark.kind
            call.result = marked(call.result, Index([(whole, ONE)], name, source.shape, kind))
            return
    axis = source.shape.axis(axes[0]) if axes is not None and len(axes) == 1 else None
    if not isinstance(axis, Axis):
        return
    mark = Index([(axis, ONE)], name, source.shape, ranks=name in _RANKINGS)
    if isinstance(call.result, Tensor):
        call.result = marked(call.result, mark)
    elif isinstance(call.result, Sequence) and len(call.result.items) == 2:
        values, places = call.result.items
        call.result = Sequence([values, marked(places, mark)], call.result.kind, call.result.fields)  # type: ignore[arg-type]  # tensors


@watch(*methods("multinomial"))
def _multinomial(call: Observed) -> None:
    source = call.tensor(0, "input")
    axis = source.shape.axis(-1) if source is not None and source.shape.axes else None
    if source is not None and isinstance(axis, Axis):
        call.result = marked(call.result, Index([(axis, ONE)], "multinomial", source.shape))


@watch("torch.arange", "torch.randperm")
def _range(call: Observed) -> None:
    bounds = [size_of(arg) for arg in call.args[:3]]
    end, start = call.argument(1, "end") if len(bounds) > 1 else call.argument(0, "end", "n"), ZERO
    if len(bounds) > 1:
        start = bounds[0] or ONE
    size = size_of(end)
    if size is not None and start == ZERO and len(bounds) < 3 and not call.kwargs.keys() & {"start", "step"}:
        call.result = marked(call.result, Index([(Axis.of(size), ONE)], call.name.rpartition(".")[2]))


@watch(*methods("nonzero"), "torch.where")
def _nonzero(call: Observed) -> None:
    """One tensor of places for each axis, or one column."""
    source, result = call.tensor(0, "input", "condition"), call.result
    if source is not None and source.shape.rank and isinstance(result, Tensor) and not call.name.endswith("where"):
        each = [Index([(axis, ONE)], "nonzero", source.shape) for axis in source.shape.known]
        call.result = marked(result, Columns(each))
    if source is None or not isinstance(result, Sequence) or source.shape.rank != len(result.items):
        return
    items = [
        marked(item, Index([(axis, ONE)], "nonzero", source.shape))  # type: ignore[arg-type]  # a tensor
        for item, axis in zip(result.items, source.shape.known, strict=True)
    ]
    call.result = Sequence(items, result.kind, result.fields)


@watch_marked("operator.getitem", *methods("select"))
def _column(call: Observed) -> None:
    """``found[:, 1]``: the places along one of the axes."""
    columns, entry = _columns(call.args[0]), call.argument(1)
    if columns is None:
        return
    if call.name.endswith("select"):
        axes, number = call.axes(1, "dim"), size_of(call.argument(2, "index"))
        whole = axes in ([1], [-1])
    else:
        entries = entry.items if isinstance(entry, Sequence) and entry.kind == "tuple" else []
        number = size_of(entries[1]) if len(entries) == 2 else None  # type: ignore[arg-type]  # an abstract value
        whole = bool(entries) and (isinstance(entries[0], Slice) or entries[0] == ELLIPSIS)
    place = None if number is None else number.constant
    if whole and place is not None and -len(columns) <= place < len(columns):
        call.result = marked(call.result, columns[place])


@watch_marked(*methods("unbind"))
def _unbound(call: Observed) -> None:
    columns, result = _columns(call.args[0]), call.result
    if columns is None or not isinstance(result, Sequence) or call.axes(1, "dim") not in ([1], [-1]):
        return
    items = [marked(item, mark) for item, mark in zip(result.items, columns, strict=True)]  # type: ignore[arg-type]
    call.result = Sequence(items, result.kind, result.fields)


def _columns(value: AnyValue) -> list[Index] | None:
    mark = value.mark if isinstance(value, Tensor) else None
    return mark.indices if isinstance(mark, Columns) else None


# -- what carries them on ----------------------------------------------------------------------------------------------

_MOVING = (
    *methods(
        "reshape", "flatten", "unflatten", "squeeze", "unsqueeze", "broadcast_to", "tile", "repeat_interleave",
        "transpose", "swapaxes", "permute", "movedim", "t", "clone", "detach", "gather", "index_select",
        "take_along_dim", "split", "chunk", "unbind", "select", "narrow",
    ),
    *[
        f"torch.Tensor.{name}"
        for name in ("view", "expand", "expand_as", "repeat", "contiguous", "to", "long", "int", "float", "cpu", "cuda",
                     "type", "reshape_as", "view_as", "type_as")
    ],
    "operator.getitem", "einops.rearrange", "einops.repeat",
)  # fmt: skip


@watch_marked(*_MOVING)
def _moved(call: Observed) -> None:
    places = call.args[0] if call.args else None
    mark, result = index_of(places), call.result
    if mark is None:
        return
    if mark.ranks and not (isinstance(result, Tensor) and result.shape == places.shape):  # type: ignore[union-attr]  # a tensor
        mark = mark.over(mark.terms)
    if isinstance(result, Tensor) and result.mark is None:
        call.result = marked(result, mark)
    elif isinstance(result, Sequence):
        items = [marked(item, mark) for item in result.items]  # type: ignore[arg-type]  # tensors
        call.result = Sequence(items, result.kind, result.fields)


# -- arithmetic that makes places of places ----------------------------------------------------------------------------


@watch_marked("operator.mul", *methods("mul", "multiply"))
def _times(call: Observed) -> None:
    """A row number times the length of a row."""
    for one, other in ((0, 1), (1, 0)):
        index, size = index_of(call.argument(one, "input", "other")), size_of(call.argument(other, "other", "input"))
        if index is not None and size is not None:
            call.result = marked(call.result, index.over([(axis, stride * size) for axis, stride in index.terms]))
            return


@watch_marked("operator.add", *methods("add"))
def _plus(call: Observed) -> None:
    """The start of a row and a place in it."""
    one, other = index_of(call.argument(0, "input")), index_of(call.argument(1, "other"))
    if one is not None and other is not None and "alpha" not in call.kwargs:
        call.result = marked(call.result, one.over([*one.terms, *other.terms]))


# Registered behind the rule that marks what is searched in the whole tensor.
__all__ = ["INDEX", "Index", "Quotient", "index_of", "marked", "size_of", "softmax_axis"]
