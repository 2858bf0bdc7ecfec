"""Rules for new tensors against torch."""

from __future__ import annotations

import pytest
import torch

from shapecheck.ops.creation import FILLINGS, INITIALISERS
from tests.oracle.harness import bad, case, check, n, t

X = t("B T D")


def weights(shape):
    return torch.full(shape, 0.5)


ARGUMENTS = {"constant_": (1.0,), "sparse_": (0.5,), "fill_": (1.0,), "fill_diagonal_": (1.0,), "geometric_": (0.5,)}

CASES = [
    case("torch.zeros", n("B"), n("T")),
    case("torch.ones", (n("B"), n("T*2"))),
    case("torch.zeros", [n("B")], dtype=torch.int64, device="cpu", only=True),
    case("torch.empty", size=(n("B"), 1)),
    case("torch.zeros", ()),
    case("torch.full", (n("B"), n("T")), 0.5),
    case("torch.full", [n("B")], True),
    case("torch.full", [n("B")], 0, dtype=torch.float32),
    case("torch.empty_strided", (n("B"), n("T")), (n("T"), 1)),
    case("torch.Tensor.new_zeros", X, n("A"), n("B")),
    case("torch.Tensor.new_zeros", X, (n("A"), n("B")), dtype=torch.bool),
    case("torch.Tensor.new_full", X, (n("A"), n("B")), 1.0),
    case("torch.Tensor.new_empty_strided", X, (n("A"), n("B")), (n("B"), 1)),
    case("torch.zeros_like", X),
    case("torch.ones_like", X, dtype=torch.bool, only=True),
    case("torch.full_like", X, 1.0),
    case("torch.randint_like", X, 5),
    case("torch.randint", 0, 5, (n("B"), n("T"))),
    case("torch.randint", n("V"), (n("B"), n("T"))),
    case("torch.randint", low=0, high=5, size=(n("B"),)),
    case("torch.randperm", n("N")),
    case("torch.eye", n("N")),
    case("torch.eye", n("N"), n("M"), dtype=torch.bool),
    case("torch.arange", n("T")),
    case("torch.arange", n("T"), n("T+S")),
    case("torch.arange", 0, n("D"), 2),
    case("torch.arange", 0, n("2*D"), 2, dtype=torch.float32),
    case("torch.arange", n("T"), 0, -1),
    case("torch.arange", n("T-1"), -1, -1),
    case("torch.arange", start=1, end=n("T+1"), step=1),
    case("torch.arange", 0.0, 1.0, 0.1),
    case("torch.linspace", 0, 1, n("N")),
    case("torch.linspace", 0, 1, steps=n("N")),
    case("torch.hann_window", n("N")),
    case("torch.tril_indices", n("N"), n("N")),
    case("torch.tensor", [[1, 2, 3], [4, 5, 6]]),
    case("torch.tensor", [1, 2.5]),
    case("torch.tensor", 1.0),
    case("torch.tensor", []),
    case("torch.tensor", [n("B"), n("T")]),
    case("torch.as_tensor", X, only=True),
    case("torch.asarray", X, only=True),
    case("torch.from_numpy", t("B T", make=lambda shape: torch.zeros(shape).numpy()), only=True, known=False),
    case("torch.as_tensor", [1.0], only=True),
    case("torch.scalar_tensor", 1.0),
    case("torch.Tensor.new_tensor", X, [1, 2]),
    case("torch.Tensor", n("B"), n("T"), only=True),
    case("torch.Tensor", [[1.0, 2.0]], only=True),
    case("torch.normal", 0.0, 1.0, size=(n("B"), n("T"))),
    case("torch.normal", X, t("D")),
    case("torch.normal", X),
    case("torch.bernoulli", X),
    case("torch.fill", X, 1.0),
    case("torch.alias_copy", X),
    case("torch.empty_permuted", (n("B"), n("T")), (1, 0)),
    case("torch.binomial", X, X),
    case("torch.multinomial", t("B V", make=weights), 1),
    case("torch.multinomial", t("V", make=weights), n("K"), sizes={"V": 8, "K": 2}),
    bad("torch.multinomial", t("B T V", make=weights), 1),
    case("torch.vander", t("N"), n("M")),
    case("torch.vander", t("N")),
    case("torch.linalg.vander", t("B N"), N=n("M")),
    case("torch.Tensor.zero_", X, only=True),
    case("torch.Tensor.normal_", X, 0.0, 0.02, only=True),
    case("torch.nn.init.normal_", X, std=0.02, only=True),
    case("torch.nn.init.trunc_normal_", X, std=0.02, only=True),
    case("torch.nn.init.dirac_", t("6 6 1"), only=True),
    *[
        case(f"torch.nn.init.{name}", t("6 6"), *ARGUMENTS.get(name, ()), only=True)
        for name in INITIALISERS.split()
        if name != "dirac_"
    ],
    *[case(f"torch.Tensor.{name}", t("6 4"), *ARGUMENTS.get(name, ()), only=True) for name in FILLINGS.split()],
    *[case(f"torch.{name}Tensor", n("B"), n("T"), only=True) for name in ("Float", "Long", "Int", "Bool")],
]


@pytest.mark.parametrize("checked", CASES, ids=str)
def test_agrees_with_torch(checked):
    check(checked)
