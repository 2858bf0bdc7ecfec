"""Rules that other distributions bring: the entry points of the group ``shapecheck.ops``.

Each names a module whose import registers rules for that package's operators with ``shapecheck.ops.op``. They load
when the first operation of a library is met that has no rule here, so that code which needs none pays nothing.
"""

from __future__ import annotations

import sys

GROUP = "shapecheck.ops"

_OWN = frozenset(("torch", "einops", "einx", "numpy", "jaxtyping", "typing_extensions", "builtins"))
_loaded = False


class PluginError(ImportError):
    """A distribution promises rules, and its module cannot be imported; the message names both."""


def load_plugins(name: str) -> bool:
    """Load every plugin, once, if an operation may be one of theirs; whether that brought any.

    Args:
        name: the qualified name of an operation without a rule.

    Raises:
        PluginError: a plugin cannot be imported.
    """
    global _loaded  # noqa: PLW0603 - once in a process
    top = name.partition(".")[0]
    if _loaded or top in _OWN or top in sys.stdlib_module_names:
        return False
    _loaded = True
    from importlib.metadata import entry_points

    found = entry_points(group=GROUP)
    for entry in found:
        try:
            entry.load()
        except Exception as error:
            where = entry.dist.name if entry.dist is not None else "an unknown distribution"
            message = f"the rules that {where} brings ({entry.value}) cannot be loaded: {error}"
            raise PluginError(message) from error
    return bool(found)
