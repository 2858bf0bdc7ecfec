"""The import hook: checks whole packages without a decorator in them."""

from __future__ import annotations

import ast
import importlib.machinery
import sys
import types
import warnings
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any, Self

from shapecheck.runtime.body import CHECK
from shapecheck.runtime.decorator import switched_off
from shapecheck.runtime.errors import ShapecheckWarning
from shapecheck.runtime.recompiled import assignment_with_check, is_checkable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from importlib.machinery import ModuleSpec

_DECORATOR = "__shapecheck_checked__"
# These would check themselves, or never end.
_OWN = {"shapecheck", "jaxtyping", "beartype", "torch", "numpy"}


def install_import_hook(packages: str | Iterable[str], *, locals: bool = False) -> ImportHook:
    """Check every annotated function of the packages, from their next import on.

    Args:
        packages: names or patterns ("models.*") of packages or modules, with everything below them.
        locals: check annotated local variables as well, `h: Float[Tensor, "B T D"] = ...`. This costs some microseconds
            per call and variable.

    Returns:
        The hook. It is also a context manager, that uninstalls it at the end.

    Modules that are imported already are named in a warning: they stay as they are. With `SHAPECHECK=off` nothing is
    installed. Importing shapecheck installs a hook for the packages in the environment variable `SHAPECHECK_PACKAGES`,
    separated by commas or blanks.
    """
    hook = ImportHook([packages] if isinstance(packages, str) else list(packages), check_locals=locals)
    if switched_off():
        return hook
    late = sorted(name for name in sys.modules if hook.wants(name))
    if late:
        shown = ", ".join(late[:5]) + (f" and {len(late) - 5} more" if len(late) > 5 else "")
        message = f"imported before the hook was installed, and therefore not checked: {shown}"
        warnings.warn(message, ShapecheckWarning, stacklevel=2)
    sys.meta_path.insert(0, hook)
    return hook


