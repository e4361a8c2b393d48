"""Messages that go to several children: gathered, in order, whole, and never lost in silence."""

from __future__ import annotations

from snowcast.core.address import Address
from snowcast.core.effects import Forward
from snowcast.core.frames import Data, Frame, MessageId, Nack
from snowcast.core.siblings import Siblings
from snowcast.core.trees import Assignment, Tree
from snowcast.runtime.limits import Limits
from snowcast.runtime.link import BATCH_BYTES, JOINED_BYTES_MAX
from support.loops import hello, local, on_loop, turns, until
from support.sockets import serving, streams


def to(*children: Address) -> Siblings:
    """A plan with these children, leaves."""
    return Siblings(tuple([Assignment(child, None, None) for child in children]))


def message(sequence: int, size: int = 3) -> Data:
    """A message of a node that is neither of those here."""
    id = MessageId(local(7009), 1, sequence)
    return Data(id, Tree.STANDARD, None, None, bytes([sequence % 256]) * size)


def frames(siblings: Siblings, *messages: Data) -> list[Frame]:
    """What each child gets of them."""
    return [Forward(data, 2, siblings).frame(siblings.children[0]) for data in messages]


@on_loop
async def test_every_child_gets_what_is_forwarded_in_its_order_among_all_else() -> None:
    async with serving() as one, serving() as other, streams() as (out, returned, counters):
        both, first = to(one.address, other.address), to(one.address)
        small = [message(number) for number in range(20)]
        large = message(20, JOINED_BYTES_MAX)
        for number, data in enumerate(small):
            out.forward(Forward(data, 2, both))
            if number == 9:
                out.send(one.address, Nack(1))
        out.forward(Forward(message(30), 2, first))
        out.forward(Forward(large, 2, both))
        assert counters.frames_sent > 0
        await until(lambda: len(one.frames) == 24 and len(other.frames) == 22)

        sent = frames(both, *small, large)
        extra = frames(first, message(30))
        assert one.frames == [hello(7001), *sent[:10], Nack(1), *sent[10:20], *extra, sent[20]]
        assert other.frames == [hello(7001), *sent]
        assert counters.frames_sent == 44
        assert returned == []
        # Again, over connections that are there: what gathers is bounded within one turn too.
        many = [message(number, 1_000) for number in range(2 * BATCH_BYTES // 1_000)]
        for data in many:
            out.forward(Forward(data, 2, both))
        assert out.queued_bytes > BATCH_BYTES
        await until(lambda: len(other.frames) == 22 + len(many))
        assert other.frames[22:] == frames(both, *many)


@on_loop
async def test_what_does_not_fit_comes_back_frame_by_frame() -> None:
    async with (
        serving(reads=False) as server,
        streams(Limits(queue_bytes_max=1_000)) as (out, returned, counters),
    ):
        plan = to(server.address)
        messages = [message(number, 400) for number in range(5)]
        for data in messages:
            out.forward(Forward(data, 2, plan))
        await until(lambda: returned)

        assert returned == [(server.address, tuple(frames(plan, *messages[2:])))]
        assert (counters.queue_full, counters.frames_sent) == (3, 2)


@on_loop
async def test_what_has_gathered_for_a_peer_comes_back_when_its_link_breaks() -> None:
    async with serving() as server, streams() as (out, returned, _):
        plan = to(server.address)
        out.forward(Forward(message(1), 2, plan))
        await until(lambda: len(server.frames) == 2)
        out.forward(Forward(message(2), 2, plan))
        out.forward(Forward(message(3), 2, plan))
        out.drop(server.address, "it was evicted")
        await until(lambda: returned)

        ((peer, unsent),) = returned
        assert peer == server.address
        assert list(unsent)[-2:] == frames(plan, message(2), message(3))


@on_loop
async def test_what_has_gathered_is_sent_before_all_is_closed_and_forgotten_when_aborted() -> None:
    async with serving() as server, streams() as (out, returned, _):
        plan = to(server.address)
        out.send(server.address, Nack(1))
        await until(lambda: len(server.frames) == 2)
        out.forward(Forward(message(1), 2, plan))
        await out.close()
        await until(lambda: len(server.frames) == 3)
        assert server.frames[2:] == frames(plan, message(1))
    async with serving() as server, streams() as (out, returned, _):
        out.forward(Forward(message(1), 2, to(server.address)))
        out.abort()
        await turns()
        assert (len(out), returned) == (0, [])
