"""Attention, transformer layers and recurrent layers against torch."""

from __future__ import annotations

import pytest

from tests.oracle.harness import args, bad, case, check, module_case, n, t

Q, K, V = t("B H T D"), t("B H S D"), t("B H S E")
SDPA = "torch.nn.functional.scaled_dot_product_attention"
SEQUENCE = t("T B 2*D")
MEMORY = t("S B 2*D")
WIDTH = n("2*D")

CASES = [
    case(SDPA, Q, K, V),
    case(SDPA, t("T D"), t("S D"), t("S E")),
    case(SDPA, Q, K, K, is_causal=True),
    case(SDPA, Q, K, V, t("T S")),
    case(SDPA, Q, K, V, attn_mask=t("B 1 1 S", "bool")),
    case(SDPA, t("B 4 T D"), t("B 2 S D"), t("B 2 S D"), enable_gqa=True),
    bad(SDPA, Q, t("B H S E"), V),
    bad(SDPA, Q, K, t("B H T E")),
    bad(SDPA, Q, t("B T S D"), t("B T S E")),
    bad(SDPA, Q, K, V, t("S T")),
    bad(SDPA, t("D"), t("S D"), t("S E")),
    module_case("torch.nn.MultiheadAttention", args(WIDTH, 2), args(SEQUENCE, MEMORY, MEMORY)),
    module_case("torch.nn.MultiheadAttention", args(WIDTH, 1), args(t("T 2*D"), t("S 2*D"), t("S 2*D"))),
    module_case(
        "torch.nn.MultiheadAttention", args(WIDTH, 2, batch_first=True),
        args(t("B T 2*D"), t("B S 2*D"), t("B S 2*D"), average_attn_weights=False),
    ),
    module_case(
        "torch.nn.MultiheadAttention", args(WIDTH, 2, kdim=n("K"), vdim=n("V")),
        args(SEQUENCE, t("S B K"), t("S B V"), need_weights=False),
    ),
    module_case(
        "torch.nn.MultiheadAttention", args(WIDTH, 2, add_bias_kv=True, add_zero_attn=True),
        args(SEQUENCE, MEMORY, MEMORY),
    ),
    module_case("torch.nn.MultiheadAttention", args(7, 2), args(t("T B 7"), t("T B 7"), t("T B 7")), fails=True),
    module_case("torch.nn.MultiheadAttention", args(WIDTH, 1), args(t("T B D"), MEMORY, MEMORY), fails=True),
    module_case("torch.nn.MultiheadAttention", args(WIDTH, 1), args(SEQUENCE, t("S B D"), t("S B D")), fails=True),
    module_case("torch.nn.MultiheadAttention", args(WIDTH, 1), args(SEQUENCE, MEMORY, SEQUENCE), fails=True),
    module_case("torch.nn.MultiheadAttention", args(WIDTH, 1), args(SEQUENCE, t("S T 2*D"), t("S T 2*D")), fails=True),
    module_case("torch.nn.MultiheadAttention", args(WIDTH, 1), args(SEQUENCE, t("S 2*D"), t("S 2*D")), fails=True),
    module_case("torch.nn.TransformerEncoderLayer", args(WIDTH, 2, 8), args(SEQUENCE)),
    module_case("torch.nn.TransformerEncoderLayer", args(WIDTH, 1, 8), args(t("T B D")), fails=True),
    module_case("torch.nn.TransformerEncoderLayer", args(7, 2), args(t("T B 7")), fails=True),
    module_case("torch.nn.TransformerDecoderLayer", args(WIDTH, 2, 8), args(SEQUENCE, MEMORY)),
    module_case("torch.nn.TransformerDecoderLayer", args(WIDTH, 2, 8), args(SEQUENCE, t("S T 2*D")), fails=True),
    module_case("torch.nn.TransformerDecoderLayer", args(WIDTH, 2, 8), args(SEQUENCE, t("S 2*D")), fails=True),
    module_case("torch.nn.Transformer", args(WIDTH, 2, 1, 1, 8), args(MEMORY, SEQUENCE)),
    module_case("torch.nn.Transformer", args(WIDTH, 2, 1, 1, 8), args(MEMORY, t("T B D")), fails=True),
    case("torch.nn.Transformer.generate_square_subsequent_mask", n("T")),
    module_case("torch.nn.RNN", args(n("D"), n("H")), args(t("T B D"))),
    module_case("torch.nn.RNN", args(n("D"), n("H"), 2, batch_first=True), args(t("B T D"), t("2 B H"))),
    module_case("torch.nn.RNN", args(n("D"), n("H")), args(t("T D"))),
    module_case("torch.nn.RNN", args(n("D"), n("H")), args(t("T B H")), fails=True),
    module_case("torch.nn.RNN", args(n("D"), n("H")), args(t("T B D"), t("1 T H")), fails=True),
    module_case("torch.nn.RNN", args(n("D"), n("H")), args(t("D")), fails=True),
    module_case("torch.nn.GRU", args(n("D"), n("H"), bidirectional=True), args(t("T B D"))),
    module_case("torch.nn.GRU", args(n("D"), n("H"), num_layers=2), args(t("T B D"), t("2 B H"))),
    module_case("torch.nn.GRU", args(n("D"), n("H")), args(t("T B D"), t("B H")), fails=True),
    module_case("torch.nn.LSTM", args(n("D"), n("H"), 2, bidirectional=True), args(t("T B D"))),
    module_case("torch.nn.LSTM", args(n("D"), n("H"), batch_first=True), args(t("B T D"), (t("1 B H"), t("1 B H")))),
    module_case("torch.nn.LSTM", args(n("D"), n("H+1"), proj_size=n("H")), args(t("T B D"))),
    module_case(
        "torch.nn.LSTM", args(n("D"), n("H+1"), proj_size=n("H")), args(t("T B D"), (t("1 B H"), t("1 B H+1"))),
    ),
    module_case("torch.nn.LSTM", args(n("D"), n("H")), args(t("T B D"), (t("1 B H"), t("1 T H"))), fails=True),
    module_case("torch.nn.RNNCell", args(n("D"), n("H")), args(t("B D"))),
    module_case("torch.nn.RNNCell", args(n("D"), n("H")), args(t("D"), t("H"))),
    module_case("torch.nn.GRUCell", args(n("D"), n("H")), args(t("B D"), t("B H"))),
    module_case("torch.nn.RNNCell", args(n("D"), n("H")), args(t("B D"), t("D H")), fails=True),
    module_case("torch.nn.RNNCell", args(n("D"), n("H")), args(t("T B D")), fails=True),
    module_case("torch.nn.LSTMCell", args(n("D"), n("H")), args(t("B D"))),
    module_case("torch.nn.LSTMCell", args(n("D"), n("H")), args(t("B D"), (t("B H"), t("B H")))),
    module_case("torch.nn.LSTMCell", args(n("D"), n("H")), args(t("B H")), fails=True),
]


@pytest.mark.filterwarnings("ignore:enable_nested_tensor")
@pytest.mark.parametrize("checked", CASES, ids=str)
def test_agrees_with_torch(checked):
    check(checked)
