"""Attention and the transformer's layers."""

from __future__ import annotations

from shapecheck.dims import Dim, No
from shapecheck.ops.axes import flag, is_none, opaque, size_of, unknown_shape, wants
from shapecheck.ops.indexing import fits
from shapecheck.ops.normalisation import indivisible
from shapecheck.ops.registry import Module, module, op
from shapecheck.shapes import (
    NONE,
    AnyValue,
    Axis,
    Fault,
    Mismatch,
    Shape,
    Tensor,
    Unknown,
    broadcast,
    require,
)
from shapecheck.shapes import Sequence as Several

# -- scaled dot product ----------------------------------------------------------------------------------------------


@op("torch.nn.functional.scaled_dot_product_attention")
def scaled_dot_product_attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: object = None, dropout_p: object = None,
    is_causal: object = None, scale: object = None, enable_gqa: object = False,
) -> AnyValue | Mismatch:
    """``[.. t d], [.. s d], [.. s v] -> [.. t v]``."""
    for operand in (query, key, value):
        rank = operand.shape.rank
        if rank is not None and rank < 2:
            return Mismatch(Fault.RANK, left_shape=operand.shape, detail="at least 2")
    fault = _same(query, -1, key, -1) or _same(key, -2, value, -2)
    if fault is not None:
        return fault
    grouped = flag(enable_gqa, default=False)
    lead = _lead(query, key, value, grouped=grouped is not False)
    if isinstance(lead, Mismatch):
        return lead
    time, features = query.shape.axis(-2), value.shape.axis(-1)
    if not isinstance(time, Axis) or not isinstance(features, Axis) or lead is None:
        return unknown_shape(query)
    if isinstance(attn_mask, Tensor):
        fault = _mask_fits(attn_mask, lead, time, key)
        if fault is not None:
            return fault
    return query.reshaped(Shape((*lead, time, features)))


def _same(one: Tensor, dim: int, other: Tensor, other_dim: int) -> Mismatch | None:
    """Require two axes of two operands to be equally long."""
    left, right = one.shape.axis(dim), other.shape.axis(other_dim)
    if isinstance(left, Mismatch) or isinstance(right, Mismatch):
        return left if isinstance(left, Mismatch) else right if isinstance(right, Mismatch) else None
    if left is None or right is None:
        return None
    verdict = require(left.size, right.size)
    if not isinstance(verdict, No):
        return None
    return Mismatch(
        Fault.CONTRACTION, axis=dim, other_axis=other_dim, left=left.size, right=right.size, left_shape=one.shape,
        right_shape=other.shape, because=verdict.because,
    )


def _lead(query: Tensor, key: Tensor, value: Tensor, *, grouped: bool) -> Shape | Mismatch | None:
    """The batch and head axes; with grouped queries the number of heads is the query's."""
    leads = [_before(operand.shape, 2) for operand in (query, key, value)]
    if grouped:
        return leads[0]
    first, *others = leads
    if first is None or any(other is None for other in others):
        return None
    return broadcast(first, *[other for other in others if other is not None])


def _before(shape: Shape, count: int) -> Shape | None:
    """The shape without its last axes; None where the ``Rest`` hides them."""
    if shape.rest is not None and shape.rest >= len(shape) - count:
        return None
    return Shape(shape.axes[: len(shape) - count])


def _mask_fits(mask: Tensor, lead: Shape, time: Axis, key: Tensor) -> Mismatch | None:
    keys = key.shape.axis(-2)
    if not isinstance(keys, Axis):
        return None
    scores = Shape((*lead, time, keys))
    return fits(mask.shape, scores)


# -- multi-head attention --------------------------------------------------------------------------------------------


class _Embedded(Module):
    """What the layers here share: features of one size, and where the batch axis is."""

    def __init__(self, features: object, batch_first: object) -> None:
        self.features = size_of(features, "embed_dim")
        self.batch_first = flag(batch_first, default=False)

    def of_features(self, *tensors: Tensor) -> Mismatch | None:
        """Whether each has two or three axes, the last of which is as long as it must be."""
        for tensor in tensors:
            rank = tensor.shape.rank
            if rank is not None and rank not in {2, 3}:
                return Mismatch(Fault.RANK, left_shape=tensor.shape, detail="2 or 3")
            fault = wants(tensor.shape, -1, self.features)
            if fault is not None:
                return fault
        return None

    def batch_axis(self, rank: int) -> int | None:
        """The number of the batch axis, None where it is missing or not known."""
        if rank != 3 or self.batch_first is None:
            return None
        return 0 if self.batch_first else 1

    def time_axis(self, rank: int) -> int | None:
        """The number of the time axis, None where it is not known."""
        if rank == 2:
            return 0
        return None if self.batch_first is None else 1 if self.batch_first else 0


    def decoded(self, tgt: Tensor, memory: Tensor) -> AnyValue | Mismatch:
        """The target, if both fit the layer and each other."""
        fault = self.of_features(tgt, memory)
        if fault is not None:
            return fault
        rank = tgt.shape.rank
        if rank is None or memory.shape.rank is None:
            return tgt
        if rank != memory.shape.rank:
            return Mismatch(Fault.RANK, left_shape=memory.shape, right_shape=tgt.shape, detail=str(rank))
        batch = self.batch_axis(rank)
        return (None if batch is None else _same(tgt, batch, memory, batch)) or tgt


