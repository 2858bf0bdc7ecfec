"""The operations of einops: rearrange, reduce, repeat, einsum, pack, unpack, parse_shape, and its layers."""

from __future__ import annotations

from shapecheck.dims import ONE, Dim, No, floordiv
from shapecheck.ops import joining
from shapecheck.ops.axes import constant, dim_of, is_one, is_opaque, of_rank, opaque
from shapecheck.ops.einops_pattern import DOTS, Group, Malformed, Side, arrow, side
from shapecheck.ops.registry import op
from shapecheck.shapes import (
    AnyValue,
    Axis,
    Fault,
    Mismatch,
    Opaque,
    Rest,
    Shape,
    Tensor,
    Unknown,
    broadcast,
    merged,
    require,
    scope,
    split_in_order,
    suspect_order,
)
from shapecheck.shapes import Sequence as Several

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

REDUCED_DTYPE: Final = {"mean": "float", "any": "bool", "all": "bool"}


# -- the left side -----------------------------------------------------------------------------------------------------


class Bound:
    """What the names of a left side stand for: ``axes`` by name, ``between`` those of the ellipsis."""

    __slots__ = ("axes", "between")

    def __init__(self, axes: dict[str, Axis], between: tuple[Axis | Rest, ...]) -> None:
        self.axes = axes
        self.between = between


def malformed(fault: Malformed, shape: Shape | None = None) -> Mismatch:
    """A pattern that no tensor fits."""
    return Mismatch(Fault.PATTERN, left_shape=shape, detail=fault.why)


def aligned_axes(shape: Shape, pattern: Side) -> tuple[list[Axis | Rest], tuple[Axis | Rest, ...]] | Mismatch:
    """The axis of each group of the left side but the ellipsis, in order, and the axes of the ellipsis."""
    dots = pattern.dots
    count = len(pattern.groups) - (dots is not None)
    if dots is None:
        whole = of_rank(shape, count)
        if whole is None:
            return Mismatch(Fault.PATTERN_RANK, left_shape=shape, detail=str(count))
        return list(whole.axes), ()
    if shape.rest is None:
        if len(shape) < count:
            return Mismatch(Fault.PATTERN_RANK, left_shape=shape, detail=f"at least {count}")
        stop = len(shape) - (count - dots)
        return [*shape.axes[:dots], *shape.axes[stop:]], shape.axes[dots:stop]
    before, after = list(shape.axes[: shape.rest]), list(shape.axes[shape.rest + 1 :])
    if dots <= len(before) and count - dots <= len(after):
        stop = len(shape) - (count - dots)
        return [*before[:dots], *shape.axes[stop:]], shape.axes[dots:stop]
    lead = [*before, *(Axis.unfollowed(opaque("...")) for _ in range(dots - len(before)))]
    missing = count - dots - len(after)
    trail = [*(Axis.unfollowed(opaque("...")) for _ in range(missing)), *after]
    return [*lead[:dots], *trail[len(trail) - (count - dots) :]], (Rest(),)


def bind_names(shape: Shape, pattern: Side, lengths: Mapping[str, Dim | None]) -> Bound | Mismatch:
    """What the names of a left side stand for in a shape, or why it does not fit."""
    aligned = aligned_axes(shape, pattern)
    if isinstance(aligned, Mismatch):
        return aligned
    axes, between = aligned
    found: dict[str, Axis] = {}
    groups = pattern.axes
    for place, (group, axis) in enumerate(zip(groups, axes, strict=True)):
        if isinstance(axis, Rest):
            axis = Axis.unfollowed(opaque("..."))  # noqa: PLW2901 - a lone axis of the unknown ones
        number = place if pattern.dots is None or place < pattern.dots else place - len(groups)
        fault = _bind_group(shape, number, axis, group, lengths, found)
        if fault is not None:
            return fault
    return Bound(found, between)


