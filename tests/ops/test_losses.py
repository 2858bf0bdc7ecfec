"""Losses and distances against torch, as functions and as layers."""

from __future__ import annotations

import pytest
import torch

from tests.oracle.harness import args, bad, case, check, module_case, n, t

F = "torch.nn.functional."
PREDICTION = t("B D")
LABELS = t("B", "int")


def lengths(value):
    return lambda shape: torch.full(shape, value, dtype=torch.int64)


CASES = [
    case(F + "cross_entropy", t("B V"), LABELS),
    case(F + "cross_entropy", t("B V"), LABELS, reduction="none"),
    case(F + "cross_entropy", t("B V T"), t("B T", "int"), reduction="none"),
    case(F + "cross_entropy", t("V"), t("", "int"), reduction="none"),
    case(F + "cross_entropy", t("B V"), t("B V")),
    case(F + "cross_entropy", t("B V T"), t("B V T"), reduction="none"),
    case(F + "cross_entropy", t("B V"), LABELS, t("V")),
    case(F + "cross_entropy", t("B*T V"), t("B*T", "int"), ignore_index=-1, label_smoothing=0.1),
    bad(F + "cross_entropy", t("B T V"), t("B T", "int")),
    bad(F + "cross_entropy", t("B V"), t("B T", "int")),
    bad(F + "cross_entropy", t("B V"), t("T", "int")),
    bad(F + "cross_entropy", t("B V"), t("B T")),
    bad(F + "cross_entropy", t("B V"), LABELS, t("B")),
    case(F + "linear_cross_entropy", t("B D"), t("V D"), LABELS),
    case(F + "linear_cross_entropy", t("B D"), t("V D"), LABELS, reduction="none"),
    bad(F + "linear_cross_entropy", t("B D"), t("D V"), LABELS),
    bad(F + "linear_cross_entropy", t("B D"), t("V D"), t("D", "int")),
    case(F + "nll_loss", t("B V"), LABELS),
    case(F + "nll_loss", t("B V T"), t("B T", "int"), reduction="none"),
    bad(F + "nll_loss", t("B T V"), t("B T", "int")),
    case(F + "mse_loss", PREDICTION, PREDICTION),
    case(F + "mse_loss", PREDICTION, PREDICTION, reduction="none"),
    case(F + "mse_loss", t("B 1"), t("B"), reduction="none"),
    case(F + "mse_loss", PREDICTION, PREDICTION, None, None, "none", only=True),
    case(F + "mse_loss", PREDICTION, PREDICTION, reduce=False, only=True),
    bad(F + "mse_loss", PREDICTION, t("B T")),
    case(F + "kl_div", PREDICTION, PREDICTION, reduction="none"),
    case(F + "kl_div", PREDICTION, PREDICTION, reduction="batchmean", only=True),
    bad(F + "kl_div", PREDICTION, t("D B")),
    case(F + "gaussian_nll_loss", PREDICTION, PREDICTION, PREDICTION, reduction="none"),
    case(F + "binary_cross_entropy", PREDICTION, PREDICTION),
    case(F + "binary_cross_entropy", PREDICTION, PREDICTION, reduction="none"),
    bad(F + "binary_cross_entropy", t("B 1"), t("B")),
    bad(F + "binary_cross_entropy", PREDICTION, t("B 1")),
    case(F + "cosine_similarity", t("B T D"), t("B T D"), dim=-1),
    case(F + "cosine_similarity", t("B 1 D"), t("1 B D"), dim=-1),
    bad(F + "cosine_similarity", t("B T D"), t("B D"), dim=-1),
    case(F + "pairwise_distance", t("B T D"), t("B T D"), keepdim=True),
    case(F + "cosine_embedding_loss", PREDICTION, PREDICTION, t("B"), reduction="none"),
    bad(F + "cosine_embedding_loss", PREDICTION, PREDICTION, t("D")),
    case(F + "margin_ranking_loss", t("B"), t("B"), t("B"), reduction="none"),
    bad(F + "margin_ranking_loss", PREDICTION, PREDICTION, t("B")),
    case(F + "triplet_margin_loss", PREDICTION, PREDICTION, PREDICTION, reduction="none"),
    case(F + "triplet_margin_loss", PREDICTION, PREDICTION, PREDICTION, only=True),
    case(F + "multi_margin_loss", PREDICTION, LABELS, reduction="none"),
    case(F + "multilabel_soft_margin_loss", PREDICTION, PREDICTION, reduction="none", only=True),
    case(F + "multilabel_margin_loss", PREDICTION, t("B D", "int"), reduction="none", only=True),
    bad(F + "ctc_loss", t("B T V"), t("B S", make=lengths(1)), t("B", make=lengths(3)), t("B", make=lengths(1))),
    bad(F + "ctc_loss", t("T B V"), t("B S", make=lengths(1)), t("T", make=lengths(3)), t("B", make=lengths(1))),
    case(
        F + "ctc_loss", t("T B V"), t("B S", make=lengths(1)), t("B", make=lengths(3)), t("B", make=lengths(1)),
        reduction="none", sizes={"T": 3, "V": 5}, only=True,
    ),
    case(
        F + "ctc_loss", t("T B V"), t("B S", make=lengths(1)), t("B", make=lengths(3)), t("B", make=lengths(1)),
        sizes={"T": 3, "V": 5}, only=True,
    ),
    *[
        module_case(f"torch.nn.{name}", args(reduction=reduction), args(PREDICTION, PREDICTION))
        for name in ("MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss", "BCELoss", "BCEWithLogitsLoss", "KLDivLoss",
                     "PoissonNLLLoss", "SoftMarginLoss", "HingeEmbeddingLoss", "MultiLabelSoftMarginLoss")
        for reduction in ("mean", "sum", "none")
    ],
    module_case("torch.nn.CrossEntropyLoss", args(), args(t("B V"), LABELS)),
    module_case("torch.nn.CrossEntropyLoss", args(weight=t("V"), reduction="none"), args(t("B V"), LABELS)),
    module_case("torch.nn.CrossEntropyLoss", args(), args(t("B T V"), t("B T", "int")), fails=True),
    module_case("torch.nn.NLLLoss", args(reduction="none"), args(t("B V"), LABELS)),
    module_case("torch.nn.MSELoss", args(None, None, "none"), args(PREDICTION, PREDICTION)),
    module_case("torch.nn.BCELoss", args(), args(t("B 1"), t("B")), fails=True),
    module_case("torch.nn.GaussianNLLLoss", args(reduction="none"), args(PREDICTION, PREDICTION, PREDICTION)),
    module_case("torch.nn.CosineEmbeddingLoss", args(reduction="none"), args(PREDICTION, PREDICTION, t("B"))),
    module_case("torch.nn.MarginRankingLoss", args(), args(t("B"), t("B"), t("B"))),
    module_case("torch.nn.TripletMarginLoss", args(reduction="none"), args(PREDICTION, PREDICTION, PREDICTION)),
    module_case("torch.nn.TripletMarginWithDistanceLoss", args(), args(PREDICTION, PREDICTION, PREDICTION)),
    module_case("torch.nn.MultiMarginLoss", args(), args(PREDICTION, LABELS)),
    module_case("torch.nn.MultiLabelMarginLoss", args(), args(PREDICTION, t("B D", "int"))),
    module_case(
        "torch.nn.CTCLoss", args(),
        args(t("T B V"), t("B S", make=lengths(1)), t("B", make=lengths(3)), t("B", make=lengths(1))),
        sizes={"T": 3, "V": 5},
    ),
    module_case("torch.nn.LinearCrossEntropyLoss", args(n("D"), n("V")), args(t("B D"), LABELS)),
    module_case("torch.nn.LinearCrossEntropyLoss", args(n("D"), n("V")), args(t("B V"), LABELS), fails=True),
    module_case("torch.nn.CosineSimilarity", args(dim=-1), args(t("B T D"), t("B T D"))),
    module_case("torch.nn.PairwiseDistance", args(), args(t("B T D"), t("B T D"))),
]


@pytest.mark.parametrize("checked", CASES, ids=str)
def test_agrees_with_torch(checked):
    check(checked)
