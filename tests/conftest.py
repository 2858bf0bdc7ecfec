"""Settings for the whole suite."""

import os

from hypothesis import settings

# Tensors here have a few elements: threads would only wait for each other. Set before torch is imported, and handed
# down to the programs that tests start.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# A build machine that is busy with something else is no reason to fail, and a failure there must come again here.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile("searching", deadline=None)
settings.load_profile("steady" if os.environ.get("CI") else "searching")
