"""What a run found, and what it looked at."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.diagnostics.model import Diagnostic


class InternalNote:
    """A failure of the checker itself inside one function; the others are checked all the same."""

    __slots__ = ("file", "function", "message", "traceback")

    def __init__(self, file: str, function: str, message: str, traceback: str) -> None:
        self.file = file
        self.function = function
        self.message = message
        self.traceback = traceback


class Statistics:
    """What was looked at, and why something was not known."""

    __slots__ = ("annotated_functions", "checked_functions", "files", "known_expressions", "left_out",
                 "partly", "partly_checked_functions", "reasons", "tensor_expressions", "unchecked")  # fmt: skip

    def __init__(self) -> None:
        self.files = 0
        self.annotated_functions = 0
        self.checked_functions = 0
        self.partly_checked_functions = 0
        self.left_out = 0
        self.known_expressions = 0
        self.tensor_expressions = 0
        self.reasons: dict[str, int] = {}
        """Tensor expressions of unknown shape, by why it is not known."""
        self.partly: dict[str, int] = {}
        """Functions checked in part, each by the reason that holds for most of what is not known in it."""
        self.unchecked: dict[str, int] = {}
        """Functions not checked, by why."""


class Report:
    """Everything one run found."""

    __slots__ = ("diagnostics", "internal", "statistics")

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.internal: list[InternalNote] = []
        self.statistics = Statistics()
