"""Annotations as specifications: the jaxtyping grammar, from source and from live objects."""

from shapecheck.annotations.dtypes import DTYPES
from shapecheck.annotations.grammar import parse_shape
from shapecheck.annotations.hints import (
    ArrayHint,
    DictHint,
    InvalidHint,
    NoneHint,
    OtherHint,
    PyTreeHint,
    SequenceHint,
    TupleHint,
    UnionHint,
    arrays,
    walk,
)
from shapecheck.annotations.source import Alias, Resolver, parse_annotation
from shapecheck.annotations.spec import AnnotationError, ArraySpec, AxisSpec, DtypeSpec, ShapeSpec

__all__ = [
    "DTYPES",
    "Alias",
    "AnnotationError",
    "ArrayHint",
    "ArraySpec",
    "AxisSpec",
    "DictHint",
    "DtypeSpec",
    "InvalidHint",
    "NoneHint",
    "OtherHint",
    "PyTreeHint",
    "Resolver",
    "SequenceHint",
    "ShapeSpec",
    "TupleHint",
    "UnionHint",
    "arrays",
    "parse_annotation",
    "parse_shape",
    "walk",
]
