"""Statements: assignment, branches that join, loops that come to rest."""

from __future__ import annotations

import ast

from shapecheck.annotations import ArrayHint, InvalidHint, parse_annotation, walk
from shapecheck.dims import Dim, Kind, Symbol
from shapecheck.shapes import (
    AnyValue,
    Axis,
    Fault,
    Mismatch,
    Opaque,
    Rest,
    Sequence,
    Shape,
    Slice,
    Tensor,
    Unknown,
)
from shapecheck.static.conditions import assume, condition_of, truth, with_rank
from shapecheck.static.copies import Replacement, acyclic, replace_tensor, replace_value
from shapecheck.static.expressions import binary, iterate
from shapecheck.static.frame import NO_RETURN, Frame, Loop, State
from shapecheck.static.joins import elements_of, join, join_all
from shapecheck.static.loosen import take
from shapecheck.static.mutation import changed_names, rebound_outside
from shapecheck.static.patterns import match_case
from shapecheck.static.values import ClassValue, Container, Dictionary, Elements, External, FunctionValue, Instance
from shapecheck.static.walk import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MAX_UNROLLED = 24
"""A loop over a longer known sequence is run to its fixpoint instead."""
MAX_PASSES = 4
"""What still changes in the last of so many passes is unknown."""


def execute(frame: Frame, body: list[ast.stmt]) -> bool:
    """Run statements; whether execution can go on behind them."""
    for statement in body:
        frame.interpreter.enter(statement)
        run = _STATEMENTS.get(type(statement))
        if run is not None and not run(frame, statement):
            return False
    return True


# -- simple statements -----------------------------------------------------------------------------------------------


def _expression(frame: Frame, node: ast.Expr) -> bool:
    value = frame.evaluate(node.value)
    if isinstance(value, Unknown) and value.why is NO_RETURN:
        return False
    return not (isinstance(node.value, ast.Call) and _leaves(frame, node.value.func))


_LEAVING = frozenset(("exit", "_exit", "quit", "abort", "assert_never"))
_EXITS = frozenset(("sys.exit", "builtins.exit", "builtins.quit", "os._exit", "os.abort", "typing.assert_never",
                    "typing_extensions.assert_never"))  # fmt: skip


def _leaves(frame: Frame, function: ast.expr) -> bool:
    """Whether a call ends the program."""
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if name not in _LEAVING:
        return False
    called = frame.evaluate(function)
    return isinstance(called, External) and called.name in _EXITS


def _return(frame: Frame, node: ast.Return) -> bool:
    value: AnyValue | None = None
    if node.value is not None:
        value = frame.evaluate(node.value)
        frame.interpreter.check_result(frame, node.value, value)
    if value is not None:
        frame.results.append(value)
    return False


def _raise(frame: Frame, node: ast.Raise) -> bool:
    del frame, node
    return False


def _assert(frame: Frame, node: ast.Assert) -> bool:
    if truth(frame, node.test) is False:
        return False
    assume(frame, node.test, holds=True)
    return True


def _assign(frame: Frame, node: ast.Assign) -> bool:
    value = condition_of(frame, node.value, frame.evaluate(node.value))
    for target in node.targets:
        assign(frame, target, value, node.value)
    return True


def _annotated(frame: Frame, node: ast.AnnAssign) -> bool:
    hint = parse_annotation(node.annotation, frame.index)
    frame.interpreter.report_invalid(frame, hint)
    has_shape = any(isinstance(part, ArrayHint) for part in walk(hint))
    if node.value is None:
        if isinstance(node.target, ast.Name) and has_shape:
            frame.env[node.target.id] = frame.interpreter.declared(frame, hint)
        return True
    value = frame.evaluate(node.value)
    if has_shape and not isinstance(hint, InvalidHint):
        value = frame.interpreter.check_local(frame, node, hint, value)
    assign(frame, node.target, value, node.value)
    return True


