"""One function under analysis: interpreted as often as its declaration leaves choices, and what comes out."""

from __future__ import annotations

import ast

from shapecheck.annotations import ArrayHint, OtherHint, walk
from shapecheck.diagnostics import wording
from shapecheck.diagnostics.model import Diagnostic, Place
from shapecheck.dims import Dim, Kind, Scope, Symbol
from shapecheck.rules.silent import batch_names, give
from shapecheck.shapes import AnyValue, Axis, Context, Sequence, Unknown, use
from shapecheck.static import construction, objects
from shapecheck.static.cases import DOTS, MAX_STEPS, Case, alternatives, cases, shown_variadic, variadic_names
from shapecheck.static.configs import settings
from shapecheck.static.copies import Copies
from shapecheck.static.declare import Names, bind_names
from shapecheck.static.frame import BudgetError, Frame
from shapecheck.static.interpreter import Interpreter
from shapecheck.static.report import InternalNote, Report
from shapecheck.static.signature import Parameter, optional_of
from shapecheck.static.switches import switch_cases
from shapecheck.static.ties import declared_ties, explicit_ties, implicit_ties, path_reader, setting_ties
from shapecheck.static.values import Container, Dictionary, Elements, FunctionValue, Instance, OneOf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from shapecheck.annotations.hints import Hint
    from shapecheck.static.classes import ClassIndex
    from shapecheck.static.declare import Bound
    from shapecheck.static.index import ModuleIndex, Project
    from shapecheck.static.signature import Signature

MAX_DEPTH = 60
"""Nobody nests syntax this deep; where it is deeper, Python's own limit of calls may be what ends the analysis."""


def _sizes(bound: Bound | None) -> list[Dim]:
    """The sizes of the axes that a name stands for, as far as there are any to tell."""
    if isinstance(bound, tuple):
        return [axis.size for axis in bound if isinstance(axis, Axis)]
    return [] if bound is None else [bound]


def _count(counts: dict[str, int], why: str) -> None:
    counts[why] = counts.get(why, 0) + 1


