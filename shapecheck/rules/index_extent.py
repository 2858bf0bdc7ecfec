"""SC314: an index with one place on an axis that is not the gathered one, where the tensor has more.

``x.gather(1, index[:, None, None])`` of ``[b, t, d]`` reads the first feature only: gather runs as far as its index
does, and so does scatter. Silent are an index that was cut there by a slice, a tensor that is the same all along that
axis, and one that may have one place there. `take_along_dim` broadcasts.
"""

from __future__ import annotations

from shapecheck.dims import Kind, Symbol
from shapecheck.rules.crossed_slices import CUT
from shapecheck.rules.observed import Observed, methods, watch
from shapecheck.shapes import Axis, Copies, Fault, Mismatch, Origin, scope

_ALONG = (
    *methods("gather", "scatter", "scatter_add", "scatter_reduce"),
    *[f"torch.Tensor.scatter{name}_" for name in ("", "_add", "_reduce")],
)


@watch(*_ALONG)
def _along(call: Observed) -> None:
    source, axes, index = call.tensor(0, "input"), call.axes(1, "dim"), call.tensor(2, "index")
    if source is None or index is None or axes is None or len(axes) != 1:
        return
    along = source.shape.position(axes[0])
    if not source.shape.rank or source.shape.rank != index.shape.rank or not isinstance(along, int):
        return
    for position, (axis, one) in enumerate(zip(source.shape.known, index.shape.known, strict=True)):
        if position != along and one.is_one and _is_longer(axis) and not _is_cut(one):
            gathered = index.shape.known[along]
            misplaced = not gathered.is_one and scope().equal(gathered.size, axis.size)
            call.suspect(
                Mismatch(
                    Fault.INDEX_EXTENT, axis=position, other_axis=along, left=axis.size,
                    right=source.shape.known[along].size, left_shape=source.shape, right_shape=index.shape,
                    detail=f"{call.name.rpartition('.')[2]}|{'misplaced' if misplaced else ''}",
                )
            )
            return


def _is_longer(axis: Axis) -> bool:
    """Whether a tensor has certainly more than one place along an axis, and not the same in each."""
    size = scope().normal(axis.size)
    if all(isinstance(factor.ident, Copies) for factor in axis.factors):
        return False
    return not axis.is_one and size.constant != 1 and all(map(_is_declared, size.atoms))


def _is_declared(atom: object) -> bool:
    return isinstance(atom, Symbol) and atom.kind is Kind.RIGID


def _is_cut(axis: Axis) -> bool:
    """Whether an axis of 1 was cut out of a longer one: the first place alone may be meant."""
    return axis.origin is Origin.DECLARED and axis.mark is not None and axis.mark.kind == CUT
