"""What the promises come to in figures: gathered as the tests run, printed when all are done."""

from collections.abc import Callable

import pytest

from promises.figures import Figure

PREFIX = "figure "


@pytest.fixture
def figure(record_property: Callable[[str, object], None]) -> Figure:
    """`figure("evicted after", "6.5 s")`: a line of the report, whether or not the test passes."""
    return lambda what, value: record_property(PREFIX + what, str(value))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the figures, those of one test under its name."""
    reports = [
        report
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, [])
    ]
    told = [(report, figures_of(report)) for report in reports]
    if not any(figures for _, figures in told):
        return
    terminalreporter.section("the promises in figures")
    for report, figures in told:
        for what, value in figures:
            terminalreporter.line(f"{report.nodeid.rpartition('::')[2]}: {what}: {value}")


def figures_of(report: pytest.TestReport) -> list[tuple[str, str]]:
    """What one test had to tell."""
    return [
        (name.removeprefix(PREFIX), str(value))
        for name, value in report.user_properties
        if name.startswith(PREFIX)
    ]
