"""Fourier transforms and windows against torch."""

from __future__ import annotations

import pytest
import torch

from shapecheck.ops.spectral import KINDS, WINDOWS
from tests.oracle.harness import bad, case, check, n, t

X = t("B T+2 D+2")
REAL = t("B 2*L", make=torch.rand)
WINDOW = {"general_cosine": {"a": [0.5, 0.5]}}

CASES = [
    *[case(f"torch.fft.{kind}", X) for kind in KINDS],
    *[case(f"torch.fft.{kind}", X, n=n("N+1"), dim=1) for kind in KINDS],
    *[case(f"torch.fft.{kind}2", X) for kind in KINDS],
    *[case(f"torch.fft.{kind}2", X, s=(n("N+1"), n("M+1"))) for kind in KINDS],
    *[case(f"torch.fft.{kind}n", X) for kind in KINDS],
    *[case(f"torch.fft.{kind}n", X, dim=(1, -1)) for kind in KINDS],
    case("torch.fft.fftn", X, s=(n("N"), n("M"))),
    bad("torch.fft.fft", X, dim=3),
    bad("torch.fft.fft2", t("B")),
    case("torch.fft.fftshift", X, dim=1),
    case("torch.fft.fftfreq", n("N")),
    case("torch.fft.rfftfreq", n("N")),
    case("torch.stft", t("B L+16"), 8, 4, return_complex=True),
    case("torch.stft", t("L+16"), 8, return_complex=True),
    case("torch.stft", t("B L+16"), 8, 2, center=False, return_complex=True),
    case("torch.stft", t("B L+16"), 8, 2, onesided=False, return_complex=False),
    bad("torch.stft", t("B C L+16"), 8, return_complex=True),
    case("torch.istft", t("B 9 T+4", "complex"), 16, window=t("16", make=torch.ones)),
    case("torch.istft", t("B 9 T+4", "complex"), 16, window=t("16", make=torch.ones), length=n("T")),
    *[case(f"torch.signal.windows.{name}", n("N"), only=True, **WINDOW.get(name, {})) for name in WINDOWS.split()],
]


@pytest.mark.parametrize("checked", CASES, ids=str)
def test_agrees_with_torch(checked):
    check(checked)
