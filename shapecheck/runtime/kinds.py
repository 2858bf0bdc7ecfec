"""The four kinds of function, which differ in when their arguments are checked and what they give back."""

from __future__ import annotations

import types

FUNCTION, COROUTINE, GENERATOR, ASYNC_GENERATOR = range(4)
_COROUTINE_FLAG, _GENERATOR_FLAG, _ASYNC_GENERATOR_FLAG = 0x80, 0x20, 0x200


def kind_of(function: object) -> int:
    """Which kind of function this is, as its caller sees it.

    A decorator may have made an ordinary function of a generator (`contextlib.contextmanager`).
    """
    if not isinstance(function, types.FunctionType):
        return FUNCTION
    code = function.__code__
    if code.co_flags & _COROUTINE_FLAG:
        return COROUTINE
    if code.co_flags & _ASYNC_GENERATOR_FLAG:
        return ASYNC_GENERATOR
    return GENERATOR if code.co_flags & _GENERATOR_FLAG else FUNCTION
