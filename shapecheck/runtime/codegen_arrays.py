"""The lines of a checker that look at one tensor: its type, dtype and shape, against the sizes known so far."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from shapecheck.annotations.expression import Path, fold, names_in
from shapecheck.annotations.hints import ArrayHint, arrays
from shapecheck.annotations.spec import AxisSpec
from shapecheck.runtime.arrays import dtype_name, is_array, torch_dtypes, widen
from shapecheck.runtime.codegen_lines import BOUND, MAYBE, Lines, NotInlineError

if TYPE_CHECKING:
    from shapecheck.annotations.expression import Expression
    from shapecheck.annotations.hints import Hint
    from shapecheck.annotations.spec import ShapeSpec

_SAFE = {"+", "-", "*", "min", "max"}
_USUAL = {"torch.float32": 0, "torch.int64": 1}


class ArrayLines(Lines):
    """Writes the checks of single tensors."""

    def array(self, hint: ArrayHint, value: str) -> None:
        """Type, dtype and shape of one tensor."""
        live: Any = hint.value
        torch = sys.modules.get("torch")
        dtype = hint.spec.dtype
        if live.array_type is Any:
            self.line(f"if not {self.constant('h', is_array)}({value}): break")
        elif isinstance(live.array_type, type):
            cls = self.constant("c", live.array_type)
            self.line(f"if {self.builtin('type')}({value}) is not {cls} and {self.no_instance(value, cls)}: break")
        else:
            raise NotInlineError
        accepted = None
        array_type = live.array_type
        if torch is not None and array_type is not Any and issubclass(array_type, torch.Tensor):
            accepted = torch_dtypes(dtype)
        if dtype.patterns:
            raise NotInlineError
        if accepted is not None and len(accepted) == 1:
            self.line(f"if {value}.dtype is not {self.constant('d', next(iter(accepted)))}: break")
        elif accepted is not None:
            # By identity with the usual member of the family, which is cheaper than a look into the set.
            usual = min(accepted, key=lambda dtype: _USUAL.get(str(dtype), 2))
            read = self.fresh("d")
            self.line(f"{read} = {value}.dtype")
            self.line(f"if {read} is not {self.constant('d', usual)} and {read} not in {self.family(accepted)}: break")
        elif dtype.names is not None:
            name = self.constant("h", dtype_name)
            self.line(f"if {name}({value}.dtype) not in {self.family(dtype.names)}: break")
        self.shape(hint, value)

    def family(self, members: frozenset[Any]) -> str:
        """The global name of a set of dtypes; equal sets share one."""
        for name, known in self.namespace.items():
            if name.startswith("_d") and known == members:
                return name
        return self.constant("d", members)

    def shape(self, hint: ArrayHint, value: str) -> None:
        """Compare a shape with what is known, and remember what is new."""
        spec = hint.spec.shape
        if any(axis.tree for axis in spec.axes):
            raise NotInlineError
        if spec.text in self.whole_shapes:
            self.whole_shape(spec, value)
            return
        whole = self.whole(spec.axes)
        if whole is not None:
            self.line(f"if {value}.shape != {whole}: break")
            return
        shape = f"{value}.shape"
        if spec.variadic >= 0 or not self.catching or not spec.axes:
            shape = self.fresh("s")
            self.line(f"{shape} = {value}.shape")
        count = len(spec.axes)
        if spec.variadic < 0:
            if self.catching and count:
                self.catches = True
            else:
                self.line(f"if {self.builtin('len')}({shape}) != {count}: break")
            self.unpacked(spec.axes, shape)
            return
        if count > 1:
            self.line(f"if {self.builtin('len')}({shape}) < {count - 1}: break")
        before, after = spec.axes[: spec.variadic], spec.axes[spec.variadic + 1 :]
        for index, axis in enumerate(before):
            self.axis(axis, f"{shape}[{index}]")
        for index, axis in enumerate(after):
            self.axis(axis, f"{shape}[{index - len(after)}]")
        variadic = spec.axes[spec.variadic]
        if variadic.kind == "name":
            end = str(-len(after)) if after else ""
            start = str(len(before)) if before else ""
            self.variadic(variadic, f"{shape}[{start}:{end}]" if start or end else shape)

    def whole_shape(self, spec: ShapeSpec, value: str) -> None:
        """A shape of whose axes none matters by itself. Its names get their sizes when a message needs them."""
        known = self.first_shapes.get(spec.text)
        if known is not None:
            self.line(f"if {value}.shape != {known}: break")
            return
        shape = self.first_shapes[spec.text] = self.fresh("s")
        self.line(f"{shape} = {value}.shape")
        self.line(f"if {self.builtin('len')}({shape}) != {len(spec.axes)}: break")
        for index, axis in enumerate(spec.axes):
            if axis.kind == "fixed":
                self.line(f"if {shape}[{index}] != {axis.size}: break")
            else:
                self.variables[axis.name] = f"{shape}[{index}]"
                self.state[axis.name] = BOUND

    def unpacked(self, axes: tuple[AxisSpec, ...], shape: str) -> None:
        """Take a shape apart in one step; new names are bound by it."""
        targets = []
        later: list[tuple[AxisSpec, str]] = []
        used: set[str] = set()  # by expressions further left: the name has no size yet when they are evaluated
        for axis in axes:
            if axis.expression is not None:
                used.update(names_in(axis.expression))
            if axis.kind == "name" and not axis.broadcast and axis.name not in self.state and axis.name not in used:
                targets.append(self.variable(axis.name))
                self.state[axis.name] = BOUND
            else:
                targets.append(self.fresh("t"))
                later.append((axis, targets[-1]))
        self.line(f"{', '.join(targets)}, = {shape}")
        for axis, target in later:
            self.axis(axis, target)

    def whole(self, axes: tuple[AxisSpec, ...]) -> str | None:
        """The whole shape as a tuple expression, when every axis has one known size."""
        sizes = []
        for axis in axes:
            if axis.variadic or axis.broadcast or axis.kind == "anonymous":
                return None
            if axis.kind == "fixed":
                sizes.append(str(axis.size))
            elif axis.kind == "name":
                if self.state.get(axis.name) != BOUND:
                    return None
                sizes.append(self.variable(axis.name))
            else:
                assert axis.expression is not None  # noqa: S101
                if any(self.state.get(name) != BOUND for name in names_in(axis.expression)):
                    return None
                sizes.append(self.expression(axis.expression))
        return f"({', '.join(sizes)}{',' if len(sizes) == 1 else ''})"

    def axis(self, axis: AxisSpec, size: str) -> None:
        """Compare the size of one axis, or bind its name."""
        if axis.kind == "anonymous":
            return
        if axis.broadcast:
            self.broadcast_axis(axis, size)
        elif axis.kind == "fixed":
            self.line(f"if {size} != {axis.size}: break")
        elif axis.kind == "name":
            variable = self.variable(axis.name)
            state = self.state.get(axis.name)
            if state == BOUND:
                self.line(f"if {size} != {variable}: break")
            else:
                if state is None:
                    self.line(f"{variable} = {size}")
                else:
                    self.line(f"if {variable} is None: {variable} = {size}")
                    self.line(f"elif {variable} != {size}: break")
                self.state[axis.name] = BOUND
        else:
            assert axis.expression is not None  # noqa: S101
            if self.has_sizes(axis.expression):
                self.line(f"if {size} != {self.expression(axis.expression)}: break")

    def broadcast_axis(self, axis: AxisSpec, size: str) -> None:
        """A `#` axis: a size of 1 fits and binds nothing."""
        if axis.kind == "name":
            self.maybe([axis.name])
        read = self.fresh("t")
        self.line(f"{read} = {size}")
        self.line(f"if {read} != 1:")
        self.depth += 1
        state = dict(self.state)
        plain = AxisSpec(
            axis.kind, axis.name, axis.size, axis.expression, text=axis.text, start=axis.start, end=axis.end
        )
        self.axis(plain, read)
        self.state = state
        self.depth -= 1

    def variadic(self, axis: AxisSpec, part: str) -> None:
        """A `*name` axis."""
        name = "*" + axis.name
        variable = self.variable(name)
        state = self.state.get(name)
        if name in self.widening:
            self.maybe([name])
            wider = self.fresh("w")
            self.line(f"{wider} = {self.constant('h', widen)}({variable}, {part}, broadcasts={axis.broadcast})")
            self.line(f"if {wider} is None: break")
            self.line(f"{variable} = {wider}")
            return
        if state is None:
            self.line(f"{variable} = {part}")
        elif state == BOUND:
            self.line(f"if {part} != {variable}: break")
        else:
            self.line(f"if {variable} is None: {variable} = {part}")
            self.line(f"elif {variable} != {part}: break")
        self.state[name] = BOUND

    def has_sizes(self, expression: Expression) -> bool:
        """Leave to the matcher what names without a size mean (it says which). False when there is one in any case."""
        for name in names_in(expression):
            state = self.state.get(name)
            if state is None:
                self.line("break")
                return False
            if state == MAYBE:
                self.line(f"if {self.variable(name)} is None: break")
        return True

    def expression(self, expression: Expression) -> str:
        """The expression as Python over local variables and parameters."""

        def op(symbol: str, left: str, right: str) -> str:
            self.evaluates |= symbol not in _SAFE
            called = symbol in {"min", "max"}
            return f"{self.builtin(symbol)}({left}, {right})" if called else f"({left} {symbol} {right})"

        def path(part: Path) -> str:
            # A string in braces is an expression of its own; only the matcher evaluates it.
            if not self.names_only_parameters(part):
                raise NotInlineError
            self.evaluates = True
            return f"({part.text})"

        def opaque(_: object) -> str:
            raise NotInlineError

        return fold(expression, number=str, name=self.variable, path=path, op=op, opaque=opaque)

    def names_only_parameters(self, part: Path) -> bool:
        """Whether braces mention nothing that the generated code would take from elsewhere."""
        import ast

        tree = ast.parse(part.text, mode="eval")
        allowed = self.parameters | {"len", "min", "max", "int", "sum", "abs"}
        return all(node.id in allowed for node in ast.walk(tree) if isinstance(node, ast.Name)) and not any(
            isinstance(node, (ast.Lambda, ast.NamedExpr, ast.comprehension)) for node in ast.walk(tree)
        )


def widening_names(hints: list[Hint]) -> set[str]:
    """Variadic names that are anywhere written with `#`: their bindings may widen."""
    return {
        "*" + axis.name
        for hint in hints
        for array in arrays(hint)
        for axis in array.spec.shape.axes
        if axis.kind == "name" and axis.variadic and axis.broadcast
    }
