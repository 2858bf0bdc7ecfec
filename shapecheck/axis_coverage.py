"""What a test run says of the calls it checked: functions never called, and axes that no call told apart."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from shapecheck.runtime.observe import Function, Observer

_SHOWN = 10
"""Entries of each kind that are listed unless all are asked for."""


def summary_lines(observer: Observer, wants: Callable[[str], bool], directory: str, *, all_of_it: bool) -> list[str]:
    """Return the lines of the summary.

    Args:
        observer: what was seen, of this process or merged from several.
        wants: tells whether a function's qualified name belongs to the packages under test.
        directory: paths below it are shown relative to it.
        all_of_it: list every entry.
    """
    functions = [function for function in observer.functions if wants(function.name)]
    called = [coverage for function, coverage in observer.seen.items() if wants(function.name)]
    calls = sum(coverage.calls for coverage in called)
    noun = "call" if calls == 1 else "calls"
    lines = [f"{len(called)} of {len(functions)} annotated functions called, {calls} {noun} in all"]
    never = [_where(function, directory) for function in observer.never_called() if wants(function.name)]
    lines += _listed("never called:", never, all_of_it=all_of_it)
    equal = [
        f"{', '.join(' = '.join(pair) for pair in pairs)}  in {_where(function, directory)}"
        for function, pairs in observer.never_told_apart()
        if wants(function.name)
    ]
    lines += _listed("always of equal size, so that exchanging them would pass:", equal, all_of_it=all_of_it)
    return lines


def _where(function: Function, directory: str) -> str:
    path = function.path.removeprefix(directory.rstrip(os.sep) + os.sep)
    return f"{function.name.replace('.<locals>', '')}  {path}:{function.line}"


def _listed(title: str, entries: Sequence[str], *, all_of_it: bool) -> list[str]:
    if not entries:
        return []
    shown = entries if all_of_it else entries[:_SHOWN]
    lines = [title, *(f"  {entry}" for entry in shown)]
    if len(entries) > len(shown):
        lines.append(f"  ... and {len(entries) - len(shown)} more; -v lists them")
    return lines
