"""Functions of libraries that return plain numbers: ``numpy`` of numbers, ``random``, ``time``, ``torch.finfo``."""

from __future__ import annotations

from shapecheck.dims import Dim, Kind, Symbol
from shapecheck.shapes import AnyValue, Constant, Number, Rest, Sequence, Unknown
from shapecheck.static.builtins import as_size, builtin
from shapecheck.static.sequence_functions import BUILTINS
from shapecheck.static.values import LIMITS, External

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast

    from shapecheck.static.frame import Frame

__all__ = ["BUILTINS"]

_OF_NUMBERS = (
    "exp", "sqrt", "log", "log2", "log10", "log1p", "expm1", "sin", "cos", "tan", "tanh", "abs", "absolute", "power",
    "float32", "float64", "deg2rad", "rad2deg", "arctan", "arctan2", "arcsin", "arccos", "maximum", "minimum", "sign",
)  # fmt: skip


@builtin(*[f"numpy.{name}" for name in _OF_NUMBERS])
def _of_numbers(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del frame, node, kwargs
    if args and all(isinstance(arg, (Number, Dim)) or _is_number(arg) for arg in args):
        return Number("float")
    return Unknown("a numpy function of what may be an array")


def _is_number(value: AnyValue) -> bool:
    return isinstance(value, Constant) and isinstance(value.value, (float, bool, complex))


@builtin("numpy.prod")
def _product(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    """The number of elements, of a shape."""
    del node, kwargs
    sizes = frame.interpreter.settle(args[0]) if args else None
    if not isinstance(sizes, Sequence):
        return Unknown("a numpy function of what may be an array")
    total = Dim.of(1)
    for item in sizes.items:
        size = item.size if isinstance(item, Rest) else as_size(item)
        if size is None:
            return Number("float")
        total *= size
    return total


@builtin("random.random", "random.uniform", "random.gauss", "random.normalvariate", "time.time", "time.perf_counter",
         "time.monotonic")  # fmt: skip
def _float(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del frame, node, args, kwargs
    return Number("float")


@builtin("numpy.random.rand", "numpy.random.random", "numpy.random.randn")
def _drawn(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    """One number without a size, an array with one."""
    del frame, node
    return Unknown("a random array") if args or kwargs else Number("float")


@builtin("random.randint", "random.randrange", "builtins.ord", "builtins.hash", "builtins.id", "os.cpu_count")
def _integer(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del frame, node, args, kwargs
    return Dim.of(Symbol("number", Kind.OPAQUE))


@builtin("torch.finfo", "torch.iinfo")
def _limits(frame: Frame, node: ast.AST, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    del frame, node, args, kwargs
    return External(LIMITS)
