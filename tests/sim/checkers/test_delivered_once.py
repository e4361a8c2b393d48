"""A message is delivered at most once by each life of a node, and only if somebody sent it."""

from snowcast.sim.checkers.delivered_once import DeliveredOnce, DeliveredOnceOptions
from snowcast.sim.observer import NodeChange
from support.stage import Stage, message


def test_one_delivery_each_is_right() -> None:
    stage = Stage(DeliveredOnceOptions().make())
    stage.broadcast(message())
    stage.deliver(message(), 1, 2, 3)

    outcome = stage.outcome()

    assert outcome.is_ok
    assert outcome.measured == {"deliveries": 3}


def test_a_second_delivery_is_wrong() -> None:
    stage = Stage(DeliveredOnce())
    stage.broadcast(message())
    stage.deliver(message(), 2)
    stage.deliver(message(), 2, at_us=1_500_000)

    assert stage.findings() == ("node 2 delivered 10.0.0.1:7946/1/1 again at 1.500 s",)


def test_two_messages_of_one_origin_are_two() -> None:
    stage = Stage(DeliveredOnce())
    for sequence in (1, 2):
        stage.broadcast(message(sequence=sequence))
        stage.deliver(message(sequence=sequence), 1)

    assert stage.findings() == ()


def test_a_message_that_nobody_sent_is_wrong() -> None:
    stage = Stage(DeliveredOnce())
    stage.deliver(message(), 1)

    assert stage.findings() == ("node 1 delivered 10.0.0.1:7946/1/1 at 0.000 s, sent by nobody",)


def test_a_node_that_was_restarted_has_forgotten_what_it_delivered() -> None:
    stage = Stage(DeliveredOnce())
    stage.broadcast(message())
    stage.deliver(message(), 1)
    stage.nodes[1].begin_life()
    stage.change(1, NodeChange.RESTARTED)
    stage.deliver(message(), 1)

    assert stage.findings() == ()
