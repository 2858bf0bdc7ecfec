"""Checks the axes of annotated tensors by name: without running the code, at call time, and in pytest.

Everything here is loaded when it is first used, so importing the package costs next to nothing.
"""

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.runtime.decorator import shapechecked as shapechecked
    from shapecheck.runtime.decorator import unchecked as unchecked
    from shapecheck.runtime.errors import AnnotationUseError as AnnotationUseError
    from shapecheck.runtime.errors import ShapecheckWarning as ShapecheckWarning
    from shapecheck.runtime.errors import ShapeError as ShapeError
    from shapecheck.runtime.import_hook import install_import_hook as install_import_hook
    from shapecheck.runtime.reveal import reveal_shape as reveal_shape
    from shapecheck.version import __version__ as __version__

_HOMES = {
    "AnnotationUseError": "shapecheck.runtime.errors",
    "ShapeError": "shapecheck.runtime.errors",
    "ShapecheckWarning": "shapecheck.runtime.errors",
    "__version__": "shapecheck.version",
    "install_import_hook": "shapecheck.runtime.import_hook",
    "reveal_shape": "shapecheck.runtime.reveal",
    "shapechecked": "shapecheck.runtime.decorator",
    "unchecked": "shapecheck.runtime.decorator",
}

__all__ = [  # noqa: PLE0604, RUF100  # the names are those of `_HOMES`
    "AnnotationUseError",
    "ShapeError",
    "ShapecheckWarning",
    "__version__",
    "install_import_hook",
    "reveal_shape",
    "shapechecked",
    "unchecked",
]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        message = f"module 'shapecheck' has no attribute {name!r}"
        raise AttributeError(message)
    import importlib

    value: object = getattr(importlib.import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


def _install_hook_for(packages: str) -> None:
    """Check the packages named in the environment, separated by commas or blanks."""
    from shapecheck.runtime.import_hook import install_import_hook

    names = packages.replace(",", " ").split()
    if names:
        install_import_hook(names)


if "SHAPECHECK_PACKAGES" in os.environ:
    _install_hook_for(os.environ["SHAPECHECK_PACKAGES"])
