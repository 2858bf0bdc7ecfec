"""Binding a call's abstract arguments to a rule's parameters, exactly as Python binds the real ones.

The text of a parameter's annotation says what the rule needs; an argument that is not known well enough makes the
result Unknown without calling the rule:

========================  ============================================================================
``Tensor``                a tensor (of any or unknown shape)
``Tensors``               a tuple or list of tensors
``Operand``               a tensor, or a Python number as a tensor without axes
``int``                   an integer whose value is known (an axis number)
``Ints``                  one or several of these, as a list
``Dim``                   any integer, as a symbolic size; a tensor of one integer is a size of its own
``bool``, ``str``         a known constant
``Dtype``                 the family of a dtype (``Constant("torch.float32")`` is ``"float"``), None if it is not known
``Sequence[X]``           a tuple or list of these; ``X | Sequence[X]``: a lone one is passed as a list of one
``Sizes``                 sizes, each a ``Dim`` or a ``Rest``; as ``*size: Sizes`` also spread over the arguments
``X | None``              None is passed on
``object``                the abstract value itself
========================  ============================================================================

Names that torch takes for others (``axis`` for ``dim``) bind to these, and keyword arguments that never change a shape
(``device``, ``requires_grad``, ``out``) are dropped where a rule does not name them.
"""

from __future__ import annotations

from shapecheck.dims import Dim, Kind, Symbol
from shapecheck.shapes import AnyValue, Constant, Number, Opaque, Rest, Sequence, Shape, Tensor, Unknown, scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    import collections.abc
    from collections.abc import Callable, Mapping
    from typing import Final

    Converter = Callable[[AnyValue], object]

# The kinds of parameters that are no types of their own, for type checkers; a rule's annotations are only ever text.
Operand = Tensor
Dtype = str | None
Ints = list[int]
Tensors = list[Tensor]
Sizes = list[Dim | Rest]

_VARARGS: Final = 0x04
_VARKEYWORDS: Final = 0x08

SAME_NAME: Final = {"axis": "dim", "dim": "axis", "keepdims": "keepdim", "x": "input", "x1": "input", "x2": "other",
                    "a": "input", "input": "self", "self": "input"}
"""Parameters that torch takes under another name as well."""

SHAPELESS: Final = frozenset({
    "device", "layout", "requires_grad", "generator", "out", "pin_memory", "memory_format", "non_blocking", "dtype",
    "inplace", "names", "copy", "stable", "casting", "alpha", "correction", "unbiased", "eps", "rounding_mode",
})
"""Keyword arguments that change no shape."""

FAMILIES: Final = {
    name: family
    for family, names in {
        "float": "float float16 float32 float64 bfloat16 half double FloatTensor HalfTensor DoubleTensor",
        "int": "int int8 int16 int32 int64 uint8 uint16 uint32 uint64 short long LongTensor IntTensor",
        "bool": "bool BoolTensor",
        "complex": "complex cfloat cdouble complex32 complex64 complex128",
    }.items()
    for name in names.split()
}
"""The family of each dtype by the last part of its name."""


class Signature:
    """The parameters of a rule with the conversion of each."""

    __slots__ = ("conversions", "converters", "defaults", "keyword_only", "keywords", "names", "positional", "required",
                 "rest")  # fmt: skip

    def __init__(self) -> None:
        self.names: tuple[str, ...] = ()
        self.positional = 0
        self.defaults: dict[str, object] = {}
        self.converters: dict[str, Converter] = {}
        self.conversions: tuple[Converter, ...] = ()
        """Those of the positional parameters."""
        self.required = 0
        """The number of arguments that a call by position alone must have; -1 where there is no such call."""
        self.keyword_only: tuple[str, ...] = ()
        self.rest: str | None = None
        self.keywords: str | None = None

    @property
    def starts_with_tensor(self) -> bool:
        """Whether the first parameter takes a tensor and nothing else."""
        return bool(self.names) and self.converters.get(self.names[0]) is _tensor

    @classmethod
    def of(cls, function: Callable[..., object], *, skip: int = 0) -> Signature:
        """The signature of a rule, its first ``skip`` parameters (``self``) left out."""
        code = function.__code__
        made = cls()
        count = code.co_argcount
        names = code.co_varnames
        made.names = names[skip:count]
        made.positional = count - skip
        defaults = function.__defaults__ or ()
        made.defaults = dict(zip(names[count - len(defaults) : count], defaults, strict=True))
        made.keyword_only = names[count : count + code.co_kwonlyargcount]
        made.defaults.update(function.__kwdefaults__ or {})
        position = count + code.co_kwonlyargcount
        if code.co_flags & _VARARGS:
            made.rest = names[position]
            position += 1
        if code.co_flags & _VARKEYWORDS:
            made.keywords = names[position]
        for name, annotation in function.__annotations__.items():
            if name != "return":
                text = annotation if isinstance(annotation, str) else annotation.__name__
                made.converters[name] = converter(f"*{text}" if name == made.rest and text == "Sizes" else text)
        made.conversions = tuple([made.converters[name] for name in made.names])
        by_position = made.rest is None and all(name in made.defaults for name in made.keyword_only)
        made.required = made.positional - len(defaults) if by_position else -1
        return made


