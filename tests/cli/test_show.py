"""`shapecheck show`: what stands beside each line is the shape that a reader derives by hand."""

import os
import subprocess
import sys

import pytest

from shapecheck.cli import main

HEAD = """\
import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

"""

# A comment is what must stand beside its line; a line without one has nothing beside it.
SOURCES = {
    "attention": """
class Attention(nn.Module):
    def __init__(self, D: int, H: int) -> None:
        super().__init__()
        self.H = H  # = H
        self.qkv = nn.Linear(D, 3 * D)  # = weight [3*D, D]

    def forward(self, x: Float[Tensor, "B T D"]) -> Float[Tensor, "B T D"]:
        B, T, D = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)  # = q, k, v: [B, T, D]
        q = q.view(B, T, self.H, D // self.H).transpose(1, 2)  # = [B, H, T, D//H]
        k = k.view(B, T, self.H, D // self.H).permute(0, 2, 3, 1)  # = [B, H, D//H, T]
        v = v.view(B, T, self.H, D // self.H).transpose(1, 2)  # = [B, H, T, D//H]
        return (  # = [B, T, D]
            ((q @ k).softmax(-1) @ v)  # = [B, H, T, D//H]
            .transpose(1, 2)  # = [B, T, H, D//H]
            .reshape(B, T, D)
        )
""",
    "unknown": """
def f(x: Float[Tensor, "B T"], other) -> Float[Tensor, "B T"]:
    y = torch.no_such_function(x)  # = ? (torch.no_such_function has no rule)
    z = x + 1  # = [B, T]
    return z  # = [B, T]
""",
    "loop": """
def f(x: Float[Tensor, "B T"], parts: list[Float[Tensor, "B T"]]) -> Float[Tensor, "B N"]:
    out = x[:, :1]  # = [B, 1]
    for part in parts:  # = part: [B, T]
        out = torch.cat([out, part], dim=1)  # = [B, ?]
    name = "not a tensor"
    both = [x, out]  # = ([B, T], [B, ?])
    many = [x, x, x, x, x, x]  # = 6 x [B, T]
    return out  # = [B, ?]
""",
    "choice": """
def f(x: Float[Tensor, "B T"] | Float[Tensor, "B T D"], mask: Float[Tensor, "T"] | None = None) -> None:
    y = x * 2  # = [B, T] or [B, T, D]
    m = mask  # = [T] or None
""",
    "nested": """
def outer(x: Float[Tensor, "N D"]) -> Float[Tensor, "D"]:
    def inner(y: Float[Tensor, "M"]) -> Float[Tensor, "M"]:
        return y * 2  # = [M]

    with torch.no_grad():
        total = x.sum(0)  # = [D]
    total += inner(total)  # = [D]
    return total  # = [D]


def plain(x):
    return x * 2
""",
    "scalars": """
def f(x: Float[Tensor, "B C"], y: Int[Tensor, "B"]) -> Float[Tensor, ""]:
    loss = F.cross_entropy(x, y)  # = []
    return loss  # = []
""",
}


def shown(capsys, target):
    assert main(["show", target]) == 0
    return capsys.readouterr()


def expected(source):
    """Return for each line its number, its text and what stands beside it."""
    rows = []
    for number, line in enumerate(source.split("\n"), 1):
        text, _, beside = line.partition("  # = ")
        rows.append((number, text, beside))
    return rows


@pytest.fixture(params=sorted(SOURCES))
def source(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = HEAD + SOURCES[request.param].lstrip("\n")
    (tmp_path / "model.py").write_text("\n".join(line.partition("  # = ")[0] for line in text.split("\n")))
    return text


def test_the_shapes_are_those_derived_by_hand(source, capsys):
    printed = [line.partition(" |")[::2] for line in shown(capsys, "model.py").out.splitlines()]
    wanted = [row for row in expected(source) if row[0] <= len(printed)]
    assert len(wanted) == source.count("\n")
    for (number, rest), (row, text, beside) in zip(printed, wanted, strict=True):
        assert int(number) == row
        assert rest.removeprefix(" ").startswith(text)
        assert rest.removeprefix(f" {text}").strip() == beside, text


def model(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.py").write_text(HEAD + SOURCES[name].lstrip("\n"))


def test_one_function_or_class_of_a_file(tmp_path, monkeypatch, capsys):
    model(tmp_path, monkeypatch, "attention")
    method = shown(capsys, "model.py::Attention.forward").out.splitlines()
    assert method[0].startswith("12 |     def forward(")
    assert method[-1].startswith("22 |         )")
    whole = shown(capsys, "model.py::Attention").out.splitlines()
    assert (whole[0], len(whole)) == (" 6 | class Attention(nn.Module):", 17)


def test_a_nested_function_by_its_qualified_name(tmp_path, monkeypatch, capsys):
    model(tmp_path, monkeypatch, "nested")
    lines = shown(capsys, "model.py::outer.inner").out.splitlines()
    assert [line.partition(" | ")[0] for line in lines] == ["7", "8"]


def test_a_function_without_shapes_is_shown_and_told(tmp_path, monkeypatch, capsys):
    model(tmp_path, monkeypatch, "nested")
    captured = shown(capsys, "model.py::plain")
    assert captured.out.splitlines() == ["16 | def plain(x):", "17 |     return x * 2"]
    assert captured.err == "shapecheck: plain declares no shapes, so none are inferred\n"


def test_what_cannot_be_shown_is_told_with_the_nearest_name(tmp_path, monkeypatch, capsys):
    model(tmp_path, monkeypatch, "attention")
    (tmp_path / "broken.py").write_text("def f(:\n")
    for target, said in (
        ("model.py::forward", "nothing in model.py is called 'forward'; did you mean Attention.forward?"),
        ("model.py::Atention", "did you mean Attention or Attention.forward"),
        ("model.py::xyz", "nothing in model.py is called 'xyz'\n"),
        ("none.py::f", "no such file: none.py"),
        ("broken.py", "broken.py:1:7: is not valid Python"),
    ):
        assert main(["show", target]) == 2
        captured = capsys.readouterr()
        assert said in captured.err
        assert captured.out == ""


def test_the_longest_lines_do_not_push_the_shapes_away(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    body = f'def f(x: Float[Tensor, "B T"]) -> None:\n\ty = x * 2\n    z = x * {"1 * " * 30}2\n'.replace("\t", "    ")
    (tmp_path / "model.py").write_text(HEAD + body)
    *_, short, long = shown(capsys, "model.py").out.splitlines()
    assert short.index("[B, T]") < 80
    assert long.endswith("2   [B, T]")


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="needs a terminal")
def test_colour_is_for_terminals_and_rich_for_colour(tmp_path, monkeypatch):
    model(tmp_path, monkeypatch, "scalars")
    script = (
        "import sys, shapecheck.cli as cli\ncli._coloured = lambda: {}\n"
        "cli.main(['show', 'model.py'])\nprint('rich' in sys.modules, file=sys.stderr)"
    )
    environment = {**os.environ, "TERM": "xterm", "FORCE_COLOR": "1"}
    for coloured in (True, False):
        done = subprocess.run(
            [sys.executable, "-c", script.format(coloured)], check=True, capture_output=True, text=True, env=environment
        )
        assert ("\x1b[" in done.stdout) is coloured
        assert done.stderr == f"{coloured}\n"
