"""The operations of einx that real packages call: element-wise ones, indexing and reductions by patterns.

einx's notation is wider than what is read here (``a...``, ``a + b``); what is not read is unknown, never malformed.
"""

from __future__ import annotations

from shapecheck.dims import Dim, No
from shapecheck.ops.axes import is_opaque
from shapecheck.ops.einops_pattern import DOTS, Malformed, Side, side
from shapecheck.ops.einops_rules import Bound, bind_names, composed, lengths_of
from shapecheck.ops.joining import common_dtype
from shapecheck.ops.registry import op
from shapecheck.shapes import (
    AnyValue,
    Axis,
    Constant,
    Fault,
    Mismatch,
    Number,
    Opaque,
    Shape,
    Tensor,
    Unknown,
    broadcast,
    require,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

ARITHMETIC: Final = "add subtract multiply divide true_divide floor_divide maximum minimum"
COMPARISONS: Final = "less less_equal greater greater_equal equal not_equal logical_and logical_or"
REDUCTIONS: Final = "sum mean var std prod min max logsumexp count_nonzero any all"


def _operand(value: object) -> Tensor | None:
    if isinstance(value, Tensor):
        return value
    if isinstance(value, Dim):
        return Tensor(Shape(()), "int")
    if isinstance(value, Number):
        return Tensor(Shape(()))
    if isinstance(value, Constant) and isinstance(value.value, (bool, float)):
        return Tensor(Shape(()), type(value.value).__name__)
    return Tensor(Shape.unknown()) if isinstance(value, (Unknown, Opaque)) else None


def _sides(text: str) -> tuple[list[Side], Side | None] | None:
    """The operands' patterns and the result's, which may be left out; None where the notation is not read."""
    if any(mark in text for mark in "+|{}=") or any(f"{mark}..." in text for mark in "abcdefghijklmnopqrstuvwxyz)]"):
        return None
    halves = text.replace("[", " ").replace("]", " ").split("->")
    if len(halves) > 2:
        return None
    inputs = [side(part) for part in halves[0].split(",")]
    output = side(halves[1]) if len(halves) == 2 else None
    if isinstance(output, Malformed) or any(isinstance(part, Malformed) for part in inputs):
        return None
    return [part for part in inputs if isinstance(part, Side)], output


def _largest(inputs: list[Side]) -> Side | None:
    """The one operand whose axes include all others'."""
    names = {name for part in inputs for name in part.names}
    found = {part for part in inputs if set(part.names) == names}
    return found.pop() if len(found) == 1 else None


def _joined(
    pattern: object, operands: tuple[object, ...], given: Mapping[str, object]
) -> tuple[Shape, list[Tensor]] | Mismatch | Unknown:
    """The shape that a pattern's right side describes, once every name has one size."""
    text = getattr(pattern, "value", None)
    sides = _sides(text) if isinstance(text, str) else None
    tensors = [found for found in map(_operand, operands) if found is not None]
    if sides is None or len(tensors) < len(operands) or len(sides[0]) != len(tensors):
        return Unknown("a pattern of einx that is not read")
    inputs, output = sides
    output = _largest(inputs) if output is None else output
    if output is None:
        return Unknown("a pattern of einx without a result")
    lengths = lengths_of({name: size for name, size in given.items() if name not in {"graph", "backend"}})
    axes: dict[str, tuple[Axis, Shape]] = {}
    between: list[Shape] = []
    for part, tensor in zip(inputs, tensors, strict=True):
        bound = bind_names(tensor.shape, part, lengths)
        if isinstance(bound, Mismatch):
            return bound if bound.kind is not Fault.PATTERN else Unknown("a pattern of einx that is not read")
        fault = _agree(axes, bound, tensor.shape)
        if fault is not None:
            return fault
        if part.dots is not None:
            between.append(Shape(bound.between))
    lead = broadcast(*between) if between else Shape(())
    if isinstance(lead, Mismatch):
        return lead
    if any(name not in axes and name not in lengths and name != DOTS and not name.isdecimal() for name in output.names):
        return Unknown("a pattern of einx with an axis of no size")
    return composed(output, Bound({name: axis for name, (axis, _) in axes.items()}, lead.axes), lengths), tensors


def _agree(axes: dict[str, tuple[Axis, Shape]], bound: Bound, shape: Shape) -> Mismatch | None:
    for name, axis in bound.axes.items():
        if name.isdecimal():
            continue
        known = axes.setdefault(name, (axis, shape))
        verdict = require(known[0].size, axis.size)
        if isinstance(verdict, No):
            return Mismatch(
                Fault.PATTERN_SIZE, left=known[0].size, right=axis.size, left_shape=known[1], right_shape=shape,
                detail=name, because=verdict.because,
            )
        if is_opaque(known[0].size):
            axes[name] = axis, shape
    return None


@op(*[f"einx.{name}" for name in ARITHMETIC.split()])
def arithmetic(pattern: object, *tensors: object, **axes: object) -> AnyValue | Mismatch:
    """``[b i], [b j] -> [b i j]`` for ``"b i, b j -> b i j"``."""
    found = _joined(pattern, tensors, axes)
    return Tensor(found[0], common_dtype(found[1])) if isinstance(found, tuple) else found


@op(*[f"einx.{name}" for name in COMPARISONS.split()])
def comparison(pattern: object, *tensors: object, **axes: object) -> AnyValue | Mismatch:
    """``[b i], [b j] -> [b i j]`` for ``"b i, b j -> b i j"``."""
    found = _joined(pattern, tensors, axes)
    return Tensor(found[0], "bool") if isinstance(found, tuple) else found


@op("einx.where")
def where(pattern: object, *tensors: object, **axes: object) -> AnyValue | Mismatch:
    """``[b n], [b n d], [] -> [b n d]`` for ``"b n, b n d, -> b n d"``."""
    found = _joined(pattern, tensors, axes)
    return Tensor(found[0], common_dtype(found[1][1:])) if isinstance(found, tuple) else found


@op("einx.get_at", "einx.set_at", "einx.add_at", "einx.subtract_at")
def get_at(pattern: object, *tensors: object, **axes: object) -> AnyValue | Mismatch:
    """``[b n d], [b i] -> [b i d]`` for ``"b [n] d, b i -> b i d"``."""
    text = getattr(pattern, "value", None)
    if not isinstance(text, str) or "->" not in text:
        return Unknown("a pattern of einx that is not read")
    found = _joined(pattern, tensors, axes)
    return Tensor(found[0], found[1][0].dtype) if isinstance(found, tuple) else found


@op("einx.rearrange", "einx.dot")
def rearrange(pattern: object, *tensors: object, **axes: object) -> AnyValue | Mismatch:
    """``[a b], [b c] -> [a c]`` for ``"a b, b c -> a c"``."""
    text = getattr(pattern, "value", None)
    if not isinstance(text, str) or "->" not in text or "[" in text:
        return Unknown("a pattern of einx that is not read")
    return arithmetic(pattern, *tensors, **axes)


@op(*[f"einx.{name}" for name in REDUCTIONS.split()])
def reduction(pattern: object, tensor: object, **axes: object) -> AnyValue | Mismatch:
    """``[b n d] -> [b d]`` for ``"b [n] d"``."""
    text = getattr(pattern, "value", None)
    keepdims = axes.pop("keepdims", None)
    if not isinstance(text, str) or keepdims is not None:
        return Unknown("a pattern of einx that is not read")
    if "->" not in text:
        if text.count("[") != text.count("]") or "(" in text:
            return Unknown("a pattern of einx that is not read")
        kept = " ".join(part.rpartition("]")[2] for part in text.split("["))
        text = f"{text} -> {kept}"
    found = _joined(Constant(text), (tensor,), axes)
    return Tensor(found[0]) if isinstance(found, tuple) else found
