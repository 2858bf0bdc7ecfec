"""Subscripts, gathering, scattering, masks and tables against torch."""

from __future__ import annotations

import pytest
import torch

from shapecheck.dims import Dim, Kind, Symbol, floordiv, mod
from shapecheck.ops.axes import is_opaque
from shapecheck.ops.gathering import scatter_add
from shapecheck.ops.indexing import getitem, setitem
from shapecheck.shapes import Axis, Context, Mismatch, Sequence, Shape, Slice, Tensor, use
from tests.oracle.harness import bad, case, check, n, t

X = t("B T D")
IDS = t("N M", "int")
LINE = t("N", "int")
MASK = t("B T", "bool")


def sorted_floats(shape):
    return torch.rand(shape).sort(-1).values


ALL = slice(None)
SUBSCRIPTS = [
    0,
    -1,
    ALL,
    None,
    ...,
    (0, 0),
    (ALL, 0),
    (..., 0),
    (ALL, ALL, 0),
    (0, ..., 0),
    (None, ALL, None),
    (..., None),
    (ALL, None, ALL, ALL),
    (ALL, slice(n("T"))),
    (ALL, slice(0, n("T"))),
    (ALL, slice(None, None, 2)),
    (ALL, slice(1, None)),
    (ALL, slice(None, -1)),
    (..., slice(-1, None)),
    (..., slice(1, None, 2)),
    (..., slice(0, 1)),
    (ALL, ALL, ALL, None),
    (0, slice(None, 1), None),
    [0, 0],
    (ALL, [0]),
    ([0, 0], ALL, [0, 0]),
    LINE,
    IDS,
    (ALL, LINE),
    (..., LINE),
    (LINE, LINE),
    (t("M", "int"), IDS),
    (LINE, ALL, LINE),
    (ALL, LINE, LINE),
    (ALL, LINE, 0),
    (0, ALL, LINE),
    (LINE, 0, LINE),
    (LINE, None, LINE),
    (None, LINE, LINE),
    (ALL, IDS, None),
    (LINE, slice(None, 1), LINE),
    (t("", "int"), ALL, LINE),
    (..., LINE, LINE),
    (LINE, ..., LINE),
    (t("N 1", "int"), t("M", "int")),
    True,
    (True, LINE),
    (ALL, True, LINE),
    MASK,
    (MASK, 0),
    (t("B", "bool"), ALL),
    (ALL, t("T", "bool")),
    (..., t("D", "bool")),
    (ALL, t("T D", "bool")),
    t("B T D", "bool"),
]

