"""SC305: a product in a declaration is ordered, and what it gets counts through the same parts in another order.

``"b h*w"`` of two axes says that w is the inner one. ``"b c h*{r} w*{r}"`` says that every row becomes r rows and every
column r columns: what was put together as ``(r h)`` has as many rows, and they are others. One axis alone that is r
times as long, ``"b t d*{r}"``, is written for either order, and so is ``{r}*h``; numbers count for nothing here.
"""

from __future__ import annotations

from shapecheck.shapes import Axis, Copies, Factor, Fault, Mismatch, scope
from shapecheck.static.declare import ordered_factors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.annotations import ArrayHint
    from shapecheck.dims import Dim
    from shapecheck.shapes import Tensor
    from shapecheck.static.declare import Names


def other_product(hint: ArrayHint, tensor: Tensor, names: Names) -> Mismatch | None:
    """The fault of the first axis that is declared as a product and put together in another order."""
    spec, shape = hint.spec.shape, tensor.shape
    if spec.variadic >= 0 or len(spec.axes) != len(shape):
        return None
    multiplied: list[tuple[Dim, Mismatch]] = []
    for position, token in enumerate(spec.axes):
        axis = shape[position]
        if token.expression is None or not isinstance(axis, Axis) or len(axis.factors) < 2:
            continue
        wanted = ordered_factors(token.expression, names.fork())
        if wanted is None:
            continue
        fault = Mismatch(
            Fault.FACTOR_ORDER, axis=position, left_shape=shape, factors=axis.factors, wanted=(wanted,),
            detail=f"declared|{token.text}",
        )
        declared, held = _named(wanted), _named(axis.factors)
        if _are_whole_axes_moved(declared, held):
            return fault
        multiplier = _multiplier(declared, held)
        if multiplier is not None:
            twin = next((earlier for size, earlier in multiplied if scope().equal(size, multiplier)), None)
            if twin is not None:
                return twin
            multiplied.append((multiplier, fault))
    return None


def _named(factors: tuple[Factor, ...]) -> list[Factor]:
    return [factor for factor in factors if factor.size.constant is None]


def _are_whole_axes_moved(declared: list[Factor], held: list[Factor]) -> bool:
    """Tell whether the same axes stand in another order."""
    one, other = [factor.ident for factor in declared], [factor.ident for factor in held]
    if one == other or None in other or any(isinstance(ident, Copies) for ident in other):
        return False
    return len(set(one)) == len(one) == len(other) and set(one) == set(other)


def _multiplier(declared: list[Factor], held: list[Factor]) -> Dim | None:
    """How many times an axis is there where the declaration puts that many inside, and they are outside."""
    if len(declared) != 2 or len(held) != 2 or held[0].ident is None or isinstance(held[0].ident, Copies):
        return None
    axis, times = declared
    if held[1].ident != axis.ident or not scope().equal(held[0].size, times.size):
        return None
    return times.size if not scope().equal(axis.size, times.size) else None
