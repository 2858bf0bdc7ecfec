"""SC304: another function's axis names arrive in another order: ``[b, h, t, d]`` where ``"b t h d"`` is declared.

The same names, two or more, none repeated, all of them names: that both functions use them for the same axes is as good
as certain. Silent where the function itself declares an array in the other order, which it then has brought into
this one on purpose (attention along rows, then along columns).

A project's vocabulary says which spellings are one axis: ``[batch, heads, seq, dim]`` arrives at ``"b t h d"``. What it
lists means the same axis everywhere, so of those names alone an order is told; the others may differ.
"""

from __future__ import annotations

from shapecheck.annotations import ArrayHint
from shapecheck.dims import Kind
from shapecheck.rules.observed import axis_name
from shapecheck.shapes import Axis, Fault, Mismatch, Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from shapecheck.rules.vocabulary import Vocabulary

MIN_NAMES = 2
MIN_RESULT_NAMES = 3
"""Of a result whose sizes no argument determines: ``"n m"`` of any two sets is whatever they are called here."""


def declared_names(hint: ArrayHint) -> tuple[str, ...] | None:
    """The names of a declaration in their order, if all its axes are names and no two of them alike."""
    tokens = hint.spec.shape.axes
    if len(tokens) < MIN_NAMES or any(token.kind != "name" or token.variadic or token.broadcast for token in tokens):
        return None
    names = tuple([token.name for token in tokens])
    return names if len(set(names)) == len(names) else None


def axis_order(
    hint: ArrayHint,
    tensor: Tensor,
    shown: Callable[[Axis], str],
    declared: Iterable[tuple[str, ...]],
    vocabulary: Vocabulary,
    subject: str,
    *,
    given: bool = True,
) -> Mismatch | None:
    """The fault, if the names of the tensor's axes are those of the declaration in another order.

    Args:
        hint: the declared parameter or variable.
        tensor: what it gets.
        shown: the name that an axis has in the function that gives it.
        declared: the axis names of every array that the function under analysis declares, each in its order.
        vocabulary: the spellings of one axis in two functions.
        subject: what gets the tensor, in two parts: ``argument|x``, ``local|x`` or ``result|``.
        given: whether the declaration is another function's; otherwise the tensor comes from one, as it declares.
    """
    wanted = declared_names(hint)
    if wanted is None or len(tensor.shape) != len(wanted) or tensor.shape.rest is not None:
        return None
    if not given and (len(wanted) < MIN_RESULT_NAMES or not _of_a_result(tensor.shape.known, wanted)):
        return None
    actual = tuple([shown(axis) for axis in tensor.shape.known])
    if actual == wanted:
        return None
    # First as they are written: a function may use two spellings of one axis, and then only these tell its axes apart.
    for known in ({}, vocabulary) if vocabulary else ({},):
        one, other = _axes(actual, known), _axes(wanted, known)
        if one == other or any(_axes(order, known) == (other if given else one) for order in declared):
            return None
        same = set(one) == set(other) and len(set(other)) == len(other)
        if same or (given and _partly(tensor, one, other)) or _listed(one, other, known):
            order = ",".join([str(one.index(name)) for name in other]) if same else ""
            text, respelt = hint.spec.shape.text, _respelt(actual, wanted, known)
            return Mismatch(
                Fault.AXIS_ORDER, left_shape=tensor.shape, detail=f"{subject}|{text}|{order}|{respelt}"
            )
    return None


def _of_a_result(axes: Iterable[Axis], wanted: tuple[str, ...]) -> bool:
    """Whether axes are named by another function, none of them by a parameter or attribute, and not as wanted."""
    symbols = [axis.size.symbol for axis in axes]
    names = [
        symbol.name for symbol in symbols
        if symbol is not None and symbol.kind is not Kind.OPAQUE and symbol.owner is None and symbol.name.isidentifier()
    ]
    return len(names) == len(symbols) and tuple(names) != wanted


def _axes(names: Iterable[str], vocabulary: Vocabulary) -> tuple[str, ...]:
    return tuple([vocabulary.get(name, name) for name in names])


def _respelt(actual: tuple[str, ...], wanted: tuple[str, ...], vocabulary: Vocabulary) -> str:
    """What the vocabulary says of the names that differ: ``batch is b, seq is t``."""
    spelling = {vocabulary[name]: name for name in wanted if name in vocabulary}
    pairs = [(name, spelling.get(vocabulary.get(name, ""), name)) for name in actual]
    return ", ".join([f"{name} is {other}" for name, other in pairs if other != name])


def _partly(tensor: Tensor, actual: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    """Whether every axis with a name is one of the callee's, and the others are sizes that only the caller knows.

    ``[batch, self.heads, seq, width // self.heads]`` where ``"batch seq head dim"`` is declared.
    """
    named = [axis_name(axis) is not None for axis in tensor.shape.known]
    if sum(named) < MIN_NAMES or all(named) or any(axis.is_one for axis in tensor.shape.known):
        return False
    pairs = list(zip(actual, wanted, named, strict=True))
    if any(known and name not in wanted for name, _, known in pairs):
        return False
    names = [name for name, _, known in pairs if known]
    moved = [name for name, declared, known in pairs if known and name != declared]
    return len(set(names)) == len(names) and bool(moved) and len(moved) < len(names)


def _listed(actual: tuple[str, ...], wanted: tuple[str, ...], vocabulary: Vocabulary) -> bool:
    """Whether the axes that the vocabulary lists are the same ones in both, at other places."""
    listed = set(vocabulary.values())
    places = [{name: place for place, name in enumerate(names) if name in listed} for names in (actual, wanted)]
    one, other = places
    repeated = sum(name in listed for name in actual) != len(one)
    return not repeated and len(one) >= MIN_NAMES and one.keys() == other.keys() and one != other
