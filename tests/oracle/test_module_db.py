"""Every sample input of torch's own ``module_db``: a layer's rule gives the shape that the layer gives.

With numbers, and with an unknown for each different size of the inputs, put back afterwards.
"""

from __future__ import annotations

import warnings

import pytest
import torch
from torch.testing._internal.common_modules import module_db

from shapecheck import ops
from shapecheck.dims import Dim, Kind, Symbol
from shapecheck.shapes import (
    NONE,
    AnyValue,
    Axis,
    Constant,
    Context,
    Mismatch,
    Number,
    Sequence,
    Shape,
    Tensor,
    Unknown,
    current,
    use,
)

ops.load_all()

MOST = 12
"""Samples of one layer in the everyday suite."""

ABOUT_VALUES = (
    "eps must be", "index out of range", "scalar type", "dtype", "floating point", "label_smoothing", "weight shape",
)
"""Refusals that do not depend on a shape."""

FAMILIES = {torch.float64: "float", torch.int64: "int", torch.bool: "bool"}


def abstract(value: object, symbols: dict[int, Dim] | None) -> AnyValue:
    """A real value as a rule takes it."""
    if isinstance(value, torch.Tensor):
        sizes = [Dim.of(size) if symbols is None else symbols.setdefault(size, fresh(size)) for size in value.shape]
        return Tensor(Shape([Axis.of(size) for size in sizes]), FAMILIES.get(value.dtype))
    if isinstance(value, (tuple, list)):
        return Sequence([abstract(item, symbols) for item in value], type(value).__name__)
    if value is None:
        return NONE
    if isinstance(value, int) and not isinstance(value, bool):
        return Dim.of(value)
    if isinstance(value, torch.nn.Module):
        return made_layer(value)
    return Constant(str(value) if isinstance(value, (torch.dtype, torch.device)) else value)


def fresh(size: int) -> Dim:
    """An unknown size, but for the number 1, which broadcasts."""
    return Dim.of(size) if size <= 1 else Dim.of(Symbol(f"s{size}", Kind.FLEXIBLE))


def made_layer(real: torch.nn.Module) -> object:
    """The rule of an encoder or decoder layer that has been made already."""
    name = f"torch.nn.{type(real).__name__}"
    rule = ops.find_module(name)
    if rule is None or not hasattr(real, "self_attn"):
        return Unknown("a layer")
    attention = real.self_attn
    given = {"batch_first": Constant(attention.batch_first)}
    return ops.construct(rule, [Dim.of(attention.embed_dim), Dim.of(attention.num_heads)], given)


def run_rule(name: str, sample: object, symbols: dict[int, Dim] | None) -> object:
    made, called = sample.constructor_input, sample.forward_input
    rule = ops.find_module(f"torch.{name}")
    built = ops.construct(
        rule,
        [abstract(value, None) for value in made.args],
        {key: abstract(value, None) for key, value in made.kwargs.items()},
    )
    if not isinstance(built, ops.Module) or called is None:
        return built
    return ops.forward(
        built,
        [abstract(value, symbols) for value in called.args],
        {key: abstract(value, symbols) for key, value in called.kwargs.items()},
    )


def compare(found: object, real: object, given: dict[Symbol, int], where: str) -> None:
    if isinstance(found, Unknown):
        assert given, f"{where}: {found.why}"
        return
    assert not isinstance(found, Mismatch), f"{where}: {found}"
    if isinstance(real, (tuple, list)):
        assert isinstance(found, Sequence), f"{where}: {found}"
        assert len(found.items) == len(real), f"{where}: {found}"
        for item, wanted in zip(found.items, real, strict=True):
            compare(item, wanted, given, where)
    elif real is None:
        assert found == NONE, f"{where}: {found}"
    else:
        assert isinstance(found, Tensor), f"{where}: {found}"
        shape = found.shape
        assert given or shape.rest is None, f"{where}: {shape}"
        if shape.rest is not None:
            return
        sizes = [evaluate(axis.size, given) for axis in shape.known]
        assert len(sizes) == real.dim(), f"{where}: {shape} for {tuple(real.shape)}"
        assert all(
            size is None or size == wanted for size, wanted in zip(sizes, real.shape, strict=True)
        ), f"{where}: {shape} for {tuple(real.shape)}"
        if found.dtype is not None:
            assert found.dtype == FAMILIES.get(real.dtype, "float"), f"{where}: {found} for {real.dtype}"


