"""The paper's numbers are those that it prints, and its own arithmetic bears out what we say."""

from __future__ import annotations

import math

from snowcast.report.paper import DIFFERENCES, PAPER, SETTINGS, Published


def test_there_is_a_number_for_each_protocol_of_the_paper_in_each_scenario() -> None:
    protocols = {protocol for protocol, _ in PAPER}
    assert protocols == {"gossip", "plumtree-paper", "standard", "coloring"}
    published = {setting.published for setting in SETTINGS.values()}
    assert set(PAPER) == {(p, s) for p in protocols for s in published}
    assert PAPER["coloring", "breakdown"] == Published(760, 241, 0.991)


def test_the_papers_rmr_is_header_arithmetic() -> None:
    assert PAPER["standard", "stable"].rmr_bytes == 22 + 100
    assert PAPER["coloring", "stable"].rmr_bytes == 2 * (22 + 100)


def test_the_fixed_point_of_gossip_is_what_the_page_says() -> None:
    reached = 0.5
    for _ in range(100):
        reached = 1 - math.exp(-4 * reached)
    assert f"{reached:.3f}" == "0.980"
    assert any("0.980" in why for _, why in DIFFERENCES)
