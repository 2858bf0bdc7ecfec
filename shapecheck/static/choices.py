"""Conditions that go with the parameters: `self.shortcut is None` holds where two widths are the same."""

from __future__ import annotations

import ast

from shapecheck.dims import Dim
from shapecheck.shapes import Tensor, scope
from shapecheck.static.values import Instance
from shapecheck.static.walk import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.static.frame import Frame


def chosen(frame: Frame, test: ast.expr) -> bool:
    """Whether a condition that is left open may have been decided together with the sizes.

    What a constructor stored may: ``self.add`` is ``c_in == c_out`` in one library and the caller's choice in another.
    What only the call at hand gives, a mask say, does not go with the widths of the layers.
    """
    given = set() if frame.signature is None else {parameter.name for parameter in frame.signature.parameters}
    for node in nodes(test):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = frame.env.get(node.value.id)
            if isinstance(owner, Instance) and node.attr != "training":
                return True
        elif isinstance(node, ast.Name):
            value = frame.env.get(node.id)
            if value is None or isinstance(value, (Tensor, Dim, Instance)):
                continue
            if frame.instance is None or node.id not in given:
                return True
    return False


class Choice:
    """A branch that is taken or not: inside it, parameters may be equal that are not in general.

    Where one branch returns, the same holds for what follows: it is the other branch.
    """

    __slots__ = ("_frame", "_left", "_made", "_outer")

    def __init__(self, frame: Frame, test: ast.expr) -> None:
        self._frame = frame
        self._left = len(frame.results)
        self._outer = scope().correlated
        self._made = self._outer or chosen(frame, test)

    def enter(self) -> None:
        """Begin a branch."""
        scope().correlated = self._made

    def leave(self, *, both: bool) -> None:
        """Go on behind the branches; ``both`` says that both go on."""
        returned = len(self._frame.results) > self._left
        scope().correlated = self._made if returned and not both else self._outer
