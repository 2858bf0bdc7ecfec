"""Which variables one pass of a loop hands to the next."""

import ast

import pytest

from shapecheck.static.carried import carried


def carried_by(text):
    return carried(ast.parse(text).body[0])


@pytest.mark.parametrize(
    ("loop", "names"),
    [
        ("for x in xs:\n    y = x + 1\n    z = y", set()),
        ("for x in xs:\n    z = y\n    y = x", {"y"}),
        ("for x in xs:\n    y += x", {"y"}),
        ("for i, (a, *b) in xs:\n    use(a, b, i)", {"use"}),
        ("for x.y in xs:\n    pass", {"x"}),
        ("for x in xs:\n    y[x] = 1", {"y"}),
        ("for x in xs:\n    y.append(x)", {"y"}),
        ("while x:\n    x = f()", {"x", "f"}),
        ("for x in xs:\n    if x:\n        y = 1\n    z = y", {"y"}),
        ("for x in xs:\n    if x:\n        y = 1\n    else:\n        y = 2\n    z = y", set()),
        ("for x in xs:\n    if x:\n        y = 1\n    else:\n        continue\n    z = y", set()),
        ("for x in xs:\n    for y in x:\n        z = 1\n    w = z", {"z"}),
        ("for x in xs:\n    for y in x:\n        z = y\n        w = z", set()),
        ("for x in xs:\n    with x as y:\n        z = y\n    w = z", set()),
        ("for x in xs:\n    try:\n        y = x\n    except E:\n        pass\n    z = y", {"E", "y"}),
        ("for x in xs:\n    match x:\n        case [y]:\n            z = y", {"y", "z"}),
        ("for x in xs:\n    y = [y for y in x]", set()),
        ("for x in xs:\n    y = [z for z in z]", {"z"}),
        ("for x in xs:\n    y = {a: b for a, c in x for b in c if d}", {"d"}),
        ("for x in xs:\n    def f():\n        return y\n    y = f()", {"y"}),
        ("for x in xs:\n    import m\n    m.f(x)", set()),
        ("for x in xs:\n    del x", set()),
        ('for x in xs:\n    y: Float[T, "b {n}"] = x\n    n = 1', {"Float", "T", "b", "n", "y"}),
        ("for x in xs:\n    if x:\n        break\n    y = 1\nelse:\n    z = y", set()),
    ],
)
def test_what_is_read_before_it_is_assigned(loop, names):
    assert carried_by(loop) == names
