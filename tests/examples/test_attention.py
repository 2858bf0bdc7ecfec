import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from examples.attention import SelfAttention, TransformerBlock
from examples.embeddings import AlibiBias, RotaryEmbedding

B, T, D, H = 2, 5, 12, 3


def test_equals_scaled_dot_product_attention():
    torch.manual_seed(0)
    layer = SelfAttention(D, H)
    x = torch.randn(B, T, D)
    q, k, v = (layer.split_heads(project(x)) for project in (layer.query, layer.key, layer.value))
    expected = layer.output(layer.merge_heads(scaled_dot_product_attention(q, k, v, is_causal=True)))
    assert torch.allclose(layer(x), expected, atol=1e-6)


def test_each_head_holds_neighbouring_features_and_merging_undoes_splitting():
    layer = SelfAttention(D, H)
    x = torch.randn(B, T, D)
    heads = layer.split_heads(x)
    assert heads.shape == (B, H, T, D // H)
    for h in range(H):
        assert torch.equal(heads[:, h], x[:, :, h * 4 : (h + 1) * 4])
    assert torch.equal(layer.merge_heads(heads), x)


@pytest.mark.parametrize(
    "companions", [{}, {"rotary": RotaryEmbedding(T, D // H)}, {"alibi": AlibiBias(H)}], ids=["none", "rotary", "alibi"]
)
def test_looks_back_only_and_keeps_samples_apart(companions):
    layer = TransformerBlock(D, H, **companions)
    x = torch.randn(B, T, D, requires_grad=True)
    layer(x)[1, 2].sum().backward()
    reached = x.grad.abs().sum(dim=-1) > 0
    assert reached.tolist() == [[False] * T, [True, True, True, False, False]]


def test_rotary_companion_makes_the_order_of_tokens_matter():
    """Without it, the last token gathers the same from any order of the tokens before it."""
    torch.manual_seed(0)
    x = torch.randn(1, T, D)
    reordered = x[:, [2, 0, 3, 1, 4]]
    plain = SelfAttention(D, H)
    assert torch.allclose(plain(x)[:, -1], plain(reordered)[:, -1], atol=1e-6)
    for companions in ({"rotary": RotaryEmbedding(T, D // H)}, {"alibi": AlibiBias(H)}):
        layer = SelfAttention(D, H, **companions)
        assert not torch.allclose(layer(x)[:, -1], layer(reordered)[:, -1], atol=1e-4)


def test_heads_must_divide_the_features():
    with pytest.raises(ValueError, match="d_model = 12 is not a multiple of n_heads = 5"):
        SelfAttention(12, 5)
