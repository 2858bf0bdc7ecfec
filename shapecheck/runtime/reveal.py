"""`reveal_shape(x)`: the static checker reports the shape it infers there; at run time it is the identity."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")


def reveal_shape(value: T) -> T:
    """Return the value itself."""
    return value
