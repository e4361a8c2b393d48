"""`status`, `reachability`, `who-disagrees`, `reload`, `leave`: one agent, and all of them."""

from __future__ import annotations

import signal
from typing import Any

import pytest

from snowcast.cli import cluster
from support.agents import Processes, processes, wait


def test_how_an_agent_is(call: Any, at: Any) -> None:
    told = call("status")
    answer = call("status", "--json").json
    assert told.status == 0
    first, *rest = told.out.splitlines()
    assert first == f"a at {answer['address']}: a member of snowcast"
    shown = dict(line.split(maxsplit=1) for line in rest)
    assert shown["members"].startswith("3")
    assert shown["view"] == at["b"].get("/v1/status")["digest"]
    assert shown["health"] == "0 (well)"
    assert shown["security"] == "TLS off; keys none"
    assert "warning" not in shown


def test_everything_counted_on_request(call: Any, at: Any) -> None:
    told = call("status", "--stats", "--json")
    assert told.json["stats"]["members"] == 3
    text = call("status", "--stats").out
    first = {word for line in text.splitlines() for word in line.split()[:1]}
    assert first >= set(told.json["stats"])


def test_everybody_is_reachable_and_agrees(call: Any, at: Any) -> None:
    told = call("reachability")
    assert (told.status, told.out[:24]) == (0, "2 of 2 are reachable, af")
    answer = call("reachability", "--json").json
    assert (answer["is_complete"], answer["missing"]) == (True, [])

    told = call("who-disagrees")
    digest = at["b"].get("/v1/status")["digest"]
    assert told == (0, f"2 of 2 agree: 3 members, digest {digest}\n", "")
    answer = call("who-disagrees", "--json").json
    assert (answer["agree"], answer["differ"], answer["silent"]) == (2, [], [])


def test_who_does_not_answer_is_named_and_status_one(call: Any, at: Any, trio: Processes) -> None:
    still = trio.start("still")
    still.wait_until_joined()
    trio.agree("a", "b", "c", "still")
    still.signal(signal.SIGSTOP)
    try:
        told = call("reachability")
        assert told.status == 1
        assert "missing: still\n" in told.out
        told = call("reachability", "--json")
        if told.json["delivered"] + len(told.json["missing"]) == 3:  # it is not evicted yet
            assert (told.status, told.json["missing"]) == (1, ["still"])
    finally:
        still.signal(signal.SIGCONT)
        still.signal(signal.SIGKILL)
    still.wait()
    trio.agree("a", "b", "c")


def test_who_disagrees_is_a_table(call: Any, at: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    answer = {
        "digest": "aa", "members": 4, "agree": 1, "silent": ["x"],
        "differ": [{"name": "n\x1b", "address": "1.2.3.4:5", "members": 3, "digest": "bb",
                    "health": 2, "version": "1"}],
    }  # fmt: skip
    monkeypatch.setattr(type(at["a"]), "post", lambda *a, **b: answer)
    told = call("who-disagrees")
    assert told == (
        1,
        "1 of 3 agree: 4 members, digest aa\n\n"
        "DISAGREES  ADDRESS    MEMBERS  DIGEST  HEALTH\n"
        "n\\x1b      1.2.3.4:5  3        bb      2\n"
        "no answer: x\n",
        "",
    )


def test_an_agent_reads_its_settings_anew_when_told_to(call: Any, tmp_path: Any) -> None:
    path = tmp_path / "agent.toml"
    path.write_text("[log]\nlevel = 'info'\n")
    with processes(tmp_path) as made:
        a = made.start("a", "--config", str(path))
        told = call("reload", "--agent", a.socket)
        assert told == (0, "changed: nothing; certificates read: 0\n", "")
        path.write_text("[log]\nlevel = 'debug'\n[node]\nlinger = 7\n")
        told = call("reload", "--agent", a.socket)
        assert told.out == (
            "changed: log.level; certificates read: 0\nonly a restart will do: node.linger\n"
        )
        answer = call("reload", "--agent", a.socket, "--json").json
        assert answer == {"changed": [], "needs_restart": ["node.linger"], "certificates": 0}
        path.write_text("[log\n")
        told = call("reload", "--agent", a.socket)
        assert told.status == 4
        assert "nothing reloaded: " in told.err


def test_an_agent_leaves_when_told_to(call: Any, tmp_path: Any) -> None:
    with processes(tmp_path) as made:
        a = made.start("a")
        for name, options in (("b", ["--json"]), ("c", ["--linger", "0"])):
            leaver = made.start(name, "--set=node.linger=0.1")
            made.agree("a", name)
            told = call("leave", "--agent", leaver.socket, *options)
            assert told.status == 0
            assert leaver.wait() == 0
            if options == ["--json"]:
                assert (told.json["is_gone"], told.json["is_leaving"]) == (True, True)
            else:
                assert told.out == "c has left\n"
            wait(lambda name=name: a.states().get(name) == "left")
        assert call("leave", "--agent", a.socket, "--no-wait", "--linger=30").out == (
            "a is leaving\n"
        )
        told = call("status", "--agent", a.socket)
        if told.status != 3:  # the last of a cluster does not linger
            assert told.status == 1
            assert ": leaving" in told.out


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59, "59 s"), (3600, "1 h"), (3661, "1 h 1 min"), (90_061, "1 d 1 h")],
)
def test_a_duration_is_told_in_two_units(seconds: float, text: str) -> None:
    assert cluster._duration(seconds) == text
