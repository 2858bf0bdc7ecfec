"""Convolution, pooling, padding, resizing and sampling against torch."""

from __future__ import annotations

import pytest
import torch

from shapecheck.dims import Dim, Kind, Symbol
from shapecheck.ops.spatial import slid
from shapecheck.ops.windows import pixel_shuffle, pixel_unshuffle
from shapecheck.shapes import Context, Shape, Tensor, use
from tests.oracle.harness import args, bad, case, check, module_case, n, t

LINE, IMAGE, VOLUME = t("B C L+6"), t("B C H+6 W+6"), t("B C D+4 H+4 W+4")
F = "torch.nn.functional."


def places(shape):
    return torch.zeros(shape, dtype=torch.int64)


CONVOLUTIONS = [
    module_case("torch.nn.Conv1d", args(n("C"), n("E"), 3), args(LINE)),
    module_case("torch.nn.Conv1d", args(n("C"), n("E"), 3, padding=1), args(t("C L"))),
    module_case("torch.nn.Conv1d", args(n("C"), n("E"), kernel_size=3, stride=2, dilation=2), args(LINE)),
    module_case("torch.nn.Conv1d", args(n("C"), n("E"), n("K"), stride=n("K")), args(t("B C K*L"))),
    module_case("torch.nn.Conv1d", args(n("L"), n("E"), 1), args(t("B C L")), fails=True),
    module_case("torch.nn.Conv1d", args(n("C"), n("E"), 1), args(t("B C H W")), fails=True),
    module_case("torch.nn.Conv1d", args(n("C"), n("E"), 5), args(t("B C 3")), fails=True),
    module_case("torch.nn.Conv2d", args(n("C"), n("E"), 3), args(IMAGE)),
    module_case("torch.nn.Conv2d", args(n("C"), n("E"), (3, 5), (2, 1), padding=(1, 2)), args(IMAGE)),
    module_case("torch.nn.Conv2d", args(n("C"), n("E"), 3, padding="same"), args(IMAGE)),
    module_case("torch.nn.Conv2d", args(n("C"), n("E"), 3, padding="valid"), args(IMAGE)),
    module_case("torch.nn.Conv2d", args(n("C"), n("E"), 16, 16), args(t("B C 32 64"))),
    module_case("torch.nn.Conv2d", args(n("C"), n("C"), 3, groups=n("C")), args(IMAGE)),
    module_case("torch.nn.Conv2d", args(4, 6, 3, groups=4), args(t("B 4 H+6 W+6")), fails=True),
    module_case("torch.nn.Conv3d", args(n("C"), n("E"), 3, stride=2, bias=False), args(VOLUME)),
    module_case("torch.nn.ConvTranspose1d", args(n("C"), n("E"), 3), args(LINE)),
    module_case("torch.nn.ConvTranspose2d", args(n("C"), n("E"), 4, 2, 1), args(IMAGE)),
    module_case("torch.nn.ConvTranspose2d", args(n("C"), n("E"), 3, stride=2, output_padding=1), args(IMAGE)),
    module_case("torch.nn.ConvTranspose3d", args(n("C"), n("E"), 2, dilation=2), args(VOLUME)),
    module_case("torch.nn.ConvTranspose2d", args(n("E"), n("C"), 4), args(IMAGE), fails=True),
    module_case("torch.nn.LazyConv1d", args(n("E"), 3), args(LINE)),
    module_case("torch.nn.LazyConv2d", args(n("E"), 3, 2), args(IMAGE)),
    module_case("torch.nn.LazyConv3d", args(n("E"), 3, padding=1), args(VOLUME)),
    module_case("torch.nn.LazyConvTranspose1d", args(n("E"), 3), args(LINE)),
    module_case("torch.nn.LazyConvTranspose2d", args(n("E"), 3, stride=2), args(IMAGE)),
    module_case("torch.nn.LazyConvTranspose3d", args(n("E"), 3), args(VOLUME)),
    case(F + "conv1d", LINE, t("E C 3")),
    case(F + "conv1d", LINE, t("E C 3"), t("E"), 2, 1),
    case(F + "conv2d", IMAGE, t("E C 3 3"), stride=2, padding="valid"),
    case(F + "conv2d", t("B 2*C H+6 W+6"), t("2*E C 3 3"), groups=2),
    case(F + "conv3d", VOLUME, t("E C 3 3 3"), padding=1),
    case(F + "conv_transpose1d", LINE, t("C E 3")),
    case(F + "conv_transpose2d", IMAGE, t("C E 3 3"), stride=2, output_padding=1),
    case(F + "conv_transpose2d", t("B 2*C H W"), t("2*C E 3 3"), groups=2),
    case(F + "conv_transpose3d", VOLUME, t("C E 3 3 3")),
    bad(F + "conv1d", LINE, t("C E 3")),
    bad(F + "conv1d", LINE, t("E C 3"), t("C")),
    bad(F + "conv1d", LINE, t("E C")),
    bad(F + "conv2d", t("B C"), t("E C 1 1")),
]

