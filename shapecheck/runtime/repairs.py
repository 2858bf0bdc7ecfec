"""What would repair a call: another order of axes, an axis more or less, another dtype."""

from __future__ import annotations

import sys
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any, NamedTuple

from shapecheck.annotations.hints import ArrayHint
from shapecheck.runtime.arrays import Reshaped, is_array, shape_of
from shapecheck.runtime.goals import Env, Failure, Goal
from shapecheck.runtime.match import Matcher

if TYPE_CHECKING:
    from collections.abc import Callable

    from shapecheck.runtime.signature import Signature

# More axes than that have too many orders to try, and no reader would look for one.
MAX_RANK = 5


class Change(NamedTuple):
    """One change of a shape: how it is written after the tensor, for torch and for numpy, and the new shape.

    at: the index of the axis that is added or taken away, -1 where there is none.
    """

    torch: str
    numpy: str
    shape: tuple[int, ...]
    at: int = -1


class Fit(NamedTuple):
    """A change under which everything fits, as the reader's code would have it, and what it is made to."""

    words: str
    change: Change
    goal: Goal


def find_repair(
    signature: Signature, values: tuple[Any, ...], goals: list[Goal], initial: Env, failure: Failure
) -> str | None:
    """A change that makes everything fit, when there are at most two of the simplest kind; otherwise None."""
    if failure.kind == "dtype":
        return dtype_repair(failure)
    if failure.kind == "type":
        return type_repair(failure)
    if failure.kind not in {"size", "rank", "variadic"}:
        return None
    trial = _Trial(signature, values, goals, initial)
    paths = [failure.path]
    if failure.bound is not None and failure.bound.where.path not in paths:
        paths.append(failure.bound.where.path)
    alike = [goal.path for goal in goals if goal.hint == failure.hint]
    for changes in (transpositions, insertions, removals, other_orders):
        found = [fit for path in paths for fit in trial.fitting([path], changes)]
        if not found and changes is transpositions and len(alike) > 1:
            found = trial.fitting(alike, changes)
        if len(found) > 1 and changes is insertions:
            found = found[:1]  # the leading axis, a batch, is what is usually missing
        if found:
            meaning = leading_axis(found[0], failure) if len(found) == 1 and failure.kind == "rank" else ""
            words = " or ".join(fit.words for fit in found)
            return f"{words} would fit everything{meaning}" if len(found) <= 2 else None
    return None


def leading_axis(fit: Fit, failure: Failure) -> str:
    """What it means that a leading axis is missing, or that there is one more."""
    if fit.change.at != 0 or fit.goal.path != failure.path or not isinstance(failure.hint, ArrayHint):
        return ""
    declared = failure.hint.spec.shape.axes
    shape = shape_of(fit.goal.value)
    if len(fit.change.shape) < len(shape):
        behind = f" in front of {declared[0].text}" if declared else ""
        return f": it has an axis of {shape[0]}{behind}"
    lacking = declared[0] if declared else None
    named = lacking is not None and lacking.kind == "name" and not lacking.variadic
    return f": {lacking.text}, which it lacks, would be 1" if lacking is not None and named else ""


class _Trial:
    """Tries changes of the arguments out."""

    def __init__(self, signature: Signature, values: tuple[Any, ...], goals: list[Goal], initial: Env) -> None:
        self.signature = signature
        self.values = values
        self.goals = goals
        self.initial = initial

    def fitting(self, paths: list[str], changes: Callable[[tuple[int, ...]], list[Change]]) -> list[Fit]:
        """The changes, made to all of these values alike, under which everything fits."""
        indices = [i for i, goal in enumerate(self.goals) if goal.path in paths and is_array(goal.value)]
        if len(indices) != len(paths):
            return []
        changed = [changes(shape_of(self.goals[i].value)) for i in indices]
        found = []
        for number, first in enumerate(changed[0]):
            if any(number >= len(other) or other[number].torch != first.torch for other in changed):
                continue
            goals = list(self.goals)
            for i, own in zip(indices, changed, strict=True):
                goals[i] = goals[i]._replace(value=Reshaped(goals[i].value, own[number].shape))
            matcher = Matcher(self.signature.arguments(self.values), self.signature.shared)
            if matcher.solve(goals, dict(self.initial)) is not None:
                if first.torch == "[0]" and paths[0].startswith(("return", "yield")):
                    continue  # a function that returns too much is not repaired by throwing most of it away
                words = " and ".join(written(self.goals[i], first) for i in indices)
                found.append(Fit(words, first, self.goals[indices[0]]))
        return found


