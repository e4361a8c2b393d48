"""Cues and news survive being a line."""

from __future__ import annotations

import msgspec
import pytest

from snowcast.core.trees import Mode
from snowcast.demo import cues

CUES: list[cues.AnyCue] = [
    cues.Found(0),
    cues.Join(3, contact=0),
    cues.Tell(1, number=2, mode=Mode.COLORING, is_reliable=True, payload_bytes=100),
    cues.Crash(4),
    cues.Leave(5),
    cues.Record("run", "scenario", "standard", (4,)),
    cues.End(),
]


@pytest.mark.parametrize("cue", CUES, ids=lambda cue: type(cue).__name__)
def test_a_cue_is_one_line_and_comes_back_as_it_was(cue: cues.AnyCue) -> None:
    line = cues.encode(cue)
    assert b"\n" not in line
    assert cues.decode(line) == cue


def test_news_come_back_as_they_were_and_a_failure_of_the_lab_can_be_read() -> None:
    line = cues.Line(
        "playing",
        (
            cues.Sent(1, 0, "0.1"),
            cues.Arrived(2, 1, "0.1", sender=0, tree=0, hop=1, is_first=True),
            cues.Adopted(3, 0, "0.1", (1, 2)),
            cues.Confirmed(4, 0, "0.1", 2, (3,), 9),
            cues.Changed(5, 1, about=3, state="suspect"),
            cues.Counted(6, 1, members=4),
        ),
    )
    assert msgspec.json.decode(msgspec.json.encode(line), type=cues.Line) == line
    failed = b'{"state":"failed","passed_us":0,"reason":"no port"}'
    assert msgspec.json.decode(failed, type=cues.Line).reason == "no port"
