"""Rules return a value or a mismatch for whatever they are called with; they never raise."""

from __future__ import annotations

import random
from typing import Any

import pytest

from shapecheck import ops
from shapecheck.dims import Dim, Kind, Symbol
from shapecheck.ops.registry import ATTRIBUTES, MODULES, OPERATIONS
from shapecheck.shapes import (
    ELLIPSIS,
    FALSE,
    NONE,
    TRUE,
    Axis,
    Constant,
    Context,
    Mismatch,
    Number,
    Rest,
    Sequence,
    Shape,
    Slice,
    Tensor,
    Unknown,
    Value,
    use,
)

ops.load_all()

B, T, D = (Symbol(name) for name in "BTD")
WIDTH = Symbol("width", Kind.FLEXIBLE)
BATCH = Rest("batch")
SHAPES = [
    Shape(()), Shape.of(T), Shape.of(1), Shape.of(B, T), Shape.of(T, T), Shape.of(3, 4), Shape.of(B, T, D),
    Shape.of(B, 1, WIDTH), Shape.of(B, T, D, D), Shape.of(2, 3, 8, 8), Shape.of(B, 3, T, D, D), Shape.unknown(),
    Shape((BATCH, Axis.of(D))), Shape((Axis.of(B), BATCH)), Shape((BATCH,)), Shape((Axis.of(B), BATCH, Axis.of(D))),
    Shape.of(0), Shape.of(B, 0),
]
TENSORS = [Tensor(shape, dtype) for shape in SHAPES for dtype in ("float", "int", "bool", None)]
NUMBERS = [Dim.of(number) for number in (-2, -1, 0, 1, 2, 3, 5, 64)] + [Dim.of(B), Dim.of(WIDTH), Dim.of(T) * 2 + 1]
OTHERS: list[Any] = [
    NONE, TRUE, FALSE, ELLIPSIS, Number("float"), Number("bool"), Unknown("not known"), Constant("none"), Constant(0.5),
    Constant("b t d -> b (t d)"), Constant("bij,bjk->bik"), Constant("ij->ji"), Constant("same"),
    Constant("torch.int64"),
    Slice(None, None, None), Slice(Dim.of(1), None, Dim.of(2)), Slice(None, Dim.of(T), None),
    Sequence([], "list"), Sequence([Dim.of(-1), Dim.of(2)]), Sequence([Dim.of(B), BATCH, Dim.of(D)]),
    Sequence(NUMBERS[4:7], "list"), Sequence(TENSORS[:2], "list"), Sequence([TENSORS[24], TENSORS[24]], "list"),
    Sequence([Dim.of(0), Dim.of(1)]), Sequence([NONE, TENSORS[5]]), Sequence([Sequence([Dim.of(1)]), Dim.of(2)]),
]
ATTEMPTS = 60


def argument(chance: random.Random) -> Any:
    kind = chance.random()
    return chance.choice(TENSORS if kind < 0.5 else NUMBERS if kind < 0.75 else OTHERS)


def arguments(chance: random.Random, most: int) -> list[Any]:
    first = [chance.choice(TENSORS)] if chance.random() < 0.8 else []
    return first + [argument(chance) for _ in range(chance.randint(0, most))]


def is_result(value: Any) -> bool:
    return isinstance(value, (Value, Dim, Mismatch))


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_operations_never_raise(name):
    operation = OPERATIONS[name]
    chance = random.Random(name)  # noqa: S311 - the draws only vary a test
    signature = operation.signature
    for _ in range(ATTEMPTS):
        args = arguments(chance, max(signature.positional, 3 if signature.rest else 0))
        named = [key for key in (*signature.names[len(args) :], *signature.keyword_only) if chance.random() < 0.3]
        kwargs = {key: argument(chance) for key in named}
        previous = use(Context())
        try:
            assert is_result(operation(args, kwargs)), f"{name}({args}, {kwargs})"
        except Exception as error:
            raise AssertionError(f"{name}({args}, {kwargs})") from error
        finally:
            use(previous)


@pytest.mark.parametrize("name", sorted(MODULES))
def test_layers_never_raise(name):
    cls = MODULES[name]
    chance = random.Random(name)  # noqa: S311 - the draws only vary a test
    for _ in range(ATTEMPTS):
        previous = use(Context())
        args = [argument(chance) for _ in range(chance.randint(0, 4))]
        called = arguments(chance, 3)
        try:
            made = ops.construct(cls, args, {})
            if isinstance(made, ops.Module):
                assert is_result(ops.forward(made, called, {})), f"{name}({args})({called})"
                assert all(map(is_result, made.attributes().values()))
        except Exception as error:
            raise AssertionError(f"{name}({args})({called})") from error
        finally:
            use(previous)


@pytest.mark.parametrize("name", sorted(ATTRIBUTES))
def test_attributes_never_raise(name):
    for tensor in TENSORS:
        assert is_result(ATTRIBUTES[name](tensor))
