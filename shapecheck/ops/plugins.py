"""Rules that other distributions bring: the entry points of the group ``shapecheck.ops``.

Each names a module whose import registers rules for that package's operators with ``shapecheck.ops.op``. They load
when the first operation of a library is met that has no rule here, so that code which needs none pays nothing.
"""

from __future__ import annotations

import os
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
    found = False
    for directory in _promising():
        from importlib.metadata import Distribution

        distribution = Distribution.at(directory)
        for entry in distribution.entry_points.select(group=GROUP):
            found = True
            try:
                entry.load()
            except Exception as error:
                brings = f"the rules that {distribution.metadata['Name']} brings ({entry.value})"
                message = f"{brings} cannot be loaded: {error}"
                raise PluginError(message) from error
    return found


def _promising() -> list[str]:
    """The metadata directories of distributions that name the group.

    Looked for by hand: importing ``importlib.metadata`` takes longer than checking a file.
    """
    found: list[str] = []
    for directory in dict.fromkeys(sys.path):
        try:
            names = os.listdir(directory or os.curdir)
        except OSError:
            continue
        for name in names:
            if name.endswith((".dist-info", ".egg-info")):
                path = os.path.join(directory, name)
                try:
                    with open(os.path.join(path, "entry_points.txt"), "rb") as stream:
                        content = stream.read()
                except OSError:
                    continue
                if GROUP.encode() in content:
                    found.append(path)
    return found
