"""The dtype family that every rule gives for integers, bools and complex numbers, against torch's samples (SC208)."""

from __future__ import annotations

import warnings
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest
import torch

from shapecheck import ops
from shapecheck.shapes import Context, Fault, Mismatch, Sequence, Tensor, use
from tests.oracle.harness import family, resolve
from tests.oracle.samples import ARRANGED, Sizes, abstract, names_of, quietly
from tests.oracle.test_op_db import ENTRIES, as_given

if TYPE_CHECKING:
    from collections.abc import Iterator

DTYPES = (torch.int64, torch.uint8, torch.bool, torch.complex64)


def calls(
    entry: Any, dtypes: tuple[torch.dtype, ...], most: int | None
) -> Iterator[tuple[str, tuple[Any, ...], dict[str, Any], Any]]:
    """Every call of an entry under every name that has a rule, with its real result."""
    for dtype in dtypes:
        if dtype not in entry.supported_dtypes("cpu"):
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            samples = list(islice(entry.sample_inputs("cpu", dtype), most))
        for sample in samples:
            args = ARRANGED.get(entry.name, as_given)(sample.input, *sample.args)
            for name in names_of(entry):
                function = quietly(resolve, name) if ops.find_operation(name) is not None else None
                real = None if function is None else quietly(function, *args, **sample.kwargs)
                if real is not None and not isinstance(real, Exception):
                    yield name, args, sample.kwargs, real


def families(result: Any, real: Any) -> Iterator[tuple[str, str]]:
    """The family that a rule knows, and torch's, for each tensor of a result."""
    if isinstance(result, Tensor) and isinstance(real, torch.Tensor):
        if result.dtype is not None:
            yield result.dtype, family(real.dtype)
    elif isinstance(result, Sequence) and isinstance(real, (list, tuple)):
        for one, other in zip(result.items, real, strict=False):
            yield from families(one, other)


def compare(entry: Any, dtypes: tuple[torch.dtype, ...], most: int | None) -> None:
    torch.manual_seed(0)
    for name, args, kwargs, real in calls(entry, dtypes, most):
        previous = use(Context())
        try:
            sizes = Sizes(symbolic=False)
            named = {key: abstract(value, sizes) for key, value in kwargs.items()}
            result = ops.find_operation(name)([abstract(value, sizes) for value in args], named)
        finally:
            use(previous)
        assert not (isinstance(result, Mismatch) and result.kind is Fault.DTYPE), f"{name}{args} is refused"
        for known, actual in families(result, real):
            assert known == actual, f"{name}{args}, {kwargs}"


@pytest.mark.parametrize("entry", ENTRIES)
def test_integers_give_the_family_that_they_give_torch(entry):
    compare(entry, DTYPES[:1], 1)


@pytest.mark.full
@pytest.mark.parametrize("entry", ENTRIES)
def test_every_sample_gives_the_family_that_it_gives_torch(entry):
    compare(entry, DTYPES, None)
