"""Microseconds of broadcasting and regrouping: ``python -m tests.bench.shapes``."""

import argparse
from timeit import repeat

from shapecheck.dims import Dim, Kind, Symbol
from shapecheck.shapes import Axis, Origin, Shape, broadcast, flatten, reshape

b, t, d, h = (Dim.of(Symbol(name)) for name in "BTDH")
p = Dim.of(Symbol("self.n_heads", Kind.FLEXIBLE))
tokens = Shape.of(b, t, d)
heads = Shape.of(b, t, h, d // h)
image = Shape.of(b, d, t, t)

CASES = {
    "B T D + B T D": lambda: broadcast(tokens, tokens),
    "B T D + D": lambda: broadcast(tokens, Shape.of(d)),
    "B T D + 1 T D": lambda: broadcast(tokens, Shape([Axis.of(1, Origin.WRITTEN), Axis.of(t), Axis.of(d)])),
    "flatten": lambda: flatten(tokens, 0, 1),
    "B T D as B*T D": lambda: reshape(tokens, [b * t, d]),
    "B T D as B T -1": lambda: reshape(tokens, [b, t, Dim.of(-1)]),
    "split into heads": lambda: reshape(tokens, [b, t, p, d // p]),
    "merge heads": lambda: reshape(heads, [b, t, d]),
    "heads before time": lambda: reshape(tokens, [b, h, t, d // h]),
    "image to tokens": lambda: reshape(image, [b, d, t * t]),
}


def main() -> None:
    """Print the fastest of several runs of each case."""
    argparse.ArgumentParser(prog="python -m tests.bench.shapes", description=__doc__).parse_args()
    for name, operation in CASES.items():
        number = 500
        fastest = min(repeat(operation, number=number, repeat=7))
        print(f"{name:24}{fastest / number * 1e6:8.1f} us")


if __name__ == "__main__":
    main()
