"""Products: one axis of each operand is contracted, axes before the matrices broadcast."""

from __future__ import annotations

from shapecheck.dims import Dim, No
from shapecheck.ops.axes import is_one, locate
from shapecheck.ops.inplace import written
from shapecheck.ops.pointwise import promoted
from shapecheck.ops.registry import both, op
from shapecheck.ops.signature import ints_of
from shapecheck.shapes import (
    AnyValue,
    Axis,
    Fault,
    Mismatch,
    Rest,
    Sequence,
    Shape,
    Tensor,
    Unknown,
    broadcast,
    merged,
    require,
    scope,
    suspect_order,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.ops.signature import Tensors


def contract(left: Shape, axis: int, right: Shape, other_axis: int, *, ones: bool = False) -> Mismatch | None:
    """Require the axes at two positions to be equally long; ``ones``: or one of them to be 1."""
    one, other = left[axis], right[other_axis]
    if isinstance(one, Rest) or isinstance(other, Rest) or (ones and (is_one(one) or is_one(other))):
        return None
    verdict = require(one.size, other.size)
    if isinstance(verdict, No):
        return Mismatch(
            Fault.CONTRACTION, axis=axis, other_axis=other_axis, left=one.size, right=other.size, left_shape=left,
            right_shape=right, because=verdict.because,
        )
    suspect_order(one, other)
    return None


def batched(left: Shape, right: Shape, count: int) -> Shape | Mismatch:
    """What all axes but the last ``count`` of two shapes broadcast to."""
    result = broadcast(Shape(left.axes[: len(left) - count]), Shape(right.axes[: len(right) - count]))
    return result.replace(left_shape=left, right_shape=right) if isinstance(result, Mismatch) else result


def exact_rank(shape: Shape, *ranks: int) -> Mismatch | None:
    """A mismatch where the number of axes is known and none of these."""
    if shape.rank is None:
        known = len(shape) - 1
        wrong = known > max(ranks)
    else:
        wrong = shape.rank not in ranks
    return Mismatch(Fault.RANK, left_shape=shape, detail=" or ".join(map(str, ranks))) if wrong else None


def at_least(shape: Shape, rank: int) -> Mismatch | None:
    """A mismatch where the number of axes is known to be smaller."""
    if shape.rank is not None and shape.rank < rank:
        return Mismatch(Fault.RANK, left_shape=shape, detail=f"at least {rank}")
    return None


def behind(shape: Shape) -> int:
    """How many axes are known to stand at the end, before any ``Rest``."""
    return len(shape) if shape.rest is None else len(shape) - shape.rest - 1


def product(left: Shape, right: Shape) -> Shape | Mismatch:
    """The shape of ``left @ right``."""
    fault = at_least(left, 1) or at_least(right, 1)
    if fault is not None:
        return fault
    inner = len(left) - 1
    if right.rank == 1:
        fault = contract(left, inner, right, 0)
        if fault is not None:
            return fault
        return Shape(left.axes[:-1]) if behind(left) else Shape.unknown()
    if behind(right) < 2:
        return Shape.unknown()
    fault = contract(left, inner, right, len(right) - 2)
    if fault is not None:
        return fault
    outer = right.axes[-1]
    if left.rank == 1:
        return Shape((*right.axes[:-2], outer))
    if right.rank == 2:
        return Shape((*left.axes[:-1], outer)) if behind(left) else Shape((Rest(), outer))
    if behind(left) < 2:
        # Of one axis or of several: the result's last axis is the same.
        return Shape((Rest(), outer))
    batch = batched(left, right, 2)
    return batch if isinstance(batch, Mismatch) else Shape((*batch, left.axes[-2], outer))


@op(*both("matmul"), "operator.matmul", "torch.linalg.matmul")
def matmul(input: Tensor, other: Tensor) -> Tensor | Mismatch:
    """``[.., n, d], [.., d, m] -> [.., n, m]``; an operand of one axis is a row or a column that disappears."""
    shape = product(input.shape, other.shape)
    return shape if isinstance(shape, Mismatch) else Tensor(shape, promoted(input, other), input.kind)


@op("operator.imatmul")
def imatmul(input: Tensor, other: Tensor) -> Tensor | Mismatch:
    """``[.., n, d], [.., d, m] -> [.., n, m]``."""
    return matmul(input, other)


def _of_ranks(input: Tensor, other: Tensor, left: int, right: int) -> Tensor | Mismatch:
    fault = exact_rank(input.shape, left) or exact_rank(other.shape, right)
    return matmul(input, other) if fault is None else fault


@op(*both("mm"), "torch.sparse.mm")
def mm(input: Tensor, mat2: Tensor) -> Tensor | Mismatch:
    """``[n, d], [d, m] -> [n, m]``."""
    return _of_ranks(input, mat2, 2, 2)


@op(*both("mv"))
def mv(input: Tensor, vec: Tensor) -> Tensor | Mismatch:
    """``[n, d], [d] -> [n]``."""
    return _of_ranks(input, vec, 2, 1)


@op(*both("dot"))
def dot(input: Tensor, tensor: Tensor) -> Tensor | Mismatch:
    """``[d], [d] -> []``."""
    return _of_ranks(input, tensor, 1, 1)


@op(*both("vdot"))
def vdot(input: Tensor, other: Tensor) -> Tensor | Mismatch:
    """``[d], [d] -> []``."""
    return _of_ranks(input, other, 1, 1)


@op(*both("bmm"))
def bmm(input: Tensor, mat2: Tensor) -> Tensor | Mismatch:
    """``[b, n, d], [b, d, m] -> [b, n, m]``."""
    left, right = input.shape, mat2.shape
    fault = exact_rank(left, 3) or exact_rank(right, 3)
    if fault is None and left.rank == right.rank == 3:
        fault = contract(left, 0, right, 0)
    if fault is None and behind(left) and behind(right) >= 2:
        fault = contract(left, len(left) - 1, right, len(right) - 2)
    if fault is not None:
        return fault
    if left.rank != 3 or right.rank != 3:
        return Tensor(Shape.unknown(), promoted(input, mat2), input.kind)
    return Tensor(Shape((left[0], left[1], right[2])), promoted(input, mat2), input.kind)


@op(*both("outer ger"))
def outer(input: Tensor, vec2: Tensor) -> Tensor | Mismatch:
    """``[n], [m] -> [n, m]``."""
    fault = exact_rank(input.shape, 1) or exact_rank(vec2.shape, 1)
    if fault is not None:
        return fault
    if input.shape.rank is None or vec2.shape.rank is None:
        return Tensor(Shape.unknown(), promoted(input, vec2), input.kind)
    return Tensor(Shape((*input.shape, *vec2.shape)), promoted(input, vec2), input.kind)


@op(*both("inner"))
def inner(input: Tensor, other: Tensor) -> Tensor | Mismatch:
    """``[*a, d], [*b, d] -> [*a, *b]``."""
    left, right = input.shape, other.shape
    dtype = promoted(input, other)
    if not left.axes or not right.axes:
        return Tensor(right if not left.axes else left, dtype, input.kind)
    fault = contract(left, len(left) - 1, right, len(right) - 1)
    if fault is not None:
        return fault
    if left.rank is None or right.rank is None:
        return Tensor(Shape.unknown(), dtype, input.kind)
    return Tensor(Shape((*left.axes[:-1], *right.axes[:-1])), dtype, input.kind)


def _added(input: Tensor, result: Tensor | Mismatch) -> Tensor | Mismatch:
    """``input`` is expanded to a product and added to it."""
    if isinstance(result, Mismatch):
        return result
    return written(result, input)


@op(*both("addmm"))
def addmm(input: Tensor, mat1: Tensor, mat2: Tensor, *, beta: object = None, alpha: object = None) -> Tensor | Mismatch:
    """``[m], [n, d], [d, m] -> [n, m]``."""
    return _added(input, mm(mat1, mat2))


@op(*both("addmv"))
def addmv(input: Tensor, mat: Tensor, vec: Tensor, *, beta: object = None, alpha: object = None) -> Tensor | Mismatch:
    """``[n], [n, d], [d] -> [n]``."""
    return _added(input, mv(mat, vec))


@op(*both("addr"))
def addr(input: Tensor, vec1: Tensor, vec2: Tensor, *, beta: object = None, alpha: object = None) -> Tensor | Mismatch:
    """``[n, m], [n], [m] -> [n, m]``."""
    return _added(input, outer(vec1, vec2))


@op(*both("baddbmm"))
def baddbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: object = None, alpha: object = None
) -> Tensor | Mismatch:
    """``[m], [b, n, d], [b, d, m] -> [b, n, m]``."""
    return _added(input, bmm(batch1, batch2))


