"""Whether an abstract value keeps a declaration: the first tensor and axis that does not."""

from __future__ import annotations

from shapecheck.annotations import (
    ArrayHint,
    NoneHint,
    OtherHint,
    SequenceHint,
    TupleHint,
    UnionHint,
    walk,
)
from shapecheck.diagnostics.misfit import Misfit
from shapecheck.dims import Dim, Kind, No
from shapecheck.shapes import (
    AnyValue,
    Axis,
    Constant,
    Rest,
    Sequence,
    Shape,
    Tensor,
    require,
    scope,
)
from shapecheck.static.declare import Names, expression_size
from shapecheck.static.values import Elements, OneOf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.annotations.hints import Hint
    from shapecheck.annotations.spec import AxisSpec, ShapeSpec


def check(hint: Hint, value: AnyValue, names: Names, *, narrow: bool = False) -> Misfit | None:
    """Why a value does not keep a declaration, or None if it does or may.

    New names are bound in ``names``. Unknown sizes that the declaration needs are solved.
    """
    if isinstance(value, OneOf):
        return _check_one_of(hint, value, names, narrow=narrow)
    if isinstance(hint, UnionHint):
        return _check_union(hint, value, names, narrow=narrow)
    if isinstance(hint, ArrayHint):
        if isinstance(value, Tensor):
            return check_tensor(hint, value, names, narrow=narrow)
        if isinstance(value, Sequence) and value.kind in {"tuple", "list"}:
            return Misfit(hint, value)
        return None
    if isinstance(hint, TupleHint):
        return _check_tuple(hint, value, names, narrow=narrow)
    if isinstance(hint, SequenceHint):
        return _check_elements(hint.element, value, names, narrow=narrow)
    return None


def _check_one_of(hint: Hint, value: OneOf, names: Names, *, narrow: bool) -> Misfit | None:
    """A choice of values fits if one of them does: what tells them apart is often no condition we can read."""
    options = [option for option in value.options if not isinstance(option, Constant)]
    if len(options) == 1:
        return check(hint, options[0], names, narrow=narrow)
    found: Misfit | None = None
    for option in options:
        before = scope().fork()
        misfit = check(hint, option, names.fork(), narrow=narrow)
        scope().adopt(before)
        if misfit is None:
            return None
        found = found or misfit
    return found


def _check_union(hint: UnionHint, value: AnyValue, names: Names, *, narrow: bool) -> Misfit | None:
    arrays = [member for member in hint.members if not isinstance(member, (NoneHint, OtherHint))]
    if any(isinstance(member, OtherHint) for member in hint.members):
        return None
    if isinstance(value, Constant):
        return None
    if len(arrays) == 1:
        return check(arrays[0], value, names, narrow=narrow)
    if isinstance(value, Tensor):
        arrays = [member for member in arrays if not isinstance(member, TupleHint)]
    found: Misfit | None = None
    for member in arrays:
        trial, before = names.fork(), scope().fork()
        found = check(member, value, trial, narrow=narrow)
        if found is None:
            names.bound.update(trial.bound)
            return None
        scope().adopt(before)
    return found


def _check_tuple(hint: TupleHint, value: AnyValue, names: Names, *, narrow: bool) -> Misfit | None:
    if not isinstance(value, Sequence):
        return None
    if hint.variadic:
        return _check_elements(hint.items[0], value, names, narrow=narrow)
    if any(isinstance(item, Rest) for item in value.items):
        return None
    if len(value.items) != len(hint.items):
        return Misfit(hint, value) if any(isinstance(part, ArrayHint) for part in walk(hint)) else None
    for position, (item, declared) in enumerate(zip(value.items, hint.items, strict=True)):
        if isinstance(item, Rest):
            continue
        found = check(declared, item, names, narrow=narrow)
        if found is not None:
            found.path = f"[{position}]{found.path}"
            return found
    return None


def _check_elements(hint: Hint, value: AnyValue, names: Names, *, narrow: bool) -> Misfit | None:
    if isinstance(value, Sequence):
        for position, item in enumerate(value.items):
            if not isinstance(item, Rest):
                found = check(hint, item, names.fork(), narrow=narrow)
                if found is not None:
                    found.path = f"[{position}]{found.path}"
                    return found
    elif isinstance(value, Elements) and value.kind == "list":
        return check(hint, value.element, names.fork(), narrow=narrow)
    return None


