"""What was offered and has not come: one timer a message, and each offer is taken up once.

Leitao et al. 2007, algorithm 2, lines "upon event Receive(IHAVE)" and "upon event Timer".
"""

from __future__ import annotations

from snowcast.baselines.missing import MISSING_MAX, OFFERS_MAX, Missing, Offered
from snowcast.core.effects import CancelTimer, Outbox, SetTimer
from snowcast.core.frames import MessageId, Offer
from snowcast.core.timers import MissingTimer
from support.lone import message
from support.rings import member

FIRST_US, NEXT_US = 500, 250
ONE = message(1)
TIMER = MissingTimer(ONE)


class Wanting:
    """A list of what is missing, and what it sets timers for."""

    def __init__(self) -> None:
        self._outbox = Outbox()
        self.missing = Missing(self._outbox, FIRST_US, NEXT_US)

    def offer(self, peer: int, hop: int = 1, now_us: int = 0, id: MessageId = ONE) -> list[object]:
        self.missing.on_offer(member(peer), Offer(id, hop), now_us)
        return list(self._outbox.take())

    def fire(self, now_us: int = 0) -> tuple[object, list[object]]:
        asked = self.missing.on_timer(ONE, now_us)
        return asked, list(self._outbox.take())

    def come(self) -> tuple[list[Offered], list[object]]:
        offers = self.missing.on_message(ONE)
        return offers, list(self._outbox.take())


def test_the_first_offer_sets_a_timer_and_the_others_do_not() -> None:
    wanting = Wanting()
    assert wanting.offer(5, now_us=10) == [SetTimer(TIMER, 10 + FIRST_US)]
    assert wanting.offer(6, now_us=20) == []


def test_whoever_offered_first_is_asked_first_then_the_next_then_nobody() -> None:
    wanting = Wanting()
    wanting.offer(6)
    wanting.offer(5)
    assert wanting.fire(500) == (member(6), [SetTimer(TIMER, 500 + NEXT_US)])
    assert wanting.fire(750) == (member(5), [SetTimer(TIMER, 750 + NEXT_US)])
    assert wanting.fire(1_000) == (None, [])
    assert len(wanting.missing) == 0


def test_after_all_were_asked_a_new_offer_begins_anew() -> None:
    wanting = Wanting()
    wanting.offer(6)
    wanting.fire(500)
    wanting.fire(750)
    assert wanting.offer(7, now_us=800) == [SetTimer(TIMER, 800 + FIRST_US)]


def test_when_it_comes_the_timer_stops_and_the_offers_left_are_told() -> None:
    wanting = Wanting()
    wanting.offer(6, hop=9)
    wanting.offer(5, hop=2)
    wanting.fire(500)
    assert wanting.come() == ([Offered(member(5), 2)], [CancelTimer(TIMER)])
    assert wanting.come() == ([], [])
    assert wanting.fire(750) == (None, [])


def test_whoever_has_gone_is_not_asked() -> None:
    wanting = Wanting()
    wanting.offer(6)
    wanting.offer(5)
    wanting.missing.on_departed(member(6))
    asked, _ = wanting.fire(500)
    assert asked == member(5)


def test_what_is_remembered_is_bounded() -> None:
    wanting = Wanting()
    for peer in range(OFFERS_MAX + 9):
        wanting.offer(peer)
    assert len(wanting.come()[0]) == OFFERS_MAX
    for sequence in range(1, MISSING_MAX + 9):
        wanting.offer(1, id=message(2, sequence))
    assert len(wanting.missing) == MISSING_MAX
    assert wanting.offer(1, id=message(2, MISSING_MAX + 9)) == []
