"""What is declared, and whether it is kept: results, yields and annotated local variables of the function analysed."""

from __future__ import annotations

import ast
from abc import abstractmethod

from shapecheck.annotations import ArrayHint, OtherHint, walk
from shapecheck.diagnostics.misfit import Misfit
from shapecheck.dims import Dim, Kind, Symbol
from shapecheck.rules.silent import batch_names, inferred_axes, leak, miscounted, widths
from shapecheck.shapes import AnyValue, Number, Opaque, Sequence, Shape, Tensor, Unknown, current
from shapecheck.static.classes import find_class
from shapecheck.static.contracts import other_product
from shapecheck.static.declare import Names, introduce
from shapecheck.static.dtypes import check_dtype, without_dtype
from shapecheck.static.fits import check
from shapecheck.static.handing_out import hand_out
from shapecheck.static.loosen import own_sizes
from shapecheck.static.orders import other_order
from shapecheck.static.reporting import Reporter
from shapecheck.static.values import Elements, GivenModule, PassedIn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.annotations.hints import Hint
    from shapecheck.static.classes import ClassIndex
    from shapecheck.static.frame import Frame
    from shapecheck.static.index import ModuleIndex


class Declarations(Reporter):
    """Introduces declared values, and compares what is computed with what is declared."""

    def at(self, frame: Frame, node: ast.AST) -> None:
        """Remember where the next sizes are solved."""
        current().place = (frame.index, node)

    @abstractmethod
    def instance(self, cls: ClassIndex, name: str = "") -> AnyValue:
        """An object of a class that was made elsewhere."""

    def declared(self, frame: Frame, hint: Hint) -> AnyValue:
        """The value that a declaration alone introduces inside a function."""
        names = frame.names.fork() if frame.names is not None else Names(Kind.FLEXIBLE)
        names.kind = Kind.FLEXIBLE
        return introduce(hint, names, lambda other: self.plain_value(frame.index, other, "value"))

    def plain_value(self, index: ModuleIndex, hint: OtherHint, name: str, symbol: Symbol | None = None) -> AnyValue:
        """The value of a parameter or result that is declared as something else than a tensor."""
        kind = hint.name
        if kind == "builtins.int":
            return Dim.of(symbol or Symbol(name, Kind.FLEXIBLE))
        if kind == "builtins.bool":
            return Number("bool")
        if kind == "builtins.float":
            return Number("float")
        if kind in {"torch.Tensor", "torch.FloatTensor", "torch.LongTensor", "torch.BoolTensor", "torch.nn.Parameter"}:
            return Tensor(Shape.unknown())
        if kind == "torch.Size":
            return Sequence([*Shape.unknown().axes], "tuple")  # type: ignore[list-item]  # a Rest
        if kind.startswith("builtins.") or kind in {"torch.device", "torch.dtype"}:
            return Unknown(f"any {kind.rpartition('.')[2]}")
        if kind in {"typing.Iterable", "typing.Iterator", "collections.abc.Iterator", "collections.abc.Iterable",
                    "collections.abc.Generator", "typing.Generator"} and hint.args:  # fmt: skip
            element = self.hint_value(index, hint.args[0], name)
            return Elements(element, own=own_sizes(element, frozenset()))
        if kind == "collections.abc.Callable" and any(isinstance(part, ArrayHint) for part in walk(hint)):
            return PassedIn(hint)
        if kind.startswith("torch.nn."):
            return GivenModule("a module or function that is passed in")
        if kind == "collections.abc.Callable":
            return Unknown("a module or function that is passed in")
        cls = find_class(hint.text, index) if hint.text.isidentifier() or "." in hint.text else None
        if cls is not None:
            return self.instance(cls, name)
        return Opaque(name)

    def hint_value(self, index: ModuleIndex, hint: Hint, name: str) -> AnyValue:
        """The value of a declaration with axis names of its own."""
        return introduce(hint, Names(Kind.FLEXIBLE), lambda other: self.plain_value(index, other, name))

    def check_result(self, frame: Frame, node: ast.expr, value: AnyValue) -> None:
        """Check what a function under analysis returns."""
        signature = frame.signature
        self.report_narrowed(frame)
        hand_out(frame, value)
        if frame.names is None or signature is None or signature.returns is None or signature.is_generator:
            return
        self._check(frame, node, signature.returns, value, "SC201")
        for found in (leak(value), miscounted(value)):
            if found is not None:
                self.report(frame, node, found, "returning")
        if self.scope.widths:
            for width in widths(batch_names(signature.orders)):
                self.report(frame, node, width)

    def check_yield(self, frame: Frame, node: ast.expr, value: AnyValue) -> None:
        """Check what a generator under analysis yields."""
        signature = frame.signature
        hand_out(frame, value)
        if frame.names is None or signature is None or not isinstance(signature.returns, OtherHint):
            return
        if signature.returns.args:
            self._check(frame, node, signature.returns.args[0], value, "SC201")

    def _check(self, frame: Frame, node: ast.AST, hint: Hint, value: AnyValue, code: str) -> Misfit | None:
        if frame.names is None:
            return None
        self.at(frame, node)
        names = frame.names.fork()
        another = other_order(frame, hint, value, "result|")
        misfit = check(hint, value, names)
        if misfit is not None:
            self.report_misfit(frame, node, misfit, code, names, "")
            return misfit
        if another is not None:
            self.report(frame, node, another)
        if isinstance(hint, ArrayHint) and isinstance(value, Tensor):
            for scrambled in inferred_axes(value, declared_sizes(hint, names)):
                self.report(frame, node, scrambled, scrambled.operation)
            product = other_product(hint, value, names)
            if product is not None:
                self.report(frame, node, product, "the result")
        check_dtype(frame, node, hint, value, "result|")
        return None

    def check_local(self, frame: Frame, node: ast.AnnAssign, hint: Hint, value: AnyValue) -> AnyValue:
        """Check an annotated local variable; the value it has afterwards."""
        names = frame.names.fork() if frame.names is not None else Names(Kind.FLEXIBLE)
        self.at(frame, node)
        another = other_order(frame, hint, value, f"local|{ast.unparse(node.target)}")
        misfit = check(hint, value, names)
        if misfit is not None:
            if frame.names is not None or frame.depth:
                self.report_misfit(frame, node.value or node, misfit, "SC206", names, ast.unparse(node.target))
            return self.declared(frame, hint)
        if another is not None:
            self.report(frame, node.value or node, another)
        if isinstance(hint, ArrayHint) and isinstance(value, Tensor):
            product = other_product(hint, value, names)
            if product is not None:
                self.report(frame, node.value or node, product, f"`{ast.unparse(node.target)}`")
        if not check_dtype(frame, node.value or node, hint, value, f"local|{ast.unparse(node.target)}"):
            value = without_dtype(value)
        if isinstance(value, (Unknown, Opaque)) or (isinstance(value, Tensor) and value.shape.rest is not None):
            names.kind = Kind.FLEXIBLE
            return introduce(hint, names, lambda other: self.plain_value(frame.index, other, "value"))
        return value


def declared_sizes(hint: ArrayHint, names: Names) -> list[Dim | None]:
    """The sizes that a declaration gives the axes, where each of its tokens is one axis."""
    spec = hint.spec.shape
    if spec.variadic >= 0:
        return []
    bound = [names.bound.get(axis.name) if axis.kind == "name" else None for axis in spec.axes]
    return [size if isinstance(size, Dim) else None for size in bound]
