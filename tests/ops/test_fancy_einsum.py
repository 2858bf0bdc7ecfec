"""``fancy_einsum`` against torch's einsum on the same axes."""

from __future__ import annotations

import pytest

from shapecheck import ops
from shapecheck.dims import Symbol
from shapecheck.shapes import Constant, Context, Fault, Mismatch, Shape, Tensor, Unknown, use

B, Q, K, D = (Symbol(name) for name in "BQKD")
QUERY, KEY = Tensor(Shape.of(B, Q, D), "float"), Tensor(Shape.of(B, K, D), "float")


def run(equation, *operands):
    previous = use(Context())
    try:
        return ops.find_operation("fancy_einsum.einsum")([Constant(equation), *operands], {})
    finally:
        use(previous)


@pytest.mark.parametrize("equation", ["batch query d, batch key d -> batch query key", "bqd,bkd->bqk"])
def test_words_and_letters_give_what_torch_gives(equation):
    expected = ops.find_operation("torch.einsum")([Constant("bqd,bkd->bqk"), QUERY, KEY], {})
    assert run(equation, QUERY, KEY).shape == expected.shape


def test_a_word_with_two_sizes_is_a_fault():
    result = run("batch d query, batch key d -> batch query key", QUERY, KEY)
    assert isinstance(result, Mismatch)
    assert result.kind is Fault.PATTERN_SIZE


def test_an_equation_that_is_not_known_is_not_known():
    assert isinstance(run("batch , batch", QUERY, KEY), Unknown)
    assert isinstance(run(None, QUERY), Unknown)
