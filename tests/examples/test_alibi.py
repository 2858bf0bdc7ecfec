import pytest
import torch

from examples.embeddings import AlibiBias
from examples.embeddings.alibi import alibi_slopes


def test_eight_heads_have_the_slopes_of_the_paper():
    assert alibi_slopes(8).tolist() == [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]


@pytest.mark.parametrize("H", [1, 2, 6, 16])
def test_slopes_are_geometric_and_end_at_1_256(H):
    slopes = alibi_slopes(H).tolist()
    assert slopes == pytest.approx([2 ** (-8 * i / H) for i in range(1, H + 1)])
    assert slopes[-1] == 1 / 256


def test_bias_is_slope_times_distance():
    H, T = 4, 5
    bias = AlibiBias(H)(torch.zeros(2, H, T, T))
    for h in range(H):
        for q in range(T):
            for k in range(T):
                expected = -(2 ** (-8 * (h + 1) / H)) * abs(q - k)
                assert bias[0, h, q, k].item() == pytest.approx(expected)
    assert torch.equal(bias[0], bias[1])


def test_fewer_queries_than_keys_are_the_last_ones():
    scores = torch.randn(2, 4, 7, 7)
    layer = AlibiBias(4)
    assert torch.equal(layer(scores[:, :, -3:]), layer(scores)[:, :, -3:])


def test_no_parameters():
    assert not list(AlibiBias(4).parameters())