@module("torch.nn.MultiheadAttention")
class MultiheadAttention(_Embedded):
    """``[t b d], [s b k], [s b v] -> [t b d], [b t s]``."""

    def __init__(
        self, embed_dim: object, num_heads: object, dropout: object = None, bias: object = True,
        add_bias_kv: object = False, add_zero_attn: object = False, kdim: object = None, vdim: object = None,
        batch_first: object = False, device: object = None, dtype: object = None,
    ) -> None:
        super().__init__(embed_dim, batch_first)
        self.heads = size_of(num_heads, "num_heads")
        self.keys = self.features if is_none(kdim) else size_of(kdim, "kdim")
        self.values = self.features if is_none(vdim) else size_of(vdim, "vdim")
        self.more = [flag(add_bias_kv, default=False), flag(add_zero_attn, default=False)]
        self.fault = indivisible(self.features, self.heads)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: object = None, need_weights: object = True,
        attn_mask: object = None, average_attn_weights: object = True, is_causal: object = None,
    ) -> AnyValue | Mismatch:
        """``[t b d], [s b k], [s b v] -> [t b d], [b t s]``."""
        fault = self.of_features(query) or wants(key.shape, -1, self.keys) or wants(value.shape, -1, self.values)
        if fault is not None:
            return fault
        rank = query.shape.rank
        if rank is None:
            return Several([unknown_shape(query), Unknown("the weights of an attention of unknown rank")])
        for other in (key, value):
            if other.shape.rank is not None and other.shape.rank != rank:
                return Mismatch(Fault.RANK, left_shape=other.shape, detail=str(rank))
        fault = self._fits(query, key, value, rank)
        if fault is not None:
            return fault
        lead = query.shape.axes[:-1]
        output = query.reshaped(Shape((*lead, Axis.of(self.features))))
        wanted = flag(need_weights, default=True)
        if wanted is False:
            return Several([output, NONE])
        weights = self._weights(query, key, average_attn_weights, rank)
        return Several([output, weights if wanted else Unknown("weights that may not be asked for")])

    def _fits(self, query: Tensor, key: Tensor, value: Tensor, rank: int) -> Mismatch | None:
        batch, time = self.batch_axis(rank), self.time_axis(rank)
        fault = None if batch is None else _same(query, batch, key, batch) or _same(query, batch, value, batch)
        if fault is not None or time is None:
            return fault
        return _same(key, time, value, time)

    def _weights(self, query: Tensor, key: Tensor, average: object, rank: int) -> AnyValue:
        time, batch = self.time_axis(rank), self.batch_axis(rank)
        averaged = flag(average, default=True)
        if time is None or averaged is None or key.shape.rank is None:
            return unknown_shape(query)
        length, keys = query.shape[time], key.shape[time]
        if None in self.more:
            keys = Axis.unfollowed(opaque("keys"))
        elif any(self.more) and isinstance(keys, Axis):
            keys = keys.resized(keys.size + sum([bool(more) for more in self.more]))
        lead = () if batch is None else (query.shape[batch],)
        heads = () if averaged else (Axis.of(self.heads),)
        return query.reshaped(Shape((*lead, *heads, length, keys)))

    def attributes(self) -> dict[str, AnyValue]:
        """Sizes, and the weights that exist whatever the options."""
        heads = self.heads
        return {
            "embed_dim": self.features, "num_heads": heads, "kdim": self.keys, "vdim": self.values,
            "head_dim": self.features // heads if heads.terms else opaque("head_dim"),
        }


# -- encoder and decoder ---------------------------------------------------------------------------------------------


