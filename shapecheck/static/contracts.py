"""SC305: a product in a declaration is ordered, and what it gets counts through the same parts in another order.

``"b c h*{r}"`` says that every row becomes r rows. What was put together as ``(r h)`` has as many rows, and they are
others. Numbers count for nothing here: ``2*d`` is written for either order.
"""

from __future__ import annotations

from shapecheck.annotations.expression import Binary, Path
from shapecheck.shapes import Axis, Copies, Factor, Fault, Mismatch, scope
from shapecheck.static.declare import ordered_factors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.annotations import ArrayHint
    from shapecheck.annotations.expression import Expression
    from shapecheck.shapes import Tensor
    from shapecheck.static.declare import Names


def other_product(hint: ArrayHint, tensor: Tensor, names: Names) -> Mismatch | None:
    """The fault of the first axis that is declared as a product and put together in another order."""
    spec, shape = hint.spec.shape, tensor.shape
    if spec.variadic >= 0 or len(spec.axes) != len(shape):
        return None
    for position, token in enumerate(spec.axes):
        axis = shape[position]
        if token.expression is None or not isinstance(axis, Axis) or len(axis.factors) < 2:
            continue
        wanted = ordered_factors(token.expression, names.fork())
        if wanted is None or not _is_outside(token.expression) or not _differs(wanted, axis.factors):
            continue
        return Mismatch(
            Fault.FACTOR_ORDER, axis=position, left_shape=shape, factors=axis.factors, wanted=(wanted,),
            detail=f"declared|{token.text}",
        )
    return None


def _is_outside(expression: Expression) -> bool:
    """Tell whether a name stands outside of what is given in braces: ``{r}*h`` may be r times h in any order."""
    return isinstance(expression, Binary) and not isinstance(expression.left, Path) and (
        not isinstance(expression.left, Binary) or _is_outside(expression.left)
    )


def _differs(wanted: tuple[Factor, ...], held: tuple[Factor, ...]) -> bool:
    normal = scope().normal
    declared = [normal(factor.size) for factor in wanted if factor.size.constant is None]
    parts = [factor for factor in held if factor.size.constant is None]
    if any(factor.ident is None or isinstance(factor.ident, Copies) for factor in parts):
        return False
    found = [normal(factor.size) for factor in parts]
    return found != declared and len(set(found)) == len(found) == len(declared) and set(found) == set(declared)
