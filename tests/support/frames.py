"""Every kind of frame, made up by Hypothesis, and frames as bytes."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

from snowcast.core import frames as f
from snowcast.core.address import Address
from snowcast.core.codec import Splitter, encode
from snowcast.core.member import Member, State
from snowcast.core.ring import RingOrder
from snowcast.core.trees import Tree
from snowcast.core.wire import read_uvarint
from support.rings import any_addresses, ipv4_addresses, member

Addresses = st.SearchStrategy[Address]

WIDE_BIT = 0x80
LEAF = f.Data(f.MessageId(member(1), 1_800_000_000, 7), Tree.STANDARD, None, None, b"payload")


def body_of(frame: f.Frame) -> bytes:
    """The bytes of a frame after its length."""
    data = encode(frame)
    return data[read_uvarint(data, 0)[1] :]


def fed(splitter: Splitter, chunks: Iterable[bytes]) -> list[f.Frame]:
    """The frames that the splitter finds."""
    return [frame for chunk in chunks for frame in splitter.feed(chunk)]


def frames() -> st.SearchStrategy[f.Frame]:
    """Any frame: all of its addresses IPv4, or of either kind."""
    return st.one_of([kind for kinds in (_IPV4, _ANY) for kind in kinds.values()])


def frames_of(kind: type[f.Frame]) -> st.SearchStrategy[f.Frame]:
    """Any frame of one kind."""
    return st.one_of(_IPV4[kind], _ANY[kind])


def ipv4_frames() -> st.SearchStrategy[f.Frame]:
    """Any frame that names IPv4 addresses only, or none."""
    return st.one_of(list(_IPV4.values()))


def data_frames() -> st.SearchStrategy[f.Data]:
    """Any data frame."""
    return st.one_of(_data(ipv4_addresses()), _data(any_addresses()))


def members(addresses: Addresses | None = None) -> st.SearchStrategy[Member]:
    """Any member."""
    return st.builds(
        Member,
        any_addresses() if addresses is None else addresses,
        numbers(),
        st.sampled_from(State),
        texts(),
        st.lists(st.tuples(texts(), texts()), max_size=3).map(tuple),
    )


def numbers() -> st.SearchStrategy[int]:
    """Any number that the wire can carry, of any length."""
    return st.integers(0, 64).flatmap(lambda bits: st.integers(0, (1 << bits) - 1))


def texts() -> st.SearchStrategy[str]:
    """Any short text that UTF-8 can carry."""
    return st.text(st.characters(codec="utf-8"), max_size=12)


def message_ids(addresses: Addresses) -> st.SearchStrategy[f.MessageId]:
    """Any message's id."""
    return st.builds(f.MessageId, addresses, numbers(), numbers())


def _data(addresses: Addresses) -> st.SearchStrategy[f.Data]:
    kinds = st.sampled_from(((False, False), (True, False), (False, True)))
    return kinds.flatmap(lambda kind: _data_of(addresses, *kind))


def _data_of(addresses: Addresses, is_system: bool, is_control: bool) -> st.SearchStrategy[f.Data]:
    return st.builds(
        f.Data,
        message_ids(addresses),
        st.sampled_from(Tree),
        st.none() | addresses,
        st.none() | addresses,
        st.binary(max_size=200),
        hop=st.integers(0, 255),
        attempt=numbers(),
        is_reliable=st.booleans(),
        is_system=st.just(is_system),
        is_control=st.just(is_control),
    )


def _kinds(addresses: Addresses) -> dict[type[f.Frame], st.SearchStrategy[f.Frame]]:
    def many(item: st.SearchStrategy[object]) -> st.SearchStrategy[tuple[object, ...]]:
        return st.lists(item, max_size=4).map(tuple)

    id, one, boundary = message_ids(addresses), members(addresses), st.none() | addresses
    n, flag, tree = numbers(), st.booleans(), st.sampled_from(Tree)
    digest = st.integers(0, 2**64 - 1)
    order = st.sampled_from(RingOrder)
    return {
        f.Hello: st.builds(f.Hello, texts(), n, order, addresses, n),
        f.Data: _data(addresses),
        f.Ack: st.builds(f.Ack, id, tree, n, flag, n, many(addresses), n, boundary, boundary),
        f.AckQuery: st.builds(f.AckQuery, id, tree, n, boundary, boundary),
        f.Ping: st.builds(f.Ping, n, n),
        f.Pong: st.builds(f.Pong, n, n, digest),
        f.PingRequest: st.builds(f.PingRequest, n, addresses, n),
        f.Nack: st.builds(f.Nack, n),
        f.JoinRequest: st.builds(f.JoinRequest, one),
        f.ViewPart: st.builds(f.ViewPart, many(one), flag),
        f.JoinReady: st.builds(f.JoinReady, n),
        f.Records: st.builds(f.Records, many(one)),
        f.SyncDigest: st.builds(f.SyncDigest, digest),
        f.SyncBuckets: st.builds(f.SyncBuckets, n, n, many(digest)),
        f.SyncRecords: st.builds(f.SyncRecords, many(n), many(one), flag),
        f.IHave: st.builds(f.IHave, many(st.builds(f.Offer, id, n))),
        f.Graft: st.builds(f.Graft, many(id)),
        f.Prune: st.builds(f.Prune, many(addresses)),
        f.Answer: st.builds(f.Answer, id, texts()),
    }


_IPV4, _ANY = _kinds(ipv4_addresses()), _kinds(any_addresses())
KINDS = tuple(_ANY)
