"""The table of operations and modules, and the decorators that fill it.

A rule is a Python function with the signature of the operation it stands for; its annotations say which values it takes
(see ``signature``). It returns a value, or a ``Mismatch`` when the operands do not fit, and never formats text:

    @op("torch.cat", "torch.concat", "torch.concatenate")
    def cat(tensors: Sequence[Tensor], dim: int = 0) -> Tensor: ...

A method of tensors is registered as ``torch.Tensor.NAME`` and takes the tensor first; its in-place twin ``NAME_`` needs
no rule of its own. A layer is a class whose ``__init__`` has the constructor's signature and whose ``forward`` has the
call's:

    @module("torch.nn.Linear")
    class Linear(Module): ...

Packages register rules for their own operators with the same decorators.
"""

from __future__ import annotations

from shapecheck.ops.signature import Signature, bind
from shapecheck.shapes import AnyValue, Mismatch, Opaque, Shape, Tensor, Unknown
from shapecheck.shapes import Sequence as Several

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Final, TypeVar

    Function = TypeVar("Function", bound=Callable[..., object])
    Class = TypeVar("Class", bound="type[Module]")


class Operation:
    """One rule and the names it stands for."""

    __slots__ = ("_signature", "function", "names")

    def __init__(self, names: tuple[str, ...], function: Callable[..., object]) -> None:
        self.names = names
        self.function = function
        self._signature: Signature | None = None

    @property
    def signature(self) -> Signature:
        """How arguments are bound; worked out on first use."""
        if self._signature is None:
            self._signature = Signature.of(self.function)
        return self._signature

    def __call__(self, args: Sequence[AnyValue], kwargs: Mapping[str, AnyValue]) -> AnyValue | Mismatch:
        """The value of a call, the mismatch that it is, or Unknown where an argument is not known well enough."""
        bound = bind(self.signature, args, kwargs)
        if isinstance(bound, Unknown):
            return bound
        return self.function(*bound[0], **bound[1])  # type: ignore[return-value]  # rules return values or mismatches


def _without_rule(self: Module, *args: object, **kwargs: object) -> AnyValue | Mismatch:
    return Unknown("the module has no rule for a call")


class Module:
    """The shape-level twin of an ``nn.Module``: constructed with the same arguments, called with the same tensors."""

    fault: Mismatch | None = None
    """Why no such module can be made (``num_heads`` does not divide ``embed_dim``)."""

    def __init__(self) -> None:
        """Take no arguments unless the rule says otherwise."""

    forward: Callable[..., AnyValue | Mismatch] = _without_rule
    """What a call returns; each layer has the parameters of its own."""

    def over_packed(self, args: Sequence[AnyValue], kwargs: Mapping[str, AnyValue]) -> AnyValue | Mismatch:
        """What a call with a packed sequence returns."""
        return Unknown("a packed sequence")

    methods: frozenset[str] = frozenset()
    """Those of its methods, beside ``forward``, that code may call."""

    def attributes(self) -> dict[str, AnyValue]:
        """Parameters, buffers and sizes by name (``weight``, ``in_features``)."""
        return {}


OPERATIONS: Final[dict[str, Operation]] = {}
MODULES: Final[dict[str, type[Module]]] = {}
ATTRIBUTES: Final[dict[str, Callable[[Tensor], AnyValue | Mismatch]]] = {}
_signatures: Final[dict[tuple[type[Module], str], Signature]] = {}


def op(*names: str) -> Callable[[Function], Function]:
    """Register a rule under qualified names: ``torch.cat``, ``torch.Tensor.view``, ``einops.rearrange``.

    Raises:
        ValueError: another rule has one of the names.
    """

    def register(function: Function) -> Function:
        operation = Operation(names, function)
        for name in names:
            if OPERATIONS.setdefault(name, operation) is not operation:
                message = f"{name} has a rule already: {OPERATIONS[name].function.__module__}"
                raise ValueError(message)
        return function

    return register


def both(names: str) -> list[str]:
    """The names as functions and as methods of tensors."""
    return [prefix + name for name in names.split() for prefix in ("torch.", "torch.Tensor.")]


def attribute(*names: str) -> Callable[[Function], Function]:
    """Register a rule for attributes of tensors: ``shape``, ``T``, ``ndim``."""

    def register(function: Function) -> Function:
        for name in names:
            ATTRIBUTES[name] = function  # type: ignore[assignment]  # a rule for attributes takes the tensor alone
        return function

    return register


def construct(
    cls: type[Module], args: Sequence[AnyValue], kwargs: Mapping[str, AnyValue]
) -> Module | Mismatch | Unknown:
    """The layer that a constructor call makes; a rule's ``__init__`` reports a fault by setting ``self.fault``."""
    bound = bind(_signature(cls, "__init__"), args, kwargs)
    if isinstance(bound, Unknown):
        return bound
    made = cls(*bound[0], **bound[1])
    return made if made.fault is None else made.fault


def forward(layer: Module, args: Sequence[AnyValue], kwargs: Mapping[str, AnyValue]) -> AnyValue | Mismatch:
    """What a call of a layer returns; of an operand that is not known a linear map still tells the last axis."""
    signature = _signature(type(layer), "forward")
    if args and isinstance(args[0], Several) and args[0].kind == "packed":
        return layer.over_packed(args, kwargs)
    if args and isinstance(args[0], (Unknown, Opaque)) and signature.starts_with_tensor:
        args = [Tensor(Shape.unknown()), *args[1:]]
    bound = bind(signature, args, kwargs)
    if isinstance(bound, Unknown):
        return bound
    return layer.forward(*bound[0], **bound[1])


def method(layer: Module, name: str, args: Sequence[AnyValue], kwargs: Mapping[str, AnyValue]) -> AnyValue | Mismatch:
    """What a call of one of a layer's own ``methods`` returns."""
    bound = bind(_signature(type(layer), name), args, kwargs)
    if isinstance(bound, Unknown):
        return bound
    return getattr(layer, name)(*bound[0], **bound[1])  # type: ignore[no-any-return]  # as every rule


def _signature(cls: type[Module], method: str) -> Signature:
    key = cls, method
    found = _signatures.get(key)
    if found is None:
        found = _signatures[key] = Signature.of(getattr(cls, method), skip=1)
    return found


def module(*names: str) -> Callable[[Class], Class]:
    """Register a layer under qualified names: ``torch.nn.Linear``.

    Raises:
        ValueError: another rule has one of the names.
    """

    def register(cls: Class) -> Class:
        for name in names:
            if MODULES.setdefault(name, cls) is not cls:
                message = f"{name} has a rule already: {MODULES[name].__module__}"
                raise ValueError(message)
        return cls

    return register
