"""What `shapecheck check` costs as a whole process, against pyflakes, and against Pyrefly and torchtyc where installed.

`python -m tests.bench.static [DIRECTORY ...]` takes all commands in turns on one small file, generated files of 50, 200
and 800 functions, the examples, and each directory given (those that `python -m tests.corpus` fetches). It prints the
median time on the clock, of the processor, and the peak memory of each, and each budget as a ratio within this run.
`cold` keeps what it finds and starts from nothing, `warm` finds what the run before has kept, the others keep nothing.
Exit status 1 when a budget is exceeded, or when a warm run says something else than a cold one.
Run it with a Python that has torch, as checked code does: Pyrefly reads torch's own types then, and takes longer.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING, NamedTuple

import shapecheck

if TYPE_CHECKING:
    from collections.abc import Sequence

ROUNDS = 9
COUNTS = (50, 200, 800)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(shapecheck.__file__)))

HEADER = """\
import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
"""

FUNCTIONS = (
    """
def scale_{n}(x: Float[Tensor, "b t d"], w: Float[Tensor, "d"]) -> Float[Tensor, "b t d"]:
    y = x * w
    return y / y.norm(dim=-1, keepdim=True)
""",
    """
def attend_{n}(
    q: Float[Tensor, "b h t k"], k: Float[Tensor, "b h s k"], v: Float[Tensor, "b h s e"]
) -> Float[Tensor, "b h t e"]:
    scores = q @ k.transpose(-2, -1) / q.shape[-1] ** 0.5
    scores = scores - scores.amax(dim=-1, keepdim=True)
    return scores.softmax(dim=-1) @ v
""",
    """
