"""The text of a `ShapeError`: what is wrong, where a size came from, declared against actual, what would repair it.

Sizes, ranks, dtypes and types are told; values of tensors never are.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from shapecheck.annotations.hints import ArrayHint, arrays
from shapecheck.runtime.arrays import dtype_name, is_array, shape_of
from shapecheck.runtime.errors import AnnotationUseError, ShapeError
from shapecheck.runtime.goals import Env, Failure, Goal
from shapecheck.runtime.records import RecordHint
from shapecheck.runtime.repairs import find_repair

if TYPE_CHECKING:
    import types

    from shapecheck.annotations.hints import Hint
    from shapecheck.runtime.checker import Checker

MAX_ROWS = 12
_PACKAGE = __name__.rpartition(".")[0]


def arguments_error(checker: Checker, values: tuple[Any, ...], initial: Env, failure: Failure) -> ShapeError:
    """The error for arguments that do not fit."""
    signature = checker.known_signature()
    goals = signature.goals(values)
    repair = find_repair(checker.known_signature(), values, goals, initial, failure)
    return build(checker, failure, table(goals, failure), repair)


def value_error(checker: Checker, values: tuple[Any, ...], failure: Failure) -> ShapeError:
    """The error for a returned or yielded value that does not fit."""
    goals = checker.known_signature().goals(values)
    whole = Goal(failure.path, failure.hint, failure.value)
    repair = None
    if failure.env is not None:
        repair = find_repair(checker.known_signature(), values, [whole], known_before(failure), failure)
    return build(checker, failure, table([*goals, whole], failure), repair)


def known_before(failure: Failure) -> Env:
    """The sizes that were bound before the value at fault was looked at."""
    env = failure.env or {}
    return {name: bound for name, bound in env.items() if bound.where.path != failure.path}


def build(checker: Checker, failure: Failure, rows: list[str], repair: str | None) -> ShapeError:
    """Put the parts together."""
    function = checker.function.__qualname__
    name = function.rpartition("<locals>.")[2]
    if failure.kind in {"unbound", "broken"}:
        reason = f"but nothing has given {unbound_name(failure)} a size before it"
        if failure.kind == "broken":
            reason = f"which cannot be evaluated ({failure.expected})"
        message = f"{name}(): axis {failure.axis} of {failure.path} is declared as {failure.name}, {reason}"
        raise AnnotationUseError(message).with_traceback(None)
    lines = [f"{name}(): {verdict(failure)}"]
    lines += origin(failure)
    if rows:
        lines += ["", *rows]
    if repair:
        lines += ["", repair]
    lines.append("")
    code = checker.function.__code__
    if not code.co_filename.startswith("<"):  # the `__init__` of a dataclass is written nowhere
        lines.append(f"declared at {code.co_filename}:{definition(code)}")
    caller = calling_frame(code)
    if caller is not None and head_of(failure.path) not in {"return", "yield"}:
        lines.append(f"called at {caller.f_code.co_filename}:{caller.f_lineno}")
    return with_attributes(ShapeError("\n".join(lines)), function, failure)


def with_attributes(error: ShapeError, function: str, failure: Failure) -> ShapeError:
    """Fill in what programs read."""
    error.function = function
    error.argument = failure.path
    error.axis = failure.axis if failure.axis >= 0 else None
    error.name = failure.name or None
    error.expected = failure.expected
    error.actual = failure.actual
    return error


def unbound_name(failure: Failure) -> str:
    """The name that has no size."""
    text = str(failure.expected)
    return text.split("'")[1] if text.count("'") >= 2 else text


def definition(code: types.CodeType) -> int:
    """The line of the definition."""
    from shapecheck.runtime.checker import definition_line

    return definition_line(code)


def subject(path: str) -> str:
    """What a reader calls the value."""
    head = head_of(path)
    words = {"return": "the returned value", "yield": "the yielded value"}
    if head not in words:
        return path
    rest = path[len(head) :].removeprefix(".")
    if rest.count("[") == 1 and rest[0] == "[" and rest[-1] == "]":
        rest = f"element {rest[1:-1]}"
    return f"{rest} of {words[head]}" if rest else words[head]


def head_of(path: str) -> str:
    """The parameter, or "return", at the start of a path."""
    return path.partition("[")[0].partition(".")[0]


def verdict(failure: Failure) -> str:
    """One line that says what is wrong."""
    what = subject(failure.path)
    if failure.kind == "size":
        named = "" if failure.name == str(failure.expected) else f" ({failure.name})"
        return f"axis {failure.axis} of {what}{named} is {failure.actual}, expected {failure.expected}"
    if failure.kind == "variadic":
        return f"the axes {failure.name} of {what} are {failure.actual}, expected {failure.expected}"
    if failure.kind == "rank":
        text = failure.hint.spec.shape.text if isinstance(failure.hint, ArrayHint) else ""
        return f'{what} has {count(failure.actual, "axis", "axes")}, expected {failure.expected} ("{text}")'
    if failure.kind == "dtype":
        return f"{what} has dtype {failure.actual}, expected {failure.expected}"
    if failure.kind == "length":
        return f"{what} has {count(failure.actual, 'element')}, expected {failure.expected}"
    if failure.kind == "missing":
        return f"{what} has no key {failure.actual!r}, which {failure.expected} requires"
    return f"{what} is {article(str(failure.actual))}, expected {article(str(failure.expected))}"


def count(number: int, one: str, several: str = "") -> str:
    """A number of things, in words."""
    return f"{number} {one if number == 1 else several or one + 's'}"


def article(name: str) -> str:
    """A type's name with its article, except where the reader writes none."""
    if name in {"None", "True", "False"} or not name[:1].isalpha() or "[" in name or "|" in name or " " in name:
        return name
    return f"an {name}" if name[0] in "aeiouAEIO" or name == "ndarray" else f"a {name}"


