"""What `smoke` comes to, number by number, with each protocol.

A change that moves one of these has changed how a protocol behaves. If that was meant, write them
anew: `python tools/write_known_answers.py`.
"""

from __future__ import annotations

import json

import pytest

import write_known_answers as script
from snowcast.baselines.registry import protocol_names

KNOWN = json.loads(script.ANSWERS.read_text(encoding="utf-8"))


def test_every_protocol_has_its_answers() -> None:
    assert list(KNOWN) == protocol_names()


@pytest.mark.parametrize("protocol", protocol_names())
def test_smoke_comes_to_what_it_came_to(protocol: str) -> None:
    found = script.answer(protocol)
    assert found == KNOWN[protocol], "if this is meant: python tools/write_known_answers.py"


def test_the_script_tells_what_has_moved_and_fails_if_it_only_looks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    moved = {name: dict(answer) for name, answer in KNOWN.items()}
    moved["gossip"]["delivered"] -= 1
    monkeypatch.setattr(script, "answers", lambda: moved)
    monkeypatch.setattr("sys.argv", ["write_known_answers.py", "--check"])
    with pytest.raises(SystemExit) as caught:
        script.main()
    assert caught.value.code == 1
    was = KNOWN["gossip"]["delivered"]
    assert capsys.readouterr().out == f"gossip: delivered was {was} and is {was - 1}\n"
