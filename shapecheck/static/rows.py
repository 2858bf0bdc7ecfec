"""What a module of which nothing is known makes of a tensor: rows stay rows.

``y = self.module(x.transpose(0, 1).reshape(b * t, d))``, and then ``y.view(b, t, -1)``: whatever the module does, it is
given rows in the order ``(t b)`` and gives one row for each. That is no proof, a module may do anything; so no shape
follows from it, and only warnings look at it. Where the first sizes of a view make up the rows and name their parts in
another order, the author takes rows for rows too.
"""

from __future__ import annotations

from shapecheck.dims import ONE, Dim
from shapecheck.ops.einops_pattern import Malformed, side
from shapecheck.shapes import AnyValue, Axis, Constant, Rest, Sequence, Tensor, Unknown, scope, suspect_split
from shapecheck.static.values import Rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast

    from shapecheck.static.frame import Frame

_VIEWS = frozenset(("view", "reshape"))
_ALIKE = frozenset((
    "relu", "relu_", "sigmoid", "tanh", "exp", "log", "abs", "float", "half", "double", "bfloat16", "to", "type",
    "contiguous", "clone", "detach", "cpu", "cuda", "mul", "div", "mul_", "div_", "softmax", "log_softmax", "gelu",
    "silu", "leaky_relu", "elu", "softplus", "dropout", "type_as", "clamp", "sqrt", "square",
))  # fmt: skip
"""Operations that change no axis, unless along one that is named: then the rows are hardly what is viewed."""
_RESULTS = frozenset(("sample", "logits", "last_hidden_state"))
"""The fields under which modules of other libraries give their tensor."""
METHODS = _VIEWS | _ALIKE | {"unflatten"}


def given(why: str, args: list[AnyValue]) -> Unknown:
    """What a module gives for its arguments."""
    first = args[0] if args else None
    if isinstance(first, Rows):
        return first
    if isinstance(first, Tensor) and first.shape.axes:
        axis = first.shape[0]
        if isinstance(axis, Axis) and len(axis.factors) > 1:
            return Rows(why, axis)
    return Unknown(why)


def plain(value: AnyValue) -> AnyValue:
    """A value of which the rows are not known any more."""
    return Unknown(value.why) if isinstance(value, Rows) else value


def attribute(value: Rows, name: str) -> Unknown | None:
    """An attribute of it: the tensor itself where it is an output with a name; None for a method."""
    if name in METHODS:
        return None
    return value if name in _RESULTS else Unknown(value.why)


def method(frame: Frame, node: ast.AST, value: Rows, name: str, args: list[AnyValue]) -> Unknown:
    """A method of it, or a function of torch of the same name."""
    if name in _ALIKE:
        return value
    sizes: list[AnyValue | Rest] = list(args)
    if name == "unflatten":
        if not args or not isinstance(args[0], Dim) or args[0].constant != 0:
            return Unknown(value.why)
        sizes = sizes[1:]
    if len(sizes) == 1 and isinstance(sizes[0], Sequence):
        sizes = sizes[0].items
    _check(frame, node, value, sizes, f".{name}")
    return Unknown(value.why)


def rearranged(frame: Frame, node: ast.AST, value: Rows, args: list[AnyValue], lengths: dict[str, AnyValue]) -> None:
    """A pattern of einops whose first axis is taken apart."""
    text = args[0].value if args and isinstance(args[0], Constant) else None
    left = side(text.partition("->")[0]) if isinstance(text, str) else None
    if left is None or isinstance(left, Malformed) or not left.groups or left.dots == 0:
        return
    parts: list[AnyValue | None] = [
        Dim.of(int(name)) if name.isdecimal() else lengths.get(name) for name in left.groups[0]
    ]
    sizes = [part for part in parts if isinstance(part, Dim)]
    if len(sizes) == len(parts) - 1:
        known = ONE
        for size in sizes:
            known *= size
        quotient = scope().normal(value.axis.size).exact_quotient(scope().normal(known))
        sizes = [part if isinstance(part, Dim) else quotient for part in parts if part is not None or quotient]  # type: ignore[misc]
    if len(sizes) == len(parts):
        _check(frame, node, value, list(sizes), "rearrange")


def _check(frame: Frame, node: ast.AST, value: Rows, sizes: list[AnyValue | Rest], shown: str) -> None:
    """Report the parts of the rows where the first sizes name them in another order."""
    total, parts = ONE, []
    for size in sizes:
        if not isinstance(size, Dim) or size.constant == -1:
            return
        total *= size
        parts.append(size)
        if len(parts) > 1 and scope().equal(total, value.axis.size):
            break
    else:
        return
    interpreter = frame.interpreter
    context = interpreter.context
    context.place = (frame.index, node)
    context.suspicions.clear()
    suspect_split(value.axis, parts)
    for suspicion in context.suspicions:
        interpreter.report(frame, node, suspicion, shown)
    context.suspicions.clear()
