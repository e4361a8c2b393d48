"""Faults as rules: a literal flight, and the verdict on it."""

from __future__ import annotations

from random import Random

import pytest

from snowcast.core.config import MS, SECOND
from snowcast.core.errors import UsageError
from snowcast.sim.cluster import address_of
from snowcast.sim.rules import (
    DROP,
    PASS,
    Bandwidth,
    Direction,
    FlipFlop,
    Later,
    Loss,
    OneWayLoss,
    Partition,
    Refuse,
    Stall,
    Streams,
    Verdict,
)
from support.puppets import data, flight

A, B, C = (address_of(index) for index in range(3))


class Dice(Random):
    """Gives the numbers it was given."""

    def __init__(self, *numbers: float) -> None:
        super().__init__(0)
        self.numbers = list(numbers)

    def random(self) -> float:
        return self.numbers.pop(0)


def loss(*dice: float, **options: object) -> Loss:
    """Loss of one half, with what it will draw."""
    rule = Loss(0.5, **options)  # type: ignore[arg-type]
    rule.seed(Dice(*dice))
    return rule


def test_a_datagram_is_lost_at_the_rate_given() -> None:
    rule = loss(0.49, 0.5)
    assert rule(flight(is_datagram=True)) is DROP
    assert rule(flight(is_datagram=True)) is PASS


def test_a_rate_of_nothing_loses_nothing_and_a_rate_of_one_everything() -> None:
    assert Loss(0)(flight(is_datagram=True)) is PASS
    assert Loss(1)(flight(is_datagram=True)) is DROP


def test_a_lost_stream_frame_is_sent_again_after_timeouts_that_double() -> None:
    assert loss(0.5)(flight()) is PASS
    assert loss(0, 0.5)(flight()) == Later(200 * MS)
    assert loss(0, 0, 0.5)(flight()) == Later(600 * MS)
    assert loss(0, 0, 0, 0, 0, 0.5)(flight()) == Later(6_200 * MS)


def test_after_five_retries_the_sender_is_told() -> None:
    assert loss(0, 0, 0, 0, 0, 0)(flight()) == Refuse(12_600 * MS)


def test_stream_frames_are_lost_in_silence_only_if_asked() -> None:
    assert loss(0, streams=Streams.DROP)(flight()) is DROP
    assert loss(0, streams="drop")(flight()) is DROP


def test_loss_can_spare_streams() -> None:
    rule = loss(0, datagrams_only=True)
    assert rule(flight()) is PASS
    assert rule(flight(is_datagram=True)) is DROP


def test_loss_of_some_nodes_draws_nothing_for_others() -> None:
    rule = loss(0, 0, nodes=[A])
    assert rule(flight(1, 2, is_datagram=True)) is PASS
    assert rule(flight(0, 2, is_datagram=True)) is DROP
    assert rule(flight(2, 0, is_datagram=True)) is DROP


def test_loss_between_two_groups_leaves_the_groups_themselves_alone() -> None:
    rule = loss(0, between=([A], [B, C]))
    assert rule(flight(1, 2, is_datagram=True)) is PASS
    assert rule(flight(2, 0, is_datagram=True)) is DROP


def test_a_rate_is_a_share() -> None:
    with pytest.raises(UsageError, match="rate must be from 0 to 1"):
        Loss(1.5)


def test_one_way_loss_lets_the_other_way_through() -> None:
    rule = OneWayLoss([A], [B])
    assert rule(flight(0, 1, is_datagram=True)) is DROP
    assert rule(flight(1, 0, is_datagram=True)) is PASS
    assert rule(flight(0, 2, is_datagram=True)) is PASS


def test_one_way_loss_may_concern_all_that_a_node_receives() -> None:
    rule = OneWayLoss(None, [A])
    assert rule(flight(2, 0, is_datagram=True)) is DROP
    assert rule(flight(0, 2, is_datagram=True)) is PASS


def test_a_partition_holds_between_its_groups_and_during_its_time() -> None:
    rule = Partition([[A], [B, C]], from_us=10, until_us=20)
    assert rule(flight(0, 1, sent_us=9, is_datagram=True)) is PASS
    assert rule(flight(0, 1, sent_us=10, is_datagram=True)) is DROP
    assert rule(flight(1, 2, sent_us=10, is_datagram=True)) is PASS
    assert rule(flight(0, 1, sent_us=20, is_datagram=True)) is PASS


