"""Learned and sinusoidal positions: one contract, two ways to keep it."""

import math
import re

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from examples.embeddings import LearnedPositionalEmbedding, SinusoidalPositionalEmbedding
from examples.embeddings.frequencies import frequencies, wavelengths
from examples.embeddings.report import cosine_similarity, parameter_count
from examples.embeddings.sinusoidal import sinusoidal_table

KINDS = [LearnedPositionalEmbedding, SinusoidalPositionalEmbedding]


def ids(B: int, T: int) -> torch.Tensor:
    return torch.zeros(B, T, dtype=torch.long)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_from_0_whatever_the_batch_and_the_ids(kind):
    layer = kind(10, 6)
    whole = layer(ids(1, 10))
    assert whole.shape == (1, 10, 6)
    for B, T in [(1, 1), (3, 4), (5, 10)]:
        assert torch.equal(layer(ids(B, T)), whole[:, :T])
        assert torch.equal(layer(ids(B, T) + 7), whole[:, :T])


@pytest.mark.parametrize("kind", KINDS)
def test_too_long_a_sequence_is_refused_with_both_sizes(kind):
    layer = kind(10, 6)
    with pytest.raises(ValueError, match=re.escape("T = 11 tokens, but the table holds only L = 10 positions")):
        layer(ids(2, 11))


def test_learned_positions_are_parameters_and_only_rows_in_use_are_trained():
    layer = LearnedPositionalEmbedding(10, 6)
    assert parameter_count(layer) == 10 * 6
    layer(ids(3, 4)).sum().backward()
    assert torch.equal(layer.table.weight.grad, torch.ones(10, 6).index_fill(0, torch.arange(4, 10), 0))


def test_sinusoidal_positions_are_one_buffer_and_no_parameter():
    layer = SinusoidalPositionalEmbedding(10, 6)
    assert parameter_count(layer) == 0
    assert [name for name, _ in layer.named_buffers()] == ["table"]
    assert not layer.state_dict()
    assert layer(ids(2, 4)).untyped_storage().data_ptr() == layer.table.untyped_storage().data_ptr()


def test_sinusoidal_table_is_the_formula_of_the_paper():
    L, D = 300, 10
    table = sinusoidal_table(L, D)
    assert table.dtype is torch.float32
    for p in range(0, L, 7):
        for i in range(D):
            angle = p / 10_000 ** (2 * (i // 2) / D)
            assert table[p, i].item() == pytest.approx(math.cos(angle) if i % 2 else math.sin(angle), abs=1e-6)


@given(p=st.integers(0, 5000), k=st.integers(0, 5000), half=st.integers(1, 32))
def test_row_p_plus_k_is_row_p_turned_by_an_angle_of_k_alone(p, k, half):
    """[sin(a + b), cos(a + b)] = [[cos b, sin b], [-sin b, cos b]] [sin a, cos a], with b = k * frequency."""
    D = 2 * half
    table = sinusoidal_table(p + k + 1, D).double()
    rotation = torch.zeros(D, D, dtype=torch.float64)
    for j in range(half):
        b = k * 10_000 ** (-2 * j / D)
        rotation[2 * j : 2 * j + 2, 2 * j : 2 * j + 2] = torch.tensor(
            [[math.cos(b), math.sin(b)], [-math.sin(b), math.cos(b)]], dtype=torch.float64
        )
    assert torch.allclose(table[p + k], rotation @ table[p], atol=1e-6)


def test_similarity_depends_on_the_distance_alone():
    similarity = cosine_similarity(sinusoidal_table(50, 16))
    for k in range(50):
        diagonal = similarity.diagonal(offset=k)
        assert torch.allclose(diagonal, diagonal[0].expand_as(diagonal), atol=1e-5)


@pytest.mark.parametrize("D", [2, 32, 64, 512])
def test_wavelengths_are_geometric_from_two_pi(D):
    lengths = wavelengths(D)
    assert len(lengths) == D // 2
    assert lengths[0].item() == pytest.approx(2 * math.pi)
    ratios = lengths[1:] / lengths[:-1]
    assert torch.allclose(ratios, torch.full_like(ratios, 10_000 ** (2 / D)))
    assert lengths[-1].item() == pytest.approx(2 * math.pi * 10_000 ** (1 - 2 / D))


def test_a_pair_returns_after_one_wavelength():
    """With D = 4 the second pair has frequency 1 / sqrt(base): here it turns once in exactly 100 positions."""
    table = sinusoidal_table(101, 4, base=(100 / (2 * math.pi)) ** 2)
    assert torch.allclose(table[100, 2:], table[0, 2:], atol=1e-5)
    assert not torch.allclose(table[50, 2:], table[0, 2:], atol=1e-1)


@pytest.mark.parametrize("refuses_odd", [frequencies, lambda D: sinusoidal_table(4, D)])
def test_odd_number_of_features_is_refused(refuses_odd):
    with pytest.raises(ValueError, match="D = 7 is odd"):
        refuses_odd(7)
