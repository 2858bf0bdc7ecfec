"""What a run found, and what it looked at."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TypeVar

    from shapecheck.diagnostics.model import Diagnostic
    from shapecheck.static.locations import Question

    Key = TypeVar("Key")


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

    def add(self, other: Statistics) -> None:
        """Count what was looked at elsewhere too."""
        for field in self.__slots__:
            mine, theirs = getattr(self, field), getattr(other, field)
            if isinstance(theirs, dict):
                for reason, count in theirs.items():
                    mine[reason] = mine.get(reason, 0) + count
            else:
                setattr(self, field, mine + theirs)


class Report:
    """Everything that was found in a file, or in several."""

    __slots__ = ("diagnostics", "internal", "statistics")

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.internal: list[InternalNote] = []
        self.statistics = Statistics()

    def add(self, other: Report) -> None:
        """Go on with what was found in files that come behind."""
        self.diagnostics += other.diagnostics
        self.internal += other.internal
        self.statistics.add(other.statistics)


class Reads:
    """What the findings of a run rest on, besides the checker itself.

    Attributes:
        stamps: what the content of each file read is recognised by; None where it could not be read.
        asked: what each of these files looked for among the files of the project.
        answers: the file found for each question, or None.
        roots: for each folder of files, where their absolute imports are looked up.
        plugins: the files that brought rules of other distributions; None if such rules were never looked for.
    """

    __slots__ = ("answers", "asked", "plugins", "roots", "stamps")

    def __init__(
        self,
        stamps: dict[str, bytes | None],
        asked: dict[str, set[Question]],
        answers: dict[Question, str | None],
        roots: dict[str, tuple[str, ...]],
        plugins: list[str] | None,
    ) -> None:
        self.stamps = stamps
        self.asked = asked
        self.answers = answers
        self.roots = roots
        self.plugins = plugins

    def agrees(self, other: Reads) -> bool:
        """Whether both saw the same files: nothing was edited between one looking and the other."""
        return (
            _agree(self.stamps, other.stamps)
            and _agree(self.answers, other.answers)
            and _agree(self.roots, other.roots)
        )

    def add(self, other: Reads) -> None:
        """Take in what a run that saw the same files rests on."""
        self.stamps.update(other.stamps)
        self.answers.update(other.answers)
        self.roots.update(other.roots)
        for path, questions in other.asked.items():
            self.asked[path] = self.asked.get(path, set()) | questions
        if other.plugins is not None:
            self.plugins = sorted({*(self.plugins or ()), *other.plugins})


def _agree(some: Mapping[Key, object], others: Mapping[Key, object]) -> bool:
    return all(some.get(key, value) == value for key, value in others.items())
