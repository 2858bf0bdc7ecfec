"""Abstract values that only the interpreter knows: functions, classes, instances, containers of unknown length."""

from __future__ import annotations

from itertools import count

from shapecheck.shapes import AnyValue, Number, Sequence, Unknown, Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Mapping

    from shapecheck.annotations.hints import OtherHint
    from shapecheck.dims import Dim, Symbol
    from shapecheck.ops import Module
    from shapecheck.shapes import Axis
    from shapecheck.static.classes import ClassIndex
    from shapecheck.static.frame import Frame
    from shapecheck.static.index import ModuleIndex

_serial = count()

LIMITS = "torch.finfo()"
"""The name of the object that ``torch.finfo`` and ``torch.iinfo`` return; every attribute of it is a number."""


class External(Value):
    """A name of a library: ``torch.nn.Linear``, ``math.sqrt``, ``builtins.len``."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"External({self.name})"


class ProjectModule(Value):
    """A module of the project."""

    __slots__ = ("index",)

    def __init__(self, index: ModuleIndex) -> None:
        self.index = index


class FunctionValue(Value):
    """A function of the project, with what it closes over and the object it is bound to."""

    __slots__ = ("bound", "closure", "index", "name", "node", "owner")

    def __init__(
        self,
        node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
        index: ModuleIndex,
        name: str,
        *,
        closure: Mapping[str, AnyValue] | None = None,
        bound: AnyValue | None = None,
        owner: ClassIndex | None = None,
    ) -> None:
        self.node = node
        self.index = index
        self.name = name
        self.closure = closure
        self.bound = bound
        self.owner = owner

    def bind(self, instance: AnyValue) -> FunctionValue:
        """The method of an object."""
        return FunctionValue(
            self.node, self.index, self.name, closure=self.closure, bound=instance, owner=self.owner
        )

    def __repr__(self) -> str:
        return f"FunctionValue({self.name})"


class PassedIn(Unknown):
    """A function that is passed in, of which only its declaration is known: ``Callable[[A, B], R]``."""

    __slots__ = ("hint",)

    def __init__(self, hint: OtherHint) -> None:
        super().__init__("a module or function that is passed in")
        self.hint = hint


class GivenModule(Unknown):
    """A module of which nothing is known but that it is one: passed in, or of a library that is not followed."""

    __slots__ = ()


class Rows(Unknown):
    """What such a module makes of a tensor whose first axis is ``axis``: nothing is known, but rows stay rows.

    For warnings only, see ``static.rows``.
    """

    __slots__ = ("axis",)

    def __init__(self, why: str, axis: Axis) -> None:
        super().__init__(why)
        self.axis = axis


class ClassValue(Value):
    """A class of the project."""

    __slots__ = ("cls",)

    def __init__(self, cls: ClassIndex) -> None:
        self.cls = cls

    def __repr__(self) -> str:
        return f"ClassValue({self.cls.name})"


_MADE = ("attributes", "constructed", "names")
"""What the body of a constructor makes of an object."""


class Instance(Value):
    """An object of a project class; ``attributes`` grows as they are assigned or asked for."""

    __slots__ = (
        "_finish", "attributes", "building", "cls", "complete", "constructed", "is_exact", "is_followed", "names",
        "parameters", "serial", "widths",
    )  # fmt: skip

    def __init__(self, cls: ClassIndex) -> None:
        self.cls = cls
        self.attributes: dict[str, AnyValue] = {}
        self.parameters: dict[str, AnyValue] = {}
        """The arguments its constructor was given, by name."""
        self.constructed: dict[ClassIndex, dict[str, AnyValue]] = {}
        """The arguments that the constructor of each class was given: its own, and those that ``super()`` leads to."""
        self.is_exact = False
        """Whether it is known to be of this very class, and of no subclass: its construction was seen."""
        self.is_followed = False
        """Whether every assignment to its attributes is seen: ``self`` in the method under analysis."""
        self.names: dict[str, Dim] = {}
        """The axis names of its class-level annotations."""
        self.building = False
        self.complete = True
        """Whether every attribute is known: False where a base class or its constructor is not."""
        self.serial = next(_serial)
        self.widths: frozenset[Symbol] = frozenset()
        """The widths of layers that a postponed constructor made: known wherever the object is looked into."""

    def postpone(self, constructor: Callable[[], None]) -> None:
        """Leave the body of the constructor until somebody looks into the object: one in twenty ever is."""
        begun = [(part, getattr(self, part)) for part in _MADE]
        for part in _MADE:
            delattr(self, part)

        def finish() -> None:
            for part, value in begun:
                setattr(self, part, value)
            constructor()

        self._finish = finish

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            """What a postponed constructor makes, asked for for the first time."""
            if name not in _MADE:
                raise AttributeError(name)
            self._finish()
            return getattr(self, name)

    def __repr__(self) -> str:
        return f"Instance({self.cls.name})"


class Layer(Value):
    """A module of torch, by its rule."""

    __slots__ = ("attributes", "name", "rule")

    def __init__(self, name: str, rule: Module) -> None:
        self.name = name
        self.rule = rule
        self.attributes: dict[str, AnyValue] = {}

    def __repr__(self) -> str:
        return f"Layer({self.name})"


class Container(Value):
    """``nn.Sequential``, ``nn.ModuleList`` or ``nn.ModuleDict`` of known modules."""

    __slots__ = ("items", "kind")

    def __init__(self, kind: str, items: dict[str, AnyValue]) -> None:
        self.kind = kind
        self.items = items

    def __repr__(self) -> str:
        return f"Container({self.kind}, {list(self.items)})"


class Elements(Value):
    """A sequence or iterable of unknown length whose items all look like ``element``."""

    __slots__ = ("element", "kind", "length", "own", "taken")

    def __init__(
        self, element: AnyValue, length: Dim | None = None, kind: str = "list", own: frozenset[Symbol] = frozenset()
    ) -> None:
        self.element = element
        self.own = own
        """The sizes that each item has for itself: lists may be ragged."""
        self.taken: dict[object, AnyValue] = {}
        """The items at constant places that were taken out, with sizes of their own."""
        self.length = length
        self.kind = kind
        """``list``, ``dict`` (``element`` is then the value) or ``sequential``: modules applied one after another."""

    def __repr__(self) -> str:
        return f"Elements({self.element!r}, {self.length})"


class Dictionary(Value):
    """A dictionary with known keys."""

    __slots__ = ("items",)

    def __init__(self, items: dict[object, AnyValue]) -> None:
        self.items = items

    def __repr__(self) -> str:
        return f"Dictionary({self.items!r})"


class OneOf(Value):
    """One of a few values, not known which: an optional argument is None or what is declared."""

    __slots__ = ("is_fixed", "options")

    def __init__(self, options: tuple[AnyValue, ...]) -> None:
        self.options = options
        self.is_fixed = KINDS.isdisjoint(map(type, options))
        """Whether nothing in it can be changed in place, as in nearly all: asked at every branch."""

    def __repr__(self) -> str:
        return f"OneOf{self.options!r}"


class BoundMethod(Value):
    """A method of a tensor, a sequence, a string or another value with built-in methods."""

    __slots__ = ("name", "receiver")

    def __init__(self, receiver: AnyValue, name: str) -> None:
        self.receiver = receiver
        self.name = name

    def __repr__(self) -> str:
        return f"BoundMethod({self.receiver!r}.{self.name})"


class Condition(Number):
    """A bool that is not known, with the expression it came from: what follows from it can be told where it is used."""

    __slots__ = ("frame", "node", "values")

    def __init__(self, frame: Frame, node: ast.expr, values: list[tuple[ast.expr, AnyValue | None]]) -> None:
        super().__init__("bool")
        self.frame = frame
        self.node = node
        self.values = values
        """The names and attributes in it, with the values they had."""


class Partial(Value):
    """``functools.partial``."""

    __slots__ = ("args", "function", "kwargs")

    def __init__(self, function: AnyValue, args: list[AnyValue], kwargs: dict[str, AnyValue]) -> None:
        self.function = function
        self.args = args
        self.kwargs = kwargs


NESTED = (Sequence, Elements, Dictionary, OneOf, Container)
"""What may be changed in place, or may hold what is."""
KINDS = frozenset(NESTED)
"""The same for a look at the type alone: tables of variables are copied at every branch."""


class Super(Value):
    """``super()`` inside a method."""

    __slots__ = ("instance", "owner")

    def __init__(self, instance: AnyValue, owner: ClassIndex) -> None:
        self.instance = instance
        self.owner = owner
