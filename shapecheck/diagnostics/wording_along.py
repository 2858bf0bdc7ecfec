"""The sentences about what runs along one axis and is used along another (SC306 to SC308, SC311 to SC316)."""

from __future__ import annotations

from shapecheck.diagnostics.speaker import Said, Speaker, from_end
from shapecheck.shapes import Factor, Fault, Mismatch


def _softmax_axis(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    del shown
    normalised = speaker.along(found.right, found.other_axis, found.left_shape)
    summed = speaker.along(found.left, found.axis)
    message = (
        f"the softmax normalises {normalised}, but the weighted sum runs over {summed}: "
        "those weights do not add up to 1"
    )
    dim = from_end(found.axis, found.left_shape)
    return Said(message, [], f"`softmax(dim={dim})` normalises the axis that is summed over")


def _picks(found: Mismatch, shown: str, speaker: Speaker) -> str:
    picked = speaker.along(found.left, found.axis, found.left_shape)
    return f"{shown} picks one of {picked} for each of {speaker.size(found.right)}"


def _pick_axis(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    message = (
        f"{_picks(found, shown, speaker)}, but the softmax normalises {speaker.along(found.right, found.other_axis)}: "
        f"they do not add up to 1"
    )
    dim = from_end(found.axis, found.left_shape)
    return Said(message, [], f"normalise the axis that is picked from: `dim={dim}`")


def _compared(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    compared = speaker.along(found.left, found.axis, found.left_shape)
    message = (
        f"{shown} compares distributions along {compared}, but the softmax of the targets normalises "
        f"{speaker.along(found.right, found.other_axis)}"
    )
    return Said(message, [], f"normalise both along one axis: `dim={from_end(found.axis, found.left_shape)}`")


def _class_axis(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    left, right, axis = speaker.shape(found.left_shape), speaker.shape(found.right_shape), speaker.size(found.left)
    message = f"{shown} takes axis 1 of {left} for the classes: that is {axis}, which the targets {right} have as well"
    return Said(message, [], "put the classes on axis 1 (`.transpose(1, 2)`), or flatten the other axes of both")


def _softmax_one(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    shape = speaker.shape(found.left_shape)
    return Said(f"{shown} over axis {found.axis} of {shape}, which has size 1: every weight is 1")


def _weights_alone(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    size = speaker.size(found.left)
    where = speaker.along(found.left, found.axis, found.left_shape)
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
    what, comes_to, repair = (
        ("bias", "whatever it is, the weights are the same", "or add it behind the softmax")
        if found.detail == "added"
        else ("mask", "it hides whole rows, and nothing in them", "and a 1 where the rows are")
    )
    message = (
        f"the {what} {speaker.shape(found.right_shape)} has no extent along "
        f"{speaker.along(found.left, found.axis, found.left_shape)}, over which the softmax runs: {comes_to}"
    )
    return Said(message, [], f"give the {what} the axis {size}, {repair}")


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
    return Said(message, [], _per_sample(found))


def _per_sample(found: Mismatch) -> str:
    """How to reduce what a number of the whole batch was taken of, so that it lines up with the samples."""
    rank = None if found.right_shape is None else found.right_shape.rank
    own = None if found.left_shape is None else found.left_shape.rank
    if rank == 1:
        return "it has one number a sample already: leave the reduction out"
    dims = "1" if rank is None or rank == 2 else str(tuple(range(1, rank)))
    if own == 1:
        return f"reduce over the other axes only: `dim={dims}`"
    if own is None or rank is None or own == rank:
        return f"reduce over the other axes only: `dim={dims}, keepdim=True`"
    ones = ", ".join(["-1", *["1"] * (own - 1)])
    return f"reduce over the other axes only: `dim={dims}`, and `.view({ones})`"


def _batch_steps(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    batch, shape = speaker.size(found.left), speaker.shape(found.left_shape)
    if found.detail == "shift":
        message = f"{shown} holds each sample of the batch axis {batch} of {shape} against the next one"
        return Said(message, [], "shift along the time axis: `[:, :-1]` and `[:, 1:]`")
    message = f"the samples of {shape} are reversed along the batch axis {batch} for a recurrent layer, not its steps"
    return Said(message, [], "flip the time axis")


def _batch_first(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    batch, shape = speaker.size(found.left), speaker.shape(found.left_shape)
    held = "is the batch axis" if found.left is None or len(found.left.atoms) < 2 else "holds the batch:"
    message = f"{shown} takes axis {found.axis} of {shape} for time, and that {held} {batch}"
    return Said(message, [], f"make it with `batch_first={found.detail}`, or transpose its input")


def _batch_last(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    message = (
        f"{shown} takes the last of {speaker.along(found.right, found.axis)}, but the recurrent layer ran along "
        f"{speaker.along(found.left, found.other_axis, found.left_shape)}"
    )
    step = "[-1]" if found.axis else "[:, -1]"
    return Said(message, [], f"make the layer with `batch_first={found.detail}`, or take its last step, `{step}`")


def _norm_axis(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    del shown
    right = speaker.size(found.right)
    message = (
        f"the mean of {speaker.shape(found.left_shape)} runs over {speaker.along(found.left, found.axis)}, "
        f"but the parameters that scale the result belong to {right}"
    )
    return Said(message, [], f"take the statistics over {right}: `dim=-1`")


def _unit_axis(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    del shown
    message = (
        f"the vectors have length 1 along {speaker.along(found.left, found.axis, found.left_shape)}, but the product "
        f"that compares them sums along {speaker.along(found.right, found.other_axis, found.right_shape)}"
    )
    return Said(message, [], f"normalise them along {speaker.size(found.right)}, which is summed over")


def _standardised(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    del shown
    centre, spread = found.detail.split("|")
    taken = centre if centre in {"mean", "median"} else "smallest"
    by = "span" if spread == "span" else "deviation"
    message = (
        f"the {taken} that is taken away is one along {speaker.along(found.left, found.axis, found.left_shape)}, but "
        f"the {by} that scales the rest is one along {speaker.along(found.right, found.other_axis)}"
    )
    return Said(message, [], "take both along the same axes")


def _scan_axis(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    del shown
    message = (
        f"this runs along {speaker.along(found.right, found.other_axis, found.left_shape)} between two flips along "
        f"{speaker.along(found.left, found.axis)}, which undo each other"
    )
    return Said(message, [], f"run along {speaker.size(found.left)}: `dim={found.axis}`")


def _causal_mask(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    keys = speaker.along(found.left, found.axis, found.left_shape)
    message = (
        f"{shown}: of the keys {keys} each query is left those that come after it: "
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
    searched, _, how = found.detail.partition("|")
    part, used = speaker.size(found.left), speaker.along(found.right, found.axis, found.left_shape)
    where = f" in {speaker.shape(found.right_shape)}" if found.right_shape is not None else ""
    message = f"{shown}: places along {part}, which {searched} found{where}, are used on {used}"
    if how == "exchanged":
        return Said(message, [], "exchange the two indices")
    if how == "beyond":
        size = speaker.size(found.right)
        return Said(f"{message}, which has no more than {size}", [], f"take the part along {size}: `% {size}`")
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
    message = (
        f"{_picks(found, shown, speaker)}, but the values are sorted along "
        f"{speaker.along(found.right, found.other_axis)}, where places are ranks"
    )
    return Said(message, [], f"sort along {speaker.size(found.left)}: `dim={found.axis}`")


def _grid_order(found: Mismatch, _: str, speaker: Speaker) -> Said:
    first, last, shape = speaker.size(found.left), speaker.size(found.right), speaker.shape(found.left_shape)
    message = (
        f"the first coordinate of this grid runs along {first}: grid_sample takes (x, y), and looks for it on {last}, "
        f"the last axis of {shape}"
    )
    return Said(message, [], "stack the coordinates the other way round: x first")


def _grid_scale(found: Mismatch, _: str, speaker: Speaker) -> Said:
    along, by = speaker.size(found.left), speaker.size(found.right)
    message = f"the coordinate that runs along {along} is divided by the size of {by}"
    if found.detail:
        message += f", and the one along {by} by that of {along}"
    else:
        message += f": grid_sample stretches it over {along}"
    return Said(message, [], f"divide each coordinate by the size of its own axis, this one by that of {along}")


def _counted_twice(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    del shown
    size, missing = speaker.size(found.left), speaker.size(found.right)
    message = (
        f"a total of {speaker.shape(found.left_shape)} is divided by {_count(found, speaker)}: "
        f"by {size} once too often, and never by {missing}"
    )
    return Said(message, [], f"divide by {missing}, the axis that is left out, instead of {size}")


def _counted_other(found: Mismatch, shown: str, speaker: Speaker) -> Said:
    del shown
    shape = found.left_shape
    if shape is None or found.axis is None or found.other_axis is None:
        return Said("sums are divided by the size of an axis that was not summed")
    summed, other = (
        f"{speaker.axis(shape[position])} (axis {position})" for position in (found.other_axis, found.axis)
    )
    message = (
        f"sums over {summed} of {speaker.shape(shape)} are divided by {_count(found, speaker)}: {other} was not summed"
    )
    return Said(message, [], f"divide by {speaker.size(found.right)} instead of {speaker.size(found.left)}")


def _count(found: Mismatch, speaker: Speaker) -> str:
    sizes = [speaker.size(factor.size) for factor in found.factors]
    return " * ".join(map(_bracketed, sizes)) if len(sizes) > 1 else "".join(sizes)


ALONG = {
    Fault.SOFTMAX_AXIS: _softmax_axis,
    Fault.SOFTMAX_ONE: _softmax_one,
    Fault.PICK_AXIS: _pick_axis,
    Fault.COMPARED: _compared,
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
    Fault.NORM_AXIS: _norm_axis,
    Fault.UNIT_AXIS: _unit_axis,
    Fault.STANDARDISED: _standardised,
    Fault.SCAN_AXIS: _scan_axis,
    Fault.CAUSAL_MASK: _causal_mask,
    Fault.INDEX_PARTS: _index_parts,
    Fault.INDEX_STRIDE: _index_stride,
    Fault.INDEX_OFFSET: _index_offset,
    Fault.INDEX_AXIS: _index_axis,
    Fault.INDEX_EXTENT: _index_extent,
    Fault.RANK_AXIS: _rank_axis,
    Fault.GRID_ORDER: _grid_order,
    Fault.GRID_SCALE: _grid_scale,
    Fault.COUNTED_TWICE: _counted_twice,
    Fault.COUNTED_OTHER: _counted_other,
}
