"""``nn.Sequential``, ``ModuleList``, ``ModuleDict``, ``Parameter``, ``Buffer``: containers of modules and tensors."""

from __future__ import annotations

from shapecheck.dims import Dim, Kind, Symbol
from shapecheck.shapes import NONE, AnyValue, Axis, Constant, Number, Rest, Sequence, Shape, Tensor, Unknown, scope
from shapecheck.static.joins import alike, join
from shapecheck.static.loosen import take
from shapecheck.static.values import Container, Dictionary, Elements

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast

    from shapecheck.static.frame import Frame

CONTAINERS = {
    "torch.nn.Sequential": "Sequential",
    "torch.nn.ModuleList": "ModuleList",
    "torch.nn.ModuleDict": "ModuleDict",
    "torch.nn.ParameterList": "ModuleList",
    "torch.nn.ParameterDict": "ModuleDict",
    "torch.nn.Parameter": "Parameter",
    "torch.nn.parameter.Parameter": "Parameter",
    "torch.nn.Buffer": "Parameter",
    "torch.nn.parameter.Buffer": "Parameter",
}


def make(frame: Frame, name: str, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> AnyValue:
    """The container that a constructor call makes."""
    kind = CONTAINERS[name]
    if kind == "Parameter":
        value = frame.interpreter.settle(args[0] if args else kwargs.get("data", Unknown("an empty parameter")))
        return Tensor(value.shape, value.dtype, "torch.nn.Parameter") if isinstance(value, Tensor) else value
    source = args[0] if args else None
    if kind == "ModuleDict":
        if isinstance(source, Dictionary):
            return Container(kind, {str(key): value for key, value in source.items.items()})
        if isinstance(source, Elements):
            return Elements(source.element, source.length, "dict")
        return Container(kind, {}) if source is None else Unknown("modules with unknown names")
    if kind == "ModuleList":
        if isinstance(source, Elements):
            count = None if source.length is None else source.length.symbol
            if count is not None and count.kind is Kind.FLEXIBLE:
                scope().widths |= {count}
            return Elements(source.element, source.length)
        if source is None:
            return Container(kind, {})
        if isinstance(source, Sequence) and not any(isinstance(item, Rest) for item in source.items):
            return _numbered(kind, source.items)  # type: ignore[arg-type]  # no Rest among them
        return Unknown("modules that are not followed")
    if isinstance(source, Dictionary):
        return Container(kind, {str(key): value for key, value in source.items.items()})
    if isinstance(source, Elements):
        return Elements(source.element, source.length, "sequential")
    return _numbered(kind, args)


def _numbered(kind: str, items: list[AnyValue]) -> Container:
    return Container(kind, {str(position): item for position, item in enumerate(items)})


def data_of(value: AnyValue) -> Tensor | None:
    """The tensor that a list of any number of numbers, or of such lists, holds the data of."""
    if isinstance(value, Elements) and value.kind != "dict":
        inner = data_of(take(value))
        if inner is None:
            return None
        length = Dim.of(Symbol("n", Kind.OPAQUE)) if value.length is None else value.length
        return Tensor(Shape((Axis.of(length), *inner.shape.axes)), inner.dtype)
    if isinstance(value, Dim):
        return Tensor(Shape(()), "int")
    if isinstance(value, Number):
        return Tensor(Shape(()), "bool" if value.name == "bool" else "float")
    if isinstance(value, Constant) and isinstance(value.value, (bool, float)):
        return Tensor(Shape(()), "bool" if isinstance(value.value, bool) else "float")
    if isinstance(value, Sequence) and value.items and not any(isinstance(item, Rest) for item in value.items):
        parts = [None if isinstance(item, Rest) else data_of(item) for item in value.items]
        if parts[0] is None or any(part is None or len(part.shape) != len(parts[0].shape) for part in parts):
            return None
        return Tensor(Shape((Axis.of(len(parts)), *parts[0].shape.axes)), parts[0].dtype)
    return None


def apply(frame: Frame, node: ast.AST, container: Container, args: list[AnyValue]) -> AnyValue:
    """A call of ``nn.Sequential``: each module on the result of the one before."""
    if container.kind != "Sequential":
        return Unknown(f"a call of nn.{container.kind}")
    values = args
    for module in container.items.values():
        if module == NONE or isinstance(module, Constant):
            continue
        values = [frame.interpreter.call(frame, node, module, values, {})]
    return values[0] if values else NONE


def apply_repeated(frame: Frame, node: ast.AST, modules: Elements, args: list[AnyValue]) -> AnyValue:
    """A sequential of any number of alike modules: the shape, if one module keeps it."""
    if len(args) != 1:
        return Unknown("a sequential with several arguments")
    once = frame.interpreter.call(frame, node, modules.element, args, {})
    return once if alike(once, args[0]) else join(once, args[0])
