"""Annotated local variables, `h: Float[Tensor, "B T D"] = ...`, checked under the sizes of the call around them.

The import hook and the decorator put a call of `check_local` behind each such assignment when they are asked to. The
sizes come from the same stack as for `isinstance` (`body.py`). A name that only the local annotation has is free: it is
bound afresh each time.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from shapecheck.annotations.live import hint_from_live
from shapecheck.runtime import explain
from shapecheck.runtime.errors import ShapeError
from shapecheck.runtime.goals import Bound, Env, Goal, Where
from shapecheck.runtime.match import Matcher

if TYPE_CHECKING:
    from collections.abc import Callable


def check_local(name: str, value: object, annotation: Callable[[], object]) -> None:
    """Check one assignment; `annotation` evaluates the annotation, where it is written."""
    from jaxtyping._storage import get_shape_memo

    try:
        live = annotation()
    except NameError:  # imported for type checkers only
        return
    frame = sys._getframe(1)  # noqa: SLF001  # the function whose variable it is
    hint = hint_from_live(live, lambda text: eval(text, frame.f_globals, frame.f_locals))  # noqa: S307
    single, variadic, _, arguments = get_shape_memo()  # type: ignore[no-untyped-call]
    env: Env = {word: Bound(size, Where("", -1)) for word, size in single.items()}
    env |= {f"*{word}": Bound(shape, Where("", -1), flexible) for word, (flexible, shape) in variadic.items()}
    matcher = Matcher({**frame.f_locals, **arguments}, frozenset(env))
    goal = Goal(name, hint, value)
    if matcher.solve([goal], env) is not None:
        return
    failure = matcher.failure
    assert failure is not None  # noqa: S101
    code = frame.f_code
    lines = [f"{code.co_name}(): {explain.verdict(failure)}", "", *explain.table([goal], failure), ""]
    lines.append(f"assigned at {code.co_filename}:{frame.f_lineno}")
    error = ShapeError("\n".join(lines))
    raise explain.with_attributes(error, code.co_qualname, failure).with_traceback(None)
