"""Expressions in shape strings whose names nothing binds: jaxtyping refuses them at every call."""

from __future__ import annotations

from shapecheck.annotations import ArrayHint, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

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


def _class_names(cls: ClassIndex | None) -> set[str]:
    names: set[str] = set()
    for owner in cls.mro if cls is not None else ():
        names |= owner.dims.keys() | owner.fields.keys()
        init = owner.methods.get("__init__")
        if init is not None:
            arguments = init.args
            names.update(argument.arg for argument in (*arguments.args, *arguments.kwonlyargs))
    return names
