"""The atoms of a size: symbols, and calls of functions that no polynomial expresses."""

from __future__ import annotations

from enum import Enum
from itertools import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable
    from typing import Final

    from shapecheck.dims.dim import Dim

_serial = count()


class Kind(Enum):
    """What a symbol may stand for."""

    RIGID = "rigid"
    """An axis name: every size from 1 on; two of them are different."""
    FLEXIBLE = "flexible"
    """A hyper-parameter: some size that the first exact requirement determines."""
    OPAQUE = "opaque"
    """A data-dependent size: never equal and never unequal to anything else."""


RIGID: Final = Kind.RIGID
FLEXIBLE: Final = Kind.FLEXIBLE
OPAQUE: Final = Kind.OPAQUE


class Symbol:
    """A named unknown size. Two symbols are the same only if they are the same object.

    ``owner`` groups the parameters of one signature (or the fields of one configuration class): each is free to vary on
    its own, so code that needs two of them to be equal is wrong, unless both have the same ``default``.
    """

    __slots__ = ("default", "dim", "kind", "name", "owner", "serial")

    def __init__(
        self, name: str, kind: Kind = RIGID, *, owner: Hashable | None = None, default: int | None = None
    ) -> None:
        self.name = name
        self.kind = kind
        self.owner = owner
        self.default = default
        self.serial = next(_serial)
        self.dim: Dim | None = None
        """The size that it is, once somebody asked for it; see ``Dim.of``."""

    def __repr__(self) -> str:
        return f"Symbol({self.name!r}, {self.kind.value})"

    def __str__(self) -> str:
        return self.name

    def differs_from(self, other: Symbol) -> bool:
        """Whether both are parameters of one signature that vary independently."""
        if self is other or self.owner is None or self.owner != other.owner:
            return False
        return self.default is None or other.default is None or self.default != other.default


class Computed(Symbol):
    """A size that a function of other sizes gives: a rounded root, say, whose square one of them is."""

    __slots__ = ()


class Pass(Symbol):
    """The number of a pass of ``for i in range(count)``."""

    __slots__ = ("count",)

    def __init__(self, count: Dim) -> None:
        super().__init__("i", OPAQUE)
        self.count = count


class Call:
    """``floordiv``, ``min`` or ``max`` of polynomials, as an atom. ``dims.dim.call`` builds and interns it."""

    __slots__ = ("args", "function", "serial", "weight")

    def __init__(self, function: str, args: tuple[Dim, ...]) -> None:
        self.function = function
        self.args = args
        self.serial = next(_serial)
        self.weight: int = 1 + sum(
            [atom.weight for arg in args for monomial, _ in arg.terms for atom in monomial if isinstance(atom, Call)]
        )
        """How many calls it is when written out; bounds every walk through it."""

    def __repr__(self) -> str:
        return f"Call({self.function!r}, {self.args!r})"

    def atoms_below(self) -> frozenset[Atom]:
        """Every atom inside the arguments."""
        return frozenset().union(*[arg.atoms for arg in self.args])

    def __str__(self) -> str:
        if self.function == "floordiv":
            left, right = self.args
            return f"{left.text(inside=True)}//{right.text(inside=True)}"
        return f"{self.function}({', '.join(map(str, self.args))})"


Atom = Symbol | Call