@op(*both("addbmm"))
def addbmm(
    input: Tensor, batch1: Tensor, batch2: Tensor, *, beta: object = None, alpha: object = None
) -> Tensor | Mismatch:
    """``[m], [b, n, d], [b, d, m] -> [n, m]``; summed over the batch."""
    result = bmm(batch1, batch2)
    if isinstance(result, Mismatch):
        return result
    if result.shape.rank != 3:
        return result.reshaped(Shape.unknown())
    return _added(input, result.reshaped(Shape(result.shape.axes[1:])))


@op("torch.chain_matmul")
def chain_matmul(*matrices: Tensor) -> Tensor | Mismatch | Unknown:
    """``[a, b], [b, c], .. -> [a, z]``."""
    return multi_dot(list(matrices))


@op("torch.linalg.multi_dot")
def multi_dot(tensors: Tensors) -> Tensor | Mismatch | Unknown:
    """``[a, b], [b, c], .. -> [a, z]``; the first and the last may be vectors."""
    if not tensors:
        return Unknown("no matrices")
    result: Tensor | Mismatch = tensors[0]
    for tensor in tensors[1:]:
        if isinstance(result, Mismatch):
            return result
        result = matmul(result, tensor)
    return result


@op("torch.tensordot", "torch.functional.tensordot")
def tensordot(a: Tensor, b: Tensor, dims: AnyValue | None = None) -> Tensor | Mismatch | Unknown:
    """``[*a, *c], [*c, *b] -> [*a, *b]`` over the last and first axes, or over given ones."""
    pairs = _tensordot_axes(a.shape, b.shape, dims)
    dtype = promoted(a, b)
    if isinstance(pairs, (Mismatch, Unknown)):
        return pairs
    if pairs is None:
        return Tensor(Shape.unknown(), dtype, a.kind)
    left, right = pairs
    for one, other in zip(left, right, strict=True):
        fault = contract(a.shape, one, b.shape, other, ones=True)
        if fault is not None:
            return fault
    return Tensor(Shape((*a.shape.without(left), *b.shape.without(right))), dtype, a.kind)


