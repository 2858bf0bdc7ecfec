"""The only place that builds sentences about shapes.

A message names axes before numbers, says what was found and what was wanted, and fits on one line; notes tell where a
size was bound; a repair says what to write.
"""

from __future__ import annotations

from itertools import permutations

from shapecheck.annotations import ArrayHint
from shapecheck.diagnostics.speaker import Explanation, Said, Speaker, move
from shapecheck.diagnostics.wording_silent import SILENT
from shapecheck.dims import Dim, Scope
from shapecheck.shapes import Axis, Constant, Fault, Mismatch, Number, Opaque, Rest, Sequence, Tensor, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from shapecheck.annotations import InvalidHint
    from shapecheck.diagnostics.misfit import Misfit
    from shapecheck.shapes import AnyValue, Shape

MAX_PERMUTED = 6
MAX_QUOTED = 60
MAX_BESIDE = 4
"""Items of a tuple that are told one by one."""


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


def beside(value: AnyValue, speaker: Speaker) -> str:
    """A value as it stands beside the line that computes it: ``[B, T, D]``; empty where there is nothing to tell."""
    if isinstance(value, Tensor):
        return speaker.shape(value.shape)
    if isinstance(value, Dim):
        return speaker.size(value)
    if isinstance(value, Unknown):
        return f"? ({value.why})"
    if isinstance(value, Sequence):
        parts = ["..." if isinstance(item, Rest) else beside(item, speaker) for item in value.items]
        if not any(parts):
            return ""
        if len(parts) > MAX_BESIDE and len(set(parts)) == 1:
            return f"{len(parts)} x {parts[0]}"
        shown = [part or "_" for part in parts[:MAX_BESIDE]]
        return f"({', '.join(shown)}{f', ... {len(parts)} in all' if len(parts) > MAX_BESIDE else ''})"
    return ""


def beside_names(shown: list[tuple[str, str]]) -> str:
    """The values of the names that one line binds, those that look alike told together: ``q, k: [B, T, D]``.

    A value without a name is that of the whole line.
    """
    together: dict[str, list[str]] = {}
    for name, text in shown:
        if text and text != name:
            together.setdefault(text, []).append(name)
    return "; ".join(f"{', '.join(names)}: {text}" if any(names) else text for text, names in together.items())


def beside_choice(options: list[str]) -> str:
    """One of several values: ``[B, T] or None``."""
    return " or ".join(dict.fromkeys(option for option in options if option))


def beside_layer(weight: str) -> str:
    """A module of torch, by its weight."""
    return f"weight {weight}"


def beside_items(element: str, kind: str) -> str:
    """A list of unknown length, by its items."""
    return f"{kind} of {element}" if element else ""


def _axis_text(axis: Axis, scope: Scope) -> str:
    return str(scope.normal(axis.size)).replace(" ", "")


def invalid_annotation(hint: InvalidHint) -> str:
    """A shape string that does not parse."""
    message = hint.error.message
    return f'"{hint.text}": {message}' if len(hint.text) <= MAX_QUOTED else message


_UNBOUND = {
    "nowhere": "uses the axis name {name}, which nothing binds: no annotation of the function names it by itself",
    "later": "uses the axis name {name} before anything binds it: annotations are read from left to right",
    "parameter": "uses the axis name {name}, which nothing binds: the parameter of that name is written {{{name}}}",
    "attribute": "uses the axis name {name}, which nothing binds: an attribute is written {{self.{name}}}",
    "braces": "evaluates {name}, which is no parameter of the function: braces hold nothing else",
}


def unbound_name(token: str, name: str, why: str) -> str:
    """An expression in a shape string with a name that has no size when it is read."""
    return f"`{token}` {_UNBOUND[why].format(name=name)}"


def unbound_result(token: str) -> str:
    """A name in a result that nothing binds."""
    return f"`{token}` in the result is bound by nothing and stands there once: an axis of any size keeps it"


def narrowed(name: str, number: int) -> str:
    """An axis name that the code needs to be one number."""
    return f"the axis {name} is declared with any size, and must be {number} here: `{name}={number}` would say so"


def two_orders(text: str, first: str, where: str) -> str:
    """A declaration whose axes another function of the file declares in another order."""
    return f'"{text}" declares the axes in another order than "{first}" in {where}'


def first_order(where: str) -> str:
    """The note at the first of two orders."""
    return f"declared here, in {where}"


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
            message += f": {_count(found.value.shape)} for {_axes(len(spec.axes))}"
        elif found.expected is not None and found.actual is not None:
            token = spec.axes[found.axis].text
            wanted = speaker.size(found.expected)
            if wanted.replace(" ", "") != token.lstrip("#*?").rpartition("=")[2]:
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


def _count(shape: Shape) -> str:
    return _axes(len(shape)) if shape.rest is None else f"at least {_axes(len(shape) - 1)}"


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
            return f"`{move(list(order), moved)}` would make it fit" if moved else None
    return None


# -- operations ------------------------------------------------------------------------------------------------------


def mismatch(found: Mismatch, operation: str, speaker: Speaker) -> Said:
    """Operands that do not fit, or that fit and are mixed up."""
    shown = found.operation or operation or "the operation"
    silent = SILENT.get(found.kind)
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
    verb = "are no multiple of" if found.detail == "multiple" else "cannot become"
    sizes = f"{speaker.size(found.left)} elements {verb} {speaker.size(found.right)}"
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
    wanted = detail
    if detail[:1].isdigit() or detail.startswith("at "):
        wanted += " axis" if detail == "1" else " axes"
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
    if not found.detail:
        return f"{shown}: {sizes} do not fit"
    return f"{shown}: `{found.detail}` stands for two sizes, {sizes}"


def _dtype(found: Mismatch, shown: str, speaker: Speaker) -> str:
    return f"{shown} needs a tensor of {found.detail}s, and {speaker.shape(found.left_shape)} holds none"


def _declared_dtype(found: Mismatch, shown: str, speaker: Speaker) -> str:
    what, name, declared, family = found.detail.split("|")
    of_argument = f"argument `{name}` of {shown} gets" if name else f"{shown} gets"
    opening = {"argument": of_argument, "local": f"`{name}` gets", "result": "returns"}[what]
    return f"{opening} {speaker.shape(found.left_shape)} of dtype {family} where {declared} is declared"


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
    Fault.DECLARED_DTYPE: _declared_dtype,
}


def in_case(message: str, subject: str, value: str) -> str:
    """A message about what is only so for one value of a parameter or attribute."""
    return f"{message} (where `{subject}` is {value})"


def never(left: Dim, right: Dim, speaker: Speaker) -> Said:
    """An assert that no call gets past."""
    return Said(f"the assert never holds: {speaker.size(left)} is not {speaker.size(right)}")


SAME_PARAMETER = "the parameter of the same name"
SAME_AXIS = "the same axis as in the class"


def by_name(message: str, tied: Mapping[str, str]) -> str:
    """A message about what is only so if names stand for what is called the same; ``tied`` tells for what."""
    groups = {what: [f"`{name}`" for name, other in tied.items() if other == what] for what in tied.values()}
    taken = ", ".join(f"{' and '.join(names)} for {what}" for what, names in groups.items())
    return f"{message} (taking {taken})"
