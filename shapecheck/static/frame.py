"""One call under interpretation: its variables, and the state that branches fork and join."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from shapecheck.dims import Scope
from shapecheck.shapes import AnyValue, Unknown, current, scope
from shapecheck.static.copies import Copies
from shapecheck.static.joins import alike, join, losses, one_meeting
from shapecheck.static.settled import settled
from shapecheck.static.values import Instance

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

    from shapecheck.shapes import Mismatch
    from shapecheck.static.classes import ClassIndex
    from shapecheck.static.declare import Names
    from shapecheck.static.index import ModuleIndex
    from shapecheck.static.interpreter import Interpreter
    from shapecheck.static.signature import Signature


FAULT = "a fault was reported here"
"""Why a value is unknown that an operation cannot make."""


NO_RETURN = "a function that does not return"
"""Why a value is unknown that a call never gives: what follows is not reached."""


def is_fault(value: AnyValue) -> bool:
    """Whether an operation could not make the value."""
    return isinstance(value, Unknown) and value.why is FAULT


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


class Surroundings(Mapping[str, AnyValue]):
    """The variables that a nested function sees: those of the call around it, as they are when it runs."""

    __slots__ = ("frame",)

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        frame.is_captured = True

    def __getitem__(self, name: str) -> AnyValue:
        found = self.frame.env.get(name)
        if found is not None:
            return found
        if self.frame.closure is None:
            raise KeyError(name)
        return self.frame.closure[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**(self.frame.closure or {}), **self.frame.env})

    def __len__(self) -> int:
        return sum(1 for _ in self)


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
        "is_captured",
        "loops",
        "names",
        "node",
        "owner",
        "results",
        "shared",
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
        self.shared: set[str] = set()
        """The variables that nested functions assign or change in place: what they hold is not known."""
        self.is_captured = False
        """Whether a nested function sees the variables."""

    # -- evaluation --------------------------------------------------------------------------------------------------

    def evaluate(self, node: ast.expr) -> AnyValue:
        """The abstract value of an expression.

        Raises:
            BudgetError: the function takes too many steps.
        """
        interpreter = self.interpreter
        interpreter.steps += 1
        if interpreter.steps > interpreter.limit:
            raise BudgetError
        run = interpreter.expressions.get(type(node))
        return Unknown(f"{type(node).__name__} is not followed") if run is None else run(self, node)

    def execute(self, body: list[ast.stmt]) -> bool:
        """Run statements; whether execution can go on behind them."""
        return self.interpreter.execute(self, body)

    def report(self, node: ast.AST, mismatch: Mismatch, operation: str = "") -> Unknown:
        """Report a mismatch at a node; the value is unknown from there on."""
        self.interpreter.report(self, node, mismatch, operation)
        return Unknown(FAULT)

    # -- branches ----------------------------------------------------------------------------------------------------

    def capture(self) -> State:
        """The state as it is, for a branch to come back to. Mutable values are copied."""
        copies = Copies()
        attributes = None if self.instance is None else copies.table(self.instance.attributes)
        return State(copies.table(self.env), attributes, scope().fork())

    def leave(self) -> State:
        """The state as it is, where the call goes on from another one at once: so nothing need be copied."""
        return State(self.env, None if self.instance is None else self.instance.attributes, scope())

    def go_back(self, state: State) -> None:
        """Go on from a state for the only time: so nothing need be copied."""
        if self.instance is not None and state.attributes is not None:
            self.instance.attributes = state.attributes
        self.env = state.env
        current().scope = state.facts

    def resume(self, state: State) -> None:
        """Go on from a state, which can be resumed again."""
        copies = Copies()
        if self.instance is not None and state.attributes is not None:
            self.instance.attributes = copies.table(state.attributes)
        self.env = copies.table(state.env)
        current().scope = state.facts.fork()

    def meet(self, states: list[State], test: ast.expr | None = None) -> None:
        """Go on from where several branches meet; ``test`` is what led into one or the other."""
        if len(states) == 1:
            self.resume(states[0])
            return
        before = losses()
        facts = Scope()
        facts.meet([state.facts for state in states])
        current().scope = facts
        with one_meeting():
            tables = [state.env for state in states]
            self.env = _joined([settled(state.env, state.facts, facts, tables) for state in states])
            if self.instance is not None:
                attributes = [state.attributes for state in states if state.attributes is not None]
                if attributes:
                    self.instance.attributes = _joined(attributes)
        if test is not None and losses() != before:
            self.undecided(test)

    def undecided(self, test: ast.expr) -> None:
        """Remember a condition of the function under analysis: where its two ways meet, something known is lost."""
        if self.depth == 0 and self.names is not None:
            self.interpreter.undecided.append(test)

    def at_rest(self, before: State, names: Container[str] | None = None) -> bool:
        """Whether the variables, or some of them, and the attributes look as they did in an earlier state."""
        return not self.restless(before, names)

    def restless(
        self, before: State, names: Container[str] | None = None
    ) -> list[tuple[dict[str, AnyValue], str]]:
        """The variables and attributes that look otherwise than in an earlier state, with the table they are in."""
        found = [
            (self.env, name) for name, value in self.env.items()
            if (names is None or name in names) and not _unchanged(value, before.env.get(name))
        ]  # fmt: skip
        if self.instance is not None and before.attributes is not None:
            table = self.instance.attributes
            found += [
                (table, name) for name, value in table.items()
                if name in before.attributes and not _unchanged(value, before.attributes[name])
            ]
        return found


def _unchanged(value: AnyValue, before: AnyValue | None) -> bool:
    return value is before or (before is not None and alike(value, before))


def _joined(tables: Sequence[Mapping[str, AnyValue]]) -> dict[str, AnyValue]:
    result = dict(tables[0])
    for table in tables[1:]:
        for name, value in table.items():
            # What a branch leaves unbound is used afterwards only where it is bound, or Python refuses.
            known = result.setdefault(name, value)
            if known is not value:
                result[name] = join(known, value)
    return result
