"""Matches one tensor: its type, dtype and shape, and the sizes that this binds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from shapecheck.annotations.expression import Opaque, Path, apply, fold
from shapecheck.runtime.arrays import Reshaped, accepts_dtype, dtype_name, is_array, is_proxy, shape_of, widen
from shapecheck.runtime.goals import Bound, Env, Failure, Goal, Where

if TYPE_CHECKING:
    from shapecheck.annotations.expression import Expression
    from shapecheck.annotations.hints import ArrayHint
    from shapecheck.annotations.spec import AxisSpec, ShapeSpec


class Misfit(NamedTuple):
    """Why one axis does not fit.

    kind: "size" with the size it should have, "unbound" with the name that has none, "broken" with what an expression
        has raised.
    """

    kind: str
    expected: Any


class Unbound(Exception):  # noqa: N818  # control flow within this module: an expression needs a name without a size
    """An expression met a name that has no size."""


class ArrayMatcher:
    """Matches tensors within one call.

    arguments: parameter values by name, for braces in shape strings.
    progress: how many demands have been met, which failures are marked with.
    """

    def __init__(self, arguments: dict[str, Any]) -> None:
        self.arguments = arguments
        self.progress = 0

    def fail(self, kind: str, goal: Goal, expected: Any, actual: Any) -> Failure:
        """A failure of a whole value."""
        assert goal.hint is not None  # noqa: S101
        return Failure(kind, goal.path, goal.hint, goal.value, -1, "", expected, actual, progress=self.progress)

    def array(self, hint: ArrayHint, value: Any, path: str, env: Env) -> Env | Failure:
        """Match one tensor: the sizes known afterwards, or what does not fit."""
        live: Any = hint.value
        original, shape = value, None
        if isinstance(value, Reshaped):
            original, shape = value.original, value.shape
        if is_proxy(original):
            return env
        goal = Goal(path, hint, original)
        if live.array_type is Any:
            if not is_array(original):
                return self.fail("type", goal, "an array", type_name(original))
        elif not isinstance(original, live.array_type):
            return self.fail("type", goal, type_text(live.array_type), type_name(original))
        name = dtype_name(original.dtype)
        if not accepts_dtype(hint.spec.dtype, name):
            return self.fail("dtype", goal, hint.spec.dtype.name, name)
        return self.shape(hint, original, shape_of(original) if shape is None else shape, path, dict(env))

    def shape(self, hint: ArrayHint, value: object, shape: tuple[int, ...], path: str, env: Env) -> Env | Failure:
        """Match a shape; `env` is changed in place."""
        spec = hint.spec.shape
        wrong_rank = rank_mismatch(spec, len(shape))
        if wrong_rank:
            return Failure(
                "rank", path, hint, value, -1, "", wrong_rank, len(shape), env=dict(env), progress=self.progress
            )
        count = len(spec.axes)
        for index, axis in enumerate(spec.axes):
            if index == spec.variadic:
                continue
            position = index if spec.variadic < 0 or index < spec.variadic else len(shape) - count + index
            misfit = self.axis(axis, shape[position], Where(path, position), env)
            if misfit is not None:
                bound = env.get(axis.name) if axis.kind == "name" else None
                actual = shape[position]
                return Failure(
                    misfit.kind,
                    path,
                    hint,
                    value,
                    position,
                    axis.text,
                    misfit.expected,
                    actual,
                    bound,
                    env,
                    self.progress,
                )
        if spec.variadic >= 0 and spec.axes[spec.variadic].kind == "name":
            axis = spec.axes[spec.variadic]
            part = shape[spec.variadic : spec.variadic + len(shape) - count + 1]
            name = "*" + axis.name
            known = env.get(name)
            met = widen((known.flexible, known.value) if known else None, part, broadcasts=axis.broadcast)
            if met is None:
                assert known is not None  # noqa: S101  # the first occurrence always fits
                return Failure(
                    "variadic", path, hint, value, spec.variadic, name, known.value, part, known, env, self.progress
                )
            env[name] = Bound(met[1], known.where if known else Where(path, spec.variadic), met[0])
        return env

    def axis(self, axis: AxisSpec, size: int, where: Where, env: Env) -> Misfit | None:
        """None when the axis fits. A name without a size gets this one."""
        if axis.kind == "anonymous" or (axis.broadcast and size == 1):
            return None
        if axis.kind == "fixed":
            return None if size == axis.size else Misfit("size", axis.size)
        if axis.kind == "name":
            bound = env.get(axis.name)
            if bound is None:
                env[axis.name] = Bound(size, where)
                return None
            return None if size == bound.value else Misfit("size", bound.value)
        assert axis.expression is not None  # noqa: S101
        try:
            value = self.evaluate(axis.expression, env)
        except Unbound as error:
            return Misfit("unbound", str(error))
        except (TypeError, ValueError, AttributeError, LookupError, ArithmeticError) as error:
            return Misfit("broken", f"{type(error).__name__}: {error}")
        return None if size == value else Misfit("size", value)

    def evaluate(self, expression: Expression, env: Env) -> Any:
        """The size that an expression demands; raises `Unbound`."""

        def name(word: str) -> Any:
            if word not in env:
                raise Unbound(word)
            return env[word].value

        def path(part: Path) -> Any:
            value = self.braces(part.text)
            # jaxtyping formats the value into the expression, so that a string in braces is an expression of its own.
            return self.python(value, env) if isinstance(value, str) else value

        def opaque(part: Opaque) -> Any:
            text, names = part.text, part.names
            for word in names:
                name(word)
            pieces = []
            while "{" in text:
                before, _, text = text.partition("{")
                inner, _, text = text.partition("}")
                pieces += [before, format(self.braces(inner))]
            return self.python("".join(pieces) + text, env)

        def op(symbol: str, left: Any, right: Any) -> Any:
            size = apply(symbol, left, right)
            if size is None:
                message = f"{left}{symbol}{right} is no size"
                raise ArithmeticError(message)
            return size

        return fold(expression, number=lambda value: value, name=name, path=path, op=op, opaque=opaque)

    def braces(self, text: str) -> Any:
        """The value of a braced expression among the call's arguments."""
        try:
            return eval(text, dict(self.arguments))  # noqa: S307  # the annotation is the user's own code
        except NameError as error:
            raise Unbound(str(error)) from None

    def python(self, text: str, env: Env) -> Any:
        """The value of an expression among the sizes bound so far."""
        sizes = {word: bound.value for word, bound in env.items()}
        try:
            return eval(text, sizes)  # noqa: S307  # as above
        except NameError as error:
            raise Unbound(str(error)) from None


def rank_mismatch(spec: ShapeSpec, rank: int) -> str:
    """Empty when a tensor of this rank can fit, else the number of axes demanded: "3" or "2 or more"."""
    if spec.variadic < 0:
        return "" if rank == len(spec.axes) else str(len(spec.axes))
    return "" if rank >= len(spec.axes) - 1 else f"{len(spec.axes) - 1} or more"


def type_name(value: object) -> str:
    """The type of a value as its user writes it."""
    return "None" if value is None else type_text(type(value))


def type_text(cls: Any) -> str:
    """A class by its short name."""
    return getattr(cls, "__name__", str(cls))
