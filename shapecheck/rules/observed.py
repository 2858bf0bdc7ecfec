"""Watching operations for silent faults: a rule sees each call of the operations it names, with its result.

Operations know nothing of these rules; a rule may mark the axes of a result, and later find the mark on an operand.
"""

from __future__ import annotations

from shapecheck.dims import Dim, Kind, Symbol
from shapecheck.shapes import (
    AnyValue,
    Axis,
    Constant,
    Mark,
    Mismatch,
    Rest,
    Sequence,
    Shape,
    Tensor,
    current,
    scope,
    suspect,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import TypeAlias

    Watcher: TypeAlias = "Callable[[Observed], None]"

BATCH_WORDS = frozenset(("batch", "batch_size", "bs", "bsz"))
"""What is a batch wherever it stands."""
BATCH_NAMES = BATCH_WORDS | {"b", "B"}
"""What a leading batch axis is called; ``n`` and ``N`` mean other things in real code."""

MIXING = "anything, while an axis is mixed"

WATCHERS: dict[str, list[Watcher]] = {}
TALLIED: dict[str, list[Watcher]] = {}
"""Those that have something to say where nothing is marked, but something is a total."""
UNMARKED: dict[str, list[Watcher]] = {}
"""Those that have something to say where neither is so."""


class Trait(Mark):
    """What is known of the values of a whole tensor: lost in every operation through which no rule carries it."""

    __slots__ = ()

    kept: frozenset[str] = frozenset()
    """The kinds of operation, as ``rules.traits`` names them, behind which the same is known."""

    def through(self, how: str, source: Shape, result: Shape, *, ordered: bool) -> Trait | None:
        """What is known behind an operation of a kind; None if nothing is.

        Args:
            how: the kind of operation.
            source: the shape of its operand.
            result: the shape of its result.
            ordered: whether the elements kept their order, as in a view.
        """
        del source, result, ordered
        return self if how in self.kept else None


class Observed:
    """One call of an operation or a layer."""

    __slots__ = ("args", "kwargs", "layer", "name", "result")

    def __init__(
        self,
        name: str,
        args: list[AnyValue],
        kwargs: Mapping[str, AnyValue],
        result: AnyValue,
        layer: object = None,
    ) -> None:
        self.name = name
        self.args = args
        self.kwargs = kwargs
        self.result = result
        self.layer = layer
        """The rule object of a layer, with its constructor's arguments."""

    def argument(self, position: int, *names: str) -> AnyValue | None:
        """An argument by position or by one of its names; None if it is not given."""
        if position < len(self.args):
            return self.args[position]
        if not self.kwargs:
            return None
        return next((self.kwargs[name] for name in names if name in self.kwargs), None)

    def tensor(self, position: int, *names: str) -> Tensor | None:
        """An argument that is a tensor."""
        # Most calls of rules begin with this.
        if position < len(self.args):
            found = self.args[position]
        elif self.kwargs:
            found = self.argument(position, *names)  # type: ignore[assignment]  # None is no tensor
        else:
            return None
        return found if isinstance(found, Tensor) else None

    def axes(self, position: int, *names: str) -> list[int] | None:
        """An argument that is one known axis number or several; None if it is missing or not known."""
        found = self.argument(position, *names)
        values = found.items if isinstance(found, Sequence) else [found]
        numbers = [scope().normal(value).constant if isinstance(value, Dim) else None for value in values]
        return None if None in numbers or not numbers else [number for number in numbers if number is not None]

    def flag(self, position: int, *names: str) -> bool | None:
        """An argument that is a known flag."""
        found = self.argument(position, *names)
        return found.value if isinstance(found, Constant) and isinstance(found.value, bool) else None

    def suspect(self, mismatch: Mismatch) -> None:
        """Report a silent fault."""
        suspect(mismatch)


def watch(*names: str) -> Callable[[Watcher], Watcher]:
    """Register a rule for operations or layers by their qualified names."""

    def register(watcher: Watcher) -> Watcher:
        for name in names:
            WATCHERS.setdefault(name, []).append(watcher)
            TALLIED.setdefault(name, []).append(watcher)
            UNMARKED.setdefault(name, []).append(watcher)
        return watcher

    return register


def watch_totals(*names: str) -> Callable[[Watcher], Watcher]:
    """Register a rule that has nothing to say unless an operand is a total, or has a mark."""

    def register(watcher: Watcher) -> Watcher:
        for name in names:
            WATCHERS.setdefault(name, []).append(watcher)
            TALLIED.setdefault(name, []).append(watcher)
        return watcher

    return register


def watch_marked(*names: str) -> Callable[[Watcher], Watcher]:
    """Register a rule that has nothing to say unless an operand, or an axis of one, has a mark: most have none."""

    def register(watcher: Watcher) -> Watcher:
        for name in names:
            WATCHERS.setdefault(name, []).append(watcher)
        return watcher

    return register


def tensors_in(values: Iterable[AnyValue | Rest]) -> Iterable[Tensor]:
    """The tensors among some values, and those in tuples and lists of theirs."""
    for value in values:
        if isinstance(value, Tensor):
            yield value
        elif isinstance(value, Sequence):
            yield from tensors_in(value.items)


def methods(*names: str) -> list[str]:
    """The qualified names of operations that are both functions and methods."""
    return [prefix + name for name in names for prefix in ("torch.", "torch.Tensor.")]


def observe(
    name: str, args: list[AnyValue], kwargs: Mapping[str, AnyValue], result: AnyValue, layer: object = None
) -> AnyValue:
    """Let every rule see a call; the result, as the rules leave it."""
    if isinstance(result, Tensor) and (isinstance(result.mark, Trait) or result.tally is not None):
        # An operation that returns its operand as the shape of its result.
        result = Tensor(
            result.shape, result.dtype, result.kind, None if isinstance(result.mark, Trait) else result.mark
        )
    watchers = WATCHERS.get(name)
    mixing = current().mixing
    if watchers is None and not mixing:
        return result
    values = (*args, *kwargs.values(), result)
    if watchers is not None and not _any_marked(values):
        watchers = (TALLIED if _any_tallied(values) else UNMARKED).get(name)
        if watchers is None and not mixing:
            return result
    observed = Observed(name, args, kwargs, result, layer)
    for watcher in watchers or ():
        watcher(observed)
    for watcher in WATCHERS[MIXING] if mixing else ():
        watcher(observed)
    return observed.result


def _any_marked(values: Iterable[AnyValue | Rest]) -> bool:
    """Whether a tensor among some values, or in a sequence among them, has a mark, or an axis with one."""
    for value in values:
        if isinstance(value, Tensor):
            if value.mark is not None:
                return True
            for axis in value.shape.axes:
                if axis.mark is not None:
                    return True
        elif isinstance(value, Sequence) and _any_marked(value.items):
            return True
    return False


def _any_tallied(values: Iterable[AnyValue | Rest]) -> bool:
    """Whether a tensor among some values, or in a sequence among them, is a total."""
    for value in values:
        if isinstance(value, Tensor):
            if value.tally is not None:
                return True
        elif isinstance(value, Sequence) and _any_tallied(value.items):
            return True
    return False


def here() -> object:
    """The place that is being evaluated."""
    return current().place


def axis_name(axis: object) -> str | None:
    """The name of an axis that is one rigid symbol."""
    symbol = axis.size.symbol if isinstance(axis, Axis) else None
    return symbol.name if symbol is not None and symbol.kind is Kind.RIGID else None


def is_batch(shape: Shape, position: int = 0) -> bool:
    """Whether the axis at a position is a batch axis by its name, or several batches one behind the other, ``2*b``."""
    axis = shape[position] if position < len(shape) else None
    content = axis.size.content()[1] if isinstance(axis, Axis) and len(axis.size.terms) == 1 else ()
    batch = content[0] if len(content) == 1 else None
    return isinstance(batch, Symbol) and batch.kind is Kind.RIGID and batch.name in BATCH_NAMES


def batch_among(shape: Shape, position: int = 0) -> Symbol | None:
    """The batch that is merged with others in the axis at a position, ``batch*time``; None if there is none."""
    axis = shape[position] if position < len(shape) else None
    size = scope().normal(axis.size) if isinstance(axis, Axis) else None
    content = size.content()[1] if size is not None and len(size.terms) == 1 else ()
    found = [atom for atom in content if isinstance(atom, Symbol) and atom.name in BATCH_NAMES]
    return found[0] if len(content) > 1 and len(found) == 1 and found[0].kind is Kind.RIGID else None


def unmarked(tensor: Tensor, *kinds: str) -> Tensor:
    """The same tensor without the marks that its axes have of some kinds."""
    axes: list[Axis | Rest] | None = None
    for position, axis in enumerate(tensor.shape.axes):
        if isinstance(axis, Axis) and axis.mark is not None and axis.mark.kind in kinds:
            axes = axes or list(tensor.shape.axes)
            axes[position] = axis.with_mark(None)
    return tensor if axes is None else Tensor(Shape(axes), tensor.dtype, tensor.kind, tensor.mark)


def marked_positions(shape: Shape, kind: str) -> list[int]:
    """Where the axes with a mark of some kind stand."""
    return [
        position
        for position, axis in enumerate(shape.axes)
        if axis.mark is not None and axis.mark.kind == kind
    ]
