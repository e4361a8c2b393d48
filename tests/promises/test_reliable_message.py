"""Reliable Message with 5 % of 500 nodes dead and undetected, any of them internal.

With `repair` every live node delivers, and the receipt names exactly the dead, at most three hop
timeouts after the last delivery. With `rebroadcast`, the paper's way, the origin sends the message
again; whoever has it forwards it again and delivers once.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from promises.figures import Figure
from snowcast.core.address import Address
from snowcast.core.config import MS, SECOND, Config
from snowcast.core.effects import Delivered, MemberChanged, Notice, Receipt
from snowcast.core.events import Broadcast
from snowcast.core.frames import Data, Frame, MessageId
from snowcast.core.member import State
from snowcast.sim.observer import Lost, NodeChange, Observer
from snowcast.sim.simnode import SimNode
from support.scenarios import held, shipped

HOPS_MAX = 3
PROTOCOLS = ("standard", "coloring")
SHORT: dict[str, Any] = {"quiet_s": 4, "check": {"crashes_detected": None}}
"""Until the receipts are there, and no longer: the dead need not be evicted."""


class Story(Observer):
    """What became of each message, and of the dead."""

    def __init__(self) -> None:
        self.nodes: list[Address] = []
        self.dead: set[Address] = set()
        self.detected_us: int | None = None
        self.dead_inside: set[Address] = set()
        self.origins: dict[MessageId, Address] = {}
        self.deliveries: dict[MessageId, Counter[Address]] = {}
        self.last_us: dict[MessageId, int] = {}
        self.receipts: dict[MessageId, tuple[int, Receipt]] = {}

    def on_node(self, now_us: int, node: SimNode, what: NodeChange) -> None:
        if what is NodeChange.BOOTED:
            self.nodes.append(node.address)
        elif what is NodeChange.CRASHED:
            self.dead.add(node.address)

    def on_drop(self, now_us: int, sender: Address, to: Address, frame: Frame, why: Lost) -> None:
        is_message = isinstance(frame, Data) and not frame.is_system
        if why is Lost.SILENT and is_message and not frame.is_leaf:
            self.dead_inside.add(to)

    def on_broadcast(self, now_us: int, node: SimNode, id: MessageId, broadcast: Broadcast) -> None:
        self.origins[id] = node.address
        self.deliveries[id] = Counter()

    def on_notice(self, now_us: int, node: SimNode, notice: Notice) -> None:
        if isinstance(notice, Delivered):
            self.deliveries[notice.id][node.address] += 1
            self.last_us[notice.id] = now_us
        elif isinstance(notice, Receipt):
            self.receipts[notice.id] = now_us, notice
        elif isinstance(notice, MemberChanged) and notice.new.state is State.EVICTED:
            self.detected_us = self.detected_us or now_us


def tell(name: str, protocol: str, seed: int, **changes: Any) -> Story:
    """A run whose invariants hold, and in which every live node delivers every message once."""
    story = Story()
    held(shipped(name, protocol=protocol, **changes), seed, [story])
    assert len(story.dead) == len(story.nodes) // 20
    assert story.dead_inside, "no dead node was to forward: nothing is shown"
    for id, origin in story.origins.items():
        living = set(story.nodes) - story.dead - {origin}
        assert story.deliveries[id] == Counter(living)
        assert set(story.receipts[id][1].missing) == story.dead
    return story


def repaired(protocol: str, seed: int, figure: Figure, **changes: Any) -> None:
    """By `repair`, before anybody knows of the dead, and in time."""
    story = tell("reliable_dead", protocol, seed, **changes)
    for id, (at_us, receipt) in story.receipts.items():
        assert story.detected_us is None or at_us < story.detected_us
        after_us = at_us - story.last_us[id]
        assert after_us <= HOPS_MAX * Config().hop_timeout_us
        assert receipt.attempts == 1
        figure(
            f"seed {seed}, {len(story.dead_inside)} of {len(story.dead)} dead were internal",
            f"all delivered in {(story.last_us[id] - at_us + receipt.elapsed_us) / SECOND:.3f} s, "
            f"receipt {after_us / MS:.0f} ms later",
        )


def rebroadcast(protocol: str, seed: int, figure: Figure, **changes: Any) -> None:
    """By the paper's way: sent again, delivered once."""
    story = tell("rebroadcast_dead", protocol, seed, **changes)
    for _, receipt in story.receipts.values():
        assert receipt.attempts in (2, 3)
        figure(f"seed {seed}", f"{receipt.attempts} attempts, {receipt.elapsed_us / SECOND:.1f} s")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_repair_reaches_all_that_live_and_names_exactly_the_dead(
    protocol: str, figure: Figure
) -> None:
    repaired(protocol, 0, figure, **SHORT)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_rebroadcast_reaches_all_that_live_once_and_names_exactly_the_dead(
    protocol: str, figure: Figure
) -> None:
    rebroadcast(protocol, 0, figure, cluster={"nodes": 120}, quiet_s=35)


@pytest.mark.soak
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("seed", range(50))
def test_repair_under_many_seeds(protocol: str, seed: int, figure: Figure) -> None:
    repaired(protocol, seed, figure)


@pytest.mark.soak
@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("seed", range(20))
def test_rebroadcast_under_many_seeds(protocol: str, seed: int, figure: Figure) -> None:
    rebroadcast(protocol, seed, figure)
