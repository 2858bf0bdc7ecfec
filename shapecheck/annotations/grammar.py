"""The grammar of shape strings, exactly as jaxtyping 0.3.11 accepts it (`_make_array_cached` in `_array_types.py`).

Two deliberate differences: an expression that is not Python is refused here and not at the first call, and absurd input
(sizes beyond 64 bits, nesting without end) is refused at once.
"""

from __future__ import annotations

from shapecheck.annotations.expression import ExpressionError, parse_expression
from shapecheck.annotations.spec import AnnotationError, AxisSpec, ShapeSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.annotations.expression import Expression

MAX_LENGTH = 4000
_MAX_SIZE = 2**63 - 1
_MEMO: dict[str, ShapeSpec | AnnotationError] = {}
_MEMO_LIMIT = 10_000


def parse_shape(text: str) -> ShapeSpec | AnnotationError:
    """Parse `"B T D"`. Columns count from the first character that is not a blank, as do those of the result."""
    result = _MEMO.get(text)
    if result is None:
        result = _parse(text.strip())
        if len(_MEMO) >= _MEMO_LIMIT:
            _MEMO.clear()
        _MEMO[text] = result
    return result


def _parse(text: str) -> ShapeSpec | AnnotationError:
    if len(text) > MAX_LENGTH:
        return AnnotationError(f"the shape string is longer than {MAX_LENGTH} characters", 0, MAX_LENGTH)
    if not text.isascii() and not _encodes(text):
        return AnnotationError("the shape string holds a surrogate that no text can hold", 0, len(text))
    if "\0" in text:
        at = text.index("\0")
        return AnnotationError("the shape string holds a NUL character", at, at + 1)
    axes = []
    variadic = False
    end = 0
    for token in text.split():
        start = text.index(token, end)
        end = start + len(token)
        axis = parse_axis(token, start)
        if isinstance(axis, AnnotationError):
            return axis
        if axis.variadic:
            if variadic:
                return AnnotationError("only one axis can be variadic (`*name` or `...`)", start, end)
            variadic = True
        axes.append(axis)
    return ShapeSpec(text, tuple(axes))


def parse_axis(token: str, start: int) -> AxisSpec | AnnotationError:
    """Parse one token of a shape string; `start` is its column there."""
    end = start + len(token)
    if token.isidentifier() and token[0] != "_":  # nearly every token there is
        return AxisSpec("name", token, -1, None, text=token, start=start, end=end)
    if token == "...":  # noqa: S105
        return AxisSpec("anonymous", "", -1, None, variadic=True, text=token, start=start, end=end)
    if "," in token and "(" not in token:
        return AnnotationError("axes are separated by blanks, not commas", start + token.index(","), end)
    if token.endswith("#"):
        return AnnotationError("`#` stands in front of the axis that broadcasts", end - 1, end)
    if "..." in token:
        return AnnotationError("`...` stands alone; a named one is written `*name`", start, end)
    return _parse_modified(token, start)


def _parse_modified(token: str, start: int) -> AxisSpec | AnnotationError:
    """A token with what may stand in front of an axis: ``#``, ``*``, ``_`` and ``?`` in any order, and ``label=``."""
    end = start + len(token)
    rest = token
    modifiers: set[str] = set()
    label = None
    while rest:
        first = rest[0]
        if first in "#*_?":
            if first in modifiers:
                column = end - len(rest)
                return AnnotationError(f"`{first}` is given twice for one axis", column, column + 1)
            modifiers.add(first)
            rest = rest[1:]
        elif rest.count("=") == 1:
            label, _, rest = rest.partition("=")
        else:
            break
    kind, size, expression = _core(rest, end - len(rest))
    if isinstance(expression, AnnotationError):
        return expression
    error = _contradiction(kind, modifiers, token)
    if error:
        return AnnotationError(error, start, end)
    anonymous = "_" in modifiers
    return AxisSpec(
        "anonymous" if anonymous else kind,  # type: ignore[arg-type]
        rest if kind == "name" else "",
        size,
        expression,
        variadic="*" in modifiers,
        broadcast="#" in modifiers,
        tree="?" in modifiers and not anonymous,
        label=label,
        text=token,
        start=start,
        end=end,
    )


def _core(text: str, start: int) -> tuple[str, int, Expression | AnnotationError | None]:
    """What is left when the modifiers are gone: a name (possibly empty), a size or an expression."""
    if not text or text.isidentifier():
        return "name", -1, None
    try:
        size = int(text)
    except ValueError:
        pass
    else:
        if abs(size) > _MAX_SIZE:
            return "fixed", -1, AnnotationError("the size does not fit into 64 bits", start, start + len(text))
        return "fixed", size, None
    expression = parse_expression(text, start)
    if isinstance(expression, ExpressionError):
        return "expression", -1, AnnotationError(expression.message, expression.start, expression.end)
    return "expression", -1, expression


def _contradiction(kind: str, modifiers: set[str], token: str) -> str:
    """Which modifiers jaxtyping refuses together, or ""."""
    if kind == "name":
        if "_" in modifiers and "#" in modifiers:
            return f"an anonymous axis has no size to broadcast to: `{token}`"
        return ""
    what = "a fixed size" if kind == "fixed" else "an expression"
    if "*" in modifiers:
        return f"{what} is one axis and cannot be variadic: `{token}`"
    if "_" in modifiers:
        return f"{what} cannot be anonymous: `{token}`"
    if "?" in modifiers:
        return f"{what} cannot vary over the leaves of a PyTree: `{token}`"
    return ""


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
