"""SC304: a callee's axis names arrive in another order: ``[b, h, t, d]`` where ``"b t h d"`` is declared.

The same names, two or more, none repeated, all of them names: that both functions use them for the same axes is as good
as certain. Silent where the caller itself declares an array in the callee's order, which it then has brought into
another one on purpose (attention along rows, then along columns).
"""

from __future__ import annotations

from shapecheck.annotations import ArrayHint
from shapecheck.rules.observed import axis_name
from shapecheck.shapes import Axis, Fault, Mismatch, Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

MIN_NAMES = 2


def axis_order(
    hint: ArrayHint, tensor: Tensor, shown: Callable[[Axis], str], declared: Iterable[tuple[str, ...]], parameter: str
) -> Mismatch | None:
    """The fault, if the names of the tensor's axes are those of the declaration in another order.

    Args:
        hint: the declared parameter.
        tensor: the argument.
        shown: the name that an axis has in the calling function.
        declared: the axis names of every array that the calling function declares, each in its order.
        parameter: the parameter's name.
    """
    tokens = hint.spec.shape.axes
    wanted = tuple([token.name for token in tokens])
    if len(tokens) < MIN_NAMES or any(token.kind != "name" or token.variadic or token.broadcast for token in tokens):
        return None
    if len(set(wanted)) != len(wanted) or len(tensor.shape) != len(tokens) or tensor.shape.rest is not None:
        return None
    actual = tuple([shown(axis) for axis in tensor.shape.known])
    if actual == wanted or wanted in declared:
        return None
    if set(actual) != set(wanted) and not _partly(tensor, actual, wanted):
        return None
    return Mismatch(Fault.AXIS_ORDER, left_shape=tensor.shape, detail=f"{parameter}|{hint.spec.shape.text}")


def _partly(tensor: Tensor, actual: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """Whether every axis with a name is one of the callee's, and the others are sizes that only the caller knows.

    ``[batch, self.heads, seq, width // self.heads]`` where ``"batch seq head dim"`` is declared.
    """
    named = [axis_name(axis) is not None for axis in tensor.shape.known]
    if sum(named) < MIN_NAMES or all(named) or any(axis.is_one for axis in tensor.shape.known):
        return False
    pairs = list(zip(actual, wanted, named, strict=True))
    if any(known and name not in wanted for name, _, known in pairs):
        return False
    names = [name for name, _, known in pairs if known]
    moved = [name for name, declared, known in pairs if known and name != declared]
    return len(set(names)) == len(names) and bool(moved) and len(moved) < len(names)
