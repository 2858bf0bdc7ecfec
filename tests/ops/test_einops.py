"""The operations and layers of einops against einops itself on torch tensors."""

from __future__ import annotations

import pytest

from shapecheck import ops
from shapecheck.dims import Dim, Symbol
from shapecheck.ops.einops_packs import pack, parse_shape, unpack
from shapecheck.ops.einops_rules import einsum, rearrange, repeat
from shapecheck.shapes import (
    Axis,
    Constant,
    Context,
    Fault,
    Mismatch,
    Rest,
    Sequence,
    Shape,
    Tensor,
    Unknown,
    current,
    use,
)
from tests.oracle.harness import args, bad, case, check, module_case, n, t

X = t("B T D")

CASES = [
    case("einops.rearrange", X, "b t d -> b d t"),
    case("einops.rearrange", X, "b t d -> (b t) d"),
    case("einops.rearrange", X, "b  t d->d ( t b )"),
    case("einops.rearrange", X, "b ... -> ... b"),
    case("einops.rearrange", X, "... t d -> ... d t"),
    case("einops.rearrange", X, "b ... d -> b d ..."),
    case("einops.rearrange", X, "b ... -> b (...)"),
    case("einops.rearrange", X, "... -> (...)"),
    case("einops.rearrange", X, "b t d -> b t d 1"),
    case("einops.rearrange", X, "b t d -> b () t d"),
    case("einops.rearrange", t("B 1 D"), "b 1 d -> b d"),
    case("einops.rearrange", t("B 1 D"), "b () d -> d b"),
    case("einops.rearrange", t(""), "-> 1"),
    case("einops.rearrange", t("1"), "1 ->"),
    case("einops.rearrange", t("B T H*K"), "b t (h k) -> b h t k", h=n("H")),
    case("einops.rearrange", t("B T H*K"), "b t (h k) -> b h t k", h=n("H"), k=n("K")),
    case("einops.rearrange", t("B T 6"), "b t (h k) -> b h t k", h=3),
    case("einops.rearrange", t("B T 2*D"), "b t (two d) -> two b t d", two=2),
    case("einops.rearrange", t("B C H*P W*Q"), "b c (h p) (w q) -> b (h w) (p q c)", p=n("P"), q=n("Q")),
    case("einops.rearrange", t("3*H*K B"), "(three h k) b -> three b h k", three=3, h=n("H")),
    case("einops.rearrange", [X, X], "n b t d -> b n t d"),
    case("einops.rearrange", X, "b t d -> b (t 1) d"),
    case("einops.rearrange", X, "b t d -> d b t", b=n("B")),
    bad("einops.rearrange", X, "b t d -> b d"),
    bad("einops.rearrange", X, "b t -> t b"),
    bad("einops.rearrange", X, "b t d e -> t b d e"),
    bad("einops.rearrange", X, "b t d ... e -> ..."),
    bad("einops.rearrange", X, "b t d -> b t e"),
    bad("einops.rearrange", X, "b t t -> b t"),
    bad("einops.rearrange", X, "b t d -> b (t (d))"),
    bad("einops.rearrange", X, "b t d -> b (t d"),
    bad("einops.rearrange", X, "b t d -> b t) d"),
    bad("einops.rearrange", X, "b t d"),
    bad("einops.rearrange", X, "b t d -> b -> t d"),
    bad("einops.rearrange", X, "b t 3 -> b t"),
    bad("einops.rearrange", X, "b (...) -> b ..."),
    bad("einops.rearrange", X, "b t d -> ... b t d"),
    bad("einops.rearrange", X, "... ... -> ..."),
    bad("einops.rearrange", X, "b t (h k) -> b t h k"),
    bad("einops.rearrange", X, "b _t d -> b _t d"),
    bad("einops.rearrange", X, "b t-d -> b t-d"),
    bad("einops.rearrange", X, "b t d -> b d t", h=2),
    bad("einops.rearrange", X, "b t d -> b d t", t=n("T+1")),
    bad("einops.rearrange", t("B 3 D"), "b 1 d -> b d"),
    bad("einops.rearrange", t("B 7"), "b (h k) -> b h k", h=2),
    bad("einops.rearrange", t("B H*K"), "b (h k) -> b h k", h=n("H"), k=n("K+1")),
    bad("einops.rearrange", [t("B T"), t("T B")], "n b t -> b n t"),
    case("einops.reduce", X, "b t d -> b d", "mean"),
    case("einops.reduce", X, "b t d -> d", reduction="max"),
    case("einops.reduce", X, "b t d ->", "sum"),
    case("einops.reduce", X, "b t d -> b 1 d", "min"),
    case("einops.reduce", X, "... d -> d", "prod"),
    case("einops.reduce", X, "b ... -> b", "sum"),
    case("einops.reduce", t("B 2*T D", "int"), "b (t 2) d -> b t d", "sum"),
    case("einops.reduce", t("B H*P W*Q"), "b (h p) (w q) -> b h w", "max", p=n("P"), q=n("Q")),
    case("einops.reduce", t("B T", "bool"), "b t -> b", "any"),
    case("einops.reduce", t("B 3"), "b 3 -> b", "sum"),
    bad("einops.reduce", X, "b t d -> b e", "sum"),
    bad("einops.reduce", X, "b t d -> b 2", "sum"),
    bad("einops.reduce", X, "b t -> b", "sum"),
    bad("einops.reduce", t("B 4"), "b 3 -> b", "sum"),
    case("einops.repeat", t("B D"), "b d -> b t d", t=n("T")),
    case("einops.repeat", t("B D"), "b d -> b (d 3)"),
    case("einops.repeat", t("B D"), "b d -> b 2 d"),
    case("einops.repeat", t("B D"), "b d -> (n b) d", n=n("N")),
    case("einops.repeat", t("B D"), "... d -> ... d r", r=4),
    case("einops.repeat", t("B 1"), "b 1 -> b t", t=n("T")),
    case("einops.repeat", t("D"), "d -> b d", b=n("B")),
    case("einops.repeat", t("B H*K"), "b (h k) -> b h n k", h=n("H"), n=2),
    bad("einops.repeat", t("B D"), "b d -> b t d"),
    bad("einops.repeat", t("B D"), "b d -> b t", t=2),
    bad("einops.repeat", t("B 3"), "b 3 -> b"),
    bad("einops.repeat", t("B D"), "b d -> b d", t=2),
    case("einops.einsum", X, t("B S D"), "b t d, b s d -> b t s"),
    case("einops.einsum", X, t("D E"), "... d, d e -> ... e"),
    case("einops.einsum", X, X, "b t d, b t d ->"),
    case("einops.einsum", X, "b t d -> d b"),
    case("einops.einsum", t("N N"), "i i -> i"),
    case("einops.einsum", t("B T"), t("T"), t("B"), "b t, t, b -> t"),
    case("einops.einsum", t("1 T"), t("B T"), "b t, b t -> b"),
    bad("einops.einsum", X, t("B S E"), "b t d, b s d -> b t s"),
    bad("einops.einsum", X, t("B S D"), "b t d, b s -> b t s"),
    bad("einops.einsum", X, t("B S D"), "b t d, b s d -> b t e"),
    bad("einops.einsum", X, t("B S D"), "b t d -> b t d"),
    bad("einops.einsum", X, X, "b t d, b t d"),
    bad("einops.einsum", X, X, "b (t d), b t d -> b"),
    bad("einops.einsum", X, t("T B D"), "... t d, ... s d -> ... t s"),
    case("einops.unpack", t("B T+N D"), [(n("T"),), (n("N"),)], "b * d"),
    case("einops.unpack", t("B H*K+N D"), [(n("H"), n("K")), (n("N"),)], "b * d"),
    case("einops.unpack", t("B 1 D"), [()], "b * d"),
    case("einops.unpack", t("B T+N"), [(n("T"),), (-1,)], "b *"),
    case("einops.unpack", t("H*K D"), [(n("H"), n("K"))], "* d"),
    bad("einops.unpack", t("B T+N D"), [(n("T"),), (n("T"),)], "b * d"),
    bad("einops.unpack", t("B T"), [(n("T"),)], "b * d"),
    bad("einops.unpack", t("B T"), [(n("T"),)], "b t"),
    module_case("einops.layers.torch.Rearrange", args("b t (h k) -> b h t k", h=n("H")), args(t("B T H*K"))),
    module_case("einops.layers.torch.Rearrange", args("b (h k) -> b h k"), args(t("B D")), fails=True),
    module_case("einops.layers.torch.Rearrange", args("b d -> b"), args(t("B D")), fails=True),
    module_case("einops.layers.torch.Reduce", args("b t d -> b d", "mean"), args(X)),
    module_case("einops.layers.torch.Reduce", args("b t d -> b d", reduction="max"), args(t("B T")), fails=True),
    module_case("einops.layers.torch.Reduce", args("b d -> e", "mean"), args(t("B T")), fails=True),
    module_case(
        "einops.layers.torch.EinMix", args("b t d -> b t e", weight_shape="d e", d=n("D"), e=n("E")), args(X),
    ),
    module_case(
        "einops.layers.torch.EinMix",
        args("b t d -> b t (h e)", "d h e", bias_shape="h e", d=n("D"), e=n("E"), h=2), args(X),
    ),
    module_case(
        "einops.layers.torch.EinMix", args("b t d -> b t e", weight_shape="d e", d=n("D"), e=n("E")),
        args(t("B D T")), fails=True,
    ),
    module_case(
        "einops.layers.torch.EinMix", args("b t d -> b t e", weight_shape="d e", d=n("D")), args(X), fails=True,
    ),
]


