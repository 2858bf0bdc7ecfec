"""One call under interpretation: its variables, and the state that branches fork and join."""

from __future__ import annotations

import ast

from shapecheck.dims import Scope
from shapecheck.shapes import AnyValue, Sequence, Unknown, current, scope
from shapecheck.static.joins import alike, join
from shapecheck.static.values import Dictionary, Instance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from shapecheck.shapes import Mismatch
    from shapecheck.static.classes import ClassIndex
    from shapecheck.static.declare import Names
    from shapecheck.static.index import ModuleIndex
    from shapecheck.static.interpreter import Interpreter
    from shapecheck.static.signature import Signature


class BudgetError(Exception):
    """The function takes more steps than one function may; the rest of it is left unknown."""


class State:
    """What a branch may change: variables, attributes of ``self``, facts."""

    __slots__ = ("attributes", "env", "facts")

    def __init__(self, env: dict[str, AnyValue], attributes: dict[str, AnyValue] | None, facts: Scope) -> None:
        self.env = env
        self.attributes = attributes
        self.facts = facts


class Loop:
    """The states in which the body of a loop was left early."""

    __slots__ = ("breaks", "continues")

    def __init__(self) -> None:
        self.breaks: list[State] = []
        self.continues: list[State] = []


class Frame:
    """One call of one function."""

    __slots__ = (
        "closure",
        "depth",
        "env",
        "function",
        "index",
        "instance",
        "interpreter",
        "loops",
        "names",
        "node",
        "owner",
        "results",
        "signature",
        "trail",
    )

    def __init__(
        self,
        interpreter: Interpreter,
        index: ModuleIndex,
        function: str,
        *,
        closure: Mapping[str, AnyValue] | None = None,
        instance: Instance | None = None,
        owner: ClassIndex | None = None,
        depth: int = 0,
        trail: tuple[tuple[ModuleIndex, ast.AST], ...] = (),
    ) -> None:
        self.interpreter = interpreter
        self.index = index
        self.function = function
        self.closure = closure
        self.instance = instance
        self.owner = owner
        self.depth = depth
        self.trail = trail
        """The calls that led here, the outermost first."""
        self.env: dict[str, AnyValue] = {}
        self.names: Names | None = None
        """The axis names, in a function whose own declarations are checked."""
        self.signature: Signature | None = None
        self.node: ast.AST | None = None
        self.results: list[AnyValue] = []
        self.loops: list[Loop] = []

    # -- evaluation --------------------------------------------------------------------------------------------------

    def evaluate(self, node: ast.expr) -> AnyValue:
        """The abstract value of an expression."""
        return self.interpreter.evaluate(self, node)

    def execute(self, body: list[ast.stmt]) -> bool:
        """Run statements; whether execution can go on behind them."""
        return self.interpreter.execute(self, body)

    def report(self, node: ast.AST, mismatch: Mismatch, operation: str = "") -> Unknown:
        """Report a mismatch at a node; the value is unknown from there on."""
        self.interpreter.report(self, node, mismatch, operation)
        return Unknown("a fault was reported here")

    # -- branches ----------------------------------------------------------------------------------------------------

    def capture(self) -> State:
        """The state as it is, for a branch to come back to. Mutable values are copied."""
        attributes = None if self.instance is None else dict(self.instance.attributes)
        return State({name: _copied(value) for name, value in self.env.items()}, attributes, scope().fork())

    def resume(self, state: State) -> None:
        """Go on from a state, which can be resumed again."""
        self.env = {name: _copied(value) for name, value in state.env.items()}
        if self.instance is not None and state.attributes is not None:
            self.instance.attributes = dict(state.attributes)
        current().scope = state.facts.fork()

    def meet(self, states: list[State]) -> None:
        """Go on from where several branches meet."""
        if len(states) == 1:
            self.resume(states[0])
            return
        facts = Scope()
        facts.meet([state.facts for state in states])
        current().scope = facts
        self.env = _joined([state.env for state in states])
        if self.instance is not None:
            attributes = [state.attributes for state in states if state.attributes is not None]
            if attributes:
                self.instance.attributes = _joined(attributes)

    def at_rest(self, before: State) -> bool:
        """Whether the variables look as they did in an earlier state."""
        return self.env.keys() == before.env.keys() and all(
            alike(value, before.env[name]) for name, value in self.env.items()
        )


def _copied(value: AnyValue) -> AnyValue:
    if isinstance(value, Sequence) and value.kind == "list":
        return Sequence(value.items, "list", value.fields)
    if isinstance(value, Dictionary):
        return Dictionary(dict(value.items))
    return value


def _joined(tables: list[dict[str, AnyValue]]) -> dict[str, AnyValue]:
    result: dict[str, AnyValue] = {}
    for name in dict.fromkeys(name for table in tables for name in table):
        found: AnyValue | None = None
        for table in tables:
            value = table.get(name)
            if value is None:
                # Unbound in a branch: used afterwards only where it is bound, or Python refuses.
                continue
            found = value if found is None else join(found, value)
        if found is not None:
            result[name] = found
    return result
