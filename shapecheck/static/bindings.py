"""Names in shape strings that nothing binds.

In an expression jaxtyping refuses them at every call; alone in the result they say nothing.
"""

from __future__ import annotations

from collections import Counter

from shapecheck.annotations import ArrayHint, OtherHint, walk
from shapecheck.annotations.hints import children

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from shapecheck.annotations.hints import Hint
    from shapecheck.annotations.spec import AxisSpec
    from shapecheck.static.classes import ClassIndex
    from shapecheck.static.signature import Signature


def unbound_expressions(signature: Signature, cls: ClassIndex | None) -> Iterator[tuple[ArrayHint, AxisSpec, str]]:
    """Each expression of a parameter with a name that no annotation, parameter or attribute is called by.

    A name counts as bound wherever in the signature it stands by itself, and where a parameter of the function or of
    the class's constructor, a class-level annotation or a tie by ``dims=`` is called so: such names say which size is
    meant, also where nobody ever evaluates the annotation.
    """
    hints = [parameter.hint for parameter in signature.parameters if parameter.hint is not None]
    arrays = [part for hint in hints for part in walk(hint) if isinstance(part, ArrayHint)]
    if not any(array.spec.shape.used for array in arrays):
        return
    known = {parameter.name for parameter in signature.parameters} | _class_names(cls)
    known.update(name for array in arrays for name in array.spec.shape.bound)
    if signature.returns is not None:
        known.update(name for part in walk(signature.returns) if isinstance(part, ArrayHint)
                     for name in part.spec.shape.bound)  # fmt: skip
    for array in arrays:
        for name in array.spec.shape.used:
            if name not in known:
                for axis in array.spec.shape.axes:
                    if axis.expression is not None and name in axis.text:
                        yield array, axis, name
                        break


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


def _own_arrays(hint: Hint) -> Iterator[ArrayHint]:
    """The arrays of a hint; a function in it has axis names of its own."""
    if isinstance(hint, ArrayHint):
        yield hint
    elif not isinstance(hint, OtherHint) or hint.name != "collections.abc.Callable":
        for child in children(hint):
            yield from _own_arrays(child)


def _class_names(cls: ClassIndex | None) -> set[str]:
    names: set[str] = set()
    for owner in cls.mro if cls is not None else ():
        names |= owner.dims.keys() | owner.fields.keys()
        init = owner.methods.get("__init__")
        if init is not None:
            arguments = init.args
            names.update(argument.arg for argument in (*arguments.args, *arguments.kwonlyargs))
    return names
