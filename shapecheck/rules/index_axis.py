"""SC314: places along one axis are used on another, or taken apart by the size of another.

``flat // beam`` of places along ``(beam vocab)``: the inner size divides. Places of points within a sample, used on a
table of the points of all samples, read from the first sample only. Places along t, used on the batch.
"""

from __future__ import annotations

from shapecheck.dims import ONE, Dim, Kind, Symbol
from shapecheck.rules.indices import Index, Quotient, index_of, marked, size_of
from shapecheck.rules.observed import Observed, axis_name, is_batch, methods, watch, watch_marked
from shapecheck.shapes import ELLIPSIS, Axis, Constant, Factor, Fault, Mismatch, Sequence, Shape, Tensor, merged, scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.shapes import AnyValue

_FLOORS = ("floor", "trunc")
_INTEGER = ("floordiv", "floor_divide", "mod", "remainder", "fmod")


# -- taking a flat index apart -----------------------------------------------------------------------------------------


@watch_marked("operator.floordiv", "operator.mod", "operator.truediv",
       *methods("floor_divide", "remainder", "fmod", "div", "divide", "true_divide"))  # fmt: skip
def _divided(call: Observed) -> None:
    index, size = index_of(call.argument(0, "input")), size_of(call.argument(1, "other"))
    if index is None or size is None:
        return
    last = call.name.rpartition(".")[2]
    mode = call.argument(2, "rounding_mode")
    floored = last in _INTEGER or (isinstance(mode, Constant) and mode.value in _FLOORS)
    if not floored:
        call.result = marked(call.result, Quotient(index, size))
        return
    _take_apart(call, index, size, remainder=last in {"mod", "remainder", "fmod"})


@watch_marked(*methods("floor", "trunc"), "torch.Tensor.long", "torch.Tensor.int", "torch.Tensor.to")
def _rounded(call: Observed) -> None:
    source = call.tensor(0, "input")
    mark = None if source is None else source.mark
    whole = isinstance(call.result, Tensor) and (call.result.dtype == "int" or not call.name.endswith(".to"))
    if isinstance(mark, Quotient) and mark.index.terms and whole:
        _take_apart(call, mark.index, mark.divisor, remainder=False)


def _take_apart(call: Observed, index: Index, size: Dim, *, remainder: bool) -> None:
    """The part of a flat index that a division gives; a fault if it goes by a size that is not the inner one."""
    axis, stride = index.terms[0]
    factors = axis.factors
    if len(index.terms) != 1 or stride != ONE:
        return
    if index.found in _COUNTING and (held := _times(axis.size, size)) is not None:
        # Numbers that count the rows of a product of axes: in which order these lie, the product does not say.
        call.result = marked(call.result, index.over([(Axis.of(size if remainder else held), ONE)]))
        return
    if len(factors) < 2 or not _followed(factors):
        return
    if scope().normal(size).constant is not None:
        return
    inner = ONE
    for start in range(len(factors) - 1, 0, -1):
        inner *= factors[start].size
        if scope().equal(size, inner):
            part = factors[start:] if remainder else factors[:start]
            call.result = marked(call.result, index.over([(_axis(part), ONE)]))
            return
    count = len(factors)
    for run in [factors[start:end] for start in range(count) for end in range(start + 1, count)]:
        if scope().equal(size, _product(run)):
            call.suspect(
                Mismatch(
                    Fault.INDEX_PARTS, left=size, right=_product(factors[-len(run) :]), left_shape=index.source,
                    factors=factors, detail=f"{index.found}|{'%' if remainder else '//'}",
                )
            )
            return


@watch_marked("torch.unravel_index")
def _unravelled(call: Observed) -> None:
    index, sizes, result = index_of(call.argument(0, "indices")), call.argument(1, "shape"), call.result
    if index is None or not isinstance(sizes, Sequence) or not isinstance(result, Sequence):
        return
    axis, stride = index.terms[0]
    given = [size_of(size) for size in sizes.items]  # type: ignore[arg-type]  # sizes
    factors = axis.factors
    if len(index.terms) != 1 or stride != ONE or len(factors) != len(given) or not _followed(factors):
        return
    wanted = [factor.size for factor in factors]
    if all(one is not None and scope().equal(one, other) for one, other in zip(given, wanted, strict=True)):
        parts = [
            marked(item, index.over([(_axis((factor,)), ONE)]))  # type: ignore[arg-type]  # a tensor
            for item, factor in zip(result.items, factors, strict=True)
        ]
        call.result = Sequence(parts, result.kind, result.fields)
    elif _permutes([scope().normal(size) for size in given if size is not None], [scope().normal(w) for w in wanted]):
        call.suspect(
            Mismatch(
                Fault.INDEX_PARTS, left_shape=index.source, factors=factors, detail=f"{index.found}|unravel",
            )
        )


def _permutes(given: list[Dim], wanted: list[Dim]) -> bool:
    """Whether sizes are others in another order."""
    left = list(wanted)
    for size in given:
        if size not in left:
            return False
        left.remove(size)
    return not left


