"""The standard streams of a run: what it means that one is closed, that nothing more can be written, or nobody reads.

A reader that has seen enough, such as `head`, changes nothing: the run goes on to the exit status that it would have,
and what is left to be written goes nowhere. That something cannot be written is a failure.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class WriteError(Exception):
    """Standard output cannot be written; the message says why."""


def prepare() -> None:
    """Make the streams of this process ready for a run."""
    # A stream that was closed before the process began is None here, and its number free: the next file that is
    # opened would be taken for it. Opened the wrong way round, it fails where it is used, as a closed one does.
    if sys.stdin is None:
        sys.stdin = open(os.open(os.devnull, os.O_WRONLY))  # noqa: SIM115  as long as the process
    if sys.stdout is None:
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w")  # noqa: SIM115
    if sys.stderr is None:
        # There is nobody to be told that something cannot be written here.
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    # A name or a source line that the terminal's encoding lacks must not end the run.
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


def say(text: str) -> None:
    """Write to standard output.

    Raises:
        WriteError: it takes no more.
    """
    to_stdout(sys.stdout.write, text)


def flush() -> None:
    """Have everything that was said written.

    Raises:
        WriteError: it cannot be.
    """
    to_stdout(sys.stdout.flush)


def to_stdout(write: Callable[..., object], *arguments: object) -> None:
    """Call what writes to standard output.

    Raises:
        WriteError: it takes no more.
    """
    try:
        write(*arguments)
    except BrokenPipeError:
        _drop_the_rest()
    except OSError as error:
        _drop_the_rest()
        raise WriteError(f"cannot write to standard output: {error.strerror or error}") from error


def complain(message: str) -> None:
    """Write lines to standard error; if that fails there is nobody left to be told."""
    try:
        sys.stderr.write(f"{message}\n")
    except OSError:
        return


def _drop_the_rest() -> None:
    """Lead standard output nowhere: Python would complain again while it flushes at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
