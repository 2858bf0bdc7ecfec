"""Rules that other distributions bring: the entry points of the group ``shapecheck.ops``.

Each names a module whose import registers rules for that package's operators with ``shapecheck.ops.op``. They load
when the first operation of a library is met that has no rule here, so that code which needs none pays nothing.
"""

from __future__ import annotations

import sys

from shapecheck.entry_points import GROUP, promising

_OWN = frozenset(("torch", "einops", "einx", "numpy", "jaxtyping", "typing_extensions", "builtins"))
_loaded = False
_files: list[str] = []


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
    before = set(sys.modules)
    for directory in promising():
        from importlib.metadata import Distribution

        distribution = Distribution.at(directory)
        for entry in distribution.entry_points.select(group=GROUP):
            found = True
            try:
                entry.load()
            except Exception as error:
                # What is missing is no file that could be looked at again: nothing found from here on may be kept.
                _files.append("")
                brings = f"the rules that {distribution.metadata['Name']} brings ({entry.value})"
                message = f"{brings} cannot be loaded: {error}"
                raise PluginError(message) from error
    _files.extend(_sources(before))
    return found


def plugin_files() -> list[str] | None:
    """The files that were imported for the rules of plugins, "" for one that failed; None while none was looked for."""
    return list(_files) if _loaded else None


def _sources(before: set[str]) -> list[str]:
    """The files of the modules that are imported since; those of Python and of this package change with these alone."""
    known = sys.stdlib_module_names | {"shapecheck"}
    added = [module for name, module in sys.modules.items() if name not in before]
    named = [(getattr(module, "__name__", ""), getattr(module, "__file__", None)) for module in added]
    return [file for name, file in named if isinstance(file, str) and name.partition(".")[0] not in known]
