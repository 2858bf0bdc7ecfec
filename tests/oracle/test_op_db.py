"""Every operation that torch itself has sample inputs for, against the rule of the same name."""

from __future__ import annotations

import warnings
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest
import torch

from shapecheck import ops
from shapecheck.ops.registry import ATTRIBUTES
from tests.oracle.harness import resolve
from tests.oracle.samples import ARRANGED, DTYPES, REFLECTED, Agreement, compare_call, names_of, quietly

if TYPE_CHECKING:
    from collections.abc import Iterator

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch.testing._internal.common_methods_invocations import op_db

EVERYDAY = 4
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


ENTRIES = [pytest.param(entry, id=entry.formatted_name) for entry in op_db if entry.name not in REFLECTED]


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_few_samples_agree(entry):
    torch.manual_seed(0)
    agreement(entry, EVERYDAY)


@pytest.mark.full
@pytest.mark.parametrize("entry", ENTRIES)
def test_every_sample_agrees(entry):
    torch.manual_seed(0)
    agreement(entry, None)