def test_a_stream_outlives_a_short_partition_but_not_a_long_one() -> None:
    rule = Partition([[A]], until_us=1 * SECOND)
    assert rule(flight(0, 1, sent_us=0)) == Later(1_400 * MS)
    assert rule(flight(0, 1, sent_us=900 * MS)) == Later(200 * MS)
    assert Partition([[A]])(flight(0, 1)) == Refuse(12_600 * MS)
    assert Partition([[A]], streams="drop")(flight(0, 1)) is DROP


@pytest.mark.parametrize("is_datagram", [True, False])
def test_a_stall_loses_nothing_and_lets_all_through_at_its_end(is_datagram: bool) -> None:
    rule = Stall([A], from_us=10, until_us=20)

    def verdict(sender: int, to: int, at_us: int) -> Verdict:
        return rule(flight(sender, to, sent_us=at_us, is_datagram=is_datagram))

    assert [verdict(0, 1, at) for at in (9, 10, 19, 20)] == [PASS, Later(10), Later(1), PASS]
    assert verdict(2, 0, 15) == Later(5)
    assert verdict(1, 2, 15) is PASS


def test_a_partition_can_be_healed_by_hand() -> None:
    rule = Partition([[A]])
    rule.heal(50)
    assert rule(flight(0, 1, sent_us=49, is_datagram=True)) is DROP
    assert rule(flight(0, 1, sent_us=50, is_datagram=True)) is PASS


def verdicts(rule: FlipFlop, sender: int, to: int, *times: int) -> list[Verdict]:
    return [rule(flight(sender, to, sent_us=at, is_datagram=True)) for at in times]


def test_a_flip_flopping_node_loses_what_it_receives_in_the_first_half_of_each_period() -> None:
    rule = FlipFlop([A], period_us=40)
    assert verdicts(rule, 1, 0, 0, 19, 20, 39, 40) == [DROP, DROP, PASS, PASS, DROP]
    assert verdicts(rule, 0, 1, 0) == [PASS]


def test_a_flip_flop_may_concern_what_a_node_sends_or_both() -> None:
    outbound = FlipFlop([A], 40, Direction.OUTBOUND)
    assert verdicts(outbound, 0, 1, 0) == [DROP]
    assert verdicts(outbound, 1, 0, 0) == [PASS]
    both = FlipFlop([A], 40, "both")
    assert verdicts(both, 0, 1, 0) == verdicts(both, 1, 0, 0) == [DROP]
    assert verdicts(both, 1, 2, 0) == [PASS]


def test_a_flip_flop_has_its_time_and_its_share_of_the_period() -> None:
    rule = FlipFlop([A], 40, on_us=10, from_us=100, until_us=145)
    assert verdicts(rule, 1, 0, 99, 100, 109, 110) == [PASS, DROP, DROP, PASS]
    assert verdicts(rule, 1, 0, 140, 144, 145) == [DROP, DROP, PASS]
    with pytest.raises(UsageError, match="within the period"):
        FlipFlop([A], 40, on_us=41)


def test_frames_of_a_sender_leave_one_after_the_other() -> None:
    """100 bytes at a million bytes a second take 100 us."""
    frame = data(0, 1)
    rule = Bandwidth(flight(frame=frame).frame_bytes * 10_000)
    assert rule(flight(0, 1, frame=frame)) == Later(100)
    assert rule(flight(0, 2, frame=frame)) == Later(200)
    assert rule(flight(1, 2, frame=frame)) == Later(100)
    assert rule(flight(0, 1, frame=frame, sent_us=150)) == Later(150)
    assert rule(flight(0, 1, frame=frame, sent_us=1_000)) == Later(100)


def test_bandwidth_rounds_up_so_that_no_frame_is_free() -> None:
    assert Bandwidth(1_000_000_000)(flight(frame=data(0, 1))) == Later(1)


def test_bandwidth_may_concern_some_nodes_only() -> None:
    rule = Bandwidth(1, nodes=[A])
    assert rule(flight(1, 0)) is PASS
    assert rule(flight(0, 1)) != PASS


def test_a_full_queue_loses_datagrams_and_lets_streams_wait() -> None:
    size = flight().frame_bytes
    rule = Bandwidth(size * 10, queue_bytes_max=size)
    assert rule(flight(is_datagram=True)) == Later(100 * MS)
    assert rule(flight(is_datagram=True)) == Later(200 * MS)
    assert rule(flight(is_datagram=True)) is DROP
    assert rule(flight()) == Later(300 * MS)


def test_bandwidth_must_be_positive() -> None:
    with pytest.raises(UsageError, match="must be positive"):
        Bandwidth(0)
