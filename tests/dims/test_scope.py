"""Solving: the first requirement determines a size, the second one is checked against it."""

import pytest
from hypothesis import given

from shapecheck.dims import YES, Dim, Kind, No, Scope, Solution, Symbol, Unknown, minimum
from tests.dims.expressions import FLEXIBLE, SYMBOLS, expressions

B, T, D, H = (Dim.of(symbol) for symbol in SYMBOLS)
p, q = (Dim.of(symbol) for symbol in FLEXIBLE)
P, Q = FLEXIBLE


@pytest.fixture
def scope():
    return Scope()


@given(expressions((*SYMBOLS, *FLEXIBLE)), expressions((*SYMBOLS, *FLEXIBLE)))
def test_after_a_requirement_that_holds_both_sides_are_equal(x, y):
    scope = Scope()
    if scope.require(x.dim(), y.dim()) is YES:
        assert scope.equal(x.dim(), y.dim())


@given(*[expressions((*SYMBOLS, *FLEXIBLE), kinds=("+", "-", "*", "//"), most=4)] * 4)
def test_no_value_contains_a_solved_symbol(a, b, c, d):
    scope = Scope()
    for one, other in ((a, b), (c, d), (a, d)):
        scope.require(one.dim(), other.dim())
        for solution in scope.solutions:
            value = scope.normal(Dim.of(solution.symbol))
            assert scope.normal(value) == value
            assert not any(scope.solution(atom) for atom in value.atoms if isinstance(atom, Symbol))


def test_the_first_requirement_solves_and_the_second_is_checked(scope):
    assert scope.require(p, D, "query") is YES
    assert scope.solution(P) == Solution(P, D, "query", narrowed=False)
    assert scope.require(D, p, "key") is YES
    verdict = scope.require(p, T, "value")
    assert isinstance(verdict, No)
    assert (verdict.left, verdict.right) == (D, T)
    assert scope.solution(P).place == "query"


def test_an_equation_of_several_unknowns_is_kept(scope):
    k = Symbol("K", Kind.FLEXIBLE)
    assert scope.require(D, p * Dim.of(k), "split") is YES
    assert scope.normal(Dim.of(k)) == D // p
    assert scope.equal(p * Dim.of(k) * T, T * D)
    assert scope.require(p, Dim.of(8)) is YES
    assert scope.normal(Dim.of(k)) == D // 8


def test_twice_a_parameter_is_an_axis(scope):
    assert scope.require(2 * p, D) is YES
    assert scope.equal(2 * p, D)
    assert isinstance(scope.require(p, D), No)
    assert isinstance(scope.require(2 * p, T), No)


def test_what_no_size_can_be_is_no(scope):
    assert isinstance(scope.require(2 * p, Dim.of(7)), No)
    assert isinstance(scope.require(p, 2 * p), No)
    assert isinstance(scope.require(Dim.of(3), Dim.of(5)), No)


def test_an_extra_extent_that_would_have_to_be_zero(scope):
    # An unknown attribute may be 0, an argument stands for sizes in general.
    assert isinstance(scope.require(T + p, T), Unknown)
    (offset,) = signature("offset")
    assert isinstance(scope.require(T + Dim.of(offset), T), No)
    none = Symbol("pad", Kind.FLEXIBLE, owner=object(), default=0)
    assert isinstance(scope.require(T + Dim.of(none), T), Unknown)
    assert scope.solutions == ()


