"""Whether a size that a layer is made of is that of a batch, by its name and by what is declared around it."""

from __future__ import annotations

from shapecheck.dims import Dim, Kind
from shapecheck.rules.silent import BATCH_WORDS, batch_names
from shapecheck.static.signature import signature_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from shapecheck.static.classes import ClassIndex


def is_batch_size(size: Dim | None, orders: Iterable[tuple[str, ...]], owner: ClassIndex | None) -> bool:
    """Whether a size called like a batch is one: a lone ``b`` may as well be a width, or a number of bands or blocks.

    Args:
        size: an axis name of the function under analysis, or a parameter.
        orders: what that function declares.
        owner: the class whose constructor makes the layer.
    """
    symbol = None if size is None else size.symbol
    if symbol is None or symbol.name in BATCH_WORDS:
        return symbol is not None
    if symbol.kind is not Kind.RIGID:
        orders = [] if owner is None else _declared_by_methods(owner)
    return symbol.name in batch_names(orders)


def _declared_by_methods(owner: ClassIndex) -> list[tuple[str, ...]]:
    return [order for method in owner.methods.values() for order in signature_of(method, owner.index).orders]
