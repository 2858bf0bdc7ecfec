"""A function compiled once more from its source, with a check behind each annotated assignment.

This is what `@shapechecked(locals=True)` does; the import hook puts the same checks into whole modules.
"""

from __future__ import annotations

import ast
import sys
import types
from typing import Any

from shapecheck.runtime.body import CHECK

_FUTURE = 0x1FE0000  # the compiler flags of `from __future__ import ...`
_TREES: dict[str, tuple[list[str], ast.Module]] = {}


def assignment_with_check(node: ast.AnnAssign) -> list[ast.stmt]:
    """An assignment to an annotated name, and the call that checks it."""
    assert isinstance(node.target, ast.Name)  # noqa: S101
    parameters = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    read = ast.Name(node.target.id, ast.Load())
    arguments = [ast.Constant(node.target.id), read, ast.Lambda(parameters, _unquoted(node.annotation))]
    check = ast.Expr(ast.Call(ast.Name(CHECK, ast.Load()), arguments, []))
    return [node, ast.fix_missing_locations(ast.copy_location(check, node))]


def _unquoted(annotation: ast.expr) -> ast.expr:
    """An annotation without the quotes around it: its names are then looked up as those of the code around it."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            inner = ast.parse(annotation.value.strip(), mode="eval").body
        except SyntaxError:  # the check says so when the function runs
            return annotation
        for part in ast.walk(inner):
            ast.copy_location(part, annotation)
        return inner
    return annotation


def is_checkable(node: ast.AnnAssign) -> bool:
    """Whether an annotated statement gives a value to a local name."""
    return isinstance(node.target, ast.Name) and node.value is not None


class _Assignments(ast.NodeTransformer):
    """Puts the checks into one function. Those inside it have sizes of their own, and their own decorator."""

    def __init__(self) -> None:
        self.annotations: list[ast.expr] = []

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST | list[ast.stmt]:  # ast's naming
        if not is_checkable(node):
            return node
        self.annotations.append(_unquoted(node.annotation))
        return assignment_with_check(node)

    def _leave(self, node: ast.AST) -> ast.AST:
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = _leave  # noqa: N815  # ast's naming


def has_annotated_locals(function: types.FunctionType) -> bool:
    """Whether a function gives values to annotated local names. Raises a `TypeError` when its source cannot be had."""
    node, _ = _definition(function)
    assignments = _Assignments()
    for statement in node.body:
        assignments.visit(statement)
    return bool(assignments.annotations)


def with_local_checks(function: types.FunctionType) -> types.FunctionType:
    """The function with its annotated local variables checked; itself when it has none.

    Raises:
        TypeError: when its source cannot be had.
    """
    node, owner = _definition(function)
    assignments = _Assignments()
    node.body = [part for statement in node.body for part in _several(assignments.visit(statement))]
    if not assignments.annotations:
        return function
    cells: dict[str, Any] = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    for name, value in _names_around(function, assignments.annotations).items():
        cells.setdefault(name, types.CellType(value))
    code = _compiled(function, node, owner, [name for name in cells if name != "__class__"])
    from shapecheck.runtime.local import check_local

    function.__globals__[CHECK] = check_local
    closure = tuple(cells[name] for name in code.co_freevars)
    checked = types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, closure)
    return _like(checked, function)


def _several(result: Any) -> list[ast.stmt]:
    return result if isinstance(result, list) else [result]


def _like(checked: types.FunctionType, function: types.FunctionType) -> types.FunctionType:
    """Give the new function what the old one has beside its code."""
    written: Any = checked  # attributes that only some versions have
    checked.__kwdefaults__ = function.__kwdefaults__
    checked.__qualname__ = function.__qualname__
    checked.__module__ = function.__module__
    checked.__doc__ = function.__doc__
    checked.__dict__.update(function.__dict__)
    if hasattr(function, "__annotate__"):
        written.__annotate__ = function.__annotate__
    else:
        checked.__annotations__ = function.__annotations__
    if hasattr(function, "__type_params__"):
        written.__type_params__ = function.__type_params__
    return checked


def _definition(function: types.FunctionType) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef, str]:
    """A copy of the syntax tree of a function, and the name of the class around it, "" if there is none."""
    import copy
    import linecache

    code = function.__code__
    lines = linecache.getlines(code.co_filename, function.__globals__)
    if not lines:
        raise TypeError(_no_source(function, f"{code.co_filename} is no file that can be read"))
    known = _TREES.get(code.co_filename)
    if known is None or known[0] != lines:
        try:
            tree = ast.parse("".join(lines), code.co_filename)
        except SyntaxError as error:
            raise TypeError(_no_source(function, f"{code.co_filename} does not parse: {error.msg}")) from None
        known = _TREES[code.co_filename] = (lines, tree)
    found = _find(known[1], function.__name__, code.co_firstlineno, "")
    if found is None:
        reason = f"line {code.co_firstlineno} of {code.co_filename} is no longer where it is defined"
        raise TypeError(_no_source(function, reason))
    return copy.deepcopy(found[0]), found[1]


def _no_source(function: types.FunctionType, reason: str) -> str:
    return (
        f"locals=True needs the source of {function.__qualname__}, which cannot be had: {reason}. "
        "Without locals=True its arguments and result are checked all the same"
    )


def _find(tree: ast.AST, name: str, line: int, owner: str) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef, str] | None:
    """The definition of this name whose decorators start at this line."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if first == line:
                return node, owner
        found = _find(node, name, line, node.name if isinstance(node, ast.ClassDef) else owner)
        if found is not None:
            return found
    return None


