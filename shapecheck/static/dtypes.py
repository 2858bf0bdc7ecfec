"""Dtype families that contradict a declaration (SC208): an ``argmax`` returned as ``Float``."""

from __future__ import annotations

from shapecheck.annotations import ArrayHint, DictHint, NoneHint, SequenceHint, TupleHint, UnionHint
from shapecheck.shapes import NONE, Fault, Mismatch, Rest, Sequence, Tensor
from shapecheck.static.arrays import is_torch
from shapecheck.static.orders import items_of
from shapecheck.static.values import OneOf

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Iterable

    from shapecheck.annotations.hints import Hint
    from shapecheck.shapes import AnyValue
    from shapecheck.static.frame import Frame

_PREFIXES = {"float": ("float", "bfloat"), "int": ("int", "uint"), "bool": ("bool",), "complex": ("complex",)}
"""How the names of a family's dtypes begin."""


def check_dtype(
    frame: Frame, node: ast.AST, hint: Hint, value: AnyValue, subject: str, function: str = ""
) -> bool:
    """Report the first tensor inside a value that has no dtype which its declaration takes; whether there is none.

    Args:
        frame: the call in which the value is given.
        node: the expression that is given.
        hint: what is declared.
        value: what it gets.
        subject: what gets it, see ``axis_order``.
        function: the name of the function that declares it, if it is another one.
    """
    found = _contradiction(hint, value)
    if found is None:
        return True
    array, tensor = found
    detail = f"{subject}|{array.spec}|{tensor.dtype}"
    fault = Mismatch(Fault.DECLARED_DTYPE, left_shape=tensor.shape, detail=detail)
    frame.interpreter.report(frame, node, fault, function)
    return False


def without_dtype(value: AnyValue) -> AnyValue:
    """The same value with no dtype: what was said of it once is not said again of what is made of it."""
    if isinstance(value, Tensor):
        return Tensor(value.shape, None, value.kind)
    if isinstance(value, OneOf):
        return OneOf(tuple([without_dtype(option) for option in value.options]))
    return value


def _contradiction(hint: Hint, value: AnyValue) -> tuple[ArrayHint, Tensor] | None:
    if isinstance(value, OneOf):
        options = [option for option in value.options if option != NONE]
        return _of_all([_contradiction(hint, option) for option in options])
    if isinstance(hint, ArrayHint):
        return (hint, value) if isinstance(value, Tensor) and not _may_be(hint, value) else None
    if isinstance(hint, UnionHint):
        members = [member for member in hint.members if not isinstance(member, NoneHint)]
        return _of_all([_contradiction(member, value) for member in members])
    pairs: Iterable[tuple[Hint, AnyValue | Rest]] = ()
    if isinstance(hint, TupleHint) and not hint.variadic:
        if isinstance(value, Sequence) and len(value.items) == len(hint.items):
            pairs = zip(hint.items, value.items, strict=True)
    elif isinstance(hint, (SequenceHint, TupleHint, DictHint)):
        element = hint.items[0] if isinstance(hint, TupleHint) else hint.element
        pairs = [(element, item) for item in items_of(value)]
    return next(
        (found for part, item in pairs if not isinstance(item, Rest) if (found := _contradiction(part, item))), None
    )


def _of_all(found: list[tuple[ArrayHint, Tensor] | None]) -> tuple[ArrayHint, Tensor] | None:
    """The first contradiction, if there is no choice without one."""
    return None if None in found or not found else found[0]


def _may_be(hint: ArrayHint, tensor: Tensor) -> bool:
    """Whether some dtype of the tensor's family is one that the declaration takes."""
    dtypes = hint.spec.dtype
    if tensor.dtype is None or dtypes.names is None or dtypes.patterns or not is_torch(tensor.kind):
        return True
    return any(name.startswith(_PREFIXES[tensor.dtype]) for name in dtypes.names)
