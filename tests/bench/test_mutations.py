"""The edits that the mutation benchmark makes, and what running them alone tells."""

import ast

import pytest

from shapecheck.static.index import ModuleIndex, Project
from tests.bench.isolated import Isolated, NotRunnableError
from tests.bench.mutants import check_mutants, functions, sample
from tests.bench.mutations import KINDS, Source, mutations

EDITS = {
    "x.transpose(1, 2)": {
        ("drop-transpose", "x"), ("transpose-dim", "x.transpose(0, 2)"), ("transpose-dim", "x.transpose(1, 3)"),
    },
    "torch.permute(x, (1, 0))": {("drop-transpose", "x"), ("permute-order", "torch.permute(x, (0, 1))")},
    "x.mT": {("drop-transpose", "x")},
    "tools.transpose(x)": set(),
    "x.sum(0)": {("reduction-dim", "x.sum(1)"), ("keepdim", "x.sum(0, keepdim=True)")},
    "torch.mean(x, dim=-1, keepdim=True)": {
        ("reduction-dim", "torch.mean(x, dim=-2, keepdim=True)"), ("keepdim", "torch.mean(x, dim=-1, keepdim=False)"),
    },
    "np.sum(x, 0)": set(),
    "torch.min(x, y)": set(),
    "x.amax((1, 2))": {("keepdim", "x.amax((1, 2), keepdim=True)")},
    "einops.repeat(x, 'b -> b k', k=3)": {
        ("einops-output", "einops.repeat(x, 'b -> k b', k=3)"),
    },
    "x.softmax(-1)": {("softmax-dim", "x.softmax(-2)")},
    "F.normalize(x, dim=1)": {("softmax-dim", "F.normalize(x, dim=0)"), ("softmax-dim", "F.normalize(x, dim=2)")},
    "x.cumsum(dim=0)": {("scan-dim", "x.cumsum(dim=1)")},
    "torch.cat((x, y), dim=0)": {("cat-dim", "torch.cat((x, y), dim=1)")},
    "torch.stack([x, y], -1)": {("cat-dim", "torch.stack([x, y], -2)")},
    "x.chunk(3, dim=-1)": {("part-dim", "x.chunk(3, dim=-2)")},
    "x.gather(0, i)": {("pick-dim", "x.gather(1, i)")},
    "x.squeeze(-1)": {("squeeze-dim", "x.squeeze(-2)")},
    "x.unsqueeze(0)": {("unsqueeze-dim", "x.unsqueeze(1)"), ("drop-unsqueeze", "x")},
    "x.flatten(0, 1)": {
        ("flatten-dim", "x.flatten(1, 1)"), ("flatten-dim", "x.flatten(0, 0)"), ("flatten-dim", "x.flatten(0, 2)"),
    },
    "x.view(b, t * h, k)": {("view-args", "x.view(t * h, b, k)"), ("view-args", "x.view(b, k, t * h)")},
    "x.reshape((b, b))": set(),
    "x.expand(b, -1)": {("expand-args", "x.expand(-1, b)")},
    "x.repeat(n, 1)": {("repeat-args", "x.repeat(1, n)"), ("interleave", "x.repeat_interleave(n, dim=0)")},
    "x.repeat_interleave(n, dim=1)": {("interleave", "torch.cat([x] * (n), dim=1)")},
    "x @ y": {("matmul-operands", "y @ x")},
    "torch.bmm(x, y)": {("matmul-operands", "torch.bmm(y, x)")},
    "x.bmm(x)": set(),
    "x[:, 0]": {("index-axis", "x[0]")},
    "x[:, None]": {("none-place", "x[None, :]"), ("drop-unsqueeze", "x")},
    "x[..., 1:, :]": set(),
    "x.shape[0]": {("shape-index", "x.shape[1]")},
    "x.size(-1)": {("shape-index", "x.size(-2)")},
    "einsum('i j, j -> i', x, y)": {("einsum-input", "einsum('j i, j -> i', x, y)")},
    "torch.einsum('ij,jk->ik', x, y)": {
        ("einsum-input", "torch.einsum('ji,jk->ik', x, y)"), ("einsum-input", "torch.einsum('ij,kj->ik', x, y)"),
        ("einsum-output", "torch.einsum('ij,jk->ki', x, y)"),
    },
    "rearrange(x, 'b (h k) -> h b k')": {
        ("einops-group", "rearrange(x, 'b (k h) -> h b k')"), ("einops-output", "rearrange(x, 'b (h k) -> b h k')"),
        ("einops-output", "rearrange(x, 'b (h k) -> k b h')"), ("einops-output", "rearrange(x, 'b (h k) -> h k b')"),
    },
    "repeat(x, 'row col -> col row n', n=2)": {
        ("einops-input", "repeat(x, 'col row -> col row n', n=2)"),
        ("einops-output", "repeat(x, 'row col -> row col n', n=2)"),
        ("einops-output", "repeat(x, 'row col -> n row col', n=2)"),
        ("einops-output", "repeat(x, 'row col -> col n row', n=2)"),
    },
}  # fmt: skip


def edits(text):
    """Return the mutations of the first function of a text, and the text as bytes."""
    content = text.encode()
    function = next(node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef))
    return mutations(function, Source(content)), content


@pytest.mark.parametrize("expression", EDITS)
def test_an_expression_is_edited_in_just_these_ways(expression):
    found, _ = edits(f"def f(x, y):\n    return {expression}\n")
    assert {(edit.kind, edit.after) for edit in found} == EDITS[expression]
    assert all(edit.before == expression for edit in found)