POOLS = [
    *[
        module_case(f"torch.nn.{name}{count}d", args(*window), args(x))
        for count, x in enumerate((LINE, IMAGE, VOLUME), 1)
        for name in ("MaxPool", "AvgPool")
        for window in [(2,), (3, 2), (3, 1, 1), (3, 2, 0)]
    ],
    module_case("torch.nn.MaxPool1d", args(3, 2, ceil_mode=True), args(LINE)),
    module_case("torch.nn.MaxPool2d", args(2, ceil_mode=True), args(IMAGE)),
    module_case("torch.nn.MaxPool2d", args(3, 2, 1, ceil_mode=True), args(IMAGE)),
    module_case("torch.nn.MaxPool2d", args((2, 3), return_indices=True), args(IMAGE)),
    module_case("torch.nn.MaxPool2d", args(2), args(t("C H+1 W+1"))),
    module_case("torch.nn.MaxPool2d", args(2), args(t("H W")), fails=True),
    module_case("torch.nn.MaxPool2d", args(5), args(t("B C 3 9")), fails=True),
    module_case("torch.nn.LPPool1d", args(2, 3), args(LINE)),
    module_case("torch.nn.LPPool2d", args(2, 3, stride=2), args(IMAGE)),
    module_case("torch.nn.LPPool3d", args(2, 3, ceil_mode=True), args(VOLUME)),
    case(F + "max_pool1d", LINE, 2),
    case(F + "max_pool2d", IMAGE, 3, 2, padding=1, dilation=2),
    case(F + "max_pool2d", IMAGE, 2, return_indices=True),
    case(F + "max_pool3d", VOLUME, 2),
    case("torch.max_pool1d", LINE, 2),
    case("torch.max_pool2d", IMAGE, 2),
    case("torch.max_pool3d", VOLUME, 2),
    case(F + "max_pool1d_with_indices", LINE, 2),
    case(F + "max_pool2d_with_indices", IMAGE, 2),
    case(F + "max_pool3d_with_indices", VOLUME, 2),
    case(F + "avg_pool1d", LINE, 3, 2, 1),
    case(F + "avg_pool2d", IMAGE, (2, 3)),
    case(F + "avg_pool3d", VOLUME, 2),
    case(F + "lp_pool1d", LINE, 2, 3),
    case(F + "lp_pool2d", IMAGE, 2, 3, 2),
    case(F + "lp_pool3d", VOLUME, 2.0, 3),
    *[
        module_case(f"torch.nn.Adaptive{kind}Pool{count}d", args(2), args(x))
        for count, x in enumerate((LINE, IMAGE, VOLUME), 1)
        for kind in ("Max", "Avg")
    ],
    module_case("torch.nn.AdaptiveAvgPool2d", args((n("P"), None)), args(IMAGE)),
    module_case("torch.nn.AdaptiveAvgPool2d", args(1), args(t("C H W"))),
    module_case("torch.nn.AdaptiveMaxPool2d", args((1, 2), return_indices=True), args(IMAGE)),
    module_case("torch.nn.AdaptiveAvgPool2d", args(2), args(t("B C")), fails=True),
    module_case("torch.nn.AdaptiveAvgPool2d", args(1), args(t("B C"))),
    module_case("torch.nn.AdaptiveMaxPool2d", args(1), args(t("B C")), fails=True),
    *[case(f"{F}adaptive_avg_pool{count}d", x, 1) for count, x in enumerate((LINE, IMAGE, VOLUME), 1)],
    *[
        case(f"{F}adaptive_max_pool{count}d", x, 2, return_indices=True)
        for count, x in enumerate((LINE, IMAGE, VOLUME), 1)
    ],
    module_case("torch.nn.FractionalMaxPool2d", args(2, output_size=3), args(IMAGE)),
    module_case("torch.nn.FractionalMaxPool2d", args(2, output_ratio=0.5), args(IMAGE)),
    module_case("torch.nn.FractionalMaxPool3d", args(2, output_size=(2, 3, 2)), args(VOLUME)),
    case(F + "fractional_max_pool2d", IMAGE, 2, output_size=3, return_indices=True),
    case(F + "fractional_max_pool3d", VOLUME, 2, output_size=3),
    module_case("torch.nn.MaxUnpool1d", args(2), args(t("B C L"), t("B C L", "int", places))),
    module_case("torch.nn.MaxUnpool2d", args(3, 2, 1), args(t("B C H+2 W+2"), t("B C H+2 W+2", "int", places))),
    module_case("torch.nn.MaxUnpool3d", args(2), args(t("B C D H W"), t("B C D H W", "int", places))),
    bad(F + "max_unpool1d", t("B C L"), t("B C L+1", "int", places), 2),
    bad(F + "adaptive_avg_pool3d", VOLUME, ()),
    case(F + "max_unpool1d", t("B C L"), t("B C L", "int", places), 2),
    case(F + "max_unpool2d", t("B C 2 2"), t("B C 2 2", "int", places), 2, output_size=(5, 5)),
    case(F + "max_unpool3d", t("B C D H W"), t("B C D H W", "int", places), 2),
]

