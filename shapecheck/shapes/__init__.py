"""Axes with factors and identity, shapes, abstract values, broadcasting and regrouping. Knows only sizes."""

from shapecheck.shapes.axis import Axis, Copies, Factor, Mark, Origin, Part, Rest, fuse, merged, part
from shapecheck.shapes.broadcast import broadcast, suspect_order
from shapecheck.shapes.context import Context, current, hide, require, scope, suspect, use
from shapecheck.shapes.fault import Fault, Mismatch, Undecided
from shapecheck.shapes.regroup import flatten, reshape, split_axis
from shapecheck.shapes.shape import Shape
from shapecheck.shapes.values import (
    ELLIPSIS,
    FALSE,
    NONE,
    TRUE,
    AnyValue,
    Constant,
    Number,
    Opaque,
    Parts,
    Ratio,
    Sequence,
    Slice,
    Tensor,
    Unknown,
    Value,
)

__all__ = [
    "ELLIPSIS",
    "FALSE",
    "NONE",
    "TRUE",
    "AnyValue",
    "Axis",
    "Constant",
    "Context",
    "Copies",
    "Factor",
    "Fault",
    "Mark",
    "Mismatch",
    "Number",
    "Opaque",
    "Origin",
    "Part",
    "Parts",
    "Ratio",
    "Rest",
    "Sequence",
    "Shape",
    "Slice",
    "Tensor",
    "Undecided",
    "Unknown",
    "Value",
    "broadcast",
    "current",
    "flatten",
    "fuse",
    "hide",
    "merged",
    "part",
    "require",
    "reshape",
    "scope",
    "split_axis",
    "suspect",
    "suspect_order",
    "use",
]
