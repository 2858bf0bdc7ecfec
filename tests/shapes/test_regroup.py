"""Reshape against torch: the factors of each axis predict which source element stands where."""

from math import prod

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shapecheck.dims import ONE, Dim, Kind, Symbol
from shapecheck.shapes import (
    Axis,
    Context,
    Fault,
    Mismatch,
    Origin,
    Rest,
    Shape,
    flatten,
    reshape,
    split_axis,
    use,
)
from tests.shapes.tracking import Tracked

NAMES = ["B", "T", "H", "K", "W", "C"]
SYMBOLS = {name: Symbol(name) for name in NAMES}
B, T, H, K, W, C = (Dim.of(SYMBOLS[name]) for name in NAMES)
SIZES = dict(zip(SYMBOLS.values(), (2, 3, 4, 5, 6, 7), strict=True))
OTHER = dict(zip(SYMBOLS.values(), (3, 2, 5, 4, 2, 3), strict=True))

atoms = st.sampled_from((B, T, H, K, Dim.of(2), Dim.of(3), Dim.of(1)))


def fresh():
    context = Context()
    use(context)
    return context


@st.composite
def grouped(draw, parts):
    """The same flat list of parts cut into axes at random, with ones in between."""
    axes, current = [], ONE
    for part in parts:
        current *= part
        if draw(st.booleans()):
            axes.append(current)
            current = ONE
            if draw(st.integers(0, 5)) == 0:
                axes.append(ONE)
    if current != ONE or not axes:
        axes.append(current)
    return axes


def inferred(draw, sizes):
    """One of the sizes as -1, sometimes; none that divides, for then nothing says that the division is exact."""
    position = draw(st.integers(-len(sizes), len(sizes) - 1))
    return [
        Dim.of(-1) if index == position and all(isinstance(atom, Symbol) for atom in size.atoms) else size
        for index, size in enumerate(sizes)
    ]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_a_cut_of_the_flat_list_is_followed_and_never_scrambled(data):
    context = fresh()
    parts = data.draw(st.lists(atoms, min_size=1, max_size=5))
    tracked = Tracked(data.draw(grouped(parts)), data.draw(st.sampled_from((SIZES, OTHER))))
    targets = data.draw(grouped(parts))
    tracked.shape = reshape(tracked.shape, inferred(data.draw, targets))
    assert isinstance(tracked.shape, Shape)
    tracked.tensor = tracked.tensor.reshape(tracked.numbers(targets))
    tracked.check()
    assert context.suspicions == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_wherever_a_shape_is_followed_its_factors_say_which_element_stands_where(data):
    fresh()
    parts = data.draw(st.lists(atoms, min_size=1, max_size=4))
    tracked = Tracked(data.draw(grouped(parts)), data.draw(st.sampled_from((SIZES, OTHER))))
    for _ in range(data.draw(st.integers(1, 4))):
        if data.draw(st.booleans()):
            tracked.permuted(data.draw(st.permutations(range(len(tracked.shape)))))
        else:
            parts = data.draw(st.permutations(parts)) if data.draw(st.integers(0, 3)) == 0 else parts
            targets = data.draw(grouped(parts))
            found = reshape(tracked.shape, targets)
            assert isinstance(found, Shape)
            tracked.shape = found
            tracked.tensor = tracked.tensor.reshape(tracked.numbers(targets))
        tracked.check()


def rearranged(tracked, mismatch):
    """What the permutation that would fit makes of the source."""
    wanted = [factor for group in mismatch.wanted for factor in group]
    by_stride = sorted(wanted, key=tracked.stride, reverse=True)
    pieces = tracked.tensor.reshape(tracked.numbers([factor.size for factor in by_stride]))
    return pieces.permute([by_stride.index(factor) for factor in wanted])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(st.data())
def test_a_scrambled_reshape_is_a_permutation_away_from_its_target(data):
    context = fresh()
    parts = data.draw(st.lists(atoms, min_size=2, max_size=5))
    tracked = Tracked(data.draw(grouped(parts)), SIZES)
    targets = data.draw(grouped(data.draw(st.permutations(parts))))
    numbers = tracked.numbers(targets)
    reshape(tracked.shape, targets)
    for mismatch in context.suspicions:
        assert mismatch.kind is Fault.SCRAMBLED
        meant = rearranged(tracked, mismatch).reshape(numbers)
        assert not torch.equal(meant, tracked.tensor.reshape(numbers))


def shaped(*sizes):
    return Shape.of(*sizes)


