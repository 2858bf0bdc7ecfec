"""What a run against torch's own lists says at its end: how much of them has a rule."""

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line, where these tests were run."""
    passed = terminalreporter.stats.get("passed", [])
    if any(report.nodeid.startswith("tests/oracle/") for report in passed):
        from tests.oracle.test_module_db import INFOS
        from tests.oracle.test_op_db import WITHOUT_RULE, op_db

        names = {entry.name for entry in op_db}
        known = len(names - set(WITHOUT_RULE))
        terminalreporter.write_line(f"op_db: {known} of {len(names)} names have a rule; module_db: {len(INFOS)}")
