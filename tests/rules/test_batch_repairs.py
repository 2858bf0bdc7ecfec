"""The repair of a number of the whole batch lines up with the samples: nothing is left to say, and torch agrees."""

import re

import pytest
import torch

from shapecheck.static import check_source

HEAD = "import torch\nfrom jaxtyping import Float\nfrom torch import Tensor\n\n\n"
CODE = (
    "def f(x: Float[Tensor, {x!r}], m: Float[Tensor, {m!r}]) -> Float[Tensor, {x!r}]:\n"
    "    return x / m.sum({dim}){view}\n"
)
SIZES = {"batch": 3, "t": 4, "h": 5, "w": 6}


def findings(code):
    report = check_source(HEAD + code)
    assert not report.internal, report.internal[0].traceback
    return report.diagnostics


@pytest.mark.parametrize(
    ("x", "m"),
    [
        ("batch", "batch t"), ("batch h", "batch t"), ("batch t h", "batch t"), ("batch", "batch h w"),
        ("batch t", "batch t h"),
    ],
)
def test_the_repair_reduces_each_sample_and_keeps_it_beside_its_own(x, m):
    (finding,) = findings(CODE.format(x=x, m=m, dim="", view=""))
    assert finding.code == "SC307"
    dim, *view = re.findall(r"`([^`]*)`", finding.repair)
    repaired = CODE.format(x=x, m=m, dim=dim, view="".join(view))
    assert findings(repaired) == []
    scope = {}
    exec(HEAD + repaired, scope)  # noqa: S102 - the text stands in this file
    left, right = (torch.rand([SIZES[name] for name in names.split()]) + 0.5 for names in (x, m))
    wanted = torch.stack([one / other.sum() for one, other in zip(left, right, strict=True)])
    torch.testing.assert_close(scope["f"](left, right), wanted)


def test_one_number_a_sample_needs_no_reduction():
    code = 'def f(x: Float[Tensor, "batch"], m: Float[Tensor, "batch"]) -> Tensor:\n    return x - m{}\n'
    (finding,) = findings(code.format(".sum()"))
    assert "leave the reduction out" in finding.repair
    assert findings(code.format("")) == []
