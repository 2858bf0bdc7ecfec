"""SC313: one file declares the same axes in two orders, in two functions."""

from __future__ import annotations

from shapecheck.annotations import ArrayHint, walk
from shapecheck.rules.axis_order import declared_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from shapecheck.rules.vocabulary import Vocabulary
    from shapecheck.static.signature import Signature


class Orders:
    """The order in which the functions of a file declare each set of axes, as the first of them does."""

    __slots__ = ("_first", "_vocabulary")

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._first: dict[frozenset[str], tuple[tuple[str, ...], ArrayHint, str]] = {}

    def others(self, signature: Signature, name: str) -> Iterator[tuple[ArrayHint, ArrayHint, str]]:
        """Each array of a function whose axes an earlier function declares in another order, and there.

        A function that itself declares both orders brings one into the other.

        Args:
            signature: the function's declaration.
            name: the function's name.
        """
        hints = [*[parameter.hint for parameter in signature.parameters], signature.returns]
        own: dict[frozenset[str], tuple[tuple[str, ...], ArrayHint]] = {}
        for array in [part for hint in hints if hint is not None for part in walk(hint) if isinstance(part, ArrayHint)]:
            names = declared_names(array)
            order = tuple([self._vocabulary.get(axis, axis) for axis in names or ()])
            axes = frozenset(order)
            if not axes or len(axes) != len(order):
                continue
            first = own.setdefault(axes, (order, array))
            if first[0] != order:
                own[axes] = (), array
        for axes, (order, array) in own.items():
            if not order:
                continue
            earlier, there, where = self._first.setdefault(axes, (order, array, name))
            if earlier != order:
                yield array, there, where
