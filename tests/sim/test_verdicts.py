"""A flight, as rules see it."""

from __future__ import annotations

from snowcast.core.codec import encode
from snowcast.sim.rules import Bandwidth, Loss
from snowcast.sim.verdicts import PASS, Flight, Seeded, Verdict
from support.puppets import data, flight


def test_a_flight_knows_how_many_bytes_its_frame_takes() -> None:
    frame = data(0, 1)
    assert flight(frame=frame).frame_bytes == len(encode(frame))


def test_rules_that_draw_are_told_from_those_that_do_not() -> None:
    def function(flight: Flight) -> Verdict:
        return PASS

    assert isinstance(Loss(0.5), Seeded)
    assert not isinstance(Bandwidth(1), Seeded)
    assert not isinstance(function, Seeded)
