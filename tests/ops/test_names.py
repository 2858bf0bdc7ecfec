"""The table of names is what the modules register, and a rule is found without importing the others."""

from __future__ import annotations

import subprocess
import sys

from tests.ops.write_names import TARGET, text


def test_the_table_is_up_to_date():
    assert TARGET.read_text(encoding="utf-8") == text(), "run python -m tests.ops.write_names"


def test_a_rule_brings_only_what_it_needs():
    script = (
        "import sys; from shapecheck import ops; ops.load()\n"
        "assert ops.find_operation('torch.fft.fft') and ops.find_module('torch.nn.MSELoss')\n"
        "assert ops.find_operation('torch.Tensor.exp_') and ops.find_operation('numpy.fft.fft') is None\n"
        "assert 'shapecheck.ops.spatial' not in sys.modules and 'shapecheck.ops.spectral' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
