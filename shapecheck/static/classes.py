"""Classes of the project: bases, methods, fields, and how they are constructed."""

from __future__ import annotations

import ast

from shapecheck.annotations import Alias
from shapecheck.annotations.source import dotted_name
from shapecheck.static.index import Imported
from shapecheck.static.mutation import changed_attributes
from shapecheck.static.walk import assigned_targets, nodes, statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from shapecheck.static.index import Function, ModuleIndex

MAX_BASES = 40

_MODULES = frozenset(("torch.nn.Module", "torch.nn.modules.Module", "lightning.LightningModule",
                      "pytorch_lightning.LightningModule"))  # fmt: skip
_PLAIN = frozenset(("builtins.object", "abc.ABC", "typing.Generic", "typing.Protocol", "typing.NamedTuple",
                    "torch.nn.Module", "enum.Enum", "builtins.Exception"))  # fmt: skip
_DATACLASS = frozenset(("dataclasses.dataclass", "attrs.define", "attr.s", "attrs.frozen", "attr.define", "attr.frozen",
                        "chex.dataclass", "flax.struct.dataclass", "pydantic.dataclasses.dataclass"))  # fmt: skip
_RECORD_BASES = frozenset(("typing.NamedTuple", "pydantic.BaseModel", "typing.TypedDict"))


class Field:
    """An annotated class-level name: a field of a dataclass, or the declaration of an attribute."""

    __slots__ = ("annotation", "default", "is_keyword", "name")

    def __init__(self, name: str, annotation: ast.expr, default: ast.expr | None, *, is_keyword: bool = False) -> None:
        self.name = name
        self.is_keyword = is_keyword
        """Whether a constructor takes it by name only."""
        self.annotation = annotation
        self.default = default

    @property
    def is_taken(self) -> bool:
        """Whether the constructor of a record takes it: no ``ClassVar``, no ``field(init=False)``."""
        base = self.annotation.value if isinstance(self.annotation, ast.Subscript) else self.annotation
        if dotted_name(base).rpartition(".")[2] == "ClassVar":
            return False
        keywords = self.default.keywords if isinstance(self.default, ast.Call) else []
        return not any(
            keyword.arg == "init" and isinstance(keyword.value, ast.Constant) and keyword.value.value is False
            for keyword in keywords
        )


def _accessor(function: Function) -> str:
    """``.setter`` or ``.deleter`` of a property, which do not stand for the property itself."""
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Attribute) and decorator.attr in {"setter", "deleter"}:
            return f".{decorator.attr}"
    return ""


