"""The whole story, played by real nodes, as those see it who have no terminal."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path

from rich.console import Console

from snowcast.demo import acts
from snowcast.demo.play import BOOT, PROCESSES, play
from snowcast.trace.files import TraceReader
from snowcast.trace.schema import ArrivalRow, MessageRow, RunRow
from support.loops import on_loop

MISSED = "Nothing for n01, n02, n03, n04, n05, n06, n07, n09, n10, n11, n12, n13, n14, n15."


@on_loop
async def test_everything_that_is_promised_happens_and_is_recorded(tmp_path: Path) -> None:
    told = io.StringIO()
    children = Path(f"/proc/self/task/{os.getpid()}/children")
    before = children.read_text()
    await play(tmp_path / "traces", Console(file=told, width=200), pace=0.1)
    assert children.read_text() == before

    text = told.getvalue()
    for act in acts.ACTS:
        assert act.title in text
    assert text.count("standard: 59 of 59") == acts.MESSAGES
    assert text.count("coloring: 59 of 59") >= acts.MESSAGES
    assert MISSED in text  # the part of the silent one, with one tree and no acks
    assert text.count("Nothing for") == 1
    assert re.search(r"n00 coloring: 58 of 58", text)
    assert re.search(r"n00 reliable: 58 of 58", text)
    assert re.search(r"After \d+\.\d s n00 sends to n\d\d, .* in place of n08\.", text)
    assert "58 have it, missing n08." in text
    assert re.search(r"Out of all 59 views .* after its death\.", text)
    assert "All 60 know n60" in text
    assert re.search(r"Out of all 59 views; it took", text)

    readers = [TraceReader(tmp_path / "traces" / f"process-{n}") for n in range(PROCESSES)]
    runs = [row.run for reader in readers for row in reader.rows(RunRow)]
    assert runs == [act.run for act in acts.ACTS]
    sent = [row.run for reader in readers for row in reader.rows(MessageRow)]
    assert sorted(sent) == sorted(act.run for act in acts.ACTS for _ in act.says())
    frames = [row for reader in readers for row in reader.rows(ArrivalRow) if row.kind == "data"]
    assert sum(row.run == acts.STANDARD.run for row in frames) == 4 * 59
    assert sum(row.run == acts.COLORING.run for row in frames) == 4 * 118
    assert not [row for row in frames if row.run == BOOT]
