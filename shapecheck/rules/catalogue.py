"""Every rule that is implemented: code, name, one-sentence summary, severity, and whether it is on by default."""

from __future__ import annotations

from shapecheck.diagnostics.model import Rule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

RULES: dict[str, Rule] = {
    rule.code: rule
    for rule in (
        Rule("SC000", "revealed-shape", "the shape inferred for the argument of reveal_shape(...)", "note"),
        Rule("SC001", "unreadable-file", "the file cannot be read, decoded or parsed", "error"),
        Rule("SC002", "unused-suppression", "a suppression comment silences nothing", "warning"),
        Rule("SC101", "invalid-annotation", "the shape string of an annotation does not parse", "error"),
        Rule("SC102", "unbound-dim", "an axis name in the result that nothing binds", "warning", default=False),
        Rule("SC103", "narrow-annotation", "a named axis must be one number", "warning", default=False),
        Rule("SC104", "early-expression", "an expression uses a name before it has a size", "error", default=False),
        Rule("SC201", "return-shape", "what is returned is not what is declared", "error"),
        Rule("SC202", "argument-shape", "a call passes what the callee does not declare", "error"),
        Rule("SC203", "operand-shape", "operands of an operation do not fit", "error"),
        Rule("SC204", "rank", "wrong number of axes, or an axis index out of range", "error"),
        Rule("SC205", "reshape-size", "the new shape has another number of elements", "error"),
        Rule("SC206", "local-shape", "an annotated variable or attribute does not hold what it declares", "error"),
        Rule("SC207", "pattern", "an einsum or einops pattern is malformed or does not fit", "error"),
        Rule("SC208", "dtype", "a dtype family contradicts the annotation", "error"),
        Rule("SC209", "name-tie", "an axis called as a parameter or attribute axis has another size", "warning"),
        Rule("SC301", "scrambled-reshape", "a reshape moves elements across axes", "warning"),
        Rule("SC302", "outer-broadcast", "an axis meets itself in a broadcast: (b, 1) with (b,)", "warning"),
        Rule("SC303", "misaligned-broadcast", "an axis meets another one, and has its own elsewhere", "warning"),
        Rule("SC304", "axis-order", "the axes that a callee names arrive in another order", "warning"),
        Rule("SC305", "factor-order", "the parts of a merged axis meet the same parts in another order", "warning"),
        Rule("SC306", "softmax-axis", "weights are normalised along one axis and summed over another", "warning"),
        Rule("SC307", "batch-leak", "the samples of a batch influence each other", "warning"),
        Rule("SC308", "batch-first", "a module gets batch and time the wrong way round", "warning"),
        Rule("SC309", "squeeze-batch", "squeeze() without an axis also drops a batch of one", "warning"),
        Rule("SC310", "einsum-diagonal", "a repeated letter takes a diagonal where a product is meant", "warning"),
        Rule("SC311", "norm-axis", "statistics or a norm along one axis, and what uses them along another", "warning"),
        Rule("SC312", "causal-mask", "the triangle kept is the one that sees the future", "warning", default=False),
        Rule("SC313", "two-orders", "one file declares the same axes in two orders", "warning", default=False),
        Rule("SC314", "index-axis", "places along one axis are used on another, or taken apart by it", "warning"),
        Rule("SC315", "scan-axis", "a running sum between two flips along another axis", "warning"),
        Rule("SC316", "mean-count", "a total is divided by one axis twice, or by one that was not summed", "warning"),
    )
}

_BY_NAME = {rule.name: rule.code for rule in RULES.values()}


class UnknownRuleError(ValueError):
    """A selector that names no rule; its message suggests the nearest ones."""


def codes_matching(selector: str) -> frozenset[str]:
    """Return the codes that a selector names: a code, a name, the beginning of a code ("SC2"), or "ALL".

    Upper and lower case are the same, and blanks around it do not count.

    Raises:
        UnknownRuleError: the selector names no implemented rule.
    """
    found = _named(selector)
    if found is not None:
        return found
    beginning = selector.strip().upper()
    if not beginning:
        raise UnknownRuleError("an empty string names no rule; `shapecheck rule` lists them all")
    found = frozenset(code for code in RULES if code.startswith(beginning))
    if not found:
        raise UnknownRuleError(f"no rule is called {selector!r}{_suggestion(selector)}")
    return found


def _named(selector: str) -> frozenset[str] | None:
    """The codes of a selector that names rules in full; None of one that is the beginning of a code, or nothing."""
    upper = selector.strip().upper()
    if upper == "ALL":
        return frozenset(RULES)
    code = upper if upper in RULES else _BY_NAME.get(upper.lower())
    return None if code is None else frozenset((code,))


def codes_matching_any(selectors: Iterable[str]) -> frozenset[str]:
    """Return the codes that any of the selectors names.

    Raises:
        UnknownRuleError: one of them names no implemented rule.
    """
    codes: frozenset[str] = frozenset()
    for selector in selectors:
        codes |= codes_matching(selector)
    return codes


def codes_selected(selectors: Iterable[str]) -> frozenset[str]:
    """Return the codes that selectors turn on.

    The beginning of a code ("SC3") stands for those that are on by default; one that is off has to be named, or "ALL".

    Raises:
        UnknownRuleError: one of them names no implemented rule.
    """
    codes: frozenset[str] = frozenset()
    for selector in selectors:
        named = _named(selector)
        codes |= codes_matching(selector) & default_codes() if named is None else named
    return codes


def default_codes() -> frozenset[str]:
    """Return the codes of the rules that are on when nothing is selected."""
    return frozenset(rule.code for rule in RULES.values() if rule.default)


def page(code: str) -> str:
    """Return the Markdown page of a rule: what, why, a flagged example, its repair, how to silence it.

    Raises:
        KeyError: there is no such rule.
    """
    import os

    path = os.path.join(os.path.dirname(__file__), f"{RULES[code].code}.md")
    with open(path, encoding="utf-8") as file:
        return file.read()


def _suggestion(selector: str) -> str:
    import difflib

    written = selector.strip()
    near = difflib.get_close_matches(written.upper(), RULES, n=2, cutoff=0.8) or difflib.get_close_matches(
        written.lower(), _BY_NAME, n=2
    )
    return f"; did you mean {' or '.join(near)}?" if near else "; `shapecheck rule` lists them all"
