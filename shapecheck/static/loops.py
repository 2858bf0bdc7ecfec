"""Loops: passes over known items, and others until nothing changes any more."""

from __future__ import annotations

import ast

from shapecheck.dims import Dim
from shapecheck.shapes import (
    AnyValue,
    Rest,
    Sequence,
    Unknown,
)
from shapecheck.static.assignment import assign
from shapecheck.static.branches import meet_ends
from shapecheck.static.carried import carried
from shapecheck.static.conditions import truth
from shapecheck.static.copies import Replacement
from shapecheck.static.facts import assume
from shapecheck.static.frame import Frame, Loop, State
from shapecheck.static.iteration import iterate
from shapecheck.static.joins import elements_of, join, join_all
from shapecheck.static.loosen import take
from shapecheck.static.values import Elements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

MAX_UNROLLED = 24
"""A loop over a longer known sequence is run to its fixpoint instead."""
MAX_PASSES = 3
"""What still changes in the last of so many passes is unknown."""


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
    return _repeated(frame, node, lambda: assign(frame, node.target, take(items), None), items.length, node.iter)


def _while(frame: Frame, node: ast.While) -> bool:
    endless = isinstance(node.test, ast.Constant) and bool(node.test.value)
    if not endless:
        ended = _counted(frame, node)
        if ended is not None:
            return ended

    def enter() -> None:
        assume(frame, node.test, holds=True)

    goes_on = _repeated(frame, node, enter, endless=endless)
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
            return meet_ends(frame, ends)
    # What was left early on the way here is lost with the passes; their states belong to what follows.
    if ends:
        frame.meet([frame.leave(), *ends])
    return None


def _unrolled(frame: Frame, node: ast.For | ast.AsyncFor, items: list[AnyValue]) -> bool:
    ends: list[State] = []
    for item in items:
        assign(frame, node.target, item, None)
        if not _pass(frame, node.body, ends):
            return meet_ends(frame, ends)
    return _finish(frame, node.orelse, ends)


def _pass(frame: Frame, body: list[ast.stmt], ends: list[State]) -> bool:
    """One pass of a loop; whether another can follow. Where it is left early goes to ``ends``."""
    loop = Loop()
    frame.loops.append(loop)
    goes_on = frame.execute(body)
    frame.loops.pop()
    ends += loop.breaks
    if loop.continues:
        frame.meet([*([frame.leave()] if goes_on else []), *loop.continues])
    return goes_on or bool(loop.continues)


def _finish(frame: Frame, orelse: list[ast.stmt], ends: list[State]) -> bool:
    """Go on behind a loop that ran to its end, or was left early."""
    if frame.execute(orelse):
        ends = [frame.leave(), *ends] if ends else ends
        return meet_ends(frame, ends) or True
    return meet_ends(frame, ends)


def _repeated(
    frame: Frame,
    node: ast.For | ast.AsyncFor | ast.While,
    enter: Callable[[], None],
    length: Dim | None = None,
    over: ast.expr | None = None,
    *,
    endless: bool = False,
) -> bool:
    """Run the body until nothing changes any more; what still changes then is unknown.

    A fault found in any pass is one: so many passes are possible, and the state in which it starts covers them.
    A third pass tells nothing new where what it takes over from others is what the first one found.
    """
    before = after = frame.capture()
    ends: list[State] = []
    lengths: dict[str, Dim] = {}
    for turn in range(MAX_PASSES):
        loop = Loop()
        frame.loops.append(loop)
        enter()
        goes_on = frame.execute(node.body)
        frame.loops.pop()
        ends += loop.breaks
        if turn == 0 and goes_on and not loop.continues:
            lengths = _count_appends(frame, before, None if loop.breaks else length)
        states = [*([frame.leave()] if goes_on else []), *loop.continues]
        if not states:
            break
        if turn == 0:
            # The second pass begins where the first ended: what does not fit there is a fault of the second pass.
            frame.meet(states)
            after = frame.capture()
            if not frame.at_rest(before):
                continue
        frame.meet([before, *states] if after is before else [before, after, *states], over)
        at_rest = frame.at_rest(before, _carried(frame, node) if turn == 1 else None)
        if turn == MAX_PASSES - 1 and not at_rest:
            for table, name in frame.restless(before):
                table[name] = Unknown("a loop changes it")
        before = after = frame.capture()
        if at_rest:
            break
    if endless:
        return meet_ends(frame, ends)
    frame.meet([before, after, *ends])
    for name, counted in lengths.items():
        value = frame.env.get(name)
        if isinstance(value, Elements) and not ends:
            value.length = counted
    return frame.execute(node.orelse)


def _carried(frame: Frame, node: ast.For | ast.AsyncFor | ast.While) -> frozenset[str] | None:
    """The variables that one pass hands to the next; None for all of them.

    A nested function reads any of them, whenever it is called.
    """
    return None if frame.is_captured else carried(node)


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


LOOPS: dict[type, Callable[[Frame, Any], bool]] = {
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.Break: _break,
    ast.Continue: _continue,
}