CASES = [
    *[case("operator.getitem", X, index) for index in SUBSCRIPTS],
    case("operator.getitem", t("2*T"), slice(None, n("T"))),
    case("operator.getitem", t("2*T"), slice(n("T"), None)),
    case("operator.getitem", t("B+3"), slice(1, -1)),
    case("operator.getitem", t("B+3"), slice(-3, -1)),
    case("operator.getitem", t("B+3"), slice(1, 3)),
    case("operator.getitem", t("B+3"), slice(None, None, 3)),
    case("operator.getitem", t("B+3"), slice(1, None, n("T"))),
    case("operator.getitem", t("B+T"), slice(n("T"), n("B+T"))),
    case("operator.getitem", t("B+T"), slice(n("0-T"), None)),
    case("operator.getitem", t("5"), slice(2, 9)),
    case("operator.getitem", t("5"), slice(4, 2)),
    case("operator.getitem", t("5"), slice(-9, 3)),
    case("operator.getitem", t(""), None),
    case("operator.getitem", t(""), ...),
    bad("operator.getitem", X, (0, 0, 0, 0)),
    bad("operator.getitem", t(""), 0),
    bad("operator.getitem", t("4"), 4),
    bad("operator.getitem", X, (LINE, t("M", "int"))),
    bad("operator.getitem", X, t("T B", "bool")),
    case("torch.gather", X, 1, t("B S D", "int"), sizes={"S": 2}),
    case("torch.gather", X, -1, t("B T 1", "int")),
    bad("torch.gather", X, 1, t("B T", "int")),
    bad("torch.gather", X, 3, t("B T D", "int")),
    bad("torch.gather", t("2 5"), 1, t("3 5", "int")),
    case("torch.take_along_dim", X, t("B S D", "int"), 1),
    case("torch.take_along_dim", X, t("1 S 1", "int"), 1),
    case("torch.take_along_dim", X, t("N M", "int")),
    bad("torch.take_along_dim", X, t("N M", "int"), 1),
    bad("torch.take_along_dim", X, t("T S D", "int"), 1),
    case("torch.take", X, IDS),
    case("torch.index_select", X, 1, LINE),
    case("torch.index_select", X, -1, t("", "int")),
    bad("torch.index_select", X, 3, LINE),
    bad("torch.index_select", X, 0, IDS),
    case("torch.scatter", X, 1, t("B 1 D", "int"), t("B 1 D")),
    case("torch.scatter", X, -1, t("B T 1", "int"), 1.0),
    case("torch.scatter", X, -1, t("B T 1", "int"), value=2.0),
    case("torch.scatter_add", X, 0, t("1 T D", "int"), t("B T D"), only=True),
    case("torch.scatter_reduce", X, 0, t("1 T D", "int"), t("B T D"), "sum", only=True),
    case("torch.Tensor.scatter_add_", X, 0, t("1 T D", "int"), t("B T D"), only=True),
    case("torch.scatter", X, 1, t("B 1 D", "int"), 0.5, only=True),
    case("torch.scatter_add", X, 1, t("B 1 D", "int"), X),
    case("torch.scatter_reduce", X, 1, t("B 1 D", "int"), X, "amax"),
    bad("torch.scatter_reduce", X, 1, t("B D", "int"), t("B D"), "sum"),
    case("torch.put", X, t("N", "int"), t("N")),
    bad("torch.scatter", X, 1, t("B D", "int"), t("B D")),
    case("torch.index_add", X, 1, LINE, t("B N D"), only=True),
    case("torch.index_copy", X, 1, t("1", "int"), t("B 1 D"), only=True),
    bad("torch.index_add", X, 1, LINE, t("B T D")),
    bad("torch.index_add", X, 1, LINE, t("B N")),
    bad("torch.index_add", X, 1, LINE, t("T N D")),
    case("torch.index_fill", X, 1, LINE, 0.5),
    bad("torch.index_fill", X, 3, LINE, 0.5),
    case("torch.index_put", X, (LINE, LINE), t("N D")),
    case("torch.index_put", X, (LINE,), t("")),
    bad("torch.index_put", X, (LINE, LINE), t("N T")),
    case("torch.select_scatter", X, t("B D"), 1, 0),
    bad("torch.select_scatter", X, t("B D"), 3, 0),
    case("torch.slice_scatter", X, t("B 1 D"), 1, 0, 1),
    case("torch.slice_scatter", X, t("B T D"), 1),
    bad("torch.slice_scatter", X, t("B 1 D"), 1),
    bad("torch.slice_scatter", X, t("T D"), 1),
    bad("torch.select_scatter", X, t("T D"), 1, 0),
    bad("torch.diagonal_scatter", t("N N"), t("M")),
    case("torch.diagonal_scatter", t("N N"), t("N")),
    case("torch.masked_scatter", t("B"), t("B", "bool"), t("B")),
    case("torch.as_strided_scatter", t("B"), t("1"), (1,), (1,)),
    case("torch.masked_fill", X, t("T D", "bool"), 0.0),
    case("torch.masked_fill", X, t("B T 1", "bool"), float("-inf")),
    case("torch.masked_fill", t("1 D"), t("B 1", "bool"), 0.0),
    bad("torch.masked_fill", X, t("B T", "bool"), 0.0),
    case("torch.masked_fill", X, t("T D", "bool"), t("")),
    bad("torch.masked_fill", X, t("T D", "bool"), t("1")),
    bad("torch.bucketize", t("B T"), t("N M", "float", sorted_floats)),
    case("torch.Tensor.masked_fill_", X, t("T 1", "bool"), 0.0),
    bad("torch.Tensor.masked_fill_", t("1 D"), t("B D", "bool"), 0.0),
    bad("torch.Tensor.masked_fill_", X, t("B T", "bool"), 0.0),
    case("torch.masked_select", X, t("T D", "bool")),
    bad("torch.masked_select", X, t("B T", "bool")),
    case("torch.where", t("B 1", "bool"), t("T"), t("B T")),
    case("torch.where", t("B T", "bool"), t("B T"), 0.0),
    case("torch.where", t("B T", "bool"), 0, 1),
    case("torch.where", t("B T", "bool"), t("B T", "int"), 0.5),
    case("torch.where", t("B T", "bool"), t("B T", "int"), t("T", "bool")),
    case("torch.where", t("B T", "bool")),
    bad("torch.where", t("B T", "bool"), t("B"), t("B T")),
    case("torch.Tensor.where", t("B T"), t("B 1", "bool"), t("T")),
    case("torch.nonzero", X),
    case("torch.nonzero", X, as_tuple=True, only=True),
    case("torch.argwhere", t("B T")),
    case("torch.nonzero_static", t("B T"), size=n("N")),
    case("torch.nn.functional.embedding", IDS, t("V D")),
    case("torch.nn.functional.embedding", IDS, t("V D"), padding_idx=0, only=True),
    bad("torch.nn.functional.embedding", IDS, t("V")),
    bad("torch.nn.functional.embedding", t("N M"), t("V D")),
    case("torch.embedding", t("V D"), IDS),
    case("torch.nn.functional.embedding_bag", IDS, t("V D")),
    case("torch.nn.functional.embedding_bag", t("N+M", "int"), t("V D"), t("N", "int")),
    case(
        "torch.nn.functional.embedding_bag", t("N+M", "int"), t("V D"), t("N+1", "int"), include_last_offset=True,
        only=True, known=False,
    ),
    case("torch.nn.functional.one_hot", IDS, n("C")),
    case("torch.nn.functional.one_hot", IDS),
    case("torch.searchsorted", t("N", "float", sorted_floats), t("B M")),
    case("torch.searchsorted", t("B N", "float", sorted_floats), t("B M"), right=True),
    case("torch.searchsorted", t("N", "float", sorted_floats), 0.5),
    bad("torch.searchsorted", t("B N", "float", sorted_floats), t("M N")),
    bad("torch.searchsorted", t("B N", "float", sorted_floats), t("N")),
    case("torch.bucketize", t("B T"), t("N", "float", sorted_floats)),
    case("torch.bucketize", 0.5, t("N", "float", sorted_floats), only=True),
    case("torch.bincount", t("N", "int")),
    case("torch.bincount", t("N", "int"), minlength=5),
    case("torch.bincount", t("N", "int"), t("N")),
    bad("torch.bincount", IDS),
    case("torch.isin", t("B T"), t("N")),
    case("torch.isin", 1, t("N")),
]


