"""Each file of examples/faults holds one fault, which is found where it says; repaired, the file is clean."""

import json
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import torch

REPOSITORY = Path(__file__).parents[2]
FAULTS = sorted(path for path in (REPOSITORY / "examples" / "faults").glob("*.py") if path.name != "__init__.py")
MARKER = re.compile(r"  # error: (SC\d{3})$")
REPAIR = re.compile(r"^( *)# repair: (.+)$")


def findings(*paths: Path, cwd: Path = REPOSITORY) -> list[tuple[str, int, str]]:
    command = [sys.executable, "-m", "shapecheck", "check", "--output-format", "json", *map(str, paths)]
    run = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    found = [(Path(item["filename"]).name, item["location"]["row"], item["code"]) for item in json.loads(run.stdout)]
    assert run.returncode == (1 if found else 0), run.stderr
    return sorted(found)


def marked(path: Path) -> list[tuple[str, int, str]]:
    lines = path.read_text().splitlines()
    return [(path.name, row, hit[1]) for row, line in enumerate(lines, start=1) if (hit := MARKER.search(line))]


def repaired(source: str) -> str:
    lines = source.splitlines()
    for row, line in enumerate(lines):
        if MARKER.search(line):
            repair = REPAIR.match(lines[row + 1])
            assert repair, f"no repair below line {row + 1}"
            lines[row] = repair[1] + repair[2]
            lines[row + 1] = ""
    return "\n".join(lines) + "\n"


def random(*sizes: int) -> torch.Tensor:
    return torch.randn(sizes)


def ids(*sizes: int) -> torch.Tensor:
    return torch.randint(4, sizes)


# The axes that each fault confuses are all of size 4 here, or the fault is silent whatever the sizes.
EQUAL_SIZES = {
    "returned_time_first": lambda f: f["running_mean"](random(4, 4, 5)),
    "position_on_batch_axis": lambda f: f["Embedding"](4, 4, 5)(ids(4, 4)),
    "view_for_transpose": lambda f: f["SplitHeads"](12, 3)(random(2, 5, 12)),
    "pixels_without_permute": lambda f: f["pixels_as_tokens"](random(2, 3, 5, 7)),
    "layernorm_over_time": lambda f: f["Normalise"](4)(random(2, 4, 4)),
    "mean_over_batch": lambda f: f["sentence_vector"](random(4, 4, 5)),
    "gate_on_features": lambda f: f["HeadGate"](4)(random(2, 3, 4, 4)),
    "einsum_letters": lambda f: f["gather_values"](random(2, 3, 4, 4), random(2, 3, 4, 5)),
    "rearrange_letters": lambda f: f["merge_heads"](random(2, 4, 4, 3)),
    "outer_broadcast": lambda f: f["Regression"](5)(random(4, 5), random(4)),
    "swapped_arguments": lambda f: f["read_memory"](random(2, 4, 5), random(2, 4, 5)),
    "heads_kept_for_time": lambda f: f["merge_heads"](random(2, 4, 4, 3)),
    "names_in_wrong_order": lambda f: f["add_positions"](random(4, 4, 5), random(8, 5)),
    "scores_transposed": lambda f: f["attention_weights"](random(2, 4, 5), random(2, 4, 5)),
    "classes_on_time": lambda f: f["loss"](random(2, 4, 4), ids(2, 4)),
    "linear_on_features": lambda f: f["TokenMixer"](4)(random(2, 4, 4)),
    "missing_transpose": lambda f: f["scores"](random(2, 3, 4, 4), random(2, 3, 4, 4)),
    "missing_keepdim": lambda f: f["unit_vectors"](random(4, 4, 4)),
    "mask_without_heads": lambda f: f["mask_padding"](random(4, 3, 4, 5), random(4, 5) > 9),
}
NEVER_SILENT = {
    "cat_on_features": lambda f: f["with_prefix"](random(2, 3, 5), random(2, 4, 5)),
    "stack_before_time": lambda f: f["both_directions"](random(2, 4, 5)),
    "too_few_names": lambda f: f["causal_mask"](random(4, 4, 4)),
    "gather_without_axis": lambda f: f["token_scores"](random(4, 4, 4), ids(4, 4)),
    "image_axes_on_tokens": lambda f: f["pool"](random(4, 4, 4)),
}


def test_every_fault_is_marked_once_and_of_many_kinds() -> None:
    assert len(FAULTS) >= 14
    codes = [code for path in FAULTS for _, _, code in marked(path)]
    assert len(codes) == len(FAULTS)
    assert {"SC201", "SC202", "SC203", "SC204", "SC205", "SC206", "SC207", "SC301", "SC302"} <= set(codes)


def test_all_faults_are_found_where_they_are_marked_and_nothing_else() -> None:
    expected = sorted(place for path in FAULTS for place in marked(path))
    assert findings(REPOSITORY / "examples" / "faults") == expected


def test_repaired_faults_are_clean(tmp_path: Path) -> None:
    for path in FAULTS:
        (tmp_path / path.name).write_text(repaired(path.read_text()))
    assert findings(Path(), cwd=tmp_path) == []


def test_examples_are_clean() -> None:
    assert findings(REPOSITORY / "examples") == []


@pytest.mark.parametrize("name", [*EQUAL_SIZES, *NEVER_SILENT])
def test_repaired_fault_runs(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.py"
    path.write_text(repaired((REPOSITORY / "examples" / "faults" / path.name).read_text()))
    (EQUAL_SIZES | NEVER_SILENT)[name](runpy.run_path(str(path)))


@pytest.mark.parametrize("name", EQUAL_SIZES)
def test_no_call_shows_the_fault_when_sizes_are_equal(name: str) -> None:
    """Neither torch nor the check of the call can tell two axes of the same size apart; names can."""
    path = REPOSITORY / "examples" / "faults" / f"{name}.py"
    assert marked(path)
    EQUAL_SIZES[name](runpy.run_path(str(path)))


@pytest.mark.parametrize("name", NEVER_SILENT)
def test_a_call_refuses_what_no_sizes_make_fit(name: str) -> None:
    functions = runpy.run_path(str(REPOSITORY / "examples" / "faults" / f"{name}.py"))
    with pytest.raises((TypeError, ValueError, RuntimeError, IndexError)):
        NEVER_SILENT[name](functions)


def test_every_fault_has_a_call() -> None:
    assert {path.stem for path in FAULTS} == {*EQUAL_SIZES, *NEVER_SILENT}