@pytest.mark.parametrize("checked", CASES, ids=str)
def test_agrees_with_einops(checked):
    check(checked)


@pytest.fixture(autouse=True)
def _context():
    previous = use(Context())
    yield
    use(previous)


B, T, D, H = (Dim.of(Symbol(name)) for name in "BTDH")
TENSOR = Tensor(Shape.of(B, T, D), "float")


def sizes(tensor):
    return [axis.size for axis in tensor.shape]


def test_pack_gives_the_shapes_that_unpack_needs():
    image, text = Tensor(Shape.of(B, H, T, D), "float"), Tensor(Shape.of(B, T, D), "float")
    packed, shapes = pack([image, text], "b * d").items
    assert sizes(packed) == [B, H * T + T, D]
    assert [item.items for item in shapes.items] == [[H, T], [T]]
    parts = unpack(packed, shapes, "b * d").items
    assert [sizes(part) for part in parts] == [[B, H, T, D], [B, T, D]]


def test_pack_of_one_and_back_keeps_the_axes():
    packed, shapes = pack([TENSOR], "* d").items
    assert sizes(packed) == [B * T, D]
    (again,) = unpack(packed, shapes, "* d").items
    assert again.shape == TENSOR.shape


@pytest.mark.parametrize("pattern", ["b d", "b * * d", "b (c) *", "b b *"])
def test_a_pattern_without_one_star_is_malformed(pattern):
    assert pack([TENSOR], pattern).kind is Fault.PATTERN


