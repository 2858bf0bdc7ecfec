"""Factors: a part and the rest of it make the whole again."""

from hypothesis import given
from hypothesis import strategies as st

from shapecheck.dims import ONE, Dim, Scope, Symbol
from shapecheck.shapes import Axis, Factor, Mismatch, Origin, Part, Rest, Shape, fuse, merged, part, split_axis

B, T, D, H, K = (Dim.of(Symbol(name)) for name in "BTDHK")
sizes = st.lists(st.sampled_from((H, K, T, Dim.of(2), Dim.of(3))), min_size=1, max_size=5)


def product(parts):
    total = ONE
    for size in parts:
        total *= size
    return total


@given(sizes)
def test_an_axis_split_into_parts_and_merged_again_has_its_factor(parts):
    whole = Axis.of(product(parts), ident="whole")
    split = split_axis(whole, parts)
    assert [axis.size for axis in split] == parts
    assert merged(split, Scope()).factors == whole.factors


@given(sizes, sizes)
def test_parts_of_parts_are_parts_of_the_whole(outer, inner):
    whole = Axis.of(product(outer) * product(inner), ident="whole")
    first, second = split_axis(whole, [product(outer), product(inner)])
    pieces = [*split_axis(first, outer), *split_axis(second, inner)]
    assert [axis.factors for axis in pieces] == [axis.factors for axis in split_axis(whole, [*outer, *inner])]
    assert merged(pieces, Scope()).factors == whole.factors


@given(sizes, st.integers(0, 4), st.integers(0, 4))
def test_neighbours_of_a_longer_list_fuse_to_a_larger_part(parts, start, length):
    whole = Axis.of(product(parts), ident="whole")
    chosen = split_axis(whole, parts)[start : start + length]
    fused = fuse([factor for axis in chosen for factor in axis.factors], Scope())
    assert len(fused) <= 1
    if fused:
        assert fused[0].size == product(parts[start : start + length])
        expected = part(whole.factors[0], product(parts[:start]), fused[0].size)
        assert fused[0] in (expected, whole.factors[0])


def test_parts_in_another_order_stay_parts():
    first, second = (axis.factors[0] for axis in split_axis(Axis.of(D, ident="whole"), [H, D // H]))
    assert fuse([second, first], Scope()) == (second, first)
    assert fuse([first, first], Scope()) == (first, first)


def test_parts_of_different_axes_stay_apart():
    one, other = (split_axis(Axis.of(H * K, ident=name), [H, K]) for name in "ab")
    assert len(merged([one[0], other[1]], Scope()).factors) == 2


def test_a_part_of_what_cannot_be_followed_cannot_be_followed():
    assert part(Factor(D, None), ONE, H) == Factor(H, None)
    assert part(Factor(D, "whole"), H, K).ident == Part(Factor(D, "whole"), H)


def test_an_axis_of_one_has_no_factors():
    assert Axis.of(1).factors == Axis.unfollowed(ONE).factors == ()
    assert Axis.of(1).is_one
    assert merged([Axis.of(B), Axis.of(1)], Scope()).factors == Axis.of(B).factors


def test_axes_are_equal_by_size_and_elements_not_by_origin():
    assert Axis.of(B) == Axis.of(B, Origin.WRITTEN)
    assert Axis.of(B) != Axis.of(B, ident=object())
    assert hash(Axis.of(B)) == hash(Axis.of(B, Origin.KEPT))
    assert Axis.of(B).with_origin(Origin.KEPT).origin is Origin.KEPT
    shorter, another = Axis.of(B).resized(B - 1), Axis.of(B).resized(B - 1)
    assert shorter.factors[0].ident is not None
    assert shorter != another
    assert (str(Axis.of(B)), str(Rest("batch")), str(Rest())) == ("B", "*batch", "...")


def test_positions_are_torchs():
    shape = Shape.of(B, T, D)
    assert [shape.position(axis) for axis in (0, 2, -1, -3)] == [0, 2, 2, 0]
    assert isinstance(shape.position(3), Mismatch)
    assert isinstance(shape.axis(-4), Mismatch)
    assert shape.axis(-1).size == D
    assert shape.position(3, extra=1) == 3
    assert isinstance(Shape(()).axis(0), Mismatch)


def test_positions_beside_a_variadic_part():
    batch = Rest("batch")
    shape = Shape((Axis.of(B), batch, Axis.of(T), Axis.of(D)))
    assert (shape.rank, shape.rest) == (None, 1)
    assert [shape.position(axis) for axis in (0, -1, -2)] == [0, 3, 2]
    assert shape.position(1) is None
    assert shape.position(-3) is None
    assert str(shape.blurred(1)) == "[B, ..., T, D]"
    assert str(shape.blurred(-4)) == "[B, ..., T, D]"
    assert str(Shape.of(B, T, D).blurred(-1)) == "[B, T]"
    unnamed = Shape((Axis.of(B), Rest(), Axis.of(T), Axis.of(D)))
    assert str(unnamed.blurred(1)) == "[B, ...]"
    assert str(unnamed.blurred(-4)) == "[..., T, D]"


def test_shapes_are_values():
    shape = Shape.of(B, T, D)
    assert shape == Shape.of(B, T, D)
    assert hash(shape) == hash(Shape.of(B, T, D))
    assert shape.numel == B * T * D
    assert str(shape.replaced(1)) == "[B, D]"
    assert str(shape.without([0, 2])) == "[T]"
    assert Shape.unknown().is_unknown
    assert not Shape((Rest("batch"),)).is_unknown
    assert Shape(()).numel == ONE
