"""The ways to write findings down: one module each, imported when its format is asked for."""

from __future__ import annotations

from shapecheck.diagnostics.model import Diagnostic, Record, Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Render = Callable[[Sequence[Diagnostic], "Context"], str]

FORMATS = ("full", "concise", "json", "github", "sarif", "junit")


class Context(Record):
    """What a renderer needs besides the findings.

    Attributes:
        rules: the catalogue, by code.
        lines: returns the lines of a source file.
        page: returns the Markdown page of a rule.
        version: of this package.
    """

    __slots__ = ("rules", "lines", "page", "version")

    rules: Mapping[str, Rule]
    lines: Callable[[str], Sequence[str]]
    page: Callable[[str], str]
    version: str

    def __init__(
        self,
        rules: Mapping[str, Rule],
        lines: Callable[[str], Sequence[str]],
        page: Callable[[str], str],
        version: str,
    ) -> None:
        for field, value in zip(self.__slots__, (rules, lines, page, version), strict=True):
            object.__setattr__(self, field, value)


def renderer(name: str) -> Render:
    """Return the function that writes findings in one of the `FORMATS`.

    Raises:
        ValueError: there is no such format.
    """
    if name == "full":
        from shapecheck.diagnostics.renderers.full import render
    elif name == "concise":
        from shapecheck.diagnostics.renderers.concise import render
    elif name == "json":
        from shapecheck.diagnostics.renderers.json_array import render
    elif name == "github":
        from shapecheck.diagnostics.renderers.github import render
    elif name == "sarif":
        from shapecheck.diagnostics.renderers.sarif import render
    elif name == "junit":
        from shapecheck.diagnostics.renderers.junit import render
    else:
        raise ValueError(f"no output format is called {name!r}; there are {', '.join(FORMATS)}")
    return render