RESAMPLED = [
    case(F + "pad", t("B T"), (1, 2)),
    case(F + "pad", t("B T"), (1, 0, 0, n("P"))),
    case(F + "pad", t("B T+2"), (0, -1)),
    case(F + "pad", t("B C L+6"), (2, 2), mode="reflect"),
    case(F + "pad", t("B C L+6"), [2, 2], "replicate"),
    case(F + "pad", t("B C L+6"), (2, 2), mode="circular"),
    case(F + "pad", t("B T"), (0, 1), value=1.0),
    bad(F + "pad", t("B T"), (1, 1, 1, 1, 1, 1)),
    bad(F + "pad", t("B C 3"), (3, 3), mode="reflect"),
    bad(F + "pad", t("B C H W"), (1, 1), mode="reflect"),
    *[
        module_case(f"torch.nn.{kind}Pad{count}d", args(2, *([0.5] if kind == "Constant" else [])), args(x))
        for count, x in enumerate((LINE, IMAGE, VOLUME), 1)
        for kind in ("Constant", "Zero", "Reflection", "Replication", "Circular")
    ],
    module_case("torch.nn.ZeroPad2d", args((1, 2, 3, 4)), args(t("C H W"))),
    module_case("torch.nn.ReflectionPad2d", args((1, 2, 0, 0)), args(IMAGE)),
    module_case("torch.nn.ReflectionPad2d", args(1), args(t("H W")), fails=True),
    case(F + "interpolate", LINE, size=7),
    case(F + "interpolate", IMAGE, (n("P"), n("Q")), mode="bilinear", align_corners=False),
    case(F + "interpolate", IMAGE, scale_factor=2),
    case(F + "interpolate", IMAGE, scale_factor=2.0, mode="bicubic"),
    case(F + "interpolate", IMAGE, scale_factor=0.5),
    case(F + "interpolate", IMAGE, scale_factor=(2.0, 3.0)),
    case(F + "interpolate", t("B C 7 9"), scale_factor=1.5),
    case(F + "interpolate", VOLUME, scale_factor=2, mode="trilinear"),
    bad(F + "interpolate", t("B C"), size=3),
    bad(F + "interpolate", LINE, size=3, mode="bilinear"),
    bad(F + "interpolate", LINE, size=(3, 3)),
    bad(F + "interpolate", IMAGE, scale_factor=(2.0, 2.0, 2.0)),
    case(F + "upsample_nearest", IMAGE, size=(3, 4)),
    case(F + "upsample_bilinear", IMAGE, scale_factor=2, only=True),
    case("torch.constant_pad_nd", t("B T"), (1, 2), 0.5),
    module_case("torch.nn.Upsample", args(scale_factor=2), args(IMAGE)),
    module_case("torch.nn.Upsample", args(size=(3, 4), mode="bilinear"), args(IMAGE)),
    module_case("torch.nn.UpsamplingNearest2d", args(scale_factor=2), args(IMAGE)),
    module_case("torch.nn.UpsamplingBilinear2d", args(size=5), args(IMAGE)),
    module_case("torch.nn.UpsamplingBilinear2d", args(size=5), args(LINE), fails=True),
    case(F + "grid_sample", IMAGE, t("B P Q 2"), align_corners=False),
    case(F + "grid_sample", VOLUME, t("B P Q R 3"), mode="nearest", align_corners=False),
    case("torch.grid_sampler", IMAGE, t("B P Q 2"), 0, 0, False),
    bad(F + "grid_sample", IMAGE, t("B P Q 3"), align_corners=False),
    bad(F + "grid_sample", IMAGE, t("C P Q 2"), align_corners=False),
    case(F + "affine_grid", t("B 2 3"), (n("B"), n("C"), n("H"), n("W")), align_corners=False),
    case(F + "affine_grid", t("B 3 4"), (n("B"), n("C"), n("D"), n("H"), n("W")), align_corners=False),
    bad(F + "affine_grid", t("B 3 4"), (n("B"), n("C"), n("H"), n("W")), align_corners=False),
    case(F + "unfold", IMAGE, 3),
    case(F + "unfold", t("C H+6 W+6"), (2, 3), padding=1, stride=2),
    bad(F + "unfold", t("H W"), 1),
    bad(F + "unfold", t("B C 3 3"), 5),
    case(F + "fold", t("B 4*C 6"), (3, 4), 2),
    case(F + "fold", t("9*C 16"), (8, 8), 3, padding=1, stride=2),
    bad(F + "fold", t("B 4*C 7"), (3, 4), 2),
    bad(F + "fold", t("B 5 6"), (3, 4), 2),
    module_case("torch.nn.Unfold", args(3, stride=2), args(IMAGE)),
    module_case("torch.nn.Fold", args((3, 4), (2, 2)), args(t("B 4*C 6"))),
    case(F + "pixel_shuffle", t("B 4*C H W"), 2),
    case(F + "pixel_unshuffle", t("B C 3*H 3*W"), 3),
    bad(F + "pixel_shuffle", t("B 6 H W"), 2),
    bad(F + "pixel_shuffle", t("H W"), 1),
    bad(F + "pixel_unshuffle", t("B C 5 4"), 2),
    module_case("torch.nn.PixelShuffle", args(2), args(t("4*C H W"))),
    module_case("torch.nn.PixelUnshuffle", args(2), args(t("B C 2*H 2*W"))),
    module_case("torch.nn.ChannelShuffle", args(2), args(t("B 2*C H W"))),
    case("torch.channel_shuffle", t("B 6 L"), 3),
    bad("torch.channel_shuffle", t("B 5 L"), 2),
]


