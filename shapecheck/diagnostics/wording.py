"""The only place that builds sentences about shapes.

A message names axes before numbers, says what was found and what was wanted, and fits on one line; notes tell where a
size was bound; a repair says what to write.
"""

from __future__ import annotations

from itertools import permutations

from shapecheck.annotations import ArrayHint
from shapecheck.dims import Dim, Kind, Scope, Symbol
from shapecheck.dims.exact import undivided
from shapecheck.shapes import Axis, Constant, Fault, Mismatch, Number, Opaque, Part, Rest, Sequence, Shape, Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from shapecheck.annotations import InvalidHint
    from shapecheck.diagnostics.misfit import Misfit
    from shapecheck.shapes import AnyValue, Factor

MAX_PERMUTED = 6
MAX_NOTES = 6
MAX_QUOTED = 60


class Explanation:
    """A sentence and the place it speaks of, in whatever form the caller remembers places."""

    __slots__ = ("message", "place")

    def __init__(self, message: str, place: object = None) -> None:
        self.message = message
        self.place = place


class Said:
    """What is said of one finding."""

    __slots__ = ("message", "notes", "repair")

    def __init__(self, message: str, notes: list[Explanation] | None = None, repair: str | None = None) -> None:
        self.message = message
        self.notes = notes or []
        self.repair = repair


class Speaker:
    """Shows sizes and shapes by the names that the reader of one function knows."""

    __slots__ = ("_names", "scope")

    def __init__(self, scope: Scope, bound: Mapping[str, object] | None = None) -> None:
        self.scope = scope
        self._names: dict[Dim, str] = {}
        for name, size in (bound or {}).items():
            if isinstance(size, Dim):
                normal = scope.normal(size)
                if normal.constant is None:
                    self._names.setdefault(normal, name)

    def size(self, size: Dim | None) -> str:
        """A size: the axis name it has in the function, or what is known of it."""
        if size is None:
            return "?"
        normal = self.scope.normal(size)
        name = self._names.get(normal)
        if name is not None:
            return name
        if any(isinstance(atom, Symbol) and atom.kind is Kind.OPAQUE for atom in normal.atoms):
            return "?"
        return str(undivided(normal) or normal)

    def axis(self, axis: Axis | Rest) -> str:
        """An axis of a shape."""
        return str(axis) if isinstance(axis, Rest) else self.size(axis.size)

    def shape(self, shape: Shape | None) -> str:
        """A shape: ``[B, T, D]``."""
        return "?" if shape is None else f"[{', '.join([self.axis(axis) for axis in shape])}]"

    def value(self, value: AnyValue) -> str:
        """A value in a few words."""
        if isinstance(value, Tensor):
            return self.shape(value.shape)
        if isinstance(value, Sequence):
            return f"a {value.kind} of {len(value.items)}"
        return self.size(value) if isinstance(value, Dim) else "another value"

    def origins(self, *sizes: Dim | None) -> list[Explanation]:
        """Where the symbols of some sizes were solved."""
        notes: list[Explanation] = []
        symbols = {atom for size in sizes if size is not None for atom in size.atoms if isinstance(atom, Symbol)}
        for symbol in sorted(symbols, key=_serial):
            solution = self.scope.solution(symbol)
            if solution is None or solution.place is None or len(notes) >= MAX_NOTES:
                continue
            value = self.size(solution.value)
            if value != symbol.name:
                verb = "is taken to be" if solution.narrowed else "is"
                notes.append(Explanation(f"`{symbol.name}` {verb} {value}, because of this", solution.place))
        return notes

    def independence(self, left: Dim | None, right: Dim | None, because: str) -> list[Explanation]:
        """Why two sizes that look alike are not: they are two names, or two parameters."""
        if not because or left is None or right is None:
            return []
        kind = {"names": "axis names", "parameters": "parameters"}.get(because)
        if kind is None:
            return []
        return [Explanation(f"{self.size(left)} and {self.size(right)} are two {kind}: nothing makes them equal")]


def _serial(symbol: Symbol) -> int:
    return symbol.serial