def _augmented(frame: Frame, node: ast.AugAssign) -> bool:
    target = node.target
    left = frame.evaluate(target)
    right = frame.evaluate(node.value)
    if isinstance(left, Sequence) and left.kind == "list" and isinstance(node.op, ast.Add):
        if isinstance(right, Sequence):
            left.items.extend(right.items)
            return True
        value: AnyValue = Unknown("a list grows by an unknown part")
        if isinstance(right, Elements):
            value = join(left, right)
        replace_value(frame, left, value)
        return True
    if isinstance(left, Elements) and left.kind == "list" and isinstance(node.op, ast.Add):
        added = elements_of(right) if isinstance(right, (Sequence, Elements)) else [Unknown("an unknown part")]
        left.element = join_all([left.element, *added])
        left.length = None
        return True
    value = binary(frame, node, type(node.op), left, right)
    if isinstance(target, ast.Subscript):
        return True
    assign(frame, target, value, None)
    return True


def assign(frame: Frame, target: ast.expr, value: AnyValue, source: ast.expr | None) -> None:
    """Bind a target of an assignment to a value; ``source`` is the expression it came from."""
    if isinstance(target, ast.Name):
        shared = bool(frame.shared) and target.id in frame.shared
        frame.env[target.id] = Unknown("a nested function changes it") if shared else value
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(frame, target, value, source)
    elif isinstance(target, ast.Attribute):
        owner = frame.evaluate(target.value)
        if isinstance(owner, Instance):
            frame.interpreter.set_attribute(frame, owner, target.attr, value, target)
        elif isinstance(owner, Opaque):
            known = owner.attributes.get(target.attr)
            owner.attributes[target.attr] = value if known is None else join(known, value)
        elif isinstance(owner, Tensor) and target.attr == "data":
            # `x.data = y` changes what x is.
            replace_tensor(frame, owner, value)
    elif isinstance(target, ast.Subscript):
        _store(frame, target, value)
    elif isinstance(target, ast.Starred):
        assign(frame, target.value, value, source)


def _store(frame: Frame, target: ast.Subscript, value: AnyValue) -> None:
    owner = frame.evaluate(target.value)
    if isinstance(owner, Tensor):
        index = frame.evaluate(target.slice)
        found = frame.interpreter.set_item(owner, index, value)
        if isinstance(found, Mismatch):
            frame.report(target, found, "an assignment to a part of a tensor")
        return
    key = frame.evaluate(target.slice)
    value = acyclic(owner, value)
    if isinstance(owner, Dictionary):
        constant = frame.interpreter.key(key)
        if constant is None:
            _forget_keys(frame, owner, value)
        else:
            owner.items[constant] = value
    elif isinstance(owner, Sequence) and owner.kind == "list" and isinstance(key, Dim):
        position = key.constant
        if position is not None and -len(owner.items) <= position < len(owner.items):
            owner.items[position] = value
        else:
            for position, item in enumerate(owner.items):
                owner.items[position] = item if isinstance(item, Rest) else join(item, value)
    elif isinstance(owner, Sequence) and owner.kind == "list":
        # `items[1:] = others`
        replace_value(frame, owner, Elements(Unknown("a list whose items are replaced")))
    elif isinstance(owner, Elements):
        added = value
        if isinstance(key, Slice):
            added = join_all(elements_of(value)) if isinstance(value, (Sequence, Elements)) else Unknown("new items")
            owner.length = None
        owner.element = join(owner.element, added)
        owner.taken = {}


def _forget_keys(frame: Frame, owner: Dictionary, *values: AnyValue) -> None:
    """From here on only what the values look like is known."""
    known = [*owner.items.values(), *values] or [Unknown("a value of an empty dictionary")]
    replace_value(frame, owner, Elements(join_all(known), None, "dict"))


