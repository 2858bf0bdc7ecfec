"""Joining, cutting and repeating against torch."""

from __future__ import annotations

import pytest
import torch

from shapecheck.dims import Dim, Symbol
from shapecheck.ops.cutting import chunk
from shapecheck.ops.joining import cat, stack
from shapecheck.ops.repeating import repeat, repeat_interleave
from shapecheck.shapes import Axis, Context, Mismatch, Rest, Sequence, Shape, Tensor, Unknown, scope, use
from tests.oracle.harness import bad, case, check, n, t

X = t("B T D")


def twos(shape):
    return torch.full(shape, 2, dtype=torch.int64)


CASES = [
    case("torch.cat", [t("B T D"), t("B S D")], dim=1),
    case("torch.cat", (t("B T D"), t("B T D"), t("B T D")), -1),
    case("torch.cat", [t("B T"), t("N T")]),
    case("torch.cat", [t("B T"), t("B S", "int")], 1),
    case("torch.cat", [t("0"), t("B T")], 1),
    case("torch.cat", [t("B T"), t("B 1")], dim=-1),
    case("torch.cat", [t("B T")], axis=1),
    bad("torch.cat", [t("B T D"), t("B T E")], dim=1),
    bad("torch.cat", [t("B T"), t("B T D")], dim=1),
    bad("torch.cat", [t("B T D"), t("B S D")], dim=3),
    bad("torch.cat", [t(""), t("")]),
    case("torch.stack", [X, X], dim=1),
    case("torch.stack", [X, X, X], -1),
    case("torch.stack", (X,)),
    case("torch.stack", [t(""), t("", "int")]),
    bad("torch.stack", [t("B T"), t("T B")]),
    bad("torch.stack", [t("B T"), t("B T D")]),
    bad("torch.stack", [t("B T"), t("B T")], 3),
    case("torch.hstack", [t("B"), t("T")]),
    case("torch.hstack", [t("B T"), t("B S")]),
    case("torch.hstack", [t(""), t("B")]),
    bad("torch.hstack", [t("B T"), t("S T")]),
    case("torch.vstack", [t("B T"), t("S T")]),
    case("torch.vstack", [t("T"), t("B T")]),
    bad("torch.vstack", [t("B T"), t("B S")]),
    case("torch.dstack", [t("B T"), t("B T S")]),
    case("torch.dstack", [t("T"), t("T")]),
    case("torch.dstack", [t(""), t("")]),
    case("torch.column_stack", [t("B"), t("B T")]),
    case("torch.column_stack", [t(""), t("")]),
    case("torch.split", t("B 6"), 2, 1),
    case("torch.split", t("B 7"), 3, dim=-1),
    case("torch.split", t("B 3*D"), n("D"), -1),
    case("torch.split", t("B T+D"), [n("T"), n("D")], 1),
    case("torch.split", t("B T+D"), (1, n("T+D-1")), -1),
    case("torch.split", X, 2, 1, known=False),
    bad("torch.split", t("B T+D"), [n("T"), n("B")], 1),
    bad("torch.split", X, 2, 3),
    bad("torch.split", t(""), 2),
    case("torch.unsafe_split", t("B 6"), 2, 1),
    case("torch.split_with_sizes", t("T+D B"), [n("T"), n("D")]),
    case("torch.Tensor.split", t("T+D B"), split_size=[n("T"), n("D")], only=True),
    case("torch.chunk", t("B 6"), 3, 1),
    case("torch.chunk", t("B 7"), 3, 1),
    case("torch.chunk", t("B 2*D"), 2, -1),
    case("torch.chunk", t("B 3*D"), chunks=3, dim=-1),
    case("torch.chunk", t("B 5"), 4, 1),
    bad("torch.chunk", X, 2, 3),
    case("torch.tensor_split", t("B 7"), 3, 1),
    case("torch.tensor_split", t("B 2*D"), 2, -1),
    case("torch.tensor_split", t("7 B"), (1, 3)),
    case("torch.tensor_split", t("B T+D"), [n("T")], dim=1),
    case("torch.hsplit", t("B 2*D"), 2),
    case("torch.hsplit", t("2*D"), 2),
    case("torch.vsplit", t("2*D B"), [n("D")]),
    case("torch.dsplit", t("B T 2*D"), 2),
    bad("torch.hsplit", t(""), 2),
    bad("torch.dsplit", t("B T"), 2),
    case("torch.unbind", t("3 B T")),
    case("torch.unbind", t("B 3 T"), 1),
    case("torch.unbind", t("B T 2"), dim=-1),
    case("torch.unbind", X, 1, known=False),
    bad("torch.unbind", X, 3),
    case("torch.Tensor.repeat", t("B T"), 2, 3),
    case("torch.Tensor.repeat", t("B T"), n("A"), 1, 2),
    case("torch.Tensor.repeat", t("B T"), (1, n("T"))),
    case("torch.Tensor.repeat", t(""), n("A")),
    case("torch.Tensor.repeat", t("B"), repeats=(2, 1)),
    bad("torch.Tensor.repeat", t("B T"), 2),
    case("torch.tile", t("B T"), (2,)),
    case("torch.tile", t("B T"), (n("A"), 1, 2)),
    case("torch.Tensor.tile", t("B T"), 2),
    case("torch.Tensor.tile", t("B T"), 2, 1, 1),
    case("torch.Tensor.tile", t("B T"), (2, 1)),
    case("torch.repeat_interleave", t("B T"), 2, 1),
    case("torch.repeat_interleave", t("B T"), n("A"), dim=0),
    case("torch.repeat_interleave", t("B T"), 2),
    case("torch.repeat_interleave", t("B T"), repeats=3, dim=-1),
    case("torch.repeat_interleave", t("3 T"), t("3", "int", twos), dim=0),
    case("torch.repeat_interleave", t("3 T"), t("3", "int", twos), dim=0, output_size=6),
    case("torch.repeat_interleave", t("3", "int", twos), only=True),
    bad("torch.repeat_interleave", t("B T"), 2, 2),
    case("torch.meshgrid", t("B"), t("T"), indexing="ij"),
    case("torch.meshgrid", [t("B"), t("T")], indexing="xy"),
    case("torch.meshgrid", t("B"), t("T"), t("D"), indexing="xy"),
    case("torch.meshgrid", t("B"), t(""), indexing="ij"),
    bad("torch.meshgrid", t("B T"), t("T"), indexing="ij"),
    case("torch.cartesian_prod", t("B"), t("T"), t("D")),
    case("torch.cartesian_prod", t("B")),
    bad("torch.cartesian_prod", t("B T"), t("B")),
    case("torch.block_diag", t("B T"), t("D"), t("")),
    bad("torch.block_diag", X),
    case("torch.combinations", t("N")),
    case("torch.combinations", t("5"), 3),
    case("torch.combinations", t("5"), r=2, with_replacement=True),
    bad("torch.combinations", t("B T")),
    case("torch.nn.utils.rnn.pad_sequence", [t("B D"), t("T D")], batch_first=True),
    case("torch.nn.utils.rnn.pad_sequence", [t("B"), t("T"), t("B")]),
    bad("torch.nn.utils.rnn.pad_sequence", [t("B D"), t("T B")]),
]


