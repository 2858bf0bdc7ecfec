import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from examples import train
from examples.fault_variants import FAULT_VARIANTS
from examples.text import Alphabet, draw_batch, make_text

REPOSITORY = Path(__file__).parents[2]
VARIANTS = pytest.mark.parametrize("name", FAULT_VARIANTS)


def test_trains_and_learns(capfd):
    assert train.main(["--steps", "60"]) == 0
    out = capfd.readouterr().out
    assert "static check passed" in out
    losses = [float(line.split()[3]) for line in out.splitlines() if line.startswith("step")]
    assert losses[-1] < 0.5 * losses[0]


@VARIANTS
def test_fault_stops_at_the_static_check_before_the_first_step(name, capfd, monkeypatch):
    monkeypatch.setattr(train, "train", lambda *_: pytest.fail("training began"))
    assert train.main(["--fault", name]) == 1
    out = capfd.readouterr().out
    assert "SC" in out
    assert FAULT_VARIANTS[name].file.rpartition("/")[2] in out
    assert "static check failed: stopped before the first optimiser step" in out
    assert "step    1" not in out


@pytest.fixture
def examples_forgotten():
    """Let a test import another copy of the examples package; the one loaded before comes back afterwards."""

    def forget() -> dict[str, object]:
        names = [name for name in sys.modules if name.partition(".")[0] == "examples"]
        return {name: sys.modules.pop(name) for name in names}

    before = forget()
    yield
    forget()
    sys.modules.update(before)


@VARIANTS
@pytest.mark.usefixtures("examples_forgotten")
def test_equal_sizes_hide_the_fault_from_every_call(name, tmp_path, monkeypatch, capsys):
    """What the static check is for. The one variant a call shows has an axis declared to be 1."""
    FAULT_VARIANTS[name].write(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    variant = importlib.import_module("examples.train")
    assert Path(variant.__file__).is_relative_to(tmp_path)
    monkeypatch.setattr(variant, "continue_text", lambda *_: "")
    assert variant.train(steps=1) == (1 if name == "position-on-batch" else 0)
    assert ("step    1" in capsys.readouterr().out) == (name != "position-on-batch")


def test_fault_stops_at_the_call_time_check_before_the_first_step(capfd):
    assert train.main(["--fault", "position-on-batch", "--check", "call-time"]) == 1
    out = capfd.readouterr().out
    assert "call-time check of one batch failed: stopped before the first optimiser step" in out
    assert "step    1" not in out


def test_with_every_check_off_a_fault_trains(capfd):
    assert train.main(["--fault", "view-for-transpose", "--check", "none", "--steps", "1"]) == 0
    assert "step    1" in capfd.readouterr().out


def test_runs_as_a_file_from_anywhere(tmp_path):
    run = subprocess.run(
        [sys.executable, str(REPOSITORY / "examples" / "train.py"), "--check", "call-time", "--steps", "1"],
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "step    1" in run.stdout


def test_batch_holds_windows_of_the_text_and_what_follows():
    text = torch.arange(50)
    inputs, targets = draw_batch(text, 7, 5, torch.Generator().manual_seed(0))
    assert inputs.shape == targets.shape == (7, 5)
    assert torch.equal(inputs[:, 1:], inputs[:, :-1] + 1)
    assert torch.equal(targets, inputs + 1)


def test_alphabet_undoes_itself_and_the_sums_are_right():
    text = make_text(40, torch.Generator().manual_seed(0))
    alphabet = Alphabet(text)
    assert alphabet.decode(alphabet.encode(text)) == text
    value = {"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
    for sentence in text.removesuffix(".").split(". "):
        a, plus, b, is_, total = sentence.split()
        assert (plus, is_) == ("plus", "is")
        assert value[a] + value[b] == value[total]
