"""The only place that builds sentences about shapes.

A message names axes before numbers, says what was found and what was wanted, and fits on one line; notes tell where a
size was bound; a repair says what to write.
"""

from __future__ import annotations

from itertools import permutations

from shapecheck.annotations import ArrayHint
from shapecheck.dims import Dim, Scope, Symbol
from shapecheck.shapes import Axis, Constant, Fault, Mismatch, Number, Opaque, Rest, Sequence, Shape, Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from shapecheck.annotations import InvalidHint
    from shapecheck.diagnostics.misfit import Misfit
    from shapecheck.shapes import AnyValue

MAX_PERMUTED = 6
MAX_NOTES = 6


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


def shape_text(shape: Shape | None) -> str:
    """A shape as messages show it: ``[B, T, D]``."""
    return "?" if shape is None else str(shape)


def value_text(value: AnyValue) -> str:
    """A value in a few words."""
    if isinstance(value, Tensor):
        return shape_text(value.shape)
    if isinstance(value, Sequence):
        return f"a {value.kind} of {len(value.items)}"
    return str(value) if isinstance(value, Dim) else "another value"


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
    return f'"{hint.text}": {message}' if len(hint.text) < 60 else message


# -- declarations ----------------------------------------------------------------------------------------------------


def misfit(found: Misfit, code: str, subject: str, scope: Scope, bound: Mapping[str, object]) -> Said:
    """A value that does not keep its declaration."""
    declared = f'"{found.hint.spec.shape.text}"' if isinstance(found.hint, ArrayHint) else "a tuple"
    actual = value_text(found.value)
    item = f" at {found.path}" if found.path else ""
    start = _opening(code, subject, actual, declared, item)
    notes: list[Explanation] = []
    repair = None
    if isinstance(found.hint, ArrayHint) and isinstance(found.value, Tensor):
        spec = found.hint.spec.shape
        if found.axis is None:
            start += f": {_axes(len(found.value.shape))} for {_axes(len(spec.axes))}"
        elif found.expected is not None and found.actual is not None:
            token = spec.axes[found.axis].text
            wanted = _with_value(token, found.expected, scope)
            start += f": axis {found.position} is {_plainly(found.actual, scope)}, not {wanted}"
            notes = _origins([found.expected, found.actual], scope)
            if found.because:
                notes.append(Explanation(_independent(found.expected, found.actual, scope)))
        repair = _permutation(found, scope, bound)
    return Said(start, notes, repair)


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


def _with_value(token: str, size: Dim, scope: Scope) -> str:
    normal = str(scope.normal(size))
    return token if normal.replace(" ", "") == token.lstrip("#*?") else f"{token} (= {normal})"


def _plainly(size: Dim, scope: Scope) -> str:
    normal = scope.normal(size)
    return str(size) if normal == size else f"{size} (= {normal})"


def _independent(left: Dim, right: Dim, scope: Scope) -> str:
    one, other = scope.normal(left), scope.normal(right)
    return f"{one} and {other} are two parameters: nothing makes them equal"


def _origins(sizes: list[Dim], scope: Scope) -> list[Explanation]:
    """Where the symbols of some sizes were solved."""
    notes: list[Explanation] = []
    seen: set[Symbol] = set()
    waiting = [atom for size in sizes for atom in size.atoms if isinstance(atom, Symbol)]
    waiting.sort(key=lambda symbol: symbol.serial)
    for symbol in waiting:
        if symbol in seen or len(notes) >= MAX_NOTES:
            continue
        seen.add(symbol)
        solution = scope.solution(symbol)
        if solution is not None and str(solution.value) != symbol.name:
            verb = "is narrowed to" if solution.narrowed else "is"
            notes.append(Explanation(f"{symbol.name} {verb} {solution.value}, needed here", solution.place))
    return notes


def _permutation(found: Misfit, scope: Scope, bound: Mapping[str, object]) -> str | None:
    """The transpose or permute after which the tensor would keep its declaration."""
    if not isinstance(found.hint, ArrayHint) or not isinstance(found.value, Tensor):
        return None
    tokens, axes = found.hint.spec.shape.axes, found.value.shape.known
    count = len(axes)
    if count != len(found.value.shape) or count != len(tokens) or not 1 < count <= MAX_PERMUTED:
        return None
    wanted: list[Dim | None] = []
    for token in tokens:
        size = Dim.of(token.size) if token.kind == "fixed" else bound.get(token.name) if token.kind == "name" else None
        wanted.append(size if isinstance(size, Dim) else None)
    if None in wanted:
        return None
    for order in permutations(range(count)):
        if all(
            size is not None and scope.equal(axes[source].size, size) for source, size in zip(order, wanted, strict=True)
        ):
            moved = [position for position, source in enumerate(order) if position != source]
            if not moved:
                return None
            if len(moved) == 2:  # noqa: PLR2004 - two axes changed places
                return f"`.transpose({moved[0]}, {moved[1]})` would make it fit"
            return f"`.permute({', '.join(map(str, order))})` would make it fit"
    return None


# -- operations ------------------------------------------------------------------------------------------------------


