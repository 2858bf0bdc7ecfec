"""Calls of functions that declare their result: which elements stand where, as the body of a short one tells.

A declared result has axes of its own. A short body also says what they are made of: ``(h w)`` patches in that order, a
softmax along the second. Its sizes stay those that are declared; what the body finds wrong is said where it is checked
itself. Only what a number or string written in the call decides, such as ``dim=0``, and the order of what the axes that
arrive are made of, are known here alone.
"""

from __future__ import annotations

import ast

from shapecheck.diagnostics.model import Note
from shapecheck.dims import Call, Kind
from shapecheck.rules.indices import index_of
from shapecheck.rules.observed import Trait
from shapecheck.rules.put_back import still_torn
from shapecheck.shapes import AnyValue, Axis, Rest, Sequence, Shape, Tensor, current, require
from shapecheck.static.values import Instance
from shapecheck.static.walk import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from shapecheck.diagnostics.model import Diagnostic
    from shapecheck.dims import Dim, Symbol
    from shapecheck.shapes import Scrambled
    from shapecheck.static.frame import Frame
    from shapecheck.static.signature import Signature
    from shapecheck.static.values import FunctionValue

MAX_DEPTH = 2
"""Calls inside calls that are followed."""
MAX_NODES = 100
"""Of the syntax tree of a body: a longer one is no helper, and following it costs as much again as checking it."""
_ORDERS = ("SC304", "SC305")
_PLAIN = (ast.Assign, ast.AnnAssign, ast.Return, ast.Expr, ast.Assert, ast.If, ast.Pass)


def follow(
    frame: Frame,
    node: ast.AST,
    function: FunctionValue,
    signature: Signature,
    declared: AnyValue,
    run: Callable[[], AnyValue],
) -> AnyValue:
    """A declared result with what its axes are made of.

    Args:
        frame: where the call stands.
        node: the call.
        function: what is called.
        signature: its declaration.
        declared: the result by the declaration.
        run: gives the result by the body.
    """
    interpreter = frame.interpreter
    if not _is_worth_it(frame, function, signature, declared):
        return declared
    context = current()
    scope, findings, seen = context.scope, len(interpreter.findings), set(interpreter.seen)
    postponed = len(interpreter.postponed)
    written = any(_is_written(value) for value in _given(node))
    context.scope = scope.fork()
    steps = interpreter.steps
    try:
        found = run()
    finally:
        # What is beside the declaration is no reason to leave out cases of the function under analysis.
        interpreter.steps = steps
        context.scope = scope
        fresh, waiting = interpreter.findings[findings:], interpreter.postponed[postponed:]
        if written:
            kept = [_told_here(frame, node, finding) for finding in fresh if finding.code.startswith("SC3")]
            for each in waiting:
                each.finding = _told_here(frame, node, each.finding)
        elif (fresh or waiting) and _is_misordered(frame, node):
            # What arrives is in another order than the one that is declared: that is what is wrong.
            kept = []
            del interpreter.postponed[postponed:]
        else:
            # The names of a declaration hide what the axes that arrive are made of: only a call tells that a view of
            # them takes them apart in another order.
            kept = [finding for finding in fresh if finding.code == "SC301"]
            interpreter.postponed[postponed:] = [each for each in waiting if each.finding.code == "SC301"]
        interpreter.findings[findings:] = kept
        interpreter.seen = seen | {
            (each.code, each.place.filename, each.place.row, each.place.column) for each in kept
        }
    result = _made_of(declared, found)
    lost = _torn(found) - _torn(result)
    waiting = interpreter.postponed[postponed:]
    interpreter.postponed[postponed:] = [each for each in waiting if each.mismatch not in lost]
    return result


def _torn(value: AnyValue) -> set[Scrambled]:
    """The scrambled reshapes behind a value whose parts still stand in it, so that they may be put back."""
    return set().union(*[still_torn(part) for part in _parts(value) if isinstance(part, Tensor)])


def _is_misordered(frame: Frame, node: ast.AST) -> bool:
    """Whether something is said of the order in which the arguments of a call arrive."""
    place = frame.interpreter.node_place(frame.index, node)
    rows = range(place.row, place.end_row + 1)
    return any(
        code in _ORDERS and filename == place.filename and row in rows
        for code, filename, row, _ in frame.interpreter.seen
    )


def _told_here(frame: Frame, node: ast.AST, finding: Diagnostic) -> Diagnostic:
    """A finding inside a function as one about the call: what the call says is what is wrong."""
    place = frame.interpreter.node_place(frame.index, node)
    notes = [note for note in finding.notes if not note.call]
    return finding.replace(place=place, notes=[*notes, Note("it happens here", finding.place)])


