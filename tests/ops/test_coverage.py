"""Every registered name has a case that runs it against torch, and no two rules claim one name."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

import pytest

from shapecheck.ops.registry import MODULES, OPERATIONS, op
from tests.oracle.harness import Case, uncovered

FOLDER = Path(__file__).parent

ELSEWHERE = {
    "torch.Tensor.cuda": "needs a device",
    "torch.Tensor.xpu": "needs a device",
    "torch.Tensor.pin_memory": "needs a device",
    "torch.nn.SyncBatchNorm": "needs a group of processes; the rule is that of BatchNorm",
    "torch.nn.TransformerEncoder": "is made of a layer: see tests/oracle/test_module_db.py",
    "torch.nn.TransformerDecoder": "is made of a layer: see tests/oracle/test_module_db.py",
    "torch.autograd.grad": "needs operands that were computed from each other: see test_derivatives.py",
    "einops.pack": "returns sizes: see test_einops.py",
    "einops.parse_shape": "returns a dictionary: see test_einops.py",
    "fancy_einsum.einsum": "is not needed to run the tests: see test_fancy_einsum.py",
    "torch.nn.utils.rnn.pack_padded_sequence": "returns a packed sequence: see test_packing.py",
    "torch.nn.utils.rnn.pad_packed_sequence": "takes a packed sequence: see test_packing.py",
    "torch.device": "returns an object without a shape",
    "torch.Generator": "returns an object without a shape",
    "torch.finfo": "returns an object without a shape",
    "torch.iinfo": "returns an object without a shape",
    "torch.manual_seed": "returns an object without a shape",
} | {name: "einx is not needed to run the tests: see test_einx.py" for name in OPERATIONS if name.startswith("einx.")}
ELSEWHERE |= {
    name: "gives no tensor by itself: see test_distributions.py"
    for name in (*OPERATIONS, *MODULES)
    if name.startswith("torch.distributions.")
}
"""Names that cannot be run here, with the reason."""


def cases() -> list[Case]:
    """Those of every test module in this folder."""
    found: list[Case] = []
    for path in sorted(FOLDER.glob("test_*.py")):
        if path != Path(__file__):
            found += getattr(import_module(f"tests.ops.{path.stem}"), "CASES", [])
    return found


def test_every_name_has_a_case():
    missing = [name for name in uncovered(cases()) if name not in ELSEWHERE]
    assert not missing, f"{len(missing)} registered names without a case: {', '.join(missing)}"


def test_no_name_is_claimed_twice():
    with pytest.raises(ValueError, match=r"torch\.cat"):
        op("torch.cat")(lambda: None)


def test_names_are_qualified():
    packages = {name.split(".")[0] for name in (*OPERATIONS, *MODULES)}
    assert packages == {"torch", "operator", "einops", "einx", "fancy_einsum"}
