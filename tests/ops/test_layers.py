"""Layers and their functions against torch."""

from __future__ import annotations

import pytest

from shapecheck import ops
from shapecheck.dims import Dim, Kind, Symbol
from shapecheck.ops.elementwise import ELEMENTWISE
from shapecheck.shapes import (
    Axis,
    Constant,
    Context,
    Fault,
    Mismatch,
    Opaque,
    Sequence,
    Shape,
    Tensor,
    Unknown,
    current,
    use,
)
from tests.oracle.harness import args, bad, case, check, module_case, n, t

X = t("B T D")
IDS = t("B T", "int")
IMAGE = t("B C H W")

CASES = [
    module_case("torch.nn.Linear", args(n("D"), n("E")), args(X)),
    module_case("torch.nn.Linear", args(n("D"), n("E"), bias=False), args(t("D"))),
    module_case("torch.nn.Linear", args(in_features=n("D"), out_features=n("3*D")), args(input=X)),
    module_case("torch.nn.Linear", args(n("E"), n("D")), args(X), fails=True),
    module_case("torch.nn.Linear", args(n("D"), n("D")), args(t("")), fails=True),
    module_case("torch.nn.LazyLinear", args(n("E")), args(X)),
    case("torch.nn.functional.linear", X, t("E D")),
    case("torch.nn.functional.linear", X, t("E D"), t("E")),
    case("torch.nn.functional.linear", X, t("D")),
    case("torch.nn.functional.linear", X, t("E D"), bias=None),
    bad("torch.nn.functional.linear", X, t("D E")),
    bad("torch.nn.functional.linear", X, t("E D"), t("D")),
    bad("torch.nn.functional.linear", X, t("E F D")),
    module_case("torch.nn.Bilinear", args(n("D"), n("E"), n("F")), args(X, t("B T E"))),
    module_case("torch.nn.Bilinear", args(n("D"), n("E"), n("F")), args(X, t("T B E")), fails=True),
    module_case("torch.nn.Bilinear", args(n("D"), n("E"), n("F")), args(t("B E"), t("B D")), fails=True),
    case("torch.nn.functional.bilinear", X, t("B T E"), t("F D E")),
    bad("torch.nn.functional.bilinear", X, t("B E"), t("F D E")),
    module_case("torch.nn.Embedding", args(n("V"), n("D")), args(IDS)),
    module_case("torch.nn.Embedding", args(n("V"), n("D"), padding_idx=0), args(t("", "int"))),
    module_case("torch.nn.Embedding", args(n("V"), n("D")), args(t("B T")), fails=True),
    module_case("torch.nn.EmbeddingBag", args(n("V"), n("D")), args(IDS)),
    module_case("torch.nn.EmbeddingBag", args(n("V"), n("D")), args(t("B+T", "int"), t("B", "int"))),
    module_case("torch.nn.LayerNorm", args(n("D")), args(X)),
    module_case("torch.nn.LayerNorm", args((n("T"), n("D")), elementwise_affine=False), args(X)),
    module_case("torch.nn.LayerNorm", args([n("D")]), args(X)),
    module_case("torch.nn.LayerNorm", args(n("T")), args(X), fails=True),
    module_case("torch.nn.LayerNorm", args((n("T"), n("D"))), args(t("D")), fails=True),
    module_case("torch.nn.RMSNorm", args(n("D")), args(X)),
    module_case("torch.nn.RMSNorm", args(n("T")), args(X), fails=True),
    case("torch.nn.functional.layer_norm", X, (n("D"),)),
    case("torch.nn.functional.layer_norm", X, (n("T"), n("D")), t("T D"), t("T D")),
    bad("torch.nn.functional.layer_norm", X, (n("T"),)),
    bad("torch.nn.functional.layer_norm", X, ()),
    bad("torch.nn.functional.layer_norm", X, (n("D"),), t("T")),
    bad("torch.nn.functional.layer_norm", X, (n("D"),), t("T D")),
    bad("torch.nn.functional.layer_norm", X, (n("D"),), t("D"), t("T")),
    bad("torch.nn.functional.rms_norm", X, [n("D")], t("T")),
    case("torch.nn.functional.rms_norm", X, [n("D")], t("D")),
    case("torch.native_layer_norm", X, (n("D"),), t("D"), None, 1e-5),
    module_case("torch.nn.BatchNorm1d", args(n("D")), args(t("B+1 D"))),
    module_case("torch.nn.BatchNorm1d", args(n("C")), args(t("B+1 C L"))),
    module_case("torch.nn.BatchNorm1d", args(n("D")), args(t("B T D")), fails=True),
    module_case("torch.nn.BatchNorm1d", args(n("C")), args(IMAGE), fails=True),
    module_case("torch.nn.BatchNorm2d", args(n("C")), args(IMAGE)),
    module_case("torch.nn.BatchNorm2d", args(n("C")), args(t("C H W")), fails=True),
    module_case("torch.nn.BatchNorm2d", args(n("H")), args(IMAGE), fails=True),
    module_case("torch.nn.BatchNorm3d", args(n("C"), affine=False), args(t("B C D H W"))),
    module_case("torch.nn.LazyBatchNorm2d", args(), args(IMAGE)),
    module_case("torch.nn.LazyBatchNorm1d", args(), args(t("B+1 C"))),
    module_case("torch.nn.LazyBatchNorm3d", args(), args(t("B C D H W"))),
    module_case("torch.nn.InstanceNorm1d", args(n("C")), args(t("B C L+1"))),
    module_case("torch.nn.InstanceNorm1d", args(n("C"), affine=True), args(t("C L+1"))),
    module_case("torch.nn.InstanceNorm1d", args(n("L"), affine=True), args(t("B C L+1")), fails=True),
    module_case("torch.nn.InstanceNorm2d", args(n("C"), affine=True), args(t("B C H W+1"))),
    module_case("torch.nn.InstanceNorm2d", args(n("C")), args(t("B C")), fails=True),
    module_case("torch.nn.InstanceNorm3d", args(n("C")), args(t("B C D H W+1"))),
    module_case("torch.nn.LazyInstanceNorm1d", args(), args(t("B C L+1"))),
    module_case("torch.nn.LazyInstanceNorm2d", args(), args(t("B C H W+1"))),
    module_case("torch.nn.LazyInstanceNorm3d", args(), args(t("B C D H W+1"))),
    module_case("torch.nn.GroupNorm", args(2, n("2*C")), args(t("B 2*C H W"))),
    module_case("torch.nn.GroupNorm", args(n("G"), n("G*C")), args(t("B G*C L+1"))),
    module_case("torch.nn.GroupNorm", args(2, 5), args(t("B 5 H")), fails=True),
    module_case("torch.nn.GroupNorm", args(1, n("H")), args(t("B C H W")), fails=True),
    case("torch.nn.functional.group_norm", t("B 2*C L"), 2),
    case("torch.nn.functional.group_norm", t("B 2*C L"), 2, t("2*C"), t("2*C")),
    bad("torch.nn.functional.group_norm", t("B 5 L"), 2),
    bad("torch.nn.functional.group_norm", t("B C L"), 1, t("L")),
    case("torch.nn.functional.batch_norm", t("B C L+1"), t("C"), t("C")),
    case("torch.nn.functional.batch_norm", t("B+1 C"), None, None, t("C"), training=True),
    bad("torch.nn.functional.batch_norm", t("B C L"), t("L"), t("L")),
    case("torch.nn.functional.instance_norm", t("B C L+1")),
    case("torch.nn.functional.normalize", X, dim=-1),
    case("torch.nn.functional.normalize", X),
    bad("torch.nn.functional.normalize", X, 2.0, 3),
    module_case("torch.nn.LocalResponseNorm", args(2), args(t("B C L"))),
    module_case("torch.nn.LocalResponseNorm", args(2), args(t("B C")), fails=True),
    case("torch.nn.functional.local_response_norm", t("B C H W"), 2),
    *[
        module_case(f"torch.nn.{name}", args(*arguments), args(X))
        for name in ELEMENTWISE.split()
        for arguments in [(0.1, 0.2) if name == "Threshold" else ()]
        if name not in {"Dropout1d", "Dropout2d", "Dropout3d", "Identity"}
    ],
    module_case("torch.nn.Identity", args(1, any=2), args(X)),
    module_case("torch.nn.Dropout1d", args(0.5), args(t("B C L"))),
    module_case("torch.nn.Dropout2d", args(0.5), args(t("B C H W"))),
    module_case("torch.nn.Dropout3d", args(p=0.5), args(t("B C D H W"))),
    module_case("torch.nn.Softmax", args(-1), args(X)),
    module_case("torch.nn.Softmax", args(dim=3), args(X), fails=True),
    module_case("torch.nn.LogSoftmax", args(dim=1), args(X)),
    module_case("torch.nn.Softmin", args(dim=0), args(X)),
    module_case("torch.nn.Softmax2d", args(), args(IMAGE)),
    module_case("torch.nn.Softmax2d", args(), args(t("B C")), fails=True),
    module_case("torch.nn.PReLU", args(), args(X)),
    module_case("torch.nn.PReLU", args(n("C")), args(IMAGE)),
    module_case("torch.nn.PReLU", args(n("H")), args(IMAGE), fails=True),
    module_case("torch.nn.GLU", args(), args(t("B 2*D"))),
    module_case("torch.nn.GLU", args(1), args(t("B 2*C L"))),
    module_case("torch.nn.GLU", args(dim=1), args(t("B 5")), fails=True),
    module_case("torch.nn.GLU", args(2), args(t("B D")), fails=True),
    module_case("torch.nn.Flatten", args(), args(X)),
    module_case("torch.nn.Flatten", args(0, 1), args(X)),
    module_case("torch.nn.Flatten", args(start_dim=-2), args(IMAGE)),
    module_case("torch.nn.Unflatten", args(1, (n("H"), n("K"))), args(t("B H*K"))),
    module_case("torch.nn.Unflatten", args(dim=-1, unflattened_size=(n("H"), -1)), args(t("B H*K"))),
    module_case("torch.nn.Unflatten", args(1, (n("B"), n("K"))), args(t("B H*K")), fails=True),
    module_case("torch.nn.CosineSimilarity", args(), args(t("B D"), t("B D"))),
    module_case("torch.nn.CosineSimilarity", args(dim=-1), args(t("B 1 D"), t("1 T D"))),
    module_case("torch.nn.CosineSimilarity", args(2), args(t("B D"), t("B D")), fails=True),
    module_case("torch.nn.PairwiseDistance", args(), args(t("B D"), t("B D"))),
    module_case("torch.nn.PairwiseDistance", args(2.0, keepdim=True), args(t("B D"), t("D"))),
    module_case("torch.nn.PairwiseDistance", args(), args(t("B D"), t("D B")), fails=True),
]


