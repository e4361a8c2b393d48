"""Between a node and its sockets: messages are worked on, rules are asked, silence is total."""

from __future__ import annotations

import asyncio
from typing import Any

from snowcast.core.address import Address
from snowcast.core.config import MS
from snowcast.core.frames import Data, Frame, MessageId, Nack
from snowcast.core.trees import Tree
from snowcast.lab.detour import Detour
from snowcast.runtime.host import Ways
from snowcast.sim.latency import Latency
from snowcast.sim.network import Network
from snowcast.sim.processing import Processing
from snowcast.sim.rules import Loss
from snowcast.sim.verdicts import Flight, Refuse, Rule, Verdict
from support.loops import local, on_loop, until

ME, SENDER, CHILD = local(1), local(2), local(3)
STREAM, DATAGRAM, IN = "stream", "datagram", "in"


class Street:
    """A detour, and what came out at either end. Time stands still unless it is moved."""

    def __init__(self, *rules: Rule, straggler: bool = False) -> None:
        self.now_us = 0
        self.out: list[tuple[str, Address, Any]] = []
        processing = Processing(
            30 * MS,
            30 * MS,
            stragglers="aligned" if straggler else "none",
            straggler_us=50 * MS,
            straggler_every=1,
        )
        processing.boot(4)
        network = Network(0, [*rules, Latency.fixed(0)])
        self.detour = Detour(0, ME, processing, network, lambda: self.now_us)
        self.ways = self.detour(
            Ways(
                lambda to, frame: self.out.append((STREAM, to, frame)),
                lambda to, frame: self.out.append((DATAGRAM, to, frame)),
                lambda sender, frames: self.out.append((IN, sender, frames)),
            )
        )


def message(number: int = 0, origin: Address = SENDER) -> Data:
    return Data(MessageId(origin, 1, number + 1), Tree.STANDARD, None, None, number.to_bytes(8))


@on_loop
async def test_a_message_leaves_when_it_has_been_worked_on_and_all_copies_together() -> None:
    street = Street()
    street.ways.receive(SENDER, [message()])
    street.ways.send(CHILD, message())
    street.now_us = 10 * MS
    street.ways.send(SENDER, message())
    assert street.out == [(IN, SENDER, [message()])]
    await until(lambda: len(street.out) == 3)
    assert street.out[1:] == [(STREAM, CHILD, message()), (STREAM, SENDER, message())]
    street.now_us = 30 * MS
    street.ways.send(CHILD, message())
    assert len(street.out) == 4


@on_loop
async def test_an_origin_and_an_ack_wait_for_nothing() -> None:
    street = Street()
    own = message(origin=ME)
    street.ways.receive(SENDER, [own])
    street.ways.send(CHILD, own)
    street.ways.send(CHILD, Nack(1))
    assert street.out[1:] == [(STREAM, CHILD, own), (STREAM, CHILD, Nack(1))]


@on_loop
async def test_a_straggler_takes_its_own_time() -> None:
    street = Street(straggler=True)
    street.ways.receive(SENDER, [message()])
    street.now_us = 49 * MS
    street.ways.send(CHILD, message())
    assert len(street.out) == 1
    await until(lambda: len(street.out) == 2)


@on_loop
async def test_a_rule_can_lose_delay_and_refuse_what_leaves() -> None:
    refused: list[tuple[Address, tuple[Frame, ...]]] = []

    def refuse(flight: Flight, /) -> Verdict:
        return Refuse(1 * MS)

    street = Street(refuse)
    street.detour.on_unreachable = lambda peer, unsent: refused.append((peer, unsent))
    street.ways.send(CHILD, Nack(1))
    street.ways.send_datagram(CHILD, Nack(2))
    await until(lambda: refused)
    assert (street.out, refused) == ([], [(CHILD, (Nack(1),))])

    lossy = Street(Loss(1.0, datagrams_only=True))
    lossy.ways.send_datagram(CHILD, Nack(3))
    lossy.ways.send(CHILD, Nack(4))
    assert lossy.out == [(STREAM, CHILD, Nack(4))]


@on_loop
async def test_silence_swallows_what_comes_goes_and_was_held_back() -> None:
    street = Street()
    street.ways.receive(SENDER, [message()])
    street.ways.send(CHILD, message())
    street.detour.silence()
    street.ways.receive(SENDER, [message(1)])
    street.ways.send(CHILD, Nack(1))
    street.ways.send_datagram(CHILD, Nack(1))
    await asyncio.sleep(0.05)  # longer than the work on what was held
    assert street.out == [(IN, SENDER, [message()])]
