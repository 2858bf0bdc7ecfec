"""Attributes, questions and conversions of tensors against torch."""

from __future__ import annotations

import pytest
import torch

from shapecheck.ops.attributes import FLAGS
from tests.oracle.harness import attribute_case, bad, case, check, n, t

X = t("B T D")


def with_gradient(shape):
    tensor = torch.rand(shape, requires_grad=True)
    tensor.sum().backward()
    return tensor


def with_graph(shape):
    return torch.rand(shape, requires_grad=True) * 2


CASES = [
    attribute_case("shape", X),
    attribute_case("shape", t("")),
    attribute_case("ndim", X),
    attribute_case("data", X),
    attribute_case("real", X),
    attribute_case("real", t("B", "complex")),
    attribute_case("imag", t("B", "complex")),
    attribute_case("T", t("N M")),
    attribute_case("mT", X),
    attribute_case("mT", t("B"), fails=True),
    attribute_case("mH", X),
    attribute_case("H", t("N M")),
    attribute_case("H", X, fails=True),
    *[attribute_case(name, t("B T")) for name in FLAGS],
    *[attribute_case(name, X) for name in ("dtype", "device", "layout", "grad_fn", "nbytes", "itemsize", "output_nr")],
    attribute_case("grad", t("B T", make=with_gradient)),
    case("torch.Tensor.backward", t("", make=with_graph)),
    case("torch.Tensor.retain_grad", t("B", make=with_graph)),
    case("torch.Tensor.size", X),
    case("torch.Tensor.size", X, -1),
    case("torch.Tensor.size", X, dim=0),
    bad("torch.Tensor.size", X, 3),
    bad("torch.Tensor.size", t(""), 0),
    case("torch.Tensor.dim", X),
    case("torch.numel", X),
    case("torch.Tensor.stride", X),
    case("torch.Tensor.stride", X, 1),
    case("torch.Tensor.item", t("")),
    case("torch.Tensor.item", t("", "int")),
    case("torch.Tensor.item", t("", "bool")),
    case("torch.Tensor.tolist", t("2 3"), known=False),
    case("torch.Tensor.tolist", t("B"), known=False),
    case("torch.is_floating_point", X),
    case("torch.is_nonzero", t("")),
    case("torch.is_tensor", X),
    case("torch.is_tensor", 1),
    case("torch.Tensor.is_contiguous", X),
    case("torch.Tensor.element_size", X),
    case("torch.Tensor.float", t("B T", "int")),
    case("torch.Tensor.long", X),
    case("torch.Tensor.bool", X),
    case("torch.Tensor.cfloat", X),
    case("torch.clone", X),
    case("torch.Tensor.contiguous", X, only=True),
    case("torch.Tensor.requires_grad_", X, only=True),
    case("torch.Tensor.to", X, torch.int64),
    case("torch.Tensor.to", X, "cpu"),
    case("torch.Tensor.to", X, "cpu", torch.float64),
    case("torch.Tensor.to", X, dtype=torch.bool),
    case("torch.Tensor.to", X, t("N", "int")),
    case("torch.Tensor.type", X, torch.int64),
    case("torch.Tensor.type_as", X, t("N", "int")),
    case("torch.real", t("B", "complex")),
    case("torch.real", X, only=True),
    case("torch.Tensor.numpy", t("B T", make=torch.zeros), known=False),
    case("torch.Tensor.resize_", t("B T"), n("T"), n("B")),
    case("torch.Tensor.resize_as_", t("B T"), t("T")),
    case("torch.Tensor.to_sparse", X),
    case("torch.Tensor.__len__", X),
]


@pytest.mark.parametrize("checked", CASES, ids=str)
def test_agrees_with_torch(checked):
    check(checked)