@pytest.mark.parametrize("checked", CASES, ids=str)
def test_agrees_with_torch(checked):
    check(checked)


@pytest.fixture(autouse=True)
def _context():
    previous = use(Context())
    yield
    use(previous)


B, T, D, E = (Dim.of(Symbol(name)) for name in "BTDE")
TENSOR = Tensor(Shape.of(B, T, D), "float")


def made(name, *arguments, **keywords):
    return ops.construct(ops.find_module(name), list(arguments), keywords)


def test_a_layer_solves_an_unknown_width():
    width = Dim.of(Symbol("d_model", Kind.FLEXIBLE))
    found = ops.forward(made("torch.nn.Linear", width, E), [TENSOR], {})
    assert [axis.size for axis in found.shape] == [B, T, E]
    assert current().scope.equal(width, D)


def test_the_fault_names_both_sizes():
    found = ops.forward(made("torch.nn.Linear", E, D), [TENSOR], {})
    assert isinstance(found, Mismatch)
    assert (found.kind, found.axis, found.left, found.right) == (Fault.SIZE, -1, D, E)


def test_arguments_that_are_not_known_leave_the_rank_known():
    layer = made("torch.nn.Linear", Unknown("a dict's value"), Unknown("a dict's value"))
    found = ops.forward(layer, [TENSOR], {})
    assert found.shape.axes[:2] == TENSOR.shape.axes[:2]
    assert len(found.shape) == 3


