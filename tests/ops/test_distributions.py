"""Distributions against torch's own: samples, densities, entropies, moments and divergences."""

from __future__ import annotations

import itertools

import pytest
import torch

from shapecheck import ops
from shapecheck.dims import Dim
from shapecheck.ops.registry import MODULES
from shapecheck.shapes import Mismatch, Sequence, Shape, Tensor, Unknown
from shapecheck.static import check_source
from tests.mdtest.blocks import PRELUDE

ops.load_all()

SHAPES = [(), (3,), (1,), (2, 3), (2, 1), (4, 2, 3)]
TWO = ("Normal", "LogNormal", "Laplace", "Cauchy", "Gumbel", "Uniform", "Beta", "Gamma", "VonMises")
ONE = ("Exponential", "Poisson", "HalfNormal", "HalfCauchy", "Bernoulli", "Geometric")
OVER_CLASSES = ("Categorical", "OneHotCategorical", "OneHotCategoricalStraightThrough", "Dirichlet")
NAMES = {name for name in MODULES if name.startswith("torch.distributions.")}


def abstract(tensor):
    return Tensor(Shape.of(*tensor.shape), "float")


def twin(name, *tensors):
    return ops.construct(ops.find_module(f"torch.distributions.{name}"), [abstract(tensor) for tensor in tensors], {})


def sizes(value):
    assert isinstance(value, Tensor), value
    return tuple(axis.size.constant for axis in value.shape)


def agrees(name, real, made, values):
    """Compare everything that a distribution gives."""
    for shape in [(), (5,), (5, 2)]:
        wanted = Sequence([Dim.of(size) for size in shape], "tuple")
        assert sizes(ops.method(made, "sample", [wanted], {})) == tuple(real.sample(shape).shape), name
    assert sizes(ops.method(made, "sample", [], {})) == tuple(real.sample().shape)
    attributes = made.attributes()
    for attribute in ("batch_shape", "event_shape"):
        assert tuple(size.constant for size in attributes[attribute].items) == tuple(getattr(real, attribute)), name
    for attribute in ("mean", "variance", "probs", "logits", "loc", "scale", "rate", "low", "concentration1"):
        found = getattr(real, attribute, None)
        if attribute in attributes and isinstance(found, torch.Tensor):
            assert sizes(attributes[attribute]) == tuple(found.shape), (name, attribute)
    for value in values:
        found = ops.method(made, "log_prob", [abstract(value)], {})
        try:
            expected = tuple(real.log_prob(value).shape)
        except (RuntimeError, ValueError):
            continue
        assert sizes(found) == expected, (name, value.shape)
    try:
        expected = tuple(real.entropy().shape)
    except NotImplementedError:
        return
    assert sizes(ops.method(made, "entropy", [], {})) == expected, name


@pytest.mark.parametrize("name", TWO)
def test_two_parameters_broadcast(name):
    compared = 0
    for left, right in itertools.product(SHAPES, SHAPES):
        first, second = torch.rand(left) / 2, torch.rand(right) / 2 + 1
        made = twin(name, first, second)
        try:
            real = getattr(torch.distributions, name)(first, second, validate_args=False)
        except (RuntimeError, ValueError):
            assert isinstance(made, Mismatch)
            continue
        agrees(name, real, made, [torch.rand(shape) / 2 + 0.5 for shape in SHAPES])
        compared += 1
    assert compared > 20


@pytest.mark.parametrize("name", ONE)
def test_one_parameter(name):
    for shape in SHAPES:
        given = torch.rand(shape) / 2 + 0.25
        real = getattr(torch.distributions, name)(given, validate_args=False)
        agrees(name, real, twin(name, given), [torch.ones(other) for other in SHAPES])