def _bind_group(
    shape: Shape, number: int, axis: Axis, group: Group, lengths: Mapping[str, Dim | None], found: dict[str, Axis]
) -> Mismatch | None:
    """Give the names of one group their axes."""
    sizes = [_stated(name, lengths) for name in group]
    open_names = [name for name, size in zip(group, sizes, strict=True) if size is None and name not in lengths]
    unknown = [place for place, size in enumerate(sizes) if size is None]
    if len(group) > 1 and len(open_names) > 1:
        return Mismatch(Fault.PATTERN, left_shape=shape, axis=number, detail=f"no size for `{open_names[0]}`")
    total = ONE
    for size in sizes:
        total *= ONE if size is None else size
    if not unknown:
        verdict = require(axis.size, total, to_one=True)
        if isinstance(verdict, No):
            return Mismatch(
                Fault.PATTERN_SIZE, axis=number, left=axis.size, right=total, left_shape=shape,
                detail=" ".join(group) or "1", because=verdict.because,
            )
    elif len(unknown) == 1:
        whole, known = constant(axis.size), constant(total)
        if whole is not None and known is not None and (known == 0 or whole % known):
            return Mismatch(
                Fault.PATTERN_SIZE, axis=number, left=axis.size, right=total, left_shape=shape,
                detail=" ".join(group),
            )
        normal = scope().normal(total)
        sizes[unknown[0]] = floordiv(scope().normal(axis.size), normal) if normal.terms else opaque(group[unknown[0]])
    if len(group) == 1:
        found[group[0]] = axis
        return None
    if len(unknown) > 1:
        for name, size in zip(group, sizes, strict=True):
            found[name] = Axis.unfollowed(opaque(name) if size is None else size)
        return None
    parts = split_in_order(axis, [size for size in sizes if size is not None])
    found.update(zip(group, parts, strict=True))
    return None


def _stated(name: str, lengths: Mapping[str, Dim | None]) -> Dim | None:
    return Dim.of(int(name)) if name.isdecimal() else lengths.get(name)


# -- the right side ----------------------------------------------------------------------------------------------------


def composed(pattern: Side, bound: Bound, lengths: Mapping[str, Dim | None]) -> Shape:
    """The shape that a right side describes."""
    made: list[Axis | Rest] = []
    for place, group in enumerate(pattern.groups):
        if place == pattern.dots:
            made += bound.between
            continue
        parts: list[Axis | Rest] = []
        for name in group:
            if name == DOTS:
                parts += bound.between
                continue
            axis = bound.axes.get(name)
            if axis is None:
                size = _stated(name, lengths)
                axis = Axis.copied(opaque(name) if size is None else size)
            parts.append(axis)
        made.append(parts[0] if len(parts) == 1 and isinstance(parts[0], Axis) else merged(parts, scope()))
    return Shape(made)


def lengths_of(given: Mapping[str, object]) -> dict[str, Dim | None]:
    """The sizes that a call states for names, None for each that is not known."""
    return {name: dim_of(size) for name, size in given.items()}


def _operand(tensor: object) -> Tensor | Mismatch | Unknown:
    """A tensor, or a list of tensors as one with the list's axis in front.

    One that is not known has an unknown shape: the pattern tells its rank.
    """
    if isinstance(tensor, Tensor):
        return tensor
    if isinstance(tensor, Several):
        tensors = joining.operands(tensor)
        return Tensor(Shape.unknown()) if isinstance(tensors, Unknown) else joining.stacked(tensors)
    if isinstance(tensor, (Unknown, Opaque)):
        return Tensor(Shape.unknown())
    return Unknown("the operand is not a tensor")


def transformed(tensor: object, pattern: str, operation: str, given: Mapping[str, object]) -> AnyValue | Mismatch:
    """What ``rearrange``, ``reduce`` and ``repeat`` have in common."""
    parsed = arrow(pattern, operation, frozenset(given))
    operand = _operand(tensor)
    if isinstance(parsed, Malformed):
        return malformed(parsed, operand.shape if isinstance(operand, Tensor) else None)
    if not isinstance(operand, Tensor):
        return operand
    lengths = lengths_of(given)
    bound = bind_names(operand.shape, parsed.left, lengths)
    return bound if isinstance(bound, Mismatch) else operand.reshaped(composed(parsed.right, bound, lengths))


@op("einops.rearrange")
def rearrange(tensor: object, pattern: str, **axes_lengths: object) -> AnyValue | Mismatch:
    """``[b h*w c] -> [b c h w]`` for ``"b (h w) c -> b c h w"``."""
    return transformed(tensor, pattern, "rearrange", axes_lengths)


