"""`shapecheck show FILE[::FUNCTION]`: source with the shapes that are inferred at each line."""

from __future__ import annotations

import ast
import os

from shapecheck.config import find_settings
from shapecheck.diagnostics.model import Diagnostic, escaped
from shapecheck.diagnostics.renderers.margin import print_in_colour, render
from shapecheck.discovery import display_name, refuse_notebook
from shapecheck.static.watching import watch
from shapecheck.streams import complain, to_stdout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from shapecheck.static.report import Report

    Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


class ShowError(ValueError):
    """There is no such file or function, or the file cannot be parsed; the message says which."""


def show(target: str, *, coloured: bool) -> tuple[str, Report]:
    """Show a file, or one function or class of it.

    Args:
        target: the path of a file, or `path::name` where the name is qualified: `Attention.forward`.
        coloured: whether to print in colour at once.

    Returns:
        What to print, empty if it is printed, and what was found on the way.

    Raises:
        ShowError: nothing can be shown.
        DiscoveryError: the file is a notebook.
        ConfigError: the settings are wrong.
        WriteError: what is printed in colour cannot be written.
    """
    path, _, name = target.partition("::")
    if not os.path.exists(path):
        raise ShowError(f"no such file: {path or repr(path)}")
    refuse_notebook(path)
    watched = watch(display_name(path), find_settings([path]))
    if isinstance(watched, Diagnostic):
        raise ShowError(f"{watched.place.label}: {watched.message}")
    rows = list(range(1, len(watched.lines) + 1))
    if rows and not watched.lines[-1]:
        # What follows the last line break is no line.
        rows.pop()
    if name:
        rows = [row for span in _spans(watched.tree, name, path) for row in span]
        inside = {function for function in watched.functions if f"{function}.".startswith(f"{name}.")}
    else:
        inside = watched.functions
    if not inside:
        complain(f"shapecheck: {name or escaped(path)} declares no shapes, so none are inferred")
    if coloured:
        to_stdout(print_in_colour, watched.lines, rows, watched.beside)
        return "", watched.report
    return render(watched.lines, rows, watched.beside), watched.report


def _spans(tree: ast.Module, name: str, path: str) -> list[range]:
    """The rows of every definition of a name: an overloaded function or a property with its setter has several.

    Raises:
        ShowError: nothing is called so.
    """
    definitions = list(_definitions(tree.body, ""))
    found = [
        range(min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)]), (node.end_lineno or 0) + 1)
        for known, node in definitions
        if known == name
    ]
    if found:
        return found
    import difflib

    names = list(dict.fromkeys(known for known, _ in definitions))
    near = [known for known in names if known.endswith(f".{name}")] or difflib.get_close_matches(name, names, 3)
    suggestion = f"; did you mean {' or '.join(near[:3])}?" if near else ""
    raise ShowError(f"nothing in {path} is called {name!r}{suggestion}")


def _definitions(body: list[ast.stmt], prefix: str) -> Iterator[tuple[str, Definition]]:
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield f"{prefix}{node.name}", node
            yield from _definitions(node.body, f"{prefix}{node.name}.")
        else:
            for part in ("body", "orelse", "finalbody"):
                yield from _definitions(getattr(node, part, []), prefix)
            for part in ("handlers", "cases"):
                for inner in getattr(node, part, []):
                    yield from _definitions(inner.body, prefix)
