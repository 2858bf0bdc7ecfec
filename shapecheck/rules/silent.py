"""The rules about silent faults that watch operations: importing this module registers them all."""

from shapecheck.rules import (
    batch_first,
    causal_mask,
    counted_passes,
    crossed_slices,
    diagonal,
    expectations,
    factor_order,
    grid_axes,
    grid_scale,
    index_axis,
    index_extent,
    indices,
    last_step,
    layer_axis,
    misaligned,
    norm_axis,
    own_copies,
    pattern_names,
    picks,
    put_back,
    scan_axis,
    second_order,
    softmax_axis,
    squeeze_batch,
    standardised,
    step_shifts,
    two_distributions,
    unit_vectors,
    weight_sums,
    weights_divided,
    whole_rows,
)
from shapecheck.rules.batch_first import is_a_batch, is_among
from shapecheck.rules.batch_leak import batch_names, leak, widths
from shapecheck.rules.batch_mixed import handed_out, is_moved_batch
from shapecheck.rules.given import give
from shapecheck.rules.inferred_axis import inferred_axes
from shapecheck.rules.observed import BATCH_WORDS, observe
from shapecheck.rules.whole_rows import overwritten, scores_handed_out
from shapecheck.rules.written import forget

from shapecheck.rules import batch_totals  # isort: skip - what numbers of the batch are goes behind other marks
from shapecheck.rules import values_kept  # isort: skip - the last of those that mark values
from shapecheck.rules.mean_count import miscounted  # isort: skip - adds tallies to what all others left

__all__ = [
    "BATCH_WORDS",
    "batch_first",
    "batch_names",
    "batch_totals",
    "causal_mask",
    "counted_passes",
    "crossed_slices",
    "diagonal",
    "expectations",
    "factor_order",
    "forget",
    "give",
    "grid_axes",
    "grid_scale",
    "handed_out",
    "index_axis",
    "index_extent",
    "indices",
    "inferred_axes",
    "is_a_batch",
    "is_among",
    "is_moved_batch",
    "last_step",
    "layer_axis",
    "leak",
    "misaligned",
    "miscounted",
    "norm_axis",
    "observe",
    "overwritten",
    "own_copies",
    "pattern_names",
    "picks",
    "put_back",
    "scan_axis",
    "scores_handed_out",
    "second_order",
    "softmax_axis",
    "squeeze_batch",
    "standardised",
    "step_shifts",
    "two_distributions",
    "unit_vectors",
    "values_kept",
    "weight_sums",
    "weights_divided",
    "whole_rows",
    "widths",
]
