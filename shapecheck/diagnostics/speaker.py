"""How sizes and shapes are shown, and what is said of one finding."""

from __future__ import annotations

from shapecheck.dims import Dim, Kind, Scope, Symbol
from shapecheck.dims.exact import undivided
from shapecheck.shapes import Axis, Rest, Sequence, Shape, Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from shapecheck.shapes import AnyValue

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
        exact = undivided(normal)
        # `t % m` is no 0 to a reader.
        return str(normal if exact is None or not exact.terms else exact)

    def axis(self, axis: Axis | Rest) -> str:
        """An axis of a shape."""
        return str(axis) if isinstance(axis, Rest) else self.size(axis.size)

    def shape(self, shape: Shape | None) -> str:
        """A shape: ``[B, T, D]``."""
        return "?" if shape is None else f"[{', '.join([self.axis(axis) for axis in shape])}]"

    def along(self, size: Dim | None, axis: int | None, shape: Shape | None = None) -> str:
        """An axis with its place: ``T (axis 1 of [B, T, D])``, or ``T (axis 1)`` of a shape that was told before."""
        whole = "" if shape is None else f" of {self.shape(shape)}"
        return f"{self.size(size)} (axis {axis}{whole})"

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
        """Why two sizes that could be equal are not: two names, two parameters, a number written beside the name."""
        if not because or left is None or right is None:
            return []
        if because == "beside":
            name, number = (right, left) if left.constant is not None else (left, right)
            sizes = f"{self.size(name)} and {self.size(number)}"
            return [Explanation(f"{sizes} are two axes of one declaration: nothing makes them equal")]
        if because == "samples":
            sizes = f"{self.size(left)} and {self.size(right)}"
            return [Explanation(f"{sizes}: one is the size of a batch, which no other sizes determine")]
        kind = {"names": "axis names", "parameters": "parameters"}.get(because)
        if kind is None:
            return []
        return [Explanation(f"{self.size(left)} and {self.size(right)} are two {kind}: nothing makes them equal")]


def from_end(axis: int | None, shape: Shape | None) -> int | None:
    """An axis number as people write it in a softmax: counted from the end where that is short."""
    if axis is None or shape is None or shape.rank is None:
        return axis
    return axis - shape.rank if axis == shape.rank - 1 else axis


def _serial(symbol: Symbol) -> int:
    return symbol.serial


def move(order: list[int], moved: list[int]) -> str:
    """The transpose or permute that brings axes into an order, of which ``moved`` lists the places that change."""
    if len(moved) == 2:
        return f".transpose({moved[0]}, {moved[1]})"
    return f".permute({', '.join(map(str, order))})"
