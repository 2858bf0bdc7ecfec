"""What is asked of a live array: its type, dtype and shape, whatever framework it comes from.

Frameworks are looked up in `sys.modules` and never imported.
"""

from __future__ import annotations

import re
import sys
from typing import Any

from shapecheck.annotations.spec import DtypeSpec


class Reshaped:
    """An array as it would be with another shape: how repairs are tried out."""

    __slots__ = ("original", "shape")

    def __init__(self, original: object, shape: tuple[int, ...]) -> None:
        self.original = original
        self.shape = shape


def is_array(value: object) -> bool:
    """Whether `Float[Any, ...]` could accept the value at all."""
    return hasattr(value, "shape") and hasattr(value, "dtype")


def dtype_name(dtype: Any) -> str:
    """The name that jaxtyping compares: "float32" for `torch.float32`, `np.dtype("float32")` and jax's."""
    kind: Any = getattr(dtype, "type", None)
    if hasattr(kind, "__name__"):
        name: str = kind.__name__
        # A structured dtype is named by all of its fields.
        return str(dtype) if name == "void" and getattr(dtype, "names", None) else name
    if hasattr(dtype, "as_numpy_dtype"):
        tensorflow_name: str = dtype.as_numpy_dtype.__name__
        return tensorflow_name
    return dtype if isinstance(dtype, str) else repr(dtype).rpartition(".")[2]


def accepts_dtype(spec: DtypeSpec, name: str) -> bool:
    """Whether a family holds the dtype of this name."""
    if spec.names is None or name in spec.names:
        return True
    return any(re.match(pattern, name) for pattern in spec.patterns)


def torch_dtypes(spec: DtypeSpec) -> frozenset[object] | None:
    """The family as torch's own dtype objects, for tests by identity; None when it has to be compared by name."""
    torch = sys.modules.get("torch")
    if torch is None or spec.names is None or spec.patterns:
        return None
    found = [getattr(torch, name, None) for name in spec.names]
    return frozenset(dtype for dtype in found if isinstance(dtype, torch.dtype))


def is_proxy(value: object) -> bool:
    """Whether `torch.fx` is tracing: its proxies stand for tensors of no shape yet."""
    fx = sys.modules.get("torch.fx")
    return fx is not None and isinstance(value, fx.Proxy)


def shape_of(value: Any) -> tuple[int, ...]:
    """The shape as a plain tuple."""
    return tuple(value.shape)


def broadcast(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...] | None:
    """The shape two shapes broadcast to, None if they do not; numpy's rule."""
    if len(left) < len(right):
        left, right = right, left
    lead = len(left) - len(right)
    merged = list(left[:lead])
    for a, b in zip(left[lead:], right, strict=True):
        if a != b and 1 not in {a, b}:
            return None
        merged.append(b if a == 1 else a)
    return tuple(merged)


def widen(
    bound: tuple[bool, tuple[int, ...]] | None, shape: tuple[int, ...], *, broadcasts: bool
) -> tuple[bool, tuple[int, ...]] | None:
    """Meet another value of a variadic name: what is bound afterwards, None when it does not fit.

    A binding is whether its last occurrence was written `*#name`, and the shape (jaxtyping's `_check_shape`).
    """
    if bound is None:
        return (broadcasts, shape)
    flexible, previous = bound
    if not flexible and not broadcasts:
        return bound if shape == previous else None
    merged = broadcast(shape, previous)
    if merged is None:
        return None
    if flexible:
        return (broadcasts, merged) if broadcasts or merged == shape else None
    return bound if merged == previous else None
