"""torch's own sample inputs (``op_db``, ``module_db``) as abstract arguments, and the names of the rules for them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch

from shapecheck import ops
from shapecheck.dims import Dim, Symbol
from shapecheck.shapes import (
    ELLIPSIS,
    NONE,
    Axis,
    Constant,
    Context,
    Mismatch,
    Sequence,
    Shape,
    Slice,
    Tensor,
    Unknown,
    use,
)
from tests.oracle.harness import compare, family

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ops.load_all()

DTYPES = (torch.float32, torch.int64, torch.bool, torch.complex64)

ROUNDED = {"chunk", "unsafe_chunk", "tensor_split", "diff"}
"""Operations whose rule takes a division to be exact, or an axis to be long enough."""

ARRANGED = {
    "einsum": lambda operands, equation: (equation, operands),
    "nn.functional.embedding": lambda weight, indices: (indices, weight),
    "nn.functional.embedding_bag": lambda weight, indices: (indices, weight),
    "special.polygamma": lambda tensor, order: (order, tensor),
}
"""The arguments of an operation where the samples hold them in another order."""

OPERATORS = {"__getitem__": "operator.getitem", "__rmatmul__": "operator.matmul"}
"""Entries of ``op_db`` that Python spells as an operator."""

REFLECTED = {
    "__radd__": "add", "__rdiv__": "truediv", "__rmul__": "mul", "__rand__": "and_", "__ror__": "or_",
    "__rxor__": "xor", "__rmatmul__": "matmul", "__rmod__": "mod", "__rpow__": "pow", "__rsub__": "sub",
}
"""Entries that take the right operand first."""


class Sizes:
    """How sizes are written: as numbers, or each size from 2 on as a symbol of its own."""

    def __init__(self, *, symbolic: bool) -> None:
        self.symbolic = symbolic
        self.symbols: dict[int, Symbol] = {}

    def __call__(self, size: int) -> Dim:
        if not self.symbolic or size < 2:
            return Dim.of(size)
        return Dim.of(self.symbols.setdefault(size, Symbol(f"S{size}")))

    @property
    def values(self) -> dict[Symbol, int]:
        """What each symbol stands for."""
        return {symbol: size for size, symbol in self.symbols.items()}


def abstract(value: Any, sizes: Sizes) -> Any:
    """A real argument as an abstract value; integers stay numbers."""
    if isinstance(value, torch.Tensor):
        return Tensor(Shape([Axis.of(sizes(size)) for size in value.shape]), family(value.dtype))
    if isinstance(value, (list, tuple)):
        return Sequence([abstract(item, sizes) for item in value], "list" if isinstance(value, list) else "tuple")
    if isinstance(value, slice):
        bounds = value.start, value.stop, value.step
        return Slice(*[None if bound is None else abstract(bound, sizes) for bound in bounds])
    if value is None:
        return NONE
    if value is ...:
        return ELLIPSIS
    if isinstance(value, int) and not isinstance(value, bool):
        return Dim.of(value)
    if isinstance(value, (bool, float, complex, str)):
        return Constant(value)
    if isinstance(value, (torch.dtype, torch.device)):
        return Constant(str(value))
    return Unknown("an argument of the sample")


@dataclass
class Agreement:
    """How often a rule gave torch's shape, did not know it, or refused a symbolic call with numbers in it."""

    known: int = 0
    unknown: int = 0
    symbolic: int = 0

    def add(self, other: Agreement) -> None:
        """Count another call's as well."""
        self.known += other.known
        self.unknown += other.unknown
        self.symbolic += other.symbolic


def quietly(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The result of a call, or the exception that it raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return function(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - torch raises many kinds
            return error


def compare_call(
    rule: Callable[[list[Any], dict[str, Any]], Any], args: tuple[Any, ...], kwargs: dict[str, Any], real: Any,
    where: str,
) -> Agreement:
    """Compare a rule with the real result of the same call, with numbers and with symbols.

    Raises:
        AssertionError: the rule refuses the call or gives another result.
    """
    found = Agreement()
    for symbolic in (False,) if where.rpartition(".")[2] in ROUNDED else (False, True):
        sizes = Sizes(symbolic=symbolic)
        previous = use(Context())
        try:
            given = [abstract(value, sizes) for value in args]
            named = {name: abstract(value, sizes) for name, value in kwargs.items()}
            result = rule(given, named)
            shown = f"{where}({', '.join(map(repr, given))}, {named})"
            if isinstance(result, Mismatch) and (_is_empty((args, kwargs)) or (symbolic and _is_tied(args, kwargs))):
                continue
            compare(result, real, sizes.values, shown, known=False)
        finally:
            use(previous)
        if isinstance(result, Unknown) or (isinstance(result, Tensor) and result.shape.rest is not None):
            found.unknown += not symbolic
        elif symbolic:
            found.symbolic += 1
        else:
            found.known += 1
    return found


def leaves(value: Any) -> Iterator[Any]:
    """Every value inside nested sequences and mappings."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from leaves(item)
    else:
        yield value


def _is_empty(arguments: Any) -> bool:
    """Whether a tensor has no elements, where torch is lenient about ranks."""
    return any(isinstance(leaf, torch.Tensor) and leaf.numel() == 0 for leaf in leaves(arguments))


def _is_tied(*arguments: Any) -> bool:
    """Whether a size is written out as a number, or is the product of others: symbols do not meet these."""
    found = list(leaves(list(arguments)))
    if any(isinstance(leaf, (slice, int)) and not isinstance(leaf, bool) for leaf in found):
        return True
    sizes = {size for leaf in found if isinstance(leaf, torch.Tensor) for size in leaf.shape if size > 1}
    return any(one * other in sizes for one in sizes for other in sizes)


def names_of(entry: Any) -> Iterator[str]:
    """The qualified names under which rules may stand for an entry of ``op_db``."""
    name = entry.name
    if name in OPERATORS:
        yield OPERATORS[name]
        return
    for alias in dict.fromkeys([name, *(alias.name for alias in entry.aliases)]):
        yield f"torch.{alias}"
        yield f"torch.Tensor.{alias}"
    if f"torch.{name}" not in ops.OPERATIONS and f"torch.Tensor.{name}" not in ops.OPERATIONS:
        yield f"torch.Tensor.{name}_"
