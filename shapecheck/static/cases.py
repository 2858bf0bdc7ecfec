"""Cases: the values of a flag, a default of None, a loop that runs no time, where joining them loses a shape.

A branch that is taken or not leaves what it changes unknown behind it. A condition that is one parameter's (a ``bool``,
a string or number compared with others, or whether an optional argument is given) has each value in real calls, so the
function is interpreted once more for each of them: a fault in one of these passes is one. So is an optional argument
that alone says what an axis name of the result means: only where it is given can the result contradict it.
"""

from __future__ import annotations

import ast

from shapecheck.annotations import ArrayHint, NoneHint, UnionHint, walk
from shapecheck.annotations.hints import union
from shapecheck.dims import ZERO, Dim
from shapecheck.shapes import NONE, AnyValue, Constant, Number, Opaque, Unknown
from shapecheck.static.literals import compared_numbers, compared_strings
from shapecheck.static.signature import optional_of
from shapecheck.static.values import OneOf
from shapecheck.static.walk import nodes, statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from shapecheck.annotations.hints import Hint
    from shapecheck.dims import Scope
    from shapecheck.static.signature import Signature
    from shapecheck.static.values import Instance

MAX_SUBJECTS = 3
"""Parameters and attributes of one function that are taken apart."""
MAX_PASSES = 6
"""Combinations of alternatives that a function is interpreted for."""
OTHER = "\0"
"""A string that no code compares with."""
MAX_STEPS = 1_500
"""A function that takes more steps is interpreted once only."""


class Case:
    """One value that a parameter, or an attribute of ``self``, may have."""

    __slots__ = ("made", "said", "subject", "value")

    def __init__(
        self, subject: str, said: str, value: AnyValue | None = None, made: tuple[Instance, Scope] | None = None
    ) -> None:
        self.made = made
        """The object that a constructor made of the value, with the facts that leaves, if the parameter is its."""
        self.value = value
        """The value itself, where it is one that the code compares with."""
        self.subject = subject
        """``flag`` or ``self.flag``."""
        self.said = said
        """The value as a message names it: ``None``, ``not None``, ``True``, ``False``, ``0``."""

    @property
    def is_given(self) -> bool:
        """Whether an optional argument is given."""
        return self.said == "not None"

    def choose(self, value: AnyValue) -> AnyValue:
        """What the parameter is in this case; ``value`` is what the pass at hand gives it, with sizes of its own."""
        if self.value is not None:
            return self.value
        if self.said == "0":
            return ZERO
        return next((chosen for chosen, said in _values(value) if said == self.said), value)


def cases(
    body: ast.AST, signature: Signature, tests: Sequence[ast.expr], entry: Mapping[str, AnyValue]
) -> list[Case]:
    """The cases worth a pass of their own.

    Args:
        body: the function under analysis.
        signature: its declaration.
        tests: conditions, and iterables of loops, at which something known was lost.
        entry: what parameters, and attributes as ``self.name``, are when the function is entered.
    """
    subjects: dict[str, None] = {}
    compared: dict[str, None] = {}
    made = _made(body) if tests else {}
    for test in tests:
        for subject in _subjects(made, test):
            value = entry.get(subject)
            if value is not None and _values(value):
                subjects[subject] = None
            elif isinstance(value, (Unknown, Opaque, Dim)) and subject not in signature.names:
                compared[subject] = None
        counted = _count(test)
        if counted is not None and _only_counts(body, counted, signature):
            subjects[counted] = None
    found = [Case(name, "not None") for name in _named_by(signature) if _values(entry.get(name, NONE))]
    read = {node.id for node in nodes(body) if isinstance(node, ast.Name)} if found else set()
    found = [case for case in found if case.subject in read]
    for subject in list(subjects)[:MAX_SUBJECTS]:
        values = _values(entry[subject])
        known = [case.said for case in found if case.subject == subject]
        found += [Case(subject, said) for said in [said for _, said in values] or ["0"] if said not in known]
    for subject in list(compared)[:MAX_SUBJECTS]:
        found += _compared(body, subject, entry[subject])
    return found


def _compared(body: ast.AST, subject: str, value: AnyValue) -> list[Case]:
    """A case for each string or number that a parameter or attribute is compared with, and one for any other string."""
    if isinstance(value, Dim):
        numbers = [] if subject.startswith("self.") else compared_numbers(body, subject)
        return [Case(subject, str(number), Dim.of(number)) for number in numbers]
    strings, has_others = compared_strings(body, subject)
    found = [Case(subject, f'"{text}"', Constant(text)) for text in strings]
    if found and has_others:
        found.append(Case(subject, "something else", Constant(OTHER)))
    return found


def _named_by(signature: Signature) -> list[str]:
    """The optional arguments that alone say what an axis name of the result means.

    One that the body does not read stands there for the sake of a common interface.
    """
    optional = {parameter.name for parameter in signature.parameters if optional_of(parameter.hint or NoneHint())}
    if not optional:
        return []
    result = set() if signature.returns is None else _names(signature.returns)
    own = {parameter.name: _names(parameter.hint) for parameter in signature.parameters if parameter.hint is not None}
    certain = set().union(*[names for name, names in own.items() if name not in optional])
    return [name for name in own if name in optional and (own[name] - certain) & result]