class ClassIndex:
    """One class statement of one file."""

    def __init__(self, node: ast.ClassDef, index: ModuleIndex) -> None:
        self.node = node
        self.index = index
        self.name = node.name
        self.methods: dict[str, Function] = {}
        self.fields: dict[str, Field] = {}
        self.assigned: dict[str, ast.expr] = {}
        self.nested: dict[str, ast.ClassDef] = {}
        self.external_bases: list[str] = []
        self.decorators: list[str] = []
        self.dims: dict[str, str] = {}
        """Axis names tied to attributes by ``@shapechecked(dims={...})``."""
        self._bases: list[ClassIndex] | None = None
        self._mro: tuple[ClassIndex, ...] | None = None
        self._late: frozenset[str] | None = None
        self._changed: frozenset[str] | None = None
        self._overridden: dict[str, bool] = {}
        self.postponed_steps: int | None = None
        """The steps that the constructor takes with unknown arguments, if it leaves no facts behind: it can wait."""
        self._keywords_follow = False
        for statement in node.body:
            self._add(statement)
        for decorator in node.decorator_list:
            self._add_decorator(decorator)

    def _add(self, statement: ast.stmt) -> None:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.methods[f"{statement.name}{_accessor(statement)}"] = statement
        elif isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            name = statement.target.id
            if ast.unparse(statement.annotation).rpartition(".")[2] == "KW_ONLY":
                self._keywords_follow = True
                return
            self.fields[name] = Field(
                name, statement.annotation, statement.value, is_keyword=self._keywords_follow
            )
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    self.assigned[target.id] = statement.value
        elif isinstance(statement, ast.ClassDef):
            self.nested[statement.name] = statement
        elif isinstance(statement, ast.If):
            for inner in (*statement.body, *statement.orelse):
                self._add(inner)

    def _add_decorator(self, decorator: ast.expr) -> None:
        call = decorator if isinstance(decorator, ast.Call) else None
        dotted = dotted_name(call.func if call is not None else decorator)
        resolved = self.index.resolve(dotted)
        name = resolved if isinstance(resolved, str) else dotted
        self.decorators.append(name)
        if call is not None and name.rpartition(".")[2] == "shapechecked":
            for keyword in call.keywords:
                if keyword.arg == "dims" and isinstance(keyword.value, ast.Dict):
                    for key, value in zip(keyword.value.keys, keyword.value.values, strict=True):
                        if isinstance(key, ast.Constant) and isinstance(value, ast.Constant):
                            self.dims[str(key.value)] = str(value.value)

    # -- bases -------------------------------------------------------------------------------------------------------

    @property
    def bases(self) -> list[ClassIndex]:
        """The bases that are project classes; the names of the others are in ``external_bases``."""
        if self._bases is None:
            self._bases = []
            for base in self.node.bases:
                expression = base.value if isinstance(base, ast.Subscript) else base
                dotted = dotted_name(expression)
                found = find_class(dotted, self.index) if dotted else None
                if found is not None and found.node is not self.node:
                    self._bases.append(found)
                    continue
                resolved = self.index.resolve(dotted) if dotted else None
                if isinstance(resolved, str):
                    self.external_bases.append(resolved)
                else:
                    builtin = dotted in {"object", "Exception"}
                    self.external_bases.append(f"builtins.{dotted}" if builtin else dotted or "?")
        return self._bases

    @property
    def mro(self) -> tuple[ClassIndex, ...]:
        """The class and its project bases in the order in which attributes are looked up."""
        if self._mro is None:
            self._mro = tuple(_linearized(self))
        return self._mro

    @property
    def is_module(self) -> bool:
        """Whether it is an ``nn.Module``."""
        return any(
            name in _MODULES or name.endswith((".nn.Module", "LightningModule"))
            for cls in self.mro
            for name in cls.external_bases
        )

    @property
    def is_record(self) -> bool:
        """Whether its constructor takes its fields: dataclass, NamedTuple, attrs, pydantic."""
        for cls in self.mro:
            if any(name in _DATACLASS or name.rpartition(".")[2] == "dataclass" for name in cls.decorators):
                return True
            if any(name in _RECORD_BASES for name in cls.external_bases):
                return True
        return False

    @property
    def is_known(self) -> bool:
        """Whether every base is known, so that a name it does not define does not exist."""
        return all(
            name in _PLAIN or name in _MODULES or name in _RECORD_BASES
            for cls in self.mro
            for name in cls.external_bases
        )

    # -- members -----------------------------------------------------------------------------------------------------

    def method(self, name: str, after: ClassIndex | None = None) -> tuple[ClassIndex, Function] | None:
        """A method by name; with ``after`` only those of the classes behind it, as ``super()`` looks them up."""
        order = self.mro
        if after is not None and after in order:
            order = order[order.index(after) + 1 :]
        for cls in order:
            found = cls.methods.get(name)
            if found is not None:
                return cls, found
        return None

    def is_overridden(self, name: str) -> bool:
        """Whether a subclass in the same file has a method of the name of its own."""
        known = self._overridden.get(name)
        if known is None:
            known = self._overridden[name] = any(
                other is not self and name in other.methods and self in other.mro
                for other in self.index.classes(class_of)
            )
        return known

    def all_fields(self) -> Iterator[tuple[ClassIndex, Field]]:
        """The annotated names of all classes, those of the outermost base first."""
        seen: set[str] = set()
        for cls in reversed(self.mro):
            for field in cls.fields.values():
                if field.name not in seen:
                    seen.add(field.name)
                    owner = next(c for c in self.mro if field.name in c.fields)
                    yield owner, owner.fields[field.name]

    @property
    def assigned_late(self) -> frozenset[str]:
        """The attributes of ``self`` that methods other than the constructor assign."""
        if self._late is None:
            late: set[str] = set()
            for cls in self.mro:
                for method in cls.methods.values():
                    if method.name not in {"__init__", "__post_init__", "setup"}:
                        late |= _assigned_attributes(method)
            if late:
                # What constructors call belongs to them.
                late -= self._assigned_by_constructor_calls(late)
            self._late = frozenset(late)
        return self._late

    @property
    def changed_late(self) -> frozenset[str]:
        """The attributes of ``self`` that methods other than the constructor change in place."""
        if self._changed is None:
            self._changed = frozenset(
                name
                for cls in self.mro
                for method in cls.methods.values()
                if method.name not in {"__init__", "__post_init__", "setup"}
                for name in changed_attributes(method)
            )
        return self._changed

    def _assigned_by_constructor_calls(self, late: set[str]) -> set[str]:
        early: set[str] = set()
        for cls in self.mro:
            init = cls.methods.get("__init__")
            if init is None:
                continue
            called = {
                node.func.attr
                for node in nodes(init)
                if isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and isinstance(node.func.value, ast.Name)
                and node.func.value.id == "self"
            }
            for name in called:
                found = self.method(name)
                if found is not None:
                    early |= _assigned_attributes(found[1])
        others: set[str] = set()
        for cls in self.mro:
            for method in cls.methods.values():
                if method.name != "__init__" and not any(
                    attribute in early for attribute in _assigned_attributes(method)
                ):
                    others |= _assigned_attributes(method)
        return (early & late) - others

    def __repr__(self) -> str:
        return f"ClassIndex({self.name})"


