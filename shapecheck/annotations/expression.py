"""Size expressions inside a shape string: `T-1`, `2*D`, `(h*w)`, `{self.d_model}`.

The tree knows nothing of polynomials: `fold` turns it into whatever algebra the caller has. Columns count characters
of the shape string.
"""

from __future__ import annotations

import ast
import keyword
import warnings

from shapecheck.annotations.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeAlias, TypeVar

    T = TypeVar("T")
    Expression: TypeAlias = "Number | Name | Path | Negative | Binary | Extremum | Opaque"

MAX_OPERATORS = 100
MAX_DEPTH = 40
# 2**64 and larger exponents only occur in absurd input; evaluating them would take unbounded time.
MAX_EXPONENT = 64


class Number(Record):
    """A literal size, `2` in `2*D`."""

    __slots__ = __match_args__ = ("value", "start", "end")

    def __init__(self, value: int, start: int, end: int) -> None:
        self.value = value
        self.start = start
        self.end = end


class Name(Record):
    """The size of a named axis, `D` in `2*D`."""

    __slots__ = __match_args__ = ("name", "start", "end")

    def __init__(self, name: str, start: int, end: int) -> None:
        self.name = name
        self.start = start
        self.end = end


class Path(Record):
    """Python between braces, evaluated among the call's arguments: `{self.d_model}`, `{n}`, `{x.shape[0]}`.

    `parts` is `("self", "d_model")` for dotted names and empty for anything else; `text` is what the braces hold.
    """

    __slots__ = __match_args__ = ("text", "parts", "start", "end")

    def __init__(self, text: str, parts: tuple[str, ...], start: int, end: int) -> None:
        self.text = text
        self.parts = parts
        self.start = start
        self.end = end


class Negative(Record):
    """Unary minus."""

    __slots__ = __match_args__ = ("operand", "start", "end")

    def __init__(self, operand: Expression, start: int, end: int) -> None:
        self.operand = operand
        self.start = start
        self.end = end


class Binary(Record):
    """`left op right` with op one of `+ - * // % **`. The factors of a product keep the order they were written in."""

    __slots__ = __match_args__ = ("op", "left", "right", "start", "end")

    def __init__(self, op: str, left: Expression, right: Expression, start: int, end: int) -> None:
        self.op = op
        self.left = left
        self.right = right
        self.start = start
        self.end = end


class Extremum(Record):
    """`min(a,b)` or `max(a,b)`; without blanks, since blanks separate axes."""

    __slots__ = __match_args__ = ("function", "arguments", "start", "end")

    def __init__(self, function: str, arguments: tuple[Expression, ...], start: int, end: int) -> None:
        self.function = function
        self.arguments = arguments
        self.start = start
        self.end = end


class Opaque(Record):
    """Python that jaxtyping would evaluate but that is outside of this small language, such as `len(x)` or `a/b`.

    `names` are the identifiers it mentions outside of braces.
    """

    __slots__ = __match_args__ = ("text", "names", "start", "end")

    def __init__(self, text: str, names: tuple[str, ...], start: int, end: int) -> None:
        self.text = text
        self.names = names
        self.start = start
        self.end = end


class ExpressionError(Exception):
    """Inside this module only: `parse_expression` turns it into a value."""

    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = end


def fold(
    expression: Expression,
    *,
    number: Callable[[int], T],
    name: Callable[[str], T],
    path: Callable[[Path], T],
    op: Callable[[str, T, T], T],
    opaque: Callable[[Opaque], T],
) -> T:
    """Build a value bottom-up. `op` gets `+ - * // % ** min max`; unary minus arrives as `0 - x`."""
    if isinstance(expression, Number):
        return number(expression.value)
    if isinstance(expression, Name):
        return name(expression.name)
    if isinstance(expression, Path):
        return path(expression)
    if isinstance(expression, Opaque):
        return opaque(expression)

    def inner(part: Expression) -> T:
        return fold(part, number=number, name=name, path=path, op=op, opaque=opaque)

    if isinstance(expression, Negative):
        return op("-", number(0), inner(expression.operand))
    if isinstance(expression, Binary):
        return op(expression.op, inner(expression.left), inner(expression.right))
    result = inner(expression.arguments[0])
    for argument in expression.arguments[1:]:
        result = op(expression.function, result, inner(argument))
    return result