def _axis(factors: tuple[Factor, ...]) -> Axis:
    return merged([Axis(factor.size, (factor,)) for factor in factors], scope())


def _followed(factors: tuple[Factor, ...]) -> bool:
    return all(factor.ident is not None for factor in factors)


# -- using places on an axis -------------------------------------------------------------------------------------------


@watch_marked("operator.getitem", "torch.Tensor.__getitem__")
def _subscript(call: Observed) -> None:
    source, subscript = call.tensor(0), call.argument(1)
    if source is None or subscript is None or source.shape.rest is not None:
        return
    if isinstance(subscript, Tensor):
        if subscript.mark is not None:
            _used(call, source.shape, 0, subscript)
        return
    if not isinstance(subscript, Sequence) or subscript.kind != "tuple":
        return
    if not any(index_of(entry) is not None for entry in subscript.items):  # type: ignore[arg-type]  # abstract values
        return
    entries = list(subscript.items)
    taken = [_taken(entry) for entry in entries]  # type: ignore[arg-type]  # abstract values
    position, placed = 0, list[tuple[int, Tensor]]()
    for entry, count in zip(entries, taken, strict=True):
        if isinstance(entry, Tensor) and count == 1 and position < len(source.shape):
            placed.append((position, entry))
        position += len(source.shape) - sum(taken) if entry == ELLIPSIS else count
    if not _exchanged(call, source.shape, placed):
        for position, entry in placed:
            _used(call, source.shape, position, entry)


def _taken(entry: AnyValue) -> int:
    """How many axes an entry of a subscript takes."""
    if isinstance(entry, Constant):
        return 0
    return len(entry.shape) if isinstance(entry, Tensor) and entry.dtype == "bool" else 1


@watch(*methods("gather", "index_select", "index_add", "index_copy", "scatter", "scatter_add", "scatter_reduce"))
def _along(call: Observed) -> None:
    source, axes, places = call.tensor(0, "input"), call.axes(1, "dim"), call.tensor(2, "index")
    if source is not None and axes is not None and places is not None and places.mark is not None:
        rows = not call.name.endswith(("index_select", "index_add", "index_copy"))
        _at(call, source.shape, axes[0], places, rows=rows)


@watch(*methods("take_along_dim"))
def _take_along(call: Observed) -> None:
    source, axes, places = call.tensor(0, "input"), call.axes(2, "dim"), call.tensor(1, "indices")
    if source is not None and axes is not None and places is not None:
        _at(call, source.shape, axes[0], places, rows=True)


@watch("torch.nn.functional.embedding", "torch.embedding")
def _embedding(call: Observed) -> None:
    first, second = call.tensor(0, "input", "weight"), call.tensor(1, "weight", "input")
    places, table = (first, second) if call.name.startswith("torch.nn") else (second, first)
    if places is not None and table is not None and table.shape.rank == 2:
        _used(call, table.shape, 0, places)


def _at(call: Observed, shape: Shape, dim: int, places: Tensor, *, rows: bool) -> None:
    position = shape.position(dim)
    if isinstance(position, int) and shape.rest is None:
        _used(call, shape, position, places, rows=rows)


def _used(call: Observed, shape: Shape, position: int, places: Tensor, *, rows: bool = False) -> None:
    """Report places that are none of the axis that they are used on.

    With ``rows`` each row of places goes with the row of the tensor that has its number.
    """
    index = index_of(places)
    if index is None or places.dtype != "int" or position >= len(shape):
        return
    axis = shape[position]
    if not isinstance(axis, Axis):
        return
    found = None
    if index.found == "arange" and _times(index.terms[0][0].size, axis.size) is not None:
        found = _beyond(index, axis)
    elif len(index.terms) > 1:
        found = _wrong_stride(index, axis)
    elif index.terms[0][1] == ONE:
        found = _without_offset(index.terms[0][0], axis, places.shape) or _of_another(
            index, axis, shape, ranked=rows and index.ranks and _in_line(places.shape, shape)
        )
    if found is not None:
        call.suspect(found.replace(axis=position, left_shape=shape, right_shape=index.source, place=None))


