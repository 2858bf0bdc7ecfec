"""The arguments of the command line: what each command takes, and what is told of one that is misspelt."""

from __future__ import annotations

import argparse
import os
import sys

from shapecheck.cli import COMMANDS, Options, UsageError
from shapecheck.diagnostics.renderers import FORMATS
from shapecheck.streams import complain, say
from shapecheck.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class _Parser(argparse.ArgumentParser):
    def _print_message(self, message: str, file: object = None) -> None:
        """Print help or usage; argparse itself would not tell that it cannot be written."""
        if file is sys.stdout:
            say(message)
        else:
            complain(message.removesuffix("\n"))


def parsed(arguments: list[str]) -> Options:
    """Return what the command line asks for; ends the process for `--help` and for wrong options.

    Raises:
        UsageError: a file is named where a command belongs.
        WriteError: help cannot be written.
    """
    if arguments and arguments[0] not in COMMANDS and os.path.exists(arguments[0]):
        raise UsageError(f"unknown command {arguments[0]!r}; did you mean `shapecheck check {' '.join(arguments)}`?")
    parser, commands = _parser()
    if arguments and arguments[0] not in COMMANDS and not arguments[0].startswith("-"):
        parser.error(f"unknown command {arguments[0]!r}{_nearest(arguments[0], COMMANDS)}")
    options, unknown = parser.parse_known_args(arguments, namespace=Options())
    if unknown:
        _refuse(unknown, commands[str(options.command)])
    return options


def _refuse(unknown: list[str], command: argparse.ArgumentParser) -> None:
    """End with the usage of the command, and for an option with the one that is written most like it."""
    import re

    known = re.findall(r"--[a-z-]+", command.format_usage())
    for item in unknown:
        if item.startswith("-"):
            option = item.partition("=")[0]
            command.error(f"unknown option {option}{_nearest(option, known)}")
    command.error(f"unexpected {' '.join(unknown)}")


def _nearest(word: str, known: Sequence[str]) -> str:
    import difflib

    close = difflib.get_close_matches(word, known, 1)
    return f"; did you mean {close[0]}?" if close else ""


def _parser() -> tuple[argparse.ArgumentParser, dict[str, argparse.ArgumentParser]]:
    """Return the parser of the command line, and those of its commands."""
    parser = _Parser(
        prog="shapecheck",
        description="Checks the axes of annotated tensors by name, without running the code.",
        epilog="exit status: 0 clean, 1 findings, 2 wrong use, internal failure or output that cannot be written",
    )
    parser.add_argument("--version", action="version", version=f"shapecheck {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    check = commands.add_parser(
        "check",
        help="check files and directories",
        description="Check Python files, and all those below directories that .gitignore does not leave out.",
        argument_default=argparse.SUPPRESS,  # so that `Options` alone knows the defaults
    )
    add = check.add_argument
    add("paths", nargs="*", metavar="PATH", help="files or directories, or - (default: the working directory)")
    add("--stdin-filename", metavar="FILE", help="the file that standard input, -, stands for")
    add("--output-format", choices=FORMATS, metavar="FORMAT", help=f"one of {', '.join(FORMATS)} (default: full)")
    add("--output-file", metavar="FILE", help="write the findings there instead of printing them")
    add("--select", action="append", metavar="RULES", help="report only these codes or names, such as SC2,SC301")
    add("--ignore", action="append", metavar="RULES", help="do not report these codes or names")
    add("--baseline", metavar="FILE", help="let the findings pass that this file lists")
    add("--write-baseline", action="store_true", help="list all present findings in the baseline file")
    add("--statistics", action="store_true", help="count what was checked, and why shapes are not known")
    add("--jobs", type=_whole_number, metavar="N", help="worker processes (default: by the number of files)")
    add("--no-cache", action="store_false", dest="cache", help="neither use nor keep the results of earlier runs")
    add("--cache-dir", metavar="DIR", help="where those are kept (default: .shapecheck_cache beside pyproject.toml)")
    add("--strict-internal", action="store_true", help="exit with status 2 if a function could not be checked")

    show = commands.add_parser(
        "show",
        help="show source with the inferred shapes",
        description="Show the source of a file, a class or a function with the shapes that are inferred at each line.",
    )
    show.add_argument("targets", nargs="+", metavar="FILE[::FUNCTION]", help="such as model.py::Attention.forward")

    rule = commands.add_parser("rule", help="explain a rule, or list them", description="Explain a rule, or list them.")
    rule.add_argument("codes", nargs="*", metavar="CODE", help="code, name or beginning of a code")
    return parser, {"check": check, "rule": rule, "show": show}


def _whole_number(text: str) -> int:
    if text.startswith("-") and text[1:].isdecimal():
        raise argparse.ArgumentTypeError(f"must be 0 or more, not {text}")
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)
