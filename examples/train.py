"""Train a tiny character model in a few seconds, or stop a wrong axis before the first step.

    python -m examples.train
    python -m examples.train --fault view-for-transpose
    python -m examples.train --fault view-for-transpose --check none

B, T and D are all 36 here, and H and Dh both 6, so that no size tells one axis from another: torch
runs every one of the faults, and the check of a call notices a single one. The static check goes by
the names, and stops them all.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

if not __package__:  # run as a file, not with -m
    sys.path.insert(0, str(Path(__file__).parents[1]))

import torch

from examples.character_model import CharacterModel
from examples.fault_variants import FAULT_VARIANTS
from examples.text import Alphabet, draw_batch, make_text
from shapecheck import ShapeError

REPOSITORY = Path(__file__).parents[1]
BATCH = CONTEXT = D_MODEL = 36
N_HEADS, N_BLOCKS = 6, 2
STOPPED = "stopped before the first optimiser step"


def main(argv: list[str] | None = None) -> int:
    """Check the source, then train; with a fault, do both with its variant. Returns 1 when a check stops it."""
    arguments = parse(argv)
    if arguments.fault is None:
        return check_and_train(REPOSITORY, arguments)
    variant = FAULT_VARIANTS[arguments.fault]
    print(f"{arguments.fault} in {variant.file}: {variant.effect}\n  - {variant.right}\n  + {variant.wrong}\n")
    with tempfile.TemporaryDirectory() as directory:
        variant.write(Path(directory))
        return check_and_train(Path(directory), arguments)


def check_and_train(directory: Path, arguments: argparse.Namespace) -> int:
    """Check the examples package in directory without running it, then train with it."""
    if arguments.check == "all" and not static_check(directory):
        return 1
    if directory == REPOSITORY and arguments.check != "none":
        return train(arguments.steps)
    # Other source or another setting: a new process imports it afresh.
    options = ["--check", "call-time", "--steps", str(arguments.steps)]
    return run_python(directory, "-m", "examples.train", *options, call_time_check=arguments.check != "none")


def static_check(directory: Path) -> bool:
    """Run `shapecheck check examples` in directory and tell how it went."""
    start = time.perf_counter()
    status = run_python(directory, "-m", "shapecheck", "check", "examples")
    if status not in {0, 1}:
        raise RuntimeError(f"shapecheck check ended with status {status}")
    print(f"static check {f'failed: {STOPPED}' if status else 'passed'} ({time.perf_counter() - start:.1f} s)")
    return status == 0


def run_python(directory: Path, *arguments: str, call_time_check: bool = True) -> int:
    """Run Python in directory, which it imports from before this repository. Returns its exit status."""
    paths = [str(REPOSITORY), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in paths if path)}
    if not call_time_check:
        environment["SHAPECHECK"] = "off"
    command = [sys.executable, *arguments]
    sys.stdout.flush()
    return subprocess.run(command, cwd=directory, env=environment, check=False).returncode  # noqa: S603


def train(steps: int) -> int:
    """Take that many optimiser steps, unless the first batch breaks a declared shape."""
    # A model this small only waits for a second thread.
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(0)
    torch.manual_seed(0)
    text = make_text(1000, generator)
    alphabet = Alphabet(text)
    characters = alphabet.encode(text)
    model = CharacterModel(len(alphabet), CONTEXT, D_MODEL, N_HEADS, N_BLOCKS)
    print(f"B={BATCH} T={CONTEXT} D={D_MODEL} H={N_HEADS} Dh={D_MODEL // N_HEADS} V={len(alphabet)}")
    try:
        model.loss(*draw_batch(characters, BATCH, CONTEXT, generator))
    except ShapeError as error:
        print(f"{error}\ncall-time check of one batch failed: {STOPPED}")
        return 1

    optimiser = torch.optim.AdamW(model.parameters(), lr=5e-3)
    for step in range(1, steps + 1):
        loss = model.loss(*draw_batch(characters, BATCH, CONTEXT, generator))
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step == 1 or step % 50 == 0:
            print(f"step {step:4}   loss {loss.item():.3f} nats per character")
    print(continue_text(model, alphabet, "two plus three is"))
    return 0


@torch.no_grad()
def continue_text(model: CharacterModel, alphabet: Alphabet, prompt: str) -> str:
    """Add the likeliest character until the sentence ends or the context is full."""
    text = prompt
    while not text.endswith(".") and len(text) < CONTEXT:
        scores = model(alphabet.encode(text).unsqueeze(0))
        text += alphabet.decode(scores[0, -1:].argmax(dim=-1))
    return text


def parse(argv: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m examples.train", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--fault", choices=FAULT_VARIANTS, metavar="NAME", help=f"one of: {', '.join(FAULT_VARIANTS)}")
    parser.add_argument("--check", choices=("all", "call-time", "none"), default="all", help="default: all")
    parser.add_argument("--steps", type=int, default=200, help="optimiser steps (default: 200)")
    return parser.parse_args(argv)


if __name__ == "__main__":
    sys.exit(main())
