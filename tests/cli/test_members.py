"""`members`, `info`, `tags`, `force-leave`: who is in the cluster, for people and for programs."""

from __future__ import annotations

import calendar
import signal
import time
from typing import Any

import pytest

from support.agents import Processes, wait

pytestmark = pytest.mark.usefixtures("at")


def rows(text: str) -> list[list[str]]:
    """A table, line by line."""
    return [line.split() for line in text.splitlines()]


def test_members_are_a_table_in_the_order_of_the_ring(call: Any, at: Any) -> None:
    told = call("members")
    listed = at["a"].get("/v1/members")["members"]
    assert told.status == 0
    assert rows(told.out) == [
        ["NAME", "ADDRESS", "STATE", "TAGS"],
        *([m["name"], m["address"], "alive", f"zone={m['tags']['zone']}"] for m in listed),
    ]
    assert call("members", "--json").json == {"members": listed}


def test_members_can_be_chosen(call: Any) -> None:
    def names(*options: str) -> list[str]:
        return sorted(m["name"] for m in call("members", "--json", *options).json["members"])

    assert names("--tag", "zone=south") == ["b", "c"]
    assert names("--tag", "zone") == ["a", "b", "c"]
    assert names("--name", "[ab]", "--state", "alive") == ["a", "b"]


def test_none_such_is_status_one(call: Any) -> None:
    told = call("members", "--name", "x*")
    assert (told.status, told.out, told.err) == (1, "", "no such members\n")
    told = call("members", "--name", "x*", "--json")
    assert (told.status, told.json) == (1, {"members": []})
    assert call("members", "--state", "happy").status == 2


def test_one_member_is_told_in_full(call: Any, at: Any) -> None:
    told = call("info", "b")
    shown = dict(line.split(maxsplit=1) for line in told.out.splitlines())
    asked = call("info", "b", "--json").json
    assert asked == at["a"].get("/v1/member", member="b")
    assert (shown["name"], shown["address"], shown["tags"]) == ("b", asked["address"], "zone=south")
    number, _, started = shown["incarnation"].partition(": started ")
    assert number == str(asked["incarnation"])
    began = calendar.timegm(time.strptime(started.split(",")[0], "%Y-%m-%dT%H:%M:%SZ"))
    assert 0 <= time.time() - began < 86_400
    assert call("info", asked["address"]).out == told.out
    nobody = call("info", "x")
    assert (nobody.status, nobody.out) == (1, "")
    assert nobody.err.startswith("snowcast info: no member 'x': `snowcast members --departed`")


def test_tags_are_shown_set_and_deleted_for_all_to_see(call: Any, at: Any) -> None:
    assert call("tags").out == "zone=north\n"
    told = call("tags", "--set", "rack=7", "--set", "zone=east", "--json")
    assert told.json["tags"] == {"rack": "7", "zone": "east"}
    wait(lambda: at["c"].get("/v1/member", member="a")["tags"] == told.json["tags"])
    assert call("tags", "--delete", "rack", "--set", "zone=north").out == "zone=north\n"
    wait(lambda: at["c"].get("/v1/member", member="a")["tags"] == {"zone": "north"})
    for wrong in ("rack", "=7"):
        told = call("tags", "--set", wrong)
        assert told.status == 2
        assert "--set wants KEY=VALUE" in told.err


def test_what_a_name_holds_does_nothing_to_a_terminal(call: Any, at: Any) -> None:
    told = call("tags", "--set", "zone=\x1b[31mred")
    assert told.out == "zone=\\x1b[31mred\n"
    assert "\x1b" not in call("members").out
    assert call("tags", "--set", "zone=north").status == 0


def test_who_is_dead_can_be_declared_gone_at_once(call: Any, trio: Processes) -> None:
    dead = trio.start("dead")
    dead.wait_until_joined()
    wait(lambda: call("info", "dead").status == 0)
    dead.signal(signal.SIGKILL)
    dead.wait()
    told = call("force-leave", "dead", "--json")
    assert (told.status, told.json["state"]) == (0, "evicted")
    trio.agree("a", "b", "c")
    assert call("force-leave", "dead").out.endswith("is evicted\n")
    assert call("force-leave", "nobody").status == 1
    assert call("force-leave", "a").status == 2
    assert "dead" in call("members", "--departed").out


def test_who_lives_is_back_after_it_was_declared_gone(call: Any, trio: Processes) -> None:
    before = call("info", "b", "--json").json["incarnation"]
    assert call("force-leave", "b").status == 0
    wait(lambda: call("info", "b", "--json").json["state"] == "alive")
    assert call("info", "b", "--json").json["incarnation"] > before
    trio.agree("a", "b", "c")
