"""Writes ``shapecheck/ops/names.py``: which module holds the rule of which name.

    python -m tests.ops.write_names
"""

from __future__ import annotations

from pathlib import Path
from textwrap import wrap

from shapecheck import ops
from shapecheck.ops.registry import MODULES, OPERATIONS

TARGET = Path(ops.__file__).parent / "names.py"

HEAD = '''"""Which module of this package holds the rule of a name, so that a run imports only the rules it needs.

Written by ``python -m tests.ops.write_names``; a test compares it with what the modules register.
"""

from __future__ import annotations

NAMES: dict[str, dict[str, str]] = {
'''


def table() -> dict[str, dict[str, list[str]]]:
    """The names of each family by what stands before their last dot."""
    ops.load_all()
    homes = {name: operation.function.__module__ for name, operation in OPERATIONS.items()}
    homes |= {name: layer.__module__ for name, layer in MODULES.items()}
    found: dict[str, dict[str, list[str]]] = {}
    for name, home in sorted(homes.items()):
        prefix, _, last = name.rpartition(".")
        found.setdefault(home.removeprefix("shapecheck.ops."), {}).setdefault(prefix, []).append(last)
    return dict(sorted(found.items()))


def text() -> str:
    """The file as it must be."""
    lines = [HEAD]
    for family, prefixes in table().items():
        lines.append(f'    "{family}": {{\n')
        for prefix, names in prefixes.items():
            parts = wrap(" ".join(names), 100, break_long_words=False, break_on_hyphens=False)
            if len(parts) == 1 and len(parts[0]) + len(prefix) < 95:
                lines.append(f'        "{prefix}": "{parts[0]}",\n')
                continue
            lines.append(f'        "{prefix}": (\n')
            lines += [f'            "{part}{" " if part is not parts[-1] else ""}"\n' for part in parts]
            lines.append("        ),\n")
        lines.append("    },\n")
    lines.append("}\n")
    return "".join(lines)


if __name__ == "__main__":
    TARGET.write_text(text(), encoding="utf-8")
