"""Annotations as specifications: the jaxtyping grammar, from source and from live objects.

Loaded when first used: the call-time checks need no `source`, and the static ones no `live`.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.annotations.dtypes import DTYPES as DTYPES
    from shapecheck.annotations.grammar import parse_shape as parse_shape
    from shapecheck.annotations.hints import ArrayHint as ArrayHint
    from shapecheck.annotations.hints import DictHint as DictHint
    from shapecheck.annotations.hints import InvalidHint as InvalidHint
    from shapecheck.annotations.hints import NoneHint as NoneHint
    from shapecheck.annotations.hints import OtherHint as OtherHint
    from shapecheck.annotations.hints import PyTreeHint as PyTreeHint
    from shapecheck.annotations.hints import SequenceHint as SequenceHint
    from shapecheck.annotations.hints import TupleHint as TupleHint
    from shapecheck.annotations.hints import UnionHint as UnionHint
    from shapecheck.annotations.hints import arrays as arrays
    from shapecheck.annotations.hints import walk as walk
    from shapecheck.annotations.source import Alias as Alias
    from shapecheck.annotations.source import Resolver as Resolver
    from shapecheck.annotations.source import parse_annotation as parse_annotation
    from shapecheck.annotations.spec import AnnotationError as AnnotationError
    from shapecheck.annotations.spec import ArraySpec as ArraySpec
    from shapecheck.annotations.spec import AxisSpec as AxisSpec
    from shapecheck.annotations.spec import DtypeSpec as DtypeSpec
    from shapecheck.annotations.spec import ShapeSpec as ShapeSpec

_HOMES = {
    "Alias": "source",
    "AnnotationError": "spec",
    "ArrayHint": "hints",
    "ArraySpec": "spec",
    "AxisSpec": "spec",
    "DTYPES": "dtypes",
    "DictHint": "hints",
    "DtypeSpec": "spec",
    "InvalidHint": "hints",
    "NoneHint": "hints",
    "OtherHint": "hints",
    "PyTreeHint": "hints",
    "Resolver": "source",
    "SequenceHint": "hints",
    "ShapeSpec": "spec",
    "TupleHint": "hints",
    "UnionHint": "hints",
    "arrays": "hints",
    "parse_annotation": "source",
    "parse_shape": "grammar",
    "walk": "hints",
}

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


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        message = f"module 'shapecheck.annotations' has no attribute {name!r}"
        raise AttributeError(message)
    import importlib

    value: object = getattr(importlib.import_module(f"shapecheck.annotations.{home}"), name)
    globals()[name] = value
    return value
