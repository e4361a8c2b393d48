"""A receipt is held against what the nodes have really delivered by then."""

from snowcast.core.effects import Receipt
from snowcast.sim.checkers.receipts_truthful import ReceiptsTruthful, ReceiptsTruthfulOptions
from snowcast.sim.cluster import address_of
from snowcast.sim.observer import NodeChange
from support.stage import Stage, message, sim_node


def stage_with_a_message(checker: ReceiptsTruthful | None = None) -> Stage:
    """Four nodes, the first of which has sent a reliable message."""
    stage = Stage(checker or ReceiptsTruthful())
    stage.broadcast(message(), is_reliable=True)
    return stage


def receipt(delivered: int, *missing: int, unnamed: int = 0) -> Receipt:
    """The account that the origin gives."""
    return Receipt(message(), delivered, tuple(map(address_of, missing)), unnamed, 0, 1)


def test_a_complete_receipt_is_true_when_all_have_it() -> None:
    stage = stage_with_a_message(ReceiptsTruthfulOptions().make())
    stage.deliver(message(), 1, 2, 3)
    stage.notice(0, receipt(3), at_us=2_000)

    outcome = stage.outcome()

    assert outcome.is_ok
    assert outcome.measured == {
        "receipts": 1,
        "complete": 1,
        "named": 0,
        "after_delivery_ms": 2,
    }


def test_a_receipt_that_names_exactly_who_lacks_it_is_true() -> None:
    stage = stage_with_a_message()
    stage.deliver(message(), 1, 2)
    stage.notice(0, receipt(2, 3))

    assert stage.findings() == ()


def test_silence_about_a_member_without_the_message_is_a_lie() -> None:
    stage = stage_with_a_message()
    stage.deliver(message(), 1, 2)
    stage.notice(0, receipt(2))

    assert stage.findings() == (
        "10.0.0.1:7946/1/1: is silent about 10.0.0.4:7946, without the message",
    )


def test_a_delivery_after_the_receipt_comes_too_late_for_it() -> None:
    stage = stage_with_a_message()
    stage.deliver(message(), 1, 2)
    stage.notice(0, receipt(2))
    stage.deliver(message(), 3)

    assert len(stage.findings()) == 1


def test_those_counted_without_a_name_cover_for_as_many() -> None:
    stage = stage_with_a_message()
    stage.deliver(message(), 1)
    stage.notice(0, receipt(1, 2, unnamed=1))

    assert stage.findings() == ()


def test_naming_one_that_has_it_is_a_lie_unless_doubt_is_allowed() -> None:
    strict, lenient = ReceiptsTruthful(), ReceiptsTruthfulOptions(may_doubt=True).make()
    for checker in (strict, lenient):
        stage = stage_with_a_message(checker)
        stage.deliver(message(), 1, 2, 3)
        stage.notice(0, receipt(2, 3))
        stage.outcome()

    assert strict.outcome().findings == (
        "10.0.0.1:7946/1/1: names 10.0.0.4:7946, with the message",
    )
    assert lenient.outcome().is_ok


def test_counting_more_than_have_it_is_a_lie_unless_miscounting_is_allowed() -> None:
    strict, lenient = ReceiptsTruthful(), ReceiptsTruthfulOptions(may_miscount=True).make()
    for checker in (strict, lenient):
        stage = stage_with_a_message(checker)
        stage.deliver(message(), 1, 2, 3)
        stage.notice(0, receipt(4))
        stage.outcome()

    assert strict.outcome().findings == ("10.0.0.1:7946/1/1: counts 4 deliveries, there were 3",)
    assert lenient.outcome().is_ok


def test_nobody_vouches_for_a_node_that_not_all_knew_or_that_leaves() -> None:
    stage = Stage(ReceiptsTruthful())
    stage.enter(sim_node(4, knows=5))
    stage.broadcast(message(), is_reliable=True)
    stage.change(3, NodeChange.LEAVING)
    stage.deliver(message(), 1, 2)
    stage.notice(0, receipt(2))

    assert stage.findings() == ()


def test_a_reliable_message_is_owed_exactly_one_receipt() -> None:
    stage = stage_with_a_message()
    stage.deliver(message(), 1, 2, 3)
    assert stage.findings() == ("10.0.0.1:7946/1/1: no receipt for node 0",)

    stage = stage_with_a_message()
    stage.deliver(message(), 1, 2, 3)
    stage.notice(0, receipt(3))
    stage.notice(0, receipt(3), at_us=1_000_000)
    assert stage.findings() == ("10.0.0.1:7946/1/1: a second receipt at 1.000 s",)


def test_plain_messages_and_origins_that_died_are_owed_none() -> None:
    stage = Stage(ReceiptsTruthful())
    stage.broadcast(message())
    assert stage.findings() == ()

    stage = stage_with_a_message()
    stage.change(0, NodeChange.CRASHED)
    assert stage.findings() == ()


def test_a_receipt_that_takes_too_long_after_the_last_delivery_is_late() -> None:
    stage = stage_with_a_message(ReceiptsTruthfulOptions(after_delivery_ms_max=3_000).make())
    stage.deliver(message(), 1, 2, 3, at_us=1_000_000)
    stage.notice(0, receipt(3), at_us=4_100_000)

    assert stage.findings() == (
        "10.0.0.1:7946/1/1: the receipt came 3.100 s after the last delivery, not 3.000 s",
    )


def test_a_long_list_of_names_is_cut() -> None:
    stage = Stage(ReceiptsTruthful(), nodes=9)
    stage.broadcast(message(), is_reliable=True)
    stage.notice(0, receipt(0))

    assert stage.findings()[0].endswith("10.0.0.6:7946 and 3 more, without the message")
