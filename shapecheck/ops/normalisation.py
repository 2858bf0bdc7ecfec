"""Normalisation: layers and functions whose statistics run over some axes."""

from __future__ import annotations

from shapecheck.dims import Dim, No
from shapecheck.ops.axes import (
    constant,
    dim_of,
    flag,
    of_rank,
    size_of,
    trailing,
    wants,
    wrong_size,
)
from shapecheck.ops.layers import parameter
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
    require,
)
from shapecheck.shapes import Sequence as Several

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.ops.signature import Ints, Sizes


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


@module("torch.nn.LayerNorm")
class LayerNorm(Module):
    """``[.. d] -> [.. d]``; the last axes are those of ``normalized_shape``."""

    def __init__(
        self, normalized_shape: object, eps: object = None, elementwise_affine: object = True, bias: object = True,
        device: object = None, dtype: object = None,
    ) -> None:
        sizes: list[Dim | Rest] = []
        lone = dim_of(normalized_shape)
        if lone is not None:
            sizes = [lone]
        elif isinstance(normalized_shape, Several):
            sizes = [size if isinstance(size, Rest) else size_of(size, "normalized") for size in normalized_shape.items]
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


@module("torch.nn.RMSNorm")
class RMSNorm(LayerNorm):
    """``[.. d] -> [.. d]``, without a mean and a bias."""

    def __init__(
        self, normalized_shape: object, eps: object = None, elementwise_affine: object = True, device: object = None,
        dtype: object = None,
    ) -> None:
        super().__init__(normalized_shape, eps, elementwise_affine)

    def attributes(self) -> dict[str, AnyValue]:
        """Weight ``[d]``, and ``normalized_shape``."""
        return {name: value for name, value in super().attributes().items() if name != "bias"}


@op("torch.nn.functional.layer_norm", "torch.layer_norm")
def layer_norm(
    input: Tensor, normalized_shape: Sizes, weight: Tensor | None = None, bias: Tensor | None = None,
    eps: object = None, cudnn_enable: object = None,
) -> AnyValue | Mismatch:
    """``[.. d], [d], [d] -> [.. d]``."""
    if not normalized_shape:
        return Mismatch(Fault.RANK, left_shape=input.shape, detail="at least 1 normalised")
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
        self.tracked = flag(track_running_stats, default=True)

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
        if self.tracked is not None:
            found["running_mean"] = found["running_var"] = parameter(self.channels) if self.tracked else NONE
        return found


@module("torch.nn.BatchNorm1d")
class BatchNorm1d(ChannelNorm):
    """``[n c]`` or ``[n c l]``."""

    ranks: tuple[int, ...] = (2, 3)


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
        self.groups = size_of(num_groups, "num_groups")
        self.fault = indivisible(self.channels, self.groups)

    def attributes(self) -> dict[str, AnyValue]:
        """Weight and bias ``[c]``."""
        found = {name: value for name, value in super().attributes().items() if name in {"weight", "bias"}}
        return found | {"num_channels": self.channels, "num_groups": self.groups}


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
    return Tensor(input.shape, "float" if input.dtype == "float" else None, input.kind)
