"""Settings for the whole suite."""

import os

import pytest
from hypothesis import settings

# Tensors here have a few elements: threads would only wait for each other. Set before torch is imported, and handed
# down to the programs that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A build machine that is busy with something else is no reason to fail, and a failure there must come again here.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile("searching", deadline=None)
settings.load_profile("steady" if os.environ.get("CI") else "searching")


@pytest.fixture(scope="session", autouse=True)
def _the_same_everywhere():
    """Keep from the programs that tests start what would make them print something else here than elsewhere."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("CI", "BUILD_NUMBER", "COLUMNS", "FORCE_COLOR", "NO_COLOR", "PY_COLORS", "PYTEST_ADDOPTS"):
            patch.delenv(name, raising=False)
        for name in [name for name in os.environ if name.startswith("SHAPECHECK")]:
            patch.delenv(name)
        yield
