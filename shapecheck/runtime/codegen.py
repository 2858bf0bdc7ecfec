"""Writes the checker of one signature: straight-line Python on local variables.

Each tensor's shape and dtype are read once, sizes are compared as local variables, and whatever does not hold leaves
the code by `break`, towards the generic matcher. So the code may be stricter than the rules where that is simpler (a
union takes the first member that fits, and only the matcher backtracks), but must never be laxer.

The text uses only what Dynamo can trace.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from shapecheck.annotations.hints import (
    ArrayHint,
    DictHint,
    InvalidHint,
    NoneHint,
    OtherHint,
    SequenceHint,
    TupleHint,
    UnionHint,
)
from shapecheck.runtime import others
from shapecheck.runtime.codegen_arrays import ArrayLines
from shapecheck.runtime.codegen_lines import MAYBE, NotInlineError
from shapecheck.runtime.hint_names import container_class, names_of
from shapecheck.runtime.records import ABSENT, ALWAYS, TYPED_DICT, RecordHint

if TYPE_CHECKING:
    from shapecheck.annotations.hints import Hint


class Checks(ArrayLines):
    """Writes the checks of every kind of hint."""

    def check(self, hint: Hint, value: str) -> None:
        """Check that the expression `value` is one of the hint's; `break` if not."""
        if isinstance(hint, ArrayHint):
            self.array(hint, value)
        elif isinstance(hint, (NoneHint, OtherHint)):
            test = self.mismatch(hint, value)
            if test:
                self.line(f"if {test}: break")
        elif isinstance(hint, UnionHint):
            self.union(hint, value)
        elif isinstance(hint, RecordHint):
            self.record(hint, value)
        elif isinstance(hint, TupleHint) and not hint.variadic:
            wrong = self.no_instance(value, self.builtin("tuple"))
            self.line(f"if {wrong} or {self.builtin('len')}({value}) != {len(hint.items)}: break")
            for index, item in enumerate(hint.items):
                self.check_part(item, f"{value}[{index}]")
        elif isinstance(hint, (TupleHint, SequenceHint, DictHint)):
            self.loop(hint, value)
        elif not isinstance(hint, InvalidHint):
            raise NotInlineError

    def check_part(self, hint: Hint, value: str) -> None:
        """Check an element, which is read once."""
        part = self.fresh("e")
        self.line(f"{part} = {value}")
        self.check(hint, part)

    def mismatch(self, hint: NoneHint | OtherHint, value: str) -> str:
        """An expression that is true when the value is not one of the hint's; "" when all are."""
        if isinstance(hint, NoneHint):
            return f"{value} is not None"
        if others.accepts_anything(hint):
            return ""
        cls = others.plain_class(hint)
        if cls is not None:
            return self.no_instance(value, self.constant("c", cls))
        return f"not {self.constant('t', others.tester(hint))}({value})"

    def record(self, hint: RecordHint, value: str) -> None:
        """The fields of an object; what only its class binds is bound afresh for each."""
        cls = self.constant("c", hint.container())
        usual = self.constant("c", dict) if hint.kind == TYPED_DICT else cls
        self.line(f"if {self.builtin('type')}({value}) is not {usual} and {self.no_instance(value, cls)}: break")
        local = [name for name in names_of(hint) if name not in self.shared]
        known = {name: self.state.pop(name) for name in local if name in self.state}
        for field, item in zip(hint.fields, hint.items, strict=True):
            if hint.kind != TYPED_DICT:
                default = f", {self.constant('v', ABSENT)}" if field.exempt is ABSENT else ""
                read = f"{self.builtin('getattr')}({value}, {field.name!r}{default})"
                read = read if default else f"{value}.{field.name}"
            else:
                read = f"{value}.get({field.name!r}, {self.constant('v', ABSENT)})"
            if field.exempt is ALWAYS:
                self.check_part(item, read)
                continue
            part = self.fresh("e")
            self.line(f"{part} = {read}")
            self.maybe(names_of(item))
            self.line(f"if {part} is not {self.constant('v', field.exempt)}:")
            self.depth += 1
            state = dict(self.state)
            before = len(self.lines)
            self.check(item, part)
            if len(self.lines) == before:
                self.line("pass")
            self.state = state
            self.depth -= 1
        for name in local:
            self.state.pop(name, None)
        self.state.update(known)

    def union(self, hint: UnionHint, value: str) -> None:
        """The members that are no tensors first: they bind nothing."""
        plain = [member for member in hint.members if isinstance(member, (NoneHint, OtherHint))]
        deep = [member for member in hint.members if member not in plain]
        tests = [self.mismatch(member, value) for member in plain]
        if "" in tests:
            return
        if not deep:
            self.line(f"if {' and '.join(tests)}: break")
            return
        self.maybe([name for member in deep for name in names_of(member)])
        if plain:
            self.line(f"if {' and '.join(tests)}:")
            self.depth += 1
        state = dict(self.state)
        if len(deep) == 1:
            self.check(deep[0], value)
        else:
            self.alternatives(deep, value)
        if plain:
            self.depth -= 1
            self.state = state

    def alternatives(self, members: list[Hint], value: str) -> None:
        """Try the members in turn; the first that fits is taken, and the matcher may think otherwise."""
        self.exact = False
        catching, self.catching = self.catching, False
        chosen = self.fresh("u")
        names = [name for member in members for name in names_of(member) if self.state[name] == MAYBE]
        names = list(dict.fromkeys(names))
        saved = {name: self.fresh("s") for name in names}
        for name, variable in saved.items():
            self.line(f"{variable} = {self.variable(name)}")
        self.line(f"{chosen} = False")
        for member in members:
            self.line(f"while not {chosen}:")
            self.depth += 1
            state = dict(self.state)
            self.check(member, value)
            self.state = state
            self.line(f"{chosen} = True")
            self.depth -= 1
            if saved:
                self.line(f"if not {chosen}:")
                self.depth += 1
                for name, variable in saved.items():
                    self.line(f"{self.variable(name)} = {variable}")
                self.depth -= 1
        self.line(f"if not {chosen}: break")
        self.catching = catching

    def loop(self, hint: TupleHint | SequenceHint | DictHint, value: str) -> None:
        """Every element; what only this container binds is bound afresh for each."""
        cls = tuple if isinstance(hint, TupleHint) else container_class(hint)
        self.line(f"if {self.no_instance(value, self.constant('c', cls))}: break")
        names = names_of(hint)
        local = [name for name in names if name not in self.shared]
        self.maybe([name for name in names if name in self.shared])
        failed, part = self.fresh("f"), self.fresh("e")
        self.line(f"{failed} = True")
        if isinstance(hint, DictHint):
            key = self.fresh("k")
            self.line(f"for {key}, {part} in {value}.items():")
        else:
            self.line(f"for {part} in {value}:")
        self.depth += 1
        before = len(self.lines)
        state = dict(self.state)
        for name in local:
            self.state.pop(name, None)
        if isinstance(hint, DictHint):
            self.check(hint.key, key)
            self.check(hint.element, part)
        else:
            self.check(hint.items[0] if isinstance(hint, TupleHint) else hint.element, part)
        self.state = state
        if len(self.lines) == before:
            self.line("pass")
        self.depth -= 1
        self.line("else:")
        self.line(f"    {failed} = False")
        self.line(f"if {failed}: break")
