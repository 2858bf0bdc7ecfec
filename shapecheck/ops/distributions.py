"""Distributions of ``torch.distributions``: made of parameters that broadcast, they give samples and densities.

A distribution over ``[*batch]`` independent draws, each of which is an event ``[*event]``: a sample is
``[*sample, *batch, *event]``; the density of a value has the shape of its broadcast with ``[*batch, *event]``, without
the event.
"""

from __future__ import annotations

from shapecheck.dims import Dim
from shapecheck.ops.axes import constant
from shapecheck.ops.registry import Module, module, op
from shapecheck.shapes import AnyValue, Axis, Fault, Mismatch, Rest, Shape, Tensor, Unknown, broadcast
from shapecheck.shapes import Sequence as Several

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from shapecheck.ops.signature import Operand, Sizes

METHODS: Final = frozenset(("sample", "rsample", "log_prob", "cdf", "icdf", "entropy"))


class Distribution(Module):
    """``[*batch, *event]``, the last ``events`` axes of which are one event."""

    methods = METHODS
    dtype: str | None = "float"

    def made(self, whole: Shape | Mismatch, events: int = 0) -> None:
        """Be of a shape; ``events`` of its last axes are an event."""
        if isinstance(whole, Mismatch):
            self.fault = whole
            whole = Shape.unknown()
        elif whole.rest is None and len(whole) < events:
            self.fault = Mismatch(Fault.RANK, left_shape=whole, detail=f"at least {events}")
        self.whole, self.events = whole, events

    def forward(self, *args: object, **kwargs: object) -> AnyValue:
        """Nothing: a distribution is no function."""
        return Unknown("a distribution is called")

    def _event(self, shape: Shape) -> Shape | Unknown:
        """A shape without its event."""
        if not self.events:
            return shape
        last = shape.axes[len(shape) - self.events :]
        if len(last) < self.events or any(isinstance(axis, Rest) for axis in last):
            return Unknown("the number of axes is not known")
        return Shape(shape.axes[: len(shape) - self.events])

    def _over(self, shape: Shape, dtype: str | None) -> AnyValue:
        batch = self._event(shape)
        return batch if isinstance(batch, Unknown) else Tensor(batch, dtype)

    def sample(self, sample_shape: Sizes | None = None) -> AnyValue:
        """``sizes -> [*sizes, *batch, *event]``."""
        leading = [size if isinstance(size, Rest) else Axis.of(size) for size in sample_shape or ()]
        if self.whole.rest is not None and any(isinstance(axis, Rest) for axis in leading):
            return Tensor(Shape.unknown(), self.dtype)
        return Tensor(Shape([*leading, *self.whole.axes]), self.dtype)

    rsample = sample

    def log_prob(self, value: Operand) -> AnyValue | Mismatch:
        """``[*v] -> broadcast of v, batch and event, without the event``."""
        shape = broadcast(value.shape, self.whole)
        return shape if isinstance(shape, Mismatch) else self._over(shape, "float")

    def cdf(self, value: Operand) -> AnyValue | Mismatch:
        """``[*v] -> broadcast of v and batch``; an event has no quantiles."""
        return Unknown("the quantiles of an event") if self.events else self.log_prob(value)

    icdf = cdf

    def entropy(self) -> AnyValue:
        """``-> [*batch]``."""
        return self._over(self.whole, "float")

    def attributes(self) -> dict[str, AnyValue]:
        """Moments, and the shapes of a batch and of an event."""
        batch = self._event(self.whole)
        sizes = [axis if isinstance(axis, Rest) else axis.size for axis in self.whole]
        count = len(sizes) - self.events
        moments = ("mean", "variance", "stddev", "mode")
        found: dict[str, AnyValue] = {name: Tensor(self.whole, "float") for name in moments}
        if not isinstance(batch, Unknown):
            found["batch_shape"] = Several(sizes[:count], "torch.Size")
            found["event_shape"] = Several(sizes[count:], "torch.Size")
        return found


def qualified(names: str) -> list[str]:
    """The names of classes where they are defined, and where they are exported to."""
    homes = {"LogNormal": "log_normal", "HalfNormal": "half_normal", "HalfCauchy": "half_cauchy",
             "VonMises": "von_mises", "OneHotCategorical": "one_hot_categorical",
             "OneHotCategoricalStraightThrough": "one_hot_categorical",
             "MultivariateNormal": "multivariate_normal"}  # fmt: skip
    return [
        f"torch.distributions.{where}{name}"
        for name in names.split()
        for where in ("", f"{homes.get(name, name.lower())}.")
    ]


class OfNumbers(Distribution):
    """``[*a], [*b] -> batch of their broadcast``; the parameters are kept under their names."""

    parameters: tuple[str, ...] = ()

    def attributes(self) -> dict[str, AnyValue]:
        """Moments, and the parameters."""
        return {**super().attributes(), **{name: Tensor(self.whole, "float") for name in self.parameters}}


@module(*qualified("Normal LogNormal Laplace Cauchy Gumbel"))
class Located(OfNumbers):
    """``[*a], [*b] -> batch of their broadcast``."""

    parameters = ("loc", "scale")

    def __init__(self, loc: Operand, scale: Operand, validate_args: object = None) -> None:
        self.made(broadcast(loc.shape, scale.shape))


@module(*qualified("Uniform"))
class Uniform(OfNumbers):
    """``[*a], [*b] -> batch of their broadcast``."""

    parameters = ("low", "high")

    def __init__(self, low: Operand, high: Operand, validate_args: object = None) -> None:
        self.made(broadcast(low.shape, high.shape))


