"""Files that keep a value between runs: written whole or not at all, and believed only as they were written."""

from __future__ import annotations

import marshal
import os

try:
    # The same function; `hashlib` loads OpenSSL, which takes a tenth of the time that a run without changes does.
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DIGEST = 16
"""Bytes: no two of 2**64 contents have the same."""
_KEPT = 64
"""Records in a directory; the oldest go first."""


def digest(*parts: bytes) -> bytes:
    """What some bytes are recognised by."""
    found = blake2b(digest_size=DIGEST)
    for part in parts:
        found.update(part)
    return found.digest()


def read_record(path: str, head: bytes) -> Any:
    """The value that a file keeps, or None if there is none or it was written under another head.

    Args:
        path: the file.
        head: what the value depends on, as it is now.
    """
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError:
        return None
    start = len(head) + DIGEST
    payload = content[start:]
    if content[:start] != head + digest(payload):
        return None
    try:
        return marshal.loads(payload)  # noqa: S302  as safe as bytecode, which lies as open
    except (EOFError, TypeError, ValueError):
        return None


def write_record(path: str, head: bytes, value: Any) -> None:
    """Put a value in a file, in place of what it kept; nothing happens where nothing can be written.

    Args:
        path: the file; the directory is made if it is missing.
        head: what the value depends on.
        value: built-in types alone, inside too; any other is not kept.
    """
    directory = os.path.dirname(path)
    part = f"{path}.{os.getpid()}"
    try:
        payload = marshal.dumps(value)
    except ValueError:
        return
    try:
        _make(directory)
        with open(part, "xb") as file:
            file.write(head + digest(payload) + payload)
        os.replace(part, path)
        _forget_the_oldest(directory)
    except OSError:
        try:
            os.unlink(part)
        except OSError:
            return


def _make(directory: str) -> None:
    if os.path.isdir(directory):
        return
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, ".gitignore"), "w", encoding="utf-8") as file:
        file.write("# Made by shapecheck; what is here may be deleted.\n*\n")


def _forget_the_oldest(directory: str) -> None:
    with os.scandir(directory) as scan:
        records = [entry for entry in scan if not entry.name.startswith(".")]
    if len(records) > _KEPT:
        records.sort(key=lambda entry: entry.stat().st_mtime_ns)
        for entry in records[: len(records) - _KEPT]:
            os.unlink(entry.path)
