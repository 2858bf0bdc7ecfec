"""Laws of sizes: a ring, one normal form, and the functions that no polynomial expresses."""

import random

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from shapecheck.dims import ONE, ZERO, Call, Dim, Kind, Symbol, floordiv, maximum, minimum, mod
from tests.dims.expressions import ALL_KINDS, SYMBOLS, Inexact, Written, expressions, sizes, value_of_text

B, T, D, H = (Dim.of(symbol) for symbol in SYMBOLS)

polynomials = expressions()
anything = expressions(kinds=ALL_KINDS)


@given(polynomials, polynomials, polynomials)
def test_sizes_are_a_ring(x, y, z):
    a, b, c = x.dim(), y.dim(), z.dim()
    assert a + b == b + a
    assert a * b == b * a
    assert (a + b) + c == a + (b + c)
    assert (a * b) * c == a * (b * c)
    assert a * (b + c) == a * b + a * c
    assert a + ZERO == a == a * ONE
    assert a - a == ZERO
    assert a + -a == ZERO
    assert a - b == -(b - a)
    assert a * 0 == ZERO
    assert hash(a * b + c) == hash(c + b * a)


@given(anything, sizes())
def test_a_size_evaluates_to_what_python_makes_of_the_same_expression(written, values):
    assert written.dim().evaluate(values) == written.value(values)


@given(polynomials, polynomials)
def test_polynomials_are_equal_as_forms_exactly_where_they_are_equal_as_functions(x, y):
    # Two polynomials of degree below n that agree on a grid of n numbers a symbol are the same.
    draw = random.Random(3)  # noqa: S311
    samples = [{symbol: draw.randrange(10**6) for symbol in SYMBOLS} for _ in range(8)]
    agree = all(x.value(sample) == y.value(sample) for sample in samples)
    assert (x.dim() == y.dim()) == agree


@given(anything, anything, st.lists(sizes(), min_size=5, max_size=5))
def test_equal_forms_have_equal_values(x, y, samples):
    if x.dim() == y.dim():
        assert all(x.value(sample) == y.value(sample) for sample in samples)


@given(anything, polynomials, polynomials, sizes())
def test_substitution_commutes_with_evaluation(written, for_t, for_d, values):
    at = {**values, SYMBOLS[1]: for_t.value(values), SYMBOLS[2]: for_d.value(values)}
    assume(at[SYMBOLS[1]] > 0)
    assume(at[SYMBOLS[2]] > 0)
    changed = written.dim().substitute({SYMBOLS[1]: for_t.dim(), SYMBOLS[2]: for_d.dim()})
    try:
        assert changed.evaluate(values) == written.value(at)
    except KeyError:
        assert any(symbol.name == "?" for symbol in changed.atoms if isinstance(symbol, Symbol))


@given(polynomials, polynomials)
def test_a_product_divides_exactly(x, y):
    a, b = x.dim(), y.dim()
    assume(b != ZERO)
    assert (a * b).exact_quotient(b) == a


@given(polynomials, polynomials)
def test_an_exact_quotient_times_its_divisor_is_the_whole(x, y):
    a, b = x.dim(), y.dim()
    quotient = a.exact_quotient(b)
    assert quotient is None or quotient * b == a


@given(polynomials)
def test_the_content_divides_every_term(x):
    coefficient, monomial = x.dim().content()
    if x.dim() == ZERO:
        assert (coefficient, monomial) == (0, ())
    else:
        rest = x.dim().exact_quotient(Dim.term(monomial, coefficient))
        assert rest is not None
        assert rest.content() == (1, ())


def exact_value(written, values):
    try:
        return written.value(values, exact=True)
    except Inexact:
        return None


@given(anything, sizes(largest=24))
@example(
    Written("*", Written("leaf", SYMBOLS[3]), Written("//", Written("leaf", SYMBOLS[2]), Written("leaf", SYMBOLS[3]))),
    dict.fromkeys(SYMBOLS, 6),
)
def test_the_text_means_what_the_size_is(written, values):
    expected = exact_value(written, values)
    assume(expected is not None)
    assert value_of_text(written.dim(), values) == expected


