"""How protocols are shown: told apart without colours, and in one order."""

from __future__ import annotations

from snowcast.baselines.registry import protocol_names
from snowcast.report.protocols import LOOKS, in_order, look


def test_every_protocol_has_a_look_of_its_own() -> None:
    assert set(LOOKS) == set(protocol_names())
    for column in zip(*LOOKS.values(), strict=True):
        assert len(set(column)) == len(LOOKS)


def test_protocols_that_nobody_knows_come_last_under_their_own_names() -> None:
    assert in_order({"pigeon", "gossip", "standard"}) == ["standard", "gossip", "pigeon"]
    assert look("pigeon").title == "pigeon"
