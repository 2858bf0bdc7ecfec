"""Axis names that are made of the letters of others: ``BK`` beside ``B`` and ``K`` means their product."""

from __future__ import annotations

from itertools import permutations

from shapecheck.dims.symbol import RIGID, Symbol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from shapecheck.dims.dim import Dim

_MOST_PARTS: Final = 4
_BETWEEN: Final = ("", "x", "times", "by")


def spells_product(name: Symbol | None, product: Dim) -> bool:
    """Whether a name is spelled as a product of others: ``BK``, ``bk``, ``b_k``, ``kb``, ``batch_heads`` or ``bh``."""
    if name is None or name.kind is not RIGID or len(product.terms) != 1:
        return False
    monomial, coefficient = product.terms[0]
    parts = [atom.name.rpartition(".")[2].lower() for atom in monomial if isinstance(atom, Symbol)]
    if coefficient != 1 or not 1 < len(parts) <= _MOST_PARTS or len(parts) != len(monomial) or not all(parts):
        return False
    spelled = name.name.lower().replace("_", "")
    words = [part.replace("_", "") for part in parts]
    return any(
        between.join(order) == spelled
        for letters in (words, [word[:1] for word in words]) for order in permutations(letters) for between in _BETWEEN
    )


def are_unrelated(one: Dim, other: Dim) -> bool:
    """Whether two products of axis names would have to have a name in common to be equal: ``h*w`` and ``h2*w2``.

    ``H*W`` and ``h*p*w*q`` would not: each name may be the product of two others. Nor would names that the same letters
    spell, ``bh*t`` and ``b*ht``.
    """
    names = [_names(one), _names(other)]
    fewer, more = sorted(map(len, names))
    if fewer < 2 or more >= 2 * fewer:
        return False
    letters = [sorted("".join(side).lower().replace("_", "")) for side in names]
    return letters[0] != letters[1]


def _names(product: Dim) -> list[str]:
    """The axis names that a size is the product of; none if it is anything else."""
    monomial, coefficient = product.terms[0] if len(product.terms) == 1 else ((), 0)
    names = [atom.name for atom in monomial if isinstance(atom, Symbol) and atom.kind is RIGID]
    return names if coefficient == 1 and len(names) == len(monomial) else []
