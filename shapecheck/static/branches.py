"""Branches: ``if``, ``match``, ``try``, ``with``, and where they meet."""

from __future__ import annotations

import ast
from functools import partial

from shapecheck.shapes import (
    Unknown,
)
from shapecheck.static.assignment import assign
from shapecheck.static.choices import Choice
from shapecheck.static.comparisons import leave_open, refuses
from shapecheck.static.conditions import truth
from shapecheck.static.facts import assume
from shapecheck.static.frame import Frame, State
from shapecheck.static.patterns import match_case
from shapecheck.static.values import Instance
from shapecheck.static.walk import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def meet_ends(frame: Frame, ends: list[State]) -> bool:
    """Go on from the ends that are open; whether there is one."""
    if ends:
        frame.meet(ends)
    return bool(ends)


def _if(frame: Frame, node: ast.If) -> bool:
    known = truth(frame, node.test)
    if known is True:
        _suppose(frame, node.test, holds=True, other=node.orelse)
        return frame.execute(node.body)
    if known is False:
        _suppose(frame, node.test, holds=False, other=node.body)
        return frame.execute(node.orelse)
    before, choice = frame.capture(), Choice(frame, node.test)
    open_ends = []
    choice.enter()
    _suppose(frame, node.test, holds=True, other=node.orelse)
    if _execute(frame, node.body):
        open_ends.append(frame.leave())
    frame.go_back(before)
    choice.enter()
    _suppose(frame, node.test, holds=False, other=node.body)
    if _execute(frame, node.orelse):
        if not open_ends:
            choice.leave(both=False)
            return True
        open_ends.append(frame.leave())
    if not open_ends:
        return False
    frame.meet(open_ends, node.test)
    choice.leave(both=len(open_ends) > 1)
    return True


def _suppose(frame: Frame, test: ast.expr, *, holds: bool, other: list[ast.stmt]) -> None:
    """Enter a branch; ``other`` is what happens in the other one."""
    if not refuses(other):
        leave_open(frame, test, holds=holds)
    assume(frame, test, holds=holds)


def _execute(frame: Frame, body: list[ast.stmt]) -> bool:
    """Run a branch that may be taken or not."""
    frame.interpreter.conditional += 1
    try:
        return frame.execute(body)
    finally:
        frame.interpreter.conditional -= 1


def _match(frame: Frame, node: ast.Match) -> bool:
    value, choice = frame.evaluate(node.subject), Choice(frame, node.subject)
    open_ends: list[State] = []
    for case in node.cases:
        before = frame.capture()
        choice.enter()
        matches = match_case(frame, case.pattern, value, node.subject)
        if matches is not False and case.guard is not None:
            guard = truth(frame, case.guard)
            matches = False if guard is False else matches if guard else None
            if matches is not False:
                assume(frame, case.guard, holds=True)
        if matches is not False and (frame.execute if matches else partial(_execute, frame))(case.body):
            open_ends.append(frame.leave())
        if matches is True:
            break
        frame.go_back(before)
    else:
        open_ends.append(frame.leave())
    goes_on = meet_ends(frame, open_ends)
    choice.leave(both=True)
    return goes_on


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
        open_ends.append(frame.leave())
    assigned = _assigned(node.body)
    for handler in node.handlers:
        frame.resume(before)
        # Any part of the body may have run: what it assigns is not known.
        for name in assigned:
            frame.env[name] = Unknown("assigned in a try block")
        if handler.name:
            frame.env[handler.name] = Unknown("an exception")
        if frame.execute(handler.body):
            open_ends.append(frame.leave())
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


BRANCHES: dict[type, Callable[[Frame, Any], bool]] = {
    ast.If: _if,
    ast.Match: _match,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.With: _with,
    ast.AsyncWith: _with,
}
