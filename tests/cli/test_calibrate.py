"""`snowcast pipeline calibrate` from the outside: mistakes, told before Spark starts.

What it does is in `tests/pipeline/test_calibrate.py`, where there is a session.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from snowcast.cli.main import main
from snowcast.trace.files import MANIFEST, manifest


def test_raw_traces_are_told_what_to_do_with_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / MANIFEST).write_text(manifest())
    (tmp_path / "probes-00000.jsonl").write_text("")
    words = ["pipeline", "calibrate", str(tmp_path), "--out", str(tmp_path / "x.toml")]
    assert main(words) == 2
    told = capsys.readouterr().err
    assert "is a trace as agents write it: `pipeline ingest` it first" in told
    assert told.count("\n") == 1