def test_pack_needs_the_axes_that_the_pattern_names():
    assert pack([Tensor(Shape.of(B), "float")], "b * d").kind is Fault.PATTERN_RANK
    assert pack([TENSOR, Tensor(Shape.of(T, D, D), "float")], "b * d").kind is Fault.CONCAT


def test_parse_shape_names_the_sizes():
    found = parse_shape(TENSOR, "b _ d")
    assert (found.fields, found.items) == (("b", "d"), [B, D])
    assert parse_shape(TENSOR, "b ...").items == [B]
    assert parse_shape(TENSOR, "b t").kind is Fault.PATTERN_RANK
    assert parse_shape(TENSOR, "b (t d)").kind is Fault.PATTERN_RANK
    assert parse_shape(TENSOR, "b t (d e)").kind is Fault.PATTERN


def test_heads_split_and_merged_are_the_axis_they_were():
    split = rearrange(TENSOR, "b t (h k) -> b h t k", h=H)
    merged = rearrange(split, "b h t k -> b t (h k)")
    assert merged.shape == TENSOR.shape
    swapped = rearrange(split, "b h t k -> b t (k h)")
    assert swapped.shape[2] != TENSOR.shape[2]
    assert current().suspicions == []


def test_an_ellipsis_stands_for_axes_of_unknown_number():
    rest = Rest("batch")
    tensor = Tensor(Shape((rest, Axis.of(T), Axis.of(D))), "float")
    found = rearrange(tensor, "... t d -> ... d t")
    assert found.shape.axes == (rest, Axis.of(D), Axis.of(T))


def test_a_new_axis_is_of_the_given_size():
    found = repeat(Tensor(Shape.of(D), "float"), "d -> b d", b=B)
    assert found.shape == Shape.of(B, D)


def test_a_size_that_is_not_known_makes_no_fault():
    found = ops.find_operation("einops.rearrange")(
        [TENSOR, Constant("b t (h k) -> b h t k")], {"h": Constant(2.5)}
    )
    assert isinstance(found, Tensor)
    assert found.shape.rank == 4


def test_a_pattern_tells_the_rank_of_an_operand_that_is_not_known():
    found = rearrange(Unknown("a call"), "b t (h k) -> b h t k", h=H)
    assert found.shape.rank == 4
    assert found.shape[1].size == H
    assert einsum(TENSOR, Unknown("a call"), Constant("b t d, s d -> b s")).shape.axes[0] == TENSOR.shape[0]


def test_where_the_fault_is():
    found = rearrange(TENSOR, "b t d -> b d t", d=T)
    assert isinstance(found, Mismatch)
    assert (found.kind, found.axis, found.left, found.right, found.detail) == (Fault.PATTERN_SIZE, 2, D, T, "d")
    assert Sequence([found.left]).items == [D]
