"""Flags and checks of torch that concern no shape."""

from __future__ import annotations

import pytest
import torch

from shapecheck import ops
from shapecheck.shapes import Constant, Opaque
from tests.oracle.harness import case, check, t


def with_gradient(shape):
    tensor = torch.rand(shape, requires_grad=True)
    tensor.sum().backward()
    return tensor


CASES = [
    case("torch.is_grad_enabled"),
    case("torch.get_default_dtype"),
    case("torch.testing.assert_close", t("B T", make=torch.ones), t("B T", make=torch.ones)),
    case("torch.nn.utils.clip_grad_norm_", t("B T", make=with_gradient), 1.0),
]


@pytest.mark.parametrize("checked", CASES, ids=str)
def test_agrees_with_torch(checked):
    check(checked)


def test_a_device_is_an_object():
    assert isinstance(ops.find_operation("torch.device")([Constant("cpu")], {}), Opaque)