@module(*qualified("Beta"))
class Beta(OfNumbers):
    """``[*a], [*b] -> batch of their broadcast``."""

    parameters = ("concentration1", "concentration0")

    def __init__(self, concentration1: Operand, concentration0: Operand, validate_args: object = None) -> None:
        self.made(broadcast(concentration1.shape, concentration0.shape))


@module(*qualified("Gamma"))
class Gamma(OfNumbers):
    """``[*a], [*b] -> batch of their broadcast``."""

    parameters = ("concentration", "rate")

    def __init__(self, concentration: Operand, rate: Operand, validate_args: object = None) -> None:
        self.made(broadcast(concentration.shape, rate.shape))


@module(*qualified("VonMises"))
class VonMises(OfNumbers):
    """``[*a], [*b] -> batch of their broadcast``."""

    parameters = ("loc", "concentration")

    def __init__(self, loc: Operand, concentration: Operand, validate_args: object = None) -> None:
        self.made(broadcast(loc.shape, concentration.shape))


@module(*qualified("Exponential Poisson"))
class Rated(OfNumbers):
    """``[*s] -> batch of s``."""

    parameters = ("rate",)

    def __init__(self, rate: Operand, validate_args: object = None) -> None:
        self.made(rate.shape)


@module(*qualified("HalfNormal HalfCauchy"))
class Scaled(OfNumbers):
    """``[*s] -> batch of s``."""

    parameters = ("scale",)

    def __init__(self, scale: Operand, validate_args: object = None) -> None:
        self.made(scale.shape)


@module(*qualified("Bernoulli Geometric"))
class Chance(OfNumbers):
    """``[*s] -> batch of s``, given as probabilities or logits."""

    parameters = ("probs", "logits")

    def __init__(
        self, probs: Operand | None = None, logits: Operand | None = None, validate_args: object = None
    ) -> None:
        given = probs if probs is not None else logits
        self.made(Shape.unknown() if given is None else given.shape)


@module(*qualified("Categorical"))
class Categorical(Distribution):
    """``[*batch, classes] -> batch of class numbers``."""

    dtype = "int"

    def __init__(
        self, probs: Operand | None = None, logits: Operand | None = None, validate_args: object = None
    ) -> None:
        given = probs if probs is not None else logits
        self.weights = Shape.unknown() if given is None else given.shape
        self.made(self.weights, 1)
        batch = self._event(self.weights)
        self.made(Shape.unknown() if isinstance(batch, Unknown) else batch)

    def attributes(self) -> dict[str, AnyValue]:
        """``probs`` and ``logits`` keep the axis of classes."""
        weights = Tensor(self.weights, "float")
        return {**super().attributes(), "probs": weights, "logits": weights}


@module(*qualified("OneHotCategorical OneHotCategoricalStraightThrough"))
class OneHotCategorical(Distribution):
    """``[*batch, classes] -> batch of vectors over the classes``."""

    def __init__(
        self, probs: Operand | None = None, logits: Operand | None = None, validate_args: object = None
    ) -> None:
        given = probs if probs is not None else logits
        self.made(Shape.unknown() if given is None else given.shape, 1)

    def attributes(self) -> dict[str, AnyValue]:
        """``probs`` and ``logits`` of the classes."""
        weights = Tensor(self.whole, "float")
        return {**super().attributes(), "probs": weights, "logits": weights}


@module(*qualified("Dirichlet"))
class Dirichlet(Distribution):
    """``[*batch, k] -> batch of vectors of k``."""

    def __init__(self, concentration: Tensor, validate_args: object = None) -> None:
        self.made(concentration.shape, 1)


@module(*qualified("MultivariateNormal"))
class MultivariateNormal(Distribution):
    """``[*batch, k], [*batch, k, k] -> batch of vectors of k``."""

    def __init__(
        self, loc: Tensor, covariance_matrix: Tensor | None = None, precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None, validate_args: object = None,
    ) -> None:
        given = [part for part in (covariance_matrix, precision_matrix, scale_tril) if part is not None]
        rows = Shape(given[0].shape.axes[:-1]) if given and given[0].shape.rest is None else Shape.unknown()
        self.made(broadcast(loc.shape, rows), 1)


@module(*qualified("Independent"))
class Independent(Distribution):
    """The last axes of a batch taken as parts of one event."""

    def __init__(
        self, base_distribution: object, reinterpreted_batch_ndims: object, validate_args: object = None
    ) -> None:
        number = reinterpreted_batch_ndims
        count = constant(number) if isinstance(number, Dim) else None
        if isinstance(base_distribution, Distribution) and count is not None:
            self.dtype = base_distribution.dtype
            self.made(base_distribution.whole, base_distribution.events + count)
        else:
            self.made(Shape.unknown(), 1)


@op("torch.distributions.kl_divergence", "torch.distributions.kl.kl_divergence")
def kl_divergence(p: object, q: object) -> AnyValue | Mismatch:
    """``[*batch], [*batch] -> [*batch]`` of two distributions over the same events."""
    if not (isinstance(p, Distribution) and isinstance(q, Distribution)) or p.events != q.events:
        return Unknown("a distribution that is not followed")
    shape = broadcast(p.whole, q.whole)
    return shape if isinstance(shape, Mismatch) else p._over(shape, "float")  # noqa: SLF001 - its own class
