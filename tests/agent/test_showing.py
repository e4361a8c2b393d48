"""What is inside, as it is shown outside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from snowcast.agent import showing
from snowcast.agent.agent import Agent
from snowcast.agent.problems import Refusal
from snowcast.agent.shapes import EventInfo, MemberInfo
from snowcast.core.address import Address
from snowcast.core.member import Member, State
from snowcast.runtime import news
from support.agents import agent, pair
from support.loops import local, on_loop

B = Member(local(2), 65537, State.SUSPECT, "b", (("zone", "a"),))
SHOWN = MemberInfo(
    name="b", address="127.0.0.1:2", state="suspect", incarnation=65537, tags={"zone": "a"}
)


def test_a_member_has_a_name_even_without_one() -> None:
    assert showing.member_info(B) == SHOWN
    nameless = Member(Address.of("::1", 7), 1)
    assert showing.member_info(nameless).name == "[::1]:7"


def test_every_state_has_a_word() -> None:
    assert set(showing._STATES) == set(State)


@pytest.mark.parametrize(
    ("event", "word"),
    [
        (news.MemberJoined(B), "joined"),
        (news.MemberJoined(B, is_restart=True), "restarted"),
        (news.MemberLeft(B), "left"),
        (news.MemberEvicted(B), "evicted"),
        (news.MemberSuspected(B), "suspected"),
        (news.MemberRefuted(B), "refuted"),
        (news.MemberUpdated(B), "updated"),
    ],
)
def test_what_becomes_of_a_member_is_a_word(event: news.ClusterEvent, word: Any) -> None:
    assert showing.event_info(event) == EventInfo(event=word, member=SHOWN)


def test_what_becomes_of_this_node_is_a_word_too() -> None:
    assert showing.event_info(news.Joined()) == EventInfo(event="let_in")
    assert showing.event_info(news.QueueFull(local(2), 3)) == EventInfo(
        event="queue_full", peer="127.0.0.1:2", frames=3
    )


def test_a_payload_is_text_if_it_is_text() -> None:
    def shown(payload: bytes) -> tuple[str | None, str | None]:
        info = showing.message_info(news.Message(payload, local(2), "b", "id", 1))
        return info.text, info.base64

    assert shown("snö\0".encode()) == ("snö\0", None)
    assert shown(b"") == ("", None)
    assert shown(b"\xff\x00") == (None, "/wA=")


def test_a_receipt_says_all_that_it_knows() -> None:
    info = showing.receipt_info(news.Receipt("id", 3, ("b",), 2, 0.5, 2))
    assert not info.is_complete
    assert (info.delivered, info.missing, info.unnamed) == (3, ("b",), 2)
    assert (info.elapsed_s, info.attempts) == (0.5, 2)


class Roster:
    """A cluster as far as looking for members goes."""

    def __init__(self, members: list[Member], departed: list[Member]) -> None:
        self.cluster = self
        self.members = members
        self.departed = departed


def found(who: str, members: list[Member], departed: list[Member]) -> Member:
    """Who is meant."""
    roster: Any = Roster(members, departed)
    return showing.find_member(roster, who)


def test_one_is_found_by_name_or_address_and_the_living_before_the_dead() -> None:
    other = Member(local(3), 1, name="b")
    gone = Member(local(4), 1, State.LEFT, "b")
    assert found("b", [B], []) is found("127.0.0.1:2", [B, other], []) is B
    assert found("b", [B], [gone]) is B
    assert found("b", [], [gone]) is gone
    with pytest.raises(Refusal, match="3 members are called 'b': choose by address") as many:
        found("b", [B, other], [gone])
    assert (many.value.status, many.value.error) == (409, "ambiguous")
    with pytest.raises(Refusal, match="no member 'c'") as none:
        found("c", [B], [gone])
    assert (none.value.status, none.value.error) == (404, "no_such_member")


@on_loop
async def test_the_agent_at_a_glance(tmp_path: Path) -> None:
    async with pair(tmp_path) as (a, b):
        seen = showing.status_info(a)
        assert (seen.name, seen.address) == ("a", str(a.cluster.address))
        assert (seen.members, seen.suspects, seen.departed) == (2, 0, 0)
        assert (seen.is_joined, seen.is_leaving, seen.health) == (True, False, 0)
        assert (seen.tls, seen.keys, seen.warnings) == (False, (), ())
        assert seen.digest == showing.status_info(b).digest


def warned(agent: Agent) -> str:
    """All warnings of an agent."""
    return "\n".join(showing.status_info(agent).warnings)


@on_loop
async def test_what_an_operator_should_look_at_is_a_warning(tmp_path: Path) -> None:
    node = {"bind": "0.0.0.0:0", "advertise": "192.0.2.1", "seeds": ("127.0.0.1:1",)}
    async with agent(tmp_path, node=node) as a:
        a.name_taken_by.add("10.0.0.9:1")
        text = warned(a)
        assert "not let in yet" in text
        assert "others go by its name: 10.0.0.9:1" in text
        assert "streams have no TLS" in text
        assert "datagrams have no keys" in text
