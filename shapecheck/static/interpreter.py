"""The abstract interpreter: one object for a run, which evaluates, calls and counts."""

from __future__ import annotations

import ast
import builtins

from shapecheck.dims import Dim, Scope
from shapecheck.ops import find_operation
from shapecheck.ops.indexing import setitem
from shapecheck.ops.signature import FAMILIES
from shapecheck.rules.silent import forget, observe, overwritten
from shapecheck.shapes import (
    NONE,
    AnyValue,
    Constant,
    Context,
    Mismatch,
    Opaque,
    Parts,
    Sequence,
    Tensor,
    Unknown,
)
from shapecheck.static import arrays, calls, construction, objects
from shapecheck.static.aliases import in_place, own
from shapecheck.static.classes import ClassIndex, class_of
from shapecheck.static.copies import copied
from shapecheck.static.declarations import Declarations
from shapecheck.static.expressions import EXPRESSIONS
from shapecheck.static.frame import BudgetError, Frame, Surroundings
from shapecheck.static.index import Assigned, Imported, ModuleIndex, Project
from shapecheck.static.joins import one_of
from shapecheck.static.rows import plain
from shapecheck.static.statements import execute
from shapecheck.static.values import (
    ClassValue,
    Container,
    Dictionary,
    Elements,
    External,
    FunctionValue,
    Instance,
    Layer,
    OneOf,
    ProjectModule,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


MAX_STEPS = 60_000
"""Statements and operations that the analysis of one function may take."""
MAX_CALL_STEPS = 12_000
"""Those that one call inside it may take; its result is unknown after more."""
MAX_DEFINITIONS = 40
"""Names of modules that are defined through each other, followed this far."""

_BUILTIN_NAMES = frozenset(dir(builtins))


class Interpreter(Declarations):
    """Evaluates the functions of a project; collects findings and statistics."""

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self.context = Context()
        self.steps = 0
        self.limit = MAX_STEPS
        self.expressions = EXPRESSIONS
        self.building: list[ClassIndex] = []
        self.cut_short = 0
        """How often an object was not constructed because of those that are being built."""
        self.calling: list[ast.AST] = []
        self.too_long: set[ast.AST] = set()
        """Functions that took too many steps in a call, while one function is analysed."""
        self.short: dict[ast.AST, bool] = {}
        """Whether a function is short enough to follow its body beside its declaration."""
        self.defining = 0
        """Names of modules whose values are being found, each asked for by the one before."""
        self.module_values: dict[tuple[ModuleIndex, str], AnyValue] = {}
        self.known_expressions = 0
        self.tensor_expressions = 0
        self.reasons: dict[str, int] = {}
        self.counted: set[int] = set()
        self.reached: set[ast.stmt] | None = None
        """Every statement executed, where that is asked for."""
        self.undecided: list[ast.expr] = []
        """Conditions of the function under analysis whose two ways differ in what is known afterwards."""
        self.pending: list[FunctionValue] = []
        """Nested functions with annotations of their own, met while their surroundings were interpreted."""

    # -- evaluation --------------------------------------------------------------------------------------------------

    def step(self, count: int = 1) -> None:
        """Count one step, or several.

        Raises:
            BudgetError: there were too many.
        """
        self.steps += count
        if self.steps > self.limit:
            raise BudgetError

    def enter(self, statement: ast.stmt) -> None:
        """Count one step, and remember the statement as reached.

        Raises:
            BudgetError: there were too many.
        """
        self.statement = statement
        if self.reached is not None:
            self.reached.add(statement)
        self.step()

    def limited(self, function: ast.AST, run: Callable[[], AnyValue]) -> AnyValue:
        """The value of a call, or Unknown if it takes more steps than one call may.

        A function that took too many once is not tried again for the function under analysis: it would leave none for
        what comes after.

        Raises:
            BudgetError: the function under analysis has no steps left.
        """
        if function in self.too_long:
            return Unknown("a call too long to follow")
        outer, facts = self.limit, self.context.scope
        self.limit = min(outer, self.steps + MAX_CALL_STEPS)
        try:
            return run()
        except BudgetError:
            if self.steps > outer:
                raise
            self.too_long.add(function)
            self.context.scope = facts
            return Unknown("a call too long to follow")
        finally:
            self.limit = outer

    def aside(self, building: list[ClassIndex], calling: list[ast.AST], run: Callable[[], object]) -> bool:
        """Make up for what was postponed, among the constructions and calls of that time; whether it came to its end.

        It takes no steps of the function under analysis.
        """
        now = self.steps, self.limit, self.building, self.calling, self.statement, self.context.place
        self.limit = self.steps + MAX_CALL_STEPS
        self.building, self.calling = building, calling
        self.silent += 1
        try:
            run()
        except BudgetError:
            return False
        else:
            return True
        finally:
            self.silent -= 1
            self.steps, self.limit, self.building, self.calling, self.statement, self.context.place = now

    def execute(self, frame: Frame, body: list[ast.stmt]) -> bool:
        """Run statements; whether execution can go on behind them."""
        return execute(frame, body)

    def place(self, frame: Frame, node: ast.AST) -> object:
        """What a solution remembers as its place."""
        return (frame.index, node)

    def settle(self, value: AnyValue) -> AnyValue:
        """A choice as the one value that an operation can take."""
        if isinstance(value, OneOf):
            known = [option for option in value.options if option != NONE]
            if len(known) == 1:
                return known[0]
            if all(isinstance(option, (Tensor, Dim)) for option in known) and known:
                return one_of(known)
        return value

    def apply(
        self, frame: Frame, node: ast.AST, name: str, args: list[AnyValue], kwargs: dict[str, AnyValue], shown: str
    ) -> AnyValue:
        """An operation of a library, by its qualified name."""
        operation = find_operation(name)
        if operation is None:
            result: AnyValue = Unknown(f"{name} has no rule")
        else:
            context = self.context
            context.place = (frame.index, node)
            context.suspicions.clear()
            passed = [self._argument(arg) for arg in args]
            named = {key: self._argument(arg) for key, arg in kwargs.items()}
            found = operation(passed, named)
            if not isinstance(found, Mismatch):
                found = self.watched(frame, node, name, passed, named, found, shown)
            result = frame.report(node, found, shown) if isinstance(found, Mismatch) else found
            if isinstance(result, Parts):
                result = Elements(result.element, result.length, "tuple")
            if isinstance(result, Tensor) and name.startswith("torch.") and not arrays.is_torch(result.kind):
                result = Tensor(result.shape, result.dtype)
            if not in_place(name):
                result = own(result, passed)
        self.count(frame, node, result)
        return result

    def watched(
        self,
        frame: Frame,
        node: ast.AST,
        name: str,
        args: list[AnyValue],
        kwargs: dict[str, AnyValue],
        result: AnyValue,
        shown: str,
        layer: object = None,
    ) -> AnyValue:
        """The result of an operation after the rules about silent faults saw it; what they suspect is reported."""
        found = observe(name, args, kwargs, result, layer)
        suspicions = self.context.suspicions
        if suspicions:
            for suspicion in suspicions:
                self.report(frame, node, suspicion, suspicion.operation or shown)
            suspicions.clear()
        return found

    def _argument(self, value: AnyValue) -> AnyValue:
        if isinstance(value, (Tensor, Dim)):
            return value
        value = plain(self.settle(value))
        if isinstance(value, External):
            known = value.name.rpartition(".")[2] in FAMILIES
            return Constant(value.name) if known else Unknown(f"the value of {value.name}")
        if isinstance(value, Layer) and value.rule.methods:
            return value.rule  # type: ignore[return-value]  # a distribution: rules take what it is
        if isinstance(value, Sequence) and any(isinstance(item, (External, OneOf)) for item in value.items):
            return Sequence(
                [item if not isinstance(item, (External, OneOf)) else self._argument(item) for item in value.items],
                value.kind,
                value.fields,
            )
        return value

    def set_item(self, owner: Tensor, index: AnyValue, value: AnyValue) -> Mismatch | None:
        """Check an assignment to a part of a tensor."""
        forget(owner)
        overwritten()
        return setitem(owner, self._argument(index), self._argument(value))

    def count(self, frame: Frame, node: ast.AST, value: AnyValue) -> None:
        """Count an expression that is a tensor, or would be one if it were known."""
        if frame.depth or self.silent or id(node) in self.counted:
            return
        if isinstance(value, Tensor):
            self.counted.add(id(node))
            self.tensor_expressions += 1
            if value.shape.is_unknown:
                self._reason("a tensor whose shape is not declared")
            else:
                self.known_expressions += 1
        elif isinstance(value, Unknown) and not _is_conversion(node):
            self.counted.add(id(node))
            self.tensor_expressions += 1
            self._reason(value.why)

    def _reason(self, why: str) -> None:
        self.reasons[why] = self.reasons.get(why, 0) + 1

    def key(self, value: AnyValue) -> object:
        """A value as the key of a dictionary, or None if it is not known."""
        if isinstance(value, Dim):
            return value.constant
        if isinstance(value, Constant):
            return value.value
        return None

    # -- names -------------------------------------------------------------------------------------------------------

    def closure(self, frame: Frame) -> Surroundings:
        """The variables that a nested function sees."""
        return Surroundings(frame)

    def global_name(self, frame: Frame, name: str) -> AnyValue:
        """A name that is no variable of the function."""
        if frame.closure is not None:
            found = frame.closure.get(name)
            if found is not None:
                return found
        return self.module_name(frame.index, name)

    def module_name(self, index: ModuleIndex, name: str) -> AnyValue:
        """A name of a module."""
        key = index, name
        found = self.module_values.get(key)
        if found is None:
            if self.defining >= MAX_DEFINITIONS:
                return Unknown("a name defined through too many others")
            self.module_values[key] = Unknown("a name defined by itself")
            self.defining += 1
            try:
                found = self.module_values[key] = self._module_name(index, name)
            finally:
                self.defining -= 1
        # A list of a module is each function's own: what one does to it, no other sees.
        return copied(found)

    def _module_name(self, index: ModuleIndex, name: str) -> AnyValue:
        owner, binding = index.find(name)
        if binding is None:
            if name in _BUILTIN_NAMES:
                return External(f"builtins.{name}")
            submodule = self.project.module(name, index, 1) if index.path.endswith("__init__.py") else None
            return ProjectModule(submodule) if submodule is not None else Unknown(f"the name {name} is not defined")
        if name in owner.ambiguous and isinstance(binding, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            return Unknown("a name that is defined in more than one way")
        if isinstance(binding, ast.ClassDef):
            return ClassValue(class_of(binding, owner))
        if isinstance(binding, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return FunctionValue(binding, owner, name)
        if isinstance(binding, Imported):
            return self.imported(binding, owner)
        if binding.value is not None:
            value = self._module_constant(owner, binding)
            mutable = isinstance(value, (Dictionary, Elements, Container)) or (
                isinstance(value, Sequence) and value.kind == "list"
            )
            if (mutable and name in owner.changed) or owner.is_global(name):
                return Opaque(name)
            return value
        return Opaque(name)

    def imported(self, binding: Imported, owner: ModuleIndex) -> AnyValue:
        """What an import binds."""
        name = binding.module if binding.attribute is None else f"{binding.module}.{binding.attribute}".lstrip(".")
        target = self.project.module(name, owner, binding.level)
        if target is not None:
            return ProjectModule(target)
        if binding.level or (
            binding.attribute is not None and self.project.module(binding.module, owner, binding.level) is not None
        ):
            return Unknown(f"{name} is not defined where it is imported from")
        head, _, tail = name.rpartition(".")
        from shapecheck.static.attributes import external_attribute

        return external_attribute(External(head), tail) if head else External(name)

    def _module_constant(self, owner: ModuleIndex, binding: Assigned) -> AnyValue:
        value = binding.value
        if value is None:
            return Unknown("a name assigned more than once")
        frame = Frame(self, owner, "<module>", depth=1)
        before, self.silent = self.context.scope, self.silent + 1
        self.context.scope = Scope()
        try:
            return frame.evaluate(value)
        finally:
            self.silent -= 1
            self.context.scope = before

    def local_import(self, frame: Frame, node: ast.Import | ast.ImportFrom) -> None:
        """An import inside a function."""
        if isinstance(node, ast.Import):
            for alias in node.names:
                name = alias.name if alias.asname else alias.name.partition(".")[0]
                frame.env[alias.asname or name] = self.imported(Imported(name, None), frame.index)
            return
        for alias in node.names:
            target = self.project.module(node.module or "", frame.index, node.level)
            bound = alias.asname or alias.name
            if target is not None and (alias.name in target.bindings or target.stars):
                frame.env[bound] = self.module_name(target, alias.name)
            else:
                frame.env[bound] = self.imported(Imported(node.module or "", alias.name, node.level), frame.index)

    def class_of(self, node: ast.ClassDef, index: ModuleIndex) -> ClassIndex:
        """The index of a class statement."""
        return class_of(node, index)

    def nested(self, frame: Frame, function: FunctionValue) -> None:
        """A function defined inside another: it is analysed by itself later if it carries annotations."""
        if frame.depth == 0 and not self.silent:
            self.pending.append(function)

    # -- calls and objects, in modules of their own ------------------------------------------------------------------

    def call_node(self, frame: Frame, node: ast.Call) -> AnyValue:
        """The value of a call expression."""
        return calls.call_node(frame, node)

    def call(
        self, frame: Frame, node: ast.AST, function: AnyValue, args: list[AnyValue], kwargs: dict[str, AnyValue]
    ) -> AnyValue:
        """The value of a call of an abstract function."""
        return calls.call(frame, node, function, args, kwargs)

    def instance(self, cls: ClassIndex, name: str = "") -> AnyValue:
        """An object of a class that was made elsewhere."""
        return construction.instance_of(self, cls, name or cls.name)

    def call_method(
        self, frame: Frame, owner: Instance, name: str, args: list[AnyValue], node: ast.AST
    ) -> AnyValue:
        """The value of a call of a method by name."""
        return objects.call_method(frame, owner, name, args, node)

    def instance_attribute(self, frame: Frame, owner: Instance, name: str, node: ast.AST) -> AnyValue:
        """An attribute of an instance."""
        return objects.instance_attribute(frame, owner, name, node)

    def class_attribute(self, frame: Frame, cls: ClassIndex, name: str) -> AnyValue:
        """An attribute of a class."""
        return objects.class_attribute(frame, cls, name)

    def super_attribute(self, frame: Frame, owner: object, name: str) -> AnyValue:
        """A method of ``super()``."""
        return objects.super_attribute(frame, owner, name)  # type: ignore[arg-type]  # a Super

    def set_attribute(self, frame: Frame, owner: Instance, name: str, value: AnyValue, node: ast.AST) -> None:
        """An assignment to an attribute of an instance."""
        objects.set_attribute(frame, owner, name, value, node)

    def store_attribute(self, owner: Instance, name: str, value: AnyValue) -> None:
        """An assignment to an attribute that needs no check."""
        owner.attributes[name] = value


_CONVERSIONS = frozenset(("tolist", "item", "numpy", "data_ptr", "get_device", "is_floating_point", "stride"))


def _is_conversion(node: ast.AST) -> bool:
    """Whether a call leaves the world of tensors: its result is no tensor of unknown shape."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CONVERSIONS
