"""Attributes with a declared shape, where they are assigned: by the constructor, and later."""

from __future__ import annotations

from shapecheck.dims import Dim, Kind
from shapecheck.shapes import Tensor
from shapecheck.static.declare import Names
from shapecheck.static.fits import check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from shapecheck.annotations.hints import Hint
    from shapecheck.diagnostics.misfit import Misfit
    from shapecheck.shapes import AnyValue
    from shapecheck.static.declare import Bound
    from shapecheck.static.frame import Frame
    from shapecheck.static.values import Instance


def check_reassigned(frame: Frame, owner: Instance, hint: Hint, value: AnyValue) -> tuple[Misfit | None, Names]:
    """Why what an attribute gets after the construction does not keep its declaration, and what the names stood for.

    A name may stand for another size than before, as that of a cache that grows: only another name contradicts it.
    """
    names = _names_kept(frame, owner)
    misfit = check(hint, value, names)
    if misfit is not None and misfit.axis is not None and misfit.expected is not None and misfit.actual is not None:
        normal = frame.interpreter.scope.normal
        expected, actual = normal(misfit.expected), normal(misfit.actual)
        if expected.constant is None and not (_is_name(expected) and _is_name(actual)):
            return None, names
    return misfit, names


def _is_name(size: Dim) -> bool:
    return size.symbol is not None and size.symbol.kind is Kind.RIGID


def _names_kept(frame: Frame, owner: Instance) -> Names:
    """The axis names of an object that the method at hand calls the same; the others may stand for anything new."""
    own = frame.names.bound if frame.names is not None else {}
    normal = frame.interpreter.scope.normal
    bound: dict[str, Bound] = {}
    known: Mapping[str, Bound] = owner.names
    for name, size in known.items():
        axis = own.get(name)
        if isinstance(axis, Dim) and isinstance(size, Dim) and normal(size) == normal(axis):
            bound[name] = size
    return Names(Kind.FLEXIBLE, bound)


def says_less(owner: Instance, value: AnyValue) -> bool:
    """Whether a declaration says more than the value: a rank, or a name for a size that depends on data.

    Names that stood for such a size are free again.
    """
    if not isinstance(value, Tensor) or value.shape.rest is not None:
        return True
    known: Mapping[str, Bound] = owner.names
    unknown = [name for name, size in known.items() if isinstance(size, Dim) and _depends_on_data(size)]
    for name in unknown:
        del owner.names[name]
    return bool(unknown)


def _depends_on_data(size: Dim) -> bool:
    return size.symbol is not None and size.symbol.kind is Kind.OPAQUE
