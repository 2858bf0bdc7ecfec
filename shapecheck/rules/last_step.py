"""SC308: a recurrent layer ran along one axis, and the last step is taken along another.

``y[:, -1]`` of what ``nn.LSTM(d, h)`` made of ``[stores, weeks, d]``: it ran along the stores, and the last week is
read. No axis needs a known name for that. Silent where two layers ran along both axes, behind anything that may move
axes, and for every place but the last.
"""

from __future__ import annotations

from shapecheck.dims import Dim
from shapecheck.rules.observed import Observed, is_batch, methods, watch_marked
from shapecheck.rules.step_shifts import Ran, ran_along
from shapecheck.rules.traits import with_trait
from shapecheck.shapes import ELLIPSIS, NONE, Axis, Fault, Mismatch, Sequence, Slice, Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from shapecheck.shapes import AnyValue, Rest

_EACH: Final = (
    *methods("relu", "tanh", "sigmoid", "exp"), *[f"torch.nn.functional.{name}" for name in ("relu", "gelu", "silu")],
    *[f"torch.nn.{name}" for name in ("ReLU", "GELU", "SiLU", "Tanh", "Sigmoid", "ELU", "LeakyReLU")],
    "torch.nn.Linear", "torch.nn.Dropout", "torch.nn.LayerNorm", "torch.nn.functional.dropout",
)  # fmt: skip
"""What looks at each step by itself."""


@watch_marked(*_EACH)
def _each(call: Observed) -> None:
    ran, result = ran_along(call.tensor(0, "input")), call.result
    if ran is not None and isinstance(result, Tensor) and result.mark is None:
        call.result = with_trait(result, ran)


@watch_marked("operator.add", "operator.sub", "operator.mul", *methods("add", "sub", "mul"))
def _both(call: Observed) -> None:
    """A sum with the input, or of two layers: the axes of both."""
    found = [ran_along(call.tensor(0, "input")), ran_along(call.tensor(1, "other"))]
    rans, result = [ran for ran in found if ran is not None], call.result
    if rans and isinstance(result, Tensor) and result.mark is None and result.shape.rank == 3:
        axes = frozenset(axis for ran in rans for axis in ran.axes)
        call.result = with_trait(result, Ran(axes, rans[0].shape, batch_first=rans[0].batch_first))


@watch_marked("operator.getitem", "torch.Tensor.__getitem__")
def _subscript(call: Observed) -> None:
    source, subscript = call.tensor(0), call.argument(1)
    ran = ran_along(source)
    if ran is None or source is None or subscript is None:
        return
    entries: list[AnyValue | Rest] = [subscript]
    if isinstance(subscript, Sequence) and subscript.kind == "tuple":
        entries = list(subscript.items)
    _taken(call, ran, source, _last_of(entries))


@watch_marked(*methods("select"))
def _select(call: Observed) -> None:
    source, axes, place = call.tensor(0, "input"), call.axes(1, "dim"), call.axes(2, "index")
    ran = ran_along(source)
    if ran is not None and source is not None and axes is not None and place == [-1]:
        _taken(call, ran, source, axes[0] % 3)


def _last_of(entries: list[AnyValue | Rest]) -> int | None:
    """The one of the leading two axes of which the last place is taken, the other being whole."""
    if len(entries) > 1 and entries[0] == ELLIPSIS:
        # `[..., -1, :]`
        return _last_of([_WHOLE] * (4 - len(entries)) + entries[1:])
    leading = [entry for entry in entries if entry != ELLIPSIS][:2]
    if any(not _is_whole(entry) and not _is_last(entry) for entry in leading):
        return None
    places = [place for place, entry in enumerate(leading) if _is_last(entry)]
    return places[0] if len(places) == 1 else None


_WHOLE: Final = Slice(None, None, None)


def _is_whole(entry: object) -> bool:
    return isinstance(entry, Slice) and all(bound in {None, NONE} for bound in (entry.start, entry.stop, entry.step))


def _is_last(entry: object) -> bool:
    return isinstance(entry, Dim) and entry.constant == -1


def _taken(call: Observed, ran: Ran, source: Tensor, place: int | None) -> None:
    """Report the last of an axis along which no layer ran."""
    shape = source.shape
    if place is None or shape.rank != 3 or len(ran.axes) != 1 or shape.axes[:2] != ran.shape.axes[:2]:
        return
    (along,) = ran.axes
    axis, other = shape[place], shape[along]
    if place not in {0, 1} or place == along or not isinstance(axis, Axis) or not isinstance(other, Axis):
        return
    if axis.size.constant == 1 or (is_batch(ran.shape, along) and not is_batch(ran.shape, place)):
        # One sequence; or the layer's call is reported already.
        return
    call.suspect(
        Mismatch(
            Fault.BATCH_LAST, axis=place, left=other.size, right=axis.size, left_shape=ran.shape, other_axis=along,
            detail=str(not ran.batch_first),
        )
    )
