"""Systems of linear equations: ``[.., n, n], [.., n, k] -> [.., n, k]``."""

from __future__ import annotations

from shapecheck.dims import YES, No
from shapecheck.ops.linear_algebra import LINALG, ending, square, unknown
from shapecheck.ops.pointwise import promoted
from shapecheck.ops.products import at_least, batched, contract
from shapecheck.ops.registry import both, op
from shapecheck.shapes import AnyValue, Axis, Mismatch, Rest, Sequence, Shape, Tensor, scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.ops.signature import Ints


def _same_sizes(shape: Shape, axes: tuple[Axis | Rest, ...]) -> bool | None:
    """Whether the sizes are equal, one by one; None where it cannot be told."""
    verdicts = [
        scope().decide(one.size, other.size) for one, other in zip(shape.axes, axes, strict=True)
    ]
    if any(isinstance(verdict, No) for verdict in verdicts):
        return False
    return True if all(verdict is YES for verdict in verdicts) else None


@op(LINALG + "solve")
def solve(A: Tensor, B: Tensor, *, left: bool = True) -> Tensor | Mismatch:
    """``[.., n, n], [.., n, k] -> [.., n, k]``, or ``[.., n, n], [n] -> [.., n]``."""
    fault = square(A.shape)
    if fault is not None:
        return fault
    dtype = promoted(A, B)
    if A.shape.rank is None or B.shape.rank is None:
        return unknown(A, dtype)
    vectors = B.shape.rank == 1 or (B.shape.rank == A.shape.rank - 1 and _same_sizes(B.shape, A.shape.axes[:-1]))
    if vectors is None:
        return unknown(A, dtype)
    if vectors:
        fault = contract(A.shape, len(A.shape) - 1, B.shape, len(B.shape) - 1)
        return fault or Tensor(ending(A.shape, A.shape.axes[-1]), dtype, A.kind)
    fault = at_least(B.shape, 2) or contract(
        A.shape, len(A.shape) - 1, B.shape, len(B.shape) - (2 if left else 1)
    )
    if fault is not None:
        return fault
    batch = batched(A.shape, B.shape, 2)
    return batch if isinstance(batch, Mismatch) else Tensor(Shape((*batch, *B.shape.axes[-2:])), dtype, A.kind)


@op(LINALG + "solve_triangular")
def solve_triangular(
    A: Tensor, B: Tensor, *, upper: object, left: bool = True, unitriangular: object = None
) -> Tensor | Mismatch:
    """``[.., n, n], [.., n, k] -> [.., n, k]``."""
    fault = square(A.shape) or at_least(B.shape, 2)
    if fault is not None:
        return fault
    if A.shape.rank is None or B.shape.rank is None:
        return unknown(A, A.dtype)
    fault = contract(A.shape, len(A.shape) - 1, B.shape, len(B.shape) - (2 if left else 1))
    if fault is not None:
        return fault
    batch = batched(A.shape, B.shape, 2)
    return batch if isinstance(batch, Mismatch) else B.reshaped(Shape((*batch, *B.shape.axes[-2:])))


@op(*both("cholesky_solve"))
def cholesky_solve(input: Tensor, L: Tensor, upper: object = None) -> Tensor | Mismatch:
    """``[.., n, k], [.., n, n] -> [.., n, k]``."""
    return solve_triangular(L, input, upper=None)


@op(LINALG + "lstsq")
def lstsq(A: Tensor, B: Tensor, rcond: object = None, *, driver: object = None) -> Sequence | Mismatch:
    """``[.., n, m], [.., n, k] -> [.., m, k]`` with residuals, rank and singular values."""
    fault = at_least(A.shape, 2)
    if fault is not None:
        return fault
    solution = unknown(A, A.dtype)
    if A.shape.rank is not None and B.shape.rank == A.shape.rank:
        fault = contract(A.shape, len(A.shape) - 2, B.shape, len(B.shape) - 2)
        if fault is not None:
            return fault
        batch = batched(A.shape, B.shape, 2)
        if isinstance(batch, Mismatch):
            return batch
        solution = A.reshaped(Shape((*batch, A.shape.axes[-1], B.shape.axes[-1])))
    others = [unknown(A, None) for _ in range(3)]
    return Sequence([solution, *others], fields=("solution", "residuals", "rank", "singular_values"))


@op(LINALG + "tensorinv")
def tensorinv(A: Tensor, ind: int = 2) -> Tensor | Mismatch:
    """``[*a, *b] -> [*b, *a]`` with ``ind`` axes in ``a``."""
    if A.shape.rank is None:
        return unknown(A, A.dtype)
    return at_least(A.shape, ind) or A.reshaped(Shape((*A.shape.axes[ind:], *A.shape.axes[:ind])))


@op(LINALG + "tensorsolve")
def tensorsolve(A: Tensor, B: Tensor, dims: Ints | None = None) -> Tensor | Mismatch:
    """``[*b, *x], [*b] -> [*x]``."""
    if dims is not None or A.shape.rank is None or B.shape.rank is None:
        return unknown(A, A.dtype)
    return at_least(A.shape, B.shape.rank) or A.reshaped(Shape(A.shape.axes[B.shape.rank :]))


@op(LINALG + "solve_ex")
def solve_ex(A: Tensor, B: Tensor, *, left: bool = True, check_errors: object = None) -> AnyValue | Mismatch:
    """``[.., n, n], [.., n, k] -> [.., n, k], [..]``."""
    result = solve(A, B, left=left)
    return result if isinstance(result, Mismatch) else Sequence([result, unknown(A, "int")], fields=("result", "info"))


@op(LINALG + "lu_solve")
def lu_solve(
    LU: Tensor, pivots: object, B: Tensor, *, left: bool = True, adjoint: object = None
) -> Tensor | Mismatch:
    """``[.., n, n], .., [.., n, k] -> [.., n, k]``."""
    return solve_triangular(LU, B, upper=None, left=left)


@op(*both("lu_solve"))
def old_lu_solve(b: Tensor, LU_data: Tensor, LU_pivots: object) -> Tensor | Mismatch:
    """``[.., n, k], [.., n, n], .. -> [.., n, k]``."""
    return solve_triangular(LU_data, b, upper=None)


@op(LINALG + "ldl_solve")
def ldl_solve(LD: Tensor, pivots: object, B: Tensor, *, hermitian: object = None) -> Tensor | Mismatch:
    """``[.., n, n], .., [.., n, k] -> [.., n, k]``."""
    return solve_triangular(LD, B, upper=None)


@op(*both("triangular_solve"))
def triangular_solve(b: Tensor, A: Tensor, *others: object, **options: object) -> Sequence | Mismatch:
    """``[.., n, k], [.., n, n] -> [.., n, k], [.., n, n]``."""
    result = solve_triangular(A, b, upper=None)
    if isinstance(result, Mismatch):
        return result
    return Sequence([result, unknown(A, A.dtype)], fields=("solution", "cloned_coefficient"))


@op(*both("ormqr"))
def ormqr(input: Tensor, tau: object, other: Tensor, *others: object, **options: object) -> Tensor:
    """``[.., n, n], .., [.., n, k] -> [.., n, k]``."""
    return other
