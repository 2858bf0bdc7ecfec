"""One line a case: an operation's rule against torch itself.

    CASES = [
        case("torch.cat", [t("B T D"), t("B S D")], dim=1),
        bad("torch.cat", [t("B T D"), t("B T E")], dim=1),
        case("torch.Tensor.view", t("B H*K"), n("B"), n("H"), n("K")),
        module_case("torch.nn.Linear", args(n("D"), n("E")), args(t("B T D"))),
        attribute_case("mT", t("B T D")),
    ]

    @pytest.mark.parametrize("checked", CASES, ids=str)
    def test_agrees_with_torch(checked):
        check(checked)

``t`` is a tensor whose axes are names, numbers or expressions without spaces; ``n`` is an integer of the same kind. For
several choices of sizes real tensors are made and torch is run; the rule must give the same shape (and, where it gives
one, dtype family) with numbers, and with symbols that are then evaluated. Where torch refuses, the rule must have a
mismatch (``bad``). With axes hidden behind a ``Rest``, and with whole shapes unknown, it must not contradict torch.
A case is run under every name its rule is registered for, unless ``only`` is set (torch takes other arguments there).
"""

from __future__ import annotations

import operator
import re
import warnings
from dataclasses import dataclass, field
from functools import reduce
from importlib import import_module
from typing import TYPE_CHECKING, Any

import torch