def test_a_norm_keeps_the_axes():
    assert ops.forward(made("torch.nn.LayerNorm", D), [TENSOR], {}).shape is TENSOR.shape


@pytest.mark.parametrize(
    ("layer", "name", "sizes"),
    [
        (("torch.nn.Linear", D, E), "weight", [E, D]),
        (("torch.nn.Linear", D, E), "bias", [E]),
        (("torch.nn.Embedding", E, D), "weight", [E, D]),
        (("torch.nn.LayerNorm", D), "weight", [D]),
        (("torch.nn.LayerNorm", Sequence([T, D])), "bias", [T, D]),
        (("torch.nn.BatchNorm2d", D), "running_mean", [D]),
        (("torch.nn.Bilinear", B, D, E), "weight", [E, B, D]),
    ],
)
def test_parameters(layer, name, sizes):
    tensor = made(*layer).attributes()[name]
    assert [axis.size for axis in tensor.shape] == sizes


def test_a_layer_without_a_bias_has_none():
    layer = made("torch.nn.Linear", D, E, bias=Constant(value=False))
    assert layer.attributes()["bias"] == Constant(None)


def test_a_flattened_axis_is_made_of_the_axes():
    found = ops.forward(made("torch.nn.Flatten"), [TENSOR], {})
    assert [factor.size for factor in found.shape[1].factors] == [T, D]
    assert isinstance(found.shape[0], Axis)


def test_a_setting_that_is_not_known_is_one_size():
    config = Opaque("config")
    layer = made("torch.nn.Linear", config.attribute("d_model"), config.attribute("d_out"))
    found = ops.forward(layer, [TENSOR], {})
    assert found.shape[2].size == config.attribute("d_out").size()
    assert current().scope.equal(config.attribute("d_model").size(), D)
    norm = made("torch.nn.LayerNorm", config.attribute("d_model"))
    assert isinstance(ops.forward(norm, [TENSOR.reshaped(Shape.of(B, T))], {}), Mismatch)


def test_an_operand_that_is_not_known_still_has_the_last_axis():
    found = ops.forward(made("torch.nn.Linear", D, E), [Unknown("a call")], {})
    assert found.shape.axis(-1).size == E
    assert isinstance(ops.forward(made("torch.nn.Identity"), [Unknown("a call")], {}), Unknown)
