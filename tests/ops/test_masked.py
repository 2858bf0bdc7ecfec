"""``torch.masked`` against torch."""

from __future__ import annotations

import pytest

from tests.oracle.harness import bad, case, check, t

X = t("B T D")
MASK = t("B T D", "bool")
M = "torch.masked."

CASES = [
    case(M + "sum", X, 1, mask=MASK),
    case(M + "sum", X, (0, 2), keepdim=True),
    case(M + "sum", X),
    bad(M + "sum", X, 3),
    case(M + "argmax", X, 1, mask=MASK),
    case(M + "argmax", X),
    case(M + "median", X, 1),
    case(M + "var", X, 1, mask=MASK, unbiased=False),
    case(M + "norm", X, 2.0, 1, keepdim=True),
    case(M + "softmax", X, 1, mask=MASK),
    bad(M + "softmax", X, 3),
    case(M + "normalize", X, 2.0, 1),
    case(M + "logaddexp", X, X),
]


@pytest.mark.parametrize("checked", CASES, ids=str)
def test_agrees_with_torch(checked):
    check(checked)