CASES = [*CONVOLUTIONS, *POOLS, *RESAMPLED]


@pytest.mark.filterwarnings(
    "ignore:`nn.functional.upsample", "ignore:`nn.functional.upsample_nearest", "ignore:Using padding='same'",
    "ignore:Note that order of the arguments",
)
@pytest.mark.parametrize("checked", CASES, ids=str)
def test_agrees_with_torch(checked):
    check(checked)


@pytest.fixture(autouse=True)
def _context():
    previous = use(Context())
    yield
    use(previous)


C, H, W = (Dim.of(Symbol(name)) for name in "CHW")


def test_a_window_of_one_leaves_a_size_as_it_is():
    one, zero = Dim.of(1), Dim.of(0)
    assert slid(H, one, one, zero, one) == H
    assert slid(H, Dim.of(3), one, one, one) == H


def test_patches_of_an_unknown_size_divide_the_axis():
    patch = Dim.of(Symbol("patch", Kind.FLEXIBLE))
    assert slid(patch * H, patch, patch, Dim.of(0), Dim.of(1)) == H


def test_shuffled_pixels_are_the_same_elements():
    image = Tensor(Shape.of(C, H, W), "float")
    assert pixel_unshuffle(pixel_shuffle(image, 2), 2).shape == image.shape
