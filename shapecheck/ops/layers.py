"""Layers without a spatial axis or a state: linear maps, embeddings, normalisation, dropout, activations, reshaping."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from shapecheck.dims import Dim, No, floordiv
from shapecheck.ops import views
from shapecheck.ops.axes import (
    constant,
    flag,
    of_rank,
    opaque,
    size_of,
    trailing,
    unknown_shape,
    wants,
    wrong_size,
)
from shapecheck.ops.indexing import embedding_bag, not_whole
from shapecheck.ops.registry import Module, module, op
from shapecheck.shapes import (
    NONE,
    AnyValue,
    Axis,
    Fault,
    Mismatch,
    Origin,
    Rest,
    Shape,
    Tensor,
    Unknown,
    broadcast,
    require,
)
from shapecheck.shapes import Sequence as Several

if TYPE_CHECKING:

    from shapecheck.ops.signature import Ints, Sizes


def parameter(*sizes: Dim) -> Tensor:
    """A weight of a layer."""
    return Tensor(Shape.of(*sizes), "float")


# -- linear maps -----------------------------------------------------------------------------------------------------


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
        return mapped(input, self.in_features, Axis.of(self.out_features))

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
    return mapped(input, features.size, out)


@module("torch.nn.Bilinear")
class Bilinear(Module):
    """``[.. a], [.. b] -> [.. out]``."""

    def __init__(
        self, in1_features: object, in2_features: object, out_features: object, bias: object = True,
        device: object = None, dtype: object = None,
    ) -> None:
        self.features = size_of(in1_features, "in1_features"), size_of(in2_features, "in2_features")
        self.out_features = size_of(out_features, "out_features")

    def forward(self, input1: Tensor, input2: Tensor) -> AnyValue | Mismatch:
        """``[.. a], [.. b] -> [.. out]``."""
        return bilinear(input1, input2, parameter(self.out_features, *self.features))

    def attributes(self) -> dict[str, AnyValue]:
        """Weight ``[out a b]``, bias ``[out]``."""
        return {"weight": parameter(self.out_features, *self.features), "bias": parameter(self.out_features)}


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


# -- tables ----------------------------------------------------------------------------------------------------------


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


# -- normalisation ---------------------------------------------------------------------------------------------------


def normalised(input: Tensor, sizes: Sizes) -> Tensor | Mismatch:
    """The tensor itself, whose last axes must have the given sizes."""
    wanted = [size for size in sizes if isinstance(size, Dim)]
    if len(wanted) < len(sizes):
        return input
    axes = trailing(input.shape, len(wanted))
    if axes is None:
        return Mismatch(Fault.RANK, left_shape=input.shape, detail=f"at least {len(wanted)}")
    for place, (axis, size) in enumerate(zip(axes, wanted, strict=True)):
        if axis is None:
            continue
        verdict = require(axis.size, size)
        if isinstance(verdict, No):
            return wrong_size(input.shape, place - len(wanted), axis.size, size, verdict)
    return input


@module("torch.nn.LayerNorm", "torch.nn.RMSNorm")
class LayerNorm(Module):
    """``[.. d] -> [.. d]``; the last axes are those of ``normalized_shape``."""

    def __init__(
        self, normalized_shape: object, eps: object = None, elementwise_affine: object = True, bias: object = True,
        device: object = None, dtype: object = None,
    ) -> None:
        sizes: list[Dim | Rest] = []
        if isinstance(normalized_shape, Dim):
            sizes = [normalized_shape]
        elif isinstance(normalized_shape, Several):
            sizes = [size if isinstance(size, (Dim, Rest)) else opaque("normalized") for size in normalized_shape.items]
        self.sizes = sizes
        self.affine = flag(elementwise_affine, default=True)
        self.bias = flag(bias, default=True)

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[.. d] -> [.. d]``."""
        return normalised(input, self.sizes)

    def attributes(self) -> dict[str, AnyValue]:
        """Weight and bias ``[d]``, and ``normalized_shape``."""
        sizes = [size for size in self.sizes if isinstance(size, Dim)]
        if len(sizes) < len(self.sizes) or not sizes or self.affine is None:
            return {}
        found: dict[str, AnyValue] = {"normalized_shape": Several(sizes)}
        found["weight"] = parameter(*sizes) if self.affine else NONE
        if self.bias is not None:
            found["bias"] = parameter(*sizes) if self.affine and self.bias else NONE
        return found


