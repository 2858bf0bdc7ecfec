import math

import pytest
import torch

from examples.embeddings import RotaryEmbedding

L, DH = 24, 8


def turned(vector: torch.Tensor) -> torch.Tensor:
    """The same vector at each of the L positions, each turned for its own: "L Dh"."""
    return RotaryEmbedding(L, DH)(vector.expand(1, 1, L, DH))[0, 0]


def test_score_depends_on_the_difference_of_positions_alone():
    torch.manual_seed(0)
    scores = turned(torch.randn(DH)) @ turned(torch.randn(DH)).T
    for difference in range(-L + 1, L):
        diagonal = scores.diagonal(offset=difference)
        assert torch.allclose(diagonal, diagonal[0].expand_as(diagonal), atol=1e-5)
    assert scores.diagonal(offset=3)[0].item() != pytest.approx(scores.diagonal(offset=-3)[0].item(), abs=1e-3)


def test_each_pair_is_a_complex_number_times_a_unit():
    """(a + ib) * exp(i * p * frequency), with feature j the real and j + Dh/2 the imaginary part."""
    torch.manual_seed(0)
    vector = torch.randn(DH)
    rows = turned(vector)
    for p in range(L):
        for j in range(DH // 2):
            angle = p * 10_000 ** (-2 * j / DH)
            expected = complex(vector[j], vector[j + DH // 2]) * complex(math.cos(angle), math.sin(angle))
            assert rows[p, j].item() == pytest.approx(expected.real, abs=1e-5)
            assert rows[p, j + DH // 2].item() == pytest.approx(expected.imag, abs=1e-5)


def test_position_zero_stays_and_lengths_are_kept():
    x = torch.randn(2, 3, 5, DH)
    y = RotaryEmbedding(L, DH)(x)
    assert y.shape == x.shape
    assert torch.equal(y[:, :, 0], x[:, :, 0])
    assert torch.allclose(y.norm(dim=-1), x.norm(dim=-1), atol=1e-5)


def test_no_parameters_and_nothing_in_checkpoints():
    layer = RotaryEmbedding(L, DH)
    assert not list(layer.parameters())
    assert not layer.state_dict()


def test_sizes_it_cannot_serve_are_refused():
    with pytest.raises(ValueError, match="D = 7 is odd"):
        RotaryEmbedding(L, 7)
    with pytest.raises(ValueError, match="T = 25 tokens, but the table holds only L = 24"):
        RotaryEmbedding(L, DH)(torch.zeros(1, 1, L + 1, DH))
