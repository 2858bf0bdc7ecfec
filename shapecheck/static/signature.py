"""What a function declares: its parameters with their hints, and its result."""

from __future__ import annotations

import ast

from shapecheck.annotations import (
    ArrayHint,
    InvalidHint,
    OtherHint,
    UnionHint,
    parse_annotation,
    walk,
)
from shapecheck.annotations.source import dotted_name
from shapecheck.static.index import is_overload
from shapecheck.static.walk import statements, yields

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from shapecheck.annotations.hints import Hint
    from shapecheck.annotations.spec import ShapeSpec
    from shapecheck.static.index import Function, ModuleIndex

    Callee: TypeAlias = "Function | ast.Lambda"

_MARKERS = frozenset(("typing.no_type_check", "shapecheck.unchecked", "jaxtyping.no_type_check"))
"""Decorators that leave a function out."""
_TRANSPARENT = frozenset((
    "shapecheck.shapechecked", "jaxtyping.jaxtyped", "beartype.beartype", "typeguard.typechecked", "torch.no_grad",
    "torch.inference_mode", "torch.enable_grad", "torch.compile", "torch.jit.script", "torch.jit.export",
    "torch.jit.ignore", "torch.autocast", "abc.abstractmethod", "functools.cache", "functools.lru_cache",
    "functools.wraps", "functools.cached_property", "torch.compiler.disable", "torch._dynamo.disable",
    "typing.override",
    "typing_extensions.override", "typing.overload", "typing.final", "torch.jit.unused", "torch.set_grad_enabled",
    "staticmethod", "classmethod", "property", "cached_property", "override", "abstractmethod", "jaxtyped", "typecheck",
    "torch.amp.autocast", "torch.cuda.amp.autocast", "torch.autograd.function.once_differentiable", "typechecked",
    "torch.amp.custom_fwd", "torch.amp.custom_bwd", "torch.cuda.amp.custom_fwd", "torch.cuda.amp.custom_bwd",
))  # fmt: skip


_CHANGING = frozenset((
    "vmap", "pmap", "jacrev", "jacfwd", "grad", "grad_and_value", "value_and_grad", "hessian", "vectorize", "dispatch",
    "singledispatch", "singledispatchmethod", "multimethod", "overload",
))  # fmt: skip
"""Decorators that let a function take other arguments than it declares: one more axis, other types."""


class Parameter:
    """One parameter of a function."""

    __slots__ = ("default", "hint", "is_required_int", "kind", "name", "node")

    def __init__(self, node: ast.arg, kind: str, default: ast.expr | None, hint: Hint | None) -> None:
        self.node = node
        self.name = node.arg
        self.kind = kind
        """``positional``, ``keyword`` (only), ``args`` or ``kwargs``."""
        self.default = default
        self.hint = hint
        self.is_required_int = default is None and kind in {"positional", "keyword"} and is_plain(hint, "builtins.int")
        """Whether it is annotated ``int`` and has no default: such a one is tied to an axis of the same name."""


def is_plain(hint: Hint | None, name: str) -> bool:
    """Whether a hint is one plain type."""
    return isinstance(hint, OtherHint) and hint.name == name


