"""The patterns of einops: parsed once each, into groups of axis names.

``b (h d) ... 1`` has the groups ``("b",)``, ``("h", "d")``, ``("...",)`` and ``()``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

DOTS: Final = "..."
Group = tuple[str, ...]
"""The names of one axis, the outermost first; ``()`` is an axis of size 1; a number is an axis of that size."""


class Side:
    """One side of a pattern; ``dots`` is the place of an ellipsis that stands outside parentheses."""

    __slots__ = ("dots", "groups")

    def __init__(self, groups: tuple[Group, ...], dots: int | None) -> None:
        self.groups = groups
        self.dots = dots

    @property
    def names(self) -> list[str]:
        """Every name, number and ellipsis in it, in order."""
        return [name for group in self.groups for name in group]

    @property
    def axes(self) -> list[Group]:
        """The groups but for the ellipsis."""
        return [group for place, group in enumerate(self.groups) if place != self.dots]


class Malformed:
    """What is wrong with a pattern, in a few words."""

    __slots__ = ("why",)

    def __init__(self, why: str) -> None:
        self.why = why


class Pattern:
    """Both sides of an arrow."""

    __slots__ = ("left", "right")

    def __init__(self, left: Side, right: Side) -> None:
        self.left = left
        self.right = right


_sides: dict[str, Side | Malformed] = {}
_patterns: dict[str, Pattern | Malformed] = {}


def side(text: str) -> Side | Malformed:
    """One side of a pattern, ``_`` and repeated names allowed."""
    found = _sides.get(text)
    if found is None:
        found = _sides[text] = _parse(text)
    return found


def _parse(text: str) -> Side | Malformed:
    """The axes of one side as groups: one name each, or those between parentheses; ``1`` is an empty group."""
    groups: list[Group] = []
    inside: list[str] | None = None
    dots: int | None = None
    text = text.replace(DOTS, "…").replace("…", f" {DOTS} ").replace("(", " ( ").replace(")", " ) ")
    for word in text.split():
        if word == "(":
            if inside is not None:
                return Malformed("parentheses inside parentheses")
            inside = []
        elif word == ")":
            if inside is None:
                return Malformed("a closing parenthesis without an opening one")
            groups.append(tuple(inside))
            inside = None
        elif word == DOTS or _is_name(word) or word.isdecimal():
            if word == "0":
                return Malformed("an axis of size 0")
            names = () if word == "1" else (word,)
            if inside is None:
                dots = len(groups) if word == DOTS else dots
                groups.append(names)
            else:
                inside += names
        else:
            return Malformed(f"`{word}` is no axis name")
    if inside is not None:
        return Malformed("an opening parenthesis without a closing one")
    made = Side(tuple(groups), dots)
    return Malformed("two ellipses") if made.names.count(DOTS) > 1 else made


def _is_name(word: str) -> bool:
    return word == "_" or (word.isidentifier() and word[0] != "_" and word[-1] != "_")


def arrow(text: str, operation: str, given: frozenset[str]) -> Pattern | Malformed:
    """The pattern of ``rearrange``, ``reduce`` or ``repeat``; ``given`` are the names whose sizes the call states."""
    found = _patterns.get(text)
    if found is None:
        found = _patterns[text] = halves(text)
    if isinstance(found, Malformed):
        return found
    fault = _sides_fit(found, operation, given)
    return found if fault is None else fault


def halves(text: str) -> Pattern | Malformed:
    """Both sides of a pattern, whatever names stand on each."""
    halves = text.split("->")
    if len(halves) != 2:
        return Malformed("one `->` is needed")
    left, right = side(halves[0]), side(halves[1])
    if isinstance(left, Malformed):
        return left
    if isinstance(right, Malformed):
        return right
    for half in (left, right):
        names = [name for name in half.names if not name.isdecimal()]
        if "_" in names:
            return Malformed("`_` is no axis name")
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            return Malformed(f"`{twice}` stands twice on one side")
    if DOTS in left.names and left.dots is None:
        return Malformed("an ellipsis in parentheses on the left")
    if DOTS in right.names and DOTS not in left.names:
        return Malformed("an ellipsis on the right only")
    return Pattern(left, right)


def _sides_fit(pattern: Pattern, operation: str, given: frozenset[str]) -> Malformed | None:
    left = {name for name in pattern.left.names if not name.isdecimal()}
    right = {name for name in pattern.right.names if not name.isdecimal()}
    unused = next((name for name in sorted(given) if name not in left and name not in right), None)
    if unused is not None:
        return Malformed(f"`{unused}` is given a size but is not in the pattern")
    if operation == "rearrange":
        if any(name.isdecimal() for name in (*pattern.left.names, *pattern.right.names)):
            return Malformed("a number other than 1")
        alone = next((name for name in (*pattern.left.names, *pattern.right.names) if name in left ^ right), None)
        return None if alone is None else Malformed(f"`{alone}` stands on one side only")
    if operation == "reduce":
        alone = next((name for name in pattern.right.names if name not in left and not name.isdecimal()), None)
        if any(name.isdecimal() for name in pattern.right.names):
            return Malformed("a number on the right")
        return None if alone is None else Malformed(f"`{alone}` stands on the right only")
    alone = next((name for name in pattern.left.names if name not in right or name.isdecimal()), None)
    if alone is not None:
        return Malformed(f"`{alone}` stands on the left only")
    alone = next((name for name in pattern.right.names if name not in left | given and not name.isdecimal()), None)
    return None if alone is None else Malformed(f"the size of `{alone}` is not given")