class ImportHook:
    """Finds the modules as usual, and has their functions decorated while they are compiled.

    An entry of `sys.meta_path`. Its base class `importlib.abc.MetaPathFinder` would cost the import of `inspect`.
    """

    def __init__(self, patterns: list[str], *, check_locals: bool = False) -> None:
        self.patterns = patterns
        self.check_locals = check_locals

    def wants(self, module: str) -> bool:
        """Whether a module is to be checked."""
        if module.partition(".")[0] in _OWN:
            return False
        parts = module.split(".")
        above = [".".join(parts[:count]) for count in range(1, len(parts) + 1)]
        return any(name == pattern or fnmatchcase(name, pattern) for pattern in self.patterns for name in above)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module's ordinary spec, with a loader of ours in place of a source loader."""
        if not self.wants(fullname):
            return None
        for finder in sys.meta_path:
            if finder is self or not hasattr(finder, "find_spec"):
                continue
            spec = finder.find_spec(fullname, path, target)
            if spec is None:
                continue
            loader: Any = spec.loader
            if type(loader) is importlib.machinery.SourceFileLoader:
                checked = spec.loader = CheckedLoader(loader.name, loader.path)
                checked.check_locals = self.check_locals
            elif isinstance(loader, importlib.machinery.SourceFileLoader):
                if self.check_locals:
                    message = f"{fullname} is compiled by another import hook: its local variables are not checked"
                    warnings.warn(message, ShapecheckWarning, stacklevel=2)
                decorate_afterwards(loader)
            return spec
        return None

    def uninstall(self) -> None:
        """Leave later imports alone; what has been imported stays checked."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.uninstall()


class CheckedLoader(importlib.machinery.SourceFileLoader):
    """Compiles a module with every annotated function decorated.

    Knowing no file times keeps it from the byte code cache, which would mix checked and unchecked code up.
    """

    check_locals = False

    def path_stats(self, path: str) -> dict[str, Any]:
        """Refuse to say."""
        raise OSError(path)

    def source_to_code(self, data: Any, path: Any, *, _optimize: int = -1) -> types.CodeType:  # type: ignore[override]
        """Decorate, then compile."""
        tree: ast.Module = ast.parse(data, path)
        Decorate(check_locals=self.check_locals).visit(tree)
        ast.fix_missing_locations(tree)
        code: types.CodeType = compile(tree, path, "exec", dont_inherit=True, optimize=_optimize)
        return code


def decorate_afterwards(loader: Any) -> None:
    """For the loader of another hook, which compiles in its own way: decorate what the module has defined.

    Functions inside of functions are out of reach there.
    """
    run = loader.exec_module

    def exec_module(module: types.ModuleType) -> None:
        run(module)
        for name, value in list(vars(module).items()):
            if getattr(value, "__module__", None) != module.__name__:
                continue
            if isinstance(value, type) or (isinstance(value, types.FunctionType) and _is_annotated(value)):
                setattr(module, name, decorate_here(value))

    loader.exec_module = exec_module


def _is_annotated(function: types.FunctionType) -> bool:
    from shapecheck.runtime.decorator import CHANGED, takes_the_same
    from shapecheck.runtime.resolve import has_annotations, innermost

    inner = innermost(function)
    if inner is None or not has_annotations(inner):
        return False
    if not takes_the_same(function, inner):
        warnings.warn(f"{inner.__qualname__} is not checked: {CHANGED}", ShapecheckWarning, stacklevel=2)
        return False
    return True


def decorate_here(target: Any) -> Any:
    """What the decorator in a hooked module does."""
    from shapecheck.runtime.decorator import decorate

    return decorate(target, None)


class Decorate(ast.NodeTransformer):
    """Adds our decorator below all others: what they make of a function is not ours to check."""

    def __init__(self, *, check_locals: bool) -> None:
        self.check_locals = check_locals
        # For the functions and classes around a statement, whether local variables are checked there, and have been.
        self.inside = [False]
        self.found = [False]

    def visit_Module(self, node: ast.Module) -> ast.AST:  # ast's naming
        """Import what the module will call. `python -m` runs the code without the loader, so that cannot do it."""
        self.generic_visit(node)
        at = 0
        for statement in node.body:  # these two have to stay in front
            documentation = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
            if not documentation and getattr(statement, "module", None) != "__future__":
                break
            at += 1
        names = [(__name__, "decorate_here", _DECORATOR)]
        if self.check_locals:
            names.append(("shapecheck.runtime.local", "check_local", CHECK))
        node.body[at:at] = [ast.ImportFrom(module, [ast.alias(name, own)], 0) for module, name, own in names]
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:  # ast's naming
        """Decorate the function and those inside it."""
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:  # ast's naming
        """Decorate the function and those inside it."""
        return self._function(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | list[ast.stmt]:  # ast's naming
        """Check a local variable after it has been assigned."""
        if not (self.check_locals and self.inside[-1] and is_checkable(node)):
            return node
        self.found[-1] = True
        return assignment_with_check(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        self.inside.append(True)
        self.found.append(False)
        self.generic_visit(node)
        self.inside.pop()
        has_locals = self.found.pop()
        arguments = node.args
        named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        annotated = node.returns is not None or any(argument and argument.annotation is not None for argument in named)
        if (annotated or has_locals) and not any(_is_marker(decorator) for decorator in node.decorator_list):
            node.decorator_list.append(_name(node))
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:  # ast's naming
        """Decorate the methods, and a dataclass itself."""
        self.inside.append(False)
        self.found.append(False)
        self.generic_visit(node)
        self.inside.pop()
        self.found.pop()
        # Above `@dataclass`, which makes the `__init__` that is to be checked.
        if any(_is_dataclass(decorator) for decorator in node.decorator_list):
            node.decorator_list.insert(0, _name(node))
        return node


def _name(node: ast.stmt) -> ast.expr:
    name = ast.Name(_DECORATOR, ast.Load())
    return ast.copy_location(name, node)


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _is_dataclass(node: ast.expr) -> bool:
    return _last_name(node) == "dataclass"


def _is_marker(node: ast.expr) -> bool:
    return _last_name(node) in {"unchecked", "no_type_check", "overload", "shapechecked"}