def _tensordot_axes(
    a: Shape, b: Shape, dims: AnyValue | None
) -> tuple[list[int], list[int]] | Mismatch | Unknown | None:
    if a.rank is None or b.rank is None:
        return None
    if isinstance(dims, Sequence) and len(dims.items) == 2:
        first, second = [ints_of(item) for item in dims.items if not isinstance(item, Rest)]
    else:
        count = 2 if dims is None else scope().normal(dims).constant if isinstance(dims, Dim) else None
        if count is None:
            return Unknown("the contracted axes are not known")
        if count > min(a.rank, b.rank):
            return Mismatch(Fault.RANK, left_shape=a if a.rank < count else b, detail=f"at least {count}")
        first, second = list(range(a.rank - count, a.rank)), list(range(count))
    if isinstance(first, Unknown) or isinstance(second, Unknown):
        return Unknown("the contracted axes are not known")
    left, right = locate(a, first), locate(b, second)
    if isinstance(left, Mismatch):
        return left
    if isinstance(right, Mismatch):
        return right
    if left is None or right is None:
        return None
    if len(left) != len(right):
        return Mismatch(Fault.RANK, left_shape=a, right_shape=b, detail=f"{len(left)} and {len(right)} contracted axes")
    return left, right


@op(*both("kron"))
def kron(input: Tensor, other: Tensor) -> Tensor:
    """``[a, b], [c, d] -> [a*c, b*d]``; missing axes are 1."""
    left, right = input.shape, other.shape
    dtype = promoted(input, other)
    if left.rank is None or right.rank is None:
        return Tensor(Shape.unknown(), dtype, input.kind)
    found: list[Axis | Rest] = []
    for back in range(max(left.rank, right.rank), 0, -1):
        axes = [shape[len(shape) - back] for shape in (left, right) if back <= len(shape)]
        found.append(axes[0] if len(axes) == 1 else merged(axes, scope()))
    return Tensor(Shape(found), dtype, input.kind)


@op("torch.cdist", "torch.functional.cdist")
def cdist(x1: Tensor, x2: Tensor, p: object = None, compute_mode: object = None) -> Tensor | Mismatch:
    """``[.., n, d], [.., m, d] -> [.., n, m]``."""
    left, right = x1.shape, x2.shape
    fault = at_least(left, 2) or at_least(right, 2) or contract(left, len(left) - 1, right, len(right) - 1)
    if fault is not None:
        return fault
    if behind(left) < 2 or behind(right) < 2:
        return Tensor(Shape.unknown(), "float", x1.kind)
    batch = batched(left, right, 2)
    if isinstance(batch, Mismatch):
        return batch
    return Tensor(Shape((*batch, left.axes[-2], right.axes[-2])), "float", x1.kind)
