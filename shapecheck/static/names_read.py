"""SC304 for sizes: ``n, c, w, h = x.shape`` of an x that is declared ``"n c h w"``.

The names that sizes are read into are those of the axes of that very tensor, at each other's places: what is declared
or what is read has two axes the wrong way round. A tensor that has been turned is another one, and so is one that some
other function declares.
"""

from __future__ import annotations

import ast

from shapecheck.annotations import ArrayHint
from shapecheck.shapes import Axis, Fault, Mismatch, Tensor
from shapecheck.static.signature import optional_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.static.frame import Frame

_SPELT_OUT = {"height": "h", "width": "w"}


def check_names_read(frame: Frame, target: ast.expr, source: ast.expr) -> None:
    """Report sizes of a parameter that are read into the names of each other's axes.

    Args:
        frame: the function that is run.
        target: one name or several.
        source: what is assigned to them.
    """
    if frame.depth or frame.signature is None or not frame.signature.arrays:
        return
    parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    read = _places(source)
    if read is None or not all(isinstance(part, ast.Name) for part in parts):
        return
    owner, places = read
    hint, names = _declared(frame, owner)
    if hint is None or len(set(names)) != len(names):
        return
    found = [place % len(names) for place in places or range(len(names)) if -len(names) <= place < len(names)]
    if len(found) != len(parts):
        return
    moved: dict[int, int] = {}
    for part, place in zip(parts, found, strict=True):
        name = _plain(part.id)  # type: ignore[attr-defined]  # a Name, see above
        if name in names and names.index(name) != place:
            moved[place] = names.index(name)
    if len(moved) == len(parts) == 1:
        moved |= _read_before(frame, owner, names, *next(iter(moved.items())))
    if len(moved) > 1 and set(moved) == set(moved.values()):
        tokens = [axis.text for axis in hint.spec.shape.axes]
        told = "; ".join([f"{tokens[wanted]} {place}" for place, wanted in sorted(moved.items())])
        frame.report(source, Mismatch(Fault.NAMES_READ, detail=f"{owner}|{hint.spec.shape.text}|{told}"), "")


def _places(source: ast.expr) -> tuple[str, list[int] | None] | None:
    """Whose sizes an expression reads, and those of which axes, None for all of them."""
    if isinstance(source, ast.Tuple):
        each = [_places(part) for part in source.elts]
        owners = {one[0] for one in each if one is not None}
        places = [one[1][0] for one in each if one is not None and one[1] is not None and len(one[1]) == 1]
        return (owners.pop(), places) if len(owners) == 1 and len(places) == len(each) else None
    if isinstance(source, ast.Subscript):
        whole = _places(source.value)
        return None if whole is None or whole[1] is not None else _selected(whole[0], source.slice)
    if isinstance(source, ast.Attribute):
        return (source.value.id, None) if source.attr == "shape" and isinstance(source.value, ast.Name) else None
    if isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute) and source.func.attr == "size":
        owner = source.func.value
        if isinstance(owner, ast.Name) and not source.keywords and len(source.args) < 2:
            return _selected(owner.id, source.args[0]) if source.args else (owner.id, None)
    return None


def _selected(owner: str, index: ast.expr) -> tuple[str, list[int]] | None:
    """The places that an index of a shape takes: one, or the last few (``x.shape[-2:]``)."""
    number = _number(index)
    if number is not None:
        return owner, [number]
    if isinstance(index, ast.Slice) and index.lower is not None and index.upper is None and index.step is None:
        number = _number(index.lower)
        if number is not None and number < 0:
            return owner, list(range(number, 0))
    return None


def _number(node: ast.expr) -> int | None:
    sign = 1
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        sign, node = -1, node.operand
    number = node.value if isinstance(node, ast.Constant) else None
    return sign * number if type(number) is int else None


def _declared(frame: Frame, owner: str) -> tuple[ArrayHint | None, list[str]]:
    """What a parameter is declared to be and the plain names of its axes, if it still is what came in."""
    signature, tensor = frame.signature, frame.env.get(owner)
    parameter = next((one for one in signature.parameters if one.name == owner), None) if signature else None
    if parameter is None or parameter.hint is None or not isinstance(tensor, Tensor):
        return None, []
    hint = optional_of(parameter.hint) or parameter.hint
    if not isinstance(hint, ArrayHint) or hint.spec.shape.variadic >= 0 or tensor.shape.rest is not None:
        return None, []
    names: list[str] = []
    for place, axis in enumerate(hint.spec.shape.axes):
        found = tensor.shape[place] if place < len(tensor.shape) else None
        bound = frame.names.bound.get(axis.name) if frame.names is not None else None
        if axis.kind == "name" and (not isinstance(found, Axis) or found.size != bound):
            return None, []
        names.append(_plain(axis.name) if axis.kind == "name" else f"axis {place}")
    return hint, names


def _plain(name: str) -> str:
    folded = name.lower()
    return _SPELT_OUT.get(folded, folded)


def _read_before(frame: Frame, owner: str, names: list[str], place: int, wanted: int) -> dict[int, int]:
    """The other half of an exchange: the name of the axis just read, if it holds the size that the new name means."""
    tensor = frame.env[owner]
    axis = tensor.shape[wanted] if isinstance(tensor, Tensor) else None
    for name, value in frame.env.items():
        if isinstance(axis, Axis) and value == axis.size and _plain(name) == names[place]:
            return {wanted: place}
    return {}
