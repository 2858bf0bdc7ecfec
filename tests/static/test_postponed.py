"""Objects made with unknown arguments: their constructors run when they are looked into, and nobody can tell."""

import pytest

from shapecheck.static import check_source, construction
from tests.mdtest.blocks import PRELUDE

PART = """
class Part(nn.Module):
    def __init__(self, d: int, e: int):
        super().__init__()
        self.d = d
        self.linear = nn.Linear(d, e)

    def forward(self, x):
        return self.linear(x)


class Whole(nn.Module):
    def __init__(self, options: dict):
        super().__init__()
        self.first = Part(**options)
        self.second = Part(**options)
        self.third = Part(**options)

    def forward(self, x: Float[Tensor, "b t c"]) -> Float[Tensor, "b t k"]:
        return {returned}
"""


def run(monkeypatch, returned):
    """The places found, and the classes whose constructors ran."""
    ran = []
    run_constructor = construction.run_constructor

    def counted(interpreter, frame, node):
        ran.append(frame.instance.cls.name)
        run_constructor(interpreter, frame, node)

    monkeypatch.setattr(construction, "run_constructor", counted)
    report = check_source(PRELUDE + PART.replace("{returned}", returned))
    assert not report.internal
    return [found.code for found in report.diagnostics if found.code != "SC102"], ran


def test_only_the_first_and_those_looked_into_are_constructed(monkeypatch):
    assert run(monkeypatch, "x")[1] == ["Whole", "Part"]
    assert run(monkeypatch, "self.third.linear(x)")[1] == ["Whole", "Part", "Part"]


@pytest.mark.parametrize("name", ["first", "second", "third"])
def test_all_are_known_alike(monkeypatch, name):
    def found(returned):
        return run(monkeypatch, returned.replace("{name}", name))[0]

    assert found("self.{name}(x)") == []
    assert found("self.{name}(x).mean(-1)") == ["SC201"]
    # The batch is the width of a layer, in a method behind another one as well.
    leak = "self.{name}(x.transpose(0, 2))"
    assert "SC307" in found(leak)
    declared = 'def later(self, x: Float[Tensor, "b t c"]) -> Float[Tensor, "c t k"]:'
    assert found(f"self.{name}(x)\n\n    {declared}\n        return {leak}") == ["SC307"]
