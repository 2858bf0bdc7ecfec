"""One transfer function for each operation of torch and einops; the place to add an operation."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from shapecheck.ops.registry import ATTRIBUTES, MODULES, OPERATIONS, Module, Operation, attribute, construct, forward, module, op

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "ATTRIBUTES",
    "Module",
    "Operation",
    "attribute",
    "construct",
    "find_module",
    "find_operation",
    "forward",
    "load",
    "module",
    "op",
]

FAMILIES: Final = (
    "pointwise",
    "activations",
    "inplace",
    "creation",
    "reductions",
    "scans",
    "products",
    "einsum",
    "linear_algebra",
    "spectral",
    "masked",
    "views",
    "orders",
    "parts",
    "indexing",
    "lookups",
    "gathering",
    "joining",
    "cutting",
    "repeating",
    "attributes",
    "losses",
    "spatial",
    "pooling",
    "padding",
    "resampling",
    "windows",
    "layers",
    "elementwise",
    "normalisation",
    "recurrent",
    "transformers",
    "einops_rules",
    "einops_packs",
    "einops_layers",
    "einx_rules",
)
"""The modules of this package that hold rules."""

_loaded = False


def load(plugins: Sequence[str] = ()) -> None:
    """Fill the registry: the rules of this package once, and those of other packages' modules by name."""
    global _loaded  # noqa: PLW0603 - the registry is filled once
    if not _loaded:
        _loaded = True
        for family in FAMILIES:
            import_module(f"shapecheck.ops.{family}")
    for plugin in plugins:
        import_module(plugin)


def find_operation(name: str) -> Operation | None:
    """The rule of a qualified name, if it has one; an in-place method has that of its twin."""
    found = OPERATIONS.get(name)
    if found is None and name.endswith("_") and not name.endswith("__") and name.startswith("torch."):
        found = OPERATIONS.get(name[:-1])
    return found


def find_module(name: str) -> type[Module] | None:
    """The layer of a qualified name, if it has a rule."""
    return MODULES.get(name)