@op("torch.nn.functional.layer_norm", "torch.layer_norm")
def layer_norm(
    input: Tensor, normalized_shape: Sizes, weight: Tensor | None = None, bias: Tensor | None = None,
    eps: object = None, cudnn_enable: object = None,
) -> AnyValue | Mismatch:
    """``[.. d], [d], [d] -> [.. d]``."""
    found = normalised(input, normalized_shape)
    if isinstance(found, Mismatch):
        return found
    for values in (weight, bias):
        if values is None or values.shape.rest is not None:
            continue
        if len(values.shape) != len(normalized_shape):
            return Mismatch(Fault.RANK, left_shape=values.shape, detail=str(len(normalized_shape)))
        scaled = normalised(values, normalized_shape)
        if isinstance(scaled, Mismatch):
            return scaled
    return found


@op("torch.nn.functional.rms_norm", "torch.rms_norm")
def rms_norm(
    input: Tensor, normalized_shape: Sizes, weight: Tensor | None = None, eps: object = None
) -> AnyValue | Mismatch:
    """``[.. d], [d] -> [.. d]``."""
    return layer_norm(input, normalized_shape, weight)


@op("torch.native_layer_norm")
def native_layer_norm(
    input: Tensor, normalized_shape: Sizes, weight: Tensor | None, bias: Tensor | None, eps: object
) -> AnyValue | Mismatch:
    """``[.. d], [d], [d] -> [.. d], [.. 1], [.. 1]``."""
    found = layer_norm(input, normalized_shape, weight, bias)
    shape = input.shape
    if not isinstance(found, Tensor) or shape.rest is not None:
        return found if isinstance(found, Mismatch) else Unknown("an operand of unknown rank")
    kept = len(shape) - len(normalized_shape)
    one = Axis.of(1, Origin.KEPT)
    statistics = input.reshaped(Shape((*shape.axes[:kept], *[one] * len(normalized_shape))))
    return Several([found, statistics, statistics])


