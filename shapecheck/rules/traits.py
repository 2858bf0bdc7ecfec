"""What is known of the values of a tensor, and through which operations it is carried.

A trait belongs to one tensor. An operation keeps it only where this module, or the rule that made it, says so: what
nobody thought of loses it, and nothing is said.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from shapecheck.dims import Dim
from shapecheck.rules.observed import Observed, Trait, here, methods
from shapecheck.shapes import AnyValue, Axis, Constant, Number, Opaque, Shape, Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

SAME, DROPPED, SCALED, RAISED, MOVED = "same", "dropped", "scaled", "raised", "moved"
"""The kinds of operation: what they leave of the values, or that they move the axes."""
IN_PLACE: Final = frozenset((SAME, DROPPED, SCALED, RAISED))
EVERYWHERE: Final = IN_PLACE | {MOVED}

IDENTITIES: Final = (
    *methods("clone", "detach"),
    "torch.Tensor.contiguous", "torch.Tensor.to", "torch.Tensor.type", "torch.Tensor.type_as", "torch.Tensor.float",
    "torch.Tensor.double", "torch.Tensor.half", "torch.Tensor.bfloat16", "torch.Tensor.cpu", "torch.Tensor.cuda",
    "torch.Tensor.data",
    "torch.nn.Identity",
)  # fmt: skip
DROPOUTS: Final = (
    "torch.dropout", "torch.nn.functional.dropout", *[f"torch.nn.Dropout{rank}" for rank in ("", "1d", "2d", "3d")]
)  # fmt: skip
DIVISIONS: Final = ("operator.truediv", *methods("div", "divide", "true_divide"))
SCALES: Final = ("operator.mul", "operator.truediv", *methods("mul", "multiply", "div", "divide", "true_divide"))
RAISES: Final = ("operator.add", "operator.sub", *methods("add", "sub"))
CLAMPS: Final = methods("clamp", "clamp_min", "clip")
ORDERED: Final = methods("unsqueeze", "squeeze", "view", "reshape", "flatten", "unflatten")
PERMUTED: Final = (
    *methods("transpose", "permute", "movedim", "moveaxis", "swapaxes", "swapdims", "t", "T", "mT"),
    "operator.getitem", "einops.rearrange",
)  # fmt: skip


def with_trait(tensor: Tensor, trait: Trait | None) -> Tensor:
    """The same tensor with another trait."""
    return Tensor(tensor.shape, tensor.dtype, tensor.kind, trait)


def is_number(value: AnyValue | None) -> bool:
    """Whether an operand is one number."""
    if isinstance(value, Constant):
        return isinstance(value.value, (int, float))
    return isinstance(value, (Dim, Number, Opaque)) or (isinstance(value, Tensor) and value.shape.rank == 0)


def lone_axis(call: Observed, source: Tensor, number: int = 1) -> int | None:
    """Where in ``source`` the one axis stands that an argument names."""
    axes = call.axes(number, "dim", "axis")
    position = source.shape.position(axes[0]) if axes is not None and len(axes) == 1 else None
    return position if isinstance(position, int) and position < len(source.shape) else None


def found_again(source: Shape, position: int, result: Shape, *, ordered: bool) -> int | None:
    """Where an axis of an operand stands in a result that has the same elements; None if that is not certain.

    Args:
        source: the shape of the operand.
        position: the axis that is looked for.
        result: the shape of the result.
        ordered: whether the elements kept their order, as in a view.
    """
    axis = source[position]
    for same in (_is, _alike):
        before = [place for place, other in enumerate(source) if same(axis, other)]
        after = [place for place, other in enumerate(result) if same(axis, other)]
        if len(before) == len(after) == 1:
            return after[0]
    if not ordered or source.rest is not None or result.rest is not None:
        return None
    behind = len(source) - position
    if behind <= len(result) and _line_up(source.known[position:], result.known[-behind:]):
        return len(result) - behind
    in_front = position + 1
    fits = in_front <= len(result) and _line_up(source.known[:in_front], result.known[:in_front])
    return position if fits else None


def _is(one: object, other: object) -> bool:
    return one is other


def _alike(one: object, other: object) -> bool:
    return (
        isinstance(one, Axis)
        and isinstance(other, Axis)
        and bool(one.factors)
        and one.factors == other.factors
        and all(factor.ident is not None for factor in one.factors)
    )


def _line_up(some: tuple[Axis, ...], others: tuple[Axis, ...]) -> bool:
    return all(_alike(one, other) for one, other in zip(some, others, strict=True))


class Along(Trait, ABC):
    """What is known along the axis ``position``, and goes where that axis goes."""

    __slots__ = ("position",)

    def __init__(self, kind: str, position: int, place: object) -> None:
        super().__init__(kind, place)
        self.position = position

    @abstractmethod
    def at(self, position: int) -> Trait:
        """The same of the axis where it stands now."""

    def through(self, how: str, source: Shape, result: Shape, *, ordered: bool) -> Trait | None:
        """What is known behind an operation, if it is certain where the axis stands."""
        if how != MOVED:
            return super().through(how, source, result, ordered=ordered)
        position = found_again(source, self.position, result, ordered=ordered)
        return None if position is None else self.at(position)


class Total(Trait):
    """The sum, mean or norm (its ``kind``) of ``source`` along one of its axes.

    ``exact`` until something is added to it; ``constant`` where it is of weights, and so one number everywhere.
    """

    __slots__ = ("constant", "exact", "position", "source")

    def __init__(
        self, source: Tensor, position: int, how: str = "sum", *, constant: bool, exact: bool = True
    ) -> None:
        super().__init__(how, here())
        self.source = source
        self.position = position
        self.constant = constant
        self.exact = exact

    def through(self, how: str, source: Shape, result: Shape, *, ordered: bool) -> Trait | None:
        """The sum behind an operation."""
        del source, result, ordered
        if how in {SAME, MOVED}:
            return self
        raised = how == RAISED and self.kind != "mean"
        return Total(self.source, self.position, self.kind, constant=False, exact=False) if raised else None


def divides_by_own(call: Observed, how: str, *, exact: bool) -> int | None:
    """The axis along which a division makes the sum or norm of its left operand 1.

    Args:
        call: the division.
        how: ``sum`` or ``norm``.
        exact: whether nothing may have been added to the divisor.
    """
    whole, total = call.tensor(0, "input"), call.tensor(1, "other")
    trait = None if total is None else total.mark
    if whole is None or total is None or not isinstance(trait, Total) or trait.source is not whole:
        return None
    position = trait.position
    if trait.kind != how or len(total.shape) != len(whole.shape) or (exact and not trait.exact):
        return None
    axis = total.shape[position]
    return position if isinstance(axis, Axis) and axis.is_one else None
