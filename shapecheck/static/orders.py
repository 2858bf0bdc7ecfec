"""Axis names that meet those of another function in another order (SC304), wherever a declaration holds tensors."""

from __future__ import annotations

from shapecheck.annotations import ArrayHint, DictHint, NoneHint, OtherHint, SequenceHint, TupleHint, UnionHint
from shapecheck.dims import Kind
from shapecheck.rules.axis_order import axis_order
from shapecheck.shapes import NONE, Rest, Sequence, Tensor
from shapecheck.static.declare import Names, introduce_tensor
from shapecheck.static.signature import signature_of
from shapecheck.static.turned import is_turned_on_purpose
from shapecheck.static.values import Dictionary, Elements, FunctionValue, OneOf

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator

    from shapecheck.annotations.hints import Hint
    from shapecheck.shapes import AnyValue, Mismatch
    from shapecheck.static.frame import Frame


def check_orders(frame: Frame, node: ast.AST, hint: Hint, value: AnyValue, subject: str, function: str) -> None:
    """Report the first tensor inside a value that another function declares with its axes in another order.

    Args:
        frame: the call that gives the value.
        node: the expression that is given.
        hint: what the other function declares.
        value: what it gets.
        subject: what of the function gets it, see ``axis_order``.
        function: the function's name.
    """
    found = _first(frame, hint, value, subject, given=True)
    if found is not None:
        rank = len(found.left_shape or ())
        if not is_turned_on_purpose(frame.index.source.tree, node, rank):
            frame.interpreter.report(frame, node, found, function)
    elif isinstance(value, FunctionValue) and isinstance(hint, OtherHint) and hint.name == "collections.abc.Callable":
        _check_passed(frame, node, hint, value)


def _check_passed(frame: Frame, node: ast.AST, hint: OtherHint, function: FunctionValue) -> None:
    """Report the first parameter of a function passed as ``Callable[[A, B], R]`` that will get its axes reordered."""
    signature = signature_of(function.node, function.index)
    parameters = [parameter for parameter in signature.parameters if parameter.kind == "positional"]
    given = parameters if function.bound is None else parameters[1:]
    for parameter, declared in zip(given, hint.args[:-1], strict=False):
        if parameter.hint is None or not isinstance(declared, ArrayHint):
            continue
        tensor = introduce_tensor(declared, Names(Kind.FLEXIBLE))
        found = _first(frame, parameter.hint, tensor, f"argument|{parameter.name}", given=True)
        if found is not None:
            frame.interpreter.report(frame, node, found, function.name)
            return


def other_order(frame: Frame, hint: Hint, value: AnyValue, subject: str) -> Mismatch | None:
    """The fault of a value whose axes another function names as it does not what gets it: a variable, a result.

    Asked before the value is checked, which makes one size of the two functions' names.
    """
    return _first(frame, hint, value, subject, given=False)


def _first(frame: Frame, hint: Hint, value: AnyValue, subject: str, *, given: bool) -> Mismatch | None:
    interpreter = frame.interpreter
    for array, tensor in _tensors(hint, value):
        shown = interpreter.speaker(frame).axis
        orders = interpreter.declared_orders(frame)
        found = axis_order(array, tensor, shown, orders, interpreter.vocabulary, subject, given=given)
        if found is not None:
            return found
    return None


def _tensors(hint: Hint, value: AnyValue) -> Iterator[tuple[ArrayHint, Tensor]]:
    """Every tensor inside a value with its declaration, where there is no choice of what is declared or given."""
    if isinstance(value, OneOf):
        options = [option for option in value.options if option != NONE]
        if len(options) == 1:
            yield from _tensors(hint, options[0])
        return
    if isinstance(hint, ArrayHint):
        if isinstance(value, Tensor):
            yield hint, value
    elif isinstance(hint, UnionHint):
        members = [member for member in hint.members if not isinstance(member, NoneHint)]
        if len(members) == 1:
            yield from _tensors(members[0], value)
    elif isinstance(hint, TupleHint) and not hint.variadic:
        if isinstance(value, Sequence) and len(value.items) == len(hint.items):
            for part, item in zip(hint.items, value.items, strict=True):
                if not isinstance(item, Rest):
                    yield from _tensors(part, item)
    elif isinstance(hint, (SequenceHint, TupleHint, DictHint)):
        element = hint.items[0] if isinstance(hint, TupleHint) else hint.element
        for item in items_of(value):
            yield from _tensors(element, item)


def items_of(value: AnyValue) -> list[AnyValue]:
    """The values that a container holds, as far as they are known."""
    if isinstance(value, Sequence):
        return [item for item in value.items if not isinstance(item, Rest)]
    if isinstance(value, Dictionary):
        return list(value.items.values())
    return [value.element] if isinstance(value, Elements) else []
