"""What one tensor annotation says: an array type, a family of dtypes and a shape."""

from __future__ import annotations

from shapecheck.annotations.expression import Path, names_in
from shapecheck.annotations.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from shapecheck.annotations.expression import Expression

    AxisKind = Literal["fixed", "name", "expression", "anonymous"]


class AnnotationError(Record):
    """Why a shape string or an annotation is not valid: a sentence, and the columns of the faulty part."""

    __slots__ = __match_args__ = ("message", "start", "end")

    def __init__(self, message: str, start: int, end: int) -> None:
        self.message = message
        self.start = start
        self.end = end


class AxisSpec(Record):
    """One token of a shape string.

    kind: what the axis demands. `...` is anonymous and variadic, `*batch` a variadic name.
    name: the name of a `name` axis, what follows the underscore of an anonymous one, otherwise "". jaxtyping lets
        a name be empty (`*` alone): it is then one name like any other.
    size: of a `fixed` axis, otherwise -1.
    expression: of an `expression` axis, otherwise None.
    variadic: `*name` or `...`, any number of axes.
    broadcast: `#`, a size of 1 is accepted as well.
    tree: `?`, one size per leaf of a PyTree.
    label: `rows` in `rows=4`, documentation only; None where there is no `=`.
    text, start, end: the token as written and its columns in the shape string.
    """

    __slots__ = __match_args__ = (
        "kind",
        "name",
        "size",
        "expression",
        "variadic",
        "broadcast",
        "tree",
        "label",
        "text",
        "start",
        "end",
    )

    def __init__(
        self,
        kind: AxisKind,
        name: str,
        size: int,
        expression: Expression | None,
        *,
        variadic: bool = False,
        broadcast: bool = False,
        tree: bool = False,
        label: str | None = None,
        text: str,
        start: int,
        end: int,
    ) -> None:
        self.kind: AxisKind = kind
        self.name = name
        self.size = size
        self.expression = expression
        self.variadic = variadic
        self.broadcast = broadcast
        self.tree = tree
        self.label = label
        self.text = text
        self.start = start
        self.end = end

    def __repr__(self) -> str:
        return f"AxisSpec({self.text!r})"


class ShapeSpec(Record):
    """A whole shape string, without surrounding blanks.

    variadic: the index of the one variadic axis, or -1.
    bound: the names that the shape binds, in order (named and variadic axes).
    used: the axis names its expressions need.
    order: the name of each axis, "" where it has none.
    beside: the names with the numbers that stand beside them.
    braced: what is the whole of an axis between braces: `{n}`.
    """

    __match_args__ = ("text", "axes", "variadic", "bound", "used")
    __slots__ = (*__match_args__, "order", "beside", "braced")

    def __init__(self, text: str, axes: tuple[AxisSpec, ...]) -> None:
        self.text = text
        self.axes = axes
        self.variadic = -1
        bound = []
        used: list[str] = []
        for index, axis in enumerate(axes):
            if axis.variadic:
                self.variadic = index
            if axis.kind == "name":
                bound.append(axis.name)
            elif axis.expression is not None:
                used += names_in(axis.expression)
        self.bound = tuple(dict.fromkeys(bound))
        self.used = tuple(dict.fromkeys(used))
        self.order = tuple([axis.name for axis in axes])
        numbers = [axis.size for axis in axes if axis.kind == "fixed"]
        self.beside = frozenset([(axis.name, size) for axis in axes if axis.kind == "name" for size in numbers])
        paths = [axis.expression for axis in axes if isinstance(axis.expression, Path)]
        self.braced = frozenset([path.parts[0] for path in paths if len(path.parts) == 1])

    def _compared(self) -> tuple[object, ...]:
        return (self.text, self.axes)

    def __repr__(self) -> str:
        return f"ShapeSpec({self.text!r})"


class DtypeSpec(Record):
    """A family of dtypes.

    name: as written, "Float".
    names: the dtype names accepted, without the framework ("float32"); None accepts every dtype.
    patterns: regular expressions accepted as well, matched from the start; only custom families have them.
    """

    __slots__ = __match_args__ = ("name", "names", "patterns")

    def __init__(self, name: str, names: frozenset[str] | None, patterns: tuple[str, ...] = ()) -> None:
        self.name = name
        self.names = names
        self.patterns = patterns

    def meet(self, inner: DtypeSpec) -> DtypeSpec | None:
        """The dtypes of `Outer[Inner[...], ...]`, under the outer name; None when no dtype is left."""
        if self.names is None:
            return DtypeSpec(self.name, inner.names, inner.patterns)
        if inner.names is None:
            return self
        names = self.names & inner.names
        patterns = tuple(pattern for pattern in self.patterns if pattern in inner.patterns)
        return DtypeSpec(self.name, names, patterns) if names or patterns else None


class ArraySpec(Record):
    """`Float[Tensor, "B T D"]`. `array` is the qualified name of the array type, "torch.Tensor" or "typing.Any"."""

    __slots__ = __match_args__ = ("array", "dtype", "shape")

    def __init__(self, array: str, dtype: DtypeSpec, shape: ShapeSpec) -> None:
        self.array = array
        self.dtype = dtype
        self.shape = shape

    def __str__(self) -> str:
        return f'{self.dtype.name}[{self.array.rpartition(".")[2]}, "{self.shape.text}"]'
