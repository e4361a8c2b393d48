"""Paper, "When k and n take various values": the height of a tree.

The formula is printed with a misplaced parenthesis. What holds is ceil(log_k((k-1) n + 1)) levels,
the least that any tree of fanout k can have (DESIGN 4.9). No float is trusted with a ceiling.
"""

from __future__ import annotations

import pytest

from snowcast.core.trees import Mode, Tree
from support import twins
from support.rings import member, ring
from support.walks import broadcast, levels_of, of_tree

FANOUTS = range(2, 17, 2)
N_MAX = 1500


def sizes(fanout: int) -> list[int]:
    """Every size up to 160, and beyond that those around each step of the formula."""
    steps = [n for n in range(161, N_MAX) if is_step(n, fanout)]
    around = {n + off for n in steps for off in (-2, -1, 0, 1, 2)}
    return sorted({*range(1, 161), *around, 500, 600, 900, N_MAX})


def is_step(n: int, fanout: int) -> bool:
    return twins.levels(n, fanout) != twins.levels(n - 1, fanout)


@pytest.mark.parametrize("fanout", FANOUTS)
def test_the_formula_is_the_least_number_of_levels_with_room_for_all(fanout: int) -> None:
    for n in range(1, 5000):
        levels = twins.levels(n, fanout)
        # ceil(log_k(x)) is the least whole number whose power is at least x
        assert fanout ** (levels - 1) < (fanout - 1) * n + 1 <= fanout**levels


@pytest.mark.parametrize("fanout", FANOUTS)
def test_a_standard_tree_has_exactly_the_least_number_of_levels(fanout: int) -> None:
    for n in sizes(fanout):
        sends = broadcast(ring(n), member(n // 2), fanout, Mode.STANDARD)
        assert levels_of(sends) == twins.levels(n, fanout), n


@pytest.mark.parametrize("fanout", FANOUTS)
def test_a_coloring_tree_has_at_most_one_level_more(fanout: int) -> None:
    """Node Coloring: leaves of the other colour "increase the height ... by at most one level"."""
    for n in sizes(fanout):
        sends = broadcast(ring(n), member(n // 2), fanout, Mode.COLORING)
        assert levels_of(of_tree(sends, Tree.PRIMARY)) <= twins.levels(n, fanout) + 1, n
        below = [send for send in of_tree(sends, Tree.SECONDARY) if send.hop > 1]
        assert levels_of(below) <= twins.levels(max(n - 1, 1), fanout) + 1, n


@pytest.mark.parametrize("fanout", FANOUTS)
def test_the_leaves_of_a_standard_tree_differ_by_at_most_one_level(fanout: int) -> None:
    """Introduction: "uniform leaf depths with at most one-level variation"."""
    for n in sizes(fanout):
        sends = broadcast(ring(n), member(n // 2), fanout, Mode.STANDARD)
        hops = {send.hop for send in sends if send.assignment.is_leaf}
        assert max(hops, default=0) - min(hops, default=0) <= 1, n


def test_the_formula_as_printed_overstates_by_one_level() -> None:
    for fanout in FANOUTS:
        for n in range(1, N_MAX):
            is_power_of_two = n & (n - 1) == 0
            excess = twins.levels_as_printed(n, fanout) - twins.levels(n, fanout)
            assert excess == (0 if fanout == 2 and is_power_of_two else 1)


@pytest.mark.parametrize(("n", "printed", "real"), [(500, 7, 6), (600, 7, 6), (1500, 8, 7)])
def test_the_papers_own_clusters_are_a_level_lower_than_it_prints(
    n: int, printed: int, real: int
) -> None:
    assert twins.levels_as_printed(n, 4) == printed
    assert twins.levels(n, 4) == real
    assert levels_of(broadcast(ring(n), member(0), 4, Mode.STANDARD)) == real
    both = broadcast(ring(n), member(0), 4, Mode.COLORING)
    assert levels_of(of_tree(both, Tree.PRIMARY)) == real
    # the origin stands above the root of the secondary tree
    assert levels_of(of_tree(both, Tree.SECONDARY)) == real + 1