def origin(failure: Failure) -> list[str]:
    """Where the expected size comes from."""
    if failure.bound is not None:
        where = failure.bound.where
        name = failure.name.lstrip("#")
        if where.axis >= 0:
            return [f"{name} = {failure.bound.value} comes from axis {where.axis} of {subject(where.path)}"]
        return [f"{name} = {failure.bound.value} is {where.path}"] if where.path else []
    if failure.kind == "size" and isinstance(failure.hint, ArrayHint) and failure.env:
        axis = next((axis for axis in failure.hint.spec.shape.axes if axis.text == failure.name), None)
        if axis is None or axis.expression is None:
            return []
        from shapecheck.annotations.expression import names_in

        parts = []
        for name in names_in(axis.expression):
            bound = failure.env.get(name)
            if bound is not None:
                place = f" (axis {bound.where.axis} of {subject(bound.where.path)})" if bound.where.axis >= 0 else ""
                parts.append(f"{name} = {bound.value}{place}")
        return [f"with {', '.join(parts)}"] if parts else []
    return []


def declared(hint: Hint) -> ArrayHint | None:
    """The one tensor annotation of a hint, if there is one."""
    found = arrays(hint)
    return found[0] if len(found) == 1 else None


def table(goals: list[Goal], failure: Failure) -> list[str]:
    """Declared against actual for each tensor, one column per axis, and a mark below the axis at fault."""
    if failure.kind in {"type", "length", "missing"}:
        return []
    rows = []
    for goal in [part for whole in goals for part in opened(whole)]:
        if goal.hint is None or not is_array(goal.value):
            continue
        failing = goal.path == failure.path and isinstance(failure.hint, ArrayHint)
        hint = failure.hint if failing and isinstance(failure.hint, ArrayHint) else declared(goal.hint)
        if hint is not None:
            rows.append((goal.path, hint, shape_of(goal.value), dtype_name(goal.value.dtype), failing))
    if isinstance(failure.hint, ArrayHint) and is_array(failure.value) and not any(row[-1] for row in rows):
        value: Any = failure.value
        rows.append((failure.path, failure.hint, shape_of(value), dtype_name(value.dtype), True))
    if len(rows) > MAX_ROWS:
        rows = [row for row in rows if row[-1]]
    lines = []
    width = max((len(row[0]) for row in rows), default=0)
    for path, hint, shape, dtype, failing in rows:
        words = [axis.text for axis in hint.spec.shape.axes]
        sizes = [str(size) for size in shape]
        cells = aligned(words, sizes, hint.spec.shape.variadic)
        shown = f"  {dtype}" if failing and failure.kind == "dtype" else ""
        first = f"  {path:<{width}}  declared  {'  '.join(word for word, _ in cells)}"
        second = f"  {'':<{width}}  actual    {'  '.join(size for _, size in cells)}{shown}"
        lines += [first.rstrip(), second.rstrip()]
        if failing and failure.axis >= 0 and failure.kind in {"size", "variadic"}:
            variadic = failure.kind == "variadic"
            at = hint.spec.shape.variadic if variadic else column(hint, failure.axis, len(shape))
            offset = sum(len(word) + 2 for word, _ in cells[:at])
            mark = "^" * max(len(cells[at][1].strip()), 1)
            lines.append(f"  {'':<{width}}            {' ' * offset}{mark}")
    return lines


