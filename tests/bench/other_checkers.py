"""The functions of `call_time.py` under other checkers of shapes, as far as they are installed; none is required.

What each looks at differs: eincheck and check_shapes know no dtypes, and typeguard (version 4 refuses jaxtyping's shape
strings) only that an argument is a tensor.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any

from torch import Tensor

if TYPE_CHECKING:
    from collections.abc import Callable

TWO = ["B T D", "D E"], "B T E"
FOUR = ["B H T D", "B H S D", "B H S E", "T S"], "B H T E"


def variants(two: Callable[..., Any], four: Callable[..., Any]) -> list[dict[str, Callable[..., Any]]]:
    """For the functions of two and of four tensors, the decorated ones by the checker's name."""
    found: list[dict[str, Callable[..., Any]]] = [{}, {}]
    for name, decorate in CHECKERS.items():
        if find_spec(name) is not None:
            for function, (shapes, returns), row in ((two, TWO, found[0]), (four, FOUR, found[1])):
                row[name] = decorate(function, shapes, returns)
    return found


def eincheck(function: Callable[..., Any], shapes: list[str], returns: str) -> Callable[..., Any]:
    """Shapes in one string, in the order of the arguments."""
    from eincheck import check_func

    return check_func(f"{', '.join(shapes)} -> {returns}")(function)


def check_shapes(function: Callable[..., Any], shapes: list[str], returns: str) -> Callable[..., Any]:
    """One string per argument, with its name."""
    import check_shapes as package

    package.install_torch_integration()
    names = [*function.__code__.co_varnames[: len(shapes)], "return"]
    specs = [f"{name}: [{shape.replace(' ', ', ')}]" for name, shape in zip(names, [*shapes, returns], strict=True)]
    return package.check_shapes(*specs)(function)


def dltype(function: Callable[..., Any], shapes: list[str], returns: str) -> Callable[..., Any]:
    """Annotations of its own."""
    from dltype import FloatTensor, dltyped

    def annotation(shape: str) -> Any:
        return Annotated[Tensor, FloatTensor[shape]]

    return dltyped()(annotated(function, list(map(annotation, shapes)), annotation(returns)))


def typeguard(function: Callable[..., Any], shapes: list[str], returns: str) -> Callable[..., Any]:
    """The function compiled once more from its source, here one with classes for annotations."""
    from typeguard import typechecked

    return typechecked(with_classes_two if len(shapes) == 2 else with_classes_four)


def with_classes_two(x: Tensor, w: Tensor, out) -> Tensor:
    return out


def with_classes_four(q: Tensor, k: Tensor, v: Tensor, mask: Tensor, out) -> Tensor:
    return out


def annotated(function: Callable[..., Any], hints: list[Any], returns: Any) -> Callable[..., Any]:
    """A copy of a function with other annotations."""
    import types

    copy = types.FunctionType(function.__code__, function.__globals__, function.__name__)
    names = function.__code__.co_varnames[: len(hints)]
    copy.__annotations__ = {**dict(zip(names, hints, strict=True)), "return": returns}
    return copy


CHECKERS = {"eincheck": eincheck, "check_shapes": check_shapes, "dltype": dltype, "typeguard": typeguard}
