"""A simulated cluster of real nodes: how they come, go and stand still."""

from __future__ import annotations

import pytest

from snowcast.core.config import MS, SECOND
from snowcast.core.effects import Delivered, MemberChanged, Notice, Receipt
from snowcast.core.errors import UsageError
from snowcast.core.frames import Ping, Pong
from snowcast.core.member import first_incarnation
from snowcast.core.trees import Mode
from snowcast.sim.clocks import Clock, ClockSkew
from snowcast.sim.cluster import Cluster, address_of
from snowcast.sim.observer import NodeChange, Observer
from snowcast.sim.processing import Placement, Processing
from snowcast.sim.rules import Latency, Partition
from snowcast.sim.simnode import SimNode


class Notices(Observer):
    """Remembers what nodes tell their applications, and what happens to nodes."""

    def __init__(self) -> None:
        self.told: list[tuple[int, int, Notice]] = []
        self.changes: list[tuple[int, NodeChange]] = []

    def on_notice(self, now_us: int, node: SimNode, notice: Notice) -> None:
        self.told.append((now_us, node.index, notice))

    def on_node(self, now_us: int, node: SimNode, what: NodeChange) -> None:
        self.changes.append((node.index, what))

    def delivered(self) -> list[int]:
        """Who has delivered a message, in order of number, as often as they have."""
        return sorted(index for _, index, notice in self.told if isinstance(notice, Delivered))

    def receipts(self) -> list[Receipt]:
        return [notice for _, _, notice in self.told if isinstance(notice, Receipt)]


def booted(count: int, **options: object) -> tuple[Cluster, Notices]:
    notices = Notices()
    cluster = Cluster(1, observers=[notices], **options)  # type: ignore[arg-type]
    cluster.boot(count)
    return cluster, notices


def views(cluster: Cluster) -> set[int]:
    """The different views of those that are up."""
    return {node.node.view.digest for node in cluster.nodes if node.is_up}


def test_booted_nodes_know_one_another_and_are_up() -> None:
    cluster, notices = booted(20)
    assert [node.index for node in cluster.nodes] == list(range(20))
    assert {len(node.node.view) for node in cluster.nodes} == {20}
    assert len(views(cluster)) == 1
    assert all(node.is_up and not node.is_paused for node in cluster.nodes)
    assert notices.changes == [(index, NodeChange.BOOTED) for index in range(20)]


def test_addresses_grow_with_the_numbers_of_the_nodes() -> None:
    for ipv6 in (False, True):
        addresses = [address_of(index, ipv6) for index in range(0, 200_000, 997)]
        assert addresses == sorted(addresses)
        assert {address.is_ipv4 for address in addresses} == {not ipv6}
    assert str(address_of(0)) == "10.0.0.1:7946"
    assert str(address_of(65_536, ipv6=True)) == "[fd00::1:1]:7946"


def test_a_cluster_may_have_ipv6_addresses() -> None:
    cluster, notices = booted(8, ipv6=True)
    cluster.broadcast(cluster.nodes[0], b"hello")
    cluster.run_for(1 * SECOND)
    assert notices.delivered() == list(range(1, 8))


@pytest.mark.parametrize("mode", list(Mode))
def test_a_broadcast_is_delivered_once_everywhere_else(mode: Mode) -> None:
    cluster, notices = booted(60)
    id = cluster.broadcast(cluster.nodes[7], b"hello", mode)
    assert (id.origin, id.life) == (address_of(7), 1)
    cluster.run_for(1 * SECOND)
    assert notices.delivered() == [index for index in range(60) if index != 7]


def test_a_reliable_broadcast_ends_in_a_receipt() -> None:
    cluster, notices = booted(30)
    id = cluster.broadcast(cluster.nodes[3], b"hello", is_reliable=True)
    cluster.run_for(5 * SECOND)
    [receipt] = notices.receipts()
    assert (receipt.id, receipt.delivered, receipt.is_complete) == (id, 29, True)


def test_boot_comes_first() -> None:
    cluster, _ = booted(2)
    with pytest.raises(UsageError, match="boot comes first"):
        cluster.boot(2)


def test_a_node_joins_through_its_contact_and_is_known_everywhere() -> None:
    cluster, notices = booted(10)
    node = cluster.join(cluster.nodes[4], name="late", tags=(("zone", "b"),))
    cluster.run_for(10 * SECOND)
    assert (node.index, node.is_up) == (10, True)
    assert (10, NodeChange.JOINING) in notices.changes
    known = {other.node.view.get(node.address) for other in cluster.nodes}
    assert known == {node.member}
    assert node.member.label == "late"