def scrambles(shape, *sizes):
    context = fresh()
    assert isinstance(reshape(shape, [Dim.of(size) for size in sizes]), Shape)
    return [mismatch.kind for mismatch in context.suspicions] == [Fault.SCRAMBLED]


def test_axes_that_change_places_are_scrambled():
    assert scrambles(shaped(B, T, H, K), B, H, T, K)
    assert scrambles(Shape([Axis.of(B), Axis.of(T), Axis.of(H * K, ident="H*K")]), B, H, T, K)
    # A computed axis is one of its own; of one that cannot be followed nothing is said.
    assert scrambles(shaped(B, T, H * K), B, H, T, K)
    assert not scrambles(Shape([Axis.of(B), Axis.of(T), Axis.unfollowed(H * K)]), B, H, T, K)
    assert scrambles(shaped(B, C, H, W), B, H * W, C)
    assert scrambles(shaped(B, C, H, W), B, H * W, -1)
    assert scrambles(shaped(B, T), T, B)
    assert scrambles(shaped(B, H, T, K), B, T, H * K)


def test_the_shift_of_relative_positions_is_silent():
    padded = Shape([Axis.of(B), Axis.of(H), Axis.of(T), Axis.of(K + 1, ident="padded")])
    assert not scrambles(padded, B, H, K + 1, T)
    square = Shape([Axis.of(B), Axis.of(H), Axis.of(T), Axis.of(T + 1, ident="padded")])
    assert not scrambles(square, B, H, T + 1, T)


