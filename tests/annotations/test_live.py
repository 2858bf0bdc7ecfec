"""The same annotation read from source and from the live object is the same hint."""

import ast
import random
import typing
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Optional, Union

import jaxtyping
import numpy as np
import torch
from jaxtyping import BFloat16, Bool, Float, Float32, Int, Int64, Num, Shaped, UInt8
from torch import Tensor, nn

from shapecheck.annotations import InvalidHint, Resolver, parse_annotation
from shapecheck.annotations.live import hint_from_live, qualified_name

NAMESPACE = {
    value.__name__ if hasattr(value, "__name__") else value._name: value
    for value in (BFloat16, Bool, Float, Float32, Int, Int64, Num, Shaped, UInt8, Tensor, Mapping, Sequence)
} | {
    "Annotated": Annotated, "Any": Any, "Optional": Optional, "Union": Union,
    "np": np, "nn": nn, "torch": torch, "typing": typing, "jaxtyping": jaxtyping,
}  # fmt: skip
AXES = [
    "B",
    "T",
    "*batch",
    "...",
    "_",
    "_x",
    "#n",
    "*#m",
    "rows=4",
    "3",
    "T-1",
    "2*D",
    "(h*w)",
    "{self.d_model}",
    "?leaf",
]
FAMILIES = ["Float", "Int", "Bool", "Shaped", "Num", "BFloat16", "Float32", "Int64", "UInt8", "jaxtyping.Real"]
ARRAYS = ["Tensor", "torch.Tensor", "np.ndarray", "nn.Parameter", "Any", "Tensor | np.ndarray", "float"]


class Namespace(Resolver):
    def resolve(self, dotted):
        try:
            value = eval(dotted, dict(NAMESPACE))  # noqa: S307
        except (NameError, AttributeError):
            return None
        return qualified_name(value)


def random_annotation(draw, depth=0):
    kind = draw.random()
    if kind < 0.5 or depth > 2:
        array = draw.choice(ARRAYS)
        if draw.random() < 0.2:
            array = f'{draw.choice(FAMILIES)}[{array}, "{draw.choice(AXES)}"]'
        shape = " ".join(draw.choice(AXES) for _ in range(draw.randint(0, 4)))
        return f'{draw.choice(FAMILIES)}[{array}, "{shape}"]'
    inner = [random_annotation(draw, depth + 1) for _ in range(draw.randint(1, 3))]
    return draw.choice(
        [
            f"Optional[{inner[0]}]",
            f"Union[{', '.join(inner)}]",
            f"({' | '.join(inner)}) | None",
            f"tuple[{', '.join(inner)}]",
            f"typing.Tuple[{inner[0]}, ...]",
            f"list[{inner[0]}]",
            f"Sequence[{inner[0]}]",
            f"dict[str, {inner[0]}]",
            f"typing.Mapping[int, {inner[0]}]",
            f"Annotated[{inner[0]}, 'documentation']",
            f"typing.Iterator[{inner[0]}]",
            f"typing.Callable[[{inner[0]}], int]",
            "int",
            "None",
            "nn.Module",
        ]
    )


def test_source_and_live_agree_on_generated_annotations():
    draw = random.Random(11)  # noqa: S311
    agreed = refused = 0
    for _ in range(3000):
        text = random_annotation(draw)
        from_source = parse_annotation(ast.parse(text, mode="eval").body, Namespace())
        try:
            live = eval(text, dict(NAMESPACE))  # noqa: S307
        except (ValueError, TypeError):
            assert "InvalidHint" in repr(from_source), text
            refused += 1
            continue
        assert from_source == hint_from_live(live), text
        agreed += 1
    assert agreed > 1000
    assert refused > 100


def test_custom_dtypes_keep_their_patterns():
    import re

    class Key(jaxtyping.AbstractDtype):
        dtypes = (re.compile("key<.*>"), "uint32")

    spec = hint_from_live(Key[Tensor, "n"]).spec
    assert (spec.dtype.names, spec.dtype.patterns) == (frozenset({"uint32"}), ("key<.*>",))


def test_type_variables_and_values():
    annotation = Float[Tensor, "n"]
    assert hint_from_live(annotation).value is annotation
    assert not isinstance(hint_from_live(typing.TypeVar("T")), InvalidHint)