def test_a_node_may_join_through_anybody_and_the_first_is_alone() -> None:
    cluster = Cluster(1)
    first = cluster.join()
    cluster.run_for(1 * SECOND)
    cluster.join()
    cluster.run_for(20 * SECOND)
    assert len(first.node.view) == 2
    assert len(views(cluster)) == 1


def test_a_leaver_goes_on_for_its_linger_time_and_then_refuses() -> None:
    cluster, notices = booted(10)
    leaver = cluster.nodes[3]
    cluster.leave(leaver)
    cluster.run_for(cluster.config.linger_us - 1 * SECOND)
    assert leaver.is_up
    assert {len(node.node.view) for node in cluster.nodes if node is not leaver} == {9}
    cluster.run_for(10 * SECOND)
    assert (leaver.is_up, leaver.refuses) == (False, True)
    assert notices.changes[-2:] == [(3, NodeChange.LEAVING), (3, NodeChange.LEFT)]


def test_a_crashed_node_is_evicted_by_the_others() -> None:
    cluster, _ = booted(10)
    cluster.crash(cluster.nodes[2])
    assert (cluster.nodes[2].is_up, cluster.nodes[2].refuses) == (False, False)
    cluster.run_for(60 * SECOND)
    assert {len(node.node.view) for node in cluster.running} == {9}
    assert len(cluster.nodes[2].node.view) == 10


def test_the_senders_of_streams_are_told_that_a_killed_node_is_gone() -> None:
    cluster, notices = booted(3)
    cluster.kill(cluster.nodes[2])
    cluster.broadcast(cluster.nodes[0], b"hello")
    cluster.run_for(1 * SECOND)
    assert notices.delivered() == [1]
    assert (2, NodeChange.KILLED) in notices.changes


def test_a_node_restarts_at_its_address_in_a_new_life() -> None:
    cluster, notices = booted(10)
    node, old = cluster.nodes[5], cluster.nodes[5].node
    cluster.crash(node)
    cluster.run_for(5 * SECOND)
    cluster.restart(node)
    assert (node.life, node.is_up, node.address) == (2, True, address_of(5))
    assert node.node is not old
    cluster.run_for(30 * SECOND)
    assert (5, NodeChange.RESTARTED) in notices.changes
    seen = {other.node.view.get(node.address) for other in cluster.nodes}
    assert {member.life for member in seen if member is not None} == {2}
    assert len(views(cluster)) == 1


def test_restarting_a_node_that_is_up_kills_it_first() -> None:
    cluster, notices = booted(4)
    cluster.restart(cluster.nodes[1], contacts=[cluster.nodes[0]])
    assert notices.changes[-2:] == [(1, NodeChange.KILLED), (1, NodeChange.RESTARTED)]
    assert cluster.nodes[1].member.incarnation == first_incarnation(2)


def test_a_paused_node_does_nothing_and_then_catches_up() -> None:
    cluster, notices = booted(10)
    node = cluster.nodes[6]
    cluster.pause(node, 2 * SECOND)
    cluster.broadcast(cluster.nodes[0], b"hello")
    cluster.run_for(1_999 * MS)
    assert (node.is_up, node.is_paused) == (True, True)
    assert 6 not in notices.delivered()
    assert not cluster.idle()
    cluster.run_for(100 * MS)
    assert (node.is_up, node.is_paused) == (True, False)
    assert notices.delivered() == list(range(1, 10))


def test_only_nodes_that_are_there_can_do_something() -> None:
    cluster, _ = booted(3)
    down, paused = cluster.nodes[1], cluster.nodes[2]
    cluster.kill(down)
    cluster.pause(paused, 1 * SECOND)
    for act in (cluster.crash, cluster.kill, cluster.leave):
        with pytest.raises(UsageError, match="is down"):
            act(down)
    with pytest.raises(UsageError, match="is down"):
        cluster.pause(down, 1)
    for node in (down, paused):
        with pytest.raises(UsageError, match="down or paused"):
            cluster.broadcast(node, b"hello")
    assert cluster.running == [cluster.nodes[0]]


