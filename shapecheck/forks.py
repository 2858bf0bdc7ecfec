"""Copies of this process that check pieces of the code and send back what they found.

`multiprocessing` does the same with more; to import it takes as long as checking fifty functions.
"""

from __future__ import annotations

import marshal
import os
import signal
import sys

from shapecheck.static.check import check_parts
from shapecheck.static.report import Reads
from shapecheck.static.transport import packed, unpacked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Self

    from shapecheck.static.check import Config, Part
    from shapecheck.static.index import Project
    from shapecheck.static.report import Report

    Found = dict[int, list[Report]]
    """For each piece, by its number, a report of each of its parts."""


class ForkError(RuntimeError):
    """A process ended before it told what it found; the message says how."""


class Queue:
    """Processes that take pieces until there are none; a context, at whose end all of them have ended.

    Attributes:
        tickets: where the number of the next piece is read, by them and by this process.
    """

    def __init__(self, pieces: Sequence[Sequence[Part]], project: Project, config: Config, count: int) -> None:
        """Start them.

        Args:
            pieces: up to 256.
            project: what was read so far, which each of them has.
            config: the settings in force.
            count: how many processes.
        """
        self.tickets, printer = os.pipe()
        os.write(printer, bytes(range(len(pieces))))
        os.close(printer)
        self._sources: dict[int, int] = {}
        sys.stdout.flush()
        sys.stderr.flush()
        try:
            for _ in range(count):
                self._start(pieces, project, config)
        except OSError:
            # No more processes are to be had: those that run take all the pieces.
            return
        except BaseException:
            self.__exit__()
            raise

    def _start(self, pieces: Sequence[Sequence[Part]], project: Project, config: Config) -> None:
        source, sink = os.pipe()
        try:
            process = os.fork()
            if process == 0:
                _serve(sink, self.tickets, pieces, project, config)
            self._sources[process] = source
        except OSError:
            os.close(source)
            raise
        finally:
            os.close(sink)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        os.close(self.tickets)
        for process, source in self._sources.items():
            os.close(source)
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)

    def results(self) -> Iterator[tuple[Found, Reads]]:
        """Wait for what each process found, and what that rests on; one finds nothing where a file is torn.

        Raises:
            ForkError: one has ended without telling.
        """
        while self._sources:
            process, descriptor = next(iter(self._sources.items()))
            with open(descriptor, "rb", closefd=False) as source:
                content = source.read()
            _, status = os.waitpid(process, 0)
            os.close(self._sources.pop(process))
            if status or not content:
                ended = os.waitstatus_to_exitcode(status)
                raise ForkError(f"a process that checks files ended with status {ended}")
            told, stamps, asked, answers, roots, plugins = marshal.loads(content)  # noqa: S302  sent by ourselves
            found = {number: [unpacked(report) for report in reports] for number, reports in told.items()}
            yield found, Reads(stamps, asked, answers, roots, plugins)


def check_from(
    tickets: int,
    pieces: Sequence[Sequence[Part]],
    project: Project,
    config: Config,
    told: Callable[[int, int], None] | None = None,
) -> tuple[Found, Reads]:
    """Take piece after piece until there are none, and check them; `told` takes word of each that is done."""
    found: Found = {}
    _, reads = check_parts(project, (), config)
    while ticket := os.read(tickets, 1):
        found[ticket[0]], reads = check_parts(project, pieces[ticket[0]], config)
        if told is not None:
            told(ticket[0] + 1, len(pieces))
    return found, reads


def _serve(sink: int, tickets: int, pieces: Sequence[Sequence[Part]], project: Project, config: Config) -> None:
    """Check pieces, send what was found and end the process, whatever happens: only its parent goes on."""
    status = 1
    try:
        found, reads = check_from(tickets, pieces, project, config)
        told = {number: [packed(report) for report in reports] for number, reports in found.items()}
        if project.torn:
            told = {}
        with open(sink, "wb") as file:
            file.write(marshal.dumps((told, reads.stamps, reads.asked, reads.answers, reads.roots, reads.plugins)))
        status = 0
    except KeyboardInterrupt:
        # The parent has got it too.
        status = 130
    except BaseException:  # noqa: BLE001  it must not unwind into what the parent was doing
        import traceback

        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)