def evaluate(size: Dim, given: dict[Symbol, int]) -> int | None:
    size = current().scope.normal(size)
    if any(isinstance(atom, Symbol) and atom.kind is Kind.OPAQUE for atom in size.atoms):
        return None
    return size.evaluate(given)


def samples(info: object, *, training: bool = True) -> list[object]:
    return info.module_inputs_func(info, device="cpu", dtype=torch.float64, requires_grad=False, training=training)


def check(info: object, limit: int | None, *, training: bool = True) -> int:
    """Compare samples of one layer; returns how many."""
    count = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for index, sample in enumerate(samples(info, training=training)[:limit]):
            torch.manual_seed(0)
            made, called = sample.constructor_input, sample.forward_input
            layer = info.module_cls(*made.args, **made.kwargs).to(torch.float64).train(training)
            real = layer(*called.args, **called.kwargs)
            where = f"{info.name} #{index} {made.args} {made.kwargs}"
            for symbols in (None, {}):
                previous = use(Context())
                try:
                    found = run_rule(info.name, sample, symbols)
                    given = {size.symbol: number for number, size in (symbols or {}).items() if size.symbol is not None}
                    compare(found, real, given, where)
                finally:
                    use(previous)
            count += 1
    return count


INFOS = {info.name: info for info in module_db}


@pytest.mark.parametrize("name", sorted(INFOS))
def test_samples_agree(name):
    assert ops.find_module(f"torch.{name}") is not None, f"{name} has no rule"
    assert check(INFOS[name], MOST)


@pytest.mark.full
@pytest.mark.parametrize("name", sorted(INFOS))
@pytest.mark.parametrize("training", [True, False])
def test_all_samples_agree(name, training):
    assert check(INFOS[name], None, training=training)


@pytest.mark.parametrize("name", sorted(INFOS))
def test_attributes_are_those_of_the_layer(name):
    info = INFOS[name]
    for sample in samples(info)[:MOST]:
        made = sample.constructor_input
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            real = info.module_cls(*made.args, **made.kwargs)
        previous = use(Context())
        try:
            arguments = [abstract(value, None) for value in made.args]
            built = ops.construct(
                ops.find_module(f"torch.{name}"), arguments,
                {key: abstract(value, None) for key, value in made.kwargs.items()},
            )
            for attribute, found in built.attributes().items():
                wanted = getattr(real, attribute)
                where = f"{name}({made.args}, {made.kwargs}).{attribute}"
                if isinstance(wanted, (torch.nn.UninitializedParameter, torch.nn.parameter.UninitializedBuffer)):
                    continue
                assert same(found, wanted), f"{where}: {found} for {getattr(wanted, 'shape', wanted)}"
        finally:
            use(previous)


def same(found: object, wanted: object) -> bool:
    """Whether an attribute is what the real layer has."""
    if isinstance(found, Tensor):
        sizes = [evaluate(axis.size, {}) for axis in found.shape.known]
        return isinstance(wanted, torch.Tensor) and all(
            size is None or size == real for size, real in zip(sizes, wanted.shape, strict=True)
        )
    if isinstance(found, Sequence):
        wanted = (wanted,) * len(found.items) if isinstance(wanted, int) else wanted
        return all(same(item, real) for item, real in zip(found.items, wanted, strict=True))
    if isinstance(found, Dim):
        return evaluate(found, {}) in {None, wanted}
    if isinstance(found, Constant):
        return found.value == wanted
    return isinstance(found, Number) and isinstance(wanted, (int, float))


@pytest.mark.parametrize("name", sorted(name for name, info in INFOS.items() if info.module_error_inputs_func))
def test_what_torch_refuses_has_no_shape(name):
    info = INFOS[name]
    refused = info.module_error_inputs_func(
        info, device="cpu", dtype=torch.float64, requires_grad=False, training=True
    )
    for error in refused:
        sample = error.module_error_input
        if any(text in str(error.error_regex) for text in ABOUT_VALUES):
            continue
        previous = use(Context())
        try:
            found = run_rule(name, sample, None)
        finally:
            use(previous)
        assert not is_known(found), f"{name}({sample.constructor_input.args}): {found}, torch: {error.error_regex}"


def is_known(found: object) -> bool:
    """Whether a value has a shape."""
    if isinstance(found, Sequence):
        return all(map(is_known, found.items))
    return isinstance(found, Tensor) and found.shape.rest is None
