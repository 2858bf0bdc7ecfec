"""SC304 for patterns: the axes of a tensor are given the names of each other.

``rearrange(x, "b c w h -> b (h w) c")`` of ``[b, c, h, w]``: the pattern takes x for one whose last axes stand the
other way round, and what it calls ``(h w)`` counts through ``(w h)``. A pattern is one operation under any names, so
only two things are reported: an output whose exchanged names stand in the order that the tensor already had, as if
nothing had been exchanged; and one that drops or merges one of them and not the other. Silent are names in one
consistent order, and turned pairs of single letters, ``b j i d -> b i j d``: an index may be called as one likes.
"""

from __future__ import annotations

import re

from shapecheck.rules.observed import Observed, axis_name, watch
from shapecheck.rules.weight_sums import letters_of
from shapecheck.shapes import Constant, Fault, Mismatch, Shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

DOTS = "..."


@watch("einops.rearrange", "einops.repeat", "einops.reduce")
def _pattern(call: Observed) -> None:
    source, pattern = call.tensor(0, "tensor"), call.argument(1, "pattern")
    if source is None or not isinstance(pattern, Constant) or not isinstance(pattern.value, str):
        return
    before, _, after = pattern.value.partition("->")
    made = _groups(after)
    moved = exchanged(source.shape, [group[0] if len(group) == 1 else None for group in _groups(before)])
    if not moved:
        return
    if _is_taken_apart(made, moved) or _is_back_in_place(made, source.shape, moved):
        _suspect(call, source.shape, moved)


def _groups(side: str) -> list[list[str]]:
    """The axes of one side of a pattern: one name each, or those between parentheses."""
    return [found.group().strip("()").split() for found in re.finditer(r"\([^()]*\)|[^\s()]+", side)]


def _is_taken_apart(made: list[list[str]], moved: dict[int, str]) -> bool:
    """Whether a pattern drops or merges one of the exchanged names, and does something else with the other."""
    names = set(moved.values())
    places = [group for group in made if len(group) > 1] + [[name for group in made for name in group]]
    return any(names & set(place) not in (names, set()) for place in places)


def _is_back_in_place(made: list[list[str]], shape: Shape, moved: dict[int, str]) -> bool:
    """Whether the exchanged names are put into the order in which the tensor had its axes from the start."""
    kept = [name for group in made for name in group if name in moved.values()]
    if all(len(group) < 2 for group in made) and all(len(name) == 1 for name in kept):
        return False
    own = _named(shape)
    return kept == [own[place] for place in sorted(moved)]


@watch("einops.einsum")
def _einsum(call: Observed) -> None:
    """Letters are written as they come; words say which axis is meant."""
    equation = letters_of(call)
    for operand, names in zip(equation.operands, equation.terms, strict=True) if equation is not None else ():
        moved = exchanged(operand.shape, names)
        if moved and all(len(name) > 1 for name in moved.values()):
            _suspect(call, operand.shape, moved)
            return


def exchanged(shape: Shape, names: Sequence[str | None]) -> dict[int, str]:
    """The axes to which a pattern gives the names of each other, with these names.

    Args:
        shape: of the tensor.
        names: what the pattern calls each axis, ``...`` for any number of them; None where it takes one apart.
    """
    rank = shape.rank
    if rank is None or names.count(DOTS) > 1 or (DOTS not in names and len(names) != rank):
        return {}
    dots = names.index(DOTS) if DOTS in names else len(names)
    behind = len(names) - dots - 1
    own = _named(shape)
    moved: dict[int, str] = {}
    for place in range(rank):
        at = place if place < dots else len(names) - (rank - place) if place >= rank - behind else None
        name = None if at is None else names[at]
        if name is not None and name in own.values() and own.get(place) != name:
            moved[place] = name
    return moved if len(moved) > 1 and set(moved.values()) == {own.get(place) for place in moved} else {}


def _named(shape: Shape) -> dict[int, str]:
    """The axes of a shape that have a name which no other has."""
    names = [axis_name(axis) for axis in shape]
    return {place: name for place, name in enumerate(names) if name is not None and names.count(name) == 1}


def _suspect(call: Observed, shape: Shape, moved: dict[int, str]) -> None:
    told = "; ".join([f"{name} {place}" for place, name in sorted(moved.items())])
    call.suspect(Mismatch(Fault.PATTERN_NAMES, left_shape=shape, detail=told))
