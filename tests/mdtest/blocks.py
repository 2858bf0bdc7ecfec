"""Markdown to tests: the fenced Python blocks of a file, and what their comments expect of the checker."""

import re
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

PRELUDE = """\
import math
import einops
import torch
import torch.nn.functional as F
from einops import rearrange, reduce, repeat
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from shapecheck import reveal_shape, shapechecked
"""

_OWN_IMPORTS = re.compile(r"^(from|import) (torch|jaxtyping|__future__)\b", re.MULTILINE)
_FILE = re.compile(r"^# file: (\S+\.py)$")
_ERROR = re.compile(r'# error: \[(\w+)\](?: "([^"]*)")?')
_AXES = re.compile(r"^# axes: (.+)$", re.MULTILINE)
_SHAPE = re.compile(r"# shape: (.+?)\s*$")


@dataclass(frozen=True)
class Expectation:
    """What a comment expects on a row: a finding of `code` whose message contains `text`, or the shape `text`."""

    filename: str
    row: int
    code: str
    text: str

    def __str__(self) -> str:
        if self.code == "SC000":
            return f"shape {self.text!r}"
        return f"error [{self.code}]" + (f" saying {self.text!r}" if self.text else "")

    def met_by(self, code: str, message: str) -> bool:
        """Tell whether a finding on the row is the one expected. Blanks in shapes do not matter."""
        if code != self.code:
            return False
        return message.split() == self.text.split() if code == "SC000" else self.text in message


@dataclass(frozen=True)
class File:
    """A file of a block: its text with the prelude, and how its rows map to rows of the Markdown file."""

    name: str
    text: str
    offset: int
    """Row in the Markdown file = row in this file + offset."""

    def expectations(self) -> list[Expectation]:
        found = []
        carried: list[tuple[str, str]] = []
        for row, line in enumerate(self.text.splitlines(), 1):
            here = [(code, text or "") for code, text in _ERROR.findall(line)]
            here += [("SC000", shape) for shape in _SHAPE.findall(line)]
            if line.lstrip().startswith("#"):
                # A comment on a line of its own speaks of the next line of code.
                carried += here
                continue
            found += [Expectation(self.name, row, code, text) for code, text in (*carried, *here)]
            carried = []
        if carried:
            raise ValueError(f"an expectation after the last line of {self.name}: {carried}")
        return found


@dataclass(frozen=True)
class Block:
    """One fenced block: one test."""

    path: Path
    row: int
    title: str
    files: tuple[File, ...]

    def axes(self) -> dict[str, list[str]]:
        """Return the vocabulary that a line `# axes: b = B batch, t = T` asks for, as the settings' table."""
        rows = [row for file in self.files for found in _AXES.findall(file.text) for row in found.split(",")]
        pairs = [row.partition("=") for row in rows]
        return {axis.strip(): spellings.split() for axis, _, spellings in pairs}


def blocks(path: Path) -> list[Block]:
    """Return the blocks of a Markdown file whose fence says `python`."""
    found = []
    titles: list[str] = []
    tokens = MarkdownIt().parse(path.read_text(encoding="utf-8"))
    for token, following in zip(tokens, [*tokens[1:], None], strict=True):
        if token.type == "heading_open":
            level = int(token.tag[1:])
            titles = [*titles[: level - 1], following.content]
        elif token.type == "fence" and token.info.strip() == "python":
            row = token.map[0] + 2
            found.append(Block(path, row, " - ".join(titles[1:] or titles), tuple(_files(token.content, row))))
    return found


def _files(content: str, row: int) -> list[File]:
    """Split a block at `# file: NAME` lines; its first line stands on `row` of the Markdown file."""
    parts: list[tuple[str, int, list[str]]] = [("block.py", row, [])]
    for number, line in enumerate(content.splitlines()):
        named = _FILE.match(line)
        if named:
            parts.append((named[1], row + number + 1, []))
        else:
            parts[-1][2].append(line)
    files = []
    for name, start, lines in parts:
        text = "\n".join(lines) + "\n"
        if not text.strip():
            continue
        prelude = "" if _OWN_IMPORTS.search(text) else PRELUDE
        files.append(File(name, prelude + text, start - 1 - prelude.count("\n")))
    return files
