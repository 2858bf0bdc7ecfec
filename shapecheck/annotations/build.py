"""What jaxtyping makes of `Family[array, shape]`: nesting, unions of array types, scalars."""

from __future__ import annotations

from shapecheck.annotations.grammar import parse_shape
from shapecheck.annotations.hints import ArrayHint, InvalidHint, OtherHint, UnionHint, union
from shapecheck.annotations.names import SCALARS
from shapecheck.annotations.spec import AnnotationError, ArraySpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.annotations.hints import Hint
    from shapecheck.annotations.places import Place
    from shapecheck.annotations.spec import DtypeSpec, ShapeSpec


def array_hint(array: Hint, dtype: DtypeSpec, text: str, place: Place | None) -> Hint:
    """The hint that `dtype[array, text]` stands for.

    A union of array types distributes, a nested annotation `Float[Float[Tensor, "a"], "b"]` is `Float[Tensor, "b a"]`,
    and `Float[float, "..."]` is `float`.
    """
    shape = parse_shape(text)
    if isinstance(shape, AnnotationError):
        return InvalidHint(shape, text, place)
    if isinstance(array, UnionHint):
        members = [_single(member, dtype, shape, place) for member in array.members]
        made = [member for member in members if member is not None]
        return union(tuple(made)) if made else _no_scalar(dtype, shape, place)
    return _single(array, dtype, shape, place) or _no_scalar(dtype, shape, place)


def _single(array: Hint, dtype: DtypeSpec, shape: ShapeSpec, place: Place | None) -> Hint | None:
    if isinstance(array, ArrayHint):
        return _nested(array, dtype, shape, place)
    if isinstance(array, InvalidHint):
        return array
    if not isinstance(array, OtherHint):
        return InvalidHint(AnnotationError("this is not an array type", 0, len(shape.text)), shape.text, place)
    if array.name in SCALARS:
        only_variadic = all(axis.variadic for axis in shape.axes)
        scalar = SCALARS[array.name]
        if only_variadic and (dtype.names is None or any(name.startswith(scalar) for name in dtype.names)):
            return array
        return None
    return ArrayHint(ArraySpec(array.name or array.text, dtype, shape), place)


def _no_scalar(dtype: DtypeSpec, shape: ShapeSpec, place: Place | None) -> InvalidHint:
    message = f"a Python scalar never is a {dtype.name} of this shape"
    return InvalidHint(AnnotationError(message, 0, len(shape.text)), shape.text, place)


def _nested(inner: ArrayHint, dtype: DtypeSpec, shape: ShapeSpec, place: Place | None) -> Hint:
    spec = inner.spec
    met = dtype.meet(spec.dtype)
    if met is None:
        message = f"no dtype is both {dtype.name} and {spec.dtype.name}"
        return InvalidHint(AnnotationError(message, 0, len(shape.text)), shape.text, place)
    text = f"{shape.text} {spec.shape.text}"
    joined = parse_shape(text)
    if isinstance(joined, AnnotationError):
        return InvalidHint(joined, text, place)
    return ArrayHint(ArraySpec(spec.array, met, joined), _joined_place(place, inner.place, shape, text))


def _joined_place(outer: Place | None, inner: Place | None, shape: ShapeSpec, text: str) -> Place | None:
    """Positions of the two literals one after the other; they can be followed only within one file."""
    if outer is None or inner is None or outer.path != inner.path:
        return outer
    from shapecheck.annotations.places import Place

    # jaxtyping joins with one blank and strips nothing more, `parse_shape` strips: for `"" + "a"` the blank goes.
    blank = len(text) - len(text.lstrip())

    def positions() -> list[tuple[int, int]] | None:
        first, second = outer.positions(), inner.positions()
        if first is None or second is None:
            return None
        head = first[outer.lead : outer.lead + len(shape.text) + 1]
        return (head + second[inner.lead :])[blank:]

    return Place(outer.path, outer.node_span, 0, positions)
