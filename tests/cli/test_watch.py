"""`snowcast pipeline watch` from the outside: its table, and mistakes told before Spark starts.

What it does is in `tests/pipeline/watch/test_watch.py`, where there is a session.
"""

from __future__ import annotations

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from snowcast.cli.main import main
from snowcast.cli.watch import COLUMNS, SHOWN, Screen, clock
from snowcast.pipeline.watch.state import Counts
from snowcast.pipeline.watch.watch import Batch

AT_US = 1_790_000_000_000_000
EVERYTHING: dict[str, Any] = dict.fromkeys(COLUMNS, 1) | {
    "run": "ours",
    "starts_us": AT_US,
    "messages": 1_200,
    "reliability": 0.98765,
    "ldt_ms": 612.34,
}
ALERT = {
    "run": "ours",
    "starts_us": AT_US,
    "ends_us": AT_US + 10,
    "metric": "ldt_ms",
    "value": 612.34,
    "low": 0.0,
    "high": 500.0,
}
COUNTS = Counts(rows=9_000, rejects=1, late=2, messages=1_200, windows=1, alerts=1)


def seen(screen: Screen) -> list[str]:
    """What is to be seen, without colours, in words."""
    out = StringIO()
    Console(file=out, width=200).print(screen.picture())
    return [" ".join(line.split()) for line in out.getvalue().splitlines()]


def test_windows_alerts_and_counts_are_to_be_seen() -> None:
    screen = Screen()
    assert seen(screen)[-1] == "waiting for rows"
    screen.take(Batch(3, [EVERYTHING, {**EVERYTHING, "ldt_ms": None}], [ALERT], COUNTS))
    head, first, second, alert, counts = seen(screen)
    assert head == "window run " + " ".join(COLUMNS)
    assert first == f"{clock(AT_US)} ours 1,200 0.9877 1.0000 612.3 1.0 1.0 1.00 1"
    assert second.split()[5] == "-"
    assert alert == f"ALERT {clock(AT_US)} ours: ldt_ms is 612.34, not from 0 to 500"
    assert counts == "1,200 messages in 1 windows; 9,000 rows, 2 late, 1 rejects; 1 alerts"


def test_only_the_last_windows_are_shown() -> None:
    screen = Screen()
    for number in range(SHOWN + 5):
        screen.take(Batch(number, [{**EVERYTHING, "messages": number}], [], COUNTS))
    lines = seen(screen)
    assert len(lines) == 1 + SHOWN + 1
    assert lines[1].split()[2] == "5"


def test_a_run_may_have_any_name() -> None:
    screen = Screen()
    screen.take(Batch(0, [{**EVERYTHING, "run": "[red]a[/b]"}], [], COUNTS))
    assert seen(screen)[1].split()[1] == "[red]a[/b]"


def test_times_are_of_the_day_or_of_the_simulation() -> None:
    assert clock(AT_US) == "14:13:20"
    assert clock(12_500_000) == "12.5 s"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["missing"], "no such directory"),
        (["empty", "--once"], "is no trace: it has no manifest.json"),
        (["empty", "--band", "speed=1..2"], "--band: no metric 'speed'"),
        (["empty", "--window-s", "0"], "--window-s must be above 0"),
        (["empty", "--every-s", "0"], "--every-s must be above 0"),
    ],
)
def test_mistakes_are_one_line_and_status_2(
    words: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    place, *options = words
    words = ["pipeline", "watch", str(tmp_path / place), *options, "--out", str(tmp_path / "out")]
    assert main(words) == 2
    told = capsys.readouterr().err
    assert told.startswith("snowcast pipeline watch: ")
    assert complaint in told
    assert told.count("\n") == 1
