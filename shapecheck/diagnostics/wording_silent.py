"""The sentences about code that runs, and whose axes are mixed up (SC3xx)."""

from __future__ import annotations

from shapecheck.diagnostics.speaker import Said, Speaker, move
from shapecheck.shapes import Copies, Factor, Fault, Mismatch, Part, Shape


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
    if found.left_shape is None or len(held) != len(found.left_shape.axes):
        split = f".view({', '.join(speaker.size(factor.size) for factor in held)})"
    merge = ""
    if any(len(group) != 1 for group in found.wanted) and found.right_shape is not None:
        merge = f".reshape({', '.join(speaker.axis(axis) for axis in found.right_shape)})"
    return f"move whole axes instead: `{split}{move(order, moved)}{merge}`"


def _outer(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    left, right = speaker.shape(found.left_shape), speaker.shape(found.right_shape)
    size = speaker.size(found.left)
    longer_left = len(found.left_shape or ()) >= len(found.right_shape or ())
    long, short = ("left", "right") if longer_left else ("right", "left")
    message = (
        f"{shown} of {left} and {right} pairs every {size} with every other {size}: "
        f"the {short} operand lines up with the last axis of the {long}, which is 1"
    )
    return Said(message, [], f"`.squeeze(-1)` on the {long}, or `.unsqueeze(-1)` on the {short}, keeps them paired")


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
    message = (
        f"{shown} of {speaker.shape(found.left_shape)} and {speaker.shape(found.right_shape)} lines {one} up with "
        f"{other}, although the first operand has an axis {one} of its own"
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


def _softmax_axis(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    del shown
    summed, normalised = speaker.size(found.left), speaker.size(found.right)
    message = (
        f"the softmax normalises {normalised} (axis {found.other_axis} of {speaker.shape(found.left_shape)}), but the "
        f"weighted sum runs over {summed} (axis {found.axis}): those weights do not add up to 1"
    )
    dim = _from_end(found.axis, found.left_shape)
    return Said(message, [], f"`softmax(dim={dim})` normalises the axis that is summed over")


def _pick_axis(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    picked, normalised = speaker.size(found.left), speaker.size(found.right)
    message = (
        f"{shown} picks one of {picked} (axis {found.axis} of {speaker.shape(found.left_shape)}) for each of "
        f"{normalised}, but the softmax normalises {normalised} (axis {found.other_axis}): they do not add up to 1"
    )
    dim = _from_end(found.axis, found.left_shape)
    return Said(message, [], f"normalise the axis that is picked from: `dim={dim}`")


def _from_end(axis: int | None, shape: Shape | None) -> int | None:
    """An axis number as people write it in a softmax: counted from the end where that is short."""
    if axis is None or shape is None or shape.rank is None:
        return axis
    return axis - shape.rank if axis == shape.rank - 1 else axis


def _class_axis(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    left, right, axis = speaker.shape(found.left_shape), speaker.shape(found.right_shape), speaker.size(found.left)
    message = f"{shown} takes axis 1 of {left} for the classes: that is {axis}, which the targets {right} have as well"
    return Said(message, [], "put the classes on axis 1 (`.transpose(1, 2)`), or flatten the other axes of both")


def _softmax_one(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    shape = speaker.shape(found.left_shape)
    return Said(f"{shown} over axis {found.axis} of {shape}, which has size 1: every weight is 1")


def _weights_alone(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    size = speaker.size(found.left)
    where = f"{size} (axis {found.axis} of {speaker.shape(found.left_shape)})"
    if found.detail == "mean":
        message = f"{shown} runs along {where}, along which the weights add up to 1: it is 1/{size} everywhere"
        return Said(message, [], "normalise the weights along another axis than the mean runs along")
    if found.detail == "times":
        message = f"{shown}: one operand is the sum or mean of weights along {where}, the same number everywhere"
        return Said(message, [], "multiply the weights themselves, then sum")
    message = f"{shown} sums the weights along {where} alone, and there they add up to 1: they weigh nothing"
    return Said(message, [], "give the values the same letter, so that the sum is a weighted one")


def _row_mask(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    del shown
    size = speaker.size(found.left)
    if found.detail == "added":
        message = (
            f"the bias {speaker.shape(found.right_shape)} has no extent along {size} (axis {found.axis} of "
            f"{speaker.shape(found.left_shape)}), over which the softmax runs: whatever it is, the weights are the same"
        )
        return Said(message, [], f"give the bias the axis {size}, or add it behind the softmax")
    message = (
        f"the mask {speaker.shape(found.right_shape)} has no extent along {size} (axis {found.axis} of "
        f"{speaker.shape(found.left_shape)}), over which the softmax runs: it hides whole rows, and nothing in them"
    )
    return Said(message, [], f"give the mask the axis {size}, and a 1 where the rows are")


def _flat_index(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    shape = speaker.shape(found.left_shape)
    message = f"{shown} without an axis is one index into the whole tensor, compared with {shape}"
    return Said(message, [], "name the axis: `argmax(dim=-1)`")


def _batch_width(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    batch = speaker.size(found.left)
    if found.detail:
        return Said(f"`{found.detail}`, fixed when the layers are made, would have to be the batch size {batch} here")
    return Said(f"the width of {shown} is made of the batch size {batch}: it fits one batch size only")


def _batch_meets(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    batch, width = speaker.size(found.left), speaker.size(found.right)
    left, right = speaker.shape(found.left_shape), speaker.shape(found.right_shape)
    return Said(f"{shown} of {left} and {right}: the batch axis {batch} is lined up with {width}, the width of a layer")


def _batch_table(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    batch, left, right = speaker.size(found.left), speaker.shape(found.left_shape), speaker.shape(found.right_shape)
    if found.detail == "read":
        message = f"{shown} of {left} and {right}: the table is read at the number of each sample of the axis {batch}"
        return Said(message, [], "count along the time axis: `torch.arange(x.size(1))`")
    cut = f"cut to the batch size {batch} and " if found.detail == "cut" else ""
    message = f"{shown} of {left} and {right}: the table is {cut}lined up with the batch axis {batch}"
    return Said(message, [], "cut it to the length of the time axis, and put a 1 where the batch is")


def _batch_leak(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    batch, shape = speaker.size(found.left), speaker.shape(found.left_shape)
    if found.detail == "along":
        return Said(f"{shown} runs along the batch axis {batch} of {shape}: each sample depends on the others")
    message = f"the samples of {shape} are combined with one number of the whole batch: each depends on the others"
    return Said(message, [], "reduce over the other axes only: `dim=1, keepdim=True`")


def _batch_steps(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    batch, shape = speaker.size(found.left), speaker.shape(found.left_shape)
    if found.detail == "shift":
        message = f"{shown} holds each sample of the batch axis {batch} of {shape} against the next one"
        return Said(message, [], "shift along the time axis: `[:, :-1]` and `[:, 1:]`")
    message = f"the samples of {shape} are reversed along the batch axis {batch} for a recurrent layer, not its steps"
    return Said(message, [], "flip the time axis")


def _batch_first(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    batch, shape = speaker.size(found.left), speaker.shape(found.left_shape)
    message = f"{shown} takes axis {found.axis} of {shape} for time, and that is the batch axis {batch}"
    return Said(message, [], f"make it with `batch_first={found.detail}`, or transpose its input")


def _batch_last(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    along, taken, shape = speaker.size(found.left), speaker.size(found.right), speaker.shape(found.left_shape)
    message = (
        f"{shown} takes the last of {taken} (axis {found.axis}), "
        f"but the recurrent layer ran along {along} (axis {found.other_axis} of {shape})"
    )
    step = "[-1]" if found.axis else "[:, -1]"
    return Said(message, [], f"make the layer with `batch_first={found.detail}`, or take its last step, `{step}`")


def _squeeze_batch(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    message = f"{shown} of {speaker.shape(found.left_shape)} also drops {speaker.size(found.left)} when that is 1"
    return Said(message, [], f"name the axis: `.squeeze({_from_end(found.axis, found.left_shape)})`")


def _diagonal(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    operand = f" of {speaker.shape(found.left_shape)}" if found.left_shape is not None else ""
    message = f"{shown}: `{found.detail}` twice in one operand takes the diagonal{operand}, and meets another operand"
    return Said(message, [], "give the two axes letters of their own, and sum over one of them")


def _norm_axis(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    del shown
    left, right = speaker.size(found.left), speaker.size(found.right)
    message = (
        f"the mean of {speaker.shape(found.left_shape)} runs over {left} (axis {found.axis}), "
        f"but the parameters that scale the result belong to {right}"
    )
    return Said(message, [], f"take the statistics over {right}: `dim=-1`")


def _unit_axis(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    del shown
    left, right = speaker.size(found.left), speaker.size(found.right)
    message = (
        f"the vectors have length 1 along {left} (axis {found.axis} of {speaker.shape(found.left_shape)}), but the "
        f"product that compares them sums along {right} (axis {found.other_axis} of {speaker.shape(found.right_shape)})"
    )
    return Said(message, [], f"normalise them along {right}, which is summed over")


def _scan_axis(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    del shown
    left, right, shape = speaker.size(found.left), speaker.size(found.right), speaker.shape(found.left_shape)
    message = (
        f"this runs along {right} (axis {found.other_axis} of {shape}) between two flips along {left} "
        f"(axis {found.axis}), which undo each other"
    )
    return Said(message, [], f"run along {left}: `dim={found.axis}`")


def _causal_mask(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    keys, shape = speaker.size(found.left), speaker.shape(found.left_shape)
    message = (
        f"{shown}: of the keys {keys} (axis {found.axis} of {shape}) each query is left those that come after it: "
        f"the mask hides the past and shows the future"
    )
    return Said(message, [], "keep `tril`, or hide `triu(diagonal=1)`")


def _index_parts(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    searched, how = found.detail.split("|")
    parts = _spaced(found.factors, speaker)
    if how == "unravel":
        sizes = ", ".join(speaker.size(factor.size) for factor in found.factors)
        message = f"{shown} reads an index along ({parts}), which {searched} found, by these sizes in another order"
        return Said(message, [], f"the flat axis is ({parts}): `unravel_index(index, ({sizes}))`")
    size, inner = speaker.size(found.left), speaker.size(found.right)
    message = (
        f"an index along ({parts}), which {searched} found, is taken apart by `{how} {_bracketed(size)}`: "
        f"the inner size of that axis is {inner}"
    )
    return Said(message, [], f"the flat axis is ({parts}): `{how} {_bracketed(inner)}`")


def _bracketed(size: str) -> str:
    return size if size.isidentifier() else f"({size})"


def _spaced(factors: tuple[Factor, ...], speaker: Speaker) -> str:
    return " ".join(speaker.size(factor.size) for factor in factors)


def _index_stride(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    part, wanted = speaker.size(found.left), speaker.size(found.right)
    given = speaker.size(found.wanted[0][0].size) if found.wanted else "?"
    message = (
        f"{shown}: the flat index counts {part} in steps of {given}, but axis {found.axis} of "
        f"{speaker.shape(found.left_shape)} lies as ({_spaced(found.factors, speaker)})"
    )
    return Said(message, [], f"count {part} in steps of {wanted}")


def _index_offset(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    samples, part = speaker.size(found.left), speaker.size(found.right)
    message = (
        f"{shown}: an index along {part}, for each of {samples}, is used on axis {found.axis} of "
        f"{speaker.shape(found.left_shape)}, which lies as ({_spaced(found.factors, speaker)}): "
        f"it reads from the first {part} only"
    )
    return Said(message, [], f"add where each of {samples} begins: `torch.arange({samples})` times {part}")


def _index_axis(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    searched, _, exchanged = found.detail.partition("|")
    part, used = speaker.size(found.left), speaker.size(found.right)
    where = f" in {speaker.shape(found.right_shape)}" if found.right_shape is not None else ""
    message = (
        f"{shown}: places along {part}, which {searched} found{where}, are used on {used} (axis {found.axis} of "
        f"{speaker.shape(found.left_shape)})"
    )
    if exchanged:
        return Said(message, [], "exchange the two indices")
    return Said(message, [], f"use them on the axis {part}")


def _index_extent(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    how, misplaced = found.detail.split("|")
    size, shape, index = speaker.size(found.left), found.left_shape, found.right_shape
    does = "writes to" if "scatter" in how else "reads"
    message = (
        f"{shown} {does} the first {size} alone: the index {speaker.shape(index)} has size 1 on axis {found.axis} of "
        f"{speaker.shape(shape)}, and it does not broadcast"
    )
    if misplaced:
        return Said(message, [], f"the 1 of the index belongs on axis {found.other_axis}, whose places it names")
    along = "-1" if index is None else ", ".join(
        size if position == found.axis else "-1" for position in range(len(index))
    )
    return Said(message, [], f"expand the index: `.expand({along})`")


def _rank_axis(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    picked, ordered = speaker.size(found.left), speaker.size(found.right)
    message = (
        f"{shown} picks one of {picked} (axis {found.axis} of {speaker.shape(found.left_shape)}) for each of "
        f"{ordered}, but the values are sorted along {ordered} (axis {found.other_axis}), where places are ranks"
    )
    return Said(message, [], f"sort along {picked}: `dim={found.axis}`")


def _grid_order(found: Mismatch, _: str, speaker: Speaker) -> Said:
    first, last, shape = speaker.size(found.left), speaker.size(found.right), speaker.shape(found.left_shape)
    message = (
        f"the first coordinate of this grid runs along {first}: grid_sample takes (x, y), and looks for it on {last}, "
        f"the last axis of {shape}"
    )
    return Said(message, [], "stack the coordinates the other way round: x first")


SILENT = {
    Fault.SCRAMBLED: _scrambled,
    Fault.OUTER: _outer,
    Fault.CROSSED: _crossed,
    Fault.MISALIGNED: _misaligned,
    Fault.ROW: _row,
    Fault.AXIS_ORDER: _axis_order,
    Fault.LAYER_AXIS: _layer_axis,
    Fault.FACTOR_ORDER: _factor_order,
    Fault.SOFTMAX_AXIS: _softmax_axis,
    Fault.SOFTMAX_ONE: _softmax_one,
    Fault.PICK_AXIS: _pick_axis,
    Fault.WEIGHTS_ALONE: _weights_alone,
    Fault.ROW_MASK: _row_mask,
    Fault.CLASS_AXIS: _class_axis,
    Fault.FLAT_INDEX: _flat_index,
    Fault.BATCH_WIDTH: _batch_width,
    Fault.BATCH_MEETS: _batch_meets,
    Fault.BATCH_TABLE: _batch_table,
    Fault.BATCH_LEAK: _batch_leak,
    Fault.BATCH_STEPS: _batch_steps,
    Fault.BATCH_FIRST: _batch_first,
    Fault.BATCH_LAST: _batch_last,
    Fault.SQUEEZE_BATCH: _squeeze_batch,
    Fault.DIAGONAL: _diagonal,
    Fault.NORM_AXIS: _norm_axis,
    Fault.UNIT_AXIS: _unit_axis,
    Fault.SCAN_AXIS: _scan_axis,
    Fault.CAUSAL_MASK: _causal_mask,
    Fault.INDEX_PARTS: _index_parts,
    Fault.INDEX_STRIDE: _index_stride,
    Fault.INDEX_OFFSET: _index_offset,
    Fault.INDEX_AXIS: _index_axis,
    Fault.INDEX_EXTENT: _index_extent,
    Fault.RANK_AXIS: _rank_axis,
    Fault.GRID_ORDER: _grid_order,
}
