"""Arrays that are no torch tensors: what numpy and jax call alike but mean otherwise, and what they share."""

from __future__ import annotations

import ast

from shapecheck.dims import Dim
from shapecheck.shapes import NONE, AnyValue, Opaque, Rest, Sequence, Tensor, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.static.frame import Frame

_REDUCTIONS = frozenset(("sum", "mean", "prod", "max", "min", "std", "var", "all", "any", "argmax", "argmin"))
_ALIKE = frozenset(("copy", "astype", "conj", "clip", "round", "block_until_ready"))
_SHARED_ATTRIBUTES = frozenset(("shape", "ndim", "T", "mT", "real", "imag"))


def is_torch(kind: str) -> bool:
    """Whether an array type has torch's methods, as far as its name tells."""
    if kind.startswith("torch"):
        return True
    last = kind.rpartition(".")[2]
    return "Tensor" in last or last in {"Any", "Parameter", "Buffer"}


def is_numpy(kind: str) -> bool:
    """Whether an array type has numpy's methods."""
    return kind.startswith(("numpy", "jax"))


def has_torch_attribute(tensor: Tensor, name: str) -> bool:
    """Whether an attribute means what it means for torch."""
    if is_torch(tensor.kind) or name in {"shape", "ndim"}:
        return True
    return is_numpy(tensor.kind) and name in _SHARED_ATTRIBUTES


def call_method(
    frame: Frame, node: ast.AST, array: Tensor, name: str, args: list[AnyValue], kwargs: dict[str, AnyValue]
) -> AnyValue:
    """A method of an array that is no torch tensor."""
    unknown = Unknown("an array of another library")
    if not is_numpy(array.kind):
        return unknown
    if name in _ALIKE:
        return array.reshaped(array.shape)
    if name in _REDUCTIONS:
        passed = {{"axis": "dim", "keepdims": "keepdim"}.get(key, key): value for key, value in kwargs.items()}
        if len(args) > 1 or passed.keys() - {"dim", "keepdim"}:
            return unknown
        if args:
            passed["dim"] = args[0]
        if passed.get("dim", NONE) == NONE:
            passed.pop("dim", None)
            if passed:
                return unknown
        name = "sum" if name not in {"argmax", "argmin"} else name
        return _as_array(array, frame.interpreter.apply(frame, node, f"torch.{name}", [array], passed, f".{name}"))
    if name in {"reshape", "transpose"} and not kwargs:
        if name == "transpose" and not args:
            return unknown
        sizes = args[0].items if len(args) == 1 and isinstance(args[0], Sequence) else args
        if any(isinstance(size, Rest) or not isinstance(size, (Dim, Opaque)) for size in sizes):
            return unknown
        operation = "torch.reshape" if name == "reshape" else "torch.permute"
        return _as_array(
            array, frame.interpreter.apply(frame, node, operation, [array, Sequence(sizes)], {}, f".{name}")
        )
    return unknown


def _as_array(array: Tensor, found: AnyValue) -> AnyValue:
    return Tensor(found.shape, found.dtype, array.kind) if isinstance(found, Tensor) else found