def evaluate(expression: Expression, sizes: Mapping[str, int], paths: Mapping[str, int]) -> int | None:
    """The size for given axis sizes and values of braced expressions (by their text).

    None when a name has no size, the expression is opaque, a divisor is zero, or the value is not an integer.
    """

    def op(symbol: str, left: int | None, right: int | None) -> int | None:
        if left is None or right is None:
            return None
        return apply(symbol, left, right)

    return fold(
        expression,
        number=lambda value: value,
        name=sizes.get,
        path=lambda part: paths.get(part.text),
        op=op,
        opaque=lambda _: None,
    )


def apply(symbol: str, left: int, right: int) -> int | None:
    """One operation on integers, None where it has no integer value or an absurdly large one."""
    if symbol == "+":
        return left + right
    if symbol == "-":
        return left - right
    if symbol == "*":
        return left * right
    if symbol == "//":
        return left // right if right else None
    if symbol == "%":
        return left % right if right else None
    if symbol == "**":
        return left**right if 0 <= right <= MAX_EXPONENT and abs(left) < 2**MAX_EXPONENT else None
    return min(left, right) if symbol == "min" else max(left, right)


def _concatenate(_: str, left: tuple[T, ...], right: tuple[T, ...]) -> tuple[T, ...]:
    return left + right


def names_in(expression: Expression) -> tuple[str, ...]:
    """The axis names an expression needs, each once, in order of appearance."""
    nothing: tuple[str, ...] = ()
    names = fold(
        expression,
        number=lambda _: nothing,
        name=lambda name: (name,),
        path=lambda _: nothing,
        op=_concatenate,
        opaque=lambda part: part.names,
    )
    return tuple(dict.fromkeys(names))


def paths_in(expression: Expression) -> tuple[Path, ...]:
    """The braced parts of an expression, in order of appearance."""
    nothing: tuple[Path, ...] = ()
    return fold(
        expression,
        number=lambda _: nothing,
        name=lambda _: nothing,
        path=lambda part: (part,),
        op=_concatenate,
        opaque=lambda _: nothing,
    )


def parse_expression(text: str, offset: int) -> Expression | ExpressionError:
    """Parse one axis token (no blanks). `offset` is its column in the shape string."""
    parser = _Parser(text, offset)
    try:
        expression = parser.sum(0)
        if parser.at == len(text):
            return expression
        return _opaque(text, offset)
    except _UnsupportedError:
        try:
            return _opaque(text, offset)
        except ExpressionError as error:
            return error
    except ExpressionError as error:
        return error


class _UnsupportedError(Exception):
    pass