class Signature:
    """The declaration of one function."""

    __slots__ = ("arrays", "beside", "braced", "declares_result", "decorators", "invalid", "is_changed", "is_generator",
                 "is_left_out", "is_transparent", "names", "orders", "parameters", "returns")  # fmt: skip

    def __init__(self, node: Callee, index: ModuleIndex) -> None:
        arguments = node.args
        self.parameters: list[Parameter] = []
        positional = [*arguments.posonlyargs, *arguments.args]
        missing = len(positional) - len(arguments.defaults)
        defaults = [None] * missing + list(arguments.defaults)
        for arg, default in zip(positional, defaults, strict=True):
            self._add(arg, "positional", default, index)
        if arguments.vararg is not None:
            self._add(arguments.vararg, "args", None, index)
        for arg, keyword_default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            self._add(arg, "keyword", keyword_default, index)
        if arguments.kwarg is not None:
            self._add(arguments.kwarg, "kwargs", None, index)
        returns = None if isinstance(node, ast.Lambda) else node.returns
        self.returns: Hint | None = None if returns is None else parse_annotation(returns, index)
        self.decorators = [] if isinstance(node, ast.Lambda) else [_decorator(d, index) for d in node.decorator_list]
        self.invalid: list[InvalidHint] = []
        shapes: list[ShapeSpec] = []
        own: list[ShapeSpec] = []
        before = 0
        for hint in (*[parameter.hint for parameter in self.parameters], self.returns):
            before = len(shapes)
            for part in () if hint is None else walk(hint):
                if isinstance(part, ArrayHint):
                    shapes.append(part.spec.shape)
                elif isinstance(part, InvalidHint):
                    self.invalid.append(part)
            if not isinstance(hint, OtherHint) or hint.name != "collections.abc.Callable":
                own += shapes[before:]
        self.arrays = bool(shapes)
        self.names = frozenset().union(*[shape.bound for shape in shapes], *[shape.used for shape in shapes])
        """Every axis name it mentions."""
        self.orders = {shape.order for shape in own}
        """The axis names of each array that it declares; a function that is passed in declares its own."""
        self.beside = frozenset().union(*[shape.beside for shape in own])
        """Axis names with the numbers that stand beside them in one array."""
        self.braced = frozenset().union(*[shape.braced for shape in own])
        """Arguments that are the whole of an axis: ``{n}``."""
        self.is_generator = not isinstance(node, ast.Lambda) and _yields(node, index)
        self.declares_result = len(shapes) > before
        """Whether the result's shape is declared."""
        last = [name.rpartition(".")[2] for name in self.decorators]
        self.is_left_out = "no_type_check" in last or not _MARKERS.isdisjoint(self.decorators)
        """Whether a marker leaves the function out of the check."""
        self.is_transparent = all(
            name in _TRANSPARENT or name.endswith((".setter", ".register")) for name in self.decorators
        )
        """Whether no decorator is known to change what a call does."""
        self.is_changed = not _CHANGING.isdisjoint(last)
        """Whether a decorator lets the function take other arguments than it declares."""

    def _add(self, arg: ast.arg, kind: str, default: ast.expr | None, index: ModuleIndex) -> None:
        hint = None if arg.annotation is None else parse_annotation(arg.annotation, index)
        self.parameters.append(Parameter(arg, kind, default, hint))

    def has(self, decorator: str) -> bool:
        """Whether a decorator of that last name stands on the function."""
        return any(name.rpartition(".")[2] == decorator for name in self.decorators)


def _decorator(node: ast.expr, index: ModuleIndex) -> str:
    dotted = dotted_name(node.func if isinstance(node, ast.Call) else node)
    resolved = index.resolve(dotted) if dotted else None
    if isinstance(node, ast.Call) and node.args and resolved == "functools.partial":
        return _decorator(node.args[0], index)
    return resolved if isinstance(resolved, str) else dotted or "?"


def _yields(node: Function, index: ModuleIndex) -> bool:
    # Most functions say so by the text alone, which is much quicker to look at than the tree.
    if not index.source.has_yield:
        return False
    lines = index.source.lines[node.lineno - 1 : node.end_lineno]
    return any("yield" in line for line in lines) and yields(node.body)


def signature_of(node: Callee, index: ModuleIndex) -> Signature:
    """The declaration of a function, read once."""
    found = index.signatures.get(node)
    if found is None:
        found = index.signatures[node] = Signature(node, index)
    return found


def annotated_locals(node: Function, index: ModuleIndex) -> bool:
    """Whether a local variable of a function is annotated with a shape."""
    found = index.annotated_locals.get(node)
    if found is None:
        found = index.annotated_locals[node] = _has_annotated_local(node, index)
    return found


def _has_annotated_local(node: Function, index: ModuleIndex) -> bool:
    for statement in statements(node.body, nested=True):
        if isinstance(statement, ast.AnnAssign):
            hint = parse_annotation(statement.annotation, index)
            if any(isinstance(part, (ArrayHint, InvalidHint)) for part in walk(hint)):
                return True
    return False


def optional_of(hint: Hint) -> Hint | None:
    """What a hint declares beside None, if it is one union of that."""
    if isinstance(hint, UnionHint):
        others = [member for member in hint.members if type(member).__name__ != "NoneHint"]
        if len(others) == 1 and len(others) < len(hint.members):
            return others[0]
    return None


__all__ = ["Parameter", "Signature", "annotated_locals", "is_overload", "is_plain", "optional_of", "signature_of"]
