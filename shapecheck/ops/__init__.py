"""One transfer function for each operation of torch and einops; the place to add an operation."""

from __future__ import annotations

from shapecheck.ops.registry import (
    ATTRIBUTES,
    MODULES,
    OPERATIONS,
    Module,
    Operation,
    attribute,
    construct,
    forward,
    method,
    module,
    op,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Final

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
    "load_all",
    "method",
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
    "solvers",
    "spectral",
    "masked",
    "views",
    "orders",
    "parts",
    "indexing",
    "lookups",
    "derivatives",
    "distributions",
    "gathering",
    "joining",
    "packing",
    "cutting",
    "repeating",
    "attributes",
    "environment",
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
    "fancy_einsum",
)
"""The modules of this package that hold rules."""

_homes: dict[str, str] = {}


def load(plugins: Sequence[str] = ()) -> None:
    """Make rules available: the attributes of tensors, and what other packages' modules register.

    The operations and layers of this package are imported when they are first asked for.
    """
    for module_name in ("shapecheck.ops.attributes", *plugins):
        __import__(module_name)


def load_all() -> None:
    """Import every rule of this package."""
    for family in FAMILIES:
        __import__(f"shapecheck.ops.{family}")


def _bring(name: str) -> bool:
    """Import the module that holds the rule of a name; whether there is one."""
    if not _homes:
        from shapecheck.ops.names import NAMES

        for family, prefixes in NAMES.items():
            for prefix, names in prefixes.items():
                for last in names.split():
                    _homes[f"{prefix}.{last}"] = family
    family = _homes.get(name, "")
    if not family:
        return False
    __import__(f"shapecheck.ops.{family}")
    return True


def find_operation(name: str) -> Operation | None:
    """The rule of a qualified name, if it has one; an in-place method has that of its twin."""
    found = OPERATIONS.get(name)
    if found is None and _bring(name):
        found = OPERATIONS.get(name)
    if found is None and name.endswith("_") and not name.endswith("__") and name.startswith("torch."):
        return find_operation(name[:-1])
    return found


def find_module(name: str) -> type[Module] | None:
    """The layer of a qualified name, if it has a rule."""
    found = MODULES.get(name)
    if found is None and _bring(name):
        found = MODULES.get(name)
    return found
