"""Patterns as in .gitignore files: which are none, and what they match."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from pathspec import GitIgnoreSpec


def fault_in(pattern: str) -> str | None:
    """Why a pattern can match nothing at all, or None; a comment or a blank line is no pattern and has no fault.

    Told without pathspec, which takes as long to import as a small file to check.
    """
    text = pattern.rstrip()
    if text != pattern and (len(text) - len(text.rstrip("\\"))) % 2:
        # An escaped blank at the end belongs to the pattern.
        text += " "
    if not text or text.startswith("#"):
        return None
    if text in {"!", "/"}:
        return f"{text!r} names nothing"
    position = 0
    while position < len(text):
        if text[position] == "\\":
            if position + 1 == len(text):
                return "the backslash at its end escapes nothing"
            position += 2
        elif text[position] == "[":
            end = _closing(text, position)
            if end is None:
                return "its [ is not closed by a ]"
            inside = text[position + 1 : end].lstrip("!^")
            if any(low > high for low, dash, high in zip(inside, inside[1:], inside[2:], strict=False) if dash == "-"):
                return f"the range in {text[position : end + 1]} goes backwards"
            position = end + 1
        else:
            position += 1
    return None


def _closing(text: str, start: int) -> int | None:
    """Where the ] stands that closes a [; one right behind the [ is a member of the set."""
    position = start + 1
    if text[position : position + 1] in {"!", "^"}:
        position += 1
    end = text.find("]", position + 1)
    return None if end < 0 else end


def compiled(patterns: Iterable[str]) -> GitIgnoreSpec:
    """Return what patterns match; those with a fault match nothing, as in git."""
    import warnings

    from pathspec import GitIgnoreSpec

    with warnings.catch_warnings():
        # Python's own remark that `[[` may mean something else one day.
        warnings.simplefilter("ignore", FutureWarning)
        return GitIgnoreSpec.from_lines([pattern for pattern in patterns if fault_in(pattern) is None])
