"""Paper, Algorithm Review and appendix Convergence Proof: what all views hold is reached.

"For any node N_x, if for all S, N_x is in S, then N_x is guaranteed to receive the message." Here
each node plans on a view of its own, so that nodes hand each other boundaries that they have never
heard of or have buried; and the property is shown to fail when the rule behind it is broken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import event, given
from hypothesis import strategies as st

from snowcast.core import region, trees
from snowcast.core import view as core_view
from snowcast.core.address import Address
from snowcast.core.member import Member, State
from snowcast.core.ring import Ring, RingOrder
from snowcast.core.trees import Assignment, Mode, Tree
from support.effort import THOROUGH, seeds
from support.rings import addresses, fanouts, member, modes, ring
from support.scenes import Scene, known_to_all, planners, scene
from support.walks import Send, View, broadcast, of_tree, planning_ring, receivers, walk

SCENES = 1200
ADDRESS = RingOrder.ADDRESS


def unreached(world: Scene, origin: Address, sends: list[Send], tree: Tree) -> set[Address]:
    """The theorem's verdict: members of every view that one tree did not reach."""
    taking_part = planners(origin, sends)
    return known_to_all(world, taking_part) - {origin, *receivers(of_tree(sends, tree))}


def first_tree(mode: Mode) -> Tree:
    return Tree.STANDARD if mode is Mode.STANDARD else Tree.PRIMARY


@THOROUGH
@given(seeds(), st.integers(1, 60), fanouts(), modes(), st.data())
def test_a_member_of_all_views_receives_whatever_else_the_views_hold(
    seed: int, nodes: int, fanout: int, mode: Mode, data: st.DataObject
) -> None:
    world = scene(seed, nodes)
    origin = data.draw(st.sampled_from(world.nodes))
    sends = walk(world.view_of, origin, fanout, mode)
    views = {tuple(world.views[node].ring) for node in planners(origin, sends)}
    event("views held by those who took part: " + ("one" if len(views) == 1 else "several"))
    assert not unreached(world, origin, sends, first_tree(mode))
    assert world.stable <= {origin, *receivers(sends)}


@pytest.mark.parametrize("mode", Mode)
@pytest.mark.parametrize("others", ["unknown", "departed"])
def test_and_whatever_four_nodes_may_know_of_each_other(others: str, mode: Mode) -> None:
    """All 4096 ways: whom a view lacks it has never heard of, or has buried."""
    everybody = addresses(4)
    for knowledge in product(range(8), repeat=4):
        world = Scene(known_by(knowledge), (0 if others == "unknown" else 15,) * 4, ADDRESS)
        for origin in everybody:
            sends = walk(world.view_of, origin, 2, mode)
            assert not unreached(world, origin, sends, first_tree(mode)), (knowledge, origin)


def known_by(knowledge: tuple[int, ...]) -> tuple[int, ...]:
    """For each of four nodes who knows it, from whom of the other three each one knows."""
    knowers = [0, 0, 0, 0]
    for i, known in enumerate(knowledge):
        for bit, j in enumerate(j for j in range(4) if j != i):
            knowers[j] |= (known >> bit & 1) << i
    return tuple(knowers)


@THOROUGH
@given(seeds(), st.integers(3, 60), fanouts(), st.data())
def test_the_secondary_tree_alone_reaches_a_member_of_all_views_too(
    seed: int, nodes: int, fanout: int, data: st.DataObject
) -> None:
    world = scene(seed, nodes)
    origin = data.draw(st.sampled_from(world.nodes))
    sends = walk(world.view_of, origin, fanout, Mode.COLORING)
    if len(world.views[origin].ring) > 2:
        assert not unreached(world, origin, sends, Tree.SECONDARY)


@THOROUGH
@given(seeds(), st.integers(1, 60), fanouts(), modes(), st.data())
def test_nobody_receives_twice_in_one_tree_even_where_views_differ(
    seed: int, nodes: int, fanout: int, mode: Mode, data: st.DataObject
) -> None:
    world = scene(seed, nodes)
    origin = data.draw(st.sampled_from(world.nodes))
    sends = walk(world.view_of, origin, fanout, mode)
    for tree in Tree:
        got = receivers(of_tree(sends, tree))
        assert len(got) == len(set(got))
        assert origin not in got


@THOROUGH
@given(seeds(), st.integers(1, 60), fanouts(), modes(), st.data())
def test_nobody_sends_to_more_than_fanout_even_where_views_differ(
    seed: int, nodes: int, fanout: int, mode: Mode, data: st.DataObject
) -> None:
    world = scene(seed, nodes)
    origin = data.draw(st.sampled_from(world.nodes))
    sends = walk(world.view_of, origin, fanout, mode)
    fanouts_seen = Counter((send.parent, send.tree) for send in sends if send.hop > 1)
    assert all(count <= fanout for count in fanouts_seen.values())
    assert sum(send.hop == 1 for send in sends) <= fanout + (mode is Mode.COLORING)


