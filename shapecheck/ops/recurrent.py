"""Recurrent layers and their cells."""

from __future__ import annotations

import copy

from shapecheck.dims import Dim, No
from shapecheck.ops.axes import constant, flag, opaque, size_of, unknown_shape, wants, wrong_size
from shapecheck.ops.packing import packed, padded_of
from shapecheck.ops.registry import Module, forward, module
from shapecheck.shapes import AnyValue, Axis, Constant, Fault, Mismatch, Rest, Shape, Tensor, Unknown, require
from shapecheck.shapes import Sequence as Several

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class Recurrent(Module):
    """``[t b in], [layers b hidden] -> [t b hidden], [layers b hidden]``; ``b`` may be missing."""

    def __init__(
        self, input_size: object, hidden_size: object, num_layers: object = 1, bias: object = True,
        batch_first: object = False, dropout: object = None, bidirectional: object = False, proj_size: object = 0,
        device: object = None, dtype: object = None,
    ) -> None:
        self.inputs, self.hidden = size_of(input_size, "input_size"), size_of(hidden_size, "hidden_size")
        self.layers = size_of(num_layers, "num_layers")
        self.batch_first = flag(batch_first, default=False)
        both = flag(bidirectional, default=False)
        self.directions = opaque("directions") if both is None else Dim.of(2 if both else 1)
        projected = size_of(proj_size, "proj_size")
        number = constant(projected)
        if number is None:
            self.outputs = projected if isinstance(proj_size, Dim) else opaque("proj_size")
        else:
            self.outputs = projected if number > 0 else self.hidden

    def state(self, size: Dim, batch: tuple[Axis | Rest, ...]) -> Shape:
        """The shape of a hidden state."""
        # Layers and directions are an axis of their own even where their number is known.
        return Shape((Axis.of(self.layers * self.directions, ident=self), *batch, Axis.of(size)))

    def run(self, input: Tensor, states: Sequence[tuple[Tensor, Dim]]) -> tuple[Tensor, list[Tensor]] | Mismatch:
        """The output and the final states, ``states`` being the given ones with their sizes."""
        rank = input.shape.rank
        if rank is not None and rank not in {2, 3}:
            return Mismatch(Fault.RANK, left_shape=input.shape, detail="2 or 3")
        fault = wants(input.shape, -1, self.inputs)
        if fault is not None:
            return fault
        batch: tuple[Axis | Rest, ...] = ()
        if rank is None:
            batch = (Rest(),)
        elif rank == 3:
            batch = (Axis.unfollowed(opaque("batch")),) if self.batch_first is None else (
                input.shape[0 if self.batch_first else 1],
            )
        for state, size in states:
            fault = _fits(state, self.state(size, batch))
            if fault is not None:
                return fault
        features = Axis.of(self.outputs * self.directions)
        lead = input.shape.axes[:-1] if rank is not None or input.shape.rest != len(input.shape) - 1 else (Rest(),)
        made = [Tensor(self.state(size, batch), input.dtype) for size in (self.outputs, self.hidden)]
        return input.reshaped(Shape((*lead, features))), made

    def over_packed(self, args: Sequence[AnyValue], kwargs: Mapping[str, AnyValue]) -> AnyValue | Mismatch:
        """``packed, [layers b hidden] -> packed, ..``: time first, whatever the layer is made for."""
        padded = padded_of(args[0])
        if padded is None:
            return Unknown("a packed sequence that is not followed")
        layer = copy.copy(self)
        layer.batch_first = False
        found = forward(layer, [padded, *args[1:]], kwargs)
        if not isinstance(found, Several) or not isinstance(found.items[0], Tensor):
            return found
        return Several([packed(found.items[0]), *found.items[1:]])

    def attributes(self) -> dict[str, AnyValue]:
        """Sizes by name."""
        found: dict[str, AnyValue] = {
            "input_size": self.inputs, "hidden_size": self.hidden, "num_layers": self.layers
        }
        if self.batch_first is not None:
            found["batch_first"] = Constant(self.batch_first)
        return found


def _fits(state: Tensor, wanted: Shape) -> Mismatch | None:
    if state.shape.rest is not None or wanted.rest is not None:
        return None
    if len(state.shape) != len(wanted):
        return Mismatch(Fault.RANK, left_shape=state.shape, right_shape=wanted, detail=str(len(wanted)))
    for place, (have, want) in enumerate(zip(state.shape, wanted, strict=True)):
        if isinstance(have, Rest) or isinstance(want, Rest):
            continue
        verdict = require(have.size, want.size)
        if isinstance(verdict, No):
            return wrong_size(state.shape, place, have.size, want.size, verdict)
    return None