def split_{n}(x: Float[Tensor, "b t d"], h: int) -> Float[Tensor, "b h t d//h"]:
    b, t, d = x.shape
    if d % h != 0:
        raise ValueError(f"{d} features are not {h} heads")
    return x.view(b, t, h, d // h).transpose(1, 2)
""",
    """
class Block{n}(nn.Module):
    def __init__(self, d: int, width: int) -> None:
        super().__init__()
        self.up = nn.Linear(d, width)
        self.down = nn.Linear(width, d)
        self.norm = nn.LayerNorm(d)

    def forward(self, x: Float[Tensor, "b t d"]) -> Float[Tensor, "b t d"]:
        return x + self.down(F.gelu(self.up(self.norm(x))))
""",
    """
def pool_{n}(x: Float[Tensor, "b t d"], mask: Bool[Tensor, "b t"]) -> Float[Tensor, "b d"]:
    kept = torch.where(mask[..., None], x, torch.zeros_like(x))
    return kept.sum(dim=1) / mask.sum(dim=1, keepdim=True).clamp(min=1)
""",
    """
def loss_{n}(x: Float[Tensor, "b d"], y: Int[Tensor, "b"], rounds: int) -> Float[Tensor, ""]:
    total = torch.zeros(())
    for _ in range(rounds):
        total = total + F.cross_entropy(x, y)
    return total
""",
)


class Usage(NamedTuple):
    """What one process took: seconds on the clock, of the processor (children included), megabytes at the peak."""

    wall: float
    cpu: float
    peak: float


def source(count: int) -> str:
    """A file of so many annotated functions of everyday kinds."""
    return HEADER + "".join("\n" + FUNCTIONS[n % len(FUNCTIONS)].replace("{n}", str(n)) for n in range(count))


def commands(path: str) -> dict[str, list[str]]:
    """Every command that checks a path, by the name it has in the table."""
    check = [sys.executable, "-m", "shapecheck", "check"]
    found = {
        "shapecheck": [*check, "--no-cache", path],
        "jobs 1": [*check, "--no-cache", "--jobs", "1", path],
        "jobs 2": [*check, "--no-cache", "--jobs", "2", path],
        "cold": [*check, path],
        "warm": [*check, path],
        "pyflakes": [sys.executable, "-m", "pyflakes", path],
        "compileall": [sys.executable, "-m", "compileall", "-q", os.path.join(ROOT, "nothing")],
    }
    pyrefly = _installed("pyrefly")
    if pyrefly is not None:
        found["pyrefly"] = [pyrefly, "check", "--python-interpreter-path", sys.executable, path]
    torchtyc = _installed("torchtyc")
    if torchtyc is not None:
        found["torchtyc"] = [torchtyc, "check", path]
    return found


def _installed(name: str) -> str | None:
    beside = os.path.join(os.path.dirname(sys.executable), name)
    return beside if os.path.exists(beside) else shutil.which(name)


def usage(command: list[str], directory: str, environment: dict[str, str]) -> Usage:
    """Run one command to its end."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=directory, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, spent = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    unit = 1024**2 if sys.platform == "darwin" else 1024
    return Usage(wall, spent.ru_utime + spent.ru_stime, spent.ru_maxrss / unit)


def measured(path: str, directory: str, environment: dict[str, str], rounds: int) -> dict[str, Usage]:
    """The medians of every command on a path: in every round each has its turn, after one that is not counted."""
    taken: dict[str, list[Usage]] = {}
    kept = os.path.join(directory, ".shapecheck_cache")
    for turn in range(rounds + 1):
        for name, command in commands(path).items():
            if name == "torchtyc" and turn > 1:
                continue  # minutes a run
            if name == "cold":
                shutil.rmtree(kept, ignore_errors=True)
            found = usage(command, directory, environment)
            if turn:
                taken.setdefault(name, []).append(found)
    shutil.rmtree(kept, ignore_errors=True)
    return {name: Usage(*map(statistics.median, zip(*runs, strict=True))) for name, runs in taken.items()}


class Table:
    """Prints the figures, and remembers whether every budget is kept."""

    def __init__(self) -> None:
        self.kept = True

    def rows(self, title: str, found: dict[str, Usage]) -> None:
        """The medians of one input; times of the others as multiples of those of pyflakes."""
        base = found["pyflakes"]
        print(f"\n{title}")
        for name, one in found.items():
            print(
                f"  {name:12}{one.wall * 1e3:9.0f} ms{one.cpu * 1e3:9.0f} ms cpu{one.peak:7.0f} MB"
                f"{one.wall / base.wall:8.2f} x pyflakes"
            )

    def budget(self, said: str, value: float, most: float) -> None:
        """One budget, and whether it is kept."""
        self.kept = self.kept and value <= most
        print(f"  {said:54}{value:8.2f}  {'ok' if value <= most else 'OVER'} (at most {most:g})")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the tables; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.static", description=__doc__.split("\n", 1)[0])
    parser.add_argument("directory", nargs="*", help="check these too, whatever code they hold")
    parser.add_argument("--rounds", type=_rounds, default=ROUNDS, metavar="N", help=f"runs of each command ({ROUNDS})")
    options = parser.parse_args(arguments)
    for directory in options.directory:
        if not os.path.isdir(directory):
            parser.error(f"no such directory: {directory}")
    table = Table()
    with tempfile.TemporaryDirectory() as scratch:
        # Bytecode is kept, as it is for an installed package: the compiler is not what is measured.
        environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"} | {
            "PYTHONPYCACHEPREFIX": os.path.join(scratch, "bytecode"),
            "PYTHONPATH": os.pathsep.join(filter(None, (ROOT, os.environ.get("PYTHONPATH")))),
        }
        per_function: dict[int, float] = {}
        for count in (1, *COUNTS):
            folder = os.path.join(scratch, f"functions{count}")
            os.mkdir(folder)
            with open(os.path.join(folder, "many.py"), "w", encoding="utf-8") as file:
                file.write(source(count) if count > 1 else source(2))
            found = measured("many.py", folder, environment, options.rounds)
            table.rows("one small file" if count == 1 else f"one file of {count} functions", found)
            if count == 1:
                small = found["shapecheck"]
                table.budget("time, by that of pyflakes", small.wall / found["pyflakes"].wall, 1.5)
                table.budget("peak, megabytes", small.peak, 40)
            else:
                per_function[count] = (found["shapecheck"].cpu - small.cpu) / count
            if count == max(COUNTS) and "pyrefly" in found:
                table.budget("time, by that of Pyrefly", found["shapecheck"].wall / found["pyrefly"].wall, 1)
        table.budget("cost of a function, 800 in a file by 200", per_function[800] / per_function[200], 1.25)
        examples = os.path.join(ROOT, "examples")
        if os.path.isdir(examples):
            table.rows("the examples", measured("examples", ROOT, environment, options.rounds))
        for directory in options.directory:
            # They are large: half of the rounds are as many seconds.
            _whole(table, directory, environment, (options.rounds + 1) // 2)
    return 0 if table.kept else 1


def _rounds(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of rounds")
    return int(text)


def _whole(table: Table, directory: str, environment: dict[str, str], rounds: int) -> None:
    """A directory of whatever code, without the configuration that may stand above it."""
    directory = os.path.abspath(directory)
    found = measured(".", directory, environment, rounds)
    files, size, seconds = hashing(directory)
    table.rows(f"{directory}: {files} files, {size / 1e6:.1f} MB, read and hashed in {seconds * 1e3:.1f} ms", found)
    if "pyrefly" in found:
        table.budget("cold, by the time of Pyrefly", found["cold"].wall / found["pyrefly"].wall, 1)
    nothing = found["compileall"].wall
    table.budget("warm less hashing, by compileall of nothing", (found["warm"].wall - seconds) / nothing, 2)
    table.budget("cold by no cache at all", found["cold"].cpu / found["shapecheck"].cpu, 1.03)
    table.budget("lines that differ between cold and warm", differences(directory, environment), 0)


def hashing(directory: str) -> tuple[int, int, float]:
    """The files that are checked, their bytes, and the seconds it takes to read and hash them once."""
    from shapecheck.cache import stamp
    from shapecheck.config import Settings
    from shapecheck.discovery import discover

    before = os.getcwd()
    os.chdir(directory)
    try:
        files = discover(["."], Settings(directory)).files
        start, size = time.perf_counter(), 0
        for file in files:
            with open(file, "rb") as stream:
                content = stream.read()
            stamp(content)
            size += len(content)
        return len(files), size, time.perf_counter() - start
    finally:
        os.chdir(before)


def differences(directory: str, environment: dict[str, str]) -> int:
    """How many lines of what a run prints are others when it starts from what an earlier one kept."""
    with tempfile.TemporaryDirectory() as kept:
        command = [sys.executable, "-m", "shapecheck", "check", "--statistics", "--output-format", "json"]
        runs = [
            subprocess.run(
                [*command, *option, "."], cwd=directory, env=environment, check=False, capture_output=True, text=True
            )
            for option in (["--no-cache"], ["--cache-dir", kept], ["--cache-dir", kept])
        ]
    said = [(run.stdout + run.stderr).splitlines() for run in runs]
    return sum(len(set(said[0]) ^ set(lines)) + abs(len(said[0]) - len(lines)) for lines in said[1:])


if __name__ == "__main__":
    sys.exit(main())
