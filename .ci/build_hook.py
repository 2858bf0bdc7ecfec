"""Compile an editable install, as installers compile an ordinary one.

Installers write the bytecode of what they copy, and copy nothing of an editable install. Where the environment forbids
Python to write bytecode itself (`PYTHONDONTWRITEBYTECODE`, set in many container images), every start would then
compile every module again: about six times the time of the whole check of one file.
"""

from __future__ import annotations

import compileall
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompileEditable(BuildHookInterface):  # type: ignore[type-arg]
    """Writes `shapecheck/**/__pycache__` after `pip install -e .`."""

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Compile the sources where they are; a module changed later is compiled when it is next imported."""
        if version == "editable":
            compileall.compile_dir(Path(self.root, "shapecheck"), quiet=2)
