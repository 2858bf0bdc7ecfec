"""The operations of einx: shapes derived by hand from the patterns that real code uses."""

from __future__ import annotations

import pytest

from shapecheck import ops
from shapecheck.dims import Dim, Symbol
from shapecheck.shapes import Axis, Constant, Context, Fault, Mismatch, Rest, Shape, Tensor, Unknown, use

ops.load()

SIZES = {name: Dim.of(Symbol(name)) for name in "BNMDIJ"}
B, N, M, D, I, J = SIZES.values()  # noqa: E741 - the name of an axis


@pytest.fixture(autouse=True)
def _context():
    previous = use(Context())
    yield
    use(previous)


def tensor(axes, dtype="float"):
    return Tensor(Shape.of(*[SIZES.get(axis) or Dim.of(int(axis)) for axis in axes.split()]), dtype)


def call(name, pattern, *operands, **sizes):
    return ops.find_operation(f"einx.{name}")([Constant(pattern), *operands], sizes)


@pytest.mark.parametrize(
    ("name", "pattern", "operands", "wanted", "dtype"),
    [
        ("where", "b n, b n d, -> b n d", [tensor("B N", "bool"), tensor("B N D"), Constant(0.0)], "B N D", "float"),
        ("where", "b m, d, b m d -> b m d", [tensor("B M", "bool"), tensor("D"), tensor("B M D")], "B M D", "float"),
        ("where", "b n, b n d, b n d", [tensor("B N", "bool"), tensor("B N D"), tensor("B N D")], None, None),
        ("subtract", "i d, j d -> i j d", [tensor("I D"), tensor("J D")], "I J D", "float"),
        ("subtract", "b i, b j -> b i j 1", [tensor("B I", "int"), tensor("B J", "int")], "B I J 1", "int"),
        ("multiply", "b i j d, b i", [tensor("B I J D"), tensor("B I")], "B I J D", "float"),
        ("multiply", "b ..., b -> b ...", [tensor("B N D"), tensor("B")], "B N D", "float"),
        ("less", "j, b m -> b m j", [tensor("J"), tensor("B M")], "B M J", "bool"),
        ("logical_and", "... i, ... j -> ... i j", [tensor("B I", "bool"), tensor("B J", "bool")], "B I J", "bool"),
        ("get_at", "b [n] d, b i -> b i d", [tensor("B N D"), tensor("B I", "int")], "B I D", "float"),
        ("get_at", "b [m] d, b n 3 -> 3 b n d", [tensor("B M D"), tensor("B N 3", "int")], "3 B N D", "float"),
        ("get_at", "b [n] ..., b m -> b m ...", [tensor("B N D"), tensor("B M", "int")], "B M D", "float"),
        (
            "set_at", "b [m], b n, b n -> b [m]", [tensor("B M"), tensor("B N", "int"), tensor("B N")], "B M", "float",
        ),
        ("sum", "b [n] d", [tensor("B N D")], "B D", None),
        ("mean", "b n d -> b", [tensor("B N D")], "B", None),
        ("rearrange", "b n d -> d (b n)", [tensor("B N D")], None, "float"),
        ("dot", "a b, b c -> a c", [tensor("B N"), tensor("N D")], "B D", "float"),
    ],
)
def test_shapes(name, pattern, operands, wanted, dtype):
    found = call(name, pattern, *operands)
    if wanted is None:
        assert not isinstance(found, Mismatch)
        return
    assert [axis.size for axis in found.shape] == [axis.size for axis in tensor(wanted).shape]
    assert found.dtype == dtype


def test_a_name_with_two_sizes():
    found = call("multiply", "b n d, b n -> b n d", tensor("B N D"), tensor("B M"))
    assert (found.kind, found.detail, found.left, found.right) == (Fault.PATTERN_SIZE, "n", N, M)


def test_another_number_of_axes():
    found = call("where", "b n, b n d, -> b n d", tensor("B N", "bool"), tensor("B N"), Constant(0.0))
    assert found.kind is Fault.PATTERN_RANK


@pytest.mark.parametrize("pattern", ["b s... -> b s...", "b (n + m) -> b n", "b n -> b q", "b n -> b -> n"])
def test_what_is_not_read_is_unknown(pattern):
    assert isinstance(call("add", pattern, tensor("B N")), Unknown)


def test_an_operand_of_unknown_shape_takes_that_of_the_others():
    found = call("multiply", "b n d, b n -> b n d", Unknown("anything"), tensor("B N"))
    assert [axis.size for axis in found.shape][:2] == [B, N]
    assert found.shape.rank == 3


def test_an_ellipsis_stands_for_axes_of_unknown_number():
    rest = Rest("batch")
    mask = Tensor(Shape((rest, Axis.of(I))), "bool")
    found = call("logical_and", "... i, ... j -> ... i j", mask, Tensor(Shape((rest, Axis.of(J))), "bool"))
    assert found.shape.axes == (rest, Axis.of(I), Axis.of(J))