def _unpack(frame: Frame, target: ast.Tuple | ast.List, value: AnyValue, source: ast.expr | None) -> None:
    count = len(target.elts)
    starred = next((n for n, part in enumerate(target.elts) if isinstance(part, ast.Starred)), None)
    if isinstance(value, Container) and value.kind != "ModuleDict":
        value = Sequence(value.items.values(), "list")
    if starred is None and isinstance(value, Sequence) and any(isinstance(item, Rest) for item in value.items):
        _learn_rank(frame, source, count)
        if source is not None and _is_shape(source) and not isinstance(source, ast.Subscript):
            value = frame.evaluate(source)
    if isinstance(value, Sequence) and not any(isinstance(item, Rest) for item in value.items):
        items = [item for item in value.items if not isinstance(item, Rest)]
        if starred is None and len(items) == count:
            for part, item in zip(target.elts, items, strict=True):
                assign(frame, part, item, None)
            return
        if starred is not None and len(items) >= count - 1:
            tail = count - starred - 1
            for part, item in zip(target.elts[:starred], items, strict=False):
                assign(frame, part, item, None)
            assign(frame, target.elts[starred], Sequence(items[starred : len(items) - tail], "list"), None)
            for part, item in zip(target.elts[count - tail :], items[len(items) - tail :], strict=True):
                assign(frame, part, item, None)
            return
        frame.report(
            source or target,
            Mismatch(Fault.UNPACK, left=Dim.of(len(items)), right=Dim.of(count), detail=_what(source)),
        )
    elif isinstance(value, Sequence) and _unpack_around_rest(frame, target, value):
        return
    elif isinstance(value, Tensor):
        _unpack_tensor(frame, target, value, source)
        return
    elif isinstance(value, Elements) and value.kind != "dict":
        for part in target.elts:
            assign(frame, part, take(value), None)
        return
    for part in target.elts:
        name = part.id if isinstance(part, ast.Name) else "?"
        if isinstance(value, Unknown) and not _is_shape(source):
            assign(frame, part, value, None)
        else:
            assign(frame, part, Opaque(name), None)


def _what(source: ast.expr | None) -> str:
    return "shape" if _is_shape(source) else "tuple"


def _is_shape(source: ast.expr | None) -> bool:
    """Whether an expression is the shape of something: ``x.shape``, ``x.size()``, ``x.shape[:2]``."""
    if isinstance(source, ast.Subscript):
        return _is_shape(source.value)
    if isinstance(source, ast.Attribute):
        return source.attr == "shape"
    return isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute) and source.func.attr == "size"


def _unpack_around_rest(frame: Frame, target: ast.Tuple | ast.List, value: Sequence) -> bool:
    """``*lead, d = x.shape`` where the shape begins with any number of axes."""
    rest = next(n for n, item in enumerate(value.items) if isinstance(item, Rest))
    starred = next((n for n, part in enumerate(target.elts) if isinstance(part, ast.Starred)), None)
    tail = len(value.items) - rest - 1
    if starred is None:
        if len(target.elts) < len(value.items) - 1:
            return False
        parts = target.elts
        for part, item in zip(parts[:rest], value.items[:rest], strict=False):
            assign(frame, part, item, None)  # type: ignore[arg-type]  # items before the Rest
        for part in parts[rest : len(parts) - tail]:
            name = part.id if isinstance(part, ast.Name) else "?"
            assign(frame, part, Dim.of(Symbol(name, Kind.FLEXIBLE)), None)
        for part, item in zip(parts[len(parts) - tail :], value.items[len(value.items) - tail :], strict=True):
            assign(frame, part, item, None)  # type: ignore[arg-type]  # items behind the Rest
        return True
    after = len(target.elts) - starred - 1
    if starred > rest or after > tail:
        return False
    for part, item in zip(target.elts[:starred], value.items, strict=False):
        assign(frame, part, item, None)  # type: ignore[arg-type]  # items before the Rest
    middle = value.items[starred : len(value.items) - after]
    assign(frame, target.elts[starred], Sequence(middle, "list"), None)
    for part, item in zip(target.elts[starred + 1 :], value.items[len(value.items) - after :], strict=True):
        assign(frame, part, item, None)  # type: ignore[arg-type]  # items behind the Rest
    return True


def _unpack_tensor(frame: Frame, target: ast.Tuple | ast.List, value: Tensor, source: ast.expr | None) -> None:
    """Unpacking a tensor takes its first axis apart."""
    first = value.shape.axis(0) if value.shape.axes else None
    if isinstance(first, Axis):
        length = frame.interpreter.scope.normal(first.size).constant
        starred = any(isinstance(part, ast.Starred) for part in target.elts)
        if length is not None and length != len(target.elts) and not starred:
            frame.report(
                source or target,
                Mismatch(
                    Fault.UNPACK, left=first.size, right=Dim.of(len(target.elts)), left_shape=value.shape,
                    detail="tensor",
                ),
            )
    item = value.reshaped(Shape(value.shape.axes[1:])) if isinstance(first, Axis) else value.reshaped(Shape.unknown())
    for part in target.elts:
        if isinstance(part, ast.Starred):
            assign(frame, part, Elements(item), None)
        else:
            assign(frame, part, item, None)


