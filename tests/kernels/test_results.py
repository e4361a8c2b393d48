"""What a kernel tells of a broadcast: sums over nodes, and every frame that arrived in columns."""

from __future__ import annotations

import pytest

from snowcast.core.trees import Mode, Tree

WHY = "needs the extra: pip install 'snowcast[kernels]'"
np = pytest.importorskip("numpy", reason=WHY)
pytest.importorskip("numba", reason=WHY)
kernel = pytest.importorskip("snowcast.kernels.dissemination", reason=WHY)


def test_three_nodes_can_be_told_in_full() -> None:
    spread = kernel.spread_snow(3, 2, Mode.COLORING, latency_us=5)
    arrivals = spread.arrivals()

    assert (spread.reached, spread.live, spread.last_us, spread.hops_max) == (3, 3, 5, 1)
    assert arrivals.tree.tolist() == [Tree.PRIMARY, Tree.PRIMARY, Tree.SECONDARY, Tree.SECONDARY]
    assert arrivals.node.tolist() == [1, 2, 1, 2]
    assert arrivals.sender.tolist() == [0, 0, 2, 0]
    assert arrivals.at_us.tolist() == [5, 5, 10, 5]
    assert arrivals.hop.tolist() == [1, 1, 2, 1]
    assert arrivals.first.tolist() == [True, True, False, False]
    assert len(arrivals) == spread.copies.sum() == spread.frames_sent == 4


@pytest.mark.parametrize(
    ("mode", "n", "trees"),
    [
        (Mode.STANDARD, 9, {Tree.STANDARD}),
        (Mode.COLORING, 9, {Tree.PRIMARY, Tree.SECONDARY}),
        (Mode.COLORING, 2, {Tree.PRIMARY}),
    ],
)
def test_every_arrival_names_its_tree(mode: Mode, n: int, trees: set[Tree]) -> None:
    assert set(kernel.spread_snow(n, 4, mode).arrivals().tree.tolist()) == trees


def test_each_node_that_was_reached_has_one_first_arrival() -> None:
    dead = np.arange(200) % 9 == 4
    targets = kernel.draw_targets(200, 4, np.random.default_rng(1))
    spreads = [
        kernel.spread_snow(200, 4, Mode.COLORING, delay_us=7, latency_us=3, dead=dead),
        kernel.spread_gossip(targets, delay_us=7, latency_us=3, dead=dead),
    ]
    for spread in spreads:
        arrivals = spread.arrivals()
        firsts = arrivals.node[arrivals.first]
        assert sorted(firsts.tolist()) == np.flatnonzero(spread.first_us > 0).tolist()
        assert len(firsts) == spread.reached - 1
        assert arrivals.bytes.sum() == spread.received_bytes.sum()
        assert arrivals.at_us[arrivals.first].max() == spread.last_us
        assert not dead[arrivals.node].any()
        assert not dead[arrivals.sender].any()


def test_a_node_alone_has_the_message_and_nothing_arrives() -> None:
    for spread in (
        kernel.spread_snow(1, 4, Mode.COLORING),
        kernel.spread_gossip(kernel.draw_targets(1, 4, np.random.default_rng(1))),
    ):
        assert (spread.reached, spread.last_us, spread.hops_max) == (1, 0, 0)
        assert len(spread.arrivals()) == 0
