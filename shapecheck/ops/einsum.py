"""``torch.einsum``: letters name axes, equal letters equal sizes; letters missing from the result are summed over."""

from __future__ import annotations

from shapecheck.dims import Dim, No
from shapecheck.ops.axes import is_one, opaque
from shapecheck.ops.pointwise import promoted
from shapecheck.ops.registry import op
from shapecheck.shapes import (
    AnyValue,
    Axis,
    Constant,
    Fault,
    Mismatch,
    Rest,
    Sequence,
    Shape,
    Tensor,
    Unknown,
    broadcast,
    require,
    scope,
    suspect_order,
)


class Term:
    """The letters of one operand; those from ``ellipsis`` on stand behind the ``...``, which None means is missing."""

    __slots__ = ("ellipsis", "letters")

    def __init__(self, letters: str, ellipsis: int | None) -> None:
        self.letters = letters
        self.ellipsis = ellipsis

    def __str__(self) -> str:
        if self.ellipsis is None:
            return self.letters
        return f"{self.letters[: self.ellipsis]}...{self.letters[self.ellipsis :]}"


class Equation:
    """The terms of the operands and of the result."""

    __slots__ = ("operands", "result")

    def __init__(self, operands: tuple[Term, ...], result: Term) -> None:
        self.operands = operands
        self.result = result


class Meeting:
    """Where a letter was met first: its axis, and the shape and position that it stands at."""

    __slots__ = ("axis", "position", "shape")

    def __init__(self, axis: Axis, shape: Shape, position: int) -> None:
        self.axis = axis
        self.shape = shape
        self.position = position


