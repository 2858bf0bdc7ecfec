"""A checked function takes its arguments exactly as the function itself does."""

import random

from shapecheck import shapechecked

NAMES = ["a", "b", "c", "d", "e", "_n1", "_r2", "_call", "value", "sizes", "self"]


def random_signature(draw):
    names = draw.sample(NAMES, draw.randint(0, 6))
    parts, defaulted = [], False
    positional_only = draw.randint(0, 2)
    positional = draw.randint(0, len(names))
    for index, name in enumerate(names[:positional]):
        defaulted = defaulted or draw.random() < 0.3
        hint = draw.choice(["", ": int", ": 'int | None'"])
        parts.append(f"{name}{hint}" + (f"={draw.choice(['1', 'None', 'DEFAULT'])}" if defaulted else ""))
        if index + 1 == positional_only:
            parts.append("/")
    rest = names[positional:]
    if rest and draw.random() < 0.5:
        parts.append(f"*{rest.pop()}{draw.choice(['', ': int'])}")
    elif rest:
        parts.append("*")
    last = rest.pop() if len(rest) > 1 and draw.random() < 0.5 else None
    parts += [f"{name}: int" + draw.choice(["", "=2", "=None"]) for name in rest]
    if parts and parts[-1] == "*":
        parts.pop()
    if last:
        parts.append(f"**{last}")
    return ", ".join(parts), names


def outcome(function, arguments, keywords):
    try:
        return function(*arguments, **keywords)
    except TypeError as error:
        return str(error).replace("tests.", "")


def test_random_signatures_and_calls():
    draw = random.Random(5)  # noqa: S311
    passed = 0
    for _ in range(600):
        text, names = random_signature(draw)
        namespace = {"DEFAULT": object()}
        exec(f"def f({text}): return dict(locals())", namespace)  # noqa: S102
        plain, checked = namespace["f"], shapechecked(namespace["f"])
        for _ in range(6):
            arguments = [draw.randint(0, 9) for _ in range(draw.randint(0, 4))]
            keywords = {name: draw.randint(0, 9) for name in draw.sample(NAMES, draw.randint(0, 3)) if name in names}
            expected = outcome(plain, arguments, keywords)
            assert outcome(checked, arguments, keywords) == expected, text
            passed += isinstance(expected, dict)
    assert passed > 500
