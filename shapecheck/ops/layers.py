"""Layers without a spatial axis or a state: linear maps, embeddings, normalisation, dropout, activations, reshaping."""

from __future__ import annotations

from shapecheck.dims import Dim, No
from shapecheck.ops.axes import (
    flag,
    of_rank,
    size_of,
    unknown_shape,
    wants,
)
from shapecheck.ops.indexing import fits
from shapecheck.ops.lookups import embedding_bag, not_whole
from shapecheck.ops.registry import Module, module, op
from shapecheck.shapes import (
    NONE,
    AnyValue,
    Axis,
    Fault,
    Mismatch,
    Rest,
    Shape,
    Tensor,
    require,
    suspect_order,
)


def parameter(*sizes: Dim) -> Tensor:
    """A weight of a layer."""
    return Tensor(Shape.of(*sizes), "float")


# -- linear maps -------------------------------------------------------------------------------------------------------


@module("torch.nn.Linear", "torch.nn.modules.linear.NonDynamicallyQuantizableLinear")
class Linear(Module):
    """``[.. in] -> [.. out]``."""

    def __init__(
        self, in_features: object, out_features: object, bias: object = True, device: object = None,
        dtype: object = None,
    ) -> None:
        self.in_features = size_of(in_features, "in_features")
        self.out_features = size_of(out_features, "out_features")
        self.bias = flag(bias, default=True)

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[.. in] -> [.. out]``."""
        return mapped(input, self.in_features, Axis.features(self.out_features))

    def attributes(self) -> dict[str, AnyValue]:
        """Weight ``[out in]``, bias ``[out]``."""
        found: dict[str, AnyValue] = {
            "weight": parameter(self.out_features, self.in_features),
            "in_features": self.in_features,
            "out_features": self.out_features,
        }
        if self.bias is not None:
            found["bias"] = parameter(self.out_features) if self.bias else NONE
        return found


def mapped(input: Tensor, features: Dim, out: Axis | None) -> Tensor | Mismatch:
    """The last axis, which must have a size, replaced by another (None: dropped)."""
    shape = input.shape
    if not shape.axes:
        return Mismatch(Fault.RANK, left_shape=shape, detail="at least 1")
    fault = wants(shape, -1, features)
    if fault is not None:
        return fault
    new = () if out is None else (out,)
    if isinstance(shape[len(shape) - 1], Rest):
        return Tensor(Shape((Rest(), *new)), input.dtype)
    return input.reshaped(Shape((*shape.axes[:-1], *new)))


@module("torch.nn.LazyLinear")
class LazyLinear(Linear):
    """``[.. any] -> [.. out]``."""

    def __init__(
        self, out_features: object, bias: object = True, device: object = None, dtype: object = None
    ) -> None:
        super().__init__(None, out_features, bias)


@op("torch.nn.functional.linear")
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> AnyValue | Mismatch:
    """``[.. in], [out in] -> [.. out]``."""
    rank = weight.shape.rank
    if rank is not None and rank not in {1, 2}:
        return Mismatch(Fault.RANK, left_shape=weight.shape, detail="1 or 2")
    if rank is None:
        return unknown_shape(input)
    features, out = weight.shape[rank - 1], weight.shape[0] if rank == 2 else None
    if not isinstance(features, Axis) or isinstance(out, Rest):
        return unknown_shape(input)
    found = mapped(input, features.size, out)
    if isinstance(found, Mismatch) or bias is None:
        return found
    fault = fits(bias.shape, Shape(() if out is None else (out,)))
    if fault is None and out is not None and bias.shape.rank == 1 and isinstance(bias.shape[0], Axis):
        suspect_order(out, bias.shape[0])
    return fault or found


@module("torch.nn.Bilinear")
class Bilinear(Module):
    """``[.. a], [.. b] -> [.. out]``."""

    def __init__(
        self, in1_features: object, in2_features: object, out_features: object, bias: object = True,
        device: object = None, dtype: object = None,
    ) -> None:
        self.features = size_of(in1_features, "in1_features"), size_of(in2_features, "in2_features")
        self.out_features = size_of(out_features, "out_features")
        self.bias = flag(bias, default=True)

    def forward(self, input1: Tensor, input2: Tensor) -> AnyValue | Mismatch:
        """``[.. a], [.. b] -> [.. out]``."""
        return bilinear(input1, input2, parameter(self.out_features, *self.features))

    def attributes(self) -> dict[str, AnyValue]:
        """Weight ``[out a b]``, bias ``[out]``."""
        found: dict[str, AnyValue] = {"weight": parameter(self.out_features, *self.features)}
        if self.bias is not None:
            found["bias"] = parameter(self.out_features) if self.bias else NONE
        return found


@op("torch.nn.functional.bilinear", "torch.bilinear")
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> AnyValue | Mismatch:
    """``[.. a], [.. b], [out a b] -> [.. out]``."""
    table = of_rank(weight.shape, 3)
    if table is None:
        return Mismatch(Fault.RANK, left_shape=weight.shape, detail="3")
    out, one, other = table
    if not isinstance(one, Axis) or not isinstance(other, Axis) or isinstance(out, Rest):
        return unknown_shape(input1)
    first, second = mapped(input1, one.size, out), mapped(input2, other.size, out)
    if isinstance(first, Mismatch):
        return first
    if isinstance(second, Mismatch):
        return second
    ranks = first.shape.rank, second.shape.rank
    if None not in ranks and ranks[0] != ranks[1]:
        return Mismatch(Fault.RANK, left_shape=input1.shape, right_shape=input2.shape, detail=str(ranks[1]))
    for place, (left, right) in enumerate(zip(first.shape, second.shape, strict=False) if None not in ranks else ()):
        verdict = require(left.size, right.size)
        if isinstance(verdict, No):
            return Mismatch(
                Fault.BROADCAST, axis=place, other_axis=place, left=left.size, right=right.size,
                left_shape=input1.shape, right_shape=input2.shape, because=verdict.because,
            )
    return first


# -- tables ------------------------------------------------------------------------------------------------------------


@module("torch.nn.Embedding")
class Embedding(Module):
    """``[..] -> [.. d]``, of integers."""

    def __init__(
        self, num_embeddings: object, embedding_dim: object, padding_idx: object = None, max_norm: object = None,
        norm_type: object = None, scale_grad_by_freq: object = None, sparse: object = None, _weight: object = None,
        _freeze: object = None, device: object = None, dtype: object = None,
    ) -> None:
        self.rows = size_of(num_embeddings, "num_embeddings")
        self.features = size_of(embedding_dim, "embedding_dim")

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[..] -> [.. d]``."""
        return not_whole(input) or Tensor(Shape((*input.shape, Axis.of(self.features))), "float", input.kind)

    def attributes(self) -> dict[str, AnyValue]:
        """Weight ``[v d]``."""
        return {
            "weight": parameter(self.rows, self.features),
            "num_embeddings": self.rows,
            "embedding_dim": self.features,
        }


@module("torch.nn.EmbeddingBag")
class EmbeddingBag(Embedding):
    """``[b n] -> [b d]``, of integers."""

    def __init__(
        self, num_embeddings: object, embedding_dim: object, max_norm: object = None, norm_type: object = None,
        scale_grad_by_freq: object = None, mode: object = None, sparse: object = None, _weight: object = None,
        include_last_offset: object = False, padding_idx: object = None, device: object = None, dtype: object = None,
    ) -> None:
        super().__init__(num_embeddings, embedding_dim)
        self.last = flag(include_last_offset, default=False)

    def forward(
        self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: object = None
    ) -> AnyValue | Mismatch:
        """``[b n] -> [b d]``."""
        table = parameter(self.rows, self.features)
        return embedding_bag(input, table, offsets, include_last_offset=bool(self.last))
