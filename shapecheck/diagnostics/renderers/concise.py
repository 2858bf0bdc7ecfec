"""One line a finding, for editors and for reading many."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from shapecheck.diagnostics.model import Diagnostic
    from shapecheck.diagnostics.renderers import Context


def render(diagnostics: Sequence[Diagnostic], context: Context) -> str:
    """Write `file:row:column: severity[CODE] name: message` lines."""
    return "".join(
        f"{d.place.label}: "
        f"{d.severity}[{d.code}] {context.rules[d.code].name}: {one_line(d.message)}\n"
        for d in diagnostics
    )


def one_line(message: str) -> str:
    """Return the message with its line breaks made spaces."""
    return " ".join(message.split())
