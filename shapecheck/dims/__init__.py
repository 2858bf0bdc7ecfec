"""Symbolic sizes: one normal form, facts, three-valued decisions and unification.

The lowest layer: it knows neither Python source nor tensors.
"""

from shapecheck.dims.decide import DATA_DEPENDENT, cancelled
from shapecheck.dims.dim import ONE, ZERO, Dim, call, floordiv, maximum, minimum, mod
from shapecheck.dims.scope import Scope, Solution
from shapecheck.dims.symbol import Call, Computed, Kind, Pass, Symbol
from shapecheck.dims.verdict import YES, No, Unknown, Verdict, Yes

__all__ = [
    "DATA_DEPENDENT",
    "ONE",
    "YES",
    "ZERO",
    "Call",
    "Computed",
    "Dim",
    "Kind",
    "No",
    "Pass",
    "Scope",
    "Solution",
    "Symbol",
    "Unknown",
    "Verdict",
    "Yes",
    "call",
    "cancelled",
    "floordiv",
    "maximum",
    "minimum",
    "mod",
]
