"""Names in shape strings that nothing binds, or nothing yet.

In an expression they are refused at every call; alone in the result they say nothing.
"""

from __future__ import annotations

from collections import Counter

from shapecheck.annotations import ArrayHint, OtherHint, TupleHint, walk
from shapecheck.annotations.expression import names_in, paths_in
from shapecheck.annotations.hints import children

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from shapecheck.annotations.expression import Expression
    from shapecheck.annotations.hints import Hint
    from shapecheck.annotations.spec import AxisSpec
    from shapecheck.static.classes import ClassIndex
    from shapecheck.static.signature import Signature


class Unbound:
    """An expression in a shape string that cannot be evaluated.

    Attributes:
        array: the annotation it stands in.
        axis: the expression.
        name: the name in it that has no size.
        why: ``"nowhere"`` where no axis of the signature is called so, nor a parameter or attribute, and ``"braces"``
            where it stands between braces and is no parameter. Else it is clear which size is meant, and only not known
            yet: ``"later"`` where an axis behind it is called so, ``"parameter"`` where a parameter of the function is,
            ``"attribute"`` where one of the constructor or a field of the class is.
    """

    __slots__ = ("array", "axis", "name", "why")

    def __init__(self, array: ArrayHint, axis: AxisSpec, name: str, why: str) -> None:
        self.array = array
        self.axis = axis
        self.name = name
        self.why = why


def unbound_expressions(signature: Signature, cls: ClassIndex | None) -> Iterator[Unbound]:
    """Each expression of a signature that cannot be evaluated at any call, with the first name it lacks.

    Annotations are read from left to right, by jaxtyping as by us: a name has a size where an axis before it, in the
    same shape string or an earlier one, is called so. Between braces stand parameters.
    """
    hints = [parameter.hint for parameter in signature.parameters]
    hints.append(signature.returns)
    if any(_has_expression(array) for hint in hints for array in _own_arrays(hint)):
        reading = _Reading(signature, cls, hints)
        for hint in hints:
            yield from reading.read(hint)


class _Reading:
    """What is bound so far, while the annotations of a signature are read from left to right."""

    def __init__(self, signature: Signature, cls: ClassIndex | None, hints: Sequence[Hint | None]) -> None:
        self.parameters = {parameter.name for parameter in signature.parameters}
        self.attributes = _class_names(cls)
        self.somewhere = {name for hint in hints for array in _own_arrays(hint) for name in _names(array)}
        # A tie by ``dims=`` gives its name a size before any annotation is read.
        self.bound = {name for owner in (cls.mro if cls is not None else ()) for name in owner.dims}

    def read(self, hint: Hint | None) -> Iterator[Unbound]:
        """The expressions of one annotation that lack a name; what it binds is bound from here on."""
        if isinstance(hint, TupleHint) and not hint.variadic:
            for item in hint.items:
                yield from self.read(item)
            return
        arrays = list(_own_arrays(hint))
        for array in _own_arrays(hint, looked_into=True):
            if _has_expression(array):
                # Of alternatives and of elements nobody knows which is looked at first.
                others = {name for other in arrays if other is not array for name in _names(other)}
                yield from self._in_array(array, self.bound | others)
        self.bound.update(name for array in arrays for name in _names(array))

    def _in_array(self, array: ArrayHint, bound: set[str]) -> Iterator[Unbound]:
        for axis in array.spec.shape.axes:
            if axis.kind == "name" and not axis.variadic:
                bound = bound | {axis.name}
            # With a `#`, an axis of size 1 is taken before anything is evaluated.
            elif axis.expression is not None and not axis.broadcast:
                missing = self._missing(axis.expression, bound)
                if missing is not None:
                    yield Unbound(array, axis, *missing)

    def _missing(self, expression: Expression, bound: set[str]) -> tuple[str, str] | None:
        """The worst name in an expression that has no size, and why."""
        for path in paths_in(expression):
            if path.parts and path.parts[0] not in self.parameters:
                return path.parts[0], "braces"
        missing = [(name, self._why(name)) for name in names_in(expression) if name not in bound]
        return next((found for found in missing if found[1] == "nowhere"), missing[0] if missing else None)

    def _why(self, name: str) -> str:
        if name in self.parameters:
            return "parameter"
        if name in self.somewhere:
            return "later"
        return "attribute" if name in self.attributes else "nowhere"


def _has_expression(array: ArrayHint) -> bool:
    return any(axis.expression is not None for axis in array.spec.shape.axes)


def _names(array: ArrayHint) -> set[str]:
    """The names to which an array gives a size; one of `*name` has several, which no expression can take."""
    return {axis.name for axis in array.spec.shape.axes if axis.kind == "name" and not axis.variadic}


def unbound_results(signature: Signature, cls: ClassIndex | None) -> Iterator[tuple[ArrayHint, AxisSpec]]:
    """Each axis of the result whose name stands nowhere else, and that is called like no parameter or attribute.

    A name that the result mentions twice is checked: both must be equal.
    """
    if signature.returns is None:
        return
    results = list(_own_arrays(signature.returns))
    hints = [parameter.hint for parameter in signature.parameters if parameter.hint is not None]
    known = {parameter.name for parameter in signature.parameters} | _class_names(cls)
    known.update(name for hint in hints for part in walk(hint) if isinstance(part, ArrayHint)
                 for name in (*part.spec.shape.bound, *part.spec.shape.used))  # fmt: skip
    known.update(name for array in results for name in array.spec.shape.used)
    named = [(array, axis) for array in results for axis in array.spec.shape.axes if axis.kind == "name" and axis.name]
    count = Counter(axis.name for _, axis in named)
    for array, axis in named:
        if count[axis.name] == 1 and axis.name not in known and not axis.tree:
            yield array, axis


def _own_arrays(hint: Hint | None, *, looked_into: bool = False) -> Iterator[ArrayHint]:
    """The arrays of a hint; a function in it has axis names of its own.

    Args:
        hint: the hint, if there is one.
        looked_into: leave out what no check of a call can look into, such as the elements of an iterator.
    """
    if isinstance(hint, ArrayHint):
        yield hint
    elif hint is not None and not (
        isinstance(hint, OtherHint) and (looked_into or hint.name == "collections.abc.Callable")
    ):
        for child in children(hint):
            yield from _own_arrays(child, looked_into=looked_into)


def _class_names(cls: ClassIndex | None) -> set[str]:
    names: set[str] = set()
    for owner in cls.mro if cls is not None else ():
        names |= owner.dims.keys() | owner.fields.keys()
        init = owner.methods.get("__init__")
        if init is not None:
            arguments = init.args
            names.update(argument.arg for argument in (*arguments.args, *arguments.kwonlyargs))
    return names