def test_heads_by_an_unknown_number_are_scrambled():
    heads = Dim.of(Symbol("self.n_heads", Kind.FLEXIBLE))
    size = Dim.of(Symbol("self.d_head", Kind.FLEXIBLE))
    assert scrambles(shaped(B, T, C), B, heads, T, C // heads)
    assert scrambles(shaped(B, T, C), B, heads, T, size)
    assert not scrambles(shaped(B, T, C), B, T, heads, size)


def silent(steps, shape):
    """Whether nothing is said of a chain of reshapes (lists of sizes) and permutations (tuples of numbers)."""
    context = fresh()
    for step in steps:
        if isinstance(step, tuple):
            shape = Shape([shape[position] for position in step])
        else:
            found = reshape(shape, [Dim.of(size) for size in step])
            assert isinstance(found, Shape)
            shape = found
    return context.suspicions == [], shape


G = Dim.of(Symbol("G", Kind.FLEXIBLE))
P = Dim.of(Symbol("patch", Kind.FLEXIBLE))


@pytest.mark.parametrize(
    ("shape", "steps", "result"),
    [
        # Channel shuffle.
        (shaped(B, C, H, W), [[B, G, C // G, H, W], (0, 2, 1, 3, 4), [B, C, H, W]], [B, C, H, W]),
        # Windows of an image, and back.
        (
            shaped(B, H, W, C),
            [[B, H // P, P, W // P, P, C], (0, 1, 3, 2, 4, 5), [-1, P, P, C], [B, H // P, W // P, P, P, C],
             (0, 1, 3, 2, 4, 5), [B, H, W, C]],
            [B, H, W, C],
        ),
        # Patch embedding of a square image.
        (
            shaped(B, C, H, H),
            [[B, C, H // P, P, H // P, P], (0, 2, 4, 3, 5, 1), [B, (H // P) * (H // P), P * P * C]],
            [B, (H // P) * (H // P), P * P * C],
        ),
        # Heads split and merged.
        (shaped(B, T, C), [[B, T, G, C // G], (0, 2, 1, 3), (0, 2, 1, 3), [B, T, C]], [B, T, C]),
        (shaped(B, T, C), [[B, T, G, -1], (0, 2, 1, 3), (0, 2, 1, 3), [B, T, -1]], [B, T, C]),
        # Heads before features in one projection: q, k and v.
        (shaped(B, T, 3 * C), [[B, T, 3, G, C // G], (2, 0, 3, 1, 4)], [Dim.of(3), B, G, T, C // G]),
        # Query heads in groups.
        (shaped(B, T, H * K), [[B, T, H, K], (0, 2, 1, 3), [B, G, H // G, T, K]], [B, G, H // G, T, K]),
        # Each head's features in two halves (rotary).
        (shaped(B, T, C), [[B, T, G, C // G], [B, T, G, C // (2 * G), 2], [B, T, C]], [B, T, C]),
        (shaped(B, T, C), [[B, T, 2, C // 2], [B, T, 2, G, C // 2 // G], [B, T, 2 * G, -1], [B, T, C]], [B, T, C]),
        # Batch and time in one, and apart again.
        (shaped(B, T, C), [[B * T, C], [-1, C], [B, T, C]], [B, T, C]),
        (shaped(B, T, T), [[B, -1], [B, T, T]], [B, T, T]),
    ],
)  # fmt: skip
def test_what_is_written_every_day_is_silent(shape, steps, result):
    quiet, found = silent(steps, shape)
    assert quiet
    assert [axis.size for axis in found] == result


def test_windows_put_together_without_their_permutation_are_scrambled():
    windows = silent([[B, H // P, P, W // P, P, C], (0, 1, 3, 2, 4, 5)], shaped(B, H, W, C))[1]
    assert scrambles(windows, B, H, W, C)
    square = silent([[B, H // P, P, H // P, P, C], (0, 1, 3, 2, 4, 5)], shaped(B, H, H, C))[1]
    assert scrambles(square, B, H, H, C)


def test_split_and_merged_axes_are_the_axes_they_were():
    start = shaped(B, T, C)
    found = silent([[B, T, G, C // G], [B, T, C]], start)[1]
    assert found == start
    assert found[0] is start[0]


def test_an_axis_that_was_not_touched_is_the_same_object():
    start = shaped(B, T, C)
    found = silent([[B, T, 2, C // 2]], start)[1]
    assert found[0] is start[0]
    assert found[1] is start[1]


def test_of_two_axes_of_one_name_each_stays_itself():
    start = Shape([Axis.of(B), Axis.of(T), Axis.of(T), Axis.of(C), Axis.of(T)])
    found = silent([[B, T, T * C, T]], start)[1]
    assert [found[0] is start[0], found[1] is start[1], found[3] is start[4]] == [True] * 3
    found = silent([[B * T, T, C, T]], start)[1]
    assert [found[1] is start[2], found[2] is start[3], found[3] is start[4]] == [True] * 3


def test_ends_stay_followed_where_the_middle_is_not():
    n = Dim.of(Symbol("n", Kind.OPAQUE))
    start = shaped(B, T, H, C)
    found = silent([[B, n, 3, C]], start)[1]
    assert found[0] is start[0]
    assert found[3] is start[3]
    assert found[1].factors[0].ident is None


def test_another_number_of_elements_is_a_mismatch():
    assert reshape(shaped(B, T, C), [B, T, H]).kind is Fault.RESHAPE
    assert reshape(shaped(2, 3), [Dim.of(7)]).kind is Fault.RESHAPE
    assert reshape(shaped(B, 784), [Dim.of(784)]).kind is Fault.RESHAPE
    assert isinstance(reshape(shaped(2, 3), [Dim.of(-1), Dim.of(-1)]), Mismatch)
    assert isinstance(reshape(shaped(7), [Dim.of(2), Dim.of(-1)]), Mismatch)
    assert isinstance(reshape(shaped(B, 7), [B, Dim.of(2), Dim.of(-1)]), Mismatch)
    # A batch of even size would do.
    assert isinstance(reshape(shaped(B, 7), [Dim.of(2), Dim.of(-1)]), Shape)


def test_flattened_features_may_make_up_the_width_of_a_layer():
    assert isinstance(reshape(shaped(B, C, H, W), [B, Dim.of(400)]), Shape)


def test_minus_one_is_a_division_where_one_name_is_divided():
    found = reshape(shaped(B, T, C), [B, T, G, Dim.of(-1)])
    assert found[3].size == C // G
    found = reshape(shaped(B, T, C), [B, T, Dim.of(8), Dim.of(-1)])
    assert found[3].size == C // 8


def test_minus_one_is_open_where_names_may_be_made_of_others(context):
    both = Dim.of(Symbol("bt"))
    found = reshape(shaped(both, C), [B, T, Dim.of(-1)])
    assert isinstance(found, Shape)
    assert not context.scope.differ(found[2].size, C)
    found = reshape(shaped(B, C, H, W), [Dim.of(-1), Dim.of(784)])
    assert not context.scope.differ(found[0].size, B)


def test_a_size_of_one_that_was_solved_is_no_factor(context):
    copies = Symbol("copies", Kind.FLEXIBLE)
    context.scope.require(Dim.of(copies), ONE)
    found = reshape(shaped(B, T, Dim.of(copies)), [B, T])
    assert [axis.factors for axis in found] == [axis.factors for axis in shaped(B, T)]


def test_a_variadic_part_is_one_factor():
    batch = Rest("batch")
    start = Shape([batch, Axis.of(T), Axis.of(C)])
    quiet, found = silent([[-1, C]], start)
    assert quiet
    assert found[1] is start[2]
    context = fresh()
    found = reshape(start, [batch, T, G, C // G])
    assert found[0] is batch
    assert reshape(found, [batch, T, C]) == start
    assert context.suspicions == []
    reshape(start, [batch, C, T])
    assert [mismatch.kind for mismatch in context.suspicions] == [Fault.SCRAMBLED]


def test_numbers_alone_are_scrambled_only_as_whole_axes():
    def numbered(*sizes):
        return Shape([Axis.of(size, ident=("axis", index)) for index, size in enumerate(sizes)])

    assert scrambles(numbered(4, 6), 6, 4)
    assert not scrambles(numbered(4, 6), 3, 8)
    assert not scrambles(numbered(4, 6), 8, 3)
    assert not scrambles(shaped(4, 6), 6, 4)


def test_flatten_is_reshape():
    start = shaped(B, T, H, K)
    assert flatten(start, 1, 2) == reshape(start, [B, T * H, K])
    assert flatten(start, 1, 1) is start


def test_split_axis_and_back():
    axis = Axis.of(C)
    parts = split_axis(axis, [G, C // G])
    assert [part.size for part in parts] == [G, C // G]
    assert all(part.origin is Origin.WRITTEN for part in parts)
    assert flatten(Shape(parts), 0, 1)[0].factors == axis.factors


HEADS = Symbol("heads", Kind.FLEXIBLE)
DIVISORS = (Dim.of(HEADS), K, Dim.of(2))
WHOLE = tuple(Symbol(name) for name in ("D", "E"))


@st.composite
def split_in_two_ways(draw):
    """Flat lists of the same elements, in which some axes are split in one of them or in both."""
    source, target = [], []
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(("same", "split", "merged", "both")))
        size = draw(st.sampled_from((B, T, T, Dim.of(3), ONE)))
        whole, divisor = Dim.of(draw(st.sampled_from(WHOLE))), draw(st.sampled_from(DIVISORS))
        parts = draw(st.sampled_from(([divisor, whole // divisor], [whole // divisor, divisor])))
        source += [size] if kind == "same" else [whole] if kind == "split" else parts
        target += [size] if kind == "same" else [whole] if kind == "merged" else parts
    return source, target


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=200)
@given(st.data())
def test_splits_and_merges_in_order_are_never_scrambled(data):
    context = fresh()
    source, target = data.draw(split_in_two_ways())
    axes = [Axis.of(size, ident=("axis", index)) for index, size in enumerate(data.draw(grouped(source)))]
    rest = data.draw(st.sampled_from((None, 0, len(axes))))
    sizes = inferred(data.draw, data.draw(grouped(target)))
    if rest is not None:
        batch = Rest("batch")
        axes.insert(rest, batch)
        sizes.insert(len(sizes) if rest else 0, batch)
    assert isinstance(reshape(Shape(axes), sizes), Shape)
    assert context.suspicions == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_the_factors_of_split_axes_say_which_element_stands_where(data):
    fresh()
    source, target = data.draw(split_in_two_ways())
    values = {**SIZES, HEADS: 2, SYMBOLS["K"]: 3, WHOLE[0]: 12, WHOLE[1]: 6}
    cut = data.draw(grouped(source))
    if prod(size.evaluate(values) for size in cut) > 20_000:
        return
    tracked = Tracked(cut, values)
    for sizes in (target, source):
        targets = data.draw(grouped(sizes))
        tracked.shape = reshape(tracked.shape, targets)
        tracked.tensor = tracked.tensor.reshape(tracked.numbers(targets))
        tracked.check()
        tracked.permuted(data.draw(st.permutations(range(len(tracked.shape)))))
        tracked.check()


@pytest.mark.parametrize("pieces", [(HEADS, 3, 2), (HEADS, B, 3)])
def test_what_stands_where_is_not_guessed_where_the_sizes_agree(pieces):
    """Axes moved and then cut elsewhere: the run in the middle looks the same, and what stands before it is another."""
    fresh()
    values = {**SIZES, HEADS: 2, WHOLE[0]: 12}
    whole, heads = Dim.of(WHOLE[0]), Dim.of(HEADS)
    first, *rest = (Dim.of(size) for size in pieces)
    tracked = Tracked([first, whole // 2, *rest, whole // heads], values)
    targets = [rest[0] * rest[1], whole // 2, whole]
    tracked.shape = reshape(tracked.shape, targets)
    tracked.tensor = tracked.tensor.reshape(tracked.numbers(targets))
    tracked.check()