def bind(
    signature: Signature, args: collections.abc.Sequence[AnyValue], kwargs: Mapping[str, AnyValue]
) -> tuple[list[object], dict[str, object]] | Unknown:
    """The converted arguments, or Unknown if they do not bind or one is not known well enough."""
    if not kwargs and 0 <= signature.required <= len(args) <= signature.positional:
        return _by_position(signature, args)
    given: dict[str, AnyValue] = dict(zip(signature.names, args, strict=False))
    extra = args[signature.positional :]
    if extra and signature.rest is None:
        return Unknown("the arguments do not bind")
    others: dict[str, object] = {}
    for name, value in kwargs.items():
        if name in given:
            return Unknown("the arguments do not bind")
        if name in signature.names or name in signature.keyword_only:
            given[name] = value
        elif SAME_NAME.get(name) in signature.names and SAME_NAME[name] not in given:
            given[SAME_NAME[name]] = value
        elif signature.keywords is not None:
            others[name] = value
        elif name in SHAPELESS:
            continue
        elif signature.rest is not None and signature.converters.get(signature.rest) is _sizes_spread and not extra:
            # torch takes `size=(2, 3)` for `*size` as well.
            extra = [value]
        else:
            return Unknown("the arguments do not bind")
    positional: list[object] = []
    converters, defaults = signature.converters, signature.defaults
    for names in (signature.names, signature.keyword_only):
        for name in names:
            passed = given.get(name)
            if passed is not None:
                convert = converters[name]
                found = convert(passed)
                if convert is not _object and isinstance(found, Unknown):
                    return found
            elif name in defaults:
                found = defaults[name]
            else:
                return Unknown("the arguments do not bind")
            if names is signature.names:
                positional.append(found)
            else:
                others[name] = found
    if signature.rest is not None:
        convert = signature.converters[signature.rest]
        if convert is _sizes_spread:
            sizes = _spread(extra)
            if isinstance(sizes, Unknown):
                return sizes
            positional += sizes
        else:
            for value in extra:
                found = convert(value)
                if isinstance(found, Unknown) and convert is not _object:
                    return found
                positional.append(found)
    return positional, others


def _by_position(
    signature: Signature, args: collections.abc.Sequence[AnyValue]
) -> tuple[list[object], dict[str, object]] | Unknown:
    """The arguments of the most frequent calls; what they leave out, the rule's own defaults give."""
    positional: list[object] = []
    for value, convert in zip(args, signature.conversions, strict=False):
        found = convert(value)
        if convert is not _object and isinstance(found, Unknown):
            return found
        positional.append(found)
    return positional, {}


# -- one converter for each kind of parameter ------------------------------------------------------------------------


def _object(value: AnyValue) -> object:
    return value


def _why(value: AnyValue, wanted: str) -> Unknown:
    return value if isinstance(value, Unknown) else Unknown(f"an argument is not {wanted}")


def _tensor(value: AnyValue) -> object:
    if isinstance(value, Opaque):
        # Nothing else can stand here.
        return Tensor(Shape.unknown())
    return value if isinstance(value, Tensor) else _why(value, "a tensor")


def _tensors(value: AnyValue) -> object:
    return _each(value, _tensor) if isinstance(value, Sequence) else _why(value, "a sequence of tensors")


def _operand(value: AnyValue) -> object:
    if isinstance(value, Tensor):
        return value
    if isinstance(value, Dim):
        return Tensor(Shape(()), "int")
    if isinstance(value, Number):
        return Tensor(Shape(()), value.name if value.name in {"float", "bool"} else None)
    if isinstance(value, Constant) and isinstance(value.value, (bool, float, complex)):
        return Tensor(Shape(()), type(value.value).__name__)
    if isinstance(value, Opaque):
        # A number or a tensor: what it broadcasts with keeps the axes that are not 1.
        return Tensor(Shape.unknown())
    return _why(value, "a tensor or a number")


def _int(value: AnyValue) -> object:
    if isinstance(value, Dim):
        number = scope().normal(value).constant
        return Unknown("an axis number is not a constant") if number is None else number
    return _why(value, "an integer")


def _ints(value: AnyValue) -> object:
    if isinstance(value, Sequence):
        return _each(value, _int)
    number = _int(value)
    return number if isinstance(number, Unknown) else [number]


def _dim(value: AnyValue) -> object:
    if isinstance(value, Dim):
        return value
    if isinstance(value, Constant) and isinstance(value.value, bool):
        return Dim.of(int(value.value))
    if isinstance(value, Opaque):
        return value.size()
    if _holds_a_size(value):
        return _held_size()
    return _why(value, "an integer")