class _Parser:
    """Recursive descent with Python's precedences. Written by hand: `ast` cannot read braces and is slower."""

    __slots__ = ("at", "offset", "operators", "text")

    def __init__(self, text: str, offset: int) -> None:
        self.text = text
        self.offset = offset
        self.at = 0
        self.operators = 0

    def sum(self, depth: int) -> Expression:
        left = self.product(depth)
        while self.text[self.at : self.at + 1] in {"+", "-"}:
            op = self.text[self.at]
            left = self.binary(op, left, self.product(self.skip(1, depth)))
        return left

    def product(self, depth: int) -> Expression:
        left = self.factor(depth)
        while True:
            two = self.text[self.at : self.at + 2]
            if two == "//":
                op = "//"
            elif two[:1] == "%" or (two[:1] == "*" and two != "**"):
                op = two[0]
            else:
                return left
            left = self.binary(op, left, self.factor(self.skip(len(op), depth)))

    def factor(self, depth: int) -> Expression:
        start = self.at
        if self.text[start : start + 1] == "-":
            operand = self.factor(self.skip(1, depth + 1))
            return Negative(operand, self.offset + start, self.offset + self.at)
        base = self.primary(depth)
        if self.text.startswith("**", self.at):
            return self.binary("**", base, self.factor(self.skip(2, depth + 1)))
        return base

    def primary(self, depth: int) -> Expression:
        text, start = self.text, self.at
        if depth > MAX_DEPTH:
            raise ExpressionError("the expression is nested too deeply", self.offset, self.offset + len(text))
        char = text[start : start + 1]
        if char == "(":
            self.at += 1
            inner = self.sum(depth + 1)
            self.close()
            return inner
        if char == "{":
            return self.braces()
        end = start
        if "0" <= char <= "9":
            while end < len(text) and "0" <= text[end] <= "9":
                end += 1
            digits = text[start:end]
            if (
                (len(digits) > 1 and digits[0] == "0")
                or text[end : end + 1].isidentifier()
                or text[end : end + 1] == "."
            ):
                raise _UnsupportedError
            self.at = end
            if len(digits) > 18:
                raise ExpressionError("the size does not fit into 64 bits", self.offset + start, self.offset + end)
            return Number(int(digits), self.offset + start, self.offset + end)
        while end < len(text) and (text[end].isalnum() or text[end] == "_"):
            end += 1
        word = text[start:end]
        if not word.isidentifier():
            raise _UnsupportedError
        self.at = end
        following = text[end : end + 1]
        if following == "(" and word in {"min", "max"}:
            return self.extremum(word, start, depth)
        if following in {"(", "[", "."} or word in _NOT_NAMES:
            raise _UnsupportedError
        return Name(word, self.offset + start, self.offset + end)

    def extremum(self, function: str, start: int, depth: int) -> Expression:
        self.at += 1
        arguments = [self.sum(depth + 1)]
        while self.text[self.at : self.at + 1] == ",":
            arguments.append(self.sum(self.skip(1, depth + 1)))
        self.close()
        if len(arguments) < 2:  # min(xs) of one iterable
            raise _UnsupportedError
        return Extremum(function, tuple(arguments), self.offset + start, self.offset + self.at)

    def braces(self) -> Expression:
        start = self.at
        end = self.text.find("}", start)
        inner = self.text[start + 1 : end] if end > start else ""
        if not inner:
            message = "the brace is never closed" if end < 0 else "nothing stands between the braces"
            raise ExpressionError(message, self.offset + start, self.offset + (len(self.text) if end < 0 else end + 1))
        if "{" in inner or self.text.startswith("}}", end):
            raise _UnsupportedError
        parts = tuple(inner.split("."))
        if not all(part.isidentifier() and part not in _NOT_NAMES for part in parts):
            if "!" in inner or ":" in inner or "=" in inner:  # f-string conversions and formats
                raise _UnsupportedError
            if _parse_python(inner) is None:
                raise ExpressionError(
                    f"`{inner}` is not a Python expression", self.offset + start, self.offset + end + 1
                )
            parts = ()
        self.at = end + 1
        return Path(inner, parts, self.offset + start, self.offset + end + 1)

    def close(self) -> None:
        if self.text[self.at : self.at + 1] != ")":
            raise _UnsupportedError
        self.at += 1

    def skip(self, count: int, depth: int) -> int:
        self.at += count
        self.operators += 1
        if self.operators > MAX_OPERATORS:
            raise ExpressionError("the expression is too long", self.offset, self.offset + len(self.text))
        return depth

    @staticmethod
    def binary(op: str, left: Expression, right: Expression) -> Expression:
        return Binary(op, left, right, left.start, right.end)


# Python's own words cannot be names inside an expression, though a whole axis may be called `if`.
_NOT_NAMES = frozenset(keyword.kwlist)


def _opaque(text: str, offset: int) -> Opaque:
    """Any Python that jaxtyping's `eval(f"...")` could evaluate; `ExpressionError` for what it could not."""
    pieces = []
    at = 0
    while (start := text.find("{", at)) >= 0:
        end = text.find("}", start)
        if end < 0:
            raise ExpressionError("the brace is never closed", offset + start, offset + len(text))
        pieces += [text[at:start], "__braces__"]
        at = end + 1
    pieces.append(text[at:])
    tree = None if "}" in text[at:] or "'" in text else _parse_python("".join(pieces))
    if tree is None:
        raise ExpressionError(f"`{text}` is not a size expression", offset, offset + len(text))
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = [
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and id(node) not in called and "__braces__" not in node.id
    ]
    return Opaque(text, tuple(dict.fromkeys(names)), offset, offset + len(text))


def _parse_python(text: str) -> ast.Expression | None:
    if text.count("(") + text.count("[") + text.count("-") + text.count("~") > MAX_OPERATORS:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # `4is` parses with a warning about the literal
        try:
            return ast.parse(text, mode="eval")
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