from shapecheck import ops
from shapecheck.dims import Dim, Symbol
from shapecheck.ops.registry import ATTRIBUTES, MODULES, OPERATIONS
from shapecheck.shapes import (
    NONE,
    Axis,
    Constant,
    Context,
    Mismatch,
    Number,
    Rest,
    Sequence,
    Shape,
    Slice,
    Tensor,
    Unknown,
    use,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

ops.load_all()

CHOICES = ((3, 5, 7, 11, 2, 13, 4, 6), (6, 4, 3, 2, 9, 5, 8, 7), (1, 2, 5, 1, 3, 4, 6, 2), (2, 1, 3, 4, 1, 6, 5, 7))
"""Sizes for the names of a case in the order in which they appear; the first two choices hold no 1."""
GENERIC = 2

OTHERS = (float, str, complex, torch.dtype, torch.device, torch.layout)
"""Results that a rule knows by kind only, or as a constant."""

FAMILIES = {"float": torch.float32, "int": torch.int64, "bool": torch.bool, "complex": torch.complex64}


@dataclass(frozen=True)
class TensorOf:
    """A tensor argument; ``make`` fills a real one, given its shape."""

    axes: tuple[str, ...]
    dtype: str = "float"
    make: Callable[[tuple[int, ...]], torch.Tensor] | None = None

    def __str__(self) -> str:
        return f"[{' '.join(self.axes)}]"


@dataclass(frozen=True)
class SizeOf:
    """An integer argument."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Call:
    """Positional and keyword arguments."""

    positional: tuple[Any, ...]
    keywords: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        shown = [_shown(value) for value in self.positional]
        shown += [f"{name}={_shown(value)}" for name, value in self.keywords.items()]
        return ", ".join(shown)


@dataclass(frozen=True)
class Case:
    """One call of one operation, module or attribute."""

    name: str
    call: Call
    construction: Call | None = None
    attribute: bool = False
    fails: bool = False
    known: bool = True
    only: bool = False
    generic: bool = False
    sizes: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        made = "" if self.construction is None else f"({self.construction})"
        return f"{self.name}{made}({self.call})"


def t(axes: str, dtype: str = "float", make: Callable[[tuple[int, ...]], torch.Tensor] | None = None) -> TensorOf:
    """A tensor of the given axes; integers are zero unless ``make`` says otherwise, so that they are valid indices."""
    return TensorOf(tuple(axes.split()), dtype, make)


def n(text: str) -> SizeOf:
    """An integer over the names of the case."""
    return SizeOf(text)


def args(*positional: Any, **keywords: Any) -> Call:
    """The arguments of a constructor or of a call of a layer."""
    return Call(positional, keywords)


def case(
    name: str,
    *positional: Any,
    known: bool = True,
    only: bool = False,
    generic: bool = False,
    sizes: Mapping[str, int] | None = None,
    keywords: Mapping[str, Any] | None = None,
    **others: Any,
) -> Case:
    """A call that torch accepts.

    Args:
        name: a name the rule is registered for.
        positional: arguments: ``t``, ``n``, sequences and slices of these, or constants.
        known: whether the rule must know the result; otherwise it may be Unknown, but not wrong.
        only: torch takes these arguments under this one name.
        generic: the symbolic shape does not hold where an axis is 1 (``squeeze``).
        sizes: fixed sizes of some names.
        keywords: keyword arguments called like one of these parameters.
        others: keyword arguments.
    """
    call = Call(positional, {**(keywords or {}), **others})
    return Case(name, call, known=known, only=only, generic=generic, sizes=sizes or {})


def bad(name: str, *positional: Any, only: bool = False, sizes: Mapping[str, int] | None = None, **others: Any) -> Case:
    """A call that torch refuses for generic sizes and whose rule says so."""
    return Case(name, Call(positional, others), fails=True, only=only, sizes=sizes or {})


def module_case(
    name: str,
    construction: Call,
    call: Call,
    *,
    fails: bool = False,
    known: bool = True,
    generic: bool = False,
    sizes: Mapping[str, int] | None = None,
) -> Case:
    """A layer made and called."""
    return Case(name, call, construction, fails=fails, known=known, generic=generic, sizes=sizes or {})


def attribute_case(name: str, tensor: TensorOf, *, known: bool = True, fails: bool = False) -> Case:
    """An attribute of a tensor."""
    return Case(name, Call((tensor,)), attribute=True, known=known, fails=fails)


def check(checked: Case) -> None:
    """Compare the rule with torch for every choice of sizes.

    Raises:
        AssertionError: they disagree, or the rule does not know what it should.
    """
    names = _names(checked)
    symbols: dict[str, Any] = {name: Dim.of(Symbol(name)) for name in names}
    symbolic = _run_rule(checked, symbols)
    accepted = []
    for index, choice in enumerate(CHOICES):
        sizes = dict(zip(names, choice, strict=False)) | dict(checked.sizes)
        given = {symbol.symbol: sizes[name] for name, symbol in symbols.items()}
        real = _run_torch(checked, checked.name, sizes)
        concrete = _run_rule(checked, {name: Dim.of(size) for name, size in sizes.items()})
        where = f"{checked} at {sizes}"
        if isinstance(real, Exception):
            assert checked.fails or index >= GENERIC, f"torch refuses {where}: {real}"
            assert isinstance(concrete, (Mismatch, Unknown)), f"torch refuses {where} ({real}), the rule: {concrete}"
            if checked.fails and index < GENERIC:
                assert isinstance(concrete, Mismatch), f"torch refuses {where} ({real}), the rule: {concrete}"
                assert isinstance(symbolic, Mismatch), f"torch refuses {where} ({real}), with symbols: {symbolic}"
            continue
        assert not checked.fails or index >= GENERIC, f"torch accepts {where}: {_describe(real)}"
        accepted.append(sizes)
        compare(concrete, real, {}, where, known=checked.known)
        if index < GENERIC or not (checked.generic or checked.fails):
            compare(symbolic, real, given, f"{where}, with symbols", known=checked.known)
        if index == 0:
            _check_hidden(checked, symbols, given, real)
            _check_aliases(checked, sizes, real)
    assert checked.fails or accepted, f"torch never accepted {checked}"


def uncovered(cases: list[Case]) -> list[str]:
    """The registered names that none of the cases runs."""
    covered: set[str] = set()
    for checked in cases:
        covered.add(f"attribute {checked.name}" if checked.attribute else checked.name)
        operation = OPERATIONS.get(checked.name)
        if operation is not None and not checked.only and not checked.attribute:
            covered.update(operation.names)
        if checked.construction is not None and checked.name in MODULES:
            covered.update(name for name, cls in MODULES.items() if cls is MODULES[checked.name])
    registered = [*OPERATIONS, *MODULES, *(f"attribute {name}" for name in ATTRIBUTES)]
    return [name for name in registered if name not in covered]


# -- arguments -------------------------------------------------------------------------------------------------------


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, slice):
        yield from _leaves((value.start, value.stop, value.step))
    elif isinstance(value, Call):
        yield from _leaves(value.positional)
        yield from _leaves(tuple(value.keywords.values()))
    else:
        yield value


def _names(checked: Case) -> list[str]:
    found: dict[str, None] = {}
    for leaf in _leaves((checked.call, checked.construction)):
        texts = leaf.axes if isinstance(leaf, TensorOf) else (leaf.text,) if isinstance(leaf, SizeOf) else ()
        for text in texts:
            for name in re.findall(r"[A-Za-z_]\w*", text):
                found.setdefault(name)
    return list(found)


def _size(text: str, sizes: Mapping[str, Any]) -> Any:
    return eval(text, {"__builtins__": {}}, dict(sizes))  # noqa: S307 - the text is a literal of the test


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(_shown, value))})"
    if isinstance(value, slice):
        return ":".join("" if part is None else _shown(part) for part in (value.start, value.stop, value.step))
    return str(value)


def _real(value: Any, sizes: Mapping[str, int]) -> Any:
    if isinstance(value, TensorOf):
        shape = tuple(int(_size(axis, sizes)) for axis in value.axes)
        if value.make is not None:
            return value.make(shape)
        if value.dtype == "int":
            return torch.zeros(shape, dtype=torch.int64)
        if value.dtype == "bool":
            return torch.rand(shape) > 0.5
        return torch.rand(shape, dtype=FAMILIES[value.dtype]) * 0.5 + 0.25
    if isinstance(value, SizeOf):
        return _size(value.text, sizes)
    if isinstance(value, (list, tuple)):
        return type(value)([_real(item, sizes) for item in value])
    if isinstance(value, slice):
        return slice(_real(value.start, sizes), _real(value.stop, sizes), _real(value.step, sizes))
    return value


def _abstract(value: Any, sizes: Mapping[str, Dim], hidden: Mapping[int, int] | None = None) -> Any:
    if isinstance(value, TensorOf):
        axes: list[Axis | Rest] = [Axis.of(_size(axis, sizes)) for axis in value.axes]
        if hidden is not None and id(value) in hidden:
            axes = [Rest(), *axes[hidden[id(value)] :]]
        return Tensor(Shape(axes), value.dtype)
    if isinstance(value, SizeOf):
        return Dim.of(_size(value.text, sizes))
    if isinstance(value, (list, tuple)):
        return Sequence([_abstract(item, sizes, hidden) for item in value], type(value).__name__)
    if isinstance(value, slice):
        bounds = (value.start, value.stop, value.step)
        return Slice(*[None if bound is None else _abstract(bound, sizes, hidden) for bound in bounds])
    if value is None:
        return NONE
    if isinstance(value, int) and not isinstance(value, bool):
        return Dim.of(value)
    if isinstance(value, (torch.dtype, torch.device)):
        return Constant(str(value))
    return Constant(value)


# -- running ---------------------------------------------------------------------------------------------------------


def resolve(name: str) -> Any:
    """What a qualified name stands for in torch, einops or Python's operators."""
    head, *rest = name.split(".")
    found = operator if head == "operator" else import_module(head)
    try:
        return reduce(getattr, rest, found)
    except AttributeError:
        return getattr(import_module(name.rpartition(".")[0]), rest[-1])


def _run_torch(checked: Case, name: str, sizes: Mapping[str, int]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _run_quietly(checked, name, sizes)


def _run_quietly(checked: Case, name: str, sizes: Mapping[str, int]) -> Any:
    torch.manual_seed(0)
    positional = [_real(value, sizes) for value in checked.call.positional]
    keywords = {key: _real(value, sizes) for key, value in checked.call.keywords.items()}
    if checked.attribute:
        try:
            return getattr(positional[0], name)
        except (RuntimeError, AttributeError) as error:
            return error
    try:
        if checked.construction is None:
            return resolve(name)(*positional, **keywords)
        made = [_real(value, sizes) for value in checked.construction.positional]
        named = {key: _real(value, sizes) for key, value in checked.construction.keywords.items()}
        return resolve(name)(*made, **named)(*positional, **keywords)
    except Exception as error:  # noqa: BLE001 - torch raises many kinds; which is not compared
        return error


def _run_rule(checked: Case, sizes: Mapping[str, Dim], hidden: Mapping[int, int] | None = None) -> Any:
    previous = use(Context())
    try:
        positional = [_abstract(value, sizes, hidden) for value in checked.call.positional]
        keywords = {key: _abstract(value, sizes, hidden) for key, value in checked.call.keywords.items()}
        if checked.attribute:
            return ATTRIBUTES[checked.name](positional[0])
        if checked.construction is None:
            operation = ops.find_operation(checked.name)
            assert operation is not None, f"{checked.name} has no rule"
            return operation(positional, keywords)
        cls = ops.find_module(checked.name)
        assert cls is not None, f"{checked.name} has no rule"
        made = ops.construct(
            cls,
            [_abstract(value, sizes) for value in checked.construction.positional],
            {key: _abstract(value, sizes) for key, value in checked.construction.keywords.items()},
        )
        return ops.forward(made, positional, keywords) if isinstance(made, ops.Module) else made
    finally:
        use(previous)


def _check_hidden(checked: Case, symbols: Mapping[str, Dim], given: Mapping[Symbol, int], real: Any) -> None:
    """With axes hidden behind a ``Rest`` the result may be unknown, but never another."""
    tensors = {id(leaf): leaf for leaf in _leaves(checked.call) if isinstance(leaf, TensorOf)}
    variants: list[dict[int, int]] = [{key: len(tensor.axes) for key, tensor in tensors.items()}]
    for key, tensor in tensors.items():
        variants += [{key: count} for count in range(1, len(tensor.axes) + 1)]
    for hidden in variants:
        shown = [f"{tensors[key]}: {count} hidden" for key, count in hidden.items()]
        result = _run_rule(checked, symbols, hidden)
        compare(result, real, given, f"{checked} with {', '.join(shown)}", known=False)


def _check_aliases(checked: Case, sizes: Mapping[str, int], real: Any) -> None:
    operation = None if checked.construction is not None or checked.attribute else OPERATIONS.get(checked.name)
    for name in operation.names if operation is not None and not checked.only else ():
        if name != checked.name:
            other = _run_torch(checked, name, sizes)
            assert not isinstance(other, Exception), f"{name} refuses what {checked} takes: {other!r}"
            assert _describe(other) == _describe(real), f"{name} gives another result than {checked}"


# -- comparing -------------------------------------------------------------------------------------------------------


def _describe(real: Any) -> Any:
    if isinstance(real, torch.Tensor):
        return tuple(real.shape)
    if isinstance(real, (list, tuple)):
        return [_describe(item) for item in real]
    return type(real)


def family(dtype: torch.dtype) -> str:
    """The dtype family of a real tensor."""
    if dtype is torch.bool:
        return "bool"
    if dtype.is_complex:
        return "complex"
    return "float" if dtype.is_floating_point else "int"


def _evaluate(size: Dim, given: Mapping[Symbol, int]) -> int | None:
    if any(isinstance(atom, Symbol) and atom not in given for atom in size.atoms):
        return None
    return size.evaluate(given)


def compare(result: Any, real: Any, given: Mapping[Symbol, int], where: str, *, known: bool) -> None:
    """Compare a rule's result with torch's.

    Args:
        result: what the rule returned.
        real: what torch returned.
        given: the size that each symbol stands for.
        where: begins the message of a failure.
        known: whether the rule must know the whole result.

    Raises:
        AssertionError: they differ.
    """
    if isinstance(result, Unknown):
        assert not known, f"{where}: not known ({result.why})"
        return
    assert not isinstance(result, Mismatch), f"{where}: {result}"
    if type(real).__module__ == "numpy":
        real = torch.from_numpy(real)
    if isinstance(real, torch.Tensor):
        assert isinstance(result, Tensor), f"{where}: {result} for a tensor"
        _compare_shape(result.shape, tuple(real.shape), given, where, known=known)
        if result.dtype is not None:
            assert result.dtype == family(real.dtype), f"{where}: dtype {result.dtype} for {real.dtype}"
    elif isinstance(real, (list, tuple)):
        assert isinstance(result, Sequence), f"{where}: {result} for a sequence"
        if any(isinstance(item, Rest) for item in result.items):
            assert not known, f"{where}: {result} of unknown length"
            return
        assert len(result.items) == len(real), f"{where}: {len(result.items)} items instead of {len(real)}"
        for item, wanted in zip(result.items, real, strict=True):
            compare(item, wanted, given, where, known=known)
        for position, name in enumerate(result.fields or ()):
            assert getattr(real, name) is real[position], f"{where}: no field {name}"
    elif isinstance(real, bool) or real is None or isinstance(real, OTHERS):
        if isinstance(result, Constant):
            wanted = str(real) if isinstance(real, (torch.dtype, torch.device)) else real
            assert result.value == wanted, f"{where}: {result} for {real!r}"
        else:
            assert isinstance(result, Number), f"{where}: {result} for {real!r}"
    else:
        assert isinstance(result, Dim), f"{where}: {result} for {real!r}"
        value = _evaluate(result, given)
        assert value is None or value == real, f"{where}: {result} for {real!r}"


def _compare_shape(
    shape: Shape, real: tuple[int, ...], given: Mapping[Symbol, int], where: str, *, known: bool
) -> None:
    assert not known or shape.rest is None, f"{where}: {shape} is not known whole"
    pairs: list[tuple[Axis | Rest, int]] = []
    if shape.rest is None:
        assert len(shape) == len(real), f"{where}: {shape} for {real}"
        pairs = list(zip(shape.axes, real, strict=True))
    else:
        after = len(shape) - shape.rest - 1
        assert len(real) >= len(shape) - 1, f"{where}: {shape} for {real}"
        pairs = list(zip(shape.axes[: shape.rest], real[: shape.rest], strict=True))
        pairs += zip(shape.axes[shape.rest + 1 :], real[len(real) - after :], strict=True)
    for axis, size in pairs:
        assert isinstance(axis, Axis)
        value = _evaluate(axis.size, given)
        assert value is None or value == size, f"{where}: {shape} for {real}"
