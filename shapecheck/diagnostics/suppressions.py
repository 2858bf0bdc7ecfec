"""Suppression comments: which findings they silence, and which of them silence nothing.

x = a.view(B, T, H, Dh)  # shapecheck: ignore[SC301]
y = x + z                # shapecheck: ignore
# shapecheck: ignore-file
# shapecheck: ignore-file[SC301, outer-broadcast]

`ignore-file` alone leaves the file out: not even its comments are reported as unused.
"""

from __future__ import annotations

from shapecheck.diagnostics.model import Diagnostic, Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    Resolve = Callable[[str], frozenset[str]]
    """A selector (code, name, beginning of a code) to its codes; ValueError when it names none."""

MARK = "shapecheck:"
"""A file without this text has no suppressions and is not tokenized."""

UNUSED = "SC002"


class Suppression:
    """One comment.

    `rows` is the span it covers: the whole logical line if the comment stands on its first or last row, else its own
    row; None for a whole file. `selectors` are the codes or names in brackets as written, or None without brackets.
    `problem` says which part of the comment cannot be understood.
    """

    __slots__ = ("codes", "place", "problem", "rows", "selectors", "used")

    def __init__(
        self,
        place: Place,
        rows: tuple[int, int] | None,
        selectors: tuple[str, ...] | None,
        problem: str | None = None,
    ) -> None:
        self.place = place
        self.rows = rows
        self.selectors = selectors
        self.problem = problem
        self.codes: dict[str, frozenset[str]] = {}
        self.used: set[str] = set()

    def silences(self, code: str) -> bool:
        """Tell whether the comment silences a code, and remember that it was of use."""
        if self.selectors is None or any(code in codes for codes in self.codes.values()):
            self.used.add(code)
            return True
        return False


def find_suppressions(filename: str, text: str, resolve: Resolve) -> list[Suppression]:
    """Return the suppression comments of a file, in order."""
    found = []
    for row, column, comment, rows in _comments(text):
        for start, end, verb, selectors in _directives(comment):
            place = Place(filename, row, column + start, row, column + end)
            if verb not in {"ignore", "ignore-file"}:
                found.append(Suppression(place, rows, (), _unknown(verb)))
                continue
            suppression = Suppression(place, rows if verb == "ignore" else None, selectors)
            if selectors == ():
                suppression.problem = f"{verb}[] names no rule, so it silences nothing; write {verb}[CODE] or {verb}"
            for selector in selectors or ():
                try:
                    suppression.codes[selector] = resolve(selector)
                except ValueError as error:
                    suppression.problem = str(error)
            found.append(suppression)
    return found


def apply_suppressions(
    diagnostics: Iterable[Diagnostic],
    texts: Mapping[str, str],
    resolve: Resolve,
    active: Callable[[str], frozenset[str]],
) -> tuple[list[Diagnostic], list[Diagnostic]]:
    """Split findings into those that stand and those that a comment silences, and report comments of no use.

    Args:
        diagnostics: what was found.
        texts: the source of each checked file that contains `MARK`, by filename.
        resolve: what a code or name in brackets stands for.
        active: the codes that are reported in a file; a suppression of any other code is not called unused.

    Returns:
        What stands (with a diagnostic SC002 for each unused suppression), and what was silenced.
    """
    suppressions = [item for filename, text in texts.items() for item in find_suppressions(filename, text, resolve)]
    if not suppressions:
        return list(diagnostics), []
    by_row: dict[tuple[str, int], list[Suppression]] = {}
    by_file: dict[str, list[Suppression]] = {}
    for item in suppressions:
        if item.rows is None:
            by_file.setdefault(item.place.filename, []).append(item)
        else:
            for row in range(item.rows[0], item.rows[1] + 1):
                by_row.setdefault((item.place.filename, row), []).append(item)

    standing, silenced = [], []
    for diagnostic in diagnostics:
        covering = [item for spot in _spots(diagnostic) for item in by_row.get(spot, ())]
        # The narrowest comment is the one that counts as used; a line's own comment goes before the file's.
        covering += by_file.get(diagnostic.place.filename, ())
        if any(item.silences(diagnostic.code) for item in covering):
            silenced.append(diagnostic)
        else:
            standing.append(diagnostic)
    # A file that is left out as a whole is not looked into, and so nothing is said about its comments.
    left_out = {name for name, items in by_file.items() if any(item.selectors is None for item in items)}
    standing += [
        unused
        for item in suppressions
        if item.place.filename not in left_out
        for unused in _unused(item, active(item.place.filename))
    ]
    return standing, silenced


def _spots(diagnostic: Diagnostic) -> Iterator[tuple[str, int]]:
    place = diagnostic.place
    yield place.filename, place.row
    if place.end_row != place.row:
        yield place.filename, place.end_row
    for note in diagnostic.notes:
        # A fault inside a helper may be silenced where the helper is called.
        if note.call and note.place is not None:
            yield note.place.filename, note.place.row


def _unused(item: Suppression, active: frozenset[str]) -> Iterator[Diagnostic]:
    if UNUSED not in active:
        return
    if item.problem is not None:
        message = item.problem
    elif item.selectors is None:
        if item.used:
            return
        message = "unused suppression: nothing is reported here"
    else:
        idle = [
            selector
            for selector in item.selectors
            if not item.codes[selector] & item.used and item.codes[selector] & active
        ]
        if not idle:
            return
        message = f"unused suppression: no {' or '.join(idle)} is reported here"
    if item.rows is None and item.problem is None:
        message = message.replace(" here", " in this file")
    yield Diagnostic(UNUSED, "warning", message, item.place, repair="remove it" if item.problem is None else None)


def _unknown(verb: str) -> str:
    if "[" in verb:
        return f"the [ of {verb!r} is not closed, so it silences nothing"
    return f"unknown directive {verb!r}; write ignore, ignore[CODE], ignore-file or ignore-file[CODE]"


def _directives(comment: str) -> Iterator[tuple[int, int, str, tuple[str, ...] | None]]:
    """Yield (start, end, verb, selectors) of each directive in a comment, as offsets into it.

    The verb keeps a bracket that is not closed: what was meant to stand in it is not known.
    """
    import re

    for match in re.finditer(r"#\s*shapecheck:\s*([\w-]*(?:\[[^\]]*$)?)(?:\[([^\]]*)\])?", comment):
        listed = match[2]
        selectors = None
        if listed is not None:
            selectors = tuple(part.strip() for part in listed.split(",") if part.strip())
        yield match.start(), match.end(), match[1], selectors


def _comments(text: str) -> Iterator[tuple[int, int, str, tuple[int, int]]]:
    """Yield (row, column, comment, rows it covers) of each comment that contains `MARK`; row and column are 1-based."""
    import io
    import tokenize

    silent = {tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING, tokenize.ENDMARKER}
    start = 0
    pending: list[tuple[int, int, str]] = []
    try:
        for kind, string, begin, end, _ in tokenize.generate_tokens(io.StringIO(text).readline):
            if kind == tokenize.COMMENT:
                if MARK in string:
                    pending.append((begin[0], begin[1] + 1, string))
                    if not start:
                        # On a line of its own it covers only itself.
                        yield (*pending.pop(), (begin[0], begin[0]))
            elif kind == tokenize.NEWLINE:
                for row, column, string_ in pending:
                    yield row, column, string_, (start, end[0]) if row in {start, end[0]} else (row, row)
                pending.clear()
                start = 0
            elif not start and kind not in silent:
                start = begin[0]
    except (tokenize.TokenError, SyntaxError):
        # The file does not parse and is reported for that; what was found so far still counts.
        return
