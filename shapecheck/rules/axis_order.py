"""SC304: a callee's axis names arrive in another order: ``[b, h, t, d]`` where ``"b t h d"`` is declared.

The same names, two or more, none repeated, all of them names: that both functions use them for the same axes is as good
as certain. Silent where the caller itself declares an array in the callee's order, which it then has brought into
another one on purpose (attention along rows, then along columns).
"""

from __future__ import annotations

from shapecheck.annotations import ArrayHint
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
    if actual == wanted or set(actual) != set(wanted) or wanted in declared:
        return None
    return Mismatch(Fault.AXIS_ORDER, left_shape=tensor.shape, detail=f"{parameter}|{hint.spec.shape.text}")