@pytest.mark.parametrize("checked", CASES, ids=str)
def test_agrees_with_torch(checked):
    check(checked)


@pytest.fixture(autouse=True)
def _context():
    previous = use(Context())
    yield
    use(previous)


B, T, D, S = (Dim.of(Symbol(name)) for name in "BTDS")
X_BTD = Tensor(Shape.of(B, T, D), "float")


def test_the_part_is_outermost_in_a_cat_of_equal_parts():
    axis = cat(Sequence([X_BTD, X_BTD]), 1).shape[1]
    assert [factor.size for factor in axis.factors] == [Dim.of(2), T]
    assert axis.factors[1] == X_BTD.shape[1].factors[0]


def test_other_axes_are_the_same_objects():
    assert stack(Sequence([X_BTD, X_BTD]), 1).shape[0] is X_BTD.shape[0]
    assert cat(Sequence([X_BTD, X_BTD]), 1).shape[2] is X_BTD.shape[2]


def test_a_repeat_has_the_copy_outside_and_an_interleaved_one_inside():
    copies = Dim.of(Symbol("n"))
    tiled = repeat(X_BTD, Dim.of(1), copies, Dim.of(1)).shape[1]
    interleaved = repeat_interleave(X_BTD, copies, 1).shape[1]
    assert tiled.size == interleaved.size == T * copies
    assert [factor.size for factor in tiled.factors] == [copies, T]
    assert [factor.size for factor in interleaved.factors] == [T, copies]