def written(goal: Goal, change: Change) -> str:
    """The change as the reader's code would have it."""
    torch = sys.modules.get("torch")
    words = change.torch if torch is not None and isinstance(goal.value, torch.Tensor) else change.numpy
    return expression(goal.path) + words


def expression(path: str) -> str:
    """How the reader's code names the value."""
    head, bracket, rest = path.partition("[")
    return {"return": "result", "yield": "value"}.get(head, head) + bracket + rest


def transpositions(shape: tuple[int, ...]) -> list[Change]:
    """The shape with two axes exchanged."""
    if not 2 <= len(shape) <= MAX_RANK:
        return []
    changes = []
    for left, right in combinations(range(len(shape)), 2):
        sizes = list(shape)
        sizes[left], sizes[right] = sizes[right], sizes[left]
        if tuple(sizes) != shape:
            changes.append(Change(f".transpose({left}, {right})", f".swapaxes({left}, {right})", tuple(sizes)))
    return changes


def insertions(shape: tuple[int, ...]) -> list[Change]:
    """The shape with one more axis of size 1."""
    rank = len(shape)
    if rank > MAX_RANK:
        return []
    changes = []
    for at in range(rank + 1):
        colons = ":, " * at
        changes.append(Change(f".unsqueeze({at})", f"[{colons}None]", (*shape[:at], 1, *shape[at:]), at))
    return unique(changes)


def removals(shape: tuple[int, ...]) -> list[Change]:
    """The shape without one axis: an axis of size 1, or the leading one by taking an element of it."""
    rank = len(shape)
    if not 1 <= rank <= MAX_RANK + 1:
        return []
    changes = [
        Change(f".squeeze({at})", f".squeeze({at})", (*shape[:at], *shape[at + 1 :]), at)
        for at in range(rank)
        if shape[at] == 1
    ]
    return unique([*changes, Change("[0]", "[0]", shape[1:], 0)])


def unique(changes: list[Change]) -> list[Change]:
    """Beside an axis of size 1 several changes give the same shape: the first is enough."""
    return list({change.shape: change for change in reversed(changes)}.values())[::-1]


def other_orders(shape: tuple[int, ...]) -> list[Change]:
    """The shape with its axes in any order that one exchange does not reach."""
    rank = len(shape)
    if not 3 <= rank <= MAX_RANK:
        return []
    changes = []
    for order in permutations(range(rank)):
        sizes = tuple(shape[axis] for axis in order)
        if sum(index != axis for index, axis in enumerate(order)) > 2 and sizes != shape:
            words = ", ".join(map(str, order))
            changes.append(Change(f".permute({words})", f".transpose({words})", sizes))
    return changes


_CONVERSIONS = (
    ("float32", ".float()"), ("int64", ".long()"), ("bool", ".bool()"), ("float16", ".half()"),
    ("float64", ".double()"), ("bfloat16", ".bfloat16()"), ("int32", ".int()"), ("complex64", ".to(torch.complex64)"),
    ("uint8", ".to(torch.uint8)"),
)  # fmt: skip


def dtype_repair(failure: Failure) -> str | None:
    """The conversion that the declared dtype asks for."""
    torch = sys.modules.get("torch")
    if not isinstance(failure.hint, ArrayHint) or torch is None or not isinstance(failure.value, torch.Tensor):
        return None
    dtype = failure.hint.spec.dtype
    for name, words in _CONVERSIONS:
        if dtype.names is not None and name in dtype.names:
            return f"{expression(failure.path)}{words} has dtype {name}"
    return None


def type_repair(failure: Failure) -> str | None:
    """A numpy array where a tensor is declared, or the other way round."""
    torch, numpy = sys.modules.get("torch"), sys.modules.get("numpy")
    if not isinstance(failure.hint, ArrayHint) or torch is None or numpy is None:
        return None
    declared, path = failure.hint.spec.array, expression(failure.path)
    if declared == "torch.Tensor" and isinstance(failure.value, numpy.ndarray):
        return f"torch.from_numpy({path}) is a Tensor"
    if declared == "numpy.ndarray" and isinstance(failure.value, torch.Tensor):
        return f"{path}.numpy() is an ndarray"
    return None
