"""Random sizes next to the Python arithmetic that they stand for."""

import operator
from fractions import Fraction

from hypothesis import strategies as st

from shapecheck.dims import Dim, Kind, Symbol, maximum, minimum

SYMBOLS = tuple(Symbol(name) for name in "BTDH")
FLEXIBLE = tuple(Symbol(name, Kind.FLEXIBLE) for name in ("self.d", "cfg.h"))
OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul}


class Inexact(Exception):  # noqa: N818 - no fault: the sizes drawn do not divide
    """A division that is not exact for the sizes drawn."""


class Written:
    """An expression as it was written: a number, a symbol, or an operation on two others."""

    def __init__(self, kind, left, right=None):
        self.kind, self.left, self.right = kind, left, right

    def dim(self):
        if self.kind == "leaf":
            return Dim.of(self.left)
        left, right = self.left.dim(), self.right.dim()
        if self.kind in OPERATORS:
            return OPERATORS[self.kind](left, right)
        return {"//": operator.floordiv, "%": operator.mod, "min": minimum, "max": maximum}[self.kind](left, right)

    def value(self, sizes, *, exact=False):
        """What Python makes of it; with ``exact``, every floor division must leave nothing over."""
        if self.kind == "leaf":
            return self.left if isinstance(self.left, int) else sizes[self.left]
        left, right = self.left.value(sizes, exact=exact), self.right.value(sizes, exact=exact)
        if self.kind in OPERATORS:
            return OPERATORS[self.kind](left, right)
        if exact and self.kind in {"//", "%"} and left % right:
            raise Inexact
        return {"//": operator.floordiv, "%": operator.mod, "min": min, "max": max}[self.kind](left, right)

    def __repr__(self):
        if self.kind == "leaf":
            return str(self.left)
        if self.kind in {"min", "max"}:
            return f"{self.kind}({self.left!r}, {self.right!r})"
        return f"({self.left!r} {self.kind} {self.right!r})"


def expressions(symbols=SYMBOLS, kinds=("+", "-", "*"), most=8):
    leaves = st.one_of(st.integers(-4, 12), st.sampled_from(symbols)).map(lambda leaf: Written("leaf", leaf))
    # A divisor is what sizes are divided by in practice: one name, or a number.
    divisors = st.one_of(st.integers(1, 4), st.sampled_from(symbols)).map(lambda leaf: Written("leaf", leaf))

    def larger(children):
        plain = [kind for kind in kinds if kind not in {"//", "%"}]
        ways = [st.builds(Written, st.sampled_from(plain), children, children)]
        divisions = [kind for kind in kinds if kind in {"//", "%"}]
        if divisions:
            ways.append(st.builds(Written, st.sampled_from(divisions), children, divisors))
        return st.one_of(ways)

    return st.recursive(leaves, larger, max_leaves=most)


ALL_KINDS = ("+", "-", "*", "//", "%", "min", "max")


def sizes(symbols=SYMBOLS, largest=12):
    return st.fixed_dictionaries({symbol: st.integers(1, largest) for symbol in symbols})


def value_of_text(dim, values):
    """What the text of a size evaluates to; divisions stay fractions where they are not exact."""
    names = {symbol.name: number for symbol, number in values.items()}
    text = str(dim)
    for symbol in (*FLEXIBLE, *SYMBOLS):
        text = text.replace(symbol.name, f"names[{symbol.name!r}]") if "." in symbol.name else text
    return Fraction(eval(text, {"__builtins__": {}, "min": min, "max": max, "names": names}, names))  # noqa: S307
