"""Abstract values that operations take and return."""

from __future__ import annotations

from shapecheck.dims import Dim, Kind, Symbol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

    from shapecheck.shapes.axis import Mark, Rest
    from shapecheck.shapes.shape import Shape


class Value:
    """An abstract value other than an integer, which is a ``Dim``."""

    __slots__ = ()


AnyValue = Value | Dim


class Unknown(Value):
    """A value of which nothing is known, with the reason in a few words."""

    __slots__ = ("why",)

    def __init__(self, why: str) -> None:
        self.why = why

    def __repr__(self) -> str:
        return f"Unknown({self.why!r})"


class Parts(Unknown):
    """A tuple of which the number of items is not known, but what each of them looks like."""

    __slots__ = ("element", "length")

    def __init__(self, element: AnyValue, length: Dim | None = None) -> None:
        super().__init__("the number of parts depends on a size")
        self.element = element
        self.length = length


class Tensor(Value):
    """A tensor: its shape, its dtype family (``float``, ``int``, ``bool``, ``complex``) or None, and its array type.

    ``mark`` tells how the values came about, for the rules about silent faults; no operation carries it on by itself.
    Nor does any carry ``tally`` on, which tells of which elements each value is the sum.
    """

    __slots__ = ("dtype", "kind", "mark", "shape", "tally")

    def __init__(
        self, shape: Shape, dtype: str | None = None, kind: str = "torch.Tensor", mark: Mark | None = None
    ) -> None:
        self.shape = shape
        self.dtype = dtype
        self.kind = kind
        self.mark = mark
        self.tally: object = None

    def reshaped(self, shape: Shape) -> Tensor:
        """A tensor of the same dtype and another shape."""
        return Tensor(shape, self.dtype, self.kind)

    def __repr__(self) -> str:
        return f"Tensor({self.shape}{'' if self.dtype is None else ', ' + self.dtype})"


class Constant(Value):
    """A Python constant that is no integer: str, float, bool, None, Ellipsis, a dtype's name."""

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Constant) and type(self.value) is type(other.value) and self.value == other.value

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))

    def __repr__(self) -> str:
        return f"Constant({self.value!r})"


class Number(Value):
    """A number that is not known: a float, or a bool of which only the type is known (``name``)."""

    __slots__ = ("name",)

    def __init__(self, name: str = "float") -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"Number({self.name})"


class Extreme(Number):
    """The largest number of a dtype, or infinity; the smallest one where it is ``negative``."""

    __slots__ = ("negative",)

    def __init__(self, *, negative: bool) -> None:
        super().__init__("float")
        self.negative = negative


_MEASURES = frozenset((
    "dim", "size", "heads", "layers", "len", "length", "width", "height", "channels", "features", "experts", "groups",
    "embd", "eps", "epsilon", "dropout",
))  # fmt: skip
"""The last words of what numbers of a configuration are called."""


class Opaque(Value):
    """An object of which nothing is known but that it is one: used as a size it is one flexible symbol.

    Its attributes are opaque objects again, each the same one every time.
    """

    __slots__ = ("attributes", "dim", "made", "name")

    def __init__(self, name: str, dim: Dim | None = None, *, made: bool | None = None) -> None:
        self.name = name
        self.dim = dim
        self.made = made
        """Whether it is what numbers alone made, if it was made."""
        self.attributes: dict[str, AnyValue] = {}

    def size(self) -> Dim:
        """The object as a size."""
        if self.dim is None:
            self.dim = Dim.of(Symbol(self.name, Kind.FLEXIBLE))
        return self.dim

    @property
    def is_number(self) -> bool:
        """Whether it is called like what one counts or measures: ``cfg.n_heads``, ``self.head_dim``, ``eps``."""
        if self.made is not None:
            return self.made
        words = self.name.rpartition(".")[2].lower().split("_")
        return words[-1] in _MEASURES or (len(words) > 1 and words[0] in {"n", "num", "d"})

    def attribute(self, name: str) -> AnyValue:
        """The attribute of a name."""
        found = self.attributes.get(name)
        if found is None:
            found = self.attributes[name] = Opaque(f"{self.name}.{name}")
        return found

    def __repr__(self) -> str:
        return f"Opaque({self.name})"


class Ratio(Number):
    """``top / bottom`` of two integers, so that ``int``, ``floor`` and ``ceil`` of it are sizes again."""

    __slots__ = ("bottom", "top")

    def __init__(self, top: Dim, bottom: Dim) -> None:
        super().__init__("float")
        self.top = top
        self.bottom = bottom


class Sequence(Value):
    """A tuple, list or ``torch.Size`` whose items are known; a ``Rest`` stands for the sizes of unknown many axes.

    A list is changed in place by the interpreter; tuples never are.
    """

    __slots__ = ("fields", "items", "kind")

    def __init__(
        self, items: Iterable[AnyValue | Rest], kind: str = "tuple", fields: tuple[str, ...] | None = None
    ) -> None:
        self.items: list[AnyValue | Rest] = list(items)
        self.kind = kind
        self.fields = fields
        """The names of the items, where they have any (``values``, ``indices``)."""

    def __repr__(self) -> str:
        return f"Sequence({self.kind}, {self.items!r})"


class Slice(Value):
    """A slice; each bound is an integer, None for a missing one, or unknown."""

    __slots__ = ("start", "step", "stop")

    def __init__(self, start: AnyValue | None, stop: AnyValue | None, step: AnyValue | None) -> None:
        self.start = start
        self.stop = stop
        self.step = step

    def __repr__(self) -> str:
        return f"Slice({self.start!r}, {self.stop!r}, {self.step!r})"


NONE: Final = Constant(None)
TRUE: Final = Constant(True)
FALSE: Final = Constant(False)
ELLIPSIS: Final = Constant(...)