def _learn_rank(frame: Frame, source: ast.expr | None, count: int) -> None:
    """``b, t, d = x.shape`` says that x has three axes."""
    owner = None
    if isinstance(source, ast.Attribute) and source.attr == "shape":
        owner = source.value
    elif isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute) and source.func.attr == "size":
        owner = source.func.value if not source.args else None
    if not isinstance(owner, ast.Name):
        return
    tensor = frame.env.get(owner.id)
    ranked = with_rank(tensor, count, owner.id) if isinstance(tensor, Tensor) else None
    if ranked is not None:
        frame.env[owner.id] = ranked


# -- branches --------------------------------------------------------------------------------------------------------


def _if(frame: Frame, node: ast.If) -> bool:
    known = truth(frame, node.test)
    if known is True:
        assume(frame, node.test, holds=True)
        return frame.execute(node.body)
    if known is False:
        assume(frame, node.test, holds=False)
        return frame.execute(node.orelse)
    before = frame.capture()
    open_ends = []
    assume(frame, node.test, holds=True)
    if frame.execute(node.body):
        open_ends.append(frame.capture())
    frame.resume(before)
    assume(frame, node.test, holds=False)
    if frame.execute(node.orelse):
        if not open_ends:
            return True
        open_ends.append(frame.capture())
    if not open_ends:
        return False
    frame.meet(open_ends)
    return True


def _match(frame: Frame, node: ast.Match) -> bool:
    value = frame.evaluate(node.subject)
    open_ends: list[State] = []
    for case in node.cases:
        before = frame.capture()
        matches = match_case(frame, case.pattern, value, node.subject)
        if matches is not False and case.guard is not None:
            guard = truth(frame, case.guard)
            matches = False if guard is False else matches if guard else None
            if matches is not False:
                assume(frame, case.guard, holds=True)
        if matches is not False and frame.execute(case.body):
            open_ends.append(frame.capture())
        if matches is True:
            break
        frame.resume(before)
    else:
        open_ends.append(frame.capture())
    return _meet(frame, open_ends)


_CATCHING = frozenset(("Exception", "BaseException", "RuntimeError", "ValueError", "IndexError", "TypeError"))
"""What torch raises for shapes that do not fit, and what is above it."""


def _recovers(handler: ast.ExceptHandler) -> bool:
    """Whether a handler goes on after an error that torch raises: then it is foreseen."""
    if isinstance(handler.body[-1], ast.Raise):
        return False
    kind = handler.type
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return kind is None or any(
        (part.id if isinstance(part, ast.Name) else getattr(part, "attr", "")) in _CATCHING for part in kinds
    )


def _try(frame: Frame, node: ast.Try) -> bool:
    before = frame.capture()
    open_ends = []
    foreseen = any(_recovers(handler) for handler in node.handlers)
    frame.interpreter.foreseen += foreseen
    try:
        goes_on = frame.execute(node.body)
    finally:
        frame.interpreter.foreseen -= foreseen
    if goes_on and frame.execute(node.orelse):
        open_ends.append(frame.capture())
    assigned = _assigned(node.body)
    for handler in node.handlers:
        frame.resume(before)
        # Any part of the body may have run: what it assigns is not known.
        for name in assigned:
            frame.env[name] = Unknown("assigned in a try block")
        if handler.name:
            frame.env[handler.name] = Unknown("an exception")
        if frame.execute(handler.body):
            open_ends.append(frame.capture())
    if open_ends:
        frame.meet(open_ends)
    elif node.finalbody:
        frame.resume(before)
        for name in assigned:
            frame.env[name] = Unknown("assigned in a try block")
    goes_on = frame.execute(node.finalbody)
    return bool(open_ends) and goes_on


def _assigned(body: list[ast.stmt]) -> set[str]:
    return {
        inner.id
        for statement in body
        for inner in nodes(statement)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
    }