@pytest.mark.parametrize("checked", CASES, ids=str)
def test_agrees_with_torch(checked):
    check(checked)


@pytest.fixture(autouse=True)
def _context():
    previous = use(Context())
    yield
    use(previous)


B, T, D = (Dim.of(Symbol(name)) for name in "BTD")


@pytest.mark.filterwarnings("ignore:index_reduce")
def test_index_reduce():
    check(case("torch.index_reduce", X, 1, LINE, t("B N D"), "amax", only=True))


def test_a_whole_slice_keeps_the_axis_and_a_part_does_not():
    tensor = Tensor(Shape.of(B, T), "float")
    whole = getitem(tensor, Sequence([Slice(None, None, None), Slice(None, T, None)]))
    part = getitem(tensor, Sequence([Slice(None, None, None), Slice(Dim.of(1), None, None)]))
    assert whole.shape == tensor.shape
    assert part.shape[0] == tensor.shape[0]
    assert part.shape[1].factors[0].ident != tensor.shape[1].factors[0].ident


def test_a_slice_up_to_an_unknown_bound_has_that_size():
    length = Dim.of(Symbol("length", Kind.FLEXIBLE))
    found = getitem(Tensor(Shape.of(B, T), "float"), Sequence([Slice(None, None, None), Slice(None, length, None)]))
    assert [axis.size for axis in found.shape] == [B, length]