class _Layer(_Embedded):
    """One layer of an encoder or decoder."""

    def __init__(
        self, d_model: object, nhead: object, dim_feedforward: object = None, dropout: object = None,
        activation: object = None, layer_norm_eps: object = None, batch_first: object = False,
        norm_first: object = None, bias: object = None, device: object = None, dtype: object = None,
    ) -> None:
        super().__init__(d_model, batch_first)
        self.fault = indivisible(self.features, size_of(nhead, "nhead"))


@module("torch.nn.TransformerEncoderLayer")
class TransformerEncoderLayer(_Layer):
    """``[t b d] -> [t b d]``."""

    def forward(
        self, src: Tensor, src_mask: object = None, src_key_padding_mask: object = None, is_causal: object = None
    ) -> AnyValue | Mismatch:
        """``[t b d] -> [t b d]``."""
        return self.of_features(src) or src


@module("torch.nn.TransformerDecoderLayer")
class TransformerDecoderLayer(_Layer):
    """``[t b d], [s b d] -> [t b d]``."""

    def forward(
        self, tgt: Tensor, memory: Tensor, tgt_mask: object = None, memory_mask: object = None,
        tgt_key_padding_mask: object = None, memory_key_padding_mask: object = None, tgt_is_causal: object = None,
        memory_is_causal: object = None,
    ) -> AnyValue | Mismatch:
        """``[t b d], [s b d] -> [t b d]``."""
        return self.decoded(tgt, memory)


def _layer(found: object, kind: type[_Embedded]) -> _Embedded:
    """The layer that a stack repeats; one that fits everything where it is not known."""
    if isinstance(found, kind):
        return found
    return _Embedded(Unknown("a layer that is not known"), Unknown("a layer that is not known"))


@module("torch.nn.TransformerEncoder")
class TransformerEncoder(Module):
    """``[t b d] -> [t b d]``."""

    def __init__(
        self, encoder_layer: object, num_layers: object, norm: object = None, enable_nested_tensor: object = None,
        mask_check: object = None,
    ) -> None:
        self.layer = _layer(encoder_layer, TransformerEncoderLayer)

    def forward(
        self, src: Tensor, mask: object = None, src_key_padding_mask: object = None, is_causal: object = None
    ) -> AnyValue | Mismatch:
        """``[t b d] -> [t b d]``."""
        return self.layer.of_features(src) or src


@module("torch.nn.TransformerDecoder")
class TransformerDecoder(Module):
    """``[t b d], [s b d] -> [t b d]``."""

    def __init__(self, decoder_layer: object, num_layers: object, norm: object = None) -> None:
        self.layer = decoder_layer if isinstance(decoder_layer, TransformerDecoderLayer) else None

    def forward(
        self, tgt: Tensor, memory: Tensor, tgt_mask: object = None, memory_mask: object = None,
        tgt_key_padding_mask: object = None, memory_key_padding_mask: object = None, tgt_is_causal: object = None,
        memory_is_causal: object = None,
    ) -> AnyValue | Mismatch:
        """``[t b d], [s b d] -> [t b d]``."""
        return tgt if self.layer is None else self.layer.decoded(tgt, memory)


@module("torch.nn.Transformer")
class Transformer(_Embedded):
    """``[s b d], [t b d] -> [t b d]``."""

    def __init__(
        self, d_model: object = 512, nhead: object = 8, num_encoder_layers: object = None,
        num_decoder_layers: object = None, dim_feedforward: object = None, dropout: object = None,
        activation: object = None, custom_encoder: object = None, custom_decoder: object = None,
        layer_norm_eps: object = None, batch_first: object = False, norm_first: object = None, bias: object = None,
        device: object = None, dtype: object = None,
    ) -> None:
        super().__init__(d_model, batch_first)
        self.fault = indivisible(self.features, size_of(nhead, "nhead"))

    def forward(
        self, src: Tensor, tgt: Tensor, src_mask: object = None, tgt_mask: object = None, memory_mask: object = None,
        src_key_padding_mask: object = None, tgt_key_padding_mask: object = None,
        memory_key_padding_mask: object = None, src_is_causal: object = None, tgt_is_causal: object = None,
        memory_is_causal: object = None,
    ) -> AnyValue | Mismatch:
        """``[s b d], [t b d] -> [t b d]``."""
        return self.decoded(tgt, src)


@op("torch.nn.Transformer.generate_square_subsequent_mask")
def generate_square_subsequent_mask(sz: Dim, device: object = None, dtype: object = None) -> Tensor:
    """``-> [t t]``."""
    return Tensor(Shape((Axis.of(sz), Axis.of(sz))), "float")