def check_tensor(hint: ArrayHint, tensor: Tensor, names: Names, *, narrow: bool = False) -> Misfit | None:
    """Why a tensor does not keep its declaration, or None."""
    spec, shape = hint.spec.shape, tensor.shape
    if shape.is_unknown:
        return None
    pairs = _align(spec, shape)
    if pairs is None:
        # Also where the number of axes is not known, there are more for certain than are declared.
        return Misfit(hint, tensor)
    later: list[tuple[int, int]] = []
    for token, position in pairs:
        axis = spec.axes[token]
        if axis.kind == "expression":
            later.append((token, position))
            continue
        found = _check_axis(hint, tensor, axis, token, position, names, narrow=narrow)
        if found is not None:
            return found
    if spec.variadic >= 0:
        found = _check_variadic(hint, tensor, names)
        if found is not None:
            return found
    for token, position in later:
        axis = spec.axes[token]
        actual = shape[position]
        expected = expression_size(axis.expression, names)
        if expected is None or not isinstance(actual, Axis) or (axis.broadcast and actual.is_one):
            continue
        verdict = require(expected, actual.size, narrow=narrow, to_one=narrow)
        if isinstance(verdict, No):
            return Misfit(
                hint, tensor, axis=token, position=position, expected=expected, actual=actual.size,
                because=verdict.because,
            )
    return None


def _check_axis(
    hint: ArrayHint, tensor: Tensor, axis: AxisSpec, token: int, position: int, names: Names, *, narrow: bool
) -> Misfit | None:
    actual = tensor.shape[position]
    if not isinstance(actual, Axis) or axis.kind == "anonymous" or axis.tree or (axis.broadcast and actual.is_one):
        return None
    if axis.kind == "fixed":
        expected = Dim.of(axis.size)
    else:
        known = names.bound.get(axis.name)
        if known is None:
            if not axis.broadcast:
                names.bound[axis.name] = actual.size
                names.places[axis.name] = (hint, token)
            return None
        if not isinstance(known, Dim):
            return None
        expected = known
    verdict = require(expected, actual.size, narrow=narrow, to_one=narrow)
    if isinstance(verdict, No):
        return Misfit(
            hint, tensor, axis=token, position=position, expected=expected, actual=actual.size,
            because=verdict.because,
        )
    return None


def _align(spec: ShapeSpec, shape: Shape) -> list[tuple[int, int]] | None:
    """Which token stands for which axis, outside the variadic parts; None if the numbers of axes cannot agree."""
    tokens, axes = len(spec.axes), len(shape)
    if spec.variadic < 0:
        if shape.rest is None:
            return [(n, n) for n in range(tokens)] if tokens == axes else None
        if tokens < axes - 1:
            return None
        head = shape.rest
        tail = axes - head - 1
        return [(n, n) for n in range(head)] + [(tokens - n, axes - n) for n in range(tail, 0, -1)]
    head = spec.variadic
    tail = tokens - head - 1
    if shape.rest is None and axes < tokens - 1:
        return None
    if shape.rest is not None:
        head = min(head, shape.rest)
        tail = min(tail, axes - shape.rest - 1)
    return [(n, n) for n in range(head)] + [(tokens - n, axes - n) for n in range(tail, 0, -1)]


def _check_variadic(hint: ArrayHint, tensor: Tensor, names: Names) -> Misfit | None:
    spec, shape = hint.spec.shape, tensor.shape
    token = spec.axes[spec.variadic]
    if token.kind != "name" or token.broadcast:
        return None
    head = spec.variadic
    tail = len(spec.axes) - head - 1
    if shape.rest is not None and (head > shape.rest or tail > len(shape) - shape.rest - 1):
        return None
    middle = shape.axes[head : len(shape) - tail]
    known = names.bound.get(token.name)
    if known is None:
        names.bound[token.name] = middle
        return None
    if not isinstance(known, tuple) or _same_axes(known, middle) is not False:
        return None
    return Misfit(hint, tensor, axis=spec.variadic)


def _same_axes(declared: tuple[Axis | Rest, ...], actual: tuple[Axis | Rest, ...]) -> bool | None:
    """Whether two runs of axes are equal: True, False (for generic sizes), or None."""
    if declared == actual:
        return True
    if not any(isinstance(axis, Rest) for axis in (*declared, *actual)):
        if len(declared) != len(actual):
            return False
        for one, other in zip(declared, actual, strict=True):
            if isinstance(one, Axis) and isinstance(other, Axis) and isinstance(require(one.size, other.size), No):
                return False
        return None
    if any(isinstance(axis, Rest) and axis.name == "..." for axis in declared):
        return None
    rests = [axis for axis in actual if isinstance(axis, Rest)]
    if len(declared) == 1 and rests == [declared[0]]:
        # The same run of axes with others beside it.
        return False
    certain = [
        axis for axis in actual if isinstance(axis, Axis) and axis.size.symbol is not None
        and axis.size.symbol.kind is Kind.RIGID
    ]
    if len(declared) == 1 and isinstance(declared[0], Rest) and certain:
        # An axis with a name of its own is none of any number of generic axes.
        return False
    return None
