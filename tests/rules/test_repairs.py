"""A repair that is offered is one: with it in place, nothing is left to say, and torch agrees."""

import re

import pytest
import torch

from shapecheck.static import check_source

HEAD = "import torch\nfrom jaxtyping import Float\nfrom torch import Tensor\n\n\n"


def findings(text):
    report = check_source(HEAD + text)
    assert not report.internal, report.internal[0].traceback
    return report.diagnostics


def run(text, *arguments):
    scope = {}
    exec(HEAD + text, scope)  # noqa: S102 - the text stands in this file
    return scope["f"](*arguments)


PAIRS = {
    "at the end": ('x: Float[Tensor, "b 1"], y: Float[Tensor, "b"]', (3, 1), (3,)),
    "behind the batch": ('x: Float[Tensor, "b 1 h w"], y: Float[Tensor, "b h w"]', (3, 1, 2, 4), (3, 2, 4)),
    "on the right": ('y: Float[Tensor, "b h w"], x: Float[Tensor, "b 1 h w"]', (3, 2, 4), (3, 1, 2, 4)),
}


@pytest.mark.parametrize("case", PAIRS)
def test_both_repairs_of_an_outer_broadcast_keep_the_samples_paired(case):
    declared, *sizes = PAIRS[case]
    code = "def f(" + declared + ") -> Tensor:\n    return {x} * {y}\n"
    (finding,) = findings(code.format(x="x", y="y"))
    squeeze, unsqueeze = re.findall(r"`(\.\w+\(-?\d+\))`", finding.repair)
    arguments = [torch.randn(size) for size in sizes]
    whole = {len(size): argument for size, argument in zip(sizes, arguments, strict=True)}
    first, last = whole[max(whole)], whole[min(whole)]
    wanted = first.reshape(last.shape) * last
    for names in ({"x": "x" + squeeze, "y": "y"}, {"x": "x", "y": "y" + unsqueeze}):
        repaired = code.format(**names)
        assert findings(repaired) == []
        assert torch.equal(run(repaired, *arguments).reshape(last.shape), wanted)


SCRAMBLED = {
    "turned": ('x: Float[Tensor, "b t d"]', "x.view(b, d, t)", "b, t, d = x.shape", (3, 4, 6)),
    "merged beside a 1": (
        'x: Float[Tensor, "t b e"]', "s.reshape(-1, t)",
        "t, b, e = x.shape\n    s = x.reshape(-1, e).sum(dim=1, keepdim=True)", (4, 3, 2),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", SCRAMBLED)
def test_the_repair_of_a_scrambled_reshape_has_its_sizes_and_is_clean(case):
    declared, call, before, sizes = SCRAMBLED[case]
    code = f"def f({declared}) -> Tensor:\n    {before}\n    return {{call}}\n"
    (finding,) = findings(code.format(call=call))
    assert finding.code == "SC301"
    moved = re.search(r"`(\.[^`]*)`", finding.repair)[1]
    repaired = code.format(call=call.partition(".")[0] + moved)
    assert findings(repaired) == []
    x = torch.randn(sizes)
    assert run(repaired, x).shape == run(code.format(call=call), x).shape
    assert not torch.equal(run(repaired, x), run(code.format(call=call), x))