def _names(hint: Hint) -> set[str]:
    return {name for part in walk(hint) if isinstance(part, ArrayHint) for name in part.spec.shape.bound}


def _values(value: AnyValue) -> list[tuple[AnyValue, str]]:
    """The values that a flag or an optional argument may have."""
    if isinstance(value, Number) and value.name == "bool":
        return [(Constant(True), "True"), (Constant(False), "False")]
    if isinstance(value, OneOf) and NONE in value.options:
        given = [option for option in value.options if option != NONE]
        return [(given[0], "not None"), (NONE, "None")] if len(given) == 1 else []
    return []


def _made(body: ast.AST) -> dict[str, ast.expr | None]:
    """What each variable is made of; None for one that is assigned more than once."""
    made: dict[str, ast.expr | None] = {}
    for node in statements(getattr(body, "body", []), nested=True) if not isinstance(body, ast.Lambda) else ():
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            made[name] = None if name in made else node.value
    return made


def _subjects(made: dict[str, ast.expr | None], test: ast.expr) -> list[str]:
    """The names, and attributes of ``self``, that a condition reads; a variable stands for what it was made of."""
    found: list[str] = []
    for subject in _read(test):
        found.append(subject)
        value = made.get(subject)
        if value is not None:
            found += _read(value)
    return found


def _read(expression: ast.expr) -> list[str]:
    found: list[str] = []
    for node in nodes(expression):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            found.append(f"self.{node.attr}")
        elif isinstance(node, ast.Name):
            found.append(node.id)
    return found


def _count(iterable: ast.expr) -> str | None:
    """The name that says how often a loop over ``range(name)`` runs."""
    if not (isinstance(iterable, ast.Call) and isinstance(iterable.func, ast.Name) and iterable.func.id == "range"):
        return None
    counts = iterable.args
    return counts[0].id if len(counts) == 1 and isinstance(counts[0], ast.Name) else None


def _only_counts(body: ast.AST, name: str, signature: Signature) -> bool:
    """Whether an int parameter says nothing but how often loops run: then it may be 0."""
    parameters = [parameter for parameter in signature.parameters if parameter.name == name]
    if not parameters or not parameters[0].is_required_int or name in signature.names:
        return False
    uses = [node for node in nodes(body) if isinstance(node, ast.Name) and node.id == name]
    return len(uses) == sum(
        1 for node in nodes(body) if isinstance(node, ast.For) and _count(node.iter) == name
    )


def alternatives(signature: Signature) -> list[dict[str, Hint]]:
    """The combinations of what the parameters may be, where their unions leave a choice between tensors.

    None stays beside each alternative: whether an argument is given is a condition that can be read. Too many
    combinations are not taken apart.
    """
    combinations: list[dict[str, Hint]] = [{}]
    for parameter in signature.parameters:
        if not isinstance(parameter.hint, UnionHint):
            continue
        members = [member for member in parameter.hint.members if not isinstance(member, NoneHint)]
        if len(members) < 2 or not any(isinstance(part, ArrayHint) for part in walk(parameter.hint)):
            continue
        optional = len(members) < len(parameter.hint.members)
        options = [union((member, NoneHint())) if optional else member for member in members]
        combinations = [{**chosen, parameter.name: option} for chosen in combinations for option in options]
        if len(combinations) > MAX_PASSES:
            return []
    return combinations if len(combinations) > 1 else []


DOTS = "..."


def variadic_names(signature: Signature) -> list[str]:
    """The names of the parameters' annotations that stand for any number of axes, or the one ``...`` among them.

    None if another argument has axes of its own: with ``x: "*dims d"`` and ``scale: "b d"``, ``b`` is one of ``*dims``.
    Nor if a second ``...`` may be other axes than the first, or where it is all that is said of a tensor.
    """
    hints = [parameter.hint for parameter in signature.parameters if parameter.hint is not None]
    arrays = [part.spec.shape.axes for hint in hints for part in walk(hint) if isinstance(part, ArrayHint)]
    dotted = [axes for axes in arrays if any(axis.text == DOTS for axis in axes)]
    found: dict[str, None] = {}
    beside: set[str] = set()
    alone: set[str] = set()
    for axes in arrays:
        own = [axis for axis in axes if axis.kind == "name" and not axis.tree]
        variadic = [axis.name for axis in own if axis.variadic]
        found.update(dict.fromkeys(variadic))
        (beside if variadic or axes in dotted else alone).update([axis.name for axis in own])
    if alone - beside:
        return []
    if dotted:
        return [DOTS] if len(dotted) == 1 < len(dotted[0]) and not found else []
    return list(found)


def shown_variadic(name: str) -> str:
    """How such a name is written."""
    return name if name == DOTS else f"*{name}"
