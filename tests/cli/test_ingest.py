"""`snowcast pipeline ingest` from the outside: mistakes, told before Spark starts.

What it does is in `tests/pipeline/ingest/test_ingest.py`, where there is a session.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from snowcast.cli.main import main
from snowcast.trace.files import MANIFEST, manifest
from snowcast.trace.parquet import make_dataset


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("missing", "no such directory"),
        ("empty", "is no trace: it has no manifest.json"),
        ("later", "schema version 9, not 1"),
        ("dataset", "is a dataset already: `pipeline metrics` reads it"),
        ("trace", "out: there is something already"),
    ],
)
def test_mistakes_are_one_line_and_status_2(
    name: str, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for made in ("empty", "later", "trace", "out"):
        (tmp_path / made).mkdir()
    (tmp_path / "later" / MANIFEST).write_text('{"schema": 9}')
    (tmp_path / "trace" / MANIFEST).write_text(manifest())
    (tmp_path / "out" / "old").write_text("")
    make_dataset(tmp_path / "dataset")
    words = ["pipeline", "ingest", str(tmp_path / name), "--out", str(tmp_path / "out")]
    assert main(words) == 2
    told = capsys.readouterr().err
    assert told.startswith("snowcast pipeline ingest: ")
    assert complaint in told
    assert told.count("\n") == 1