@pytest.mark.parametrize(
    ("dim", "text"),
    [
        (ZERO, "0"),
        (Dim.of(7), "7"),
        (T - 1, "T - 1"),
        (1 + T, "T + 1"),
        (D * 2, "2*D"),
        (T * D * B, "B*T*D"),
        (B - 2 * T, "B - 2*T"),
        (D * D, "D*D"),
        (D**3, "D**3"),
        (H * (D // H), "D"),
        (T * H * (D // H), "T*D"),
        (D // H, "D//H"),
        (2 * (D // H), "2*(D//H)"),
        (D // H // 2, "D//(2*H)"),
        ((T + 1) // 2, "(T + 1)//2"),
        ((T - 1) // 2, "(T - 1)//2"),
        ((T + 2 * 1 - 3) // 2 + 1, "(T + 1)//2"),
        (T // 2 - 1, "T//2 - 1"),
        (-(T // 2), "-(T//2)"),
        (D - T // 2, "D - T//2"),
        (-(-T // 8), "-(-T//8)"),
        (T + -T % 8, "T + (-T % 8)"),
        (-T % 8, "-T % 8"),
        ((3 * T) // 4, "(3*T)//4"),
        ((T + 7) // 8, "(T + 7)//8"),
        (T % 8, "T % 8"),
        (T % 8 + 1, "1 + (T % 8)"),
        (D * T % H + 1, "1 + ((T*D) % H)"),
        (D * (T % 8) - H, "D*(T % 8) - H"),
        (2 * (T // 2), "2*(T//2)"),
        (minimum(T, D), "min(T, D)"),
        (maximum(T - 1, D) * 2, "2*max(T - 1, D)"),
        (-T, "-T"),
    ],
)
def test_a_size_reads_as_a_person_writes_it(dim, text):
    assert str(dim) == text
    assert repr(dim) == f"Dim({text})"


def test_two_ways_of_writing_one_size_meet():
    assert H * D == D * H
    assert 2 * D - D == D
    assert (T + 8) // 8 == T // 8 + 1
    assert (2 * D) // (2 * H) == D // H
    assert (B * T * D) // (B * T) == D
    assert (T // 2) // 2 == T // 4
    assert ((T + 1) // 2 + 1) // 2 == (T + 3) // 4
    assert D // H // B == D // (H * B)
    assert T % 8 == (T + 8) % 8
    assert minimum(minimum(T, D), H) == minimum(H, D, T)
    assert minimum(T, T - 1, D) == minimum(D, T - 1)
    assert maximum(T, 2 * T) == 2 * T
    assert minimum(Dim.of(3), Dim.of(5)) == Dim.of(3)


@given(anything)
def test_a_call_is_rebuilt_as_the_same_call(written):
    for atom in written.dim().atoms:
        if isinstance(atom, Call) and atom.function == "floordiv":
            assert floordiv(*atom.args).atom is atom


def test_division_by_zero_is_pythons_error():
    with pytest.raises(ZeroDivisionError):
        floordiv(T, ZERO)
    with pytest.raises(ZeroDivisionError):
        mod(T, ZERO)


def test_questions():
    assert (T + 1 - T).constant == 1
    assert ZERO.constant == 0
    assert T.constant is None
    assert (T + 1).constant is None
    assert T.symbol is SYMBOLS[1]
    assert (2 * T).symbol is None
    assert (T // 2).symbol is None
    assert (T // 2 + D).atoms >= {SYMBOLS[1], SYMBOLS[2]}
    assert Dim.of(True) == ONE
    assert T**0 == ONE
    assert Dim.of(SYMBOLS[1]) is Dim.of(SYMBOLS[1])


def test_numbers_of_any_size_are_sizes_or_opaque():
    assert Dim.of(-(2**100)).constant == -(2**100)
    for huge in (Dim.of(10**5000), Dim.of(-(10**5000)), Dim.of(3) ** 10**9, T**10**9, (T + 1) ** 10**9, T**-1):
        symbol = huge.symbol
        assert symbol is not None
        assert symbol.kind is Kind.OPAQUE
    assert ONE**10**9 == ONE
    assert ZERO**10**9 == ZERO
