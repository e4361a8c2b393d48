"""What leaves the core: values in order, taken once."""

from __future__ import annotations

from snowcast.core.effects import CancelTimer, Joined, Outbox, Receipt, Send, SetTimer
from snowcast.core.frames import Nack
from snowcast.core.timers import ProbeTimer, SyncTimer
from support.lone import message
from support.rings import member


def test_effects_come_out_in_the_order_they_went_in() -> None:
    outbox = Outbox()
    outbox.send(member(1), Nack(1))
    outbox.send_datagram(member(2), Nack(2))
    outbox.set_timer(ProbeTimer(), 5)
    outbox.cancel_timer(SyncTimer())
    outbox.notify(Joined())
    assert outbox.take() == [
        Send(member(1), Nack(1)),
        Send(member(2), Nack(2), True),
        SetTimer(ProbeTimer(), 5),
        CancelTimer(SyncTimer()),
        Joined(),
    ]


def test_what_was_taken_is_not_there_any_more_and_not_changed_by_what_follows() -> None:
    outbox = Outbox()
    outbox.notify(Joined())
    taken = outbox.take()
    outbox.set_timer(ProbeTimer(), 5)
    assert taken == [Joined()]
    assert outbox.take() == [SetTimer(ProbeTimer(), 5)]
    assert outbox.take() == []


def test_a_receipt_is_complete_if_nobody_is_missing_named_or_not() -> None:
    assert Receipt(message(1), 3, (), 0, 5, 1).is_complete
    assert not Receipt(message(1), 3, (member(2),), 0, 5, 1).is_complete
    assert not Receipt(message(1), 3, (), 1, 5, 1).is_complete