def _with(frame: Frame, node: ast.With | ast.AsyncWith) -> bool:
    for item in node.items:
        value = frame.evaluate(item.context_expr)
        if item.optional_vars is not None:
            entered = value if isinstance(value, Instance) else Unknown("a context manager")
            assign(frame, item.optional_vars, entered, None)
    return frame.execute(node.body)


# -- loops -----------------------------------------------------------------------------------------------------------


def _for(frame: Frame, node: ast.For | ast.AsyncFor) -> bool:
    iterable = iterate(frame, frame.evaluate(node.iter))
    if isinstance(iterable, list) and len(iterable) <= MAX_UNROLLED:
        return _unrolled(frame, node, iterable)
    if isinstance(iterable, list):
        element = iterable[0]
        for item in iterable[1:]:
            element = join(element, item)
        iterable = Elements(element, Dim.of(len(iterable)))
    items = iterable
    return _repeated(frame, node.body, lambda: assign(frame, node.target, take(items), None), items.length, node.orelse)


def _while(frame: Frame, node: ast.While) -> bool:
    endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
    if not endless:
        ended = _counted(frame, node)
        if ended is not None:
            return ended

    def enter() -> None:
        assume(frame, node.test, holds=True)

    goes_on = _repeated(frame, node.body, enter, None, node.orelse, endless=endless)
    if goes_on and not endless:
        assume(frame, node.test, holds=False)
    return goes_on


def _counted(frame: Frame, node: ast.While) -> bool | None:
    """Passes of a loop for as long as its condition is known; None where it is not, with the state reached there."""
    ends: list[State] = []
    for _ in range(MAX_UNROLLED):
        known = truth(frame, node.test)
        if known is None:
            break
        if known is False:
            return _finish(frame, node.orelse, ends)
        if not _pass(frame, node.body, ends):
            return _meet(frame, ends)
    # What was left early on the way here is lost with the passes; their states belong to what follows.
    if ends:
        frame.meet([frame.capture(), *ends])
    return None


def _unrolled(frame: Frame, node: ast.For | ast.AsyncFor, items: list[AnyValue]) -> bool:
    ends: list[State] = []
    for item in items:
        assign(frame, node.target, item, None)
        if not _pass(frame, node.body, ends):
            return _meet(frame, ends)
    return _finish(frame, node.orelse, ends)


def _pass(frame: Frame, body: list[ast.stmt], ends: list[State]) -> bool:
    """One pass of a loop; whether another can follow. Where it is left early goes to ``ends``."""
    loop = Loop()
    frame.loops.append(loop)
    goes_on = frame.execute(body)
    frame.loops.pop()
    ends += loop.breaks
    if loop.continues:
        frame.meet([*([frame.capture()] if goes_on else []), *loop.continues])
    return goes_on or bool(loop.continues)


def _meet(frame: Frame, ends: list[State]) -> bool:
    if ends:
        frame.meet(ends)
    return bool(ends)


def _finish(frame: Frame, orelse: list[ast.stmt], ends: list[State]) -> bool:
    """Go on behind a loop that ran to its end, or was left early."""
    if frame.execute(orelse):
        ends = [frame.capture(), *ends] if ends else ends
        return _meet(frame, ends) or True
    return _meet(frame, ends)


def _repeated(
    frame: Frame,
    body: list[ast.stmt],
    enter: Callable[[], None],
    length: Dim | None,
    orelse: list[ast.stmt],
    *,
    endless: bool = False,
) -> bool:
    """Run the body until nothing changes any more; what still changes then is unknown.

    A fault found in any pass is one: so many passes are possible, and the state in which it starts covers them.
    """
    before = after = frame.capture()
    ends: list[State] = []
    lengths: dict[str, Dim] = {}
    for turn in range(MAX_PASSES):
        loop = Loop()
        frame.loops.append(loop)
        enter()
        goes_on = frame.execute(body)
        frame.loops.pop()
        ends += loop.breaks
        if turn == 0 and goes_on and not loop.continues:
            lengths = _count_appends(frame, before, None if loop.breaks else length)
        states = [*([frame.capture()] if goes_on else []), *loop.continues]
        if not states:
            break
        if turn == 0:
            # The second pass begins where the first ended: what does not fit there is a fault of the second pass.
            frame.meet(states)
            after = frame.capture()
            if not frame.at_rest(before):
                continue
        frame.meet([before, after, *states])
        at_rest = turn != 1 and frame.at_rest(before)
        if turn == MAX_PASSES - 1 and not at_rest:
            for table, name in frame.restless(before):
                table[name] = Unknown("a loop changes it")
        before = after = frame.capture()
        if at_rest:
            break
    if endless:
        return _meet(frame, ends)
    frame.meet([before, after, *ends])
    for name, counted in lengths.items():
        value = frame.env.get(name)
        if isinstance(value, Elements) and not ends:
            value.length = counted
    return frame.execute(orelse)


