"""SC303 for indices: an index axis runs along another axis of the operand than the one that it is.

``q.gather(0, action[None])`` with ``[batch, actions]`` and ``[1, batch]``: apart from the indexed axis, position i of
the index takes from position i of the operand, so that sample i takes from action i. It runs for every batch that is
not larger. Broadcasting looks for the same fault in ``shapes.broadcast``.
"""

from __future__ import annotations

from shapecheck.rules.observed import Observed, axis_name, methods, watch
from shapecheck.shapes import Fault, Mismatch


@watch(*methods("gather", "scatter", "scatter_", "scatter_add", "scatter_add_", "scatter_reduce", "take_along_dim"))
def _index(call: Observed) -> None:
    source, axes, index = call.tensor(0, "input"), call.axes(1, "dim"), call.tensor(2, "index")
    if call.name.endswith("take_along_dim"):
        axes, index = call.axes(2, "dim"), call.tensor(1, "indices")
    if source is None or index is None or axes is None or len(axes) != 1:
        return
    if source.shape.rank is None or source.shape.rank != index.shape.rank:
        return
    along = source.shape.position(axes[0])
    for position, (axis, one) in enumerate(zip(source.shape.known, index.shape.known, strict=True)):
        name = axis_name(one)
        if position == along or name is None or axis_name(axis) in {None, name}:
            continue
        elsewhere = [other for other in source.shape.known if other is not axis and axis_name(other) == name]
        if elsewhere and not any(axis_name(other) == axis_name(axis) for other in index.shape.known):
            call.suspect(
                Mismatch(
                    Fault.MISALIGNED, axis=position, other_axis=position, left=one.size, right=axis.size,
                    left_shape=source.shape, right_shape=index.shape,
                )
            )
            return
