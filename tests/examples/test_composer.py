import pytest
import torch

from examples.embeddings import EmbeddingComposer
from examples.embeddings.report import parameter_count

V, L, D = 11, 8, 6
IDS = torch.tensor([[3, 1, 3], [7, 7, 0]])


@pytest.mark.parametrize("position", ["learned", "sinusoidal"])
def test_token_plus_position_for_every_sample(position):
    layer = EmbeddingComposer(V, L, D, position)
    x = layer(IDS)
    assert x.shape == (2, 3, D)
    positions = layer.position(IDS)
    for sample in range(2):
        for place in range(3):
            expected = layer.token.table.weight[IDS[sample, place]] + positions[0, place]
            assert torch.equal(x[sample, place], expected)


def test_learned_positions_add_their_table_to_the_parameters():
    learned = parameter_count(EmbeddingComposer(V, L, D, "learned"))
    sinusoidal = parameter_count(EmbeddingComposer(V, L, D, "sinusoidal"))
    assert sinusoidal == V * D
    assert learned == sinusoidal + L * D


@pytest.mark.parametrize("position", ["learned", "sinusoidal"])
def test_too_long_a_sequence_is_refused(position):
    layer = EmbeddingComposer(V, L, D, position)
    with pytest.raises(ValueError, match="T = 9 tokens, but the table holds only L = 8"):
        layer(torch.zeros(1, 9, dtype=torch.long))


def test_unknown_kind_of_position_is_refused():
    with pytest.raises((TypeError, ValueError), match="position"):
        EmbeddingComposer(V, L, D, "absolute")
