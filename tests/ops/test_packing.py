"""Packed sequences through recurrent layers, against torch."""

from __future__ import annotations

import itertools

import pytest
import torch
from torch import nn
from torch.nn.utils import rnn

from shapecheck import ops
from shapecheck.dims import Dim
from shapecheck.shapes import Constant, Mismatch, Sequence, Shape, Tensor, Unknown
from shapecheck.static import check_source
from tests.mdtest.blocks import PRELUDE

ops.load_all()

PACK, PAD = "torch.nn.utils.rnn.pack_padded_sequence", "torch.nn.utils.rnn.pad_packed_sequence"


def abstract(*sizes):
    return Tensor(Shape.of(*sizes), "float")


def agrees(found, real):
    """Compare, at all levels; a data-dependent size is no other."""
    if isinstance(real, tuple) and not isinstance(real, rnn.PackedSequence):
        assert isinstance(found, Sequence)
        assert len(found.items) == len(real)
        for mine, its in zip(found.items, real, strict=True):
            agrees(mine, its)
        return
    if isinstance(real, rnn.PackedSequence):
        agrees(found.items[0], real.data)
        agrees(found.items[1], real.batch_sizes)
        return
    assert isinstance(found, Tensor), found
    assert len(found.shape) == real.dim()
    for axis, size in zip(found.shape, real.shape, strict=True):
        assert axis.size.constant in {size, None}


@pytest.mark.parametrize("layer", ["RNN", "GRU", "LSTM"])
def test_layers_take_what_is_packed(layer):
    for first, both, total in itertools.product((False, True), (False, True), (None, 9)):
        real = getattr(nn, layer)(5, 6, num_layers=2, batch_first=first, bidirectional=both)
        flags = {"batch_first": Constant(first)}
        made = ops.construct(
            ops.find_module(f"torch.nn.{layer}"), [Dim.of(5), Dim.of(6), Dim.of(2)],
            {**flags, "bidirectional": Constant(both)},
        )  # fmt: skip
        x = torch.rand((3, 7, 5) if first else (7, 3, 5))
        lengths = torch.tensor([7, 4, 2])
        packed = rnn.pack_padded_sequence(x, lengths, batch_first=first)
        mine = ops.find_operation(PACK)([abstract(*x.shape), abstract(3)], flags)
        agrees(mine, packed)
        result, found = real(packed), ops.forward(made, [mine], {})
        agrees(found, result)
        more = {} if total is None else {"total_length": Dim.of(total)}
        padded = ops.find_operation(PAD)([found.items[0]], {**flags, **more})
        agrees(padded, rnn.pad_packed_sequence(result[0], batch_first=first, total_length=total))


def test_other_lengths_than_sequences_are_refused():
    pack = ops.find_operation(PACK)
    assert isinstance(pack([abstract(7, 3, 5), abstract(4)], {}), Mismatch)
    assert isinstance(pack([abstract(7), abstract(7)], {}), Mismatch)
    with pytest.raises((RuntimeError, ValueError)):
        rnn.pack_padded_sequence(torch.rand(7, 3, 5), torch.tensor([7, 4, 2, 1]))
    assert isinstance(ops.find_operation(PAD)([Unknown("x")], {}), Unknown)
    linear = ops.construct(ops.find_module("torch.nn.Linear"), [Dim.of(5), Dim.of(6)], {})
    assert isinstance(ops.forward(linear, [pack([abstract(7, 3, 5), abstract(3)], {})], {}), Unknown)


def findings(body):
    report = check_source(f"from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence\n{PRELUDE}{body}")
    assert not report.internal, report.internal[0].traceback
    return [(finding.code, finding.message) for finding in report.diagnostics]


TAGGER = """
class Tagger(nn.Module):
    def __init__(self, d: int, hidden: int, tags: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(d, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(WIDTH, tags)

    def forward(self, x: Float[Tensor, "b t d"], lengths: Int[Tensor, "b"]) -> Float[Tensor, "b t tags"]:
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        y, (h, c) = self.lstm(packed)
        reveal_shape(h)
        y, _ = pad_packed_sequence(y, batch_first=True, total_length=x.shape[1])
        reveal_shape(y)
        return self.out(y)
"""


def test_in_code():
    assert findings(TAGGER.replace("WIDTH", "2 * hidden")) == [("SC000", "2 b hidden"), ("SC000", "b t 2*hidden")]
    assert [code for code, _ in findings(TAGGER.replace("WIDTH", "hidden"))] == ["SC000", "SC000", "SC203"]


def test_members_of_enumerations_are_keys():
    found = findings(
        "import enum\nclass Head(enum.Enum):\n    RGB = enum.auto()\n    DEPTH = enum.auto()\n"
        'def f(x: Float[Tensor, "n c"], y: Float[Tensor, "n"]) -> Float[Tensor, "n"]:\n'
        "    made = {Head.RGB: x, Head.DEPTH: y}\n    reveal_shape(made[Head.RGB])\n    return made[Head.DEPTH]\n"
        'def g(x: Float[Tensor, "n c"], y: Float[Tensor, "n"]) -> Float[Tensor, "n"]:\n'
        "    made = {Head.RGB: x, Head.DEPTH: y}\n    return made[Head.RGB]\n"
    )
    assert [code for code, _ in found] == ["SC000", "SC201"]
    assert found[0][1] == "n c"
