"""Which files to check: named files always, and below named directories every Python file that is not left out.

Left out are files that .gitignore or the setting `exclude` match, virtual environments, caches and version control.
Links to directories are not followed: what they point at is checked where it stands.
"""

from __future__ import annotations

import os

from shapecheck.patterns import compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from shapecheck.config import Settings

_NEVER = frozenset(("__pycache__", "__pypackages__", "node_modules", "site-packages", "venv"))
"""Directories of other people's or generated code; those that begin with a dot are left out as well."""


class Discovered:
    """Files to check in order, and directories that could not be listed, each with the reason."""

    __slots__ = ("files", "unreadable")

    def __init__(self) -> None:
        self.files: list[str] = []
        self.unreadable: list[tuple[str, str]] = []


class DiscoveryError(Exception):
    """One of the paths cannot be checked; the message says which, and why."""


def discover(paths: Sequence[str], settings: Settings) -> Discovered:
    """Find the files to check. Names are relative to the working directory where they lie below it.

    Raises:
        DiscoveryError: one of the paths does not exist, or is a notebook.
    """
    found = Discovered()
    # A file that is named is checked whatever the patterns say, and reading them costs more than checking it.
    exclude = compiled(settings.exclude) if settings.exclude and any(map(os.path.isdir, paths)) else None
    seen: set[str] = set()
    for path in paths:
        if os.path.isdir(path):
            files = _Walk(settings.root, exclude, found).below(path)
        elif os.path.exists(path):
            refuse_notebook(path)
            files = [path]
        else:
            raise DiscoveryError(f"no such file or directory: {path or repr(path)}")
        for file in files:
            key = os.path.abspath(file)
            if key not in seen:
                seen.add(key)
                found.files.append(display_name(file))
    return found


def refuse_notebook(path: str) -> None:
    """Let nobody take a notebook for checked: its code lies inside of JSON, which passes for Python without code.

    Raises:
        DiscoveryError: the path is that of a notebook.
    """
    if path.endswith(".ipynb"):
        raise DiscoveryError(f"notebooks are not read: {path}; check what `jupyter nbconvert --to script` makes of it")


def display_name(path: str) -> str:
    """Return the path relative to the working directory if it lies below it, else as it is."""
    here = os.getcwd()
    absolute = os.path.abspath(path)
    if absolute.startswith(here + os.sep):
        return absolute[len(here) + 1 :]
    if absolute == here:
        return "."
    return os.path.normpath(path)


class _Walk:
    """One walk below a named directory, which carries the ignore patterns that hold at each level."""

    __slots__ = ("exclude", "found", "root")

    def __init__(self, root: str, exclude: Any, found: Discovered) -> None:
        self.root = root
        self.exclude = exclude
        self.found = found

    def below(self, top: str) -> list[str]:
        absolute = os.path.abspath(top)
        if self.exclude is not None and self._excluded(absolute, directory=True):
            # Whoever names an excluded directory means to check it.
            self.exclude = None
        ignores = _inherited(absolute)
        if _ignored(absolute, ignores, directory=True):
            ignores = []
        files: list[str] = []
        self._collect(absolute, ignores, files)
        return files

    def _collect(self, directory: str, ignores: list[tuple[str, Any]], files: list[str]) -> None:
        try:
            with os.scandir(directory) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError as error:
            self.found.unreadable.append((display_name(directory), error.strerror or str(error)))
            return
        names = {entry.name for entry in entries}
        if ".gitignore" in names:
            ignores = [*ignores, *_own(directory)]
        below: list[str] = []
        for entry in entries:
            if _holds(entry, directory=True):
                if entry.name.startswith(".") or entry.name in _NEVER:
                    continue
                if not self._left_out(entry.path, ignores, directory=True):
                    below.append(entry.path)
            elif (
                entry.name.endswith(".py")
                and _holds(entry, directory=False)
                and not self._left_out(entry.path, ignores, directory=False)
            ):
                files.append(entry.path)
        for path in below:
            if not os.path.exists(os.path.join(path, "pyvenv.cfg")):
                self._collect(path, ignores, files)

    def _left_out(self, path: str, ignores: list[tuple[str, Any]], *, directory: bool) -> bool:
        if self.exclude is not None and self._excluded(path, directory=directory):
            return True
        return bool(ignores) and _ignored(path, ignores, directory=directory)

    def _excluded(self, path: str, *, directory: bool) -> bool:
        relative = _relative(path, self.root, directory=directory)
        return relative is not None and bool(self.exclude.match_file(relative))


def _holds(entry: os.DirEntry[str], *, directory: bool) -> bool:
    """Tell whether an entry is a directory itself, or leads to a file; a link that leads round in a circle does not."""
    try:
        return entry.is_dir(follow_symlinks=False) if directory else entry.is_file()
    except OSError:
        return False


def _inherited(directory: str) -> list[tuple[str, Any]]:
    """Return the .gitignore patterns that hold in a directory from above it, outermost first.

    They count from the top of the repository; outside a repository only patterns from the named directory down do.
    """
    above: list[str] = []
    current = directory
    while not os.path.exists(os.path.join(current, ".git")):
        parent = os.path.dirname(current)
        if parent == current:
            return []
        above.append(parent)
        current = parent
    return [pair for level in reversed(above) for pair in _own(level)]


def _own(directory: str) -> list[tuple[str, Any]]:
    try:
        with open(os.path.join(directory, ".gitignore"), encoding="utf-8", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return []
    return [(directory, compiled(lines))]


def _ignored(path: str, ignores: list[tuple[str, Any]], *, directory: bool) -> bool:
    """Tell whether .gitignore patterns leave a path out; the innermost file that has a say decides, as in git."""
    for base, spec in reversed(ignores):
        relative = _relative(path, base, directory=directory)
        if relative is not None:
            verdict = spec.check_file(relative).include
            if verdict is not None:
                return bool(verdict)
    return False


def _relative(path: str, base: str, *, directory: bool) -> str | None:
    """Return the path below `base` as patterns see it, or None if it lies elsewhere."""
    prefix = base.rstrip(os.sep) + os.sep
    if not path.startswith(prefix):
        return None
    relative = path[len(prefix) :].replace(os.sep, "/")
    return relative + "/" if directory else relative
