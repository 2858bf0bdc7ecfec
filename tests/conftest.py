"""Settings for the whole suite."""

import os

from hypothesis import settings

# A build machine that is busy with something else is no reason to fail, and a failure there must come again here.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.register_profile("searching", deadline=None)
settings.load_profile("steady" if os.environ.get("CI") else "searching")