@pytest.mark.parametrize("name", OVER_CLASSES)
def test_events_over_classes(name):
    for shape in SHAPES[1:]:
        given = torch.rand(shape) + 0.5
        real = getattr(torch.distributions, name)(given, validate_args=False)
        values = [real.sample(), real.sample((5,)), real.sample((5, 2))]
        agrees(name, real, twin(name, given), values)
    assert isinstance(twin(name, torch.tensor(0.5)), (Mismatch, ops.Module))


def test_normal_vectors_and_independent_parts():
    for shape in [(3,), (2, 3), (4, 2, 3)]:
        loc, rows = torch.rand(shape), torch.eye(3)
        real = torch.distributions.MultivariateNormal(loc, rows)
        agrees("MultivariateNormal", real, twin("MultivariateNormal", loc, rows), [torch.rand(3), torch.rand(shape)])
        for count in range(len(shape) + 1):
            base = torch.distributions.Normal(loc, torch.ones(3))
            real = torch.distributions.Independent(base, count)
            inner = twin("Normal", loc, torch.ones(3))
            made = ops.construct(ops.find_module("torch.distributions.Independent"), [inner, Dim.of(count)], {})
            agrees("Independent", real, made, [torch.rand(shape), torch.rand((5, *shape))])


def test_divergences():
    rule = ops.find_operation("torch.distributions.kl_divergence")
    for left, right in itertools.product([(3,), (2, 3), (2, 1)], repeat=2):
        one, other = torch.rand(left), torch.rand(right)
        real = torch.distributions.kl_divergence(
            torch.distributions.Normal(one, one + 1), torch.distributions.Normal(other, other + 1)
        )
        assert sizes(rule([twin("Normal", one, one), twin("Normal", other, other)], {})) == tuple(real.shape)
    assert isinstance(rule([twin("Normal", one, one), Unknown("x")], {}), Unknown)


def test_every_name_is_torchs_and_compared():
    compared = {*TWO, *ONE, *OVER_CLASSES, "MultivariateNormal", "Independent"}
    assert {name.rpartition(".")[2] for name in NAMES} == compared
    for name in NAMES:
        found = torch.distributions
        for part in name.split(".")[2:]:
            found = getattr(found, part)
        assert isinstance(found, type)


def checked(body):
    head = f"from torch.distributions import Categorical, Normal, kl_divergence\n{PRELUDE}"
    report = check_source(head + body, "d.py")
    assert not report.internal, report.internal[0].traceback
    return [(finding.code, finding.message) for finding in report.diagnostics]


def test_in_code():
    found = checked(
        'def policy(logits: Float[Tensor, "b v"], actions: Int[Tensor, "b"]) -> Float[Tensor, "b"]:\n'
        "    dist = Categorical(logits=logits)\n    reveal_shape(dist.sample())\n    reveal_shape(dist.probs)\n"
        "    return dist.log_prob(actions) + dist.entropy()\n"
        'def actor(mean: Float[Tensor, "b a"], std: Float[Tensor, "a"]) -> Float[Tensor, "b"]:\n'
        "    dist = Normal(mean, std.expand_as(mean))\n    x = dist.rsample()\n"
        "    reveal_shape(kl_divergence(dist, Normal(0.0, 1.0)))\n    return dist.log_prob(x).sum(-1)\n"
    )
    assert found == [("SC000", "b"), ("SC000", "b v"), ("SC000", "b a")]


def test_a_density_of_other_actions_is_told():
    [(code, message)] = checked(
        'def loss(logits: Float[Tensor, "b v"], actions: Int[Tensor, "t"]) -> Float[Tensor, "b"]:\n'
        "    return Categorical(logits=logits).log_prob(actions)\n"
    )
    assert code == "SC203"
    assert "log_prob" in message
    [(code, message)] = checked(
        'def loss(mean: Float[Tensor, "b 1"], actions: Float[Tensor, "b"]) -> Float[Tensor, ""]:\n'
        "    return Normal(mean, 1.0).log_prob(actions).mean()\n"
    )
    assert code == "SC302"
