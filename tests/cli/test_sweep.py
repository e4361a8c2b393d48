"""`snowcast pipeline sweep`: mistakes are told before Spark starts.

That it computes what it should is in tests/pipeline/test_sweep.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from snowcast.cli.main import main


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["nonsense"], "no scenario 'nonsense'"),
        (["smoke", "--seeds", "x"], "seeds: expected 7 or 0..2000, not 'x'"),
        (["smoke", "--nodes", "3,x"], "--nodes: expected numbers with commas, not '3,x'"),
        (["smoke", "--protocols", "x"], "protocol"),
    ],
)
def test_mistakes_are_one_line_and_status_2(
    words: list[str], complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["pipeline", "sweep", *words, "--out", str(tmp_path / "out")]) == 2
    told = capsys.readouterr().err
    assert told.startswith("snowcast pipeline sweep: ")
    assert complaint in told
    assert told.count("\n") == 1
    assert not (tmp_path / "out").exists()
