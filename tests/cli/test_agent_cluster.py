"""A cluster of real agents, each a process, and what its operator does, by the commands alone."""

from __future__ import annotations

import signal
import time
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from support.agents import Process, Processes, processes, wait
from support.certificates import Authority

FIFTY = 50


def heard(process: Process, texts: list[str], agents: Processes) -> list[dict[str, Any]]:
    """What a listener at this agent hears while another one says these, in both modes."""
    first = agents.all[0]
    stream = process.client.stream("/v1/messages")
    assert next(stream) is None
    for text in texts:
        first.client.post("/v1/broadcast", text.encode(), mode=text.partition(" ")[0])
    return [event.data for event in islice(stream, len(texts)) if event is not None]


def all_say_evicted(living: list[Process], name: str) -> bool:
    """Whether all of them have taken this one off their views."""
    return all(process.states().get(name) == "evicted" for process in living)


def story(call: Any, made: Processes, count: int) -> list[str]:
    """From the first agent to the last, with a kill and a leave on the way; what was seen."""
    names = [f"n{number}" for number in range(count)]
    made.start(names[0])
    began = time.monotonic()
    for name in names[1:]:
        made.start(name)
    for process in made.all:
        process.wait_until_joined()
    made.agree(*names)
    seen = [f"{count} agents agree {time.monotonic() - began:.1f} s after the first was started"]
    first, killed, leaver = made.all[0], made.all[-1], made.all[-2]
    ask = ("--agent", first.socket)

    told = [m["name"] for m in call("members", "--json", *ask).json["members"]]
    assert sorted(told) == sorted(names)
    assert call("reachability", "--json", *ask).json["delivered"] == count - 1
    assert call("who-disagrees", "--json", *ask).json["agree"] == count - 1

    texts = ["standard one", "coloring one", "standard two"]
    got = heard(leaver, texts, made)
    assert sorted(message["text"] for message in got) == sorted(texts)
    assert {message["sender"] for message in got} == {names[0]}

    killed.signal(signal.SIGKILL)
    killed.wait()
    died = time.monotonic()
    told = call("broadcast", "after the kill", "--reliable", "--json", *ask)
    assert told.status == 1
    assert told.json["receipt"]["missing"] == [killed.name]
    assert told.json["receipt"]["delivered"] == count - 2
    living = [process for process in made.all if process is not killed]
    wait(lambda: all_say_evicted(living, killed.name), "the eviction")
    seen.append(f"evicted everywhere {time.monotonic() - died:.1f} s after the kill")
    made.agree(*names[:-1])
    assert call("reachability", *ask).status == 0

    leaver.signal(signal.SIGTERM)
    staying = [process for process in living if process is not leaver]
    wait(lambda: all(p.states().get(leaver.name) == "left" for p in staying), "the leave")
    assert leaver.wait() == 0
    made.agree(*names[:-2])
    assert all(p.states()[leaver.name] == "left" for p in staying), "and never failed"
    assert call("who-disagrees", *ask).status == 0
    return seen


def test_agents_join_talk_survive_a_kill_and_see_who_leaves(call: Any, tmp_path: Path) -> None:
    with processes(tmp_path) as made:
        made.flags.append("--set=node.linger=0.5")
        print(story(call, made, 6))


@pytest.mark.soak
def test_fifty_agents_of_a_process_each_do_the_same(call: Any, tmp_path: Path) -> None:
    with processes(tmp_path) as made:
        made.flags = ["--set=node.linger=2"]  # times as they are by default
        print(story(call, made, FIFTY))


def test_all_of_it_over_tls_with_keys(call: Any, tmp_path: Path) -> None:
    tls = Authority(tmp_path).tls("127.0.0.1")
    (tmp_path / "first.key").write_text(call("keys", "generate").out)
    with processes(tmp_path) as made:
        made.flags += ["--certificate", str(tls.certificate), "--private-key", str(tls.key)]
        made.flags += ["--authority", str(tls.authority), "--set=node.linger=0.1"]
        for name in ("a", "b", "c"):
            keys = tmp_path / f"{name}.keys"
            keys.write_text((tmp_path / "first.key").read_text())
            keys.chmod(0o600)
            made.start(name, "--keys-file", str(keys))
        made.agree("a", "b", "c")
        ask = ("--agent", made.all[1].socket)
        status = call("status", "--json", *ask).json
        assert status["tls"]
        assert len(status["keys"]) == 1

        (tmp_path / "new.key").write_text(call("keys", "generate").out)
        told = call("keys", "install", str(tmp_path / "new.key"), "--json", *ask)
        assert told.status == 0, "over TLS it may travel"
        [new] = [key["key"] for key in told.json["keys"] if key["key"] not in status["keys"]]
        assert call("keys", "use", new, *ask).status == 0
        assert call("keys", "remove", *status["keys"], *ask).status == 0
        assert {p.status()["keys"][0] for p in made.all} == {new}
        assert call("broadcast", "x", "--reliable", "--mode", "coloring", *ask).status == 0

        plain = Process(tmp_path, "plain", "--seed", made.seed)
        try:
            plain.wait_until_up()
            wait(lambda: "refused" in made.all[0].log, "who has no certificate to be refused")
            assert not plain.status()["is_joined"]
        finally:
            plain.popen.kill()
            plain.popen.wait()
        made.agree("a", "b", "c")


def test_a_listener_to_events_hears_of_each_who_comes_once(tmp_path: Path) -> None:
    with processes(tmp_path) as made:
        stream = made.start("n0").client.stream("/v1/events")
        assert next(stream) is None
        for number in range(1, 4):
            made.start(f"n{number}")
        joined = [event.data["member"]["name"] for event in islice(stream, 3) if event]
        assert sorted(joined) == ["n1", "n2", "n3"]