def opened(goal: Goal) -> list[Goal]:
    """The fields of an object whose class has tensor annotations, each as a goal of its own; any other goal itself."""
    hint = goal.hint
    if not isinstance(hint, RecordHint) or not hint.accepts(goal.value):
        return [goal]
    return [
        part
        for field, item in zip(hint.fields, hint.items, strict=True)
        for part in opened(Goal(hint.path(goal.path, field), item, hint.read(field, goal.value)))
    ]


def column(hint: ArrayHint, axis: int, rank: int) -> int:
    """The column of an axis: those of a variadic name share one."""
    spec = hint.spec.shape
    if spec.variadic < 0 or axis < spec.variadic:
        return axis
    covered = rank - len(spec.axes) + 1
    return spec.variadic if axis < spec.variadic + covered else axis - covered + 1


def aligned(words: list[str], sizes: list[str], variadic: int) -> list[tuple[str, str]]:
    """Tokens above sizes, padded to one width; axes beyond those declared stand on their own."""
    if variadic >= 0 and len(sizes) >= len(words) - 1:
        covered = len(sizes) - len(words) + 1
        middle = " ".join(sizes[variadic : variadic + covered]) or "-"
        sizes = [*sizes[:variadic], middle, *sizes[variadic + covered :]]
    count = max(len(words), len(sizes))
    words = words + [""] * (count - len(words))
    sizes = sizes + [""] * (count - len(sizes))
    cells = []
    for word, size in zip(words, sizes, strict=True):
        width = max(len(word), len(size))
        cells.append((f"{word:<{width}}", f"{size:<{width}}"))
    return cells


def calling_frame(code: types.CodeType) -> types.FrameType | None:
    """The frame that made the call: neither ours nor `nn.Module.__call__`."""
    frame: types.FrameType | None = sys._getframe(1)  # noqa: SLF001  # a traceback that does not exist yet cannot be asked
    while frame is not None and (is_ours(frame, code) or frame.f_globals.get("__name__", "").startswith("torch.nn.")):
        frame = frame.f_back
    return frame


def is_ours(frame: types.FrameType, code: types.CodeType) -> bool:
    """Whether a frame belongs to this package or to the generated code, which bears the name of the user's file."""
    if frame.f_globals.get("__name__", "").startswith(_PACKAGE):
        return True
    return "_call" in frame.f_globals and frame.f_code.co_filename == code.co_filename
