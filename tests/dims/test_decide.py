"""Decisions about two sizes, against trying small sizes one by one."""

import itertools

from hypothesis import assume, given
from hypothesis import strategies as st

from shapecheck.dims import YES, Dim, Kind, No, Scope, Symbol, Unknown, maximum, minimum
from tests.dims.expressions import ALL_KINDS, FLEXIBLE, SYMBOLS, Inexact, Written, expressions

B, T, D, H = (Dim.of(symbol) for symbol in SYMBOLS)
p, q = (Dim.of(symbol) for symbol in FLEXIBLE)
n = Dim.of(Symbol("nonzero", Kind.OPAQUE))

divided = expressions(SYMBOLS[1:], kinds=("+", "-", "*", "//"), most=6)
anything = expressions(SYMBOLS[1:], kinds=ALL_KINDS, most=5)
mixed = expressions((*SYMBOLS[1:3], *FLEXIBLE), kinds=("+", "-", "*"), most=5)


def decide(left, right):
    return Scope().decide(left, right)


def assignments(symbols, numbers):
    return (dict(zip(symbols, chosen, strict=True)) for chosen in itertools.product(numbers, repeat=len(symbols)))


def both(x, y, values):
    """Both sides where every written division is exact, else None."""
    try:
        return x.value(values, exact=True), y.value(values, exact=True)
    except Inexact:
        return None


def related(expression):
    """Pairs of expressions, often the same size written in two ways."""
    return st.one_of(
        st.tuples(expression, expression),
        expression.map(lambda x: (x, x)),
        st.tuples(expression, expression).map(
            lambda pair: (Written("+", *pair), Written("+", pair[1], pair[0])),
        ),
        st.tuples(expression, st.sampled_from(SYMBOLS[1:])).map(
            lambda pair: (
                Written("*", Written("leaf", pair[1]), Written("//", pair[0], Written("leaf", pair[1]))),
                pair[0],
            )
        ),
    )


@given(related(divided))
def test_yes_is_equal_wherever_the_written_divisions_are_exact(pair):
    x, y = pair
    if decide(x.dim(), y.dim()) is YES:
        for values in assignments(SYMBOLS[1:], (1, 2, 3, 4, 6)):
            sides = both(x, y, values)
            assert sides is None or sides[0] == sides[1], values


@given(related(anything))
def test_no_has_a_counterexample_with_large_sizes(pair):
    x, y = pair
    if isinstance(decide(x.dim(), y.dim()), No):
        large = (720, 1260, 5040, 7919, 50400)
        assert any(x.value(values) != y.value(values) for values in assignments(SYMBOLS[1:], large))


@given(related(divided))
def test_no_is_unequal_for_most_sizes_that_divide(pair):
    x, y = pair
    if isinstance(decide(x.dim(), y.dim()), No):
        # All different: T - D and the like are 0 otherwise. None is the product of the others: T // D // H is 1 then.
        drawn = [
            dict(zip(SYMBOLS[1:], sizes, strict=True)) for sizes in itertools.permutations((720, 5040, 5040 * 720 * 11))
        ]
        sides = [both(x, y, values) for values in drawn]
        known = [side for side in sides if side is not None]
        assume(known)
        assert any(left != right for left, right in known)


@given(mixed, mixed)
def test_no_between_hyper_parameters_holds_for_every_choice_of_them(x, y):
    if isinstance(decide(x.dim(), y.dim()), No):
        axes, parameters = SYMBOLS[1:3], FLEXIBLE
        for chosen in assignments(parameters, range(1, 6)):
            assert any(
                x.value({**chosen, **sizes}) != y.value({**chosen, **sizes})
                for sizes in assignments(axes, (50, 71, 997))
            )


@given(related(anything))
def test_a_decision_does_not_depend_on_the_side(pair):
    x, y = pair
    assert type(decide(x.dim(), y.dim())) is type(decide(y.dim(), x.dim()))