class ChannelNorm(Module):
    """Statistics over everything but the channels, which are axis 1 (axis 0 where there is no batch)."""

    ranks: tuple[int, ...] = ()
    unbatched: int | None = None
    checked_unbatched = True

    def __init__(
        self, num_features: object, eps: object = None, momentum: object = None, affine: object = True,
        track_running_stats: object = True, device: object = None, dtype: object = None, bias: object = True,
        process_group: object = None,
    ) -> None:
        self.channels = size_of(num_features, "num_features")
        self.affine = flag(affine, default=True)
        self.bias = flag(bias, default=True)

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[n c ..] -> [n c ..]``."""
        rank = input.shape.rank
        if rank is not None and self.ranks and rank not in self.ranks:
            return Mismatch(Fault.RANK, left_shape=input.shape, detail=" or ".join(map(str, self.ranks)))
        if rank is not None and not self.ranks and rank < 2:
            return Mismatch(Fault.RANK, left_shape=input.shape, detail="at least 2")
        return self.check(input, 0 if rank is not None and rank == self.unbatched else 1) or input

    def check(self, input: Tensor, axis: int) -> Mismatch | None:
        """Whether the channels are as many as the layer has."""
        return wants(input.shape, axis, self.channels)

    def attributes(self) -> dict[str, AnyValue]:
        """Weight, bias and running statistics ``[c]``."""
        found: dict[str, AnyValue] = {"num_features": self.channels}
        if self.affine is not None:
            found["weight"] = parameter(self.channels) if self.affine else NONE
        if self.affine is not None and self.bias is not None:
            found["bias"] = parameter(self.channels) if self.affine and self.bias else NONE
        return found


@module("torch.nn.BatchNorm1d")
class BatchNorm1d(ChannelNorm):
    """``[n c]`` or ``[n c l]``."""

    ranks: tuple[int, ...] = (2, 3)

    def attributes(self) -> dict[str, AnyValue]:
        """Weight, bias and running statistics ``[c]``."""
        statistics = parameter(self.channels)
        return super().attributes() | {"running_mean": statistics, "running_var": statistics}


@module("torch.nn.BatchNorm2d")
class BatchNorm2d(BatchNorm1d):
    """``[n c h w]``."""

    ranks = (4,)


@module("torch.nn.BatchNorm3d")
class BatchNorm3d(BatchNorm1d):
    """``[n c d h w]``."""

    ranks = (5,)


@module("torch.nn.SyncBatchNorm")
class SyncBatchNorm(BatchNorm1d):
    """``[n c ..]``."""

    ranks = ()


class InstanceNorm(ChannelNorm):
    """``[n c ..]`` or ``[c ..]``; without affine parameters the number of channels is not needed."""

    def __init__(
        self, num_features: object, eps: object = None, momentum: object = None, affine: object = False,
        track_running_stats: object = False, device: object = None, dtype: object = None, bias: object = True,
    ) -> None:
        super().__init__(num_features, affine=affine, bias=bias)
        self.affine = flag(affine, default=False)
        self.tracked = flag(track_running_stats, default=False)

    def check(self, input: Tensor, axis: int) -> Mismatch | None:
        """Whether the channels are as many as the layer has, where it uses their number."""
        return super().check(input, axis) if self.affine or self.tracked else None


@module("torch.nn.InstanceNorm1d")
class InstanceNorm1d(InstanceNorm):
    """``[n c l]`` or ``[c l]``."""

    ranks = (2, 3)
    unbatched = 2


@module("torch.nn.InstanceNorm2d")
class InstanceNorm2d(InstanceNorm):
    """``[n c h w]`` or ``[c h w]``."""

    ranks = (3, 4)
    unbatched = 3


@module("torch.nn.InstanceNorm3d")
class InstanceNorm3d(InstanceNorm):
    """``[n c d h w]`` or ``[c d h w]``."""

    ranks = (4, 5)
    unbatched = 4


def _lazy(base: type[ChannelNorm], name: str) -> None:
    class Lazy(base):  # type: ignore[valid-type, misc]  # one of the classes above
        def __init__(
            self, eps: object = None, momentum: object = None, affine: object = True,
            track_running_stats: object = True, device: object = None, dtype: object = None, bias: object = True,
        ) -> None:
            super().__init__(None, affine=affine, bias=bias)

    Lazy.__doc__ = base.__doc__
    module(name)(Lazy)


for _base in (BatchNorm1d, BatchNorm2d, BatchNorm3d, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d):
    _lazy(_base, f"torch.nn.Lazy{_base.__name__}")


@module("torch.nn.GroupNorm")
class GroupNorm(ChannelNorm):
    """``[n c ..]``."""

    def __init__(
        self, num_groups: object, num_channels: object, eps: object = None, affine: object = True,
        device: object = None, dtype: object = None, bias: object = None,
    ) -> None:
        super().__init__(num_channels, affine=affine, bias=bias)
        self.fault = indivisible(self.channels, size_of(num_groups, "num_groups"))


def indivisible(size: Dim, parts: Dim) -> Mismatch | None:
    """What is wrong where a size must be a multiple of another and both are numbers."""
    whole, part = constant(size), constant(parts)
    if whole is None or part is None or part == 0 or whole % part == 0:
        return None
    return Mismatch(Fault.SIZE, left=size, right=parts, detail="divisible")


@op("torch.nn.functional.batch_norm")
def batch_norm(
    input: Tensor, running_mean: Tensor | None, running_var: Tensor | None, weight: Tensor | None = None,
    bias: Tensor | None = None, training: object = None, momentum: object = None, eps: object = None,
) -> AnyValue | Mismatch:
    """``[n c ..], [c] -> [n c ..]``."""
    for statistic in (running_mean, running_var, weight, bias):
        fault = None if statistic is None else _per_channel(input, statistic)
        if fault is not None:
            return fault
    return input


@op("torch.nn.functional.instance_norm")
def instance_norm(
    input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None,
    weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: object = None, momentum: object = None,
    eps: object = None,
) -> AnyValue | Mismatch:
    """``[n c ..], [c] -> [n c ..]``."""
    return batch_norm(input, running_mean, running_var, weight, bias)


def _per_channel(input: Tensor, values: Tensor) -> Mismatch | None:
    line = of_rank(values.shape, 1)
    if line is None or not isinstance(line[0], Axis):
        return None
    return wants(input.shape, 1, line[0].size)


@op("torch.nn.functional.group_norm")
def group_norm(
    input: Tensor, num_groups: Dim, weight: Tensor | None = None, bias: Tensor | None = None, eps: object = None
) -> AnyValue | Mismatch:
    """``[n c ..], [c] -> [n c ..]``."""
    channels = input.shape.axis(1)
    if isinstance(channels, Mismatch):
        return channels
    fault = None if channels is None else indivisible(channels.size, num_groups)
    for values in (weight, bias):
        fault = fault or (None if values is None else _per_channel(input, values))
    return fault or input


@op("torch.nn.functional.normalize")
def normalize(
    input: Tensor, p: object = None, dim: Ints | None = None, eps: object = None, out: object = None
) -> AnyValue | Mismatch:
    """``[..] -> [..]``."""
    for axis in [1] if dim is None else dim:
        position = input.shape.position(axis)
        if isinstance(position, Mismatch):
            return position
    return input


@module("torch.nn.LocalResponseNorm", "torch.nn.CrossMapLRN2d")
class LocalResponseNorm(Module):
    """``[n c ..] -> [n c ..]``."""

    def __init__(self, size: object, alpha: object = None, beta: object = None, k: object = None) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[n c ..] -> [n c ..]``."""
        return local_response_norm(input, None)