def mismatch(found: Mismatch, operation: str, scope: Scope) -> Said:
    """Operands that do not fit."""
    shown = found.operation or operation or "the operation"
    left, right = shape_text(found.left_shape), shape_text(found.right_shape)
    kind = found.kind
    if kind is Fault.BROADCAST:
        message = (
            f"{shown} of {left} and {right}: {_side(found.left, found.axis, 'left', scope)} meets "
            f"{_side(found.right, found.other_axis, 'right', scope)}"
        )
    elif kind is Fault.CONTRACTION:
        message = (
            f"{shown} of {left} and {right} sums over axes of unequal size: "
            f"{_size(found.left, scope)} and {_size(found.right, scope)}"
        )
    elif kind is Fault.SIZE:
        where = "" if found.axis is None else f" on axis {found.axis}"
        message = f"{shown} needs {_size(found.right, scope)}{where} of {left}, which has {_size(found.left, scope)}"
    elif kind is Fault.CONCAT:
        message = (
            f"{shown} of {left} and {right}: they differ on axis {found.axis} "
            f"({_size(found.left, scope)} and {_size(found.right, scope)}), which is not the one joined"
        )
    elif kind is Fault.SCRAMBLED:
        return _scrambled(found, shown)
    elif kind is Fault.OUTER:
        return _outer(found, shown, scope)
    else:
        message = _other_mismatch(found, shown, scope)
    notes = _origins([size for size in (found.left, found.right) if size is not None], scope)
    if found.because and found.left is not None and found.right is not None:
        notes.append(Explanation(_independent(found.left, found.right, scope)))
    return Said(message, notes)


def _other_mismatch(found: Mismatch, shown: str, scope: Scope) -> str:
    left, right = shape_text(found.left_shape), shape_text(found.right_shape)
    kind, detail = found.kind, found.detail
    if kind is Fault.RESHAPE:
        if found.right is None or found.left is None:
            return f"{shown} of {left}: {detail}" if detail else f"{shown} of {left} does not fit"
        return (
            f"{shown} of {left} to {right}: {scope.normal(found.left)} elements cannot become {scope.normal(found.right)}"
        )
    if kind is Fault.AXIS_RANGE:
        count = 0 if found.left_shape is None else len(found.left_shape)
        return f"{shown}: axis {found.axis} does not exist in {left}, which has {_axes(count)}"
    if kind is Fault.TOO_MANY_INDICES:
        return f"{shown}: more indices than axes in {left}"
    if kind is Fault.UNPACK:
        what = {"shape": "a shape of", "tensor": "a tensor of length"}.get(detail, "a tuple of")
        return f"{what} {found.left} is unpacked into {found.right} names"
    if kind is Fault.RANK:
        return f"{shown} needs {detail or 'another number of axes'}, but gets {left}"
    if kind is Fault.PATTERN:
        return f"{shown}: {detail}"
    if kind is Fault.PATTERN_RANK:
        return f"{shown}: the pattern {detail + ' ' if detail else ''}does not have as many axes as {left}"
    if kind is Fault.PATTERN_SIZE:
        sizes = f"{_size(found.left, scope)} and {_size(found.right, scope)}"
        return f"{shown}: `{detail}` stands for two sizes, {sizes}" if detail else f"{shown}: sizes {sizes} do not fit"
    if kind is Fault.DTYPE:
        return f"{shown} needs {detail}"
    return f"{shown} does not fit {left}" + (f" ({detail})" if detail else "")


def _size(size: Dim | None, scope: Scope) -> str:
    return "?" if size is None else _plainly(size, scope)


def _side(size: Dim | None, axis: int | None, side: str, scope: Scope) -> str:
    where = "" if axis is None else f" (axis {axis} of the {side})"
    return f"{_size(size, scope)}{where}"


def _scrambled(found: Mismatch, shown: str) -> Said:
    """A reshape that moves elements across axes."""
    left, right = shape_text(found.left_shape), shape_text(found.right_shape)
    held = " ".join(str(factor.size) for factor in found.factors)
    wanted = " ".join(
        str(group[0].size) if len(group) == 1 else f"({' '.join(str(factor.size) for factor in group)})" if group else "1"
        for group in found.wanted
    )
    message = (
        f"{shown} of {left} to {right} mixes elements of different axes: "
        f"in memory they lie in the order ({held}), the new axes read them as ({wanted})"
    )
    return Said(message, [], _unscramble(found))


def _unscramble(found: Mismatch) -> str | None:
    """Split first, move whole axes, then merge."""
    flat = [factor for group in found.wanted for factor in group]
    order: list[int] = []
    source: list[str] = []
    remaining = list(flat)
    for factor in found.factors:
        parts = [
            part for part in remaining
            if part == factor or (part.ident is not None and getattr(part.ident, "whole", None) == factor)
        ]
        if not parts:
            return None
        for part in parts:
            remaining.remove(part)
            order.append(flat.index(part))
            source.append(str(part.size))
    if remaining or len(set(order)) != len(flat):
        return None
    moves = [order.index(position) for position in range(len(flat))]
    changed = [position for position, origin in enumerate(moves) if position != origin]
    if len(changed) == 2:  # noqa: PLR2004 - two axes changed places
        move = f".transpose({changed[0]}, {changed[1]})"
    else:
        move = f".permute({', '.join(map(str, moves))})"
    split = f".view({', '.join(source)})" if len(source) != len(found.left_shape or ()) else ""
    merge = ""
    if any(len(group) != 1 for group in found.wanted) and found.right_shape is not None:
        merge = f".reshape({', '.join(str(axis) for axis in found.right_shape)})"
    return f"move the axes instead: `{split}{move}{merge}`"


def _outer(found: Mismatch, shown: str, scope: Scope) -> Said:
    left, right = shape_text(found.left_shape), shape_text(found.right_shape)
    size = _size(found.left, scope)
    message = (
        f"{shown} of {left} and {right} pairs every {size} with every other {size}: "
        f"the shorter operand lines up with the axis of size 1"
    )
    longer_left = len(found.left_shape or ()) >= len(found.right_shape or ())
    side = "left" if longer_left else "right"
    return Said(message, [], f"`.squeeze(-1)` on the {side}, or `.unsqueeze(-1)` on the other side, keeps them paired")
