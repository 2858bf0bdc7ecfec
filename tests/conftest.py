"""Settings for the whole suite."""

pytest_plugins = ("pytester",)