def _is_worth_it(frame: Frame, function: FunctionValue, signature: Signature, declared: AnyValue) -> bool:
    if frame.depth >= MAX_DEPTH or not signature.is_transparent or signature.is_left_out or signature.is_generator:
        return False
    if not any(isinstance(each, Tensor) and each.shape.rest is None for each in _parts(declared)):
        return False
    owner = function.bound
    if isinstance(owner, Instance) and not owner.is_exact and owner.cls.is_overridden(function.name.rpartition(".")[2]):
        return False
    known = frame.interpreter.short
    if function.node not in known:
        known[function.node] = _is_short(function.node)
    return known[function.node]


def _is_short(function: ast.AST) -> bool:
    """Whether a body is a few plain statements that change nothing but their own variables."""
    body = getattr(function, "body", None)
    if not isinstance(body, list):
        return False
    count = 0
    for statement in body:
        for node in nodes(statement):
            count += 1
            if count > MAX_NODES or (isinstance(node, ast.stmt) and not isinstance(node, _PLAIN)):
                return False
            if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
                return False
    return True


def _given(node: ast.AST) -> list[ast.expr]:
    return [*node.args, *[keyword.value for keyword in node.keywords]] if isinstance(node, ast.Call) else []


def _is_written(value: ast.expr) -> bool:
    """Whether an argument is a number or string that the call spells out."""
    if isinstance(value, ast.UnaryOp):
        value = value.operand
    return isinstance(value, ast.Constant) and isinstance(value.value, (int, str)) and not isinstance(value.value, bool)


def _parts(value: AnyValue) -> list[AnyValue]:
    return [item for item in value.items if not isinstance(item, Rest)] if isinstance(value, Sequence) else [value]


def _made_of(declared: AnyValue, found: AnyValue) -> AnyValue:
    """The declared value with the factors and marks of the one that the body gives, axis by axis, and its own."""
    if isinstance(declared, Sequence) and isinstance(found, Sequence) and len(declared.items) == len(found.items):
        pairs = zip(declared.items, found.items, strict=True)
        return Sequence(
            [one if isinstance(one, Rest) or isinstance(other, Rest) else _made_of(one, other) for one, other in pairs],
            declared.kind,
        )
    if not isinstance(declared, Tensor) or not isinstance(found, Tensor):
        return declared
    if declared.shape.rest is not None or found.shape.rest is not None or len(declared.shape) != len(found.shape):
        return declared
    counts = _counts(found.shape)
    torn = {id(piece) for each in still_torn(found) for piece in each.pieces}
    axes = [_axis(one, other, counts, torn) for one, other in zip(declared.shape.known, found.shape.known, strict=True)]
    made = declared.reshaped(Shape(axes))
    kept = isinstance(found.mark, Trait) or index_of(found) is not None
    return Tensor(made.shape, made.dtype, made.kind, found.mark) if kept else made


def _counts(shape: Shape) -> set[Dim]:
    """The numbers by which an axis of a shape is divided: 8 in ``[b, 8, t, d // 8]`` is how many parts there are."""
    sizes = [current().scope.normal(axis.size).atom for axis in shape.known]
    return {size.args[1] for size in sizes if isinstance(size, Call) and size.function == "floordiv"}


def _axis(declared: Axis, found: Axis, counts: set[Dim], torn: set[int]) -> Axis:
    """A declared axis as the body makes it; ``torn`` are the parts of axes that may yet be put back together."""
    scope = current().scope
    size, made = scope.normal(declared.size), scope.normal(found.size)
    if size.symbol is not None and size.symbol.kind is Kind.OPAQUE and all(map(_is_known, found.size.atoms)):
        # A ``#name`` is the axis or 1: the body says which.
        return found
    if size.symbol is not None and size.symbol.kind is Kind.FLEXIBLE and (made in counts or _is_told(made)):
        # A name that nothing binds is what the body makes it.
        require(declared.size, found.size)
    unknown = any(factor.ident is None and id(factor) not in torn for factor in found.factors)
    if unknown or not scope.equal(declared.size, found.size):
        return declared.with_mark(found.mark or declared.mark).with_mixed(found.mixed)
    return Axis(declared.size, found.factors, declared.origin, found.mark, found.mixed)


def _is_told(size: Dim) -> bool:
    """Whether a size is one that the caller knows, or made of such; a number may be any other to who declares."""
    return size.constant is None and all(map(_is_known, size.atoms))


def _is_known(atom: Symbol | Call) -> bool:
    if isinstance(atom, Call):
        return all(_is_known(inner) for arg in atom.args for inner in arg.atoms)
    return atom.kind is not Kind.OPAQUE
