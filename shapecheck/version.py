"""The version of this package, read by the build and shown by `shapecheck --version`."""

__version__ = "0.1.0"
