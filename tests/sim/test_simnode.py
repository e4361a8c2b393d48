"""A simulated node: its lives, and the order of what it sends."""

from __future__ import annotations

from typing import Any, cast

import pytest

from snowcast.core.member import Member, first_incarnation
from snowcast.sim import simnode as module
from snowcast.sim.clocks import Clock
from snowcast.sim.cluster import address_of
from snowcast.sim.simnode import SimNode
from support.puppets import Puppet, nack


def alive(clock: Clock | None = None) -> tuple[SimNode, Puppet]:
    node, puppet = SimNode(0, address_of(0), clock, name="a", tags=(("x", "y"),)), Puppet()
    node.begin_life()
    node.start(cast(Any, puppet))
    return node, puppet


def test_a_new_node_is_down_and_has_had_no_life() -> None:
    node = SimNode(3, address_of(3))
    assert (node.is_up, node.is_paused, node.running, node.life) == (False, False, 0, 0)
    assert repr(node) == "<node 3 at 10.0.0.4:7946, life 0>"


def test_each_life_is_a_later_incarnation_and_sends_from_an_address_of_its_own() -> None:
    node, _ = alive()
    address = node.address
    assert node.member == Member(address, first_incarnation(1), name="a", tags=(("x", "y"),))
    node.stop(refuses=True)
    node.begin_life()
    assert node.member.incarnation == first_incarnation(2)
    assert node.address == address
    assert node.address is not address


def test_stopping_forgets_what_belongs_to_the_life() -> None:
    node, _ = alive()
    node.in_order(address_of(1), 50, 0)
    node.inbox.append("anything")
    node.stop(refuses=False)
    assert (node.is_up, node.running, node.refuses) == (False, 0, False)
    assert not node.inbox
    assert not node.stream_us


def test_a_node_is_told_what_its_clock_shows() -> None:
    node, puppet = alive(Clock(1_000))
    node.handle(cast(Any, nack(1)), 5)
    assert puppet.heard == [(1_005, nack(1))]
    assert node.shown_us(5) == 1_005


def test_a_stream_keeps_its_order() -> None:
    node, _ = alive()
    assert node.in_order(address_of(1), 50, 0) == 50
    assert node.in_order(address_of(1), 40, 0) == 50
    assert node.in_order(address_of(2), 40, 0) == 40
    assert node.in_order(address_of(1), 60, 0) == 60
    assert node.in_order(address_of(1), 55, 20) == 60


def test_streams_whose_frames_have_all_arrived_are_forgotten(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "STREAM_TIMES_MAX", 3)
    node, _ = alive()
    for index in range(1, 4):
        node.in_order(address_of(index), index * 10, 0)
    node.in_order(address_of(4), 100, now_us=20)
    assert node.stream_us == {address_of(3): 30, address_of(4): 100}
