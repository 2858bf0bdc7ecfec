"""Which shapes can be compared as a whole, without looking at their axes.

In `forward(x: "B T D") -> "B T D"` no size matters by itself: it is enough that the two shapes are equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapecheck.annotations.hints import arrays

if TYPE_CHECKING:
    from collections.abc import Iterable

    from shapecheck.annotations.hints import Hint
    from shapecheck.annotations.spec import ShapeSpec


def whole_shapes(always: Iterable[Hint], sometimes: Iterable[Hint], tied: Iterable[str]) -> frozenset[str]:
    """The shape strings whose names occur in no other shape string.

    always: hints that every call checks, once each; a tensor among them is one candidate.
    sometimes: hints behind a condition.
    tied: names that have a size before the call.
    """
    candidates: dict[str, ShapeSpec] = {}
    seen_in: dict[str, set[str]] = {}
    for hint in always:
        for array in arrays(hint):
            shape = array.spec.shape
            if array is hint and is_plain(shape):
                candidates[shape.text] = shape
                text = shape.text
            else:
                text = ""
            for name in (*shape.bound, *shape.used):
                seen_in.setdefault(name, set()).add(text)
    for hint in sometimes:
        for array in arrays(hint):
            for name in (*array.spec.shape.bound, *array.spec.shape.used):
                seen_in.setdefault(name, set()).add("")
    for name in tied:
        seen_in.setdefault(name, set()).add("")
    return frozenset(text for text, shape in candidates.items() if all(seen_in[name] == {text} for name in shape.bound))


def is_plain(shape: ShapeSpec) -> bool:
    """Whether equal shapes are all that two tensors of this shape string have to have.

    A repeated name or an anonymous axis makes their axes matter.
    """
    if len(shape.bound) < len([axis for axis in shape.axes if axis.kind == "name"]):
        return False
    # Without a name there is nothing to put off: the sizes are constants.
    return bool(shape.bound) and all(
        axis.kind in {"name", "fixed"} and not (axis.variadic or axis.broadcast or axis.tree) for axis in shape.axes
    )
