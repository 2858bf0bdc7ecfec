"""Whether two sizes differ wherever the code can run, tried on large numbers.

Needed only where a floor division keeps the normal forms from deciding. The sizes tried make every division exact if
any sizes do: each divisor is drawn first, and what is divided is a multiple of all of them. Sizes one beside these are
tried as well, where the division rounds. Sizes are unequal only if they differ on every sample.
"""

from __future__ import annotations

from shapecheck.dims.polynomial import serial
from shapecheck.dims.symbol import Call, Symbol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from shapecheck.dims.dim import Dim

_PRIMES: Final = (101, 103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167, 173, 179)
_SMOOTH: Final = 2**6 * 3**3 * 5**2 * 7
"""Divisible by the constants that code divides sizes by."""
_OFFSETS: Final = (0, 0, 0, 1, -1)
"""What is added to the sizes of one sample."""
_MOST_BITS: Final = 4096


def differ_everywhere(left: Dim, right: Dim) -> bool:
    """Whether the two sizes differ on every sample of large sizes."""
    return _agree(left, right) is False


def agree_somewhere(left: Dim, right: Dim) -> bool:
    """Whether the two sizes are equal on one of the samples, where nothing was chosen to make them so."""
    return _agree(left, right) is True


def _agree(left: Dim, right: Dim) -> bool | None:
    """Whether the two sizes are equal on one of the samples; None if they cannot be tried."""
    symbols = sorted({atom for dim in (left, right) for atom in dim.atoms if isinstance(atom, Symbol)}, key=serial)
    divisors = _divisors(left, right)
    order = _divisors_first(symbols, divisors)
    if order is None:
        return None
    for shift, offset in enumerate(_OFFSETS):
        values = _sample(order, divisors, shift)
        if values is None:
            return None
        if offset:
            values = {symbol: value + offset for symbol, value in values.items()}
        try:
            if left.evaluate(values) == right.evaluate(values):
                return True
        except ZeroDivisionError:
            return None
    return False


def _divisors(*dims: Dim) -> dict[Symbol, set[Symbol]]:
    """For each symbol inside a numerator, the symbols of what it is divided by."""
    found: dict[Symbol, set[Symbol]] = {}
    for dim in dims:
        for atom in dim.atoms:
            if isinstance(atom, Call) and atom.function == "floordiv":
                numerator, denominator = atom.args
                below = {inner for inner in denominator.atoms if isinstance(inner, Symbol)}
                for inner in numerator.atoms:
                    if isinstance(inner, Symbol):
                        found.setdefault(inner, set()).update(below - {inner})
    return found


def _divisors_first(symbols: list[Symbol], divisors: dict[Symbol, set[Symbol]]) -> list[Symbol] | None:
    order: list[Symbol] = []
    waiting = list(symbols)
    while waiting:
        ready = [symbol for symbol in waiting if not divisors.get(symbol, set()) - set(order)]
        if not ready:
            return None
        order += ready
        waiting = [symbol for symbol in waiting if symbol not in ready]
    return order


def _sample(order: list[Symbol], divisors: dict[Symbol, set[Symbol]], shift: int) -> dict[Symbol, int] | None:
    values: dict[Symbol, int] = {}
    for index, symbol in enumerate(order):
        # Magnitudes turn around from one sample to the next: each symbol is once the smallest and once the largest.
        position = (index * (1 if shift % 2 else -1) + shift * len(order) // 2) % len(order)
        value = _PRIMES[(index * 5 + shift * 7) % len(_PRIMES)] * _SMOOTH * 11**position
        for below in divisors.get(symbol, ()):
            value *= values[below]
        if value.bit_length() > _MOST_BITS:
            return None
        values[symbol] = value
    return values
