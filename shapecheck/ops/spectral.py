"""Fourier transforms (``torch.fft``, ``stft``) and the windows used with them (``torch.signal.windows``)."""

from __future__ import annotations

from shapecheck.dims import ZERO, Dim, floordiv
from shapecheck.ops.axes import locate, opaque, sized
from shapecheck.ops.creation import made
from shapecheck.ops.products import exact_rank
from shapecheck.ops.registry import op
from shapecheck.shapes import FALSE, AnyValue, Axis, Fault, Mismatch, Rest, Shape, Tensor, scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from shapecheck.ops.signature import Dtype, Ints, Sizes

FFT: Final = "torch.fft."
TWO: Final = Dim.of(2)


def _half(size: Dim) -> Dim:
    return floordiv(size, TWO) + 1


def _same(size: Dim) -> Dim:
    return size


def _double(size: Dim) -> Dim:
    return (size - 1) * 2


Lengths = tuple["Callable[[Dim], Dim]", "Callable[[Dim], Dim]", str]

KINDS: Final[dict[str, Lengths]] = {
    "fft": (_same, _same, "complex"),
    "ifft": (_same, _same, "complex"),
    "rfft": (_half, _half, "complex"),
    "ihfft": (_half, _half, "complex"),
    "irfft": (_double, _same, "float"),
    "hfft": (_double, _same, "float"),
}
"""Of each transform: the length that an axis gets, the length that a given ``n`` stands for, and the dtype.

In transforms over several axes this is the last one's; the others keep theirs.
"""


def transform(kind: str, input: Tensor, dims: Ints, lengths: list[Dim | None]) -> Tensor | Mismatch:
    """The axes transformed, the last of them as the kind says; None keeps an axis' length."""
    own, given, dtype = KINDS[kind]
    positions = locate(input.shape, dims)
    if isinstance(positions, Mismatch):
        return positions
    if positions is None:
        return Tensor(Shape.unknown(), dtype, input.kind)
    shape = input.shape
    if not shape.axes:
        return Mismatch(Fault.AXIS_RANGE, axis=dims[0] if dims else None, left_shape=shape)
    for number, (position, length) in enumerate(zip(positions, lengths, strict=True)):
        axis = shape[position]
        if isinstance(axis, Rest):
            return Tensor(Shape.unknown(), dtype, input.kind)
        if number == len(positions) - 1:
            size = own(axis.size) if length is None else given(length)
        else:
            size = axis.size if length is None else length
        shape = shape.replaced(position, sized(axis, size))
    return Tensor(shape, dtype, input.kind)


def _kept(size: Dim | Rest) -> Dim | None:
    """A given length; -1 keeps the axis' own."""
    return None if isinstance(size, Rest) or scope().normal(size).constant == -1 else size


def _register(kind: str) -> None:
    @op(FFT + kind)
    def along_one(input: Tensor, n: Dim | None = None, dim: int = -1, norm: object = None) -> Tensor | Mismatch:
        """``[.. a ..] -> [.. f ..]``."""
        return transform(kind, input, [dim], [n])

    @op(FFT + kind + "2")
    def along_two(
        input: Tensor, s: Sizes | None = None, dim: Ints | None = None, norm: object = None
    ) -> Tensor | Mismatch:
        """``[.., a, b] -> [.., f, g]``."""
        dims = [-2, -1] if dim is None else dim
        return transform(kind, input, dims, _lengths(s, dims))

    @op(FFT + kind + "n")
    def along_several(
        input: Tensor, s: Sizes | None = None, dim: Ints | None = None, norm: object = None
    ) -> Tensor | Mismatch:
        """``[.. a .. b ..] -> [.. f .. g ..]``; over all axes, or as many of the last as lengths are given."""
        if dim is None:
            if s is None and input.shape.rank is None:
                return Tensor(Shape.unknown(), KINDS[kind][2], input.kind)
            dim = list(range(-(len(s) if s is not None else len(input.shape)), 0))
        return transform(kind, input, dim, _lengths(s, dim))


def _lengths(sizes: Sizes | None, dims: Ints) -> list[Dim | None]:
    if sizes is None or len(sizes) != len(dims):
        return [None] * len(dims)
    return [_kept(size) for size in sizes]


for _kind in KINDS:
    _register(_kind)


@op(FFT + "fftshift", FFT + "ifftshift")
def fftshift(input: Tensor, dim: Ints | None = None) -> Tensor | Mismatch:
    """``[*s] -> [*s]``."""
    found = locate(input.shape, dim or [])
    return found if isinstance(found, Mismatch) else input


@op(FFT + "fftfreq")
def fftfreq(n: Dim, d: object = None, *, dtype: Dtype = "float") -> Tensor | Mismatch:
    """``n -> [n]``."""
    return made([n], dtype)


@op(FFT + "rfftfreq")
def rfftfreq(n: Dim, d: object = None, *, dtype: Dtype = "float") -> Tensor | Mismatch:
    """``n -> [n // 2 + 1]``."""
    return made([_half(n)], dtype)


@op("torch.stft", "torch.Tensor.stft", "torch.functional.stft")
def stft(
    input: Tensor, n_fft: Dim, hop_length: Dim | None = None, win_length: object = None, window: object = None,
    center: bool = True, pad_mode: object = None, normalized: object = None, onesided: AnyValue | None = None,
    return_complex: AnyValue | None = None,
) -> Tensor | Mismatch:
    """``[b, n] -> [b, n_fft // 2 + 1, n // hop_length + 1]``; real and imaginary parts apart on an axis of 2."""
    fault = exact_rank(input.shape, 1, 2)
    if fault is not None:
        return fault
    axes = input.shape.axes
    if not isinstance(axes[-1], Axis):
        return Tensor(Shape.unknown())
    hop = floordiv(n_fft, Dim.of(4)) if hop_length is None else hop_length
    width = scope().normal(n_fft).constant
    odd = width is not None and width % 2 == 1
    length = axes[-1].size - int(odd) if center else axes[-1].size - n_fft
    whole = onesided == FALSE or input.dtype == "complex"
    frames = opaque("frames") if scope().normal(hop) == ZERO else floordiv(length, hop) + 1
    found: list[Axis | Rest] = [*axes[:-1], Axis.of(n_fft if whole else _half(n_fft)), axes[-1].resized(frames)]
    if return_complex == FALSE:
        return Tensor(Shape([*found, Axis.of(TWO)]), "float", input.kind)
    return Tensor(Shape(found), "complex", input.kind)


@op("torch.istft", "torch.Tensor.istft", "torch.functional.istft")
def istft(
    input: Tensor, n_fft: Dim, hop_length: Dim | None = None, win_length: object = None, window: object = None,
    center: object = None, normalized: object = None, onesided: object = None, length: Dim | None = None,
    return_complex: object = None,
) -> Tensor | Mismatch:
    """``[b, f, t] -> [b, n]``, of ``length`` or of a length that the frames give."""
    fault = exact_rank(input.shape, 2, 3)
    if fault is not None:
        return fault
    if input.shape.rank is None:
        return Tensor(Shape.unknown())
    size = opaque("length") if length is None else length
    return Tensor(Shape([*input.shape.axes[:-2], Axis.of(size)]), None, input.kind)


WINDOWS: Final = (
    "bartlett blackman cosine exponential gaussian general_cosine general_hamming hamming hann kaiser nuttall"
)


@op(*[f"torch.signal.windows.{name}" for name in WINDOWS.split()])
def window(M: Dim, *others: object, **options: object) -> Tensor | Mismatch:
    """``n -> [n]``."""
    return made([M], "float")
