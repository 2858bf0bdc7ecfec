"""The budgets of checked calls, as ratios within one run."""

import pytest

from tests.bench import call_time


@pytest.mark.bench
@pytest.mark.parametrize("part", [call_time.calls, call_time.failing, call_time.decoration, call_time.imports])
def test_budgets_hold(part):
    report = call_time.Report()
    part(report)
    assert not report.exceeded
