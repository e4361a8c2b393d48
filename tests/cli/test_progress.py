"""Progress is shown on a terminal, and is silent everywhere else."""

from __future__ import annotations

import pytest

from snowcast.cli.progress import bar


def test_nothing_is_drawn_where_there_is_no_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    with bar("at work") as advance:
        advance(1, 2)
    assert capfd.readouterr() == ("", "")


def test_a_terminal_gets_a_bar(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    with bar("at work") as advance:
        advance(1, 2)
    out, err = capfd.readouterr()
    assert out == ""
    assert "at work" in err