def test_actions_happen_at_their_time_in_the_order_they_were_asked_for() -> None:
    cluster, done = Cluster(1), []
    for name, at_us in (("b", 20), ("a", 10), ("c", 20)):
        cluster.at(at_us, lambda name=name: done.append((cluster.now_us, name)))
    cluster.run_until(15)
    assert done == [(10, "a")]
    cluster.run_for(5)
    assert done == [(10, "a"), (20, "b"), (20, "c")]


def test_what_is_over_is_over() -> None:
    cluster = Cluster(1)
    cluster.run_until(100)
    with pytest.raises(UsageError, match="99 is over: it is 100"):
        cluster.run_until(99)
    with pytest.raises(UsageError, match="99 is over"):
        cluster.at(99, lambda: None)


def test_a_cluster_is_idle_between_its_timers() -> None:
    cluster, _ = booted(2)
    assert cluster.idle()
    cluster.broadcast(cluster.nodes[0], b"hello")
    assert not cluster.idle()
    cluster.run_for(2 * MS)
    assert cluster.idle()


def test_rules_can_come_and_go_while_it_runs() -> None:
    cluster, notices = booted(2)
    wall = Partition([[address_of(0)]], streams="drop")
    cluster.install(wall)
    cluster.broadcast(cluster.nodes[0], b"lost")
    cluster.run_for(1 * SECOND)
    assert notices.delivered() == []
    cluster.uninstall(wall)
    cluster.broadcast(cluster.nodes[0], b"found")
    cluster.run_for(1 * SECOND)
    assert notices.delivered() == [1]


def test_the_last_rule_may_be_a_latency() -> None:
    cluster, notices = booted(2, rules=[Latency.fixed(70 * MS)])
    cluster.broadcast(cluster.nodes[0], b"hello")
    cluster.run_for(1 * SECOND)
    [at_us] = [at for at, _, notice in notices.told if isinstance(notice, Delivered)]
    assert at_us == 70 * MS


def test_stragglers_are_marked_and_make_a_broadcast_late() -> None:
    quick, _ = booted(40, processing=Processing())
    late, notices = booted(40, processing=Processing(stragglers=Placement.ALIGNED))
    assert not any(node.is_straggler for node in quick.nodes)
    assert [node.index for node in late.nodes if node.is_straggler] == [19, 39]
    late.broadcast(late.nodes[39], b"hello")
    late.run_for(4 * SECOND)
    assert notices.delivered() == list(range(39))


def test_messages_meet_the_same_delays_whatever_else_is_sent() -> None:
    """The nth message is as late with announcements about it as without."""
    times = []
    for disturbed in (False, True):
        cluster, notices = booted(30, processing=Processing(), rules=[Latency.fixed(1 * MS)])
        if disturbed:
            cluster.join(cluster.nodes[0])
            cluster.run_until(5 * SECOND)
            cluster.leave(cluster.nodes[30])
            cluster.run_until(10 * SECOND)
        start_us = cluster.now_us
        cluster.broadcast(cluster.nodes[4], b"hello")
        cluster.run_for(3 * SECOND)
        found = [(i, at - start_us) for at, i, n in notices.told if isinstance(n, Delivered)]
        times.append([(index, late_us) for index, late_us in found if index < 30])
    assert times[0] == times[1]


class Pings(Observer):
    """Remembers the clock times that pongs carry."""

    def __init__(self) -> None:
        self.offsets: set[int] = set()
        self.pings = 0

    def on_frame(self, now_us: int, node: SimNode, sender: object, frame: object) -> None:
        self.pings += isinstance(frame, Ping)
        if isinstance(frame, Pong) and sender == address_of(1):
            self.offsets.add(frame.at_us - (now_us - 1 * MS))


def test_a_node_with_a_wrong_clock_works_and_says_what_its_clock_shows() -> None:
    pings = Pings()
    skew = ClockSkew({1: Clock(7 * SECOND)})
    cluster = Cluster(1, observers=[pings], clocks=skew, rules=[Latency.fixed(1 * MS)])
    cluster.boot(3)
    cluster.run_for(10 * SECOND)
    assert pings.offsets == {7 * SECOND}
    assert 24 <= pings.pings <= 33


def test_a_restarted_node_is_told_of_as_new_by_the_others() -> None:
    cluster, notices = booted(5)
    cluster.restart(cluster.nodes[2])
    cluster.run_for(20 * SECOND)
    lives = {
        (index, notice.new.life)
        for _, index, notice in notices.told
        if isinstance(notice, MemberChanged) and notice.new.address == address_of(2)
    }
    assert {index for index, life in lives if life == 2} >= {0, 1, 3, 4}
