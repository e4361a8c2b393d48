"""`broadcast` and `listen`: what is said on one side is heard on the other."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from snowcast.agent.client import Client
from snowcast.cli import messages
from support.agents import SAFETY_S, Processes, wait


@contextmanager
def listening(where: str, *words: str, kinds: int = 1) -> Iterator[subprocess.Popen[str]]:
    """`snowcast listen` as a process; the block begins once it listens."""
    command = [sys.executable, "-m", "snowcast", "listen", "--agent", where, *words]
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:
        watchdog = threading.Timer(SAFETY_S, process.kill)
        watchdog.start()
        try:
            assert process.stderr is not None
            for _ in range(kinds):
                assert process.stderr.readline().startswith("listening to ")
            yield process
        finally:
            watchdog.cancel()
            process.kill()


@pytest.mark.parametrize("mode", ["standard", "coloring"])
def test_what_is_said_is_heard_in_both_modes_with_a_receipt_or_without(
    call: Any, at: dict[str, Client], trio: Processes, mode: str
) -> None:
    with (
        listening(trio.all[1].socket, "-n", "2") as b,
        listening(trio.all[2].socket, "--json", "-n", "2") as c,
    ):
        told = call("broadcast", "plain", "--mode", mode)
        assert told == (0, "sent 5 bytes to all; --reliable tells whether they have it\n", "")
        told = call("broadcast", "sn\u00f6\x1b", "--mode", mode, "--reliable")
        assert told.status == 0
        assert told.out.startswith("2 of 2 have it, after ")
        assert b.stdout is not None
        assert c.stdout is not None
        assert sorted(b.stdout) == ["a: plain\n", "a: sn\u00f6\\x1b\n"]
        heard = [json.loads(line) for line in c.stdout]
        assert b.wait() == c.wait() == 0
    assert {(h["kind"], h["sender"], h["text"]) for h in heard} == {
        ("message", "a", "plain"),
        ("message", "a", "sn\u00f6\x1b"),
    }


def test_a_receipt_is_json_for_programs(call: Any, at: Any) -> None:
    told = call("broadcast", "x", "-r", "--json", "--timeout", "60")
    receipt = told.json["receipt"]
    assert (told.status, told.json["payload_bytes"]) == (0, 1)
    assert (receipt["is_complete"], receipt["delivered"], receipt["missing"]) == (True, 2, [])
    assert call("broadcast", "x", "--json").json == {"payload_bytes": 1, "receipt": None}


def test_a_receipt_that_does_not_come_in_time_is_status_one(call: Any, at: Any) -> None:
    told = call("broadcast", "x", "--reliable", "--timeout", "0")
    assert (told.status, told.out) == (1, "")
    assert told.err.startswith("snowcast broadcast: no receipt within 0.0 s; it comes after 5 s")


def test_what_is_missing_is_named_and_status_one(
    call: Any, at: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    receipt = {
        "id": "x", "is_complete": False, "delivered": 5, "missing": ["b", "c\n"], "unnamed": 3,
        "elapsed_s": 2.5, "attempts": 2,
    }  # fmt: skip
    answer = {"payload_bytes": 1, "receipt": receipt}
    monkeypatch.setattr(Client, "post", lambda *a, **b: answer)
    assert call("broadcast", "x", "-r") == (
        1,
        "5 of 10 have it, after 2.5 s, 2 attempts\nmissing: b, c\\x0a and 3 more\n",
        "",
    )


def test_a_payload_comes_from_a_file_or_from_stdin_as_it_is(
    call: Any, at: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "payload").write_bytes(bytes(range(256)))

    def size(*words: str) -> int:
        return int(call("broadcast", "--json", *words).json["payload_bytes"])

    assert size("--file", str(tmp_path / "payload")) == 256
    for words in (["-"], []):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff" * 7)))
        assert size(*words) == 7
    assert size("") == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["x", "--file", "y"], "either a payload or --file, not both"),
        (["--file", "/nothing/there"], "No such file"),
        (["x", "--timeout", "3"], "--timeout is for --reliable"),
        (["x", "--mode", "rainbow"], "rainbow"),
        (["x", "--reliable", "--timeout", "-1"], "Expected `float` >= 0"),
    ],
)
def test_mistakes_are_status_two(call: Any, at: Any, words: list[str], said: str) -> None:
    told = call("broadcast", *words)
    assert (told.status, told.out) == (2, "")
    assert said in told.err


def test_a_payload_that_is_too_large_is_refused_by_the_agent(
    call: Any, at: Any, tmp_path: Path
) -> None:
    path = tmp_path / "large"
    path.write_bytes(bytes((16 << 20) + 1))
    told = call("broadcast", "--file", str(path))
    assert told.status == 2
    assert "carries at most 16777216 bytes" in told.err


def test_what_becomes_of_members_is_heard_too_and_both_at_once(
    call: Any, at: Any, trio: Processes
) -> None:
    words = ("messages", "events", "--json", "-n", "2")
    with listening(trio.all[1].socket, *words, kinds=2) as b:
        call("broadcast", "x", "-r")
        call("tags", "--set", "rack=1")
        assert b.stdout is not None
        heard = {line["kind"]: line for line in map(json.loads, b.stdout)}
        assert b.wait() == 0
    call("tags", "--delete", "rack")
    assert heard["message"]["text"] == "x"
    assert heard["event"]["event"] == "updated"
    assert heard["event"]["member"]["tags"] == {"zone": "north", "rack": "1"}


def test_a_listener_ends_well_when_its_agent_leaves_and_badly_when_it_dies(
    trio: Processes,
) -> None:
    for name, ends, status, said in (
        ("leaver", "terminate", 0, "the agent has left\n"),
        ("crasher", "kill", 3, "snowcast listen: "),
    ):
        agent = trio.start(name, "--set=node.linger=0.1")
        agent.wait_until_joined()
        with listening(agent.socket) as reader:
            getattr(agent.popen, ends)()
            agent.wait()
            assert reader.stderr is not None
            assert reader.stderr.readline().startswith(said)
            assert reader.wait() == status
    trio.agree("a", "b", "c")


def test_a_listener_is_stopped_from_the_keyboard(trio: Processes) -> None:
    import signal

    with listening(trio.all[1].socket) as reader:
        reader.send_signal(signal.SIGINT)
        assert reader.wait() == 130
        assert reader.stderr is not None
        assert reader.stderr.read() == ""


def test_a_reader_of_a_listener_may_go(call: Any, at: Any, trio: Processes) -> None:
    command = [sys.executable, "-m", "snowcast", "listen", "--agent", trio.all[1].socket]
    read_end, write_end = os.pipe()
    with subprocess.Popen(command, stdout=write_end, stderr=subprocess.PIPE) as process:
        os.close(write_end)
        os.close(read_end)
        assert process.stderr is not None
        process.stderr.readline()

        def has_ended() -> bool:
            call("broadcast", "anything")
            return process.poll() is not None

        wait(has_ended)
        assert process.returncode == 1
        assert process.stderr.read() == b""


@pytest.mark.parametrize(
    ("name", "data", "line"),
    [
        ("lagged", {"missed": 7}, "... too slow: 7 left out"),
        ("message", {"sender": "a", "text": "x\n", "base64": None}, "a: x"),
        ("message", {"sender": "a", "text": None, "base64": "/w=="}, "a: 1 bytes that are no text"),
        ("event", {"event": "let_in", "member": None}, "let in: this node is a member"),
        (
            "event",
            {"event": "queue_full", "peer": "1.2.3.4:5", "frames": 3},
            "1.2.3.4:5 reads too slowly: 3 frames went round it",
        ),
        (
            "event",
            {"event": "left", "member": {"name": "b", "address": "1.2.3.4:5", "tags": {"z": "1"}}},
            "left: b at 1.2.3.4:5 z=1",
        ),
    ],
)
def test_each_kind_of_news_is_a_line(
    name: str, data: dict[str, Any], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    messages._say_event(name, data, as_json=False)
    messages._say_event(name, data, as_json=True)
    shown, as_json = capsys.readouterr().out.splitlines()
    assert shown == line
    assert json.loads(as_json) == {"kind": name, **data}
