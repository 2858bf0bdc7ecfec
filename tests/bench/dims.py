"""Nanoseconds of the everyday operations on sizes: ``python -m tests.bench.dims``."""

import argparse
from timeit import repeat

from shapecheck.dims import Dim, Kind, Scope, Symbol, minimum

b, t, d, h = (Dim.of(Symbol(name)) for name in "BTDH")
p, q = (Dim.of(Symbol(name, Kind.FLEXIBLE)) for name in ("self.d_model", "self.n_heads"))
SYMBOL = Symbol("D")
empty = Scope()
solved = Scope()
solved.require(p, d)
split, whole = b * t * h * (d // h), b * t * d

CASES = {
    "Dim.of(symbol)": lambda: Dim.of(SYMBOL),
    "Dim.of(12)": lambda: Dim.of(12),
    "D == D": lambda: d == d,  # noqa: PLR0124 - the comparison is what is timed
    "D == T": lambda: d == t,
    "T + 1": lambda: t + 1,
    "T - D": lambda: t - d,
    "B * T": lambda: b * t,
    "2 * D": lambda: 2 * d,
    "B * T * D": lambda: b * t * d,
    "D // H": lambda: d // h,
    "strided convolution": lambda: (t + 2 - 3) // 2 + 1,
    "min(T, D)": lambda: minimum(t, d),
    "B*T*D over T": lambda: whole.exact_quotient(t),
    "decide D == D": lambda: empty.decide(d, d),
    "decide D == T": lambda: empty.decide(d, t),
    "decide D == p": lambda: empty.decide(d, p),
    "decide D == p, solved": lambda: solved.decide(d, p),
    "decide split == whole": lambda: empty.decide(split, whole),
    "decide D//H == T": lambda: empty.decide(d // h, t),
    "normal B*T*D": lambda: solved.normal(whole),
    "require p == D": lambda: Scope().require(p, d),
    "require H*q == D": lambda: Scope().require(h * q, d),
    "fork": solved.fork,
    "str(B*T*D)": lambda: str(whole),
}


def main() -> None:
    """Print the fastest of several runs of each case."""
    argparse.ArgumentParser(prog="python -m tests.bench.dims", description=__doc__).parse_args()
    for name, operation in CASES.items():
        number = 20_000
        fastest = min(repeat(operation, number=number, repeat=7))
        print(f"{name:24}{fastest / number * 1e9:8.0f} ns")


if __name__ == "__main__":
    main()
