import pytest
import torch

from examples.embeddings import TokenEmbedding

V, D = 11, 6
IDS = torch.tensor([[3, 1, 3], [7, 7, 0]])
USED = torch.zeros(V, dtype=torch.bool).index_fill(0, IDS.flatten(), value=True)


def test_an_id_picks_its_row():
    layer = TokenEmbedding(V, D)
    rows = layer(IDS)
    assert rows.shape == (2, 3, D)
    for sample in range(2):
        for place in range(3):
            assert torch.equal(rows[sample, place], layer.table.weight[IDS[sample, place]])


def test_rows_are_drawn_with_standard_deviation_0_02():
    torch.manual_seed(0)
    weight = TokenEmbedding(1000, 64).table.weight
    # 64,000 draws: the standard errors are 0.02 / sqrt(64000) and 0.02 / sqrt(2 * 64000).
    assert weight.mean().item() == pytest.approx(0, abs=5 * 0.02 / 64_000**0.5)
    assert weight.std().item() == pytest.approx(0.02, abs=5 * 0.02 / 128_000**0.5)


def test_only_used_rows_receive_a_gradient():
    layer = TokenEmbedding(V, D)
    layer(IDS).square().sum().backward()
    touched = layer.table.weight.grad.abs().sum(dim=1) > 0
    assert torch.equal(touched, USED)


def test_a_row_used_n_times_receives_n_gradients():
    layer = TokenEmbedding(V, D)
    layer(IDS).sum().backward()
    assert torch.equal(layer.table.weight.grad[:, 0], torch.bincount(IDS.flatten(), minlength=V).float())


def test_every_row_receives_a_gradient_when_tied_to_the_output_head():
    layer = TokenEmbedding(V, D)
    logits = layer.logits(layer(IDS))
    assert logits.shape == (2, 3, V)
    logits.logsumexp(dim=-1).sum().backward()
    assert (layer.table.weight.grad.abs().sum(dim=1) > 0).all()


def test_tying_adds_no_parameter_and_scores_by_dot_product():
    layer = TokenEmbedding(V, D)
    assert [name for name, _ in layer.named_parameters()] == ["table.weight"]
    x = torch.randn(2, 3, D)
    expected = torch.stack([(x * row).sum(dim=-1) for row in layer.table.weight], dim=-1)
    assert torch.allclose(layer.logits(x), expected, atol=1e-6)