@module("torch.nn.RNN")
class RNN(Recurrent):
    """``[t b in] -> [t b hidden], [layers b hidden]``."""

    def __init__(
        self, input_size: object, hidden_size: object, num_layers: object = 1, nonlinearity: object = None,
        bias: object = True, batch_first: object = False, dropout: object = None, bidirectional: object = False,
        device: object = None, dtype: object = None,
    ) -> None:
        super().__init__(input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> AnyValue | Mismatch:
        """``[t b in], [layers b hidden] -> [t b hidden], [layers b hidden]``."""
        return _plain(self, input, hx)


@module("torch.nn.GRU")
class GRU(Recurrent):
    """``[t b in] -> [t b hidden], [layers b hidden]``."""

    def __init__(
        self, input_size: object, hidden_size: object, num_layers: object = 1, bias: object = True,
        batch_first: object = False, dropout: object = None, bidirectional: object = False, device: object = None,
        dtype: object = None,
    ) -> None:
        super().__init__(input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> AnyValue | Mismatch:
        """``[t b in], [layers b hidden] -> [t b hidden], [layers b hidden]``."""
        return _plain(self, input, hx)


def _plain(layer: Recurrent, input: Tensor, state: Tensor | None) -> AnyValue | Mismatch:
    found = layer.run(input, [] if state is None else [(state, layer.outputs)])
    return found if isinstance(found, Mismatch) else Several([found[0], found[1][0]])


@module("torch.nn.LSTM")
class LSTM(Recurrent):
    """``[t b in] -> [t b hidden], ([layers b hidden], [layers b hidden])``."""

    def forward(self, input: Tensor, hx: Sequence[Tensor] | None = None) -> AnyValue | Mismatch:
        """``[t b in], ([layers b hidden], [layers b hidden]) -> [t b hidden], (..)``."""
        if hx is not None and len(hx) != 2:
            return Unknown("a state that is no pair")
        states = [] if hx is None else [(hx[0], self.outputs), (hx[1], self.hidden)]
        found = self.run(input, states)
        return found if isinstance(found, Mismatch) else Several([found[0], Several(found[1])])


class Cell(Module):
    """``[b in], [b hidden] -> [b hidden]``; ``b`` may be missing."""

    def __init__(
        self, input_size: object, hidden_size: object, bias: object = True, *others: object, **options: object
    ) -> None:
        self.inputs, self.hidden = size_of(input_size, "input_size"), size_of(hidden_size, "hidden_size")

    def step(self, input: Tensor, states: Sequence[Tensor]) -> Tensor | Mismatch:
        """The next state."""
        rank = input.shape.rank
        if rank is not None and rank not in {1, 2}:
            return Mismatch(Fault.RANK, left_shape=input.shape, detail="1 or 2")
        fault = wants(input.shape, -1, self.inputs)
        if fault is not None:
            return fault
        if rank is None:
            return unknown_shape(input)
        shape = Shape((*input.shape.axes[:-1], Axis.of(self.hidden)))
        for state in states:
            fault = _fits(state, shape)
            if fault is not None:
                return fault
        return input.reshaped(shape)

    def attributes(self) -> dict[str, AnyValue]:
        """Sizes by name."""
        return {"input_size": self.inputs, "hidden_size": self.hidden}


@module("torch.nn.RNNCell", "torch.nn.GRUCell")
class RNNCell(Cell):
    """``[b in], [b hidden] -> [b hidden]``."""

    def forward(self, input: Tensor, hx: Tensor | None = None) -> AnyValue | Mismatch:
        """``[b in], [b hidden] -> [b hidden]``."""
        return self.step(input, [] if hx is None else [hx])


@module("torch.nn.LSTMCell")
class LSTMCell(Cell):
    """``[b in], ([b hidden], [b hidden]) -> [b hidden], [b hidden]``."""

    def forward(self, input: Tensor, hx: Sequence[Tensor] | None = None) -> AnyValue | Mismatch:
        """``[b in], ([b hidden], [b hidden]) -> [b hidden], [b hidden]``."""
        if hx is not None and len(hx) != 2:
            return Unknown("a state that is no pair")
        found = self.step(input, hx or [])
        return found if isinstance(found, Mismatch) else Several([found, found])
