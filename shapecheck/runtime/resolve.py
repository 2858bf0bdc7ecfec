"""What the annotations of a function evaluate to, strings and deferred ones included.

This happens at the first call, when the names of the module are all there.
"""

from __future__ import annotations

import builtins
import sys
import types
from typing import Any

_PLAIN_STRINGS = 0x1000000  # CO_FUTURE_ANNOTATIONS
_MAX_FRAMES = 20
NO_ANNOTATIONS = (types.FunctionType, property, staticmethod, classmethod)
_PACKAGE = __name__.rpartition(".")[0]


def local_names(function: types.FunctionType) -> dict[str, Any] | None:
    """The local variables around a nested function, if its annotations are strings that may need them.

    An alias of the enclosing function that only annotations mention is no closure variable, so nothing else keeps it.
    """
    if "<locals>" not in function.__qualname__:
        return None
    if function.__code__.co_flags & _PLAIN_STRINGS:
        return names_in_frames(function)
    if sys.version_info >= (3, 14):
        # Deferred annotations see local names by themselves; those in quotes among them are constants of their code.
        words = _words_in_quotes(function)
        found = names_in_frames(function) if words else {}
        return {name: found[name] for name in words if name in found} or None
    strings = any(isinstance(annotation, str) for annotation in function.__annotations__.values())
    return names_in_frames(function) if strings else None


def _words_in_quotes(function: types.FunctionType) -> set[str]:
    """The words of the strings in deferred annotations, those of shapes and parameter names included."""
    code = getattr(getattr(function, "__annotate__", None), "__code__", None)
    texts = [constant for constant in code.co_consts if isinstance(constant, str)] if code is not None else []
    return {word for text in texts for word in "".join(c if c.isalnum() or c == "_" else " " for c in text).split()}


def names_in_frames(function: types.FunctionType) -> dict[str, Any]:
    """The local variables of the functions that are running around the definition of a nested one."""
    names: dict[str, Any] = {}
    frame: types.FrameType | None = sys._getframe(1)  # noqa: SLF001  # the only way to see local names
    while frame is not None and frame.f_globals.get("__name__", "").startswith(_PACKAGE):
        frame = frame.f_back
    module = function.__globals__
    count = 0
    while frame is not None and frame.f_locals is not frame.f_globals and count < _MAX_FRAMES:
        if frame.f_globals is module:
            names = {**frame.f_locals, **names}
        frame = frame.f_back
        count += 1
    return names


def has_annotations(function: types.FunctionType) -> bool:
    """Whether a function has any annotation, without evaluating one."""
    if sys.version_info >= (3, 14):
        return getattr(function, "__annotate__", None) is not None or bool(function.__annotations__)
    return bool(function.__annotations__)


def annotations_of(function: Any) -> dict[str, Any]:
    """The annotations by parameter, those that cannot be evaluated yet as strings or forward references."""
    if sys.version_info >= (3, 14):
        import annotationlib

        found = annotationlib.get_annotations(function, format=annotationlib.Format.FORWARDREF)
        pending = [name for name, annotation in found.items() if "ForwardRef(" in repr(annotation)]
        if pending:
            # What has been evaluated of `Float[Tensor, "n"] | Later` bears a made-up name there; the text says it all.
            texts = annotationlib.get_annotations(function, format=annotationlib.Format.STRING)
            found.update({name: texts[name] for name in pending})
        return found
    return dict(getattr(function, "__annotations__", None) or {})


def innermost(function: Any) -> types.FunctionType | None:
    """The function that other decorators have wrapped, as far as they tell; None if there is none inside."""
    seen = 0
    while hasattr(function, "__wrapped__") and seen < 100:
        function = function.__wrapped__
        seen += 1
    return function if isinstance(function, types.FunctionType) else None


class Names(dict[str, Any]):
    """The names that an annotation may use; missing ones are looked up further and further out.

    known: the innermost names.
    module: the globals of the module it stands in.
    qualname: the qualified name of the function or class that has the annotation; the class around it counts as well.
    """

    def __init__(self, known: dict[str, Any], module: dict[str, Any], qualname: str) -> None:
        super().__init__(known)
        self.module = module
        self.owner = self._owner(qualname)

    def _owner(self, qualname: str) -> Any:
        """The class that a method is defined in, if it can be reached from its module."""
        path = qualname.rpartition(".")[0]
        if not path or "<locals>" in path:
            return None
        owner = self.module.get(path.partition(".")[0])
        for part in path.split(".")[1:]:
            owner = getattr(owner, part, None)
        return owner

    def __missing__(self, name: str) -> Any:
        own = vars(self.owner) if isinstance(self.owner, type) else {}
        # A method called `float` is no meaning of `float` in an annotation.
        if name in own and not isinstance(own[name], NO_ANNOTATIONS):
            return own[name]
        for namespace in (self.module, vars(builtins)):
            if name in namespace:
                return namespace[name]
        return _type_checking_import(name)

    def evaluate(self, text: str) -> object:
        """The value of an annotation's text; raises what evaluating it raises."""
        # In parentheses, as type checkers read annotations that run over several lines.
        return eval(f"({text})", {"__builtins__": {}}, self)  # noqa: S307  # an annotation is its user's own code


def names_of_function(function: types.FunctionType, local: dict[str, Any] | None) -> Names:
    """The names that the annotations of a function may use; `local` are those around a nested one."""
    names = Names(local or {}, function.__globals__, function.__qualname__)
    names.update(_cells(function))
    names.update(_cells(getattr(function, "__annotate__", None)))
    names.update({parameter.__name__: parameter for parameter in getattr(function, "__type_params__", ())})
    return names


def names_of_class(cls: type) -> Names:
    """The names that the annotations in the body of a class may use."""
    module = sys.modules.get(cls.__module__)
    names = Names({cls.__name__: cls}, vars(module) if module is not None else {}, f"{cls.__qualname__}.")
    names.update(_cells(getattr(cls, "__annotate__", None)))
    return names


def _cells(function: Any) -> dict[str, Any]:
    """The closure of a function; deferred annotations (3.14) are a function of their own."""
    found = {}
    if isinstance(function, types.FunctionType):
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            try:
                found[name] = cell.cell_contents
            except ValueError:  # not assigned yet
                continue
    return found


def _type_checking_import(name: str) -> Any:
    """Names that annotated code tends to import under `TYPE_CHECKING` only, where no other meaning is likely."""
    from shapecheck.annotations.dtypes import DTYPES

    if name in DTYPES:
        import jaxtyping

        return getattr(jaxtyping, name)
    torch = sys.modules.get("torch")
    if name == "Tensor" and torch is not None:
        return torch.Tensor
    module = sys.modules.get({"np": "numpy", "jnp": "jax.numpy"}.get(name, name))
    if module is not None and name in {"torch", "np", "numpy", "jaxtyping", "jnp", "jax", "typing"}:
        return module
    raise KeyError(name)
