"""What a driver sees, as rows: literal frames in, literal rows out."""

from __future__ import annotations

import pytest

from snowcast.core.frames import (
    Ack,
    AckQuery,
    Data,
    MessageId,
    Nack,
    Ping,
    PingRequest,
    Pong,
    SyncDigest,
)
from snowcast.core.trees import Mode, Tree
from snowcast.trace import recorder as module
from snowcast.trace.recorder import Recorder
from snowcast.trace.schema import ArrivalRow, MessageRow, ProbeRow, Row
from support.rings import member

A, B, C = member(1), member(2), member(3)
TEXT_A, TEXT_B = str(A), str(B)
ID = MessageId(A, 1, 7)
MESSAGE = f"{TEXT_A}/1/7"


class Kept:
    """A recorder and the rows it has made."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self.recorder = Recorder("run", self.rows.append)

    def firsts(self) -> list[bool | None]:
        return [row.first for row in self.rows if isinstance(row, ArrivalRow)]

    def probes(self) -> list[ProbeRow]:
        return [row for row in self.rows if isinstance(row, ProbeRow)]


def data(id: MessageId = ID, **flags: bool) -> Data:
    return Data(id, Tree.PRIMARY, None, None, b"payload", hop=3, **flags)


def test_a_message_is_a_row_of_its_own() -> None:
    kept = Kept()
    kept.recorder.message_sent(50, ID, 100, Mode.STANDARD, True)
    assert kept.rows == [
        MessageRow(
            run="run",
            message=MESSAGE,
            origin=TEXT_A,
            at_us=50,
            payload_bytes=100,
            mode="standard",
            reliable=True,
        )
    ]


def test_a_data_frame_tells_its_message_hop_and_tree() -> None:
    kept = Kept()
    kept.recorder.frame_received(60, B, A, data(), 122)
    assert kept.rows == [
        ArrivalRow(
            run="run",
            message=MESSAGE,
            node=TEXT_B,
            sender=TEXT_A,
            kind="data",
            at_us=60,
            bytes=122,
            hop=3,
            tree=1,
            first=True,
        )
    ]


def test_only_the_first_copy_at_each_node_is_the_first() -> None:
    kept = Kept()
    for node in (B, B, C, B):
        kept.recorder.frame_received(60, node, A, data(), 122)
    assert kept.firsts() == [True, False, True, False]


def test_a_message_that_comes_back_to_its_origin_is_no_first_copy() -> None:
    kept = Kept()
    kept.recorder.message_sent(50, ID, 100, Mode.STANDARD, False)
    kept.recorder.frame_received(60, A, B, data(), 122)
    kept.recorder.frame_received(60, A, B, data(MessageId(A, 1, 8), is_system=True), 122)
    assert kept.firsts() == [False, False]


def test_a_new_life_has_not_had_any_message() -> None:
    kept = Kept()
    kept.recorder.frame_received(60, B, A, data(), 122)
    kept.recorder.node_started(B)
    kept.recorder.frame_received(70, B, A, data(), 122)
    assert kept.firsts() == [True, True]


def test_an_ack_tells_its_tree_and_whether_it_is_complete() -> None:
    kept = Kept()
    for is_complete in (False, True):
        kept.recorder.frame_received(60, A, B, Ack(ID, Tree.SECONDARY, 0, is_complete), 30)
    rows = [row for row in kept.rows if isinstance(row, ArrivalRow)]
    assert [(row.tree, row.complete, row.first) for row in rows] == [
        (2, False, None),
        (2, True, None),
    ]


def test_frames_are_named_after_their_kind_and_acks_tell_their_message() -> None:
    kept = Kept()
    frames = [
        data(is_system=True),
        data(is_control=True),
        Ack(ID, Tree.STANDARD, 0, True),
        AckQuery(ID, Tree.STANDARD, 0),
        PingRequest(1, C),
        SyncDigest(5),
    ]
    for frame in frames:
        kept.recorder.frame_received(60, B, A, frame, 10)
    rows = [row for row in kept.rows if isinstance(row, ArrivalRow)]
    assert [(row.kind, row.message) for row in rows] == [
        ("announcement", MESSAGE),
        ("control", MESSAGE),
        ("ack", MESSAGE),
        ("ack_query", MESSAGE),
        ("ping_request", None),
        ("sync_digest", None),
    ]
    assert [(row.hop, row.first) for row in rows[2:]] == [(None, None)] * 4
    assert [row.tree for row in rows[3:]] == [None] * 3


def test_a_pong_makes_a_probe_of_its_ping() -> None:
    kept = Kept()
    kept.recorder.frame_sent(1_000, A, B, Ping(4))
    kept.recorder.frame_received(3_000, A, B, Pong(4, 9_000, 0), 16)
    assert kept.probes() == [
        ProbeRow(run="run", node=TEXT_A, peer=TEXT_B, at_us=3_000, rtt_us=2_000, offset_us=7_000)
    ]


def test_a_ping_on_a_stream_makes_a_probe_that_says_so() -> None:
    kept = Kept()
    kept.recorder.frame_sent(1_000, A, B, Ping(4), is_datagram=False)
    kept.recorder.frame_received(3_000, A, B, Pong(4, 9_000, 0), 16)
    assert [probe.stream for probe in kept.probes()] == [True]


def test_a_ping_without_an_answer_is_a_probe_without_a_time_once_it_is_given_up() -> None:
    kept = Kept()
    for at_us, number in ((1_000, 4), (2_000, 5), (module.PING_US_MAX + 999, 6)):
        kept.recorder.frame_sent(at_us, A, B, Ping(number))
    assert kept.probes() == []
    kept.recorder.frame_sent(module.PING_US_MAX + 1_000, A, C, Ping(7))
    given_up = ProbeRow(run="run", node=TEXT_A, peer=TEXT_B, at_us=1_000)
    assert kept.probes() == [given_up]
    kept.recorder.frame_received(module.PING_US_MAX + 1_100, A, B, Pong(4, 9_000, 0), 16)
    assert kept.probes() == [given_up]  # it is counted once, however late it comes


def test_a_ping_that_is_sent_again_on_a_stream_had_no_answer() -> None:
    kept = Kept()
    kept.recorder.frame_sent(1_000, A, B, Ping(4))
    kept.recorder.frame_sent(2_000, A, B, Ping(4), is_datagram=False)
    kept.recorder.frame_received(3_000, A, B, Pong(4, 9_000, 0), 16)
    assert [(probe.at_us, probe.rtt_us, probe.stream) for probe in kept.probes()] == [
        (1_000, None, None),
        (3_000, 1_000, True),
    ]


def test_a_pong_for_no_ping_makes_no_probe() -> None:
    kept = Kept()
    kept.recorder.frame_sent(1_000, A, B, Ping(4))
    kept.recorder.frame_sent(1_000, A, B, Nack(5))
    for sender, number in ((C, 4), (B, 5), (B, 4), (B, 4)):
        kept.recorder.frame_received(3_000, A, sender, Pong(number, 9_000, 0), 16)
    assert len(kept.probes()) == 1


def test_the_memory_of_messages_and_of_pings_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SEEN_MAX", 2)
    monkeypatch.setattr(module, "PINGS_MAX", 2)
    kept = Kept()
    for sequence in (1, 2, 3, 3, 1):
        kept.recorder.frame_received(60, B, A, data(MessageId(A, 1, sequence)), 122)
        kept.recorder.frame_sent(60, A, B, Ping(sequence))
    assert kept.firsts() == [True, True, True, False, True]
    assert len(kept.recorder._seen[B]) == 2
    assert len(kept.recorder._pings) == 2
