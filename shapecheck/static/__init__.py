"""The static checker: a project index, then an abstract interpreter over ``ast``. Runs and imports no user code."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.static.check import check_each, check_files, check_source
    from shapecheck.static.report import InternalNote, Reads, Report, Statistics

__all__ = ["InternalNote", "Reads", "Report", "Statistics", "check_each", "check_files", "check_source"]


def __getattr__(name: str) -> object:
    # Where the results of an earlier run still hold, the checker itself is not loaded.
    if name not in __all__:
        message = f"module 'shapecheck.static' has no attribute {name!r}"
        raise AttributeError(message)
    if name.startswith("check_"):
        from shapecheck.static import check as home
    else:
        from shapecheck.static import report as home  # type: ignore[no-redef]
    return getattr(home, name)
