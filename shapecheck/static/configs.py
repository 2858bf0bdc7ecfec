"""Sizes that are read from a configuration: ``cfg.n_mels``, ``config["n_mels"]``, by the names of their attributes."""

from __future__ import annotations

import ast

from shapecheck.annotations.source import dotted_name
from shapecheck.dims import Dim, Kind
from shapecheck.rules.observed import BATCH_NAMES
from shapecheck.shapes import Opaque
from shapecheck.static.values import Instance
from shapecheck.static.walk import nodes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from shapecheck.shapes import AnyValue

MAX_DEPTH = 3
"""Configurations inside of configurations are looked into this far."""

_OF_TENSORS = frozenset(("T", "H", "mT", "mH"))
"""Attributes that a tensor has, of which nothing else is known."""


class Setting:
    """A size that a configuration has under a name."""

    __slots__ = ("shown", "size")

    def __init__(self, size: Dim, shown: str) -> None:
        self.size = size
        self.shown = shown


def settings(values: Mapping[str, AnyValue], names: frozenset[str], body: ast.AST) -> dict[str, Setting]:
    """The axis names that configurations have a size under, where all that have one mean the same.

    Args:
        values: parameters by their names, and attributes as ``self.name``.
        names: the axis names of a function.
        body: the function.
    """
    wanted = names - BATCH_NAMES - _OF_TENSORS
    found: dict[str, list[Setting]] = {}
    read: set[tuple[str, str]] | None = None
    for path, value in values.items():
        if isinstance(value, Opaque):
            read = _read(body, wanted) if read is None else read
            for owner, name in read:
                if owner == path:
                    # As a size it is one from the start.
                    _as_size(value.attribute(name))
        for name, setting in _settings(path, value, wanted, MAX_DEPTH):
            found.setdefault(name, []).append(setting)
    return {name: all_of[0] for name, all_of in found.items() if all(one.size == all_of[0].size for one in all_of)}


def _read(body: ast.AST, wanted: frozenset[str]) -> set[tuple[str, str]]:
    """The attributes that a function reads, not to call them, each with what it is an attribute of."""
    attributes, called = [], set()
    for node in nodes(body):
        if isinstance(node, ast.Call):
            called.add(id(node.func))
        elif isinstance(node, ast.Attribute) and node.attr in wanted:
            attributes.append(node)
    return {(dotted_name(node.value), node.attr) for node in attributes if id(node) not in called}


def _as_size(value: AnyValue) -> Dim | None:
    if isinstance(value, Opaque):
        return value.size()
    return value if isinstance(value, Dim) else None


def _settings(
    path: str, value: AnyValue, wanted: frozenset[str], depth: int
) -> Iterator[tuple[str, Setting]]:
    if not depth or not isinstance(value, (Opaque, Instance)):
        return
    if isinstance(value, Instance) and not value.cls.is_record:
        return
    for key, item in value.attributes.items():
        name = key.removeprefix("['").removesuffix("']")
        shown = f"{path}.{key}" if key == name else f"{path}{key}"
        size = _as_size(item) if not isinstance(item, Opaque) or item.dim is not None else None
        if size is None:
            yield from _settings(shown, item, wanted, depth - 1)
        elif name in wanted and size.symbol is not None and size.symbol.kind is Kind.FLEXIBLE:
            yield name, Setting(size, shown)
