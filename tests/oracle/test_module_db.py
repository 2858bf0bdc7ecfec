"""Every layer that torch itself has sample inputs for, against the rule of the same name."""

from __future__ import annotations

import warnings
from functools import partial
from itertools import islice
from typing import Any

import pytest
import torch

from shapecheck import ops
from shapecheck.shapes import AnyValue
from tests.oracle.samples import Agreement, Sizes, abstract, compare_call, quietly

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from torch.testing._internal.common_modules import module_db

EVERYDAY = 4
"""Samples of each layer in the everyday suite."""


def qualified(entry: Any) -> str:
    """The name under which users know a layer."""
    cls = entry.module_cls
    public = cls.__module__.startswith("torch.nn.modules")
    return f"{'torch.nn' if public else cls.__module__}.{cls.__name__}"


def made_and_called(name: str, construction: Any, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> Any:
    """The rule of a layer, made with real arguments and called with abstract ones."""
    cls = ops.find_module(name)
    assert cls is not None
    sizes = Sizes(symbolic=False)
    made = ops.construct(
        cls, [abstract(value, sizes) for value in construction.args],
        {key: abstract(value, sizes) for key, value in construction.kwargs.items()},
    )
    return ops.forward(made, args, kwargs) if isinstance(made, ops.Module) else made


def agreement(entry: Any, most: int | None) -> Agreement:
    """Compare the rule of a layer with torch on its sample inputs."""
    found = Agreement()
    name = qualified(entry)
    if ops.find_module(name) is None:
        return found
    for training in (True, False):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            inputs = entry.module_inputs_func(
                entry, device="cpu", dtype=torch.float32, requires_grad=False, training=training
            )
        for sample in islice(inputs, most):
            layer = quietly(entry.module_cls, *sample.constructor_input.args, **sample.constructor_input.kwargs)
            if isinstance(layer, Exception) or sample.forward_input is None:
                continue
            args, kwargs = sample.forward_input.args, sample.forward_input.kwargs
            real = quietly(layer.train(training), *args, **kwargs)
            if not isinstance(real, Exception):
                rule = partial(made_and_called, name, sample.constructor_input)
                found.add(compare_call(rule, args, kwargs, real, f"{name}({sample.constructor_input.args})"))
    return found


ENTRIES = [pytest.param(entry, id=entry.formatted_name) for entry in module_db]


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_few_samples_agree(entry):
    torch.manual_seed(0)
    agreement(entry, EVERYDAY)


@pytest.mark.full
@pytest.mark.parametrize("entry", ENTRIES)
def test_every_sample_agrees(entry):
    torch.manual_seed(0)
    agreement(entry, None)
