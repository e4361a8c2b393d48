"""Events of a scenario file: each kind has its keys, and says whom it happens to."""

from typing import Any

import msgspec
import pytest

from snowcast.sim.incidents import AnyIncident, Crash, FlipFlop, Join, Lossy, Partition, Stall
from snowcast.sim.rules import Direction


def read(**values: Any) -> AnyIncident:
    """An `[[event]]` as it stands in a file."""
    return msgspec.convert({"at_s": 1, **values}, AnyIncident)


def test_what_happens_is_told_by_do() -> None:
    assert read(do="crash", count=2) == Crash(at_s=1, count=2)
    assert read(do="join") == Join(at_s=1, count=1, contact="random")
    assert read(do="partition", share=0.5, for_s=3) == Partition(at_s=1, share=0.5, for_s=3)
    assert read(do="stall", count=2, for_s=4) == Stall(at_s=1, count=2, for_s=4)
    assert read(do="lossy", nodes=[3], rate=0.8) == Lossy(at_s=1, nodes=(3,), rate=0.8)
    flipflop = read(do="flipflop", count=1, period_s=40, direction="outbound")
    assert flipflop == FlipFlop(at_s=1, count=1, period_s=40, direction=Direction.OUTBOUND)


@pytest.mark.parametrize("whom", [{}, {"count": 1, "share": 0.5}, {"count": 1, "nodes": [1]}])
def test_whom_it_happens_to_is_said_once(whom: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError, match="by one of count, share, nodes"):
        read(do="crash", **whom)


@pytest.mark.parametrize(
    "values",
    [
        {"do": "explode"},
        {"do": "crash", "count": 0},
        {"do": "crash", "share": 1.5},
        {"do": "crash", "count": 1, "for_s": 3},
        {"do": "pause", "count": 1},
        {"do": "stall", "count": 1},
        {"do": "join", "contact": "nearest"},
    ],
)
def test_what_makes_no_sense_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        read(**values)
