"""Element-wise rules against torch."""

from __future__ import annotations

from functools import partial

import pytest
import torch

from shapecheck.ops.inplace import AUGMENTED, METHODS
from tests.oracle.harness import bad, case, check, n, t

X = t("B T D")
ROW = t("D")
COLUMN = t("B T 1")
INTEGERS = {"and", "or", "xor", "gcd", "lcm", "lshift", "rshift", "left", "right"}


def written_operands(name):
    """Operands that an operation in place takes: integers where it works on bits."""
    last = name.rpartition(".")[2].removeprefix("i").removesuffix("_")
    if INTEGERS & set(last.split("_")) and "logical" not in last:
        ones = partial(torch.ones, dtype=torch.int64)
        return t("B T", "int", ones), t("T", "int", ones)
    double = partial(torch.rand, dtype=torch.float64)
    return t("B T", make=double), t("T", make=double)


CASES = [
    case("torch.neg", X),
    case("torch.neg", t("")),
    case("torch.round", X),
    case("torch.abs", X),
    case("torch.abs", t("B", "complex")),
    case("torch.angle", t("B", "complex")),
    case("torch.square", X),
    case("torch.square", t("B", "bool")),
    case("torch.Tensor.square", t("B", "int")),
    case("torch.bitwise_not", t("B T", "bool")),
    case("torch.exp", X),
    case("torch.exp", t("B T", "int")),
    case("torch.erf", X),
    case("torch.mvlgamma", t("B", make=lambda shape: torch.rand(shape) + 3), 2),
    case("torch.polygamma", 1, X),
    case("torch.Tensor.polygamma", X, 1),
    case("torch.isnan", X),
    case("torch.frexp", X),
    case("torch.add", X, ROW),
    case("operator.add", X, COLUMN),
    case("operator.add", X, n("D"), only=True),
    case("operator.mul", 2.5, t("B T", "int"), only=True),
    case("operator.add", X, t("")),
    case("operator.add", t("B 1 D"), t("T 1")),
    bad("operator.add", X, t("B T")),
    bad("operator.add", X, t("T")),
    bad("torch.sub", X, t("B D T")),
    case("torch.add", X, ROW, alpha=2, only=True),
    case("torch.bitwise_and", t("B T", "int"), t("T", "int")),
    case("torch.div", X, ROW),
    case("torch.div", t("B", "int"), 2, only=True),
    case("torch.div", X, ROW, rounding_mode="floor", only=True),
    bad("torch.div", X, t("B")),
    case("torch.igamma", X, ROW),
    case("torch.eq", X, ROW),
    bad("torch.eq", X, t("T")),
    case("operator.lt", X, 0.5, only=True),
    case("torch.rsub", X, ROW),
    case("torch.complex", X, ROW),
    case("torch.lerp", X, X, 0.5),
    case("torch.addcmul", X, ROW, COLUMN),
    bad("torch.addcmul", X, ROW, t("B")),
    case("torch.clamp", X, 0.0),
    case("torch.clamp", X, max=ROW),
    case("torch.clamp_min", X, 0.1),
    case("torch.clamp_max", X, 0.1),
    # in place
    case("torch.Tensor.add_", X, ROW, only=True),
    bad("torch.Tensor.add_", ROW, X, only=True),
    bad("torch.Tensor.mul_", t("B 1"), t("B T"), only=True),
    bad("torch.Tensor.copy_", t("B T"), t("T B"), only=True),
    case("torch.Tensor.bitwise_and_", t("B", "bool"), t("B", "bool"), only=True),
    case("torch.Tensor.addcmul_", X, ROW, COLUMN),
    case("torch.Tensor.lerp_", X, X, 0.5),
    case("torch.Tensor.clamp_", X, 0.1, 0.2),
    case("operator.iadd", X, ROW, only=True),
    bad("operator.iadd", ROW, X, only=True),
    case("operator.iadd", 1, ROW, only=True),
    *[case(name, *written_operands(name), only=True) for name in (*METHODS, *AUGMENTED)],
    case("torch.Tensor.clamp_min_", X, ROW, only=True),
    case("torch.Tensor.clamp_max_", X, ROW, only=True),
    # activations
    case("torch.nn.functional.gelu", X),
    case("torch.dropout", X, 0.1, True),
    case("torch.threshold", X, 0.1, 0.0),
    case("torch.prelu", t("B C T"), t("C")),
    case("torch.prelu", t("B C T"), t("1")),
    bad("torch.prelu", t("B C T"), t("T")),
    case("torch.nn.functional.glu", t("B T 2*D")),
    case("torch.nn.functional.glu", t("B 2*T D"), 1),
    bad("torch.nn.functional.glu", t("B 7")),
]


@pytest.mark.parametrize("checked", CASES, ids=str)
def test_agrees_with_torch(checked):
    check(checked)