def test_names_are_different_and_products_of_names_are_what_they_are():
    assert isinstance(decide(T, D), No)
    assert isinstance(decide(T, T + 1), No)
    assert isinstance(decide(T * D, T), No)
    assert decide(T * D, D * T) is YES
    assert isinstance(decide(B * T * D, B * T * H), No)


def test_a_written_division_is_taken_as_exact():
    assert decide(H * (D // H), D) is YES
    assert decide(B * T * H * (D // H), B * T * D) is YES
    assert decide(p * (D // p), D) is YES
    assert decide(D % H, Dim.of(0)) is YES
    assert isinstance(decide(H * (D // H), T), No)
    assert isinstance(decide(D // H, D), No)
    # Both are 0 for most sizes.
    assert isinstance(decide(Dim.of(1) // D, -(Dim.of(1) // D)), Unknown)
    assert isinstance(decide(Dim.of(3) // D, 2 * (Dim.of(3) // D)), Unknown)


def test_rounding_by_a_number_is_no_proof():
    # Stride 2 down and up again: right for even T, or for odd T; nothing can be said.
    assert isinstance(decide(2 * ((T + 1) // 2), T), Unknown)
    assert isinstance(decide((T + 1) // 2, T // 2), Unknown)
    assert isinstance(decide((T + 1) // 2, T // 2 + 1), Unknown)
    assert isinstance(decide((T + 1) // 2 + T // 2, T), Unknown)
    assert isinstance(decide(T // 2, T), No)
    assert isinstance(decide(T // 2, T // 3), No)


def test_min_and_max_may_be_any_of_their_arguments():
    limit = Dim.of(1024)
    assert isinstance(decide(minimum(T, limit), T), Unknown)
    assert isinstance(decide(minimum(T, limit), limit), Unknown)
    assert isinstance(decide(minimum(T, D), H), No)
    assert isinstance(decide(minimum(T, p), D), Unknown)
    assert isinstance(decide(maximum(T, D) + 1, maximum(T, D)), No)
    assert decide(maximum(T, H * (T // H)), T) is YES


def test_an_unknown_parameter_is_unknown():
    assert isinstance(decide(p, T), Unknown)
    assert isinstance(decide(p + T, T), Unknown)
    assert isinstance(decide(p * T, T), Unknown)


def test_no_choice_of_a_parameter_helps():
    assert isinstance(decide(p, 2 * p), No)
    assert isinstance(decide(p, p + 1), No)
    assert isinstance(decide(p * D, p * T), No)
    assert isinstance(decide(2 * p, Dim.of(3)), No)
    assert isinstance(decide(2 * p + 4 * q, Dim.of(7)), No)


def test_a_data_dependent_size_is_never_equal_and_never_unequal():
    other = Dim.of(Symbol("nonzero", Kind.OPAQUE))
    for size in (T, Dim.of(5), other, n + 1 + other, minimum(n, T), n // 2):
        assert isinstance(decide(n + 0 * T, size), Unknown) or size == n
    assert decide(n, n) is YES


def test_two_parameters_of_one_signature_differ():
    owner = object()
    width, depth = (Dim.of(Symbol(name, Kind.FLEXIBLE, owner=owner)) for name in ("width", "depth"))
    verdict = decide(width, depth)
    assert isinstance(verdict, No)
    assert verdict.because == "parameters"
    assert isinstance(decide(2 * T * width, 2 * T * depth), No)
    # Another signature's parameter, or one with the same default, may be equal.
    assert isinstance(decide(width, p), Unknown)
    same = [Dim.of(Symbol(name, Kind.FLEXIBLE, owner=owner, default=4)) for name in ("a", "b")]
    assert isinstance(decide(*same), Unknown)
    unequal = [Dim.of(Symbol("a", Kind.FLEXIBLE, owner=owner, default=size)) for size in (4, 5)]
    assert isinstance(decide(*unequal), No)