@op("torch.nn.functional.local_response_norm")
def local_response_norm(
    input: Tensor, size: object, alpha: object = None, beta: object = None, k: object = None
) -> AnyValue | Mismatch:
    """``[n c ..] -> [n c ..]``."""
    rank = input.shape.rank
    if rank is not None and rank < 3:
        return Mismatch(Fault.RANK, left_shape=input.shape, detail="at least 3")
    return input


# -- element-wise layers ---------------------------------------------------------------------------------------------

ELEMENTWISE: Final = (
    "AlphaDropout CELU Dropout Dropout1d Dropout2d Dropout3d ELU FeatureAlphaDropout GELU Hardshrink Hardsigmoid "
    "Hardswish Hardtanh Identity LeakyReLU LogSigmoid Mish RReLU ReLU ReLU6 SELU SiLU Sigmoid Softplus Softshrink "
    "Softsign Tanh Tanhshrink Threshold"
)
"""``[*s] -> [*s]``, whatever they are made with."""


class Elementwise(Module):
    """``[*s] -> [*s]``."""

    def __init__(self, *args: object, **kwargs: object) -> None:
        super().__init__()

    def forward(self, input: AnyValue) -> AnyValue | Mismatch:
        """``[*s] -> [*s]``."""
        return input


module(*[f"torch.nn.{name}" for name in ELEMENTWISE.split()])(Elementwise)


@module("torch.nn.Softmax", "torch.nn.LogSoftmax", "torch.nn.Softmin")
class Softmax(Module):
    """``[*s] -> [*s]``, normalised along one axis."""

    def __init__(self, dim: object = None) -> None:
        self.dim = constant(dim) if isinstance(dim, Dim) else None

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[*s] -> [*s]``."""
        position = None if self.dim is None else input.shape.position(self.dim)
        return position if isinstance(position, Mismatch) else input


@module("torch.nn.Softmax2d")
class Softmax2d(Module):
    """``[n c h w]`` or ``[c h w]``, normalised over the channels."""

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[n c h w] -> [n c h w]``."""
        if input.shape.rank not in {None, 3, 4}:
            return Mismatch(Fault.RANK, left_shape=input.shape, detail="3 or 4")
        return input