def _assigned_attributes(function: Function) -> set[str]:
    found: set[str] = set()
    for statement in statements(function.body, nested=True):
        if isinstance(statement, ast.Expr):
            call = statement.value
            if (
                isinstance(call, ast.Call)
                and isinstance(call.func, ast.Attribute)
                and call.func.attr in {"register_buffer", "register_parameter"}
                and call.args
                and isinstance(call.args[0], ast.Constant)
            ):
                found.add(str(call.args[0].value))
            continue
        for target in assigned_targets(statement):
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self":
                found.add(target.attr)
    return found


def class_of(node: ast.ClassDef, index: ModuleIndex) -> ClassIndex:
    """The index of a class statement, made once."""
    found = index.class_indices.get(node)
    if found is None:
        found = index.class_indices[node] = ClassIndex(node, index)
    return found


def _linearized(cls: ClassIndex) -> list[ClassIndex]:
    """A class and its bases, each behind all the classes that it is a base of; at most ``MAX_BASES``.

    Bases that go round in a circle are no Python: the class met again is left out.
    """
    order: list[ClassIndex] = []
    entered = {cls}
    waiting: list[tuple[ClassIndex, list[ClassIndex]]] = [(cls, list(cls.bases))]
    while waiting:
        current, bases = waiting[-1]
        if bases and len(entered) <= MAX_BASES:
            # Whatever is finished first stands last, so the bases are entered from the last to the first.
            base = bases.pop()
            if base not in entered:
                entered.add(base)
                waiting.append((base, list(base.bases)))
            continue
        waiting.pop()
        order.append(current)
    order.reverse()
    return order


def find_class(dotted: str, index: ModuleIndex, depth: int = 0) -> ClassIndex | None:
    """The project class that a dotted name means in a file, if it means one."""
    head, _, tail = dotted.partition(".")
    owner, binding = index.find(head)
    if isinstance(binding, ast.ClassDef):
        found: ClassIndex | None = class_of(binding, owner)
        while tail and found is not None:
            head, _, tail = tail.partition(".")
            inner = found.nested.get(head)
            found = class_of(inner, owner) if inner is not None else None
        return found
    if isinstance(binding, Imported) and tail and depth < MAX_BASES:
        name = binding.module if binding.attribute is None else f"{binding.module}.{binding.attribute}"
        target = index.project.module(name, owner, binding.level)
        while target is None and "." in tail:
            head, _, tail = tail.partition(".")
            name = f"{name}.{head}"
            target = index.project.module(name, owner, binding.level)
        return find_class(tail, target, depth + 1) if target is not None else None
    resolved = index.resolve(dotted)
    if isinstance(resolved, Alias) and depth < MAX_BASES:
        name = dotted_name(resolved.expression)
        if name and isinstance(resolved.resolver, type(index)):
            return find_class(name, resolved.resolver, depth + 1)
    return None