def _names_around(function: types.FunctionType, annotations: list[ast.expr]) -> dict[str, Any]:
    """Local names of the functions around a nested one that nothing but its annotations mention."""
    used = {node.id for part in annotations for node in ast.walk(part) if isinstance(node, ast.Name)}
    names = {variable.__name__: variable for variable in getattr(function, "__type_params__", ())}
    if "<locals>" in function.__qualname__:
        from shapecheck.runtime.resolve import names_in_frames

        names = {**names_in_frames(function), **names}
    own = {*function.__code__.co_varnames, *function.__code__.co_cellvars}
    return {name: value for name, value in names.items() if name in used and name not in own}


def _compiled(
    function: types.FunctionType, node: ast.FunctionDef | ast.AsyncFunctionDef, owner: str, free: list[str]
) -> types.CodeType:
    """Compile within a function that has the free names, and within a class of the right name, for `__private` names.

    The definition itself is never run, so that nothing is left of it but the code.
    """
    definition: ast.stmt = node
    if owner:
        definition = ast.ClassDef(owner, [], [], [definition], [], **_NO_TYPE_PARAMETERS)
    names = [ast.arg(name) for name in free]
    parameters = ast.arguments(posonlyargs=[], args=names, kwonlyargs=[], kw_defaults=[], defaults=[])
    factory = ast.FunctionDef("factory", parameters, [definition], [], **_NO_TYPE_PARAMETERS)
    tree = ast.fix_missing_locations(ast.Module([factory], []))
    old = function.__code__
    module = compile(tree, old.co_filename, "exec", flags=old.co_flags & _FUTURE, dont_inherit=True)
    code = _code_of(module, function.__name__, old.co_firstlineno)
    assert code is not None  # noqa: S101
    return code.replace(co_qualname=old.co_qualname)


_NO_TYPE_PARAMETERS: dict[str, Any] = {"type_params": []} if sys.version_info >= (3, 12) else {}


def _code_of(code: types.CodeType, name: str, line: int) -> types.CodeType | None:
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            if part.co_name == name and part.co_firstlineno == line:
                return part
            found = _code_of(part, name, line)
            if found is not None:
                return found
    return None