@module("torch.nn.PReLU")
class PReLU(Module):
    """``[n c ..] -> [n c ..]``; one slope, or one for each channel."""

    def __init__(
        self, num_parameters: object = None, init: object = None, device: object = None, dtype: object = None
    ) -> None:
        self.slopes = Dim.of(1) if num_parameters is None else size_of(num_parameters, "num_parameters")

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[n c ..] -> [n c ..]``."""
        if constant(self.slopes) == 1 or input.shape.rank in {None, 0, 1}:
            return input
        return wants(input.shape, 1, self.slopes) or input

    def attributes(self) -> dict[str, AnyValue]:
        """Weight ``[c]``."""
        return {"weight": parameter(self.slopes)}


@module("torch.nn.GLU")
class GLU(Module):
    """``[.. 2*a ..] -> [.. a ..]``."""

    def __init__(self, dim: object = None) -> None:
        self.dim = -1 if dim is None else constant(dim) if isinstance(dim, Dim) else None

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[.. 2*a ..] -> [.. a ..]``."""
        position = None if self.dim is None else input.shape.position(self.dim)
        if isinstance(position, Mismatch):
            return position
        axis = None if position is None or not input.shape.axes else input.shape[position]
        if position is None or not isinstance(axis, Axis):
            return unknown_shape(input)
        size = constant(axis.size)
        if size is not None and size % 2:
            return Mismatch(Fault.SIZE, axis=self.dim, left=axis.size, right=Dim.of(2), left_shape=input.shape,
                            detail="divisible")
        return input.reshaped(input.shape.replaced(position, axis.resized(floordiv(axis.size, Dim.of(2)))))


# -- other shapes ----------------------------------------------------------------------------------------------------


@module("torch.nn.Flatten")
class Flatten(Module):
    """``[n a b] -> [n a*b]``."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1) -> None:
        self.start, self.end = start_dim, end_dim

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[n a b] -> [n a*b]``."""
        return views.flatten(input, self.start, self.end)


@module("torch.nn.Unflatten")
class Unflatten(Module):
    """``[.. a*b ..] -> [.. a b ..]``."""

    def __init__(self, dim: int, unflattened_size: Sizes) -> None:
        self.dim, self.sizes = dim, unflattened_size

    def forward(self, input: Tensor) -> AnyValue | Mismatch:
        """``[.. a*b ..] -> [.. a b ..]``."""
        return views.unflatten(input, self.dim, self.sizes)


# -- distances -------------------------------------------------------------------------------------------------------


@module("torch.nn.CosineSimilarity")
class CosineSimilarity(Module):
    """``[.. d ..], [.. d ..] -> [.. ..]``."""

    def __init__(self, dim: int = 1, eps: object = None) -> None:
        self.dim = dim

    def forward(self, x1: Tensor, x2: Tensor) -> AnyValue | Mismatch:
        """``[.. d ..], [.. d ..] -> [.. ..]``."""
        return compared(x1, x2, self.dim)


@module("torch.nn.PairwiseDistance")
class PairwiseDistance(Module):
    """``[.. d], [.. d] -> [..]``."""

    def __init__(self, p: object = None, eps: object = None, keepdim: object = False) -> None:
        self.keepdim = flag(keepdim, default=False)

    def forward(self, x1: Tensor, x2: Tensor) -> AnyValue | Mismatch:
        """``[.. d], [.. d] -> [..]``."""
        found = compared(x1, x2, -1)
        if not self.keepdim or isinstance(found, Mismatch):
            return found if self.keepdim is not None else unknown_shape(x1)
        return found.reshaped(Shape((*found.shape, Axis.of(1))))


def compared(x1: Tensor, x2: Tensor, dim: int) -> Tensor | Mismatch:
    """Two tensors broadcast together, without one axis."""
    found = broadcast(x1.shape, x2.shape)
    if isinstance(found, Mismatch):
        return found
    position = found.position(dim)
    if not isinstance(position, int):
        return unknown_shape(x1) if position is None else position
    return x1.reshaped(found.without([position]))


