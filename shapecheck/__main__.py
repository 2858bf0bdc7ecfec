"""The console script `shapecheck`, and `python -m shapecheck`."""

from __future__ import annotations

import gc
import os
import sys

from shapecheck.cli import FAILED, main
from shapecheck.streams import WriteError, complain, flush, prepare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def run() -> NoReturn:
    """Run the command line in a process of its own, and end that process."""
    # Trees and values are kept to the end and hardly any cycles die before: looking for them, and taking everything
    # apart at exit, would be a third of what a small file costs.
    gc.disable()
    prepare()
    try:
        status = main()
    except SystemExit as ended:
        # The parser of arguments has printed help or usage.
        status = _flushed(int(ended.code or 0))
    if sys.getprofile() is None and sys.gettrace() is None:
        os._exit(status)
    sys.exit(status)


def _flushed(status: int) -> int:
    try:
        flush()
    except WriteError as error:
        complain(f"shapecheck: {error}")
        return FAILED
    return status


if __name__ == "__main__":
    run()
