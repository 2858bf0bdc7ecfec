"""Sizes that would grow beyond bounds become unknown instead of slow."""

import time
from itertools import pairwise

import pytest

from shapecheck.dims import Dim, Kind, No, Scope, Symbol, Unknown, maximum, minimum

NAMES = [Dim.of(Symbol(f"n{index}")) for index in range(40)]
a, b, c = NAMES[:3]


def is_unknown(dim):
    return any(isinstance(atom, Symbol) and atom.kind is Kind.OPAQUE for atom in dim.atoms)


@pytest.fixture(autouse=True)
def quickly():
    start = time.process_time()
    yield
    assert time.process_time() - start < 5


def test_a_product_of_many_sums():
    product = Dim.of(1)
    for index, name in enumerate(NAMES):
        product *= name + index + 1
    assert is_unknown(product)
    assert isinstance(Scope().decide(product, a), Unknown)


def test_a_sum_of_many_names():
    total = Dim.of(0)
    for index in range(3000):
        total += Dim.of(Symbol(f"s{index}"))
    assert Unknown is type(Scope().decide(total, a))


def test_powers():
    assert is_unknown(a**1_000_000)
    assert is_unknown((a + b + c) ** 60)
    assert is_unknown(Dim.of(10) ** 10_000_000)
    squared = a + 1
    for _ in range(200):
        squared *= squared
    assert is_unknown(squared)


def test_doubling_and_shifting():
    number = Dim.of(2)
    for _ in range(5000):
        number *= 3
    assert is_unknown(number)


def test_deep_nesting_of_calls():
    for function in (minimum, maximum):
        deep = a
        for index in range(3000):
            deep = function(deep + 1, b * index) + c
        assert isinstance(Scope().decide(deep, a), Unknown)
        assert len(str(deep)) < 20_000
    halved = a
    for _ in range(3000):
        halved = (halved * b + 1) // c
    assert isinstance(Scope().decide(halved, a), Unknown)


def test_calls_that_double():
    doubled = a
    for index in range(100):
        doubled = minimum(doubled * 2 + b, doubled * 3 + index)
    assert isinstance(Scope().decide(doubled, a), Unknown)


def test_a_chain_of_strided_layers_stays_one_division():
    length = a
    for _ in range(5):
        length = (length + 2 * 1 - 3) // 2 + 1
    assert length == (a + 31) // 32


def test_quotients_of_sums():
    product = Dim.of(1)
    for index in range(12):
        product *= (sum(NAMES[:20], Dim.of(0)) + index) // 2
    assert Scope().decide(product, product + 1) == No(product, product + 1)
    Scope().decide(product, NAMES[30])
    chain = NAMES[0]
    for name in NAMES[1:]:
        chain = (name + 1) // (chain + 1)
    Scope().decide(chain, NAMES[20])


def test_many_extrema_are_left_undecided():
    total = sum((minimum(NAMES[i], NAMES[i + 1]) for i in range(20)), Dim.of(0))
    assert isinstance(Scope().decide(total, a), Unknown)


def test_many_solutions():
    scope = Scope()
    parameters = [Dim.of(Symbol(f"p{index}", Kind.FLEXIBLE)) for index in range(400)]
    for left, right in pairwise(parameters):
        scope.require(left, right + 1)
    assert len(scope.solutions) == 399


def test_substitution_stays_bounded():
    scope = Scope()
    parameters = [Dim.of(Symbol(f"p{index}", Kind.FLEXIBLE)) for index in range(30)]
    product = Dim.of(1)
    for parameter in parameters:
        product *= parameter
    for index, parameter in enumerate(parameters):
        scope.assume(parameter, a + b + index)
    assert is_unknown(scope.normal(product))
