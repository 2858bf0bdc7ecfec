"""The patterns of ``match``: whether one matches, and what it binds."""

from __future__ import annotations

import ast

from shapecheck.shapes import NONE, AnyValue, Constant, Opaque, Rest, Sequence, Tensor, Unknown
from shapecheck.static.conditions import compare, is_instance
from shapecheck.static.construction import instance_of
from shapecheck.static.facts import assume_values_equal, narrow
from shapecheck.static.values import ClassValue, Dictionary, Elements, Instance, OneOf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from shapecheck.static.frame import Frame


def match_case(frame: Frame, pattern: ast.pattern, value: AnyValue, subject: ast.expr) -> bool | None:
    """Whether a pattern matches a value: True, False or None; binds its names as if it did."""
    if isinstance(value, OneOf):
        found = [(option, match(frame, pattern, option, certain=False)) for option in value.options]
        kept = [option for option, matches in found if matches is not False]
        if not kept:
            return False
        if len(kept) < len(found):
            narrow(frame, subject, kept)
        bound = kept[0] if len(kept) == 1 else OneOf(tuple(kept))
        match(frame, pattern, bound)
        return True if all(matches for _, matches in found) else None
    return match(frame, pattern, value)


def match(frame: Frame, pattern: ast.pattern, value: AnyValue, *, certain: bool = True) -> bool | None:
    """Whether a pattern matches a value that is no choice; binds its names as if it did.

    Where it is the only pattern of its case (``certain``), what it compares is equal from there on.
    """
    if isinstance(pattern, ast.MatchAs):
        matches = True if pattern.pattern is None else match(frame, pattern.pattern, value, certain=certain)
        if pattern.name is not None:
            frame.env[pattern.name] = value
        return matches
    if isinstance(pattern, ast.MatchOr):
        found = [match(frame, alternative, value, certain=False) for alternative in pattern.patterns]
        return True if True in found else None if None in found else False
    if isinstance(pattern, (ast.MatchValue, ast.MatchSingleton)):
        expression = pattern.value if isinstance(pattern, ast.MatchValue) else ast.Constant(pattern.value)
        other = frame.evaluate(expression)
        result = compare(ast.Eq() if isinstance(pattern, ast.MatchValue) else ast.Is(), value, other)
        if isinstance(result, Constant):
            return bool(result.value)
        if certain:
            # In this case the two are equal.
            assume_values_equal(frame, value, other, pattern)
        return None
    if isinstance(pattern, ast.MatchSequence):
        return _match_sequence(frame, pattern, value, certain=certain)
    if isinstance(pattern, ast.MatchClass):
        return _match_class(frame, pattern, value)
    _bind_unknown(frame, pattern)
    if isinstance(pattern, ast.MatchMapping):
        return _match_mapping(frame, pattern, value)
    return None


def _bind_unknown(frame: Frame, pattern: ast.pattern) -> None:
    for inner in ast.walk(pattern):
        name = getattr(inner, "name", None) or getattr(inner, "rest", None)
        if isinstance(name, str):
            frame.env[name] = Unknown("a pattern binds it")


def _match_sequence(
    frame: Frame, pattern: ast.MatchSequence, value: AnyValue, *, certain: bool
) -> bool | None:
    parts = pattern.patterns
    star = next((position for position, part in enumerate(parts) if isinstance(part, ast.MatchStar)), None)
    if not isinstance(value, Sequence) or any(isinstance(item, Rest) for item in value.items):
        _bind_unknown(frame, pattern)
        # A tensor is no sequence to a pattern.
        unlike = isinstance(value, (Tensor, Instance, Dictionary)) or value == NONE
        return False if unlike and not isinstance(value, Elements) else None
    items: list[AnyValue] = value.items  # type: ignore[assignment]  # no Rest among them
    if len(items) < len(parts) - 1 or (star is None and len(items) != len(parts)):
        _bind_unknown(frame, pattern)
        return False
    if star is None:
        found = [match(frame, part, item, certain=certain) for part, item in zip(parts, items, strict=True)]
    else:
        behind = len(parts) - star - 1
        middle = parts[star]
        if isinstance(middle, ast.MatchStar) and middle.name is not None:
            frame.env[middle.name] = Sequence(items[star : len(items) - behind], "list")
        found = [match(frame, part, item, certain=certain) for part, item in zip(parts[:star], items, strict=False)]
        tail = items[len(items) - behind :]
        found += [
            match(frame, part, item, certain=certain) for part, item in zip(parts[star + 1 :], tail, strict=True)
        ]
    return False if False in found else None if None in found else True


def _match_class(frame: Frame, pattern: ast.MatchClass, value: AnyValue) -> bool | None:
    cls = frame.evaluate(pattern.cls)
    matches = is_instance(value, cls)
    if isinstance(cls, ClassValue) and isinstance(value, (Opaque, Unknown)):
        value = instance_of(frame.interpreter, cls.cls, cls.cls.name)
    names = list(pattern.kwd_attrs)
    parts = list(pattern.kwd_patterns)
    if pattern.patterns:
        if isinstance(value, Instance):
            names = [field.name for _, field in value.cls.all_fields()][: len(pattern.patterns)] + names
            parts = [*pattern.patterns, *parts]
        elif len(pattern.patterns) == 1 and not parts:
            # `int(n)` and `str(s)` bind the value itself.
            return match(frame, pattern.patterns[0], value) and matches
    _bind_unknown(frame, pattern)
    if isinstance(value, Instance) and len(names) == len(parts):
        for name, part in zip(names, parts, strict=True):
            found = match(frame, part, frame.interpreter.instance_attribute(frame, value, name, pattern))
            matches = False if found is False else None if found is None and matches else matches
    elif parts and matches:
        matches = None
    return matches


def _match_mapping(frame: Frame, pattern: ast.MatchMapping, value: AnyValue) -> bool | None:
    if not isinstance(value, Dictionary):
        return None
    found: list[bool | None] = []
    for key_node, part in zip(pattern.keys, pattern.patterns, strict=True):
        key = frame.interpreter.key(frame.evaluate(key_node))
        if key is None:
            found.append(None)
        elif key not in value.items:
            return False
        else:
            found.append(match(frame, part, value.items[key]))
    return False if False in found else None if None in found else True