def revealed(value: AnyValue, scope: Scope) -> str:
    """The shape of a value as ``reveal_shape`` shows it: ``B T D``."""
    if isinstance(value, Tensor):
        axes = [str(axis) if isinstance(axis, Rest) else _axis_text(axis, scope) for axis in value.shape]
        return " ".join(axes) if axes else "(scalar)"
    if isinstance(value, Sequence):
        parts = [str(item) if isinstance(item, Rest) else revealed(item, scope) for item in value.items]
        return f"({', '.join(parts)})"
    if isinstance(value, Dim):
        return str(scope.normal(value))
    if isinstance(value, Constant):
        return repr(value.value)
    if isinstance(value, Number):
        return value.name
    if isinstance(value, Opaque):
        return str(scope.normal(value.size()))
    return "unknown"


def _axis_text(axis: Axis, scope: Scope) -> str:
    return str(scope.normal(axis.size)).replace(" ", "")


def invalid_annotation(hint: InvalidHint) -> str:
    """A shape string that does not parse."""
    message = hint.error.message
    return f'"{hint.text}": {message}' if len(hint.text) <= MAX_QUOTED else message


# -- declarations ----------------------------------------------------------------------------------------------------


def misfit(found: Misfit, code: str, subject: str, speaker: Speaker, bound: Mapping[str, object]) -> Said:
    """A value that does not keep its declaration; ``bound`` is what the declaration's names stand for."""
    declared = f'"{found.hint.spec.shape.text}"' if isinstance(found.hint, ArrayHint) else "a tuple"
    actual = speaker.value(found.value)
    item = f" at {found.path}" if found.path else ""
    message = _opening(code, subject, actual, declared, item)
    notes: list[Explanation] = []
    repair = None
    if isinstance(found.hint, ArrayHint) and isinstance(found.value, Tensor):
        spec = found.hint.spec.shape
        if found.axis is None:
            message += f": {_axes(len(found.value.shape))} for {_axes(len(spec.axes))}"
        elif found.expected is not None and found.actual is not None:
            token = spec.axes[found.axis].text
            wanted = speaker.size(found.expected)
            if wanted.replace(" ", "") != token.lstrip("#*?"):
                wanted = f"{token} (= {wanted} here)"
            message += f": axis {found.position} is {speaker.size(found.actual)}, not {wanted}"
            notes = speaker.origins(found.expected, found.actual)
            notes += speaker.independence(found.expected, found.actual, found.because)
        else:
            message += f": `{spec.axes[found.axis].text}` stands for other axes"
        repair = _permutation(found, speaker.scope, bound)
    return Said(message, notes, repair)


def _opening(code: str, subject: str, actual: str, declared: str, item: str) -> str:
    if code == "SC202":
        parameter, _, function = subject.partition("|")
        whose = f" of {function}" if function else ""
        return f"argument `{parameter}`{whose} gets {actual}{item} where {declared} is declared"
    if code == "SC206":
        return f"`{subject}` is {actual}{item} where {declared} is declared"
    return f"returns {actual}{item} where {declared} is declared"


def _axes(count: int) -> str:
    return f"{count} axis" if count == 1 else f"{count} axes"


def _permutation(found: Misfit, scope: Scope, bound: Mapping[str, object]) -> str | None:
    """The transpose or permute after which the tensor would keep its declaration."""
    if not isinstance(found.hint, ArrayHint) or not isinstance(found.value, Tensor):
        return None
    tokens, axes = found.hint.spec.shape.axes, found.value.shape.known
    count = len(axes)
    if count != len(found.value.shape) or count != len(tokens) or not 1 < count <= MAX_PERMUTED:
        return None
    wanted: list[Dim] = []
    for token in tokens:
        size = Dim.of(token.size) if token.kind == "fixed" else bound.get(token.name) if token.kind == "name" else None
        if not isinstance(size, Dim):
            return None
        wanted.append(size)
    for order in permutations(range(count)):
        if all(scope.equal(axes[source].size, size) for source, size in zip(order, wanted, strict=True)):
            moved = [position for position, source in enumerate(order) if position != source]
            return f"`{_move(list(order), moved)}` would make it fit" if moved else None
    return None


def _move(order: list[int], moved: list[int]) -> str:
    if len(moved) == 2:  # noqa: PLR2004 - two axes changed places
        return f".transpose({moved[0]}, {moved[1]})"
    return f".permute({', '.join(map(str, order))})"


# -- operations ------------------------------------------------------------------------------------------------------


def mismatch(found: Mismatch, operation: str, speaker: Speaker) -> Said:
    """Operands that do not fit, or that fit and are mixed up."""
    shown = found.operation or operation or "the operation"
    silent = _SILENT.get(found.kind)
    if silent is not None:
        return silent(found, shown, speaker)
    notes = speaker.origins(found.left, found.right)
    notes += speaker.independence(found.left, found.right, found.because)
    return Said(_MESSAGES[found.kind](found, shown, speaker), notes)


