"""New tensors: ``sizes -> [*sizes]``, ``[*s] -> [*s]`` for the ``_like`` family, and random fillings."""

from __future__ import annotations

from shapecheck.dims import ONE, Dim, Kind, Symbol, floordiv
from shapecheck.ops.pointwise import elementwise, promoted
from shapecheck.ops.registry import op
from shapecheck.ops.signature import sizes_of
from shapecheck.shapes import (
    AnyValue,
    Axis,
    Constant,
    Fault,
    Mismatch,
    Number,
    Rest,
    Sequence,
    Shape,
    Tensor,
    Unknown,
    scope,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from shapecheck.ops.signature import Dtype, Operand, Sizes

OWN: Final = "the operand's"
"""Default of a dtype that is taken from the operand."""


def made(sizes: list[Dim | Rest], dtype: str | None) -> Tensor | Mismatch:
    """A new tensor of the given sizes."""
    for position, size in enumerate(sizes):
        number = None if isinstance(size, Rest) else scope().normal(size).constant
        if number is not None and number < 0:
            return Mismatch(Fault.SIZE, axis=position, left=Dim.of(number), right=Dim.of(0), detail="negative")
    _note_beside(sizes)
    return Tensor(Shape([size if isinstance(size, Rest) else Axis.of(size) for size in sizes]), dtype)


def _note_beside(sizes: list[Dim | Rest]) -> None:
    """Who makes an ``[n, 3]`` of a parameter and a number means no 3 by the parameter."""
    plain = [size for size in sizes if not isinstance(size, Rest)]
    numbers = [number for number in [size.constant for size in plain] if number is not None and number > 1]
    for size in plain if numbers else ():
        symbol = size.symbol
        if symbol is not None and symbol.kind is Kind.FLEXIBLE and symbol.owner is not None and symbol.default is None:
            for number in numbers:
                scope().write_beside(symbol, number)


@op("torch.zeros", "torch.ones", "torch.empty", "torch.rand", "torch.randn")
def zeros(*size: Sizes, dtype: Dtype = "float") -> Tensor | Mismatch:
    """``sizes -> [*sizes]``."""
    return made(list(size), dtype)  # type: ignore[arg-type]  # spread: each is a size


@op("torch.full")
def full(size: Sizes, fill_value: Operand, *, dtype: Dtype = OWN) -> Tensor | Mismatch:
    """``sizes, [] -> [*sizes]``."""
    return made(size, fill_value.dtype if dtype == OWN else dtype)


@op("torch.empty_strided")
def empty_strided(size: Sizes, stride: object, *, dtype: Dtype = "float") -> Tensor | Mismatch:
    """``sizes -> [*sizes]``."""
    return made(size, dtype)


@op(
    "torch.Tensor.new_zeros", "torch.Tensor.new_ones", "torch.Tensor.new_empty",
)
def new_zeros(input: Tensor, *size: Sizes, dtype: Dtype = OWN) -> Tensor | Mismatch:
    """``[*any], sizes -> [*sizes]``."""
    return made(list(size), input.dtype if dtype == OWN else dtype)  # type: ignore[arg-type]  # spread: each is a size


@op("torch.empty_permuted")
def empty_permuted(size: Sizes, physical_layout: object, *, dtype: Dtype = "float") -> Tensor | Mismatch:
    """``sizes -> [*sizes]``."""
    return made(size, dtype)


@op("torch.Tensor.new_full")
def new_full(input: Tensor, size: Sizes, fill_value: object, *, dtype: Dtype = OWN) -> Tensor | Mismatch:
    """``[*any], sizes -> [*sizes]``."""
    return made(size, input.dtype if dtype == OWN else dtype)


@op("torch.Tensor.new_empty_strided")
def new_empty_strided(input: Tensor, size: Sizes, stride: object, *, dtype: Dtype = OWN) -> Tensor | Mismatch:
    """``[*any], sizes -> [*sizes]``."""
    return made(size, input.dtype if dtype == OWN else dtype)


@op(
    "torch.zeros_like", "torch.ones_like", "torch.empty_like", "torch.rand_like", "torch.randn_like",
)
def zeros_like(input: Tensor, *, dtype: Dtype = OWN) -> Tensor:
    """``[*s] -> [*s]``."""
    return input if dtype == OWN else Tensor(input.shape, dtype, input.kind)


@op("torch.full_like")
def full_like(input: Tensor, fill_value: object, *, dtype: Dtype = OWN) -> Tensor:
    """``[*s] -> [*s]``."""
    return input if dtype == OWN else Tensor(input.shape, dtype, input.kind)


@op("torch.randint_like")
def randint_like(input: Tensor, low: object = None, high: object = None, *, dtype: Dtype = OWN) -> Tensor:
    """``[*s] -> [*s]``."""
    return input if dtype == OWN else Tensor(input.shape, dtype, input.kind)


@op("torch.randint")
def randint(
    *bounds: object, low: object = None, high: object = None, size: Sizes | None = None, dtype: Dtype = "int"
) -> Tensor | Mismatch | Unknown:
    """``low, high, sizes -> [*sizes]``."""
    if size is None:
        given = sizes_of(bounds[-1]) if bounds else Unknown("the arguments do not bind")  # type: ignore[arg-type]
        if isinstance(given, Unknown):
            return given
        size = given
    return made(size, dtype)


@op("torch.randperm")
def randperm(n: Dim, *, dtype: Dtype = "int") -> Tensor | Mismatch:
    """``n -> [n]``."""
    return made([n], dtype)


@op("torch.eye")
def eye(n: Dim, m: Dim | None = None, *, dtype: Dtype = "float") -> Tensor | Mismatch:
    """``n, m -> [n, m]``."""
    return made([n, n if m is None else m], dtype)


@op("torch.arange")
def arange(
    start: AnyValue | None = None, end: AnyValue | None = None, step: AnyValue = ONE, *, dtype: Dtype = OWN
) -> Tensor | Mismatch:
    """``start, end, step -> [ceil((end - start) / step)]``."""
    if end is None or (isinstance(end, Constant) and end.value is None):
        start, end = Dim.of(0), start
    bounds = [bound for bound in (start, end, step) if bound is not None]
    if dtype == OWN:
        dtype = _number_family(bounds)
    if isinstance(start, Dim) and isinstance(end, Dim) and isinstance(step, Dim):
        length, stride = end - start, scope().normal(step)
        if stride.constant is not None and stride.constant < 0:
            length, stride = -length, -stride
        if stride.constant != 0:
            return made([length if stride == ONE else floordiv(length + stride - 1, stride)], dtype)
    return Tensor(Shape([Axis.unfollowed(Dim.of(Symbol("arange", Kind.OPAQUE)))]), dtype)


def _number_family(values: list[AnyValue]) -> str | None:
    """The dtype that torch infers for Python numbers."""
    if all(isinstance(value, Dim) for value in values):
        return "int"
    if any(
        (isinstance(value, Number) and value.name == "float")
        or (isinstance(value, Constant) and isinstance(value.value, float))
        for value in values
    ):
        return "float"
    return None


@op("torch.linspace", "torch.logspace")
def linspace(
    start: object, end: object, steps: Dim, base: object = None, *, dtype: Dtype = "float"
) -> Tensor | Mismatch:
    """``start, end, n -> [n]``."""
    return made([steps], dtype)


@op(
    "torch.bartlett_window", "torch.blackman_window", "torch.hamming_window", "torch.hann_window",
    "torch.kaiser_window",
)
def window(window_length: Dim, *others: object, dtype: Dtype = "float") -> Tensor | Mismatch:
    """``n -> [n]``."""
    return made([window_length], dtype)


@op("torch.tril_indices", "torch.triu_indices")
def tril_indices(row: Dim, col: Dim, offset: object = None, *, dtype: Dtype = "int") -> Tensor:
    """``rows, columns -> [2, n]`` with the number of elements of a triangle."""
    count = Axis.unfollowed(Dim.of(Symbol("triangle", Kind.OPAQUE)))
    return Tensor(Shape([Axis.of(2), count]), dtype)


@op("torch.tensor")
def tensor(data: AnyValue, *, dtype: Dtype = OWN) -> Tensor:
    """Nested sequences of numbers: ``[len(data), len(data[0]), ...]``; of data that are not known, some tensor."""
    found = of_data(data)
    if isinstance(found, Unknown):
        found = Tensor(Shape.unknown())
    return found if dtype == OWN else Tensor(found.shape, dtype)


@op("torch.as_tensor", "torch.asarray", "torch.from_numpy")
def as_tensor(data: AnyValue, dtype: Dtype = OWN, device: object = None) -> Tensor:
    """``[*s] -> [*s]``, or as ``torch.tensor``."""
    return tensor(data, dtype=dtype)


@op("torch.scalar_tensor")
def scalar_tensor(s: Operand, *, dtype: Dtype = "float") -> Tensor:
    """``number -> []``."""
    return Tensor(Shape(()), dtype)


@op("torch.Tensor.new_tensor")
def new_tensor(input: Tensor, data: AnyValue, *, dtype: Dtype = OWN) -> Tensor:
    """As ``torch.tensor``, of the operand's dtype."""
    return tensor(data, dtype=input.dtype if dtype == OWN else dtype)


@op("torch.Tensor", "torch.FloatTensor", "torch.LongTensor", "torch.IntTensor", "torch.BoolTensor")
def legacy(*data: object) -> Tensor | Mismatch | Unknown:
    """Sizes, or nested sequences of numbers."""
    if len(data) == 1 and not isinstance(data[0], Dim):
        found = of_data(data[0])  # type: ignore[arg-type]  # an abstract value
        return found if isinstance(found, Unknown) else Tensor(found.shape)
    sizes = sizes_of(Sequence(data))  # type: ignore[arg-type]  # abstract values
    return sizes if isinstance(sizes, Unknown) else made(sizes, None)


def of_data(data: AnyValue | Rest) -> Tensor | Unknown:
    """The tensor of nested sequences of numbers."""
    if isinstance(data, Tensor):
        return data
    if isinstance(data, Dim):
        return Tensor(Shape(()), "int")
    if isinstance(data, Number):
        return Tensor(Shape(()), data.name if data.name in {"float", "bool"} else None)
    if isinstance(data, Constant):
        family = type(data.value).__name__
        return Tensor(Shape(()), family if family in {"float", "bool", "complex"} else None)
    if not isinstance(data, Sequence):
        return data if isinstance(data, Unknown) else Unknown("the data of a tensor are not known")
    if any(isinstance(item, Rest) for item in data.items):
        return Tensor(Shape([Axis.unfollowed(Dim.of(Symbol("length", Kind.OPAQUE)))]))
    items = [of_data(item) for item in data.items]
    known = [item for item in items if isinstance(item, Tensor)]
    length = Axis.of(len(items))
    if not items:
        return Tensor(Shape([length]), "float")
    if len(known) < len(items):
        return Tensor(Shape([length, Rest()]))
    return Tensor(Shape([length, *known[0].shape]), promoted(*known))


@op("torch.normal")
def normal(mean: Operand, std: Operand | None = None, size: Sizes | None = None) -> Tensor | Mismatch:
    """``[*a], [*b] -> broadcast``, or numbers and sizes ``-> [*sizes]``."""
    if size is not None:
        return made(size, "float")
    return elementwise("float", mean) if std is None else elementwise("float", mean, std)


@op("torch.fill")
def fill(input: Tensor, value: object) -> Tensor:
    """``[*s] -> [*s]``."""
    return input


@op("torch.alias_copy")
def alias_copy(input: Tensor) -> Tensor:
    """``[*s] -> [*s]``."""
    return input


@op("torch.bernoulli", "torch.Tensor.bernoulli", "torch.poisson")
def bernoulli(input: Tensor, p: object = None) -> Tensor:
    """``[*s] -> [*s]``."""
    return input


@op("torch.binomial")
def binomial(count: Tensor, prob: Tensor) -> Tensor:
    """``[*s], [*s] -> [*s]``."""
    return count


@op("torch.multinomial", "torch.Tensor.multinomial")
def multinomial(input: Tensor, num_samples: Dim, replacement: object = None) -> Tensor | Mismatch:
    """``[.., n], k -> [.., k]``; of one or two axes."""
    shape = input.shape
    if shape.rank is not None and shape.rank not in {1, 2}:
        return Mismatch(Fault.RANK, left_shape=shape, detail="1 or 2")
    if not isinstance(shape.axes[-1], Axis):
        return Tensor(Shape((Rest(), Axis.of(num_samples))), "int")
    return Tensor(Shape((*shape.axes[:-1], Axis.of(num_samples))), "int")


@op("torch.linalg.vander")
def linalg_vander(x: Tensor, *, N: Dim | None = None) -> Tensor:
    """``[.., n] -> [.., n, N]``."""
    return vander(x, N)


@op("torch.vander")
def vander(x: Tensor, N: Dim | None = None, increasing: object = None) -> Tensor:
    """``[.., n] -> [.., n, N]``."""
    axes = x.shape.axes
    if axes and isinstance(axes[-1], Axis):
        return Tensor(Shape((*axes, Axis.of(axes[-1].size if N is None else N))), None)
    return Tensor(Shape.unknown(), None)


FILLINGS: Final = (
    "bernoulli_ cauchy_ exponential_ fill_ fill_diagonal_ geometric_ log_normal_ normal_ random_ uniform_ zero_"
)
INITIALISERS: Final = (
    "constant_ dirac_ eye_ kaiming_normal_ kaiming_uniform_ normal_ ones_ orthogonal_ sparse_ trunc_normal_ uniform_ "
    "xavier_normal_ xavier_uniform_ zeros_"
)


@op(
    *[f"torch.Tensor.{name}" for name in FILLINGS.split()],
    *[f"torch.nn.init.{name}" for name in INITIALISERS.split()],
)
def filled(tensor: Tensor, *others: object, **options: object) -> Tensor:
    """``[*s] -> [*s]``: the tensor itself, with other elements."""
    return tensor
