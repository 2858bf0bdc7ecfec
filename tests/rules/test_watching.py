"""Rules that watch operations, and those of them that are asked only where an operand has a mark."""

import pytest

from shapecheck.dims import Dim, Symbol
from shapecheck.rules import silent  # noqa: F401 - registers the rules
from shapecheck.rules.observed import UNMARKED, WATCHERS, Observed, methods, observe, watch_marked
from shapecheck.shapes import Constant, Context, Mark, Sequence, Shape, Slice, Tensor, use

B, T, D = Symbol("B"), Symbol("T"), Symbol("D")
FOLLOWERS = [
    (name, watcher) for name, watchers in WATCHERS.items()
    for watcher in watchers if watcher not in UNMARKED.get(name, ())
]  # fmt: skip
OPERANDS = {
    "tensors": [Tensor(Shape.of(B, T, D), "float"), Tensor(Shape.of(D, T), "float"), Dim.of(1), Dim.of(2)],
    "axes": [Tensor(Shape.of(B, T, D)), Dim.of(-1), Tensor(Shape.of(B, T, D), "int"), Constant(True)],
    "number": [Tensor(Shape.of(B, T, T)), Constant(-1e9)],
    "numbers": [Dim.of(3), Tensor(Shape.of(B, 1, T))],
    "one": [Tensor(Shape.of(B))],
    "entries": [Tensor(Shape.of(B, T, D)), Sequence([Slice(None, None, None), Dim.of(-1)])],
    "sequence": [Sequence([Tensor(Shape.of(B, 1)), Tensor(Shape.of(B, T))]), Dim.of(1)],
    "none": [Tensor(Shape.unknown()), Tensor(Shape.unknown())],
}


@pytest.fixture
def context():
    made = Context()
    use(made)
    return made


def marks(tensor):
    return [tensor.mark, *[axis.mark for axis in tensor.shape]]


@pytest.mark.parametrize("operands", OPERANDS.values(), ids=OPERANDS)
def test_who_follows_marks_says_nothing_without_them(context, operands):
    for name, watcher in FOLLOWERS:
        result = Tensor(Shape.of(B, T, D), "float")
        call = Observed(name, operands, {}, result)
        watcher(call)
        assert isinstance(call.result, Tensor), name
        assert call.result.shape == result.shape, name
        assert (call.result.dtype, set(marks(call.result))) == ("float", {None}), name
    assert not context.suspicions


def test_who_follows_marks_is_asked_where_there_is_one(context, monkeypatch):
    seen = []
    name = "torch.Tensor.example"
    monkeypatch.delitem(WATCHERS, name, raising=False)
    watch_marked(*methods("example"))(lambda call: seen.append(call.args))
    plain = Tensor(Shape.of(B, T))
    axis = plain.shape[0].with_mark(Mark("example", None))
    on_the_axis = Tensor(plain.shape.replaced(0, axis))
    on_the_tensor = Tensor(plain.shape, None, plain.kind, Mark("example", None))
    for args in [[plain], [on_the_axis], [plain, on_the_tensor], [Sequence([plain, on_the_axis])]]:
        observe(name, args, {}, plain)
    observe(name, [plain], {"other": on_the_axis}, plain)
    assert len(seen) == 4
    assert all(args != [plain] for args in seen[:3])
    for each in methods("example"):
        WATCHERS.pop(each, None)