def test_the_halves_of_a_chunk_are_not_followed():
    whole = X_BTD.shape[2].factors[0]
    halves = [half.shape[2].factors[0] for half in chunk(X_BTD, 2, -1).items]
    assert all(half.ident != whole.ident for half in halves)


def test_a_list_of_unknown_length_is_unknown():
    assert isinstance(cat(Sequence([]), 0), Unknown)
    assert isinstance(cat(Unknown("a comprehension"), 0), Unknown)


def test_a_member_that_is_not_known_leaves_the_other_axes_known():
    found = cat(Sequence([Unknown("a call"), X_BTD]), 1)
    assert found.shape.rank == 3
    assert found.shape.axes[::2] == X_BTD.shape.axes[::2]
    assert stack(Sequence([X_BTD, Unknown("a call")]), 0).shape.axes[1:] == X_BTD.shape.axes


HIDDEN, BATCH = Rest(), Rest("batch")
"""Axes of unknown number: two of one rank that stand between as many axes are the same axes."""


@pytest.mark.parametrize("first", [HIDDEN, BATCH])
def test_operands_of_one_unknown_rank_keep_the_axes_that_are_known(first):
    one, other = Tensor(Shape((first, Axis.of(T)))), Tensor(Shape((BATCH, Axis.of(S))))
    found = cat(Sequence([one, other]), -1).shape
    assert found.axes[0] is BATCH
    assert found[1].size == T + S
    side_by_side = stack(Sequence([one, Tensor(Shape((HIDDEN, Axis.of(T))))]), -1).shape
    assert side_by_side.axes[0] is first
    assert [axis.size for axis in side_by_side.known] == [T, Dim.of(2)]


def test_the_known_axes_of_operands_of_unknown_rank_must_agree():
    one, other = Tensor(Shape((BATCH, Axis.of(T), Axis.of(D)))), Tensor(Shape((HIDDEN, Axis.of(S), Axis.of(D))))
    assert isinstance(cat(Sequence([one, other]), -1), Mismatch)
    found = cat(Sequence([one, other]), -2).shape
    assert [axis.size for axis in found.known] == [T + S, D]


def test_an_operand_of_unknown_shape_leaves_the_other_axes_known():
    one = Tensor(Shape((BATCH, Axis.of(T), Axis.of(D))))
    found = cat(Sequence([one, Tensor(Shape.unknown())]), -1).shape
    assert found.axes[:2] == one.shape.axes[:2]
    assert not scope().differ(found[2].size, D)
    assert stack(Sequence([Tensor(Shape.unknown()), one]), -1).shape.axes[:3] == one.shape.axes


def test_where_it_is_open_which_axes_correspond_nothing_is_known():
    lead, trail = Tensor(Shape((Axis.of(T), HIDDEN))), Tensor(Shape((BATCH, Axis.of(S))))
    assert cat(Sequence([lead, trail]), -1).shape.is_unknown
    assert stack(Sequence([lead, trail]), 0).shape.is_unknown
