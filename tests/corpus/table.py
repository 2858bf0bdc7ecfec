"""The table of findings in public packages that somebody has looked at, and how one run compares with it."""

from __future__ import annotations

import tomllib
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

VERDICTS = {
    "fault": "the code goes wrong for sizes that its annotations allow",
    "annotation": "the code is as meant; its annotation declares another shape, or names one axis twice",
    "false": "a false alarm that is still open",
}


class TableError(ValueError):
    """The table does not hold what it must."""


class Key(NamedTuple):
    """What a finding is recognised by: versions are pinned, so that lines stay."""

    package: str
    file: str
    line: int
    code: str


class Comparison(NamedTuple):
    """How the findings of a run stand to the table.

    Attributes:
        untriaged: findings that the table does not name, or more of them in one line than it counts.
        false: findings that the table calls false alarms.
        gone: entries of the table that were not found this time.
        verdicts: how many findings have which verdict.
    """

    untriaged: list[Key]
    false: list[Key]
    gone: list[Key]
    verdicts: Counter[str]

    @property
    def failing(self) -> bool:
        """Whether somebody has to look at something."""
        return bool(self.untriaged or self.false)


class Table:
    """The triaged findings of pinned packages: `packages` maps a package to its version."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.packages: dict[str, str] = dict(document["packages"])
        self.verdicts: dict[Key, str] = {}
        self.counts: Counter[Key] = Counter()
        for entry in document.get("finding", ()):
            key = Key(entry["package"], entry["file"], entry["line"], entry["code"])
            if key.package not in self.packages:
                raise TableError(f"{key}: no version is pinned for {key.package}")
            if entry["verdict"] not in VERDICTS:
                raise TableError(f"{key}: {entry['verdict']!r} is none of {', '.join(VERDICTS)}")
            if not entry["why"]:
                raise TableError(f"{key}: a verdict needs its reason")
            if key in self.verdicts:
                raise TableError(f"{key} stands twice; `count = 2` says that a line holds two")
            self.verdicts[key] = entry["verdict"]
            self.counts[key] = entry.get("count", 1)

    def compare(self, package: str, found: Iterable[Key]) -> Comparison:
        """Compare the findings in one package with its entries."""
        seen = Counter(found)
        untriaged = [key for key, count in seen.items() if count > self.counts[key]]
        verdicts: Counter[str] = Counter()
        for key, count in seen.items():
            if key in self.verdicts:
                verdicts[self.verdicts[key]] += min(count, self.counts[key])
        return Comparison(
            untriaged=sorted(untriaged),
            false=sorted(key for key in seen if self.verdicts.get(key) == "false"),
            gone=sorted(key for key in self.verdicts if key.package == package and key not in seen),
            verdicts=verdicts,
        )


def read_table(path: str) -> Table:
    """Read the table.

    Raises:
        TableError: an entry has no reason, no known verdict or no pinned package, or stands twice.
    """
    with open(path, "rb") as file:
        return Table(tomllib.load(file))
