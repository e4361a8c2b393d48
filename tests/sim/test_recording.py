"""A simulated run as a trace: rows say what happened, on the clocks of those it happened to."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from snowcast.core.codec import encode
from snowcast.core.config import MS, SECOND, Config
from snowcast.core.frames import Data
from snowcast.core.trees import Mode
from snowcast.sim.clocks import Clock, ClockSkew
from snowcast.sim.cluster import Cluster, address_of
from snowcast.sim.observer import Observer
from snowcast.sim.processing import Processing
from snowcast.sim.recording import Recording
from snowcast.sim.rules import Latency
from snowcast.trace.files import TraceReader, TraceWriter
from snowcast.trace.schema import (
    TABLES,
    ArrivalRow,
    MessageRow,
    NodeRow,
    ProbeRow,
    Role,
    Row,
    RunRow,
)

R = TypeVar("R", bound=Row)


class Made:
    """A cluster whose recording is kept in memory."""

    def __init__(self, count: int, stable_from_us: int = 0, **options: object) -> None:
        self.rows: list[Row] = []
        self.recording = Recording("run", self.rows.append, stable_from_us)
        observers = [self.recording, *options.pop("observers", ())]  # type: ignore[misc]
        rules = [Latency.fixed(1 * MS)]
        self.cluster = Cluster(1, observers=observers, rules=rules, **options)
        self.cluster.boot(count)

    def all(self, kind: type[R]) -> list[R]:
        return [row for row in self.rows if isinstance(row, kind)]

    def finish(self) -> dict[tuple[str, int], NodeRow]:
        """The rows of the nodes, by address and life."""
        self.recording.finish(self.cluster)
        return {(row.node, row.life): row for row in self.all(NodeRow)}


class Frames(Observer):
    """Remembers every data frame."""

    def __init__(self) -> None:
        self.seen: list[Data] = []

    def on_frame(self, now_us: int, node: object, sender: object, frame: object) -> None:
        if isinstance(frame, Data):
            self.seen.append(frame)


def test_a_message_is_a_row_and_so_is_each_frame_that_carried_it() -> None:
    frames = Frames()
    made = Made(20, observers=[frames])
    made.cluster.run_until(2 * SECOND)
    made.cluster.broadcast(made.cluster.nodes[3], b"hello", Mode.COLORING)
    made.cluster.run_for(1 * SECOND)
    sender = str(address_of(3))
    assert made.all(MessageRow) == [
        MessageRow(
            run="run",
            message=f"{sender}/1/1",
            origin=sender,
            at_us=2 * SECOND,
            payload_bytes=5,
            mode="coloring",
            reliable=False,
        )
    ]
    rows = [row for row in made.all(ArrivalRow) if row.kind == "data"]
    assert [row.bytes for row in rows] == [len(encode(frame)) for frame in frames.seen]
    assert [row.hop for row in rows] == [frame.hop for frame in frames.seen]
    assert [row.tree for row in rows] == [frame.tree for frame in frames.seen]
    first = [row.node for row in rows if row.first]
    assert sorted(first) == sorted(str(address_of(i)) for i in range(20) if i != 3)
    assert len(rows) == 2 * 19


def test_pings_become_probes_that_know_how_far_a_clock_is_off() -> None:
    made = Made(3, clocks=ClockSkew({1: Clock(7 * SECOND), 2: Clock(0)}))
    made.cluster.run_for(10 * SECOND)
    probes = made.all(ProbeRow)
    assert len(probes) > 20
    assert {probe.rtt_us for probe in probes} == {2 * MS}
    wrong = str(address_of(1))
    for probe in probes:
        ahead_us = 7 * SECOND * ((probe.peer == wrong) - (probe.node == wrong))
        assert probe.offset_us == ahead_us


def test_arrivals_are_on_the_clock_of_the_receiver_and_messages_on_that_of_the_origin() -> None:
    made = Made(2, clocks=ClockSkew({1: Clock(7 * SECOND)}))
    made.cluster.broadcast(made.cluster.nodes[0], b"there")
    made.cluster.run_until(5 * MS)
    made.cluster.broadcast(made.cluster.nodes[1], b"back")
    made.cluster.run_until(10 * MS)
    assert [row.at_us for row in made.all(MessageRow)] == [0, 7 * SECOND + 5 * MS]
    arrivals = [row.at_us for row in made.all(ArrivalRow) if row.kind == "data"]
    assert arrivals == [7 * SECOND + 1 * MS, 6 * MS]


def test_nodes_tell_what_became_of_them() -> None:
    made = Made(10)
    cluster = made.cluster
    nodes = cluster.nodes
    cluster.at(1 * SECOND, lambda: cluster.crash(nodes[1]))
    cluster.at(2 * SECOND, lambda: cluster.kill(nodes[2]))
    cluster.at(3 * SECOND, lambda: cluster.leave(nodes[3]))
    cluster.at(4 * SECOND, lambda: cluster.pause(nodes[4], 2 * SECOND))
    cluster.at(5 * SECOND, lambda: cluster.restart(nodes[2]))
    cluster.at(6 * SECOND, lambda: cluster.join(nodes[0], name="late"))
    cluster.run_until(60 * SECOND)
    lives = made.finish()
    at = [str(address_of(index)) for index in range(11)]
    assert lives[at[0], 1] == NodeRow(
        run="run", node=at[0], life=1, role=Role.PLAIN, stable=True, joined_us=0
    )
    assert (lives[at[1], 1].stable, lives[at[1], 1].crashed_us) == (False, 1 * SECOND)
    assert (lives[at[2], 1].stable, lives[at[2], 1].crashed_us) == (False, 2 * SECOND)
    assert (lives[at[3], 1].stable, lives[at[3], 1].left_us) == (False, 3 * SECOND)
    assert lives[at[4], 1].stable is True
    again, late = lives[at[2], 2], lives[at[10], 1]
    assert again.stable is late.stable is False
    assert 5 * SECOND < (again.joined_us or 0) < 20 * SECOND
    assert 6 * SECOND < (late.joined_us or 0) < 20 * SECOND
    assert late.name == "late"
    assert len(lives) == 12


def test_those_that_have_joined_in_time_are_stable_too() -> None:
    made = Made(4, stable_from_us=20 * SECOND)
    made.cluster.join()
    made.cluster.run_until(30 * SECOND)
    made.cluster.join()
    made.cluster.run_until(60 * SECOND)
    lives = made.finish()
    assert [lives[str(address_of(i)), 1].stable for i in (0, 4, 5)] == [True, True, False]


def test_stragglers_are_marked() -> None:
    made = Made(40, processing=Processing(stragglers="aligned"))
    lives = made.finish()
    marked = [node for (node, _), row in lives.items() if row.role is Role.STRAGGLER]
    assert marked == [str(address_of(19)), str(address_of(39))]


def test_the_run_tells_what_was_run() -> None:
    made = Made(4, config=Config(fanout=6))
    made.recording.finish(made.cluster, "plumtree", "stable")
    [row] = made.all(RunRow)
    assert (row.protocol, row.scenario, row.seed, row.nodes) == ("plumtree", "stable", 1, 4)
    assert (row.fanout, row.is_virtual) == (6, True)
    assert msgspec.json.decode(row.config, type=Config) == Config(fanout=6)


def test_a_whole_trace_can_be_written_and_read_back(tmp_path: Path) -> None:
    made = Made(5)
    made.cluster.broadcast(made.cluster.nodes[0], b"hello", is_reliable=True)
    made.cluster.run_for(5 * SECOND)
    made.finish()
    with TraceWriter(tmp_path) as writer:
        for row in made.rows:
            writer.write(row)
    reader = TraceReader(tmp_path)
    for kind in TABLES.values():
        assert list(reader.rows(kind)) == made.all(kind)
    assert reader.torn == 0
