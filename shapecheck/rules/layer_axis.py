"""SC304 for layers: the features that a layer takes arrive on another axis.

``nn.Conv1d(k, 64, 3)`` takes its k features on axis 1. Where ``[b, t, k]`` arrives, with the k that another layer made
on axis 2, it only runs if the data happen to be k long: a layer has its width from the constructor, an axis of the data
from each call. Silent where the two were found to be equal before, and where the width is called like a number of
elements (``seq_len``, ``num_nodes``) or like the axis: such layers mix the elements, each with its own weights. Silent
also behind a product of features with features, which has widths on two axes (see ``second_order``).
"""

from __future__ import annotations

from shapecheck.dims import ONE, Dim, Kind, Symbol
from shapecheck.dims.symbol import Call
from shapecheck.rules.observed import Observed, here, methods, watch
from shapecheck.rules.second_order import Crossed
from shapecheck.shapes import Axis, Fault, Mismatch, scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from shapecheck.dims.symbol import Atom

_LAST = {
    "Linear": "in_features", "RNN": "inputs", "GRU": "inputs", "LSTM": "inputs", "RNNCell": "inputs",
    "GRUCell": "inputs", "LSTMCell": "inputs", "MultiheadAttention": "features", "TransformerEncoderLayer": "features",
    "TransformerDecoderLayer": "features",
}  # fmt: skip
"""Layers that take features on the last axis, and where they keep their number."""

_CHANNELS = {
    **{f"{kind}{rank}d": "inputs" for kind in ("Conv", "ConvTranspose") for rank in (1, 2, 3)},
    **{f"{kind}{rank}d": "channels" for kind in ("BatchNorm", "InstanceNorm") for rank in (1, 2, 3)},
    "GroupNorm": "channels", "SyncBatchNorm": "channels",
}
"""Layers that take them behind the batch."""

_COUNTS = frozenset((
    "len", "maxlen", "length", "seq", "seqlen", "sequence", "ctx", "context", "block", "window", "pos", "position",
    "time", "step", "frame", "token", "patch", "point", "node", "vertex", "vertic", "joint", "landmark", "slot",
    "agent", "item", "object", "query", "quer", "entity", "entit", "neighbor", "neighbour", "n", "t", "l",
))  # fmt: skip
"""Parts of what a number of elements is called, without a plural: a layer that mixes them is as wide as there are."""


@watch(*[f"torch.nn.{name}" for name in _LAST])
def _features_last(call: Observed) -> None:
    """A layer that takes its features on the last axis.

    A linear map of as many steps as there are features is written too where both are one number.
    """
    name = call.name.rpartition(".")[2]
    wanted = getattr(call.layer, _LAST[name], None)
    if name != "Linear" or not isinstance(wanted, Dim) or wanted.constant is None:
        _taken(call, -1, wanted)


@watch(*[f"torch.nn.{name}" for name in _CHANNELS])
def _channels(call: Observed) -> None:
    """A layer that takes channels behind the batch: in front of the axes along which it runs, if it says how many."""
    name = call.name.rpartition(".")[2]
    source = call.tensor(0, "input")
    rank = None if source is None else source.shape.rank
    along = int(name[-2]) if name[-1] == "d" else None
    if rank is None:
        return
    unbatched = along is not None and rank == along + 1 and not name.startswith("BatchNorm")
    _taken(call, 0 if unbatched else 1, getattr(call.layer, _CHANNELS[name], None))


@watch("torch.nn.LayerNorm", "torch.nn.RMSNorm")
def _normalised(call: Observed) -> None:
    """A norm over the last axis alone."""
    sizes: list[object] = getattr(call.layer, "sizes", [])
    if len(sizes) == 1:
        _taken(call, -1, sizes[0])


@watch(*methods("matmul"), "operator.matmul", "torch.nn.functional.linear")
def _by_hand(call: Observed) -> None:
    """A product with a table of weights: both its sizes are of the constructor."""
    weight = call.tensor(1, "other", "weight")
    if weight is None or weight.shape.rank != 2 or any(_is_data(axis.size) for axis in weight.shape.known):
        return
    sizes = [axis.size for axis in weight.shape.known]
    taken = sizes[1] if call.name.endswith("linear") else sizes[0]
    _taken(call, -1, taken if taken.constant is None else None)


def _taken(call: Observed, dim: int, wanted: object) -> None:
    """The fault, if an axis of the data was found to be as long as a layer is wide, whose features stand elsewhere."""
    source = call.tensor(0, "input", "query", "src", "tgt")
    if source is None or not isinstance(wanted, Dim) or wanted == ONE or isinstance(source.mark, Crossed):
        return
    shape = source.shape
    place = shape.position(dim)
    axis = shape[place] if isinstance(place, int) and place < len(shape) else None
    if not isinstance(place, int) or not isinstance(axis, Axis) or shape.rest is not None:
        return
    elsewhere = [other for other, found in enumerate(shape.known) if other != place and found.size == wanted]
    if len(elsewhere) != 1 or not _is_data(axis.size) or _counts_elements(wanted, axis):
        return
    unused = "InstanceNorm" in call.name and not scope().equal(axis.size, wanted)
    if unused or _is_found_here(wanted, axis.size):
        call.suspect(
            Mismatch(
                Fault.LAYER_AXIS, axis=place, other_axis=elsewhere[0], left=wanted, right=axis.size, left_shape=shape,
            )
        )


def _is_data(size: Dim) -> bool:
    """Whether a size comes with the data: an axis name has a part in it."""
    return any(symbol.kind is Kind.RIGID for symbol in _symbols(size.atoms))


def _is_found_here(wanted: Dim, size: Dim) -> bool:
    """Whether a size of the data was found to be the width of a layer by this very call."""
    unknown = size if wanted.constant is not None else wanted
    kind = Kind.RIGID if wanted.constant is not None else Kind.FLEXIBLE
    solutions = [scope().solution(symbol) for symbol in _symbols(unknown.atoms) if symbol.kind is kind]
    return any(solution is not None and solution.place is here() for solution in solutions)


def _symbols(atoms: Iterable[Atom]) -> set[Symbol]:
    """The symbols of a size, also those that are divided or compared."""
    found: set[Symbol] = set()
    for atom in atoms:
        found |= _symbols(atom.atoms_below()) if isinstance(atom, Call) else {atom}
    return found


def _counts_elements(wanted: Dim, axis: Axis) -> bool:
    """Whether a width is called like a number of elements, or like the axis that is found to be as long."""
    words = _words(wanted)
    return bool(words & _COUNTS) or bool(words & _words(axis.size))


def _words(size: Dim) -> set[str]:
    """The words that the names in a size are made of, with and without a plural: not the ``n`` of ``n_mels``."""
    found: set[str] = set()
    for symbol in _symbols(size.atoms):
        words = symbol.name.lower().rpartition(".")[2].split("_")
        for word in words:
            if len(words) == 1 or len(word) > 1:
                found |= {word, *[word.removesuffix(plural) for plural in ("s", "es", "ies")]}
    return found
