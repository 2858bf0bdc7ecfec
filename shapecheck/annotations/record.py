"""The base class of the small immutable values of this layer.

A frozen `dataclass` costs a millisecond per class and pulls in `inspect` (9 ms) at every start of the command line;
a slotted class with a written-out `__init__` costs neither.
"""

from __future__ import annotations


class Record:
    """A value compared field by field: the slots of the concrete class, which nothing assigns after `__init__`."""

    __slots__: tuple[str, ...] = ()

    def _compared(self) -> tuple[object, ...]:
        return tuple([getattr(self, slot) for slot in self.__slots__])

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if type(self) is not type(other):
            return NotImplemented
        return self._compared() == other._compared()

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._compared()))

    def __repr__(self) -> str:
        fields = ", ".join(f"{slot}={getattr(self, slot)!r}" for slot in self.__slots__)
        return f"{type(self).__name__}({fields})"
