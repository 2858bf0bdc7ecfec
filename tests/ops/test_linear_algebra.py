"""Linear algebra against torch."""

from __future__ import annotations

from functools import partial

import pytest
import torch

from tests.oracle.harness import bad, case, check, n, t


def positive(shape):
    """A batch of symmetric matrices with positive eigenvalues."""
    if shape[-1] != shape[-2]:
        return torch.rand(shape)
    square = torch.rand(shape)
    return square @ square.mT + torch.eye(shape[-1])


M = t("B N N", make=positive)
WIDE = t("B N M")
L = "torch.linalg."

ones = partial(torch.ones, dtype=torch.int32)

CASES = [
    case(L + "inv", M),
    bad(L + "inv", WIDE),
    bad(L + "inv", t("N")),
    case(L + "matrix_power", M, 2),
    case(L + "inv_ex", M),
    case(L + "pinv", WIDE),
    case(L + "det", M),
    bad(L + "det", WIDE),
    case(L + "slogdet", M),
    case(L + "cond", M),
    case(L + "cond", WIDE),
    case(L + "matrix_rank", WIDE),
    case("torch.trace", t("N M")),
    bad("torch.trace", WIDE),
    case(L + "eigvals", M),
    case(L + "eigvalsh", M),
    case(L + "eig", M),
    case(L + "eigh", M),
    case(L + "svdvals", WIDE),
    case(L + "svd", WIDE),
    case(L + "svd", WIDE, full_matrices=False),
    bad(L + "svd", t("N")),
    case("torch.svd", WIDE),
    case("torch.svd", WIDE, False),
    case(L + "qr", WIDE),
    case(L + "qr", WIDE, mode="complete"),
    case("torch.qr", WIDE),
    case(L + "solve", M, t("B N K")),
    case(L + "solve", t("N N", make=positive), t("N")),
    case(L + "solve", M, t("B N")),
    bad(L + "solve", M, t("B K N")),
    bad(L + "solve", WIDE, t("B N K")),
    case(L + "solve_triangular", M, t("B N K"), upper=True),
    bad(L + "solve_triangular", M, t("B K N"), upper=True),
    case("torch.cholesky_solve", t("B N K"), M),
    case(L + "lstsq", WIDE, t("B N K"), known=False),
    bad(L + "lstsq", WIDE, t("B M K")),
    case(L + "lu_factor", WIDE),
    case(L + "lu", WIDE),
    case(L + "cross", t("B 3"), t("B 3")),
    bad("torch.cross", t("B 4"), t("B 4"), dim=-1),
    case("torch.cross", t("B 3 T"), t("B 3 T"), dim=1),
    case(L + "vecdot", t("B T D"), t("D")),
    bad(L + "vecdot", t("B T D"), t("T")),
    case(L + "householder_product", t("N M"), t("M"), sizes={"N": 6, "M": 4}),
    case(L + "solve_ex", M, t("B N K"), known=False),
    case(L + "lu_factor_ex", M),
    case(L + "lu_solve", M, t("B N", "int", ones), t("B N K")),
    case("torch.lu_solve", t("B N K"), M, t("B N", "int", ones)),
    case(L + "ldl_factor", M),
    case(L + "ldl_solve", M, t("B N", "int", ones), t("B N K")),
    case(L + "ldl_factor_ex", M),
    case("torch.lu", WIDE),
    case("torch.Tensor.lu", WIDE),
    case("torch.lu_unpack", M, t("B N", "int", ones)),
    case("torch.triangular_solve", t("B N K"), M, known=False),
    case("torch.geqrf", WIDE),
    case("torch.ormqr", t("N N"), t("N"), t("N K")),
    case("torch.svd_lowrank", t("B 8 9"), n("K"), sizes={"K": 3}),
    case("torch.svd_lowrank", t("B 8 9"), known=False),
    case(L + "tensorinv", t("4 6 8 3")),
    case(L + "tensorsolve", t("2 3 6"), t("2 3")),
]


@pytest.mark.parametrize("checked", CASES, ids=str)
def test_agrees_with_torch(checked):
    check(checked)
