"""The budgets of checked calls, as ratios within one run."""

import os
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@pytest.mark.bench
def test_budgets_hold():
    """In a process of its own: in this one every call is also counted for the summary of the test run."""
    command = [sys.executable, "-m", "tests.bench.call_time"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "budget:" in done.stdout
    assert "EXCEEDED" not in done.stdout, done.stdout
