"""Linear algebra (``torch.linalg`` and its older twins): matrices are the last two axes, those before are a batch.

Systems of equations are in ``solvers``.
"""

from __future__ import annotations

from shapecheck.dims import Dim, No, minimum
from shapecheck.ops.pointwise import at_least_float, promoted
from shapecheck.ops.products import at_least, behind, exact_rank
from shapecheck.ops.registry import both, op
from shapecheck.shapes import (
    AnyValue,
    Axis,
    Fault,
    Mismatch,
    Rest,
    Sequence,
    Shape,
    Tensor,
    broadcast,
    require,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final


LINALG: Final = "torch.linalg."
THREE: Final = Dim.of(3)


def square(shape: Shape) -> Mismatch | None:
    """Require at least two axes, the last two equally long."""
    fault = at_least(shape, 2)
    if fault is not None or behind(shape) < 2:
        return fault
    last, other = len(shape) - 1, len(shape) - 2
    one, two = shape[other], shape[last]
    if isinstance(one, Rest) or isinstance(two, Rest):
        return None
    verdict = require(one.size, two.size)
    if isinstance(verdict, No):
        return Mismatch(
            Fault.SIZE, axis=other, other_axis=last, left=one.size, right=two.size, left_shape=shape, right_shape=shape,
            because=verdict.because,
        )
    return None


def ending(shape: Shape, *ends: Axis | Rest, drop: int = 2) -> Shape:
    """The batch axes with others in place of the last ones; unknown where the batch is hidden."""
    if behind(shape) < drop:
        return Shape((Rest(), *ends)) if not any(isinstance(end, Rest) for end in ends) else Shape.unknown()
    return Shape((*shape.axes[: len(shape) - drop], *ends))


def matrix(shape: Shape) -> tuple[Axis, Axis] | None:
    """The axes of rows and columns, where they are known."""
    if behind(shape) < 2:
        return None
    rows, columns = shape.axes[-2:]
    return (rows, columns) if isinstance(rows, Axis) and isinstance(columns, Axis) else None


def unknown(tensor: Tensor, dtype: str | None) -> Tensor:
    """A tensor of which only the dtype is known."""
    return Tensor(Shape.unknown(), dtype, tensor.kind)


SQUARE: Final = (
    LINALG + "inv", "torch.inverse", "torch.Tensor.inverse", LINALG + "matrix_exp", *both("matrix_exp cholesky"),
    LINALG + "cholesky", *both("cholesky_inverse"),
)


@op(*SQUARE)
def inverse(A: Tensor, *, upper: object = None) -> Tensor | Mismatch:
    """``[.., n, n] -> [.., n, n]``."""
    return square(A.shape) or Tensor(A.shape, at_least_float(A.dtype), A.kind)


@op(LINALG + "matrix_power", *both("matrix_power"))
def matrix_power(A: Tensor, n: object) -> Tensor | Mismatch:
    """``[.., n, n] -> [.., n, n]``."""
    return square(A.shape) or A


@op(LINALG + "inv_ex", LINALG + "cholesky_ex")
def inverse_ex(A: Tensor, *, upper: object = None, check_errors: object = None) -> Sequence | Mismatch:
    """``[.., n, n] -> [.., n, n], [..]``."""
    return square(A.shape) or Sequence([A, Tensor(ending(A.shape), "int", A.kind)])


@op(LINALG + "pinv", "torch.pinverse", "torch.Tensor.pinverse")
def pinv(A: Tensor, *others: object, **options: object) -> Tensor | Mismatch:
    """``[.., n, m] -> [.., m, n]``."""
    axes = matrix(A.shape)
    fault = at_least(A.shape, 2)
    if fault is not None:
        return fault
    if axes is None or any(isinstance(value, Tensor) for value in (*others, *options.values())):
        # Tolerances that are tensors broadcast with the batch.
        return unknown(A, A.dtype)
    return A.reshaped(ending(A.shape, axes[1], axes[0]))


@op(LINALG + "cond")
def cond(A: Tensor, *others: object) -> Tensor | Mismatch:
    """``[.., n, m] -> [..]``; a ratio of two lengths."""
    return at_least(A.shape, 2) or Tensor(ending(A.shape), "float", A.kind)


@op(LINALG + "det", *both("det logdet"))
def det(A: Tensor, *others: object) -> Tensor | Mismatch:
    """``[.., n, n] -> [..]``."""
    return square(A.shape) or Tensor(ending(A.shape), A.dtype, A.kind)


@op(LINALG + "slogdet", *both("slogdet"))
def slogdet(A: Tensor) -> Sequence | Mismatch:
    """``[.., n, n] -> [..], [..]``."""
    result = Tensor(ending(A.shape), None, A.kind)
    return square(A.shape) or Sequence([result, result], "tuple", fields=("sign", "logabsdet"))


@op(LINALG + "matrix_rank")
def matrix_rank(A: Tensor, *others: object, **options: object) -> Tensor | Mismatch:
    """``[.., n, m] -> [..]``."""
    return at_least(A.shape, 2) or Tensor(ending(A.shape), "int", A.kind)


@op(*both("trace"))
def trace(input: Tensor) -> Tensor | Mismatch:
    """``[n, m] -> []``."""
    return exact_rank(input.shape, 2) or input.reshaped(Shape(()))


@op(LINALG + "eigvals")
def eigvals(A: Tensor) -> Tensor | Mismatch:
    """``[.., n, n] -> [.., n]``."""
    return square(A.shape) or Tensor(ending(A.shape, *A.shape.axes[-1:]), "complex", A.kind)


@op(LINALG + "eigvalsh")
def eigvalsh(A: Tensor, UPLO: object = None) -> Tensor | Mismatch:
    """``[.., n, n] -> [.., n]``."""
    return square(A.shape) or Tensor(ending(A.shape, *A.shape.axes[-1:]), "float", A.kind)


@op(LINALG + "eig")
def eig(A: Tensor) -> Sequence | Mismatch:
    """``[.., n, n] -> [.., n], [.., n, n]``."""
    values = Tensor(ending(A.shape, *A.shape.axes[-1:]), "complex", A.kind)
    vectors = Tensor(A.shape, "complex", A.kind)
    return square(A.shape) or Sequence([values, vectors], "tuple", fields=("eigenvalues", "eigenvectors"))


@op(LINALG + "eigh")
def eigh(A: Tensor, UPLO: object = None) -> Sequence | Mismatch:
    """``[.., n, n] -> [.., n], [.., n, n]``."""
    values = Tensor(ending(A.shape, *A.shape.axes[-1:]), "float", A.kind)
    return square(A.shape) or Sequence([values, A], "tuple", fields=("eigenvalues", "eigenvectors"))


def _smaller(rows: Axis, columns: Axis) -> Axis:
    """The axis of singular values."""
    return rows if rows == columns else Axis.unfollowed(minimum(rows.size, columns.size))


@op(LINALG + "svdvals")
def svdvals(A: Tensor, *, driver: object = None) -> Tensor | Mismatch:
    """``[.., n, m] -> [.., min(n, m)]``."""
    fault, axes = at_least(A.shape, 2), matrix(A.shape)
    if fault is not None:
        return fault
    return unknown(A, "float") if axes is None else Tensor(ending(A.shape, _smaller(*axes)), "float", A.kind)


@op(LINALG + "svd")
def svd(A: Tensor, full_matrices: bool = True, *, driver: object = None) -> Sequence | Mismatch:
    """``[.., n, m] -> [.., n, n], [.., k], [.., m, m]`` with ``k = min(n, m)``; else ``n`` and ``m`` are ``k``."""
    fault, axes = at_least(A.shape, 2), matrix(A.shape)
    if fault is not None:
        return fault
    if axes is None:
        return Sequence([unknown(A, A.dtype), unknown(A, "float"), unknown(A, A.dtype)], fields=("U", "S", "Vh"))
    rows, columns = axes
    least = _smaller(rows, columns)
    left, right = (rows, columns) if full_matrices else (least, least)
    return Sequence(
        [
            A.reshaped(ending(A.shape, rows, left)),
            Tensor(ending(A.shape, least), "float", A.kind),
            A.reshaped(ending(A.shape, right, columns)),
        ],
        fields=("U", "S", "Vh"),
    )


@op(*both("svd"))
def old_svd(input: Tensor, some: bool = True, compute_uv: object = None) -> Sequence | Mismatch:
    """``[.., n, m] -> [.., n, k], [.., k], [.., m, k]`` with ``k = min(n, m)``."""
    result = svd(input, not some)
    if isinstance(result, Mismatch):
        return result
    left, values, right = result.items
    if isinstance(right, Tensor) and matrix(right.shape) is not None:
        right = right.reshaped(ending(right.shape, right.shape.axes[-1], right.shape.axes[-2]))
    return Sequence([left, values, right], fields=("U", "S", "V"))


@op(LINALG + "qr")
def qr(A: Tensor, mode: str = "reduced") -> Sequence | Mismatch:
    """``[.., n, m] -> [.., n, k], [.., k, m]`` with ``k = min(n, m)``, or ``n`` where ``mode`` is ``"complete"``."""
    fault, axes = at_least(A.shape, 2), matrix(A.shape)
    if fault is not None:
        return fault
    if axes is None or mode == "r":
        return Sequence([unknown(A, A.dtype), unknown(A, A.dtype)], fields=("Q", "R"))
    rows, columns = axes
    inner = rows if mode == "complete" else _smaller(rows, columns)
    results = [A.reshaped(ending(A.shape, rows, inner)), A.reshaped(ending(A.shape, inner, columns))]
    return Sequence(results, fields=("Q", "R"))


@op(*both("qr"))
def old_qr(input: Tensor, some: bool = True) -> Sequence | Mismatch:
    """``[.., n, m] -> [.., n, k], [.., k, m]`` with ``k = min(n, m)``."""
    return qr(input, "reduced" if some else "complete")


@op(LINALG + "lu_factor")
def lu_factor(A: Tensor, *, pivot: object = None) -> Sequence | Mismatch:
    """``[.., n, m] -> [.., n, m], [.., min(n, m)]``."""
    fault, axes = at_least(A.shape, 2), matrix(A.shape)
    if fault is not None:
        return fault
    pivots = Shape.unknown() if axes is None else ending(A.shape, _smaller(*axes))
    return Sequence([A, Tensor(pivots, "int", A.kind)], fields=("LU", "pivots"))


@op(LINALG + "lu")
def lu(A: Tensor, *, pivot: object = None) -> Sequence | Mismatch:
    """``[.., n, m] -> [.., n, n], [.., n, k], [.., k, m]`` with ``k = min(n, m)``."""
    fault, axes = at_least(A.shape, 2), matrix(A.shape)
    if fault is not None:
        return fault
    if axes is None:
        return Sequence([unknown(A, A.dtype) for _ in "PLU"], fields=("P", "L", "U"))
    rows, columns = axes
    least = _smaller(rows, columns)
    shapes = ending(A.shape, rows, rows), ending(A.shape, rows, least), ending(A.shape, least, columns)
    return Sequence([A.reshaped(shape) for shape in shapes], fields=("P", "L", "U"))


@op(LINALG + "cross")
def linalg_cross(input: Tensor, other: Tensor, *, dim: int = -1) -> Tensor | Mismatch:
    """``[.. 3 ..], [.. 3 ..] -> [.. 3 ..]``; of as many axes."""
    if input.shape.rank is not None and other.shape.rank not in {None, input.shape.rank}:
        return Mismatch(Fault.RANK, left_shape=other.shape, right_shape=input.shape, detail=str(input.shape.rank))
    return _cross(input, other, dim)


@op(*both("cross"))
def cross(input: Tensor, other: Tensor, dim: int | None = None) -> Tensor | Mismatch:
    """``[.. 3 ..], [.. 3 ..] -> [.. 3 ..]``; over the first axis of size 3 if none is named."""
    return _cross(input, other, dim)


def _cross(input: Tensor, other: Tensor, dim: int | None) -> Tensor | Mismatch:
    shape = broadcast(input.shape, other.shape)
    if isinstance(shape, Mismatch):
        return shape
    if dim is not None:
        for operand in (input.shape, other.shape):
            axis = operand.axis(dim)
            if isinstance(axis, Mismatch):
                return axis
            verdict = None if axis is None else require(axis.size, THREE)
            if isinstance(verdict, No):
                return Mismatch(
                    Fault.SIZE, axis=dim, left=verdict.left, right=THREE, left_shape=operand, because=verdict.because
                )
    return Tensor(shape, promoted(input, other), input.kind)


@op(LINALG + "vecdot")
def vecdot(x: Tensor, y: Tensor, *, dim: int = -1) -> Tensor | Mismatch:
    """``[.. a ..], [.. a ..] -> [..]``."""
    shape = broadcast(x.shape, y.shape)
    if isinstance(shape, Mismatch):
        return shape
    position = shape.position(dim)
    if isinstance(position, Mismatch):
        return position
    reduced = Shape.unknown() if position is None else shape.without([position])
    return Tensor(reduced, promoted(x, y), x.kind)


@op(LINALG + "householder_product", *both("orgqr"))
def householder_product(A: Tensor, tau: Tensor) -> Tensor | Mismatch:
    """``[.., n, m], [.., k] -> [.., n, m]``."""
    return at_least(A.shape, 2) or A


@op(LINALG + "lu_factor_ex")
def lu_factor_ex(A: Tensor, *, pivot: object = None, check_errors: object = None) -> Sequence | Mismatch:
    """``[.., n, m] -> [.., n, m], [.., min(n, m)], [..]``."""
    result = lu_factor(A)
    if isinstance(result, Mismatch):
        return result
    return Sequence([*result.items, Tensor(ending(A.shape), "int", A.kind)], fields=("LU", "pivots", "info"))


@op(LINALG + "ldl_factor")
def ldl_factor(A: Tensor, *, hermitian: object = None) -> Sequence | Mismatch:
    """``[.., n, n] -> [.., n, n], [.., n]``."""
    pivots = Tensor(ending(A.shape, *A.shape.axes[-1:]), "int", A.kind)
    return square(A.shape) or Sequence([A, pivots], fields=("LD", "pivots"))


@op(LINALG + "ldl_factor_ex")
def ldl_factor_ex(A: Tensor, *, hermitian: object = None, check_errors: object = None) -> Sequence | Mismatch:
    """``[.., n, n] -> [.., n, n], [.., n], [..]``."""
    pivots = Tensor(ending(A.shape, *A.shape.axes[-1:]), "int", A.kind)
    info = Tensor(ending(A.shape), "int", A.kind)
    return square(A.shape) or Sequence([A, pivots, info], fields=("LD", "pivots", "info"))


@op("torch.lu", "torch.functional.lu")
def old_lu(A: Tensor, pivot: object = None, get_infos: bool = False, out: object = None) -> Sequence | Mismatch:
    """``[.., n, m] -> [.., n, m], [.., min(n, m)]``."""
    result = lu_factor(A)
    if isinstance(result, Mismatch):
        return result
    return Sequence([*result.items, Tensor(ending(A.shape), "int", A.kind)] if get_infos else result.items)


@op("torch.Tensor.lu")
def lu_method(A: Tensor, pivot: object = None, get_infos: bool = False) -> Sequence | Mismatch:
    """``[.., n, m] -> [.., n, m], [.., min(n, m)]``."""
    return old_lu(A, pivot, get_infos)


@op("torch.lu_unpack")
def lu_unpack(
    LU_data: Tensor, LU_pivots: object, unpack_data: bool = True, unpack_pivots: bool = True
) -> AnyValue | Mismatch:
    """``[.., n, m], .. -> [.., n, n], [.., n, k], [.., k, m]`` with ``k = min(n, m)``."""
    if not (unpack_data and unpack_pivots):
        return Sequence([unknown(LU_data, None) for _ in "PLU"], fields=("P", "L", "U"))
    return lu(LU_data)


@op(*both("geqrf"))
def geqrf(input: Tensor) -> Sequence | Mismatch:
    """``[.., n, m] -> [.., n, m], [.., min(n, m)]``."""
    values = svdvals(input)
    if isinstance(values, Mismatch):
        return values
    return Sequence([input, Tensor(values.shape, input.dtype, input.kind)], fields=("a", "tau"))


@op("torch.svd_lowrank", "torch.pca_lowrank")
def svd_lowrank(A: Tensor, q: Dim | None = None, *others: object, **options: object) -> Sequence | Mismatch:
    """``[.., n, m], q -> [.., n, q], [.., q], [.., m, q]``."""
    fault, axes = at_least(A.shape, 2), matrix(A.shape)
    if fault is not None:
        return fault
    if axes is None or q is None:
        return Sequence([unknown(A, A.dtype) for _ in "USV"])
    inner = Axis.of(q)
    shapes = ending(A.shape, axes[0], inner), ending(A.shape, inner), ending(A.shape, axes[1], inner)
    return Sequence([A.reshaped(shape) for shape in shapes])
