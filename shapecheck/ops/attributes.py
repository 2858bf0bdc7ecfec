"""Attributes of tensors, questions about them (``size``, ``item``) and conversions that keep the shape.

What only the elements or the machine tell (devices, addresses) is a ``Number`` of that name; the dtype of a tensor is a
``Number`` called ``dtype float``, so that ``x.to(y.dtype)`` keeps the family.
"""

from __future__ import annotations

from shapecheck.dims import Dim
from shapecheck.ops.axes import opaque
from shapecheck.ops.registry import attribute, both, op
from shapecheck.ops.signature import family_of
from shapecheck.shapes import (
    FALSE,
    NONE,
    TRUE,
    AnyValue,
    Axis,
    Fault,
    Mismatch,
    Number,
    Opaque,
    Rest,
    Sequence,
    Shape,
    Tensor,
    Unknown,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from shapecheck.ops.signature import Dtype, Sizes

FLAGS: Final = (
    "is_cuda", "is_cpu", "is_leaf", "is_sparse", "is_sparse_csr", "is_quantized", "is_meta", "is_mps", "is_mkldnn",
    "is_nested", "requires_grad", "retains_grad",
)


def sizes_of_shape(shape: Shape) -> Sequence:
    """The sizes of a shape as ``torch.Size`` holds them; a ``Rest`` stays for the sizes of its axes."""
    return Sequence([axis if isinstance(axis, Rest) else axis.size for axis in shape], "tuple")


# -- attributes ------------------------------------------------------------------------------------------------------


@attribute("shape")
def shape_attribute(input: Tensor) -> AnyValue:
    """``[*s] -> sizes``."""
    return sizes_of_shape(input.shape)


@attribute("ndim")
def ndim_attribute(input: Tensor) -> AnyValue:
    """``[*s] -> number of axes``."""
    return _rank(input)


def _rank(input: Tensor) -> AnyValue:
    rank = input.shape.rank
    return opaque("ndim") if rank is None else Dim.of(rank)


@attribute("dtype")
def dtype_attribute(input: Tensor) -> AnyValue:
    """The dtype, of which the family may be known."""
    return Number("dtype" if input.dtype is None else f"dtype {input.dtype}")


@attribute("nbytes", "itemsize", "output_nr")
def storage_size(input: Tensor) -> AnyValue:
    """A number of the storage."""
    return opaque("storage")


@attribute("device", "layout", "grad_fn")
def machine_attribute(input: Tensor) -> AnyValue:
    """Where and how the elements are stored."""
    return Number("storage")


@attribute(*FLAGS)
def flag_attribute(input: Tensor) -> AnyValue:
    """A flag."""
    return Number("bool")


@attribute("data", "grad")
def data_attribute(input: Tensor) -> AnyValue:
    """``[*s] -> [*s]``; a gradient is taken to be there."""
    return input


@attribute("real", "imag")
def real_attribute(input: Tensor) -> AnyValue:
    """``[*s] -> [*s]``."""
    return real(input)


@attribute("T")
def reversed_axes(input: Tensor) -> AnyValue:
    """``[n, m] -> [m, n]``; of another rank all axes in reverse."""
    return input.reshaped(Shape(reversed(input.shape.axes)))


@attribute("mT", "mH")
def matrix_transpose(input: Tensor) -> AnyValue | Mismatch:
    """``[.., n, m] -> [.., m, n]``."""
    axes = input.shape.axes
    if input.shape.rest is None and len(axes) < 2:
        return Mismatch(Fault.RANK, left_shape=input.shape, detail="at least 2")
    if input.shape.rest is not None and input.shape.rest > len(axes) - 3:
        return input.reshaped(Shape.unknown())
    return input.reshaped(Shape((*axes[:-2], axes[-1], axes[-2])))


@attribute("H")
def conjugate_transpose(input: Tensor) -> AnyValue | Mismatch:
    """``[n, m] -> [m, n]``."""
    rank = input.shape.rank
    if rank is not None and rank not in {0, 2}:
        return Mismatch(Fault.RANK, left_shape=input.shape, detail="2")
    return input.reshaped(Shape(reversed(input.shape.axes)))


# -- questions -------------------------------------------------------------------------------------------------------


@op("torch.Tensor.size")
def size(input: Tensor, dim: int | None = None) -> AnyValue | Mismatch:
    """``[*s] -> sizes``, or the size of one axis."""
    if dim is None:
        return sizes_of_shape(input.shape)
    if not input.shape.axes:
        return Mismatch(Fault.AXIS_RANGE, axis=dim, left_shape=input.shape)
    axis = input.shape.axis(dim)
    if isinstance(axis, Mismatch):
        return axis
    return opaque("size") if axis is None else axis.size


@op("torch.Tensor.dim", "torch.Tensor.ndimension")
def dim_(input: Tensor) -> AnyValue:
    """``[*s] -> number of axes``."""
    return _rank(input)


@op(*both("numel"), "torch.Tensor.nelement")
def numel(input: Tensor) -> AnyValue:
    """``[*s] -> number of elements``."""
    return input.shape.numel


@op("torch.Tensor.stride")
def stride(input: Tensor, dim: int | None = None) -> AnyValue | Mismatch:
    """``[*s] -> one step for each axis``."""
    if dim is not None:
        axis = input.shape.axis(dim)
        return axis if isinstance(axis, Mismatch) else opaque("stride")
    return Sequence([axis if isinstance(axis, Rest) else opaque("stride") for axis in input.shape], "tuple")


@op("torch.Tensor.item")
def item(input: Tensor) -> AnyValue:
    """``[] -> number``; also of a tensor whose axes are all 1."""
    return _scalar(input.dtype)


def _scalar(dtype: str | None) -> AnyValue:
    if dtype == "int":
        return opaque("item")
    return Number("number" if dtype is None else dtype)


@op("torch.Tensor.tolist")
def tolist(input: Tensor) -> AnyValue:
    """``[a, ..] -> nested lists``, where the number of elements is known."""
    return _nested(input.shape, input.dtype)


def _nested(shape: Shape, dtype: str | None) -> AnyValue:
    if not shape.axes:
        return _scalar(dtype)
    first = shape[0]
    length = first.size.constant if isinstance(first, Axis) else None
    if length is None or length > 64:
        return Unknown("a list of unknown length")
    return Sequence([_nested(Shape(shape.axes[1:]), dtype) for _ in range(length)], "list")


@op(*both("is_floating_point is_complex is_signed"))
def dtype_question(input: Tensor) -> AnyValue:
    """A flag of the dtype."""
    return Number("bool")


@op(*both("is_nonzero"))
def is_nonzero(input: Tensor) -> AnyValue:
    """Whether the one element is not 0."""
    return Number("bool")


@op("torch.is_tensor")
def is_tensor(obj: AnyValue) -> AnyValue:
    """Whether a value is a tensor."""
    if isinstance(obj, Unknown):
        return Number("bool")
    return TRUE if isinstance(obj, Tensor) else FALSE


@op("torch.Tensor.is_contiguous", "torch.Tensor.is_pinned", "torch.Tensor.is_shared")
def storage_question(input: Tensor, memory_format: object = None) -> AnyValue:
    """A flag of the storage."""
    return Number("bool")


@op("torch.Tensor.get_device", "torch.Tensor.data_ptr", "torch.Tensor.element_size", "torch.Tensor.storage_offset")
def storage_number(input: Tensor) -> AnyValue:
    """A number of the storage."""
    return opaque("storage")


@op("torch.Tensor.backward")
def backward(input: Tensor, *others: object, **options: object) -> AnyValue:
    """``[*s] -> None``."""
    return NONE


@op("torch.Tensor.retain_grad")
def retain_grad(input: Tensor) -> AnyValue:
    """``[*s] -> None``."""
    return NONE


# -- conversions -----------------------------------------------------------------------------------------------------

CASTS: Final = {
    "float": "float double half bfloat16",
    "int": "int long short char byte",
    "bool": "bool",
    "complex": "cfloat cdouble chalf",
}


def _cast(family: str) -> None:
    @op(*[f"torch.Tensor.{name}" for name in CASTS[family].split()])
    def cast(input: Tensor, memory_format: object = None) -> Tensor:
        """``[*s] -> [*s]``."""
        return Tensor(input.shape, family, input.kind)


for _family in CASTS:
    _cast(_family)


@op(
    *both("clone detach resolve_conj resolve_neg"),
    "torch.Tensor.contiguous", "torch.Tensor.cpu", "torch.Tensor.requires_grad_",
    "torch.Tensor.share_memory_", "torch.Tensor.to_dense",

)
def clone(input: Tensor, *others: object, **options: object) -> Tensor:
    """``[*s] -> [*s]``."""
    return input


@op("torch.Tensor.cuda", "torch.Tensor.xpu", "torch.Tensor.pin_memory")
def on_device(input: Tensor, *others: object, **options: object) -> Tensor:
    """``[*s] -> [*s]``."""
    return input


@op("torch.Tensor.numpy")
def numpy(input: Tensor, *, force: object = None) -> Tensor:
    """``[*s] -> [*s]``, an array."""
    return Tensor(input.shape, input.dtype, "numpy.ndarray")


def _may_be_a_dtype(value: object) -> bool:
    """Whether an argument may be a dtype of which nothing is known, as far as its name tells."""
    if isinstance(value, Number):
        return value.name == "dtype"
    return isinstance(value, Opaque) and "device" not in value.name.rpartition(".")[2]


@op("torch.Tensor.to")
def to(input: Tensor, *others: object, dtype: Dtype = "", **options: object) -> Tensor:
    """``[*s] -> [*s]``, in the dtype of an argument if one is a dtype or a tensor."""
    family = input.dtype if dtype == "" else dtype
    for value in others:
        if isinstance(value, Tensor):
            family = value.dtype
        elif isinstance(value, Unknown) or _may_be_a_dtype(value):
            family = None
        else:
            named = family_of(value)  # type: ignore[arg-type]  # an abstract value
            family = family if named is None else named
    return Tensor(input.shape, family, input.kind)


@op("torch.Tensor.type")
def type_(input: Tensor, dtype: AnyValue | None = None, non_blocking: object = None) -> AnyValue:
    """``[*s] -> [*s]`` in another dtype; without one, its name."""
    return Number("str") if dtype is None else Tensor(input.shape, family_of(dtype), input.kind)


@op("torch.Tensor.type_as")
def type_as(input: Tensor, other: Tensor) -> Tensor:
    """``[*s], [*any] -> [*s]``."""
    return Tensor(input.shape, other.dtype, input.kind)


@op("torch.real", "torch.imag")
def real(input: Tensor) -> Tensor:
    """``[*s] -> [*s]``."""
    return Tensor(input.shape, "float" if input.dtype == "complex" else input.dtype, input.kind)


@op("torch.Tensor.resize_")
def resize(input: Tensor, *sizes: Sizes, memory_format: object = None) -> Tensor:
    """``[*any], sizes -> [*sizes]``."""
    found: list[Dim | Rest] = list(sizes)  # type: ignore[arg-type]  # spread: each is a size
    return input.reshaped(Shape([size if isinstance(size, Rest) else Axis.of(size) for size in found]))


@op("torch.Tensor.resize_as_")
def resize_as(input: Tensor, other: Tensor, *, memory_format: object = None) -> Tensor:
    """``[*any], [*s] -> [*s]``."""
    return input.reshaped(other.shape)


@op("torch.Tensor.to_sparse", "torch.Tensor.to_sparse_coo")
def to_sparse(input: Tensor, *others: object, **options: object) -> Tensor:
    """``[*s] -> [*s]``."""
    return input


@op("torch.Tensor.__len__")
def length(input: Tensor) -> AnyValue | Mismatch:
    """``[a, ..] -> a``."""
    return size(input, 0)