def _count_appends(frame: Frame, before: State, length: Dim | None) -> dict[str, Dim]:
    """A list that grew by some items in one pass has grown by so many times the number of passes; those lengths."""
    lengths: dict[str, Dim] = {}
    for name, value in list(frame.env.items()):
        start = before.env.get(name)
        if not (isinstance(value, Sequence) and value.kind == "list" and isinstance(start, Sequence)):
            continue
        old, grown = start.items, len(value.items) - len(start.items)
        if grown < 1 or any(isinstance(item, Rest) for item in value.items):
            continue
        if any(a is not b for a, b in zip(old, value.items, strict=False)):
            continue
        made = Elements(join_all(elements_of(value)))
        if length is not None:
            made.length = lengths[name] = length * grown + len(old)
        _replace(frame.env, value, made)
        if frame.instance is not None:
            _replace(frame.instance.attributes, value, made)
        _replace(before.env, start, made)
        if before.attributes is not None:
            _replace(before.attributes, start, made)
    return lengths


def _replace(table: dict[str, AnyValue], old: AnyValue, new: AnyValue) -> None:
    table.update(Replacement(old, new).table(table))


def _break(frame: Frame, node: ast.Break) -> bool:
    del node
    if frame.loops:
        frame.loops[-1].breaks.append(frame.capture())
    return False


def _continue(frame: Frame, node: ast.Continue) -> bool:
    del node
    if frame.loops:
        frame.loops[-1].continues.append(frame.capture())
    return False


# -- definitions -----------------------------------------------------------------------------------------------------


def _function(frame: Frame, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    closure = frame.interpreter.closure(frame)
    value = FunctionValue(node, frame.index, node.name, closure=closure, owner=frame.owner)
    frame.env[node.name] = value
    _share(frame, node)
    frame.interpreter.nested(frame, value)
    return True


def _share(frame: Frame, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    """Forget the variables that a nested function assigns, or whose lists it changes under conditions."""
    for name in rebound_outside(node):
        frame.shared.add(name)
        frame.env[name] = Unknown("a nested function changes it")
    for name in changed_names(node):
        if isinstance(frame.env.get(name), (Sequence, Elements, Dictionary)):
            frame.shared.add(name)
            frame.env[name] = Unknown("a nested function changes it")


def _class(frame: Frame, node: ast.ClassDef) -> bool:
    frame.env[node.name] = ClassValue(frame.interpreter.class_of(node, frame.index))
    return True


def _import(frame: Frame, node: ast.Import | ast.ImportFrom) -> bool:
    frame.interpreter.local_import(frame, node)
    return True


def _delete(frame: Frame, node: ast.Delete) -> bool:
    for target in node.targets:
        if isinstance(target, ast.Name):
            frame.env.pop(target.id, None)
        elif isinstance(target, ast.Subscript):
            owner = frame.evaluate(target.value)
            if isinstance(owner, Sequence) and owner.kind == "list":
                replace_value(frame, owner, Elements(join_all(elements_of(owner) or [Unknown("no item")])))
            elif isinstance(owner, Elements):
                owner.length, owner.taken = None, {}
            elif isinstance(owner, Dictionary):
                key = frame.interpreter.key(frame.evaluate(target.slice))
                if key is None or owner.items.pop(key, None) is None:
                    _forget_keys(frame, owner)
    return True


_STATEMENTS: dict[type, Callable[[Frame, Any], bool]] = {
    ast.Expr: _expression,
    ast.Return: _return,
    ast.Raise: _raise,
    ast.Assert: _assert,
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.If: _if,
    ast.Match: _match,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.Break: _break,
    ast.Continue: _continue,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import,
    ast.Delete: _delete,
}
