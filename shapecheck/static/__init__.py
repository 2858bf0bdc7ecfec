"""The static checker: a project index, then an abstract interpreter over ``ast``. Runs and imports no user code."""

from shapecheck.static.check import check_files, check_source
from shapecheck.static.report import InternalNote, Report, Statistics

__all__ = ["InternalNote", "Report", "Statistics", "check_files", "check_source"]