def _holds_a_size(value: AnyValue) -> bool:
    """Whether a value is a number of which nothing is known, or a tensor of one integer (``lengths.max()``).

    As a size torch takes integers only, so it is one.
    """
    if isinstance(value, Number):
        return not value.name.startswith("dtype")
    return isinstance(value, Tensor) and value.dtype in {"int", None} and value.shape.rank == 0


def _held_size() -> Dim:
    return Dim.of(Symbol("item", Kind.OPAQUE))


def _bool(value: AnyValue) -> object:
    if isinstance(value, Constant) and isinstance(value.value, bool):
        return value.value
    if isinstance(value, Dim) and value.constant is not None:
        return bool(value.constant)
    return Unknown("a flag is not a constant") if not isinstance(value, Unknown) else value


def _str(value: AnyValue) -> object:
    if isinstance(value, Constant) and isinstance(value.value, str):
        return value.value
    return _why(value, "a known string")


def family_of(value: AnyValue) -> str | None:
    """The family of a dtype, None if the value is none or not known."""
    if isinstance(value, Constant) and isinstance(value.value, str):
        return FAMILIES.get(value.value.rpartition(".")[2])
    if isinstance(value, Number) and value.name.startswith("dtype "):
        return value.name[len("dtype ") :]
    return None


def _sizes(value: AnyValue) -> object:
    if isinstance(value, Dim):
        return [value]
    if not isinstance(value, Sequence):
        return _why(value, "a sequence of sizes")
    return _spread(value.items)


def sizes_of(value: AnyValue) -> list[Dim | Rest] | Unknown:
    """The sizes that a value stands for, in a rule that finds out itself which argument holds them."""
    return _sizes(value)  # type: ignore[return-value]  # converters are typed alike


def ints_of(value: AnyValue) -> list[int] | Unknown:
    """The axis numbers that a value stands for, in a rule that finds out itself what it is given."""
    return _ints(value)  # type: ignore[return-value]  # converters are typed alike


def _sizes_spread(value: AnyValue) -> object:
    return _sizes(value)


def _spread(values: collections.abc.Sequence[AnyValue | Rest]) -> list[Dim | Rest] | Unknown:
    if len(values) == 1 and isinstance(values[0], Sequence):
        values = values[0].items
    elif len(values) == 1 and isinstance(values[0], Opaque):
        return Unknown("an argument is one size or several")
    sizes: list[Dim | Rest] = []
    for value in values:
        if isinstance(value, (Dim, Rest)):
            sizes.append(value)
        elif isinstance(value, Opaque):
            sizes.append(value.size())
        elif _holds_a_size(value):
            sizes.append(_held_size())
        else:
            return _why(value, "a size")
    return sizes


_PLAIN: Final[dict[str, Converter]] = {
    "object": _object,
    "AnyValue": _object,
    "Tensor": _tensor,
    "Tensors": _tensors,
    "Operand": _operand,
    "int": _int,
    "Ints": _ints,
    "Dim": _dim,
    "bool": _bool,
    "str": _str,
    "Dtype": family_of,
    "Sizes": _sizes,
}
_known: Final[dict[str, Converter]] = dict(_PLAIN) | {"*Sizes": _sizes_spread}


def converter(annotation: str) -> Converter:
    """The conversion that a parameter's annotation asks for.

    Raises:
        ValueError: the annotation is none of the documented ones.
    """
    found = _known.get(annotation)
    if found is None:
        found = _known[annotation] = _compound(annotation)
    return found


def _compound(annotation: str) -> Converter:
    options = [option.strip() for option in annotation.split("|")]
    optional = "None" in options
    sequence: Converter | None = None
    single: Converter | None = None
    for option in options:
        if option.startswith("Sequence[") and option.endswith("]"):
            sequence = converter(option[len("Sequence[") : -1])
        elif option in _PLAIN:
            single = _PLAIN[option]
        elif option != "None":
            message = f"a rule's parameter is annotated {annotation!r}, which says nothing about the values it takes"
            raise ValueError(message)

    def convert(value: AnyValue) -> object:
        if optional and isinstance(value, Constant) and value.value is None:
            return None
        if sequence is not None and isinstance(value, Sequence):
            return _each(value, sequence)
        if single is not None:
            found = single(value)
            lone = sequence is not None and single is not _object and not isinstance(found, Unknown)
            return [found] if lone else found
        return _why(value, "a sequence")

    return convert


def _each(value: Sequence, convert: Converter) -> object:
    items: list[object] = []
    for item in value.items:
        if isinstance(item, Rest):
            return Unknown("a sequence of unknown length")
        found = convert(item)
        if isinstance(found, Unknown) and convert is not _object:
            return found
        items.append(found)
    return items