def _broadcast(found: Mismatch, shown: str, speaker: Speaker) -> str:
    left, right = speaker.shape(found.left_shape), speaker.shape(found.right_shape)
    return (
        f"{shown} of {left} and {right}: {speaker.size(found.left)}{_where(found.axis, 'left')} meets "
        f"{speaker.size(found.right)}{_where(found.other_axis, 'right')}"
    )


def _where(axis: int | None, side: str) -> str:
    return "" if axis is None else f" (axis {axis} of the {side})"


def _contraction(found: Mismatch, shown: str, speaker: Speaker) -> str:
    left, right = speaker.shape(found.left_shape), speaker.shape(found.right_shape)
    sizes = f"{speaker.size(found.left)}{_where(found.axis, 'left')} and {speaker.size(found.right)}"
    return f"{shown} of {left} and {right} sums over two sizes: {sizes}{_where(found.other_axis, 'right')}"


def _needs_size(found: Mismatch, shown: str, speaker: Speaker) -> str:
    where = "" if found.axis is None else f" on axis {_counted(found)}"
    left = speaker.shape(found.left_shape)
    if found.left is None or found.right is None:
        return f"{shown} does not fit {left}" + (f": {found.detail}" if found.detail else "")
    return f"{shown} needs {speaker.size(found.right)}{where} of {left}, which has {speaker.size(found.left)}"


def _counted(found: Mismatch) -> int | None:
    """An axis number counted from the start, as the reader counts the axes shown."""
    shape = found.left_shape
    if found.axis is None or found.axis >= 0 or shape is None or shape.rank is None:
        return found.axis
    return found.axis + shape.rank


def _concat(found: Mismatch, shown: str, speaker: Speaker) -> str:
    left, right = speaker.shape(found.left_shape), speaker.shape(found.right_shape)
    sizes = f"{speaker.size(found.left)} and {speaker.size(found.right)}"
    return f"{shown} of {left} and {right}: axis {found.axis}, which is not the joined one, has {sizes}"


def _reshape(found: Mismatch, shown: str, speaker: Speaker) -> str:
    left = speaker.shape(found.left_shape)
    if found.left is None or found.right is None:
        return f"{shown} of {left}: {found.detail}" if found.detail else f"{shown} of {left} does not fit"
    sizes = f"{speaker.size(found.left)} elements cannot become {speaker.size(found.right)}"
    return f"{shown} of {left} to {speaker.shape(found.right_shape)}: {sizes}"


def _axis_range(found: Mismatch, shown: str, speaker: Speaker) -> str:
    count = 0 if found.left_shape is None else len(found.left_shape)
    left = speaker.shape(found.left_shape)
    return f"{shown}: axis {found.axis} does not exist in {left}, which has {_axes(count)}"


def _too_many_indices(found: Mismatch, shown: str, speaker: Speaker) -> str:
    return f"{shown}: more indices than axes in {speaker.shape(found.left_shape)}"


def _index(found: Mismatch, shown: str, speaker: Speaker) -> str:
    del shown
    what = "a shape" if found.detail == "shape" else "a tuple"
    return f"index {speaker.size(found.right)} does not exist in {what} of {speaker.size(found.left)}"


def _unpack(found: Mismatch, shown: str, speaker: Speaker) -> str:
    del shown
    what = {"shape": "a shape of", "tensor": "a tensor of length"}.get(found.detail, "a tuple of")
    return f"{what} {speaker.size(found.left)} is unpacked into {speaker.size(found.right)} names"


def _rank(found: Mismatch, shown: str, speaker: Speaker) -> str:
    detail = found.detail
    wanted = f"{detail} {'axis' if detail == '1' else 'axes'}" if detail[:1].isdigit() or detail.startswith("at ") else detail
    return f"{shown} needs {wanted or 'another number of axes'}, but gets {speaker.shape(found.left_shape)}"


def _pattern(found: Mismatch, shown: str, speaker: Speaker) -> str:
    del speaker
    return f"{shown}: {found.detail}"


def _pattern_rank(found: Mismatch, shown: str, speaker: Speaker) -> str:
    left = speaker.shape(found.left_shape)
    if found.detail[:1].isdigit():
        return f"{shown}: the pattern has {_axes(int(found.detail))}, the tensor is {left}"
    detail = f"`{found.detail}` of the pattern" if found.detail else "the pattern"
    return f"{shown}: {detail} has another number of axes than {left}"


