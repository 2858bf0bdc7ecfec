"""The four kinds of function, which differ in when their arguments are checked and what they give back."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import types

FUNCTION, COROUTINE, GENERATOR, ASYNC_GENERATOR = range(4)
_COROUTINE_FLAG, _GENERATOR_FLAG, _ASYNC_GENERATOR_FLAG = 0x80, 0x20, 0x200


def kind_of(code: types.CodeType) -> int:
    """Which kind of function a code object makes."""
    if code.co_flags & _COROUTINE_FLAG:
        return COROUTINE
    if code.co_flags & _ASYNC_GENERATOR_FLAG:
        return ASYNC_GENERATOR
    return GENERATOR if code.co_flags & _GENERATOR_FLAG else FUNCTION
