"""From live annotation objects to the same hints as `source.py` gives.

jaxtyping is never imported: its classes are known by their attributes, and can only be here if somebody has loaded it.
"""

from __future__ import annotations

import sys
import types
import typing

from shapecheck.annotations.grammar import parse_shape
from shapecheck.annotations.hints import (
    ArrayHint,
    DictHint,
    InvalidHint,
    NoneHint,
    OtherHint,
    PyTreeHint,
    SequenceHint,
    TupleHint,
    UnionHint,
    union,
)
from shapecheck.annotations.names import MAPPINGS, SEQUENCES, TRANSPARENT, UNIONS, canonical
from shapecheck.annotations.spec import AnnotationError, ArraySpec, DtypeSpec

if typing.TYPE_CHECKING:
    from collections.abc import Callable

    from shapecheck.annotations.hints import Hint

    Evaluate: typing.TypeAlias = Callable[[str], object]


def hint_from_live(annotation: object, evaluate: Evaluate | None = None) -> Hint:
    """The hint that an evaluated annotation stands for; its nodes hold the objects they came from.

    `evaluate` gives the object behind a quoted part (`list["Float[Tensor, 'n']"]`) and may raise anything: the part is
    then an `InvalidHint` that says so. Without it, quoted parts stay `OtherHint`s.
    """
    if annotation is None or annotation is type(None):
        return NoneHint()
    if is_array_class(annotation):
        return _array(annotation)
    if is_pytree_class(annotation):
        leaf = getattr(annotation, "leaftype", typing.Any)
        return PyTreeHint(hint_from_live(leaf, evaluate), getattr(annotation, "structure", None) or "", annotation)
    if evaluate is not None and isinstance(annotation, (str, typing.ForwardRef)):
        return _quoted(annotation if isinstance(annotation, str) else annotation.__forward_arg__, evaluate)
    if type(annotation).__name__ == "TypeAliasType":  # `type X = ...` of Python 3.12
        return hint_from_live(annotation.__value__, evaluate)  # type: ignore[attr-defined]
    return _generic(annotation, evaluate)


def _quoted(text: str, evaluate: Evaluate) -> Hint:
    try:
        value = evaluate(text)
    except Exception as error:  # noqa: BLE001  # whatever the user's expression raises is the reason
        return InvalidHint(AnnotationError(f"{type(error).__name__}: {error}", 0, len(text)), text)
    if isinstance(value, str):
        return OtherHint(repr(value), "", (), value)
    return hint_from_live(value, evaluate)


def is_array_class(annotation: object) -> bool:
    """Whether this is what `Float[Tensor, "B T"]` evaluates to."""
    jaxtyping = sys.modules.get("jaxtyping")
    return (
        jaxtyping is not None
        and isinstance(annotation, type)
        and issubclass(annotation, jaxtyping.AbstractArray)
        and hasattr(annotation, "dim_str")
    )


def is_pytree_class(annotation: object) -> bool:
    """Whether this is jaxtyping's `PyTree[...]`."""
    return isinstance(annotation, type) and type(annotation).__name__ == "_MetaPyTree"


def qualified_name(value: object) -> str:
    """The qualified name ("torch.Tensor") of a class or a special form, "" for what has no name."""
    if value is typing.Any:
        return "typing.Any"
    module = getattr(value, "__module__", None)
    name = getattr(value, "__qualname__", None) or getattr(value, "_name", None)
    if not isinstance(module, str) or not isinstance(name, str):
        return ""
    return canonical(f"{module}.{name}")


def _array(annotation: typing.Any) -> Hint:
    shape = parse_shape(annotation.dim_str)
    if isinstance(shape, AnnotationError):
        return InvalidHint(shape, annotation.dim_str)
    names = []
    patterns = []
    dtypes = annotation.dtypes
    if not isinstance(dtypes, tuple):  # jaxtyping's sentinel for "any dtype"
        dtype = DtypeSpec(annotation.dtype.__name__, None)
    else:
        for accepted in dtypes:
            if isinstance(accepted, str):
                names.append(accepted)
            else:
                patterns.append(accepted.pattern)
        dtype = DtypeSpec(annotation.dtype.__name__, frozenset(names), tuple(patterns))
    array = qualified_name(annotation.array_type) or repr(annotation.array_type)
    return ArrayHint(ArraySpec(array, dtype, shape), None, annotation)


def _generic(annotation: typing.Any, evaluate: Evaluate | None) -> Hint:
    """What a type with arguments declares: a union, a tuple, a container; of any other the arguments are kept."""
    def inner(part: object) -> Hint:
        return hint_from_live(part, evaluate)

    origin = typing.get_origin(annotation)
    if origin is None:
        if type(annotation).__name__ == "InitVar":  # a parameter of a dataclass that is no field
            return inner(annotation.type)
        return OtherHint(_text(annotation), qualified_name(annotation), (), annotation)
    args = typing.get_args(annotation)
    name = "typing.Union" if origin in {typing.Union, types.UnionType} else qualified_name(origin)
    if name in UNIONS:
        return _union(tuple(map(inner, args)), annotation)
    if origin is typing.Annotated or name in TRANSPARENT:
        return inner(args[0])
    if name in _TESTS:
        return OtherHint(_text(annotation), "builtins.bool", (), bool)
    if name == "builtins.tuple" and not any(map(_is_unpacked, args)):
        if len(args) == 2 and args[1] is Ellipsis:
            return TupleHint((inner(args[0]),), variadic=True)
        return TupleHint(tuple(map(inner, args)), variadic=False)
    if name in SEQUENCES and len(args) == 1:
        return SequenceHint(name, inner(args[0]), annotation)
    if name in MAPPINGS and len(args) == 2:
        return DictHint(name, inner(args[0]), inner(args[1]), annotation)
    if name in {"typing.Literal", "builtins.type", "builtins.tuple"}:
        return OtherHint(_text(annotation), name, (), annotation)
    flat: list[object] = []
    for arg in args:
        flat += arg if isinstance(arg, list) else [arg]
    return OtherHint(_text(annotation), name, tuple(map(inner, flat)), annotation)


_TESTS = {"typing.TypeGuard", "typing.TypeIs", "typing_extensions.TypeGuard", "typing_extensions.TypeIs"}
"""What functions return that tell type checkers something about an argument: a truth value."""


def _is_unpacked(annotation: object) -> bool:
    """Whether this stands for any number of types: `*Ts`, `*tuple[int, ...]`."""
    return getattr(annotation, "__unpacked__", False) or typing.get_origin(annotation) is typing.Unpack


def _union(members: tuple[Hint, ...], annotation: object) -> Hint:
    hint = union(members)
    return hint if isinstance(hint, UnionHint) else OtherHint(_text(annotation), "typing.Union", (hint,), annotation)


def _text(annotation: object) -> str:
    if isinstance(annotation, type):
        return annotation.__qualname__
    return str(annotation).replace("typing.", "")
