"""`python -m examples.embeddings [--d-model 32] [--plot FILE.png]`."""

import argparse
import os
import sys

import torch

from examples.embeddings.report import report


def main(argv: list[str] | None = None) -> int:
    """Print the tables; draw the picture when asked. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m examples.embeddings", description="Embedding layers in figures.")
    parser.add_argument("--d-model", type=int, default=64, metavar="D", help="features, an even number (default: 64)")
    parser.add_argument("--vocabulary", type=int, default=1000, metavar="V", help="vocabulary entries (default: 1000)")
    parser.add_argument("--length", type=int, default=128, metavar="L", help="positions in a table (default: 128)")
    parser.add_argument("--plot", metavar="FILE.png", help="also draw tables, similarities and wavelengths")
    arguments = parser.parse_args(argv)
    V, L, D = arguments.vocabulary, arguments.length, arguments.d_model
    if D < 2 or D % 2 != 0:
        parser.error(f"--d-model {D}: needs an even number of features, at least 2")
    if V < 1 or L < 2:
        parser.error("--vocabulary needs at least 1 entry and --length at least 2 positions")

    torch.manual_seed(0)
    print(report(V, L, D, B=2, T=min(16, L)))
    if arguments.plot is not None:
        from examples.embeddings.plot import draw

        draw(arguments.plot, L, D, compared_with=64 if D == 32 else 32)
        print(f"\npicture written to {arguments.plot}")
    return 0


if __name__ == "__main__":
    try:
        status = main()
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader, such as `head`, has seen enough. Python would complain again while it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 1
    sys.exit(status)
