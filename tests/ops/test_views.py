"""Views, orders of axes, parts and diagonals against torch."""

from __future__ import annotations

import pytest

from shapecheck.dims import Dim, Symbol
from shapecheck.ops import find_operation
from shapecheck.shapes import Context, Sequence, Shape, Tensor, scope, use
from tests.oracle.harness import bad, case, check, n, t

X = t("B T D")

CASES = [
    case("torch.Tensor.view", t("B T H*K"), n("B"), n("T"), n("H"), n("K")),
    case("torch.Tensor.view", t("B T H*K"), n("B"), n("T"), n("H"), -1),
    case("torch.Tensor.view", t("B T D"), -1, n("D")),
    case("torch.Tensor.view", t("B T D"), -1),
    case("torch.Tensor.view", t("B T D"), (n("B*T"), n("D"))),
    case("torch.Tensor.view", t("B T D"), size=(n("B*T"), n("D")), only=True),
    case("torch.Tensor.reshape", t("B T D"), n("T"), n("B"), n("D")),
    case("torch.Tensor.reshape", t("B T D"), 1, n("B"), n("T*D"), 1),
    bad("torch.Tensor.view", t("B T D"), n("B"), n("T"), n("E")),
    bad("torch.Tensor.view", t("B T D"), n("B"), n("T+1"), n("D")),
    case("torch.reshape", t("B T D"), (n("B*T"), n("D"))),
    case("torch.reshape", t("B T D"), [-1, n("D")]),
    case("torch.Tensor.view_as", t("B T*D"), t("B T D")),
    case("torch.flatten", X),
    case("torch.flatten", X, 1),
    case("torch.flatten", t("N B T D"), 1, 2),
    case("torch.flatten", t("N B T D"), start_dim=-3, end_dim=-2),
    case("torch.flatten", t("")),
    bad("torch.flatten", X, 2, 1),
    bad("torch.flatten", X, 4),
    case("torch.ravel", X),
    case("torch.unflatten", t("B H*K"), -1, (n("H"), n("K"))),
    case("torch.unflatten", t("B H*K D"), 1, (n("H"), -1)),
    bad("torch.unflatten", t("B H*K"), -1, (n("H"), n("D"))),
    bad("torch.unflatten", t("B H*K"), 2, (n("H"), n("K"))),
    case("torch.squeeze", t("B 1 D"), generic=True),
    case("torch.squeeze", t("B 1 D"), 1),
    case("torch.squeeze", t("B 1 D"), -2),
    case("torch.squeeze", t("B 1 D 1"), (1, 3)),
    case("torch.squeeze", t("B T 1"), 1, generic=True),
    case("torch.squeeze", t("")),
    bad("torch.squeeze", t("B 1 D"), 3),
    bad("torch.squeeze", t("B 1 1 D"), (1, 1)),
    case("torch.unsqueeze", X, 0),
    case("torch.unsqueeze", X, -1),
    case("torch.unsqueeze", X, 3),
    case("torch.unsqueeze", X, -2),
    case("torch.unsqueeze", t(""), 0),
    bad("torch.unsqueeze", X, 4),
    bad("torch.unsqueeze", X, -5),
    case("torch.transpose", X, 1, 2),
    case("torch.transpose", X, -1, -2),
    case("torch.transpose", X, 0, -1),
    case("torch.transpose", t(""), 0, 0),
    bad("torch.transpose", X, 1, 3),
    case("torch.Tensor.transpose", X, 1, dim1=2, only=True),
    case("torch.permute", X, (2, 0, 1)),
    case("torch.permute", X, (-1, 0, -2)),
    bad("torch.permute", X, (0, 1)),
    bad("torch.permute", X, (0, 1, 1)),
    bad("torch.permute", X, (0, 1, 3)),
    case("torch.Tensor.permute", X, 2, 0, 1),
    case("torch.Tensor.permute", X, (2, 0, 1)),
    case("torch.Tensor.permute", X, dims=(2, 0, 1)),
    case("torch.movedim", X, 0, 2),
    case("torch.movedim", X, -1, 0),
    case("torch.movedim", t("N B T D"), (0, 1), (-1, -2)),
    case("torch.movedim", t("N B T D"), (3, 1), (0, 1)),
    bad("torch.movedim", X, (0, 1), (0,)),
    bad("torch.movedim", X, 0, 3),
    case("torch.t", t("N M")),
    case("torch.t", t("N")),
    bad("torch.t", X),
    case("torch.adjoint", X),
    case("torch.flip", X, (0, 2)),
    case("torch.flip", X, [1]),
    bad("torch.flip", X, (0, 3)),
    case("torch.Tensor.flip", X, 0, 1),
    case("torch.Tensor.flip", X, (0,)),
    case("torch.fliplr", t("N M")),
    case("torch.flipud", t("N")),
    bad("torch.fliplr", t("N")),
    bad("torch.flipud", t("")),
    case("torch.roll", X, 1),
    case("torch.roll", X, 1, 1),
    case("torch.roll", X, (1, 2), (0, 1)),
    case("torch.roll", X, shifts=1, dims=-1),
    bad("torch.roll", X, 1, 3),
    bad("torch.roll", X, (1, 2), 0),
    bad("torch.rot90", X, 1, (0,)),
    bad("torch.rot90", X, 1, (1, 1)),
    bad("torch.diag_embed", t("B N"), 0, 1, 1),
    case("torch.rot90", X, 1, (0, 2)),
    case("torch.rot90", X, 2, (0, 2)),
    case("torch.rot90", t("N M")),
    case("torch.tril", X),
    case("torch.triu", t("N M"), 1),
    case("torch.triu", t("N M"), diagonal=-1),
    bad("torch.triu", t("N")),
    case("torch.Tensor.expand", t("1 T D"), n("B"), n("T"), n("D")),
    case("torch.Tensor.expand", t("1 T D"), n("B"), -1, -1),
    case("torch.Tensor.expand", t("T D"), n("B"), -1, -1),
    case("torch.Tensor.expand", t("T D"), (n("B"), n("T"), n("D"))),
    case("torch.Tensor.expand", t(""), n("B")),
    case("torch.Tensor.expand", X, -1, -1, -1),
    bad("torch.Tensor.expand", t("T D"), n("B"), n("D"), n("D")),
    bad("torch.Tensor.expand", X, -1, -1),
    bad("torch.Tensor.expand", t("T"), -1, -1),
    case("torch.broadcast_to", t("1 T"), (n("B"), n("T"))),
    bad("torch.broadcast_to", t("T"), (n("T"), n("B"))),
    case("torch.Tensor.expand_as", t("1 T"), t("B T")),
    case("torch.Tensor.expand_as", t("T"), t("B T")),
    bad("torch.Tensor.expand_as", t("T"), t("T B")),
    case("torch.broadcast_tensors", t("B 1"), t("T")),
    bad("torch.broadcast_tensors", t("B T"), t("B")),
    case("torch.broadcast_shapes", (n("B"), 1), (n("T"),)),
    case("torch.atleast_1d", t("")),
    case("torch.atleast_1d", X),
    case("torch.atleast_1d", t("B"), t("")),
    case("torch.atleast_2d", t("")),
    case("torch.atleast_2d", t("B")),
    case("torch.atleast_2d", [t("B"), t("B T")]),
    case("torch.atleast_3d", t("")),
    case("torch.atleast_3d", t("B")),
    case("torch.atleast_3d", t("B T")),
    case("torch.atleast_3d", t("A B C D")),
    case("torch.narrow", X, 1, 0, 1),
    case("torch.narrow", X, 1, 0, n("T")),
    case("torch.narrow", X, -1, 0, n("D")),
    bad("torch.narrow", t("B 4"), 1, 2, 3),
    bad("torch.narrow", X, 3, 0, 1),
    case("torch.select", X, 1, 0),
    case("torch.select", X, -1, -1),
    bad("torch.select", X, 3, 0),
    bad("torch.select", t("B 4"), 1, 4),
    bad("torch.select", t(""), 0, 0),
    case("torch.Tensor.unfold", t("B 2*T"), 1, 2, 2),
    case("torch.Tensor.unfold", t("B T+3 D"), 1, 3, 1),
    case("torch.Tensor.unfold", t("B T+3 D"), -2, 3, 2),
    bad("torch.Tensor.unfold", t("B 3"), 1, 4, 1),
    case("torch.diagonal", t("N M")),
    case("torch.diagonal", t("B N N"), 0, 1, 2),
    case("torch.diagonal", t("B N+1 N+1"), offset=1, dim1=-2, dim2=-1),
    case("torch.diagonal", t("B N+2 M+2"), offset=-1, dim1=-2, dim2=-1),
    case("torch.linalg.diagonal", t("B N M")),
    case("torch.linalg.diagonal", t("B N M"), offset=0, dim1=0, dim2=1),
    bad("torch.linalg.diagonal", t("N")),
    bad("torch.diagonal", t("N")),
    bad("torch.diagonal", X, 0, 1, 1),
    case("torch.diag", t("N")),
    case("torch.diag", t("N"), 1),
    case("torch.diag", t("N N")),
    case("torch.diag", t("N+1 M+1"), -1),
    bad("torch.diag", X),
    case("torch.diag_embed", t("B N")),
    case("torch.diag_embed", t("B N"), 1),
    case("torch.diag_embed", t("B N"), 0, 0, 2),
    case("torch.diag_embed", t("B N"), -2, 1, -1),
    case("torch.diagflat", t("N M")),
    case("torch.diagflat", t("N"), 1),
    case("torch.view_as_real", t("B N", "complex")),
    case("torch.view_as_complex", t("B N 2")),
    bad("torch.view_as_complex", t("B N 3")),
    case("torch.as_strided", t("B T"), (n("B"), 1), (n("T"), 1)),
]


@pytest.mark.parametrize("checked", CASES, ids=str)
def test_agrees_with_torch(checked):
    check(checked)


def test_a_number_that_is_squeezed_is_left_as_it_is():
    points = Tensor(Shape.of(Symbol("B"), Symbol("N"), 4))
    assert str(find_operation("torch.squeeze")([points, Dim.of(-1)], {}).shape) == "[B, N, 4]"
    size = Dim.of(Symbol("N"))
    longer = Tensor(Shape.of(Symbol("B"), size, size + 1))
    assert str(find_operation("torch.squeeze")([longer, Dim.of(2)], {}).shape) == "[B, N, N + 1]"


def test_a_named_axis_that_is_squeezed_may_be_one_or_stay():
    previous = use(Context())
    try:
        named = Tensor(Shape.of(Symbol("B"), Symbol("T"), Symbol("D")))
        assert str(find_operation("torch.squeeze")([named, Dim.of(1)], {}).shape) == "[B, ..., D]"
        both = Sequence([Dim.of(0), Dim.of(1)])
        assert find_operation("torch.squeeze")([named, both], {}).shape.is_unknown
        assert scope().solutions == ()
    finally:
        use(previous)