def test_every_kind_of_edit_is_made():
    made = {kind for expected in EDITS.values() for kind, _ in expected}
    assert made | {"annotation-order"} == set(KINDS)


def test_an_edit_changes_the_text_in_one_place():
    text = 'def f(x):  # µ\n    a = "µ" + str(\n        x.sum(0)\n    )\n    return a\n'
    found, content = edits(text)
    changed = {edit.apply(content) for edit in found}
    assert changed == {text.replace("x.sum(0)", "x.sum(1)"), text.replace("x.sum(0)", "x.sum(0, keepdim=True)")}
    assert {edit.row for edit in found} == {3}


def test_axes_of_an_annotation_change_places_where_another_shape_names_one_of_them():
    found, _ = edits('def f(x: Float[Tensor, "b t 3 d"], y: Float["e f"]) -> Float[Tensor, "b d"] | None: ...\n')
    assert [(edit.kind, edit.after) for edit in found] == [
        ("annotation-order", 'Float[Tensor, "t b 3 d"]'),
        ("annotation-order", 'Float[Tensor, "d b"]'),
    ]


def isolated(code):
    """Return a function that runs, and what tells the effect of replacing a part of its text."""
    text = f"import torch\nfrom torch import nn, Tensor\nfrom jaxtyping import Float\nimport subprocess\n{code}"

    def last(text):
        index = Project().load_text("<text>", text)
        assert isinstance(index, ModuleIndex)
        return index, *functions(index.source.tree)[-1]

    runner = Isolated(*last(text))
    return lambda old, new: runner.verdict(*last(text.replace(old, new)), hints=old.startswith('"'))


ATTENTION = """
def scale(x, k):
    return x / k**0.5
def f(q: Float[Tensor, "b t k"], w: Float[Tensor, "k k"]) -> Float[Tensor, "b t t"]:
    return scale(q @ w @ q.transpose(1, 2), q.shape[-1]).softmax(dim=-1)
"""


@pytest.mark.parametrize(
    ("old", "new", "effect"),
    [
        ("q.transpose(1, 2)", "q", "shape"),
        ("@ w @ q.transpose(1, 2)", "@ w", "shape"),
        ("softmax(dim=-1)", "softmax(dim=-2)", "silent"),
        ("q.shape[-1]", "q.shape[-2]", "silent"),
        ("q @ w", "q @ w.mT", "silent"),
        ("q.transpose(1, 2)", "q.transpose(2, 1)", "equivalent"),
        ('"b t t"', '"t b t"', "shape"),
        ('"b t k"', '"t b k"', "shape"),
        ('"k k"', '"k k2"', "equivalent"),
    ],
)
def test_a_run_tells_what_an_edit_does(old, new, effect):
    assert isolated(ATTENTION)(old, new) == effect


def test_a_shape_that_no_annotation_declares_is_told_apart():
    assert isolated('def f(x: Float[Tensor, "b t"]):\n    return x.sum(0)\n')("sum(0)", "sum(1)") == "undeclared"


def test_a_method_runs_on_an_object_of_sizes_that_fit():
    code = """
class Head(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(width, width)
    def forward(self, x: Float[Tensor, "b t d"]) -> Float[Tensor, "b h t k"]:
        b, t, d = x.shape
        return self.project(x).view(b, t, self.heads, d // self.heads).transpose(1, 2)
"""
    effect = isolated(code)
    assert effect(".transpose(1, 2)", ".transpose(1, 3)") == "shape"
    assert effect("self.project(x)", "self.project(x.flip(1))") == "silent"


@pytest.mark.parametrize(
    "body", ["subprocess.run(['true'])", "open('/dev/null')", "__import__('socket')", "x.view(7, 9)"]
)
def test_what_needs_more_than_torch_is_not_run(body):
    with pytest.raises(NotRunnableError):
        isolated(f'def f(x: Float[Tensor, "b t"]) -> Float[Tensor, "b t"]:\n    {body}\n    return x\n')


def test_mutants_of_a_package_are_drawn_by_the_seed_and_checked(tmp_path):
    (tmp_path / "model.py").write_text(
        "import torch\nfrom jaxtyping import Float\nfrom torch import Tensor\n\n\n"
        'def attend(s: Float[Tensor, "b t u"], v: Float[Tensor, "b u d"]) -> Float[Tensor, "b t d"]:\n'
        "    return s.softmax(dim=-1) @ v\n"
    )
    packages = {"model": str(tmp_path)}
    (every,) = sample(packages, 0, 0)
    drawn = [sample(packages, 3, seed) for seed in (1, 1, 2, 3, 4)]
    assert drawn[0] == drawn[1]
    assert len({str(tasks) for tasks in drawn}) > 1
    assert all(len(sites) == 3 and set(sites) <= set(every[2]) for ((_, _, sites),) in drawn)
    made = {(mutant.mutation.kind, mutant.mutation.after): mutant for mutant in check_mutants(every)}
    assert all(mutant.ran and mutant.known and mutant.function == "attend" for mutant in made.values())
    wrong = made["softmax-dim", "s.softmax(dim=-2)"]
    assert (wrong.effect, wrong.codes) == ("silent", ("SC306",))
    swapped = made["matmul-operands", "v @ s.softmax(dim=-1)"]
    assert (swapped.effect, swapped.codes) == ("shape", ("SC203",))
    assert made["annotation-order", 'Float[Tensor, "b d t"]'].codes == ("SC201",)
