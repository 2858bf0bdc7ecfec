"""Every operation that torch itself has sample inputs for, against the rule of the same name."""

from __future__ import annotations

import re
import warnings
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest
import torch

from shapecheck import ops
from shapecheck.ops.registry import ATTRIBUTES
from shapecheck.shapes import Sequence, Tensor
from tests.oracle.harness import resolve
from tests.oracle.samples import (
    ARRANGED,
    DTYPES,
    REFLECTED,
    Agreement,
    Sizes,
    abstract,
    compare_call,
    leaves,
    names_of,
    quietly,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch.testing._internal.common_methods_invocations import op_db

WITHOUT_RULE = {
    **dict.fromkeys(
        ("_softmax_backward_data", "max_pool2d_with_indices_backward", "native_dropout_backward", "_chunk_cat",
         "_unsafe_masked_index", "_unsafe_masked_index_put_accumulate", "_upsample_bilinear2d_aa", "_segment_reduce",
         "_batch_norm_with_update", "_native_batch_norm_legit", "native_batch_norm", "native_group_norm", "slice",
         "torch.ops.aten._safe_softmax.default", "torch.ops.aten._flash_attention_forward",
         "torch.ops.aten._efficient_attention_forward", "grid_sampler_2d", "grid_sampler_3d", "hash_tensor"),
        "torch's own inner operation",
    ),
    **dict.fromkeys(
        ("jiterator_unary", "jiterator_binary", "jiterator_4inputs_with_extra_args", "jiterator_2inputs_2outputs",
         "jiterator_binary_return_by_ref"),
        "a kernel written by the caller",
    ),
    **dict.fromkeys(("torch._scaled_mm", "torch._scaled_mm_v2"), "private, of 8-bit floats"),
    "sparse.sampled_addmm": "sparse layouts",
    "histogramdd": "returns a list of edges of their own lengths",
    "nn.functional.multi_head_attention_forward": "the layer has a rule",
}
"""Entries of ``op_db`` that have no rule, with the reason."""

EVERYDAY = 2
"""Samples of each operation in the everyday suite."""


def as_given(*args: Any) -> tuple[Any, ...]:
    """The arguments as the samples hold them."""
    return args


def attribute_of(rule: Any, args: list[Any], _: dict[str, Any]) -> Any:
    """The rule of an attribute as one of an operation."""
    return rule(args[0])


def samples(entry: Any) -> Iterator[Any]:
    """Its sample inputs, of the first dtype that it takes."""
    supported = entry.supported_dtypes("cpu")
    dtype = next((dtype for dtype in DTYPES if dtype in supported), None)
    if dtype is None:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield from entry.sample_inputs("cpu", dtype)


def agreement(entry: Any, most: int | None) -> Agreement:
    """Compare the rules of an entry with torch on its sample inputs."""
    found = Agreement()
    for sample in islice(samples(entry), most):
        args = ARRANGED.get(entry.name, as_given)(sample.input, *sample.args)
        rule = ATTRIBUTES.get(entry.name)
        if rule is not None:
            real = quietly(getattr, sample.input, entry.name)
            if not isinstance(real, Exception):
                found.add(compare_call(partial(attribute_of, rule), args, {}, real, entry.name))
        for name in names_of(entry):
            operation = ops.find_operation(name)
            function = None if operation is None else quietly(resolve, name)
            if operation is None or isinstance(function, Exception):
                continue
            real = quietly(function, *args, **sample.kwargs)
            if not isinstance(real, Exception):
                found.add(compare_call(operation, args, sample.kwargs, real, name))
    return found


SHAPES = re.compile(r"size|shape|dim|rank|match|broadcast|expand|\bD\b|square")
"""Errors about shapes, which a rule must refuse as well."""

VALUES = re.compile(
    r"memory|type|numel\(\) == 0|overflow|64 dims|non-zero size|empty|negative|positive|out of (bounds|range)"
)
"""Errors about elements, storage or ranges: conditions that a rule takes to hold."""

LENIENT = {
    "as_strided_scatter": "whether strides fit the storage",
    "cov": "the weights",
    "empty_permuted": "the order in memory",
    "gradient": "the spacing",
    "linspace": "the ranks of the ends",
    "logspace": "the ranks of the ends",
    "multinomial": "how many samples there are",
    "narrow": "the dtype of a start that is a tensor",
    "narrow_copy": "a negative length",
    "nn.functional.gaussian_nll_loss": "the shape of the variance",
    "nn.functional.linear_cross_entropy": "classes on several axes",
    "nn.functional.multi_margin_loss": "the weights",
    **dict.fromkeys(("reshape", "view", "view_copy"), "a size of 0 beside -1"),
    "nn.functional.prelu": "slopes for a number",
    "ormqr": "the reflectors",
    "roll": "the number of shifts",
    "rot90": "the plane of the rotation",
}
"""Entries whose rule does not look at what torch refuses, with what that is."""


def is_known(value: Any) -> bool:
    """Whether a rule gave a whole shape."""
    if isinstance(value, Sequence):
        return any(isinstance(item, Tensor) and is_known(item) for item in value.items)
    return isinstance(value, Tensor) and value.shape.rank is not None


ENTRIES = [pytest.param(entry, id=entry.formatted_name) for entry in op_db if entry.name not in REFLECTED]


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_few_samples_agree(entry):
    torch.manual_seed(0)
    agreement(entry, EVERYDAY)


@pytest.mark.parametrize(
    "entry", [entry for entry in ENTRIES if entry.values[0].error_inputs_func and entry.values[0].name not in LENIENT]
)
def test_errors_of_shape_are_refused(entry):
    for error in entry.error_inputs("cpu"):
        sample = error.sample_input
        args = ARRANGED.get(entry.name, as_given)(sample.input, *sample.args)
        if any(isinstance(leaf, torch.Tensor) and leaf.numel() == 0 for leaf in leaves((args, sample.kwargs))):
            continue
        for name in names_of(entry):
            rule, function = ops.find_operation(name), quietly(resolve, name)
            real = None if rule is None else quietly(function, *args, **sample.kwargs)
            if not isinstance(real, Exception) or isinstance(real, (TypeError, AttributeError)):
                continue
            if SHAPES.search(str(real)) and not VALUES.search(str(real)):
                sizes = Sizes(symbolic=False)
                named = {key: abstract(value, sizes) for key, value in sample.kwargs.items()}
                result = rule([abstract(value, sizes) for value in args], named)
                assert not is_known(result), f"{name}: {real}"


def test_names_without_a_rule_are_listed():
    missing = {
        entry.name
        for entry in op_db
        if entry.name not in REFLECTED
        and entry.name not in ATTRIBUTES
        and not any(map(ops.find_operation, names_of(entry)))
    }
    assert missing == set(WITHOUT_RULE)


@pytest.mark.full
@pytest.mark.parametrize("entry", ENTRIES)
def test_every_sample_agrees(entry):
    torch.manual_seed(0)
    agreement(entry, None)
