"""The packs of einops: pack, unpack, parse_shape."""

from __future__ import annotations

from shapecheck.dims import ONE, ZERO, Dim, No, floordiv
from shapecheck.ops import joining
from shapecheck.ops.axes import of_rank, opaque, unknown_shape
from shapecheck.ops.einops_pattern import Malformed, side
from shapecheck.ops.einops_rules import aligned_axes, malformed
from shapecheck.ops.registry import op
from shapecheck.shapes import (
    AnyValue,
    Axis,
    Fault,
    Mismatch,
    Origin,
    Rest,
    Shape,
    Tensor,
    Unknown,
    merged,
    require,
    scope,
    split_axis,
)
from shapecheck.shapes import Sequence as Several

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def _star(pattern: str) -> tuple[list[str], list[str]] | Malformed:
    """The names before and after the star."""
    names = pattern.split()
    if names.count("*") != 1:
        return Malformed("one `*` is needed")
    plain = [name for name in names if name != "*"]
    for name in plain:
        if not name.isidentifier() or plain.count(name) > 1:
            return Malformed(f"`{name}` is no axis name, or stands twice")
    place = names.index("*")
    return names[:place], names[place + 1 :]


@op("einops.pack")
def pack(tensors: Sequence[Tensor], pattern: str) -> AnyValue | Mismatch:
    """``[b h w d], [b n d] -> [b h*w+n d], ((h w), (n))`` for ``"b * d"``."""
    star = _star(pattern)
    if isinstance(star, Malformed):
        return malformed(star)
    before, after = star
    least = len(before) + len(after)
    flat: list[Tensor] = []
    packed: list[AnyValue] = []
    for tensor in tensors:
        shape = tensor.shape
        if shape.rank is not None and shape.rank < least:
            return Mismatch(Fault.PATTERN_RANK, left_shape=shape, detail=f"at least {least}")
        if shape.rest is not None and not len(before) <= shape.rest < len(shape) - len(after):
            return Several([unknown_shape(tensor), Unknown("axes of unknown number are packed")])
        stop = len(shape) - len(after)
        middle = shape.axes[len(before) : stop]
        packed.append(Several([axis if isinstance(axis, Rest) else axis.size for axis in middle], "torch.Size"))
        one = middle[0] if len(middle) == 1 and isinstance(middle[0], Axis) else merged(middle, scope())
        flat.append(tensor.reshaped(Shape((*shape.axes[: len(before)], one, *shape.axes[stop:]))))
    found = joining.catenated(flat, len(before)) if flat else Unknown("nothing to pack")
    if isinstance(found, Mismatch):
        return found
    return Several([found, Several(packed, "list")])


@op("einops.unpack")
def unpack(tensor: Tensor, packed_shapes: object, pattern: str) -> AnyValue | Mismatch:
    """``[b h*w+n d] -> [b h w d], [b n d]`` for ``"b * d"``."""
    star = _star(pattern)
    if isinstance(star, Malformed):
        return malformed(star, tensor.shape)
    before, after = star
    whole = of_rank(tensor.shape, len(before) + len(after) + 1)
    if whole is None:
        return Mismatch(Fault.PATTERN_RANK, left_shape=tensor.shape, detail=str(len(before) + len(after) + 1))
    if not isinstance(packed_shapes, Several) or any(not isinstance(item, Several) for item in packed_shapes.items):
        return Unknown("the packed shapes are not known")
    axis = whole[len(before)]
    wanted = [list(item.items) for item in packed_shapes.items if isinstance(item, Several)]
    parts = _unpacked(axis.size, wanted)
    if isinstance(parts, Mismatch):
        return Mismatch(
            Fault.PATTERN_SIZE, axis=len(before), left=parts.left, right=parts.right, left_shape=tensor.shape,
            detail="*", because=parts.because,
        )
    made: list[AnyValue] = []
    for sizes in parts:
        if len(parts) == 1 and isinstance(axis, Axis) and all(isinstance(size, Dim) for size in sizes):
            middle: list[Axis | Rest] = [*split_axis(axis, [size for size in sizes if isinstance(size, Dim)])]
        else:
            middle = [size if isinstance(size, Rest) else Axis.unfollowed(size, Origin.WRITTEN) for size in sizes]
        made.append(tensor.reshaped(Shape((*whole.axes[: len(before)], *middle, *whole.axes[len(before) + 1 :]))))
    return Several(made, "list")


def _unpacked(size: Dim, wanted: list[list[AnyValue | Rest]]) -> list[list[Dim | Rest]] | Mismatch:
    """The sizes of each part, one -1 among all of them worked out."""
    total, parts = ZERO, list[list[Dim | Rest]]()
    missing: tuple[int, int, Dim] | None = None
    certain = True
    for place, sizes in enumerate(wanted):
        product, part = ONE, list[Dim | Rest]()
        for index, one in enumerate(sizes):
            known = one if isinstance(one, (Dim, Rest)) else opaque("packed")
            certain = certain and known is one
            if isinstance(known, Dim) and known.constant == -1:
                certain = certain and missing is None
                missing = place, index, product
                known = opaque("packed")
            elif isinstance(known, Rest):
                product *= known.size
            else:
                product *= known
            part.append(known)
        parts.append(part)
        if missing is not None and missing[0] == place:
            missing = place, missing[1], product
        else:
            total += product
    if not certain:
        return parts
    if missing is not None:
        place, index, product = missing
        normal = scope().normal(product)
        if normal.terms:
            parts[place][index] = floordiv(scope().normal(size - total), normal)
        return parts
    verdict = require(size, total)
    if isinstance(verdict, No):
        return Mismatch(Fault.PATTERN_SIZE, left=size, right=total, because=verdict.because)
    return parts


@op("einops.parse_shape")
def parse_shape(x: Tensor, pattern: str) -> AnyValue | Mismatch:
    """``{"b": b, "t": t}`` for ``"b t _"``."""
    parsed = side(pattern)
    if isinstance(parsed, Malformed):
        return malformed(parsed, x.shape)
    aligned = aligned_axes(x.shape, parsed)
    if isinstance(aligned, Mismatch):
        return aligned
    groups = parsed.axes
    if any(len(group) > 1 for group in groups):
        return Mismatch(Fault.PATTERN, left_shape=x.shape, detail="parentheses in parse_shape")
    named = [
        (group[0], opaque(group[0]) if isinstance(axis, Rest) else axis.size)
        for group, axis in zip(groups, aligned[0], strict=True)
        if group and group[0] != "_" and not group[0].isdecimal()
    ]
    return Several([size for _, size in named], "dict", tuple([name for name, _ in named]))
