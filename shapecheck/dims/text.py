"""A size as a person writes it.

The text means what the size is wherever the divisions written by name are exact: ``H*(D//H)`` is shown as ``D``.
"""

from __future__ import annotations

from shapecheck.dims.polynomial import serial
from shapecheck.dims.symbol import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.dims.dim import Dim
    from shapecheck.dims.polynomial import Monomial
    from shapecheck.dims.symbol import Atom


_Division = tuple["Dim", "Dim", "Dim"]
"""A term of a size that contains a floor division: the rest of the term, and what is divided by what."""


def written(dim: Dim, *, inside: bool = False) -> str:
    """The size as text: ``2*D``, ``T - 1``, ``(T + 1)//2``.

    Args:
        dim: a size.
        inside: whether it stands inside another expression, and gets parentheses if it needs them there.
    """
    dim, remainder = _remainder(dim)
    dim = _exact(dim)
    text = "" if remainder and not dim.terms else _sum(dim)
    if remainder and text.startswith("-"):
        text = f"{remainder} - {text[1:]}"
    elif remainder:
        text = f"{text} + {remainder}" if text else remainder
    return f"({text})" if inside and any(sign in text for sign in " */%") and not _is_one_call(dim, remainder) else text


def _is_one_call(dim: Dim, remainder: str) -> bool:
    """Whether it reads ``min(a, b)``: a call with parentheses of its own."""
    if remainder or len(dim.terms) != 1 or dim.terms[0][1] != 1 or len(dim.terms[0][0]) != 1:
        return False
    atom = dim.terms[0][0][0]
    return isinstance(atom, Call) and atom.function != "floordiv"


def _divisions(dim: Dim) -> list[_Division]:
    found: list[_Division] = []
    for monomial, coefficient in dim.terms:
        for index, atom in enumerate(monomial):
            if isinstance(atom, Call) and atom.function == "floordiv":
                beside = dim.term(monomial[:index] + monomial[index + 1 :], coefficient)
                numerator, denominator = atom.args
                found.append((beside, numerator, denominator))
    return found


def _exact(dim: Dim) -> Dim:
    """The size with ``h * (d // h)`` as ``d``; a number as the divisor may be meant to round, and stays."""
    for _ in range(len(dim.terms)):
        for beside, numerator, denominator in _divisions(dim):
            quotient = beside.exact_quotient(denominator) if denominator.constant is None else None
            if quotient is not None:
                whole = dim - beside * (numerator // denominator) + quotient * numerator
                if whole.terms:
                    dim = whole
                    break
        else:
            return dim
    return dim


def _remainder(dim: Dim) -> tuple[Dim, str]:
    """One ``a - b * (a // b)`` taken out of a sum, as ``a % b``."""
    for beside, numerator, denominator in _divisions(dim):
        times = (-beside).exact_quotient(denominator)
        if times is None or times.terms[0][1] < 0:
            continue
        left = dim - beside * (numerator // denominator) - times * numerator
        if len(left.terms) < len(dim.terms) and _minus_signs(left) < _minus_signs(dim):
            factor = "" if times.constant == 1 else f"{written(times, inside=True)}*"
            number = denominator.constant
            centred = numerator if number is None else _centred(numerator, number)
            text = f"{written(centred, inside=True)} % {written(denominator, inside=True)}"
            return left, f"{factor}({text})" if factor or left.terms else text
    return dim, ""


def _minus_signs(dim: Dim) -> int:
    return sum(coefficient < 0 for _, coefficient in dim.terms)


def _sum(dim: Dim) -> str:
    if not dim.terms:
        return "0"
    parts: list[str] = []
    # Positive terms first: `T - 1`, never `-1 + T`.
    for monomial, coefficient in sorted(_rounded_down_once(_rounded_up(dim)).terms, key=lambda term: term[1] < 0):
        sign = ("-" if coefficient < 0 else "") if not parts else (" - " if coefficient < 0 else " + ")
        parts.append(sign + _product(monomial, abs(coefficient), bare=bool(parts) or coefficient > 0))
    return "".join(parts)


def _centred(numerator: Dim, number: int) -> Dim:
    """The numerator without whole multiples of the number: ``-T`` for ``7*T`` over 8."""
    for monomial, coefficient in numerator.terms:
        if monomial and 2 * coefficient > number:
            numerator -= numerator.term(monomial, number)
    return numerator


def _rounded_up(dim: Dim) -> Dim:
    """``T - (7*T)//8`` as ``-(-T//8)``."""
    for beside, numerator, denominator in _divisions(dim):
        number = denominator.constant
        if number is None:
            continue
        centred = _centred(numerator, number)
        whole = (numerator - centred).exact_quotient(denominator)
        if whole is not None and whole.terms:
            call = dim.term((Call("floordiv", (centred, denominator)),), 1)
            shorter = dim - beside * (numerator // denominator) + beside * (call + whole)
            if len(shorter.terms) < len(dim.terms):
                return shorter
    return dim


def _rounded_down_once(dim: Dim) -> Dim:
    """``(T + 1)//2 - 1`` as ``(T - 1)//2``: a subtracted number goes back to where the code subtracted it."""
    constant = dim.terms[-1][1] if not dim.terms[-1][0] else 0
    if constant >= 0:
        return dim
    calls = [division for division in _divisions(dim) if division[0].constant == 1]
    if len(calls) != 1:
        return dim
    _, numerator, denominator = calls[0]
    if denominator.constant is None or numerator.terms[-1][0]:
        return dim
    inner = Call("floordiv", (numerator + denominator * constant, denominator))
    return dim - constant - numerator // denominator + dim.term((inner,), 1)


def _product(monomial: Monomial, coefficient: int, *, bare: bool) -> str:
    factors = [] if coefficient == 1 and monomial else [str(coefficient)]
    alone = len(monomial) == 1 and not factors and bare
    for atom in sorted(set(monomial), key=serial):
        power = monomial.count(atom)
        text = _atom(atom, alone=alone)
        factors += [f"{text}**{power}"] if power > 2 else [text] * power  # D*D, D**3
    return "*".join(factors)


def _atom(atom: Atom, *, alone: bool) -> str:
    if not isinstance(atom, Call):
        return atom.name
    text = str(atom)
    return text if alone or atom.function != "floordiv" else f"({text})"