def test_the_views_of_this_file_really_differ() -> None:
    seen: Counter[str] = Counter()
    for seed in range(SCENES):
        world = scene(seed, 8 + seed % 40)
        origin = world.nodes[seed % len(world.nodes)]
        sends = walk(world.view_of, origin, 2 + 2 * (seed % 4), list(Mode)[seed % 2])
        taking_part = planners(origin, sends)
        assert not known_to_all(world, taking_part) - taking_part
        seen["scenes with several views"] += (
            len({tuple(world.views[x].ring) for x in taking_part}) > 1
        )
        seen["scenes in which some node was missed"] += len(taking_part) < len(world.nodes)
        seen["scenes in which an unstable node received"] += bool(taking_part - world.stable)
        for send in sends:
            view, work = world.views[send.child], send.assignment
            for boundary in {work.region.left, work.region.right} - {send.child}:
                seen["boundaries never heard of"] += (
                    boundary not in view.ring and boundary not in view.departed
                )
                seen["boundaries known to have left"] += boundary in view.departed
    assert seen["scenes with several views"] > SCENES // 2
    assert seen["scenes in which some node was missed"] > SCENES // 4
    assert seen["scenes in which an unstable node received"] > SCENES // 2
    assert seen["boundaries never heard of"] > SCENES
    assert seen["boundaries known to have left"] > SCENES


@given(seeds(), st.integers(1, 60), fanouts(), modes())
def test_a_nodes_view_plans_on_the_ring_that_these_walks_plan_on(
    seed: int, nodes: int, fanout: int, mode: Mode
) -> None:
    world = scene(seed, nodes)
    for send in walk(world.view_of, world.nodes[0], fanout, mode):
        me, work = send.child, send.assignment
        known, departed = world.views[me]
        real = core_view.View(known.order)
        real.merge([Member(x, 1) for x in known], 0)
        real.merge([Member(x, 1, State.LEFT) for x in departed], 0)
        planned_on = planning_ring(world.views[me], me, work)
        assert list(real.planning_ring(work.region, me)) == list(planned_on)
        assert list(real.ring) == list(known)


def test_while_a_join_spreads_no_old_member_misses_a_message() -> None:
    """Paper, Node Join: some views are S_p and some S_l, and S_p is in all of them."""
    for mode, fanout in ((Mode.STANDARD, 2), (Mode.STANDARD, 4), (Mode.COLORING, 2)):
        for joiner, informed, origin in mixed_knowledge(7):
            everybody = addresses(7)
            before = View(Ring(x for x in everybody if x != joiner))
            after = View(Ring(everybody))
            views = {x: after if x in informed or x == joiner else before for x in everybody}
            got = {origin, *receivers(walk(views.__getitem__, origin, fanout, mode))}
            assert got >= set(before.ring), (joiner, informed, origin)


def test_while_a_leave_spreads_no_remaining_member_misses_a_message() -> None:
    """Paper, Normal Leave: the leaver forwards until all have taken it out of their views."""
    for mode, fanout in ((Mode.STANDARD, 2), (Mode.STANDARD, 4), (Mode.COLORING, 2)):
        for leaver, informed, origin in mixed_knowledge(7):
            everybody = addresses(7)
            before = View(Ring(everybody))
            after = View(Ring(x for x in everybody if x != leaver), frozenset([leaver]))
            views = {x: after if x in informed and x != leaver else before for x in everybody}
            got = {origin, *receivers(walk(views.__getitem__, origin, fanout, mode))}
            assert got >= set(after.ring), (leaver, informed, origin)


def mixed_knowledge(n: int) -> list[tuple[Address, set[Address], Address]]:
    """Each node coming or going, with each set of others that know of it, and each origin."""
    everybody = addresses(n)
    return [
        (changing, {x for i, x in enumerate(everybody) if known >> i & 1}, origin)
        for changing in everybody
        for known in range(1 << n)
        for origin in everybody
    ]


def test_a_node_that_only_some_know_may_be_missed_but_costs_nobody_else_the_message() -> None:
    """Paper, appendix Broadcast With Different Membership: only what all know is promised."""
    everybody, origin, stranger = addresses(10), member(5), member(4)
    full, partial = View(ring(10)), View(Ring(x for x in everybody if x != stranger))
    views = {x: partial if x == origin else full for x in everybody}
    got = {origin, *receivers(walk(views.__getitem__, origin, 2, Mode.STANDARD))}
    assert got == set(everybody) - {stranger}


# The checker above is worth something only if it can fail: so the rule is broken in several ways.


def floored(first: int, last: int, parts: int) -> list[tuple[int, int]]:
    """`split` as Algorithm 1 prints it."""
    size = (last - first + 1) // parts
    runs = [(first + part * size, first + (part + 1) * size - 1) for part in range(parts)]
    return [run for run in runs if run[0] <= run[1]]


def without_last(first: int, last: int, parts: int) -> list[tuple[int, int]]:
    """`split` with the last part forgotten."""
    return region.split(first, last, parts)[:-1]


@pytest.mark.parametrize("broken", [floored, without_last])
@pytest.mark.parametrize("mode", Mode)
def test_the_checker_catches_a_rule_that_loses_a_part(
    broken: Callable[[int, int, int], list[tuple[int, int]]],
    mode: Mode,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert losses(mode) == 0
    monkeypatch.setattr(trees, "split", broken)
    assert losses(mode) > 0


@pytest.mark.parametrize("mode", Mode)
def test_the_checker_catches_a_node_that_forgets_a_child(
    mode: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = trees.children

    def forgetful(*args: object) -> tuple[Assignment, ...]:
        return real(*args)[1:]  # type: ignore[arg-type]

    monkeypatch.setattr(trees, "children", forgetful)
    assert losses(mode) > 0


def losses(mode: Mode) -> int:
    """How many times the theorem fails over some scenes, the views of half of them equal."""
    count = 0
    for seed in range(20):
        world = scene(seed, 50)
        origin = world.nodes[seed]
        sends = walk(world.view_of, origin, 4, mode)
        count += bool(unreached(world, origin, sends, first_tree(mode)))
        sends = broadcast(ring(50), origin, 4, mode)
        count += set(receivers(of_tree(sends, first_tree(mode)))) != set(ring(50)) - {origin}
    return count
