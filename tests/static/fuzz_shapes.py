"""Declarations that no one would write: for the fuzzed inputs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

HUGE = "9" * 5000
"""Python itself refuses to print integers as long as this."""


def absurd_declarations(text: str, choose: random.Random) -> str:
    """The text, with most of its shape strings replaced."""
    return re.sub(
        r'(?<=\[Tensor, )"[^"\n]*"|(?<=\[Tensor, )\'[^\'\n]*\'',
        lambda found: absurd_shape(choose) if choose.random() < 0.7 else found[0],
        text,
    )


def absurd_shape(choose: random.Random) -> str:
    """A shape as source text: mostly a string literal, sometimes something else."""
    deep = choose.choice((3, 30, 300, 3000))
    many = choose.choice((2, 20, 200))
    shapes = (
        HUGE,
        f"b {10**30} -{10**30}",
        f"{'(' * deep}n{')' * deep}",
        "+".join(["n"] * deep),
        "*".join(["n"] * many) + " m",
        "(n+m)**9 (n-m)**99",
        f"n**{choose.choice((0, 1, -1, 2, 64, 10**9, 10**30))}",
        f"n//{choose.choice((0, 1, -1, 3, 10**20))} n%{choose.choice((0, 1, -1, 3))}",
        f"2**{choose.choice((10, 1000, 10**9))}",
        f"{choose.choice(('-1', '0', '-0', '1_000', '0x10', '1e3', '1.5', '²', '٣', '½'))} n",
        " ".join(f"a{i}" for i in range(deep)),
        " ".join(["*b"] * many),
        "... ... n",
        "*a *b c",
        "#n #n n",
        "#*b *#b n",
        "?n _ __ _n #_ *_ ?*#n",
        "n=4 n=5 =3 n= =",
        "名前 ﬁ fi Å Å",
        "\u202en \u200b \U0001f980",
        "\\ud800 n",
        "{self.n} {x.y.z} {self.{n}} {",
        "{self} {} {n!r:>{w}}",
        "{__import__('os')}",
        "min(n,m) max(n) max() min(n,m,k,)",
        "(a b) (c d) ((a b) c)",
        "(a",
        "a)",
        "a,b,c",
        "a b\tc\\n d",
        "lambda:0 n if m else k [n] n[0] n.m f(n)",
        "n-n n-1-1 0*n n/n",
        "n:m n:=3 *n=3",
        "",
        "   ",
        "-" * deep + "n",
        "n+1 " * many,
    )
    drawn = choose.choice(shapes)
    kind = choose.randrange(12)
    if kind == 0:
        return choose.choice(
            ("...", "3", "None", "x", "f'{x} b'", "'a' 'b'", "b'a b'", "'a' + 'b'", "()", "*'ab'", "1, 2")
        )
    if kind == 1:
        return f"'''{drawn}\n'''"
    return '"' + drawn.replace('"', "'") + '"'