def parse(equation: str, count: int) -> Equation | Mismatch:
    """The terms of an equation for a number of operands."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    if "->" in right:
        return Mismatch(Fault.PATTERN, detail="two arrows")
    operands: list[Term] = []
    for text in left.split(","):
        term = _term(text)
        if isinstance(term, Mismatch):
            return term
        operands.append(term)
    if len(operands) != count:
        return Mismatch(Fault.PATTERN, detail=f"{len(operands)} terms for {count} operands")
    if not arrow:
        return Equation(tuple(operands), _implicit(operands))
    result = _term(right)
    if isinstance(result, Mismatch):
        return result
    used = {letter for term in operands for letter in term.letters}
    for position, letter in enumerate(result.letters):
        if letter not in used:
            return Mismatch(Fault.PATTERN, detail=f"{letter} is in no operand")
        if letter in result.letters[:position]:
            return Mismatch(Fault.PATTERN, detail=f"{letter} twice in the result")
    return Equation(tuple(operands), result)


def _term(text: str) -> Term | Mismatch:
    before, dots, after = text.partition("...")
    for letter in before + after:
        if not (letter.isascii() and letter.isalpha()):
            return Mismatch(Fault.PATTERN, detail=f"{letter} is no letter")
    return Term(before + after, len(before) if dots else None)


def _implicit(operands: list[Term]) -> Term:
    """Without an arrow: the broadcast axes, then every letter that occurs once, in alphabetical order."""
    letters = "".join(term.letters for term in operands)
    single = "".join(sorted(letter for letter in set(letters) if letters.count(letter) == 1))
    return Term(single, None if all(term.ellipsis is None for term in operands) else 0)


class _Letters:
    """The axes that letters stand for, and what the ellipses broadcast to."""

    def __init__(self) -> None:
        self.axes: dict[str, Meeting] = {}
        self.batch: Shape | None = None

    def bind(self, term: Term, shape: Shape) -> Mismatch | None:
        """Give the letters of one operand their axes."""
        count = len(term.letters)
        known = len(shape) - (0 if shape.rest is None else 1)
        fits = known <= count if shape.rest is not None else known == count
        if not (fits if term.ellipsis is None else shape.rest is not None or known >= count):
            return Mismatch(Fault.PATTERN_RANK, left_shape=shape, detail=str(term))
        split = count if term.ellipsis is None else term.ellipsis
        before = min(split, len(shape) if shape.rest is None else shape.rest)
        if term.ellipsis is None and shape.rest is not None:
            behind = min(count - before, len(shape) - shape.rest - 1)
        else:
            behind = min(count - split, len(shape) if shape.rest is None else len(shape) - shape.rest - 1)
        seen: dict[str, int] = {}
        places = [(letter, position) for position, letter in enumerate(term.letters[:before])]
        places += [(term.letters[count - back], len(shape) - back) for back in range(behind, 0, -1)]
        for letter, position in places:
            fault = self._meet(letter, shape, position, seen)
            if fault is not None:
                return fault
        if term.ellipsis is None:
            return None
        whole = before + behind == count
        middle = Shape(shape.axes[before : len(shape) - behind]) if whole else Shape.unknown()
        together = middle if self.batch is None else broadcast(self.batch, middle)
        if isinstance(together, Mismatch):
            return together
        self.batch = together
        return None

    def _meet(self, letter: str, shape: Shape, position: int, seen: dict[str, int]) -> Mismatch | None:
        """Let a letter stand for an axis of an operand, and for what it stands for elsewhere: both must be equal."""
        axis = shape[position]
        if isinstance(axis, Rest):
            return None
        repeated = letter in seen
        first = Meeting(axis, shape, seen[letter]) if repeated else self.axes.get(letter)
        if repeated:
            found = shape[seen[letter]]
            first = None if isinstance(found, Rest) else Meeting(found, shape, seen[letter])
        seen.setdefault(letter, position)
        if first is None:
            self.axes.setdefault(letter, Meeting(axis, shape, position))
            return None
        if not repeated and is_one(axis):
            return None
        if not repeated and is_one(first.axis):
            self.axes[letter] = Meeting(axis, shape, position)
            return None
        verdict = require(first.axis.size, axis.size)
        if isinstance(verdict, No):
            return Mismatch(
                Fault.PATTERN_SIZE, axis=first.position, other_axis=position, left=first.axis.size, right=axis.size,
                left_shape=first.shape, right_shape=shape, detail=letter, because=verdict.because,
            )
        if not repeated:
            suspect_order(first.axis, axis)
        if len(axis.factors) > len(first.axis.factors) and letter in self.axes:
            self.axes[letter] = Meeting(axis, shape, position)
        return None

    def shape(self, term: Term) -> Shape:
        """The shape of the result."""
        axes: list[Axis | Rest] = [
            self.axes[letter].axis if letter in self.axes else Axis.unfollowed(opaque(letter))
            for letter in term.letters
        ]
        if term.ellipsis is not None and self.batch is not None:
            axes[term.ellipsis : term.ellipsis] = self.batch.axes
        return Shape(axes)


def contraction(equation: Equation, operands: list[Tensor]) -> Tensor | Mismatch:
    """The result of an equation for its operands."""
    letters = _Letters()
    for term, operand in zip(equation.operands, operands, strict=True):
        fault = letters.bind(term, operand.shape)
        if fault is not None:
            return fault
    return Tensor(letters.shape(equation.result), promoted(*operands), operands[0].kind)


@op("torch.einsum", "torch.functional.einsum")
def einsum(*args: object) -> Tensor | Mismatch | Unknown:
    """``"i j, j k -> i k"`` with its operands, or operands each followed by a list of numbers."""
    if not args:
        return Unknown("einsum without arguments")
    if isinstance(args[0], Tensor):
        return _with_lists(list(args))
    if not isinstance(args[0], Constant) or not isinstance(args[0].value, str):
        return Unknown("the equation is not known")
    given = list(args[1:])
    if len(given) == 1 and isinstance(given[0], Sequence):
        given = list(given[0].items)
    # Whatever stands here is a tensor; the letters of one that is not known may be known from the others.
    operands = [operand if isinstance(operand, Tensor) else Tensor(Shape.unknown()) for operand in given]
    equation = parse(args[0].value, len(operands))
    return equation if isinstance(equation, Mismatch) else contraction(equation, operands)


def _with_lists(args: list[object]) -> Tensor | Mismatch | Unknown:
    """``einsum(a, [0, 1], b, [1, 2], [0, 2])``."""
    operands = [arg for arg in args[::2] if isinstance(arg, Tensor)]
    terms = [_listed(arg) for arg in args[1::2]]
    result: Term | None = None
    if len(args) % 2:
        result = _listed(args[-1])
        if result is None:
            return Unknown("the axes of einsum are not known")
    known = [term for term in terms if term is not None]
    if len(known) < len(terms) or len(operands) != len(known):
        return Unknown("the axes of einsum are not known")
    return contraction(Equation(tuple(known), _implicit(known) if result is None else result), operands)


def _listed(value: AnyValue | object) -> Term | None:
    """A list of numbers as letters in the same order."""
    if not isinstance(value, Sequence):
        return None
    letters = ""
    ellipsis: int | None = None
    for item in value.items:
        number = scope().normal(item).constant if isinstance(item, Dim) else None
        if number is not None:
            letters += chr(ord("A") + number) if number < 26 else chr(ord("a") + number - 26)
        elif isinstance(item, Constant) and item.value is ...:
            ellipsis = len(letters)
        else:
            return None
    return Term(letters, ellipsis)
