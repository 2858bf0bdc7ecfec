"""Following factors where sizes are not known to agree: shapes derived by hand, elements told apart by torch."""

import torch

from shapecheck.dims import ONE, Dim, Kind, Symbol
from shapecheck.shapes import Axis, Context, Fault, Part, Shape, part, reshape, use
from shapecheck.shapes.alignment import align

NAMES = {name: Symbol(name) for name in "BNWC"}
B, N, W, C = (Dim.of(NAMES[name]) for name in "BNWC")
G = Dim.of(Symbol("g", Kind.OPAQUE))


def factors_of(*sizes):
    return [(factor, factor.size) for axis in Shape.of(*sizes) for factor in axis.factors]


def sizes_of(groups):
    return [[factor.size for factor in group] for group in groups]


def test_one_factor_left_is_split_into_what_is_left():
    pieces = factors_of(B, N, C)
    groups = align(pieces, [B, G, G, C], part)
    assert sizes_of(groups) == [[B], [G], [G], [C]]
    outer, inner = groups[1][0].ident, groups[2][0].ident
    assert isinstance(outer, Part)
    assert (outer.whole, outer.outer) == (pieces[1][0], ONE)
    assert (inner.whole, inner.outer) == (pieces[1][0], G)


def test_a_run_of_equal_sizes_separates_what_is_left_on_either_side():
    groups = align(factors_of(N, W, W, C), [B, G, W, W, Dim.of(Symbol("-1", Kind.FLEXIBLE))], part)
    assert [group[0].ident.whole.size for group in groups[:2]] == [N, N]
    assert sizes_of(groups[2:4]) == [[W], [W]]
    assert groups[4][0].ident.whole.size == C


def test_nothing_is_followed_where_several_runs_are_possible():
    assert align(factors_of(N, W, C), [W, N, G], part) is None


def test_an_image_put_together_from_tokens_of_unknown_number():
    """[B, N, W*W*C] -> [B, g, g, W, W, C]: only the rows in between the patches' rows give the image."""
    context = Context()
    use(context)
    tokens = Shape((Axis.of(B), Axis.of(N), Axis.of(W * W * C)))
    split = reshape(tokens, [B, G, G, W, W, C])
    right = Shape([split[position] for position in (0, 5, 1, 3, 2, 4)])
    reshape(right, [B, C, G * W, G * W])
    assert not context.suspicions
    wrong = Shape([split[position] for position in (0, 5, 1, 2, 3, 4)])
    reshape(wrong, [B, C, G * W, G * W])
    assert [found.kind for found in context.suspicions] == [Fault.SCRAMBLED]

    b, g, w, c = 2, 3, 2, 4
    image = torch.arange(b * c * g * w * g * w).view(b, c, g * w, g * w)
    cut = image.view(b, c, g, w, g, w).permute(0, 2, 4, 3, 5, 1).reshape(b, g * g, w * w * c).view(b, g, g, w, w, c)
    assert torch.equal(cut.permute(0, 5, 1, 3, 2, 4).reshape(b, c, g * w, g * w), image)
    assert not torch.equal(cut.permute(0, 5, 1, 2, 3, 4).reshape(b, c, g * w, g * w), image)
