"""The tree of a type hint, as far as tensors may hide in it.

The same tree comes from source (`source.py`) and from live objects (`live.py`). Where it was written (`place`), and the
live object it came from (`value`), take no part in comparisons.
"""

from __future__ import annotations

from shapecheck.annotations.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from shapecheck.annotations.places import Place
    from shapecheck.annotations.spec import AnnotationError, ArraySpec

    Hint: TypeAlias = (
        "ArrayHint | UnionHint | TupleHint | SequenceHint | DictHint | NoneHint | PyTreeHint | InvalidHint | OtherHint"
    )


class ArrayHint(Record):
    """A tensor: what it must be, where its shape string stands, and the live class when there is one."""

    __slots__ = __match_args__ = ("spec", "place", "value")

    def __init__(self, spec: ArraySpec, place: Place | None = None, value: object = None) -> None:
        self.spec = spec
        self.place = place
        self.value = value

    def _compared(self) -> tuple[object, ...]:
        return (self.spec,)


class UnionHint(Record):
    """`X | Y`, `Union`, `Optional`: flat, without repetitions, in the order written."""

    __slots__ = __match_args__ = ("members",)

    def __init__(self, members: tuple[Hint, ...]) -> None:
        self.members = members


class TupleHint(Record):
    """`tuple[A, B]`, or with `variadic` the `tuple[A, ...]` of any length; `items` is then `(A,)`."""

    __slots__ = __match_args__ = ("items", "variadic")

    def __init__(self, items: tuple[Hint, ...], *, variadic: bool) -> None:
        self.items = items
        self.variadic = variadic


class SequenceHint(Record):
    """`list[A]`, `Sequence[A]`, `set[A]`: any number of elements that can be looked at without using them up.

    `origin` is the qualified name of the container, "builtins.list".
    """

    __slots__ = __match_args__ = ("origin", "element", "value")

    def __init__(self, origin: str, element: Hint, value: object = None) -> None:
        self.origin = origin
        self.element = element
        self.value = value

    def _compared(self) -> tuple[object, ...]:
        return (self.origin, self.element)


class DictHint(Record):
    """`dict[K, V]` and the other mappings. `origin` is the qualified name of the container."""

    __slots__ = __match_args__ = ("origin", "key", "element", "value")

    def __init__(self, origin: str, key: Hint, element: Hint, value: object = None) -> None:
        self.origin = origin
        self.key = key
        self.element = element
        self.value = value

    def _compared(self) -> tuple[object, ...]:
        return (self.origin, self.key, self.element)


class NoneHint(Record):
    """`None`."""

    __slots__ = ()


class PyTreeHint(Record):
    """jaxtyping's `PyTree[leaf]` or `PyTree[leaf, "T"]`; `structure` is "" where none is given."""

    __slots__ = __match_args__ = ("leaf", "structure", "value")

    def __init__(self, leaf: Hint, structure: str, value: object = None) -> None:
        self.leaf = leaf
        self.structure = structure
        self.value = value

    def _compared(self) -> tuple[object, ...]:
        return (self.leaf, self.structure)


class InvalidHint(Record):
    """An annotation that jaxtyping would refuse, with the reason."""

    __slots__ = __match_args__ = ("error", "text", "place")

    def __init__(self, error: AnnotationError, text: str, place: Place | None = None) -> None:
        self.error = error
        self.text = text
        self.place = place

    def _compared(self) -> tuple[object, ...]:
        return (self.error,)


class OtherHint(Record):
    """Anything else. `name` is its qualified name if known ("builtins.int", "typing.Iterator"), `args` its arguments.

    Arguments of `Callable[[A, B], R]` are flat: `(A, B, R)`.
    """

    __slots__ = __match_args__ = ("text", "name", "args", "value")

    def __init__(self, text: str, name: str, args: tuple[Hint, ...] = (), value: object = None) -> None:
        self.text = text
        self.name = name
        self.args = args
        self.value = value

    def _compared(self) -> tuple[object, ...]:
        return (self.name, self.args)


def union(members: tuple[Hint, ...]) -> Hint:
    """A union as `typing.Union` makes it: flat, each member once, a single member on its own."""
    flat: list[Hint] = []
    for member in members:
        for part in member.members if isinstance(member, UnionHint) else (member,):
            if part not in flat:
                flat.append(part)
    return flat[0] if len(flat) == 1 else UnionHint(tuple(flat))


def children(hint: Hint) -> tuple[Hint, ...]:
    """The hints directly inside a hint."""
    if isinstance(hint, ArrayHint):
        return ()
    if isinstance(hint, UnionHint):
        return hint.members
    if isinstance(hint, TupleHint):
        return hint.items
    if isinstance(hint, SequenceHint):
        return (hint.element,)
    if isinstance(hint, DictHint):
        return (hint.key, hint.element)
    if isinstance(hint, PyTreeHint):
        return (hint.leaf,)
    if isinstance(hint, OtherHint):
        return hint.args
    return ()


def walk(hint: Hint) -> Iterator[Hint]:
    """The hint and all hints inside it, in the order written."""
    yield hint
    for child in children(hint):
        yield from walk(child)


def arrays(hint: Hint) -> list[ArrayHint]:
    """Every tensor annotation inside a hint, in the order written."""
    return [part for part in walk(hint) if isinstance(part, ArrayHint)]
