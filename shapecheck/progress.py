"""A bar on the terminal for runs that take long; it goes when the run ends."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

PATIENCE = 1.0
"""Seconds: most runs are over by then, and have loaded nothing to draw with."""


class Bar:
    """Takes word of how far a run is, and draws it on standard error once the run has taken a while."""

    __slots__ = ("_drawn", "_start", "_task")

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._drawn: Any = None
        self._task: Any = None

    def __call__(self, done: int, total: int) -> None:
        """Tell that so many of all the pieces are done."""
        if self._drawn is None:
            if time.monotonic() - self._start < PATIENCE:
                return
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

            columns = TextColumn("checking"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
            # Without a thread of its own: it is drawn when there is news.
            self._drawn = Progress(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
            self._task = self._drawn.add_task("", total=total)
            self._drawn.start()
        self._drawn.update(self._task, completed=done, total=total)
        self._drawn.refresh()

    def end(self) -> None:
        """Take the bar away."""
        if self._drawn is not None:
            self._drawn.stop()