def test_a_divisor_that_becomes_zero_is_unknown(scope):
    scope.assume(p, Dim.of(0))
    assert isinstance(scope.decide(D // p, D), Unknown)


def test_a_negative_parameter_is_no_proof(scope):
    assert isinstance(scope.require(T + p, T - 1), Unknown)
    assert scope.solutions == ()


def test_a_data_dependent_size_solves_nothing(scope):
    found = Dim.of(Symbol("nonzero", Kind.OPAQUE))
    assert isinstance(scope.require(p, found), Unknown)
    assert scope.solutions == ()
    assert scope.require(found * p, found * D) is YES
    assert scope.normal(p) == D


def test_an_axis_name_is_narrowed_to_a_number_once(scope):
    assert scope.require(D, Dim.of(512), "linear") is YES
    assert scope.solution(SYMBOLS[2]) == Solution(SYMBOLS[2], Dim.of(512), "linear", narrowed=True)
    verdict = scope.require(D, Dim.of(256), "second")
    assert isinstance(verdict, No)
    assert isinstance(scope.require(D, T), YES.__class__)
    assert scope.normal(T).constant == 512


def test_a_declaration_narrows_nothing(scope):
    assert isinstance(scope.require(D, Dim.of(512), narrow=False), No)
    assert scope.solutions == ()


def test_a_name_is_never_narrowed_below_one(scope):
    assert isinstance(scope.require(D, Dim.of(0)), No)
    assert isinstance(scope.require(D + 1, Dim.of(1)), No)


def test_a_name_is_narrowed_to_one_where_that_is_written_but_not_to_leave_it_out(scope):
    assert isinstance(scope.require(T * D, T), No)
    assert isinstance(scope.require(784 * B, Dim.of(784)), No)
    assert isinstance(scope.require(D, Dim.of(1)), No)
    assert isinstance(scope.require(T * D, T, to_one=True), No)
    assert scope.require(D, Dim.of(1), to_one=True) is YES
    assert scope.normal(D).constant == 1


def test_a_sum_or_multiple_is_narrowed_through_its_name(scope):
    assert scope.require(2 * D, Dim.of(8)) is YES
    assert scope.require(B * (T - 1), B * 9) is YES
    assert (scope.normal(D).constant, scope.normal(T).constant) == (4, 10)
    assert isinstance(scope.require(2 * H, Dim.of(7)), No)


def test_several_names_may_make_up_a_number(scope):
    # Flattened features against the width of a layer: "b c h w" into Linear(400, ...).
    assert isinstance(scope.require(D * H * T, Dim.of(400)), Unknown)
    assert isinstance(scope.require(B * D * (T // 4), B * 400), Unknown)
    assert isinstance(scope.require(T // 2, Dim.of(8)), Unknown)
    assert scope.solutions == ()


def test_a_name_may_be_made_of_others_where_the_code_needs_it(scope):
    # "bt d" viewed as b, t, d with b and t from another tensor; "edges" next to "samples" of one less.
    assert scope.require(H * D, B * T * D, "view") is YES
    assert scope.solution(SYMBOLS[3]) == Solution(SYMBOLS[3], B * T, "view", narrowed=True)
    assert scope.require(B, T - 1) is YES
    assert isinstance(scope.require(B, D + 1), Unknown)
    assert isinstance(scope.require(T - 1, T), No)


def test_two_plain_names_or_a_declaration_are_never_made_of_each_other(scope):
    assert isinstance(scope.require(B * T * D, B * T * H), No)
    assert isinstance(scope.require(H, B * T, narrow=False), No)
    assert isinstance(scope.require(T * D, T * T), No)
    assert isinstance(scope.require(T + D, T), No)
    assert isinstance(scope.require(D // H, D), No)
    assert scope.solutions == ()
    assert scope.require(D // H, T) is YES


def test_two_products_of_as_many_names_are_as_different_as_two_names(scope):
    assert isinstance(scope.require(B * T, D * H), No)
    assert isinstance(scope.require(B * T * D, B * D * H), No)
    scope.assume(B * T, D * H)
    assert scope.require(B * T, D * H) is YES


def test_a_product_of_which_each_name_may_be_a_product_is_no_proof(scope):
    w, p, q = (Dim.of(Symbol(name, Kind.RIGID)) for name in ("w", "p", "q"))
    assert isinstance(scope.require(B * T, D * H * w * p), Unknown)
    assert isinstance(scope.require(B * T, D * H * w), No)
    assert isinstance(scope.require(B * T, 2 * D * H), Unknown)
    assert isinstance(scope.require(p * q, w * w), No)


def test_products_that_the_same_letters_spell_are_no_proof(scope):
    bh, t, b, ht = (Dim.of(Symbol(name, Kind.RIGID)) for name in ("bh", "t", "b", "ht"))
    assert isinstance(scope.require(bh * t, b * ht), Unknown)


def signature(*names):
    owner = object()
    return [Symbol(name, Kind.FLEXIBLE, owner=owner) for name in names]


def test_two_parameters_are_not_one_axis(scope):
    width, depth = map(Dim.of, signature("width", "depth"))
    assert scope.require(width, D, "first") is YES
    verdict = scope.require(depth, D, "second")
    assert isinstance(verdict, No)
    assert verdict.because == "parameters"


def test_two_parameters_are_not_one_parameter_of_somebody_else(scope):
    width, depth = map(Dim.of, signature("width", "depth"))
    other = Dim.of(Symbol("other", Kind.FLEXIBLE))
    assert scope.require(width, other) is YES
    assert isinstance(scope.require(other, depth), No)


def test_an_axis_that_is_one_parameter_differs_from_another(scope):
    width, depth = map(Dim.of, signature("width", "depth"))
    scope.require(width, D)
    for left, right in ((D, depth), (depth, D), (B * T * D, depth * T * B)):
        verdict = scope.decide(left, right)
        assert isinstance(verdict, No)
        assert verdict.because == "parameters"
    assert isinstance(scope.decide(T, depth), Unknown)


def test_a_parameter_is_not_solved_to_another_one(scope):
    width, depth = map(Dim.of, signature("width", "depth"))
    assert isinstance(scope.require(width + T, depth + T), No)
    assert isinstance(scope.require(width * 2 + depth, width * 3), No)


def test_a_parameter_that_must_be_one_is_a_factor_or_divisor_too_many(scope):
    rate, other = map(Dim.of, signature("rate", "other"))
    for size in (D * rate, D * rate * rate, D // rate, D * rate // (rate * rate), D // (rate * other)):
        assert isinstance(scope.require(size, D), No), size
        assert scope.solutions == ()
    assert isinstance(scope.require((T - 1) // rate + 1, T), Unknown)
    assert scope.require(rate, Dim.of(1)) is YES


def test_a_parameter_that_is_one_by_default_may_be_one(scope):
    rate = Dim.of(Symbol("rate", Kind.FLEXIBLE, owner=object(), default=1))
    assert scope.require(D // rate, D) is YES


def test_heads_are_not_features_of_a_head(scope):
    width, heads = map(Dim.of, signature("width", "heads"))
    assert isinstance(scope.decide(width // heads, heads), No)
    assert isinstance(scope.decide(B * heads, B * (D // heads)), No)
    # A number may be a square, and an attribute of which nothing is known may be anything.
    assert isinstance(scope.decide(Dim.of(64) // heads, heads), Unknown)
    assert isinstance(scope.decide(D // p, p), Unknown)


def test_a_quotient_of_quotients_is_solved_exactly(scope):
    width, heads, groups = map(Dim.of, signature("width", "heads", "groups"))
    assert isinstance(scope.require(width // 3, groups * (width // (3 * heads))), No)
    assert scope.require(width // 3, p * (width // (3 * heads))) is YES
    assert scope.equal(p, heads)


def test_a_split_width_is_the_axis_that_was_split(scope):
    width, heads = map(Dim.of, signature("width", "heads"))
    assert scope.require(B * T * D, B * T * heads * (width // heads), "view") is YES
    assert scope.normal(width) == D


def test_rounding_stays_where_it_is_written(scope):
    assert scope.require(p, T // 2 + T // 3) is YES
    assert scope.normal(p) == T // 2 + T // 3


def test_a_parameter_that_is_an_axis_name_differs_from_other_axes(scope):
    heads, features = signature("H", "Dh")
    scope.name(heads)
    for other in (T, D):
        verdict = scope.require(Dim.of(heads), other)
        assert isinstance(verdict, No)
        assert verdict.because == "names"
    assert isinstance(scope.decide(T, Dim.of(heads)), No)
    # In a product it is an unknown like any other.
    assert scope.require(D, Dim.of(heads) * Dim.of(features)) is YES
    assert scope.normal(Dim.of(features)) == D // Dim.of(heads)
    other = Symbol("N", Kind.FLEXIBLE)
    scope.name(other)
    assert isinstance(scope.decide(Dim.of(other), Dim.of(heads)), No)
    branch = scope.fork()
    scope.meet([branch, Scope()])
    assert isinstance(branch.decide(Dim.of(heads), T), No)
    assert isinstance(scope.decide(Dim.of(heads), T), Unknown)


def test_what_a_slice_leaves_is_not_empty(scope):
    width, rotated = map(Dim.of, signature("width", "rotated"))
    scope.suppose_positive(width - rotated)
    branch = scope.fork()
    assert isinstance(branch.require(width, rotated), No)
    other = Dim.of(Symbol("angles", Kind.FLEXIBLE))
    scope.suppose_positive(D - other)
    assert isinstance(scope.require(other, D), No)
    assert branch.require(other, D) is YES
    scope.meet([scope.fork(), branch])
    assert scope.require(other, D) is YES


def test_two_parameters_may_be_one_number(scope):
    width, depth = map(Dim.of, signature("width", "depth"))
    assert scope.require(width, Dim.of(8)) is YES
    assert scope.require(depth, Dim.of(8)) is YES


def test_a_tied_parameter_keeps_the_other_from_its_axis(scope):
    width, depth = signature("D", "depth")
    scope.tie(width, D, "signature")
    assert scope.require(Dim.of(width), D) is YES
    assert isinstance(scope.require(Dim.of(depth), D), No)
    scope.tie(width, T)
    assert scope.normal(Dim.of(width)) == D


def test_facts(scope):
    scope.assume(T, D, "assert")
    assert scope.equal(T, D)
    scope.assume(D * H, B * p)
    assert scope.equal(T * H, B * p)
    scope.assume(Dim.of(3), Dim.of(4))
    scope.assume(minimum(T, H), H)


def test_a_fact_fixes_a_data_dependent_size(scope):
    found = Dim.of(Symbol("nonzero", Kind.OPAQUE))
    scope.assume(found, Dim.of(4))
    assert scope.equal(found, Dim.of(4))
    assert scope.differ(found, Dim.of(5))


def test_a_branch_leaves_the_other_alone(scope):
    branch = scope.fork()
    branch.require(p, D)
    assert scope.solutions == ()
    assert branch.equal(p, D)


def test_only_what_all_branches_know_is_known_after_them(scope):
    scope.require(q, T)
    one, other = scope.fork(), scope.fork()
    one.require(p, D)
    other.require(p, D)
    one.assume(B, Dim.of(2))
    other.assume(B, Dim.of(3))
    scope.meet([one, other])
    assert scope.equal(p, D)
    assert scope.equal(q, T)
    assert isinstance(scope.decide(B, Dim.of(2)), No)


def test_what_was_known_before_survives_what_one_branch_adds(scope):
    scope.require(p, 2 * q)
    one, other = scope.fork(), scope.fork()
    one.require(q, Dim.of(3))
    assert one.normal(p).constant == 6
    scope.meet([one, other])
    assert scope.equal(p, 2 * q)
    assert isinstance(scope.decide(q, Dim.of(3)), Unknown)


def test_the_only_branch_that_goes_on_is_adopted(scope):
    branch = scope.fork()
    branch.require(p, D)
    scope.meet([branch])
    assert scope.equal(p, D)
    scope.meet([])
    assert scope.equal(p, D)


def test_a_doubt_leaves_two_sizes_open_and_only_these():
    one, other, third = (Dim.of(Symbol(name)) for name in "abc")
    scope = Scope()
    assert isinstance(scope.decide(one, other), No)
    branch = scope.fork()
    branch.doubt(one, other)
    assert isinstance(branch.decide(other, one), Unknown)
    assert isinstance(branch.decide(one, third), No)
    assert isinstance(scope.decide(one, other), No)
    scope.meet([branch, scope.fork()])
    assert isinstance(scope.decide(one, other), Unknown)


def test_a_name_is_not_narrowed_to_a_number_written_beside_it(scope):
    (symbol,) = B.atoms
    scope.write_beside(symbol, 3)
    branch = scope.fork()
    assert isinstance(branch.require(B, Dim.of(3)), No)
    assert isinstance(branch.require(2 * B, Dim.of(6)), No)
    assert branch.require(T, Dim.of(3)) is YES
    assert branch.require(B, Dim.of(4)) is YES
    joined = Scope()
    joined.meet([scope.fork(), scope.fork()])
    assert isinstance(joined.require(B, Dim.of(3)), No)
    joined.meet([scope, Scope()])
    assert joined.require(B, Dim.of(3)) is YES