def _times(size: Dim, part: Dim) -> Dim | None:
    """How many times, other than once, a product of named axes holds one of them; None if it is no such product."""
    whole, divisor = scope().normal(size), scope().normal(part)
    count = scope().normal(whole // divisor)
    names = [*divisor.atoms, *count.atoms]
    exact = all(isinstance(atom, Symbol) and atom.kind is Kind.RIGID for atom in names)
    return count if exact and divisor.constant is None and count.constant is None and count * divisor == whole else None


def _beyond(index: Index, axis: Axis) -> Mismatch | None:
    """``arange(b * t)`` used on t: of the last samples there is nothing."""
    if len(index.terms) != 1 or index.terms[0][1] != ONE:
        return None
    return Mismatch(Fault.INDEX_AXIS, left=index.terms[0][0].size, right=axis.size, detail="arange|beyond")


def _wrong_stride(index: Index, axis: Axis) -> Mismatch | None:
    """``column * rows + row`` on an axis that lies as (rows columns)."""
    factors = axis.factors
    if not _followed(factors):
        return None
    places = range(len(factors) + 1)
    sizes = {scope().normal(_product(factors[start:end])) for start in places for end in places}
    wrong = None
    for part, stride in index.terms:
        start = _find(part.factors, factors)
        if start is None or scope().normal(stride) not in sizes:
            return None
        wanted = _product(factors[start + len(part.factors) :])
        if not scope().equal(stride, wanted) and wrong is None:
            wrong = Mismatch(
                Fault.INDEX_STRIDE, left=part.size, right=wanted, factors=factors, wanted=((Factor(stride, None),),)
            )
    return wrong


def _without_offset(part: Axis, axis: Axis, places: Shape) -> Mismatch | None:
    """Places within a sample, one for each of several samples, on an axis that holds those of all samples."""
    count = len(axis.factors) - len(part.factors)
    outer = axis.factors[:count]
    if count < 1 or not part.factors or axis.factors[count:] != part.factors or not _followed(axis.factors):
        return None
    held = [factor for one in places.known for factor in one.factors]
    if not all(factor in held and factor.size.constant is None for factor in outer):
        return None
    return Mismatch(Fault.INDEX_OFFSET, left=_product(outer), right=part.size, factors=axis.factors)


def _find(part: tuple[Factor, ...], whole: tuple[Factor, ...]) -> int | None:
    """Where some factors stand in others, one behind the other."""
    if not part:
        return None
    return next((start for start in range(len(whole)) if whole[start : start + len(part)] == part), None)


def _product(factors: tuple[Factor, ...]) -> Dim:
    size = ONE
    for factor in factors:
        size *= factor.size
    return size


# -- places along one axis, used on another ----------------------------------------------------------------------------


_COUNTING = frozenset(("arange", "randperm"))
"""What is used on any axis: the first so many, or some of them."""
_LISTING = frozenset("ijklmnpqruv")
_BOTH = ({"s", "t"}, {"q", "s"}, {"src", "tgt"}, {"source", "target"}, {"query", "key"})


def _in_line(places: Shape, shape: Shape) -> bool:
    """Whether places lie along the same named axes as a tensor, in the same order."""
    names = [axis_name(one) for one in places.axes]
    return None not in names and names == [axis_name(one) for one in shape.axes]


def _of_another(index: Index, axis: Axis, shape: Shape, *, ranked: bool) -> Mismatch | None:
    """Places along an axis that the tensor has elsewhere.

    Where they are ``ranked``, a row of places is of one rank, and the row of the tensor beside it of one place: that is
    wrong for pairs of the same elements, too.
    """
    name, wanted = axis_name(axis), axis_name(index.terms[0][0])
    if name is None or wanted is None or name == wanted or index.found in _COUNTING:
        return None
    if wanted not in [axis_name(one) for one in shape.known] or scope().equal(axis.size, index.terms[0][0].size):
        return None
    if alike(name, wanted) or (not ranked and index.source is not None and _pairs(index.source, name, wanted)):
        return None
    return Mismatch(Fault.INDEX_AXIS, left=index.terms[0][0].size, right=axis.size, detail=index.found)


def alike(name: str, other: str) -> bool:
    """Whether two names may list the same elements: ``i`` and ``j``, ``n1`` and ``n2``, ``res_i`` and ``res_j``."""
    if {name, other} <= _LISTING or {name, other} in _BOTH:
        return True
    one, two = [text.rstrip("0123456789'").rstrip("_") for text in (name, other)]
    stems = [text.rpartition("_")[0] for text in (name, other) if len(text.rpartition("_")[2]) == 1]
    return one == two or (len(stems) == 2 and stems[0] == stems[1] != "")


def _pairs(source: Shape, name: str, wanted: str) -> bool:
    """Whether the places were found in a matrix of pairs, whose two axes may list the same elements."""
    known = [axis_name(one) for one in source.known]
    return name in known and wanted in known and not any(
        is_batch(source, known.index(one)) and known.index(one) == 0 for one in (name, wanted)
    )


def _exchanged(call: Observed, shape: Shape, placed: list[tuple[int, Tensor]]) -> bool:
    """``image[xs, ys]`` of ``[h, w]``: each of two tensors of places stands where the other belongs."""
    found = [(position, index_of(entry)) for position, entry in placed]
    known = [
        (position, axis_name(shape[position]), axis_name(index.terms[0][0]))
        for position, index in found
        if index is not None and len(index.terms) == 1 and index.terms[0][1] == ONE and index.found not in _COUNTING
    ]
    for number, (position, name, wanted) in enumerate(known):
        for _, other, its in known[number + 1 :]:
            if name is None or wanted is None or name == wanted or alike(name, wanted):
                continue
            if (name, wanted) == (its, other):
                index = next(one for place, one in found if place == position)
                if index is not None:
                    call.suspect(
                        Mismatch(
                            Fault.INDEX_AXIS, axis=position, left=index.terms[0][0].size,
                            right=shape.known[position].size, left_shape=shape, right_shape=index.source,
                            detail=f"{index.found}|exchanged",
                        )
                    )
                return True
    return False
