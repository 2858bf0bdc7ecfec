"""SC303 for indices, and for a row where rows were meant.

An index axis runs along another axis of the operand than the one that it is:
``q.gather(0, action[None])`` with ``[batch, actions]`` and ``[1, batch]``: apart from the indexed axis, position i of
the index takes from position i of the operand, so that sample i takes from action i. It runs for every batch that is
not larger. Broadcasting looks for the same fault in ``shapes.broadcast``.

``x + table[t]`` with ``[batch, t, d]`` and ``[length, d]``: the size of an axis picks one row, which is then broadcast
along that very axis; ``table[:t]`` takes a row for each of its elements. Where such rows are added too, the one may
well tell every element how many there are.
"""

from __future__ import annotations

from shapecheck.dims import Dim, Kind
from shapecheck.rules.observed import Observed, axis_name, here, methods, watch
from shapecheck.shapes import Axis, Fault, Mark, Mismatch, Sequence, Shape, Tensor, Undecided, current, scope

ROW = "row"
_PRODUCTS = (
    "operator.matmul", *methods("matmul"), "torch.nn.functional.scaled_dot_product_attention",
)  # fmt: skip
_JOINED = ("torch.cat", "torch.concat", "torch.concatenate")


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


@watch("operator.getitem", *methods("select"))
def _row(call: Observed) -> None:
    """One row of a table, at the place that the size of an axis gives."""
    source, result = call.tensor(0, "input"), call.result
    if source is None or not isinstance(result, Tensor) or not result.shape.axes:
        return
    index = call.argument(1) if call.name.endswith("getitem") else call.argument(2, "index")
    for entry in index.items if isinstance(index, Sequence) else [index]:
        size = entry if isinstance(entry, Dim) else None
        if size is not None and axis_name(Axis.of(size)) is not None:
            call.result = Tensor(result.shape, result.dtype, result.kind, Mark(ROW, (size, here())))


class Rows:
    """What was added in a function along the axes of its data.

    Attributes:
        sizes: of the axes along which each place of all samples got a row of its own.
        cases: the single rows, each excused as soon as rows are added along the axis.
    """

    __slots__ = ("cases", "sizes")

    def __init__(self) -> None:
        self.sizes: list[Dim] = []
        self.cases: list[Undecided] = []


@watch("operator.add", *methods("add"))
def _add(call: Observed) -> None:
    left, right = call.tensor(0, "input"), call.tensor(1, "other")
    if left is None or right is None or left.shape.rest is not None or right.shape.rest is not None:
        return
    sizes, cases = _rows_of_all(left, right) or _rows_of_all(right, left), _single_rows(call)
    if not sizes and not cases:
        return
    rows = current().notes.setdefault(Rows, Rows())
    if isinstance(rows, Rows):
        rows.sizes += sizes
        rows.cases += cases
        for case in rows.cases:
            along = case.left
            case.excused = isinstance(along, Dim) and any(scope().equal(size, along) for size in rows.sizes)


def _rows_of_all(table: Tensor, samples: Tensor) -> list[Dim]:
    """The sizes along which a table that is the same for all samples has rows."""
    own = [back for back, axis in enumerate(reversed(table.shape.known), 1) if not axis.is_one]
    furthest = max(own, default=0)
    if len(own) < 2 or all(axis.is_one for axis in samples.shape.known[: max(len(samples.shape) - furthest, 0)]):
        return []
    facing = [samples.shape.known[-back] for back in own[1:]]
    return [axis.size for axis in facing if not axis.is_one]


def _single_rows(call: Observed) -> list[Undecided]:
    """Note the row of a table that is added to every place along an axis."""
    for one, other in ((0, 1), (1, 0)):
        row, along = call.tensor(one, "input", "other"), call.tensor(other, "other", "input")
        if row is None or along is None or row.mark is None or row.mark.kind != ROW:
            continue
        found = row.mark.place
        if not isinstance(found, tuple):
            continue
        size, place = found
        for position, axis in enumerate(along.shape.known if along.shape.rest is None else ()):
            behind = len(row.shape) - (len(along.shape) - position)
            facing = row.shape[behind] if behind >= 0 else None
            broadcasts = facing is None or (isinstance(facing, Axis) and facing.is_one)
            if broadcasts and scope().equal(axis.size, size):
                case = Undecided(
                    kind=Fault.ROW, axis=position, left=axis.size, left_shape=along.shape, right_shape=row.shape,
                    place=place,
                )
                call.suspect(case)
                return [case]
    return []


@watch(*_PRODUCTS)
def _product(call: Observed) -> None:
    """``[b, n, heads, d]`` with ``[b, heads, m, d]``: an axis name meets a parameter that its operand has elsewhere."""
    left, right = call.tensor(0, "input", "query"), call.tensor(1, "other", "key")
    if left is None or right is None or not left.shape.rank or left.shape.rank != right.shape.rank:
        return
    for one, other in ((left.shape, right.shape), (right.shape, left.shape)):
        for position in range(len(one) - 2):
            facing = other.known[position]
            if axis_name(one.known[position]) is not None and _is_elsewhere(facing, one, position):
                call.suspect(
                    Mismatch(
                        Fault.MISALIGNED, axis=position, other_axis=position, left=facing.size,
                        right=one.known[position].size, left_shape=one, right_shape=other,
                    )
                )
                return


@watch(*_JOINED)
def _joined(call: Observed) -> None:
    """``[b, 1, d]`` beside ``[b, d, n]``: a parameter is taken for the size of an axis that faces it."""
    parts, axes = call.argument(0, "tensors"), call.axes(1, "dim", "axis")
    if not isinstance(parts, Sequence) or axes is None:
        return
    shapes = [part.shape for part in parts.items if isinstance(part, Tensor) and part.shape.rank]
    for one in shapes:
        for other in shapes:
            along = one.position(axes[0])
            if one is other or len(one) != len(other):
                continue
            for position, facing in enumerate(other.known):
                mine = one.known[position]
                if position == along or mine.size == facing.size or mine.size.constant not in {None, 1}:
                    continue
                solution = None if facing.size.symbol is None else scope().solution(facing.size.symbol)
                solved = solution is not None and solution.place is here()
                if solved and one.known[along if isinstance(along, int) else 0].size == facing.size:
                    call.suspect(
                        Mismatch(
                            Fault.MISALIGNED, axis=position, other_axis=position, left=facing.size, right=mine.size,
                            left_shape=one, right_shape=other, detail=str(facing.size),
                        )
                    )
                    return


def _is_elsewhere(facing: Axis, shape: Shape, position: int) -> bool:
    """Whether a parameter, not known to be any other size, is the size of another axis of an operand."""
    if all(axis.size != facing.size for other, axis in enumerate(shape.known) if other != position):
        return False
    symbol = scope().normal(facing.size).symbol
    return symbol is not None and symbol.kind is Kind.FLEXIBLE