def _pattern_size(found: Mismatch, shown: str, speaker: Speaker) -> str:
    sizes = f"{speaker.size(found.left)} and {speaker.size(found.right)}"
    return f"{shown}: `{found.detail}` stands for two sizes, {sizes}" if found.detail else f"{shown}: {sizes} do not fit"


def _dtype(found: Mismatch, shown: str, speaker: Speaker) -> str:
    del speaker
    return f"{shown} needs {found.detail}"


_MESSAGES = {
    Fault.BROADCAST: _broadcast,
    Fault.CONTRACTION: _contraction,
    Fault.SIZE: _needs_size,
    Fault.CONCAT: _concat,
    Fault.RESHAPE: _reshape,
    Fault.AXIS_RANGE: _axis_range,
    Fault.TOO_MANY_INDICES: _too_many_indices,
    Fault.INDEX: _index,
    Fault.UNPACK: _unpack,
    Fault.RANK: _rank,
    Fault.PATTERN: _pattern,
    Fault.PATTERN_RANK: _pattern_rank,
    Fault.PATTERN_SIZE: _pattern_size,
    Fault.DTYPE: _dtype,
}


# -- silent faults ---------------------------------------------------------------------------------------------------


def _scrambled(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    """A reshape that moves elements across axes."""
    held = " ".join(speaker.size(factor.size) for factor in found.factors)
    wanted = " ".join(_group(group, speaker) for group in found.wanted)
    message = (
        f"{shown} of {speaker.shape(found.left_shape)} to {speaker.shape(found.right_shape)} mixes elements of "
        f"different axes: in memory they lie as ({held}), the new axes read them as ({wanted})"
    )
    return Said(message, [], _unscramble(found, speaker))


def _group(group: tuple[Factor, ...], speaker: Speaker) -> str:
    if len(group) == 1:
        return speaker.size(group[0].size)
    return f"({' '.join(speaker.size(factor.size) for factor in group)})" if group else "1"


def _unscramble(found: Mismatch, speaker: Speaker) -> str | None:
    """Split first, move whole axes, then merge."""
    flat = [factor for group in found.wanted for factor in group]
    remaining = list(flat)
    held: list[Factor] = []
    for factor in found.factors:
        parts = [
            part
            for part in remaining
            if part == factor or (isinstance(part.ident, Part) and part.ident.whole == factor)
        ]
        if not parts:
            return None
        for part in parts:
            remaining.remove(part)
        held += parts
    if remaining:
        return None
    order = [held.index(factor) for factor in flat]
    if len(set(order)) != len(order):
        return None
    moved = [position for position, source in enumerate(order) if position != source]
    split = ""
    if found.left_shape is None or len(held) != len(found.left_shape.axes):
        split = f".view({', '.join(speaker.size(factor.size) for factor in held)})"
    merge = ""
    if any(len(group) != 1 for group in found.wanted) and found.right_shape is not None:
        merge = f".reshape({', '.join(speaker.axis(axis) for axis in found.right_shape)})"
    return f"move whole axes instead: `{split}{_move(order, moved)}{merge}`"


def _outer(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    left, right = speaker.shape(found.left_shape), speaker.shape(found.right_shape)
    size = speaker.size(found.left)
    longer_left = len(found.left_shape or ()) >= len(found.right_shape or ())
    long, short = ("left", "right") if longer_left else ("right", "left")
    message = (
        f"{shown} of {left} and {right} pairs every {size} with every other {size}: "
        f"the {short} operand lines up with the last axis of the {long}, which is 1"
    )
    return Said(message, [], f"`.squeeze(-1)` on the {long}, or `.unsqueeze(-1)` on the {short}, keeps them paired")


def _axis_order(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    parameter, _, declared = found.detail.partition("|")
    actual = speaker.shape(found.left_shape)
    message = f'argument `{parameter}` of {shown} gets {actual} where "{declared}" is declared: the same axes in another order'
    shape = found.left_shape
    names = [] if shape is None else [speaker.axis(axis) for axis in shape]
    order = [names.index(name) for name in declared.split()]
    moved = [position for position, source in enumerate(order) if position != source]
    return Said(message, [], f"`{_move(order, moved)}` brings them into the declared order")


def _factor_order(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    one = " ".join(speaker.size(factor.size) for factor in found.factors)
    other = _group(found.wanted[0], speaker).strip("()") if found.wanted else "?"
    message = (
        f"{shown}: axis {found.axis} of {speaker.shape(found.left_shape)} counts through ({one}), "
        f"what it meets counts through ({other}): the same parts in another order"
    )
    return Said(message, [], "use `repeat_interleave` for `repeat` (or the other way round), or merge in the same order")


def _softmax_axis(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    del shown
    summed, normalised = speaker.size(found.left), speaker.size(found.right)
    message = (
        f"the softmax normalises {normalised} (axis {found.other_axis} of {speaker.shape(found.left_shape)}), but the "
        f"weighted sum runs over {summed} (axis {found.axis}): those weights do not add up to 1"
    )
    return Said(message, [], f"`softmax(dim={_from_end(found.axis, found.left_shape)})` normalises the axis that is summed over")


def _from_end(axis: int | None, shape: Shape | None) -> int | None:
    """An axis number as people write it in a softmax: counted from the end where that is short."""
    if axis is None or shape is None or shape.rank is None:
        return axis
    return axis - shape.rank if axis == shape.rank - 1 else axis


def _softmax_one(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    message = f"{shown} over axis {found.axis} of {speaker.shape(found.left_shape)}, which has size 1: every weight is 1"
    return Said(message)


def _flat_index(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    message = f"{shown} without an axis is one index into the whole tensor, compared with {speaker.shape(found.left_shape)}"
    return Said(message, [], "name the axis: `argmax(dim=-1)`")


def _batch_width(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    return Said(f"the width of {shown} is made of the batch size {speaker.size(found.left)}: it fits one batch size only")


def _batch_table(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    batch, left, right = speaker.size(found.left), speaker.shape(found.left_shape), speaker.shape(found.right_shape)
    message = f"{shown} of {left} and {right}: the table is cut to the batch size {batch} and lined up with the batch axis"
    return Said(message, [], "cut it to the length of the time axis, and put a 1 where the batch is")


def _batch_leak(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    batch, shape = speaker.size(found.left), speaker.shape(found.left_shape)
    if found.detail == "along":
        return Said(f"{shown} runs along the batch axis {batch} of {shape}: each sample depends on the others")
    message = f"the samples of {shape} are combined with one number of the whole batch: each depends on the others"
    return Said(message, [], "reduce over the other axes only: `dim=1, keepdim=True`")


def _batch_first(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    batch, shape = speaker.size(found.left), speaker.shape(found.left_shape)
    message = f"{shown} takes axis {found.axis} of {shape} for time, and that is the batch axis {batch}"
    return Said(message, [], f"make it with `batch_first={found.detail}`, or transpose its input")


def _squeeze_batch(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    message = f"{shown} of {speaker.shape(found.left_shape)} also drops {speaker.size(found.left)} when that is 1"
    return Said(message, [], f"name the axis: `.squeeze({_from_end(found.axis, found.left_shape)})`")


def _diagonal(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    operand = f" of {speaker.shape(found.left_shape)}" if found.left_shape is not None else ""
    message = f"{shown}: `{found.detail}` twice in one operand takes the diagonal{operand}, and meets another operand"
    return Said(message, [], "give the two axes letters of their own, and sum over one of them")


def _norm_axis(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    del shown
    left, right = speaker.size(found.left), speaker.size(found.right)
    message = (
        f"the mean of {speaker.shape(found.left_shape)} runs over {left} (axis {found.axis}), "
        f"but the parameters that scale the result belong to {right}"
    )
    return Said(message, [], f"take the statistics over {right}: `dim=-1`")


_SILENT = {
    Fault.SCRAMBLED: _scrambled,
    Fault.OUTER: _outer,
    Fault.AXIS_ORDER: _axis_order,
    Fault.FACTOR_ORDER: _factor_order,
    Fault.SOFTMAX_AXIS: _softmax_axis,
    Fault.SOFTMAX_ONE: _softmax_one,
    Fault.FLAT_INDEX: _flat_index,
    Fault.BATCH_WIDTH: _batch_width,
    Fault.BATCH_TABLE: _batch_table,
    Fault.BATCH_LEAK: _batch_leak,
    Fault.BATCH_FIRST: _batch_first,
    Fault.SQUEEZE_BATCH: _squeeze_batch,
    Fault.DIAGONAL: _diagonal,
    Fault.NORM_AXIS: _norm_axis,
}
