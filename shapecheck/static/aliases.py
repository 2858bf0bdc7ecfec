"""All names of one tensor: where its shape is changed in place, each of them means the changed one."""

from __future__ import annotations

import ast

from shapecheck.shapes import AnyValue, Rest, Sequence, Shape, Tensor
from shapecheck.static.joins import join
from shapecheck.static.loosen import is_unknown_place
from shapecheck.static.values import Dictionary, Elements, Instance, OneOf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from typing import TypeVar

    from shapecheck.static.frame import Frame

    Item = TypeVar("Item", AnyValue, AnyValue | Rest)

RESHAPING = frozenset(("as_strided_", "resize_", "resize_as_", "set_", "squeeze_", "swapaxes_", "swapdims_", "t_",
                       "transpose_", "unsqueeze_"))  # fmt: skip
"""Methods that change the shape of their tensor."""
_HOLDING = frozenset((Sequence, Elements, Dictionary, OneOf, Instance))


def replace_tensor(frame: Frame, old: Tensor, new: AnyValue) -> None:
    """Let a tensor stand for another in all that a call, and those that led to it, can name."""
    places = (frame, *frame.interpreter.active)
    change = _Change(old, new, [place.instance for place in places if place.instance is not None])
    for place in places:
        change.table(place.env)
        if place.instance is not None:
            change.table(place.instance.attributes)


def forget_shape(frame: Frame, tensor: Tensor) -> None:
    """Let nothing be known of a tensor's shape any more, whatever names it."""
    replace_tensor(frame, tensor, tensor.reshaped(Shape.unknown()))


def in_place(name: str) -> bool:
    """Whether an operation, by its qualified name, gives back the tensor it was given: ``add_``, ``operator.iadd``."""
    return name.endswith("_") or (name.startswith("operator.i") and name != "operator.invert")


def own(result: AnyValue, args: Iterable[AnyValue]) -> AnyValue:
    """What an operation makes of its arguments: another tensor also where it looks like one of them."""
    if isinstance(result, Tensor) and any(result is arg for arg in args):
        return Tensor(result.shape, result.dtype, result.kind, result.mark)
    return result


def forget_values(frame: Frame, written: ast.expr, result: Tensor | None = None) -> None:
    """Of the tensor that an expression is made of, a part was written to: its shape alone is still known.

    Args:
        frame: where.
        written: the expression.
        result: what the whole of it is now, where it is known.
    """
    root = written
    while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
        root = root.func if isinstance(root, ast.Call) else root.value
    owner = frame.env.get(root.id) if isinstance(root, ast.Name) else None
    mark = result.mark if result is not None and root is written else None
    if isinstance(owner, Tensor) and (owner.mark is not None or mark is not None):
        replace_tensor(frame, owner, Tensor(owner.shape, owner.dtype, owner.kind, mark))


class _Change:
    """One tensor that becomes another, in variables and in what they hold.

    Lists and dictionaries are changed where they are, so that they stay the same ones under all their names; tuples and
    choices are made anew, since a state kept for another branch may hold them as well.
    """

    __slots__ = ("_made", "_new", "_old", "_own")

    def __init__(self, old: Tensor, new: AnyValue, own: Collection[Instance]) -> None:
        self._old = old
        self._new = new
        self._own = own
        """The objects whose attributes belong to the state of a call: others may be changed for good or not."""
        self._made: dict[int, AnyValue] = {}

    def table(self, table: dict[str, AnyValue]) -> None:
        for name, value in table.items():
            made = self.value(value)
            if made is not value:
                table[name] = made

    def value(self, value: AnyValue) -> AnyValue:
        if value is self._old:
            return self._new
        if type(value) not in _HOLDING:
            return value
        made = self._made.get(id(value))
        if made is None:
            self._made[id(value)] = value  # also what holds itself comes to an end
            made = self._made[id(value)] = self._holding(value)
        return made

    def _holding(self, value: AnyValue) -> AnyValue:
        if isinstance(value, Sequence):
            items = self._items(value.items)
            if items is None:
                return value
            if value.kind != "list":
                return Sequence(items, value.kind, value.fields)
            value.items[:] = items
        elif isinstance(value, OneOf):
            options = self._items(value.options)
            return value if options is None else OneOf(tuple(options))
        elif isinstance(value, Dictionary):
            for key, item in value.items.items():
                value.items[key] = self.value(item)
        elif isinstance(value, Elements):
            self._one_of_many(value)
        elif isinstance(value, Instance) and value not in self._own:
            for name, known in value.attributes.items():
                made = self.value(known)
                if made is not known:
                    value.attributes[name] = join(known, made)
        return value

    def _items(self, items: Collection[Item]) -> list[Item] | None:
        made = [item if isinstance(item, Rest) else self.value(item) for item in items]
        return None if all(one is other for one, other in zip(made, items, strict=True)) else made

    def _one_of_many(self, value: Elements) -> None:
        """One item of a list of any length is changed: each of them may be the one."""
        element, taken = self.value(value.element), {key: self.value(item) for key, item in value.taken.items()}
        changed = {key: made for key, made in taken.items() if made is not value.taken[key]}
        # Taken out at an unknown place, it may be what was taken out at a known one before.
        value.taken = changed if any(is_unknown_place(key) for key in changed) else taken
        for made in (element, *changed.values()):
            value.element = join(value.element, made)
