"""`snowcast pipeline metrics`: mistakes are told before Spark starts.

That it computes what it should is in tests/pipeline/test_measure.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from snowcast.cli.main import main
from snowcast.trace.files import TraceWriter
from snowcast.trace.parquet import make_dataset
from snowcast.trace.schema import ArrivalRow


def test_mistakes_are_one_line_and_status_2_before_spark_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def must_not_start(*words: object, **more: object) -> None:
        raise AssertionError("Spark was started")

    monkeypatch.setattr("snowcast.pipeline.session.open_session", must_not_start)
    make_dataset(tmp_path / "good")
    (tmp_path / "empty").mkdir()
    with TraceWriter(tmp_path / "lines") as writer:
        writer.write(ArrivalRow(run="r", node="a", sender="b", kind="ping", at_us=1, bytes=4))
    for name, text in (("older", '{"schema": 0}'), ("broken", "{")):
        make_dataset(tmp_path / name)
        (tmp_path / name / "manifest.json").write_text(text)
    (tmp_path / "file").touch()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "x").touch()
    mistakes = [
        (["none"], "new", "none: no such directory"),
        (["empty"], "new", "empty is no trace: it has no manifest.json"),
        (["lines"], "new", "lines is a trace as agents write it: `pipeline ingest` it first"),
        (["older"], "new", "manifest.json: schema version 0, not 1"),
        (["broken"], "new", "manifest.json is not the manifest of a trace"),
        (["file"], "new", "file: no such directory"),
        (["good", "none"], "new", "none: no such directory"),
        (["good"], "full", "full: there is something already"),
        (["good"], "file", "file: there is something already"),
    ]
    for datasets, out, complaint in mistakes:
        places = [str(tmp_path / name) for name in datasets]
        assert main(["pipeline", "metrics", *places, "--out", str(tmp_path / out)]) == 2
        told = capsys.readouterr().err
        assert told.startswith("snowcast pipeline metrics: ")
        assert told.endswith(f"{complaint}\n")
        assert told.count("\n") == 1
    assert not (tmp_path / "new").exists()