class Analyst:
    """Interprets functions and constructors of one file; what it finds is the interpreter's."""

    def __init__(
        self, project: Project, index: ModuleIndex, report: Report, interpreter: Interpreter | None = None
    ) -> None:
        self.project = project
        self.index = index
        self.report = report
        self.interpreter = Interpreter(project) if interpreter is None else interpreter
        self.instances: dict[ClassIndex, tuple[Instance, Scope] | None] = {}
        self.switches: dict[ClassIndex, list[Case]] = {}
        """The cases of the constructor's bools, for each class they were asked for."""
        self.chosen: dict[str, Hint] = {}
        """The alternatives of the parameters' unions in the pass that is running."""
        self.case: Case | None = None
        """The value of a flag in the pass that is running."""
        self.leading: int | None = None
        """How many axes each name like ``*batch`` stands for in the pass that is running; None for any number."""
        self.entry: dict[str, AnyValue] = {}
        """Parameters and attributes of the function under analysis, as they are when it is entered."""

    def guard(self, name: str, run: Callable[[], object], *, count: bool = True) -> None:
        """Run one analysis; whatever goes wrong inside stays inside.

        Args:
            name: the function.
            run: its analysis.
            count: whether it is an annotated function, of which the statistics tell how far it was checked.
        """
        interpreter = self.interpreter
        unknown_before = interpreter.tensor_expressions - interpreter.known_expressions
        reasons_before = dict(interpreter.reasons)
        try:
            run()
        except BudgetError:
            self._not_checked("a function too long to follow", count=count)
        except Exception as error:  # noqa: BLE001 - the one place where a failure is contained
            if isinstance(error, RecursionError) and self.project.depth > MAX_DEPTH:
                self._not_checked("code nested too deeply to follow", count=count)
                return
            import traceback

            self._not_checked("a failure of the checker itself", count=count)
            self.report.internal.append(
                InternalNote(self.index.path, name, f"{type(error).__name__}: {error}", traceback.format_exc())
            )
        else:
            statistics = self.report.statistics
            statistics.checked_functions += count
            if count and interpreter.tensor_expressions - interpreter.known_expressions > unknown_before:
                statistics.partly_checked_functions += 1
                fresh = [(total - reasons_before.get(why, 0), why) for why, total in interpreter.reasons.items()]
                _count(statistics.partly, max(fresh)[1])
        finally:
            interpreter.silent = interpreter.defining = 0
            self.case = None
            interpreter.sure_only = False
            interpreter.conditional = 0
            interpreter.building.clear()
            interpreter.calling.clear()
            interpreter.active.clear()
            interpreter.too_long.clear()

    def _not_checked(self, why: str, *, count: bool) -> None:
        if count:
            _count(self.report.statistics.unchecked, why)

    def analyse(self, function: FunctionValue, signature: Signature, cls: ClassIndex | None) -> None:
        """Interpret a function, once for each alternative of its parameters' unions.

        What tells the alternatives apart is often no condition that can be read: a fault is reported only if every pass
        finds it that reaches its statement.
        """
        choices = alternatives(signature)
        interpreter = self.interpreter
        interpreter.undecided.clear()
        if not choices:
            self._analyse_pass(function, signature, cls)
            if interpreter.steps < MAX_STEPS:
                worth = cases(function.node, signature, list(interpreter.undecided), dict(self.entry))
                worth += [] if cls is None or signature.has("staticmethod") else self._switches(cls)
                self._analyse_cases(function, signature, cls, worth)
                self._analyse_ranks(function, signature, cls)
            return
        before, seen = len(interpreter.findings), set(interpreter.seen)
        passes: list[tuple[dict[tuple[str, Place], Diagnostic], set[ast.stmt]]] = []
        try:
            for chosen in choices:
                self.chosen = chosen
                interpreter.seen, interpreter.reached = set(seen), set()
                self._analyse_pass(function, signature, cls)
                found = {(finding.code, finding.place): finding for finding in interpreter.findings[before:]}
                del interpreter.findings[before:]
                passes.append((found, interpreter.reached))
        finally:
            # What a pass found that did not come to its end has no other pass to agree with.
            del interpreter.findings[before:]
            self.chosen, interpreter.seen, interpreter.reached = {}, seen, None
        for found, _ in passes:
            for key, finding in found.items():
                cause = interpreter.causes.get((finding.code, finding.place))
                if all(key in others for others, reached in passes if cause is None or cause in reached):
                    interpreter.add(finding)

    def _analyse_cases(
        self, function: FunctionValue, signature: Signature, cls: ClassIndex | None, chosen: list[Case]
    ) -> None:
        """Interpret a function again for each value of the flags that left something unknown."""
        interpreter = self.interpreter
        for case in chosen:
            before = len(interpreter.findings)
            self.case, interpreter.sure_only = case, True
            try:
                self._analyse_pass(function, signature, cls)
            finally:
                self.case, interpreter.sure_only = None, False
                for position, finding in enumerate(interpreter.findings[before:], before):
                    message = wording.in_case(finding.message, case.subject, case.said)
                    interpreter.findings[position] = finding.replace(message=message)

    def _analyse_ranks(self, function: FunctionValue, signature: Signature, cls: ClassIndex | None) -> None:
        """Interpret a function for one, two and three axes where it counts axes across a name like ``*batch``.

        ``x[1]`` of a ``*batch 2`` is right where there are none, ``b, h, t, d = x.shape`` of a ``... d`` where there
        are three: only what fails with each of these numbers is a fault.
        """
        interpreter = self.interpreter
        if not interpreter.context.hidden or not variadic_names(signature):
            return
        before, seen = len(interpreter.findings), set(interpreter.seen)
        first: list[Diagnostic] = []
        interpreter.sure_only = True
        try:
            for self.leading in (1, 2, 3):
                interpreter.seen = set(seen)
                self._analyse_pass(function, signature, cls)
                errors = [found for found in interpreter.findings[before:] if found.severity == "error"]
                del interpreter.findings[before:]
                if not errors:
                    return
                first = first or errors
        finally:
            del interpreter.findings[before:]
            self.leading, interpreter.sure_only, interpreter.seen = None, False, seen
        for finding in first:
            message = wording.in_case(finding.message, shown_variadic(variadic_names(signature)[0]), "one axis")
            interpreter.add(finding.replace(message=message))

    def _analyse_pass(self, function: FunctionValue, signature: Signature, cls: ClassIndex | None) -> None:
        """Interpret a function; findings that rest on a tie by name alone are told apart from the others."""
        interpreter = self.interpreter
        before = len(interpreter.findings)
        seen = set(interpreter.seen)
        tied = self._interpret(function, signature, cls, ties=True)
        fresh = [finding for finding in interpreter.findings[before:] if finding.code.startswith("SC2")]
        if not tied or not fresh:
            return
        kept = interpreter.findings[before:]
        del interpreter.findings[before:]
        interpreter.seen = set(seen)
        causes = dict(interpreter.causes)
        self._interpret(function, signature, cls, ties=False)
        proven = {
            (finding.code, finding.place): finding for finding in interpreter.findings[before:]
            if finding.code.startswith("SC2")
        }
        del interpreter.findings[before:]
        interpreter.seen = seen
        without = {interpreter.causes[key]: finding for key, finding in proven.items()}
        for finding in kept:
            key = finding.code, finding.place
            if finding.code.startswith("SC2") and key not in proven:
                # What is wrong with the same statement without the tie is no matter of names.
                message = wording.by_name(finding.message, tied)
                by_name = finding.replace(code="SC209", severity="warning", message=message)
                finding = without.get(causes[key], by_name)  # noqa: PLW2901 - what is known of it by now
            interpreter.add(finding)
            interpreter.causes[finding.code, finding.place] = causes[key]

    def _interpret(
        self, function: FunctionValue, signature: Signature, cls: ClassIndex | None, *, ties: bool
    ) -> dict[str, str]:
        """Run the body once; the names that were tied, and to what."""
        node = function.node
        if isinstance(node, ast.Lambda):
            return {}
        interpreter = self.interpreter
        instance: Instance | None = None
        context = Context()
        if cls is not None and not signature.has("staticmethod") and not signature.has("classmethod"):
            made = self.instance(cls, cls.name) if self.case is None or self.case.made is None else self.case.made
            if made is not None:
                instance = made[0]
                context.scope = made[1].fork()
        interpreter.context = context
        use(context)
        interpreter.steps = 0
        interpreter.root = function.name
        frame = Frame(
            interpreter, function.index, function.name, closure=function.closure, instance=instance, owner=cls
        )
        frame.signature = signature
        frame.node = node
        names = Names(Kind.RIGID)
        frame.names = names
        self.entry = {}
        hints = [self.chosen.get(parameter.name, parameter.hint) for parameter in signature.parameters]
        if self.case is not None and self.case.is_given:
            # The names of an optional argument mean something where it is given.
            hints += [optional_of(parameter.hint) for parameter in signature.parameters
                      if parameter.hint is not None and parameter.name == self.case.subject]  # fmt: skip
        if self.leading is not None:
            for name in variadic_names(signature):
                shown = [("_" if name == DOTS else name) + "'" * number for number in range(self.leading)]
                own = tuple([Axis.of(Symbol(each), ident=("axes", each)) for each in shown])
                if name == DOTS:
                    names.dots = own
                else:
                    names.bound[name] = own
        bind_names([hint for hint in hints if hint is not None], names)
        if self.case is not None and self.case.said == "None":
            self._free_names(signature, names)
        tied: dict[str, str] = {}
        if instance is not None:
            frame.instance = _copy(instance)
            self.entry = {f"self.{name}": value for name, value in frame.instance.attributes.items()}
            if self.case is not None and self.case.subject in self.entry:
                chosen = self.case.choose(self.entry[self.case.subject])
                frame.instance.attributes[self.case.subject.removeprefix("self.")] = chosen
            explicit = explicit_ties(frame, frame.instance)
            self._tie(names, explicit, signature)
            if ties:
                tied = self._tie_by_name(frame.instance, names, signature, node, frozenset(explicit))
        tied |= self._introduce(frame, signature, names, ties=ties)
        names.dots = ()  # those of a result are any others
        batches = [names.bound.get(name) for name in batch_names(signature.orders) if name not in tied]
        symbols = [size.symbol for size in batches if isinstance(size, Dim)]
        interpreter.scope.samples = frozenset(symbol for symbol in symbols if symbol is not None)
        if instance is not None:
            interpreter.scope.constructor = ("constructor", id(cls))
        for name, number in signature.beside:
            for size in _sizes(names.bound.get(name)):
                if size.symbol is not None:
                    interpreter.scope.write_beside(size.symbol, number)
        # The value of a flag may go with the sizes that came with it.
        interpreter.scope.correlated = self.case is not None and (
            instance is None or self.case.made is not None or self.case.subject.startswith("self.")
        )
        postponed = len(interpreter.postponed)
        try:
            if interpreter.execute(frame, node.body):
                interpreter.report_narrowed(frame)
        finally:
            interpreter.decide(postponed)
        return tied

    def _tie_by_name(
        self, instance: Instance, names: Names, signature: Signature, body: ast.AST, explicit: frozenset[str]
    ) -> dict[str, str]:
        """Equate axis names with what the object knows by the same names; what each was tied to."""
        found = setting_ties(instance, signature, body)
        axes = declared_ties(instance, signature, self.interpreter.scope)
        parameters = implicit_ties(instance, signature)
        sizes = {name: setting.size for name, setting in found.items()} | axes | parameters
        what = {name: f"`{setting.shown}`" for name, setting in found.items()}
        what |= dict.fromkeys(axes, wording.SAME_AXIS) | dict.fromkeys(parameters, wording.SAME_PARAMETER)
        tied = {name: said for name, said in what.items() if name not in explicit}
        self._tie(names, {name: sizes[name] for name in tied}, signature)
        return tied

    def _free_names(self, signature: Signature, names: Names) -> None:
        """Without an optional argument its axis names may be any: ``s`` is ``t`` where no context is given.

        Those of the first array stay what they are.
        """
        arrays = [
            (parameter.name, {name for part in walk(parameter.hint) if isinstance(part, ArrayHint)
                              for name in part.spec.shape.bound})
            for parameter in signature.parameters if parameter.hint is not None
        ]  # fmt: skip
        first = next((bound for _, bound in arrays if bound), set())
        for parameter, bound in arrays:
            for name in bound - first if self.case is not None and parameter == self.case.subject else ():
                if isinstance(names.bound.get(name), Dim):
                    names.bound[name] = Dim.of(Symbol(name, Kind.FLEXIBLE))

    def _introduce(self, frame: Frame, signature: Signature, names: Names, *, ties: bool) -> dict[str, str]:
        """Give every parameter its value; the required int parameters that axis names are tied to."""
        interpreter = self.interpreter
        tied: dict[str, str] = {}
        values: dict[str, AnyValue] = {}
        names.path = path_reader(interpreter, frame.index, values, frame.instance)
        owner: object = ("function", id(frame))
        bindable = [parameter for parameter in signature.parameters if parameter.is_required_int]
        for parameter in sorted(signature.parameters, key=lambda p: p not in bindable):
            first = signature.parameters[0] is parameter
            if first and frame.owner is not None and frame.instance is not None:
                values[parameter.name] = frame.instance
                continue
            if first and frame.owner is not None and signature.has("classmethod"):
                values[parameter.name] = Unknown("a class")
                continue
            if parameter.name in self.chosen:
                parameter = Parameter(  # noqa: PLW2901 - the same one with a narrower hint
                    parameter.node, parameter.kind, parameter.default, self.chosen[parameter.name]
                )
            value = self._parameter(frame, parameter, names, owner)
            values[parameter.name] = value
            named = parameter.name in signature.names or parameter.name in signature.braced
            if ties and parameter in bindable and named and isinstance(value, Dim):
                symbol, axis = value.symbol, names.bound.get(parameter.name)
                if symbol is not None and isinstance(axis, Dim):
                    interpreter.scope.tie(symbol, axis)
                    tied[parameter.name] = wording.SAME_PARAMETER
                elif symbol is not None and axis is None:
                    names.bound[parameter.name] = value
                    interpreter.scope.name(symbol)
                    tied[parameter.name] = wording.SAME_PARAMETER
        if ties and frame.instance is None and frame.node is not None:
            found = settings(values, signature.names, frame.node)
            found = {name: setting for name, setting in found.items() if name not in tied}
            self._tie(names, {name: setting.size for name, setting in found.items()}, signature)
            tied |= {name: f"`{setting.shown}`" for name, setting in found.items()}
        self.entry.update(values)
        if self.case is not None and self.case.made is None and self.case.subject in values:
            values[self.case.subject] = self.case.choose(values[self.case.subject])
        for value in values.values():
            for option in value.options if isinstance(value, OneOf) else (value,):
                give(option)
        frame.env.update(values)
        return tied

    def _tie(self, names: Names, sizes: dict[str, Dim], signature: Signature) -> None:
        """Equate axis names with the sizes that the object has under these names.

        A name that no argument binds is an axis name all the same, different from every other: in every method for
        ``dims=``, also where the annotations do not mention it.
        """
        scope = self.interpreter.scope
        for name, size in sorted(sizes.items(), key=lambda item: item[0] not in names.bound):
            axis = names.bound.get(name)
            if isinstance(axis, tuple):
                continue
            if isinstance(axis, Dim):
                if size.symbol is not None and scope.solution(size.symbol) is None:
                    scope.tie(size.symbol, axis)
                else:
                    scope.assume(axis, size)
                continue
            symbol = scope.normal(size).symbol
            bound = size
            if symbol is not None:
                scope.name(symbol)
            else:
                bound = Dim.of(Symbol(name))
                scope.assume(bound, size)
            (names.bound if name in signature.names else names.shown)[name] = bound

    def _parameter(self, frame: Frame, parameter: Parameter, names: Names, owner: object) -> AnyValue:
        if parameter.kind in {"args", "kwargs"}:
            hint = parameter.hint
            if hint is not None and any(isinstance(part, ArrayHint) for part in walk(hint)):
                return _repeated(self.interpreter, frame, hint, names, parameter.kind)
            return Unknown("any number of arguments")
        return construction.parameter_value(self.interpreter, frame, parameter, names, owner)

    def instance(self, cls: ClassIndex, name: str, *, count: bool = False) -> tuple[Instance, Scope] | None:
        """An object of a class under analysis, with the facts its constructor leaves; made once."""
        if cls in self.instances:
            return self.instances[cls]
        self.instances[cls] = None
        found = cls.method("__init__")
        own = found is not None and found[0].index is self.index and found[0] is cls
        if count:
            self.report.statistics.annotated_functions += 1
        self.instances[cls] = self._construct(cls, name, {}, count=count, silent=not own)
        return self.instances[cls]

    def _construct(
        self, cls: ClassIndex, name: str, given: dict[str, AnyValue], *, count: bool = False, silent: bool = True
    ) -> tuple[Instance, Scope] | None:
        """An object of a class, made with some arguments given; None if the constructor comes to no end with them."""
        context = Context()
        interpreter = self.interpreter
        before, root = interpreter.context, interpreter.root
        interpreter.context = context
        use(context)
        interpreter.steps = 0
        interpreter.root = f"{name}.__init__"
        instance = Instance(cls)
        interpreter.silent += silent
        interpreter.building.append(cls)
        ends = []

        def run() -> None:
            ends.append(construction.build(interpreter, instance, ("constructor", id(cls)), given))

        level, building, postponed = interpreter.silent, list(interpreter.building), len(interpreter.postponed)
        self.guard(interpreter.root, run, count=count)
        interpreter.silent, interpreter.building = level, building
        interpreter.decide(postponed)
        interpreter.building.pop()
        interpreter.silent -= silent
        interpreter.context, interpreter.root = before, root
        use(before)
        return (instance, context.scope) if not given or ends == [True] else None

    def _switches(self, cls: ClassIndex) -> list[Case]:
        """The cases of the bools that the constructor of a class makes numbers of; found once."""
        if cls not in self.switches:
            made = self.instance(cls, cls.name)
            found = [] if made is None else switch_cases(made[0], lambda given: self._construct(cls, cls.name, given))
            self.switches[cls] = found
        return self.switches[cls]


def _copy(instance: Instance) -> Instance:
    """The object as a method finds it: what other methods change in it is not known at first."""
    cls = instance.cls
    copy = Instance(cls)
    copy.attributes = Copies().table(instance.attributes)
    for name, value in copy.attributes.items():
        changed = name in cls.changed_late and isinstance(value, (Sequence, Dictionary, Elements, Container))
        if changed or (name in cls.assigned_late and not objects.is_declared(copy, name)):
            copy.attributes[name] = Unknown("an attribute assigned outside the constructor")
    copy.is_followed = True
    copy.parameters = instance.parameters
    copy.constructed = dict(instance.constructed)
    copy.names = dict(instance.names)
    copy.complete = instance.complete
    return copy


def _repeated(interpreter: Interpreter, frame: Frame, hint: Hint, names: Names, kind: str) -> AnyValue:
    from shapecheck.static.declare import introduce

    def other(part: OtherHint) -> AnyValue:
        return interpreter.plain_value(frame.index, part, "value")

    element = introduce(hint, names, other)
    return Elements(element, None, "dict" if kind == "kwargs" else "tuple")
