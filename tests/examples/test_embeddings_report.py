import subprocess
import sys
from pathlib import Path

import pytest

from examples.embeddings.__main__ import main

REPOSITORY = Path(__file__).parents[2]


def printed(capsys, *options: str) -> str:
    assert main(list(options)) == 0
    return capsys.readouterr().out


def row(text: str, start: str) -> list[str]:
    (line,) = [line for line in text.splitlines() if line.startswith(start)]
    return line.removeprefix(start).split()


def test_shapes_and_parameter_counts(capsys):
    text = printed(capsys)
    assert row(text, "TokenEmbedding") == ["B", "T", "D", "2", "16", "64", "64,000", "V*D"]
    assert row(text, "LearnedPositionalEmbedding") == ["1", "T", "D", "1", "16", "64", "8,192", "L*D"]
    assert row(text, "SinusoidalPositionalEmbedding")[:7] == ["1", "T", "D", "1", "16", "64", "0"]
    assert row(text, "EmbeddingComposer, learned")[6] == "72,192"
    assert row(text, "EmbeddingComposer, sinusoidal")[6] == "64,000"


def test_neighbouring_positions(capsys):
    """Sinusoids: mean over pairs of cos(k * frequency), 0.97 at k = 1; unrelated rows: 0 +- 1/sqrt(64 * 127)."""
    text = printed(capsys)
    assert row(text, "sinusoidal ")[:2] == ["0.97", "0.88"]
    assert all(abs(float(mean)) < 0.1 for mean in row(text, "learned, untrained"))


def test_wavelength_bands_count_every_pair_once(capsys):
    for D in (2, 6, 32, 64):
        text = printed(capsys, "--d-model", str(D))
        bands = text.partition("positions per turn")[2].splitlines()[1:]
        assert sum(int(band.split()[3]) for band in bands) == D // 2


def test_d_model_32_as_a_program_that_only_imports_matplotlib_to_draw():
    run = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "examples.embeddings", "--d-model", "32"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=True,
    )
    assert row(run.stdout, "LearnedPositionalEmbedding")[-2] == "4,096"
    assert "6.28 to 35,333 positions" in run.stdout
    assert "torch" in run.stderr
    assert "matplotlib" not in run.stderr


@pytest.mark.parametrize("options", [["--d-model", "33"], ["--d-model", "0"], ["--length", "1"]])
def test_sizes_that_make_no_table_are_wrong_use(options, capsys):
    with pytest.raises(SystemExit) as exit_:
        main(options)
    assert exit_.value.code == 2
    assert options[0] in capsys.readouterr().err


@pytest.mark.parametrize("D", ["64", "32"])
def test_plot_is_written(D, tmp_path, capsys):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "tables.png"
    text = printed(capsys, "--d-model", D, "--plot", str(picture))
    assert str(picture) in text
    header = picture.read_bytes()[:24]
    assert header.startswith(b"\x89PNG")
    width, height = (int.from_bytes(header[at : at + 4], "big") for at in (16, 20))
    assert width > 1000
    assert height > 600