@op("einops.reduce")
def reduce(tensor: object, pattern: str, reduction: object, **axes_lengths: object) -> AnyValue | Mismatch:
    """``[b h w c] -> [b c]`` for ``"b h w c -> b c"``."""
    found = transformed(tensor, pattern, "reduce", axes_lengths)
    if not isinstance(found, Tensor):
        return found
    name = getattr(reduction, "value", None)
    dtype = REDUCED_DTYPE.get(name) if isinstance(name, str) else None
    if dtype is None and found.dtype == "float":
        dtype = "float"
    return Tensor(found.shape, dtype, found.kind)


@op("einops.repeat")
def repeat(tensor: object, pattern: str, **axes_lengths: object) -> AnyValue | Mismatch:
    """``[b d] -> [b t d]`` for ``"b d -> b t d"``."""
    return transformed(tensor, pattern, "repeat", axes_lengths)


# -- einsum ------------------------------------------------------------------------------------------------------------


@op("einops.einsum")
def einsum(*tensors_and_pattern: object) -> AnyValue | Mismatch:
    """``[b t d], [b s d] -> [b t s]`` for ``"b t d, b s d -> b t s"``."""
    operands, last = tensors_and_pattern[:-1], tensors_and_pattern[-1:]
    text = getattr(last[0], "value", None) if last else None
    if not isinstance(text, str):
        return Unknown("the pattern is not known")
    tensors = [found for found in map(_operand, operands) if isinstance(found, Tensor)]
    if len(tensors) < len(operands):
        return Unknown("an operand is not a tensor")
    sides = _einsum_sides(text)
    if isinstance(sides, Malformed):
        return malformed(sides)
    inputs, output = sides
    if len(inputs) != len(tensors):
        return Mismatch(Fault.PATTERN, detail=f"{len(inputs)} operands in the pattern, {len(tensors)} given")
    found: dict[str, tuple[Axis, Shape, int]] = {}
    between: list[Shape] = []
    for pattern, tensor in zip(inputs, tensors, strict=True):
        fault = _contract(pattern, tensor.shape, found, between)
        if fault is not None:
            return fault
    lead = broadcast(*between) if between else Shape(())
    if isinstance(lead, Mismatch):
        return lead
    axes = {name: entry[0] for name, entry in found.items()}
    result = composed(output, Bound(axes, lead.axes), {})
    return Tensor(result, joining.common_dtype(tensors) if tensors else None)


def _einsum_sides(text: str) -> tuple[list[Side], Side] | Malformed:
    halves = text.split("->")
    if len(halves) != 2:
        return Malformed("one `->` is needed")
    inputs = [side(part) for part in halves[0].split(",")]
    output = side(halves[1])
    sides: list[Side] = []
    for part in (*inputs, output):
        if isinstance(part, Malformed):
            return part
        if any(len(group) != 1 for group in part.groups):
            return Malformed("parentheses or 1 in an einsum")
        sides.append(part)
    named = {name for part in sides[:-1] for name in part.names}
    alone = next((name for name in sides[-1].names if name not in named), None)
    if alone is not None:
        return Malformed(f"`{alone}` stands on the right only")
    return sides[:-1], sides[-1]


def _contract(
    pattern: Side, shape: Shape, found: dict[str, tuple[Axis, Shape, int]], between: list[Shape]
) -> Mismatch | None:
    """Give the names of one operand their axes, which must fit those of the operands before."""
    aligned = aligned_axes(shape, pattern)
    if isinstance(aligned, Mismatch):
        return aligned
    axes, middle = aligned
    if pattern.dots is not None:
        between.append(Shape(middle))
    names = [name for name in pattern.names if name != DOTS]
    for place, (name, axis) in enumerate(zip(names, axes, strict=True)):
        number = place if pattern.dots is None or place < pattern.dots else place - len(names)
        if isinstance(axis, Rest):
            continue
        known = found.get(name)
        if known is None or is_one(known[0]) or (is_opaque(known[0].size) and not is_one(axis)):
            found[name] = axis, shape, number
        elif not is_one(axis):
            verdict = require(known[0].size, axis.size)
            if isinstance(verdict, No):
                return Mismatch(
                    Fault.PATTERN_SIZE, axis=known[2], other_axis=number, left=known[0].size, right=axis.size,
                    left_shape=known[1], right_shape=shape, detail=name, because=verdict.because,
                )
            suspect_order(known[0], axis)
    for name in names:
        found.setdefault(name, (Axis.unfollowed(opaque(name)), shape, 0))
    return None
