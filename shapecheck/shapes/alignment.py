"""Following factors through a reshape whose sizes are not known to agree.

``[b, n, p*p*c]`` viewed as ``[b, g, g, p, p, c]`` with ``g = int(sqrt(n))``: nothing proves that ``n`` is ``g*g``, but
torch refuses anything else. What agrees at either end is taken off; a single factor that is left is split into the
sizes that are left. Where several are left on both sides, a run of equal sizes separates them: ``[nb, w, w, c]`` as
``[b, h, k, w, w, -1]`` makes parts of ``nb`` of the first three. That last step is what the code most likely means and
no proof, so sizes are never concluded from it: only identities, which warnings alone look at.
"""

from __future__ import annotations

from shapecheck.dims import ONE, Dim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

    from shapecheck.shapes.axis import Factor

    Split: TypeAlias = Callable[[Factor, Dim, Dim], Factor]

Piece = tuple["Factor", Dim]
"""A factor, and its size in the form that is compared."""


def align(
    pieces: Sequence[Piece], targets: Sequence[Dim], split: Split, *, agreed: bool = False
) -> list[list[Factor]] | None:
    """The factors of each target axis, outermost first, or None where they cannot be told.

    Args:
        pieces: the factors of the source in their order, none of size 1.
        targets: the sizes of the new axes, in the same form as those of the pieces.
        split: makes the part of a factor that has so many steps outside it and is so long.
        agreed: whether the sizes are known to agree, so that there is nothing to guess: parts have to agree as well.
    """
    groups: list[list[Factor]] = [[] for _ in targets]
    goals = [(position, size) for position, size in enumerate(targets) if size != ONE]
    return groups if _align(list(pieces), goals, groups, split, agreed) else None


def _align(
    pieces: list[Piece], goals: list[tuple[int, Dim]], groups: list[list[Factor]], split: Split, agreed: bool
) -> bool:
    """Hand the pieces out to the groups of their goals: from both ends, then about the longest run they share."""
    _take_front(pieces, goals, groups)
    _take_back(pieces, goals, groups, split)
    if not pieces or not goals:
        return not pieces and not goals
    if any(factor.ident is None for factor, _ in pieces) or not _may_agree(pieces, goals, agreed):
        return False
    if len(pieces) == 1:
        outer = ONE
        for position, size in goals:
            groups[position].append(split(pieces[0][0], outer, size))
            outer *= size
        return True
    if len(goals) == 1:
        groups[goals[0][0]] += [factor for factor, _ in pieces]
        return True
    run = _common_run(pieces, goals)
    if run is None:
        return False
    first, second, length = run
    for (factor, _), (position, _) in zip(pieces[first : first + length], goals[second : second + length], strict=True):
        groups[position].append(factor)
    return _align(pieces[:first], goals[:second], groups, split, agreed) and _align(
        pieces[first + length :], goals[second + length :], groups, split, agreed
    )


def _may_agree(pieces: list[Piece], goals: list[tuple[int, Dim]], agreed: bool) -> bool:
    """Tell whether two lists may be of one length: not where one is several times the other, whatever the sizes."""
    left = right = ONE
    for _, size in pieces:
        left *= size
    for _, size in goals:
        right *= size
    if left == right:
        return True
    return not agreed and left.exact_quotient(right) is None and right.exact_quotient(left) is None


def _take_front(pieces: list[Piece], goals: list[tuple[int, Dim]], groups: list[list[Factor]]) -> None:
    while pieces and goals and pieces[0][1] == goals[0][1]:
        groups[goals.pop(0)[0]].append(pieces.pop(0)[0])


def _take_back(pieces: list[Piece], goals: list[tuple[int, Dim]], groups: list[list[Factor]], split: Split) -> None:
    while pieces and goals:
        (factor, size), (position, goal) = pieces[-1], goals[-1]
        if size == goal:
            pieces.pop()
            goals.pop()
            groups[position].insert(0, factor)
            continue
        outer = size.exact_quotient(goal) if goal.constant is None else None
        if outer is None:
            return
        groups[position].insert(0, split(factor, outer, goal))
        goals.pop()
        pieces[-1] = split(factor, ONE, outer), outer


def _common_run(pieces: list[Piece], goals: list[tuple[int, Dim]]) -> tuple[int, int, int] | None:
    """The longest run of equal sizes: where it begins in either list, and its length; None if there are several."""
    best: list[tuple[int, int, int]] = []
    for first in range(len(pieces)):
        for second in range(len(goals)):
            length = 0
            while (
                first + length < len(pieces)
                and second + length < len(goals)
                and pieces[first + length][1] == goals[second + length][1]
                and pieces[first + length][1].constant is None
            ):
                length += 1
            if length and (not best or length >= best[0][2]):
                best = [*(best if best and length == best[0][2] else []), (first, second, length)]
    return best[0] if len(best) == 1 else None
