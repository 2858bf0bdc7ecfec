"""The sentences about code that runs, and whose axes are mixed up (SC3xx): orders of axes and elements here."""

from __future__ import annotations

from shapecheck.diagnostics.speaker import Said, Speaker, from_end, move
from shapecheck.diagnostics.wording_along import ALONG
from shapecheck.shapes import Copies, Factor, Fault, Mismatch, Part


def _scrambled(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    """A reshape that moves elements across axes."""
    if found.detail == "torn":
        part = speaker.size(found.right)
        message = (
            f"{shown} of {speaker.shape(found.left_shape)} to {speaker.shape(found.right_shape)} mixes elements of "
            f"different axes: both new axes have a part {part}, which lies between other elements"
        )
        return Said(message, [], f"split off {part} first, put each part behind its axis by `.permute`, then merge")
    held = " ".join(speaker.size(factor.size) for factor in found.factors)
    wanted = " ".join(_group(group, speaker) for group in found.wanted)
    message = (
        f"{shown} of {speaker.shape(found.left_shape)} to {speaker.shape(found.right_shape)} mixes elements of "
        f"different axes: in memory they lie as ({held}), the new axes read them as ({wanted})"
    )
    if found.detail == "pattern":
        return Said(message, [], f"name the parts in the order in which they lie: `({held})`")
    return Said(message, [], _unscramble(found, speaker))


def _group(group: tuple[Factor, ...], speaker: Speaker) -> str:
    if len(group) == 1:
        return speaker.size(group[0].size)
    return f"({' '.join(speaker.size(factor.size) for factor in group)})" if group else "1"


def _unscramble(found: Mismatch, speaker: Speaker) -> str | None:
    """Split first, move whole axes, then merge."""
    flat = [factor for group in found.wanted for factor in group]
    remaining = list(flat)
    held: list[Factor] = []
    for factor in found.factors:
        parts = [
            part
            for part in remaining
            if part == factor or (isinstance(part.ident, Part) and part.ident.whole == factor)
        ]
        if not parts:
            return None
        for part in parts:
            remaining.remove(part)
        held += parts
    if remaining:
        return None
    order = [held.index(factor) for factor in flat]
    if len(set(order)) != len(order):
        return None
    moved = [position for position, source in enumerate(order) if position != source]
    split = ""
    if found.left_shape is None or [axis.size for axis in found.left_shape] != [factor.size for factor in held]:
        split = f".view({', '.join(speaker.size(factor.size) for factor in held)})"
    merge = ""
    if any(len(group) != 1 for group in found.wanted) and found.right_shape is not None:
        merge = f".reshape({', '.join(speaker.axis(axis) for axis in found.right_shape)})"
    return f"move whole axes instead: `{split}{move(order, moved)}{merge}`"


def _outer(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    left, right = speaker.shape(found.left_shape), speaker.shape(found.right_shape)
    size = speaker.size(found.left)
    ranks = len(found.left_shape or ()), len(found.right_shape or ())
    long, short = ("left", "right") if ranks[0] >= ranks[1] else ("right", "left")
    one = abs(ranks[0] - ranks[1]) + (found.other_axis or 0)
    is_last = one == max(ranks) - 1
    place, dim = ("the last axis", -1) if is_last else (f"axis {one}", one)
    message = (
        f"{shown} of {left} and {right} pairs every {size} with every other {size}: "
        f"the {short} operand lines up with {place} of the {long}, which is 1"
    )
    repair = f"`.squeeze({dim})` on the {long}, or `.unsqueeze({dim})` on the {short}, keeps them paired"
    return Said(message, [], repair)


def _crossed(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    one, other = speaker.size(found.left), speaker.size(found.right)
    message = (
        f"{shown} of {speaker.shape(found.left_shape)} and {speaker.shape(found.right_shape)} pairs every {one} with "
        f"every {other}: the left operand is one place along {one} (axis {found.axis}), the right one along {other} "
        f"(axis {found.other_axis})"
    )
    return Said(message, [], "cut both along the same axis")


def _misaligned(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    if found.detail:
        message = (
            f"{shown}: axis {found.axis} of one operand would have to be as long as {found.detail}, although that "
            f"operand has an axis {found.detail} of its own"
        )
        return Said(message, [], "transpose it, so that both operands have their axes in one order")
    one, other = speaker.size(found.left), speaker.size(found.right)
    shapes = speaker.shape(found.left_shape), speaker.shape(found.right_shape)
    if one == other:
        # The operation made them equal: shown is what they were.
        one, other, shapes = str(found.left), str(found.right), (str(found.left_shape), str(found.right_shape))
    message = (
        f"{shown} of {shapes[0]} and {shapes[1]} lines {one} up with {other}, although the first operand has an axis "
        f"{one} of its own"
    )
    return Said(message, [], f"put axes of size 1 behind {one} (`[:, None]`, `unsqueeze`) until it meets {one}")


def _row(found: Mismatch, _: str, speaker: Speaker) -> Said:
    size = speaker.size(found.left)
    message = (
        f"an index {size} takes one row, which is broadcast along the axis {size} of "
        f"{speaker.shape(found.left_shape)}: every element gets the same one"
    )
    return Said(message, [], f"take as many as there are, `[:{size}]`")


def _axis_order(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    what, name, declared, order, respelt = found.detail.split("|")
    of_argument = f"argument `{name}` of {shown} gets" if name else f"{shown} gets"
    opening = {
        "argument": of_argument, "local": f"`{name}` gets", "result": "returns",
    }[what]
    spelling = f" ({respelt})" if respelt else ""
    message = (
        f'{opening} {speaker.shape(found.left_shape)} where "{declared}" is declared: '
        f"the same axes in another order{spelling}"
    )
    if not order:
        return Said(message, [], None)
    sources = [int(source) for source in order.split(",")]
    moved = [position for position, source in enumerate(sources) if position != source]
    return Said(message, [], f"`{move(sources, moved)}` brings them into the declared order")


def _layer_axis(found: Mismatch, shown: str, _: Speaker) -> Said:
    # The sizes as they were: to a speaker both are the same by now.
    message = (
        f"{shown} takes {found.left} features on axis {found.axis} of {found.left_shape}, which is {found.right}: they "
        f"stand on axis {found.other_axis}, and only by accident are the two equally long"
    )
    one, other = sorted((found.axis or 0, found.other_axis or 0))
    moved = f".transpose({one}, {other})" if other - one == 1 else f".movedim({found.other_axis}, {found.axis})"
    return Said(message, [], f"`{moved}` in front of the layer puts them there")


def _names_read(found: Mismatch, _: str, speaker: Speaker) -> Said:
    del speaker
    owner, declared, told = found.detail.split("|")
    read = [one.rsplit(" ", 1) for one in told.split("; ")]
    places = ", ".join([f"{name} from axis {place}" for name, place in read])
    message = f'the sizes of `{owner}`, declared "{declared}", are read in another order: {places}'
    return Said(message, [], "read the sizes in the declared order, or declare the order in which they come")


def _pattern_names(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    named = [one.rsplit(" ", 1) for one in found.detail.split("; ")]
    places = ", ".join([f"axis {place} `{name}`" for name, place in named])
    shape = speaker.shape(found.left_shape)
    message = f"the pattern of {shown} gives axes of {shape} the names of each other: {places}"
    return Said(message, [], "name the axes in the order in which they stand")


def _factor_order(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    one = " ".join(speaker.size(factor.size) for factor in found.factors)
    other = _group(found.wanted[0], speaker).strip("()") if found.wanted else "?"
    if found.detail.startswith("declared|"):
        message = (
            f"{shown}: axis {found.axis} of {speaker.shape(found.left_shape)} counts through ({one}), where "
            f"`{found.detail.partition('|')[2]}` is declared, ({other}): the same parts in another order"
        )
        return Said(message, [], "move the axes with `permute` before they are merged, or write the product as it lies")
    where = f"an axis of {speaker.size(found.left)}"
    if found.left_shape is not None:
        where = f"axis {found.axis} of {speaker.shape(found.left_shape)}"
    message = (
        f"{shown}: {where} counts through ({one}), "
        f"what it meets counts through ({other}): the same parts in another order"
    )
    repeated = any(isinstance(factor.ident, Copies) for group in (found.factors, *found.wanted) for factor in group)
    repair = "merge the parts in the same order: transpose one of the two first"
    if repeated:
        repair = "use `repeat_interleave` for `repeat` (or the other way round), or merge in the same order"
    return Said(message, [], repair)


def _squeeze_batch(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    message = f"{shown} of {speaker.shape(found.left_shape)} also drops {speaker.size(found.left)} when that is 1"
    return Said(message, [], f"name the axis: `.squeeze({from_end(found.axis, found.left_shape)})`")


def _diagonal(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    operand = f" of {speaker.shape(found.left_shape)}" if found.left_shape is not None else ""
    message = f"{shown}: `{found.detail}` twice in one operand takes the diagonal{operand}, and meets another operand"
    return Said(message, [], "give the two axes letters of their own, and sum over one of them")


SILENT = {
    Fault.SCRAMBLED: _scrambled,
    Fault.OUTER: _outer,
    Fault.CROSSED: _crossed,
    Fault.MISALIGNED: _misaligned,
    Fault.ROW: _row,
    Fault.AXIS_ORDER: _axis_order,
    Fault.LAYER_AXIS: _layer_axis,
    Fault.NAMES_READ: _names_read,
    Fault.PATTERN_NAMES: _pattern_names,
    Fault.FACTOR_ORDER: _factor_order,
    Fault.SQUEEZE_BATCH: _squeeze_batch,
    Fault.DIAGONAL: _diagonal,
    **ALONG,
}
