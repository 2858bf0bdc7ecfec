"""The shape of an abstract tensor."""

from __future__ import annotations

from shapecheck.dims import ONE, Dim, Symbol
from shapecheck.shapes.axis import Axis, Rest
from shapecheck.shapes.context import hide
from shapecheck.shapes.fault import Fault, Mismatch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class Shape:
    """Axes from the outermost to the innermost, at most one of them a ``Rest``. Immutable."""

    __slots__ = ("axes", "rest")

    def __init__(self, axes: Iterable[Axis | Rest]) -> None:
        self.axes: tuple[Axis | Rest, ...] = tuple(axes)
        self.rest: int | None = None
        """The position of the ``Rest``, if there is one."""
        for position, axis in enumerate(self.axes):
            if isinstance(axis, Rest):
                self.rest = position

    @staticmethod
    def of(*sizes: Dim | int | Symbol) -> Shape:
        """The shape of newly made axes."""
        return Shape([Axis.of(size) for size in sizes])

    @staticmethod
    def unknown() -> Shape:
        """A shape of which nothing is known."""
        return Shape((Rest(),))

    @property
    def rank(self) -> int | None:
        """The number of axes, or None if it is not known."""
        return len(self.axes) if self.rest is None else None

    @property
    def is_unknown(self) -> bool:
        """Whether nothing at all is known of it."""
        return len(self.axes) == 1 and isinstance(self.axes[0], Rest) and self.axes[0].name == "..."

    @property
    def known(self) -> tuple[Axis, ...]:
        """The axes other than the ``Rest``."""
        if self.rest is None:
            return self.axes  # type: ignore[return-value]  # nothing else is there
        return tuple([axis for axis in self.axes if isinstance(axis, Axis)])

    @property
    def numel(self) -> Dim:
        """The number of elements."""
        total = ONE
        for axis in self.axes:
            total *= axis.size
        return total

    def position(self, axis: int, *, extra: int = 0) -> int | Mismatch | None:
        """Where in ``axes`` torch's axis number ``axis`` stands.

        Args:
            axis: as torch takes it: negative counts from the end.
            extra: axes that the operation adds (1 for ``unsqueeze``).

        Returns:
            The position, a mismatch if it is out of range, or None if the ``Rest`` hides it.
        """
        length = len(self.axes) + extra
        if self.rest is None:
            # torch treats a scalar as having one axis here.
            reach = max(length, 1)
            if not -reach <= axis < reach:
                return Mismatch(Fault.AXIS_RANGE, axis=axis, left_shape=self)
            return axis % reach
        if 0 <= axis <= self.rest - (0 if extra else 1):
            return axis
        if axis < 0 and length + axis > self.rest:
            return length + axis
        hide()
        return None

    def axis(self, index: int) -> Axis | Mismatch | None:
        """The axis at torch's axis number, a mismatch, or None if it cannot be told."""
        position = self.position(index)
        if not isinstance(position, int):
            return position
        if position >= len(self.axes):
            return Mismatch(Fault.AXIS_RANGE, axis=index, left_shape=self)
        found = self.axes[position]
        return found if isinstance(found, Axis) else None

    def replaced(self, position: int, *axes: Axis | Rest) -> Shape:
        """The shape with the axis at a position replaced by others (none: dropped)."""
        return Shape((*self.axes[:position], *axes, *self.axes[position + 1 :]))

    def without(self, positions: Iterable[int]) -> Shape:
        """The shape without the axes at some positions."""
        gone = set(positions)
        return Shape([axis for position, axis in enumerate(self.axes) if position not in gone])

    def blurred(self, axis: int) -> Shape:
        """The shape with torch's axis number ``axis`` taken away, resized or added, where ``position`` cannot tell it.

        A named ``Rest`` stands for as many axes as the number needs: code that declares ``*batch`` promises to run with
        such a one too. Otherwise it is one of the ``Rest``, or where that is short one beyond it: what stands on that
        side is not known either.
        """
        if self.rest is None:
            return self.without([axis % max(len(self.axes), 1)])
        rest = self.axes[self.rest]
        if isinstance(rest, Rest) and rest.name != "...":
            return self.replaced(self.rest, Rest())
        if axis < 0:
            return Shape((Rest(), *self.axes[self.rest + 1 :]))
        return Shape((*self.axes[: self.rest], Rest()))

    def __iter__(self) -> Iterator[Axis | Rest]:
        return iter(self.axes)

    def __len__(self) -> int:
        return len(self.axes)

    def __getitem__(self, position: int) -> Axis | Rest:
        return self.axes[position]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shape) and self.axes == other.axes

    def __hash__(self) -> int:
        return hash(self.axes)

    def __str__(self) -> str:
        return f"[{', '.join(map(str, self.axes))}]"

    def __repr__(self) -> str:
        return f"Shape({self})"