S, P = Dim.of(Symbol("S")), Dim.of(Symbol("pad"))


@pytest.mark.parametrize(
    ("start", "stop", "size"),
    [
        (floordiv(P - 1, Dim.of(2)), -floordiv(P - 1, Dim.of(2)), T - 2 * floordiv(P - 1, Dim.of(2))),
        (T - S, None, S),
        (S - T, None, None),
        (None, T - S, T - S),
        (S - B, S, B),
        (None, -S, T - S),
        (-S, None, S),
        (S, S + B, B),
        (None, mod(-S, P), mod(-S, P)),
    ],
)
def test_bounds_with_symbols(start, stop, size):
    found = getitem(Tensor(Shape.of(T), "float"), Slice(start, stop, None))
    assert found.shape[0].size == size or (size is None and is_opaque(found.shape[0].size))


@pytest.mark.parametrize(
    ("index", "value", "fits"),
    [
        (Dim.of(0), [T, D], True),
        (Dim.of(0), [D], True),
        (Dim.of(0), [1, T, D], True),
        (Dim.of(0), [D, T], False),
        (Sequence([Slice(None, None, None), Dim.of(0)]), [B, D], True),
        (Sequence([Slice(None, None, None), Dim.of(0)]), [T, D], False),
        (Sequence([Slice(None, None, None), Dim.of(0)]), [B, T, D], False),
        (Tensor(Shape.of(B, T), "bool"), [D], True),
        (Tensor(Shape.of(B, T), "bool"), [], True),
        (Tensor(Shape.of(B, D), "bool"), [], False),
    ],
)
def test_what_is_assigned_must_broadcast_to_the_part(index, value, fits):
    found = setitem(Tensor(Shape.of(B, T, D), "float"), index, Tensor(Shape.of(*value), "float"))
    assert (found is None) is fits
    assert fits or isinstance(found, Mismatch)


def test_the_axis_of_an_index_keeps_its_identity():
    ids = Tensor(Shape((Axis.of(B),)), "int")
    found = getitem(Tensor(Shape.of(T, D), "float"), ids)
    assert found.shape[0] == Axis.of(B)


ORDERS = ["B T N", "T B N", "B N T", "N T B"]


@pytest.mark.parametrize("index", ORDERS)
@pytest.mark.parametrize("source", ORDERS)
def test_as_many_elements_in_another_order_are_too_long_somewhere(index, source):
    """Which axis is too long depends on the sizes; torch refuses each choice of them."""
    use(Context())
    named = {"B": B, "T": T, "N": Dim.of(Symbol("N"))}
    found = scatter_add(
        Tensor(Shape.of(B, T, Dim.of(100)), "float"),
        2,
        Tensor(Shape.of(*[named[name] for name in index.split()]), "int"),
        Tensor(Shape.of(*[named[name] for name in source.split()]), "float"),
    )
    refused = []
    for sizes in ({"B": 2, "T": 3, "N": 4}, {"B": 4, "T": 3, "N": 2}, {"B": 3, "T": 4, "N": 2}):
        target = torch.zeros(sizes["B"], sizes["T"], 100)
        places = torch.zeros([sizes[name] for name in index.split()], dtype=torch.long)
        values = torch.ones([sizes[name] for name in source.split()])
        try:
            target.scatter_add(2, places, values)
        except RuntimeError:
            refused.append(sizes)
    assert isinstance(found, Mismatch) is (len(refused) == 3)
