"""Broadcasting against torch, with numbers put in for the symbols."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from shapecheck.dims import ONE, Dim, Kind, Symbol
from shapecheck.shapes import Axis, Context, Fault, Mismatch, Origin, Rest, Shape, broadcast, flatten, reshape, use

SYMBOLS = tuple(Symbol(name) for name in "BTD")
FLEXIBLE = tuple(Symbol(name, Kind.FLEXIBLE) for name in "pq")
B, T, D = map(Dim.of, SYMBOLS)
p, q = map(Dim.of, FLEXIBLE)

rigid = st.lists(st.sampled_from((B, T, D, ONE, Dim.of(5))), max_size=4)
anything = st.lists(st.sampled_from((B, T, p, q, ONE)), max_size=4)
numbers = st.fixed_dictionaries({symbol: st.integers(1, 3) for symbol in (*SYMBOLS, *FLEXIBLE)})


def fresh():
    context = Context()
    use(context)
    return context


def shaped(*axes):
    return Shape([axis if isinstance(axis, Axis | Rest) else Axis.of(axis) for axis in axes])


def evaluated(sizes, values):
    return [size.evaluate(values) for size in sizes]


def of_torch(*shapes):
    try:
        return list(torch.broadcast_shapes(*shapes))
    except RuntimeError:
        return None


@given(st.lists(rigid, min_size=1, max_size=3))
def test_axis_names_broadcast_as_torch_broadcasts_large_numbers(operands):
    context = fresh()
    values = {B: 101, T: 103, D: 107}
    found = broadcast(*[shaped(*sizes) for sizes in operands])
    large = {symbol: values[Dim.of(symbol)] for symbol in SYMBOLS}
    expected = of_torch(*[evaluated(sizes, large) for sizes in operands])
    if expected is not None:
        assert isinstance(found, Shape)
        assert evaluated([axis.size for axis in found], large) == expected
    elif isinstance(found, Shape):
        # A name against the number 5 is narrowed to it.
        assert any(solution.narrowed and solution.value == Dim.of(5) for solution in context.scope.solutions)


@given(st.lists(anything, min_size=1, max_size=3), numbers)
def test_where_sizes_are_unknown_the_result_is_torchs_for_every_choice_that_torch_takes(operands, values):
    fresh()
    found = broadcast(*[shaped(*sizes) for sizes in operands])
    # Axis names are large; what is not known is such a size, or 1.
    values = {**values, SYMBOLS[0]: 11, SYMBOLS[1]: 13, **{f: (1, 11, 13)[values[f] - 1] for f in FLEXIBLE}}
    expected = of_torch(*[evaluated(sizes, values) for sizes in operands])
    if expected is not None:
        assert isinstance(found, Shape)
        assert evaluated([axis.size for axis in found], values) == expected


@given(st.lists(anything, min_size=2, max_size=3), numbers)
def test_a_mismatch_is_refused_by_torch_for_large_sizes(operands, values):
    fresh()
    found = broadcast(*[shaped(*sizes) for sizes in operands])
    values = {**values, SYMBOLS[0]: 11, SYMBOLS[1]: 13}
    if isinstance(found, Mismatch):
        assert of_torch(*[evaluated(sizes, values) for sizes in operands]) is None
        assert found.kind is Fault.BROADCAST
        assert found.left == found.left_shape[found.axis].size
        assert found.right == found.right_shape[found.other_axis].size


@given(st.lists(st.sampled_from((T, D, ONE)), max_size=2), st.lists(st.sampled_from((B, T, D, ONE)), max_size=4),
       st.lists(st.integers(2, 4), max_size=3))  # fmt: skip
def test_with_a_variadic_part_what_is_said_is_what_torch_makes_of_any_axes_there(trailing, other, batch):
    fresh()
    found = broadcast(shaped(Rest("batch"), *trailing), shaped(*other))
    values = dict(zip(SYMBOLS, (11, 13, 17), strict=True))
    expected = of_torch(batch + evaluated(trailing, values), evaluated(other, values))
    if expected is None:
        return
    assert isinstance(found, Shape)
    behind = [axis.size for axis in found.axes[found.rest + 1 :]] if found.rest is not None else found.known
    assert len(expected) >= len(behind)
    for size, number in zip(reversed(behind), reversed(expected), strict=False):
        if not any(atom.kind is Kind.OPAQUE for atom in size.atoms):
            assert size.evaluate(values) == number


def test_a_variadic_part_keeps_what_is_sure():
    batch = Rest("batch")
    assert str(broadcast(shaped(batch, T, D), shaped(D))) == "[*batch, T, D]"
    assert str(broadcast(shaped(batch, T, D), shaped(batch, 1, D))) == "[*batch, T, D]"
    assert str(broadcast(shaped(batch, D), shaped(B, T, D))) == "[..., B, T, D]"
    assert str(broadcast(Shape.unknown(), shaped(B, T, D))) == "[..., B, T, D]"
    assert str(broadcast(Shape.unknown(), shaped(B, 1, D))) == "[..., B, ?, D]"
    assert broadcast(shaped(batch, D), shaped(B, T)).kind is Fault.BROADCAST


def test_the_larger_of_two_unknown_sizes(context):
    found = broadcast(shaped(B, p), shaped(B, q))
    assert str(found) == "[B, max(p, q)]"
    context.scope.require(p, T)
    context.scope.require(q, T)
    assert context.scope.equal(found[1].size, T)


def test_broadcasting_solves_nothing(context):
    broadcast(shaped(B, p), shaped(B, D))
    assert context.scope.solutions == ()


def test_a_size_of_several_names_against_a_number_is_no_fault():
    assert isinstance(broadcast(shaped(B, T * D), shaped(Dim.of(400))), Shape)


def test_parameters_of_one_signature_do_not_broadcast():
    owner = object()
    width, depth = (Dim.of(Symbol(name, Kind.FLEXIBLE, owner=owner)) for name in ("width", "depth"))
    found = broadcast(shaped(B, width), shaped(depth))
    assert isinstance(found, Mismatch)
    assert found.because == "parameters"


def test_of_two_equal_axes_the_one_known_in_more_detail_is_kept(context):
    followed, unfollowed = Axis.of(D), Axis.unfollowed(D)
    assert broadcast(shaped(unfollowed), shaped(followed))[0] is followed
    assert broadcast(shaped(followed), shaped(unfollowed))[0] is followed


# -- one axis at two places ------------------------------------------------------------------------------------------

WRITTEN_ONE = Axis.of(1, Origin.WRITTEN)
KEPT_ONE = Axis.of(1, Origin.KEPT)


def suspected(*shapes):
    context = fresh()
    assert isinstance(broadcast(*shapes), Shape)
    kinds = [mismatch.kind for mismatch in context.suspicions]
    assert kinds in ([], [Fault.OUTER])
    return bool(kinds)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((B, 1), (B,)),
        ((B, KEPT_ONE), (B,)),
        ((B, T, 1), (T,)),
        ((B, 1, D), (B, D)),
        ((B, 1, 1, T), (B, T)),
    ],
)
def test_an_axis_that_meets_itself_through_a_declared_or_kept_one_is_suspected(left, right):
    assert suspected(shaped(*left), shaped(*right))
    assert suspected(shaped(*right), shaped(*left))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        # Written for either operand: unsqueeze, None, reshape.
        ((B, WRITTEN_ONE), (B,)),
        ((B, 1), (Axis.of(B, Origin.WRITTEN),)),
        ((Axis.of(B, Origin.WRITTEN), 1), (B,)),
        # The rank is not extended.
        ((B, 1), (1, B)),
        # Another axis, a number, an axis whose elements are not known to be the same.
        ((B, 1), (T,)),
        ((5, 1), (5,)),
        ((B, 1), (Axis.unfollowed(B),)),
        ((B, 1), (Axis.of(B, ident=object()),)),
        ((1, B, T), (B, T)),
        ((B, 1), (1,)),
        ((Rest("batch"), B, 1), (B,)),
    ],
)
def test_consent_numbers_and_other_axes_are_not_suspected(left, right):
    assert not suspected(shaped(*left), shaped(*right))
    assert not suspected(shaped(*right), shaped(*left))


def test_consent_survives_operations_with_other_ones():
    once = broadcast(shaped(B, 1), shaped(B, WRITTEN_ONE))
    assert not suspected(once, shaped(B))
    assert not suspected(broadcast(shaped(B, WRITTEN_ONE), shaped(B, 1)), shaped(B))


def test_a_reshape_that_puts_in_or_takes_out_a_one_is_consent():
    assert not suspected(shaped(B, 1), reshape(shaped(B, 1), [B]))
    assert not suspected(shaped(B, 1), reshape(shaped(B), [Dim.of(-1)]))
    assert not suspected(reshape(shaped(B), [B, ONE]), shaped(B))
    # A view for another purpose is none.
    assert suspected(shaped(B, 1), flatten(reshape(shaped(B, T * D), [B, T, D]), 1, 2).without([1]))


def test_a_name_narrowed_to_a_number_is_a_number(context):
    context.scope.require(B, Dim.of(8))
    broadcast(shaped(B, 1), shaped(B))
    assert context.suspicions == []


def test_two_names_that_meet_are_not_narrowed_to_one_number_elsewhere(context):
    found = broadcast(shaped(B, T, Dim.of(2)), shaped(D, Dim.of(2), B, T))
    assert isinstance(found, Mismatch)
    assert found.kind is Fault.BROADCAST
    assert not context.scope.solutions
