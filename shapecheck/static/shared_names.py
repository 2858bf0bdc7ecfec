"""SC305 at a call: one axis name of the callee is given axes of the same parts in different orders.

``denoise(x.repeat_interleave(2, 0), times.repeat(2))`` for ``x: "n d", times: "n"`` gives one sample the time of
another, wherever the two meet inside.
"""

from __future__ import annotations

from shapecheck.annotations import ArrayHint
from shapecheck.shapes import Axis, Context, Fault, Tensor, suspect_order, use

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator

    from shapecheck.shapes import AnyValue, Mismatch
    from shapecheck.static.frame import Frame
    from shapecheck.static.signature import Signature


def check_shared_names(
    frame: Frame, nodes: dict[str, ast.AST], node: ast.AST, signature: Signature, bound: dict[str, AnyValue]
) -> None:
    """Report arguments that give a name its parts in another order than an argument before.

    Args:
        frame: where the call stands.
        nodes: the expression that each parameter was given, where the call spells them out.
        node: the call.
        signature: what is called.
        bound: the arguments by the names of their parameters.
    """
    first: dict[str, tuple[str, Axis]] = {}
    for parameter in signature.parameters:
        hint, value = parameter.hint, bound.get(parameter.name)
        if not isinstance(hint, ArrayHint) or not isinstance(value, Tensor):
            continue
        for name, axis in _named(hint, value):
            earlier, held = first.setdefault(name, (parameter.name, axis))
            for found in [] if earlier == parameter.name else _suspicions(frame, held, axis):
                shown = f"`{earlier}` and `{parameter.name}` of one {name}"
                frame.interpreter.report(frame, nodes.get(parameter.name, node), found, shown)


def _named(hint: ArrayHint, value: Tensor) -> Iterator[tuple[str, Axis]]:
    """The axes that a declaration calls by a name alone."""
    spec = hint.spec.shape
    if spec.variadic >= 0 or value.shape.rank != len(spec.axes):
        return
    for token, axis in zip(spec.axes, value.shape.known, strict=True):
        if token.kind == "name" and not token.broadcast and not token.tree:
            yield token.name, axis


def _suspicions(frame: Frame, one: Axis, other: Axis) -> list[Mismatch]:
    context = frame.interpreter.context
    alone = Context(context.scope)
    outer = use(alone)
    try:
        suspect_order(one, other)
    finally:
        use(outer)
    return [found for found in alone.suspicions if found.kind is Fault.FACTOR_ORDER]
