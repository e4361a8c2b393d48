"""Digests: equal for equal sets of members, whatever the order, and different where they differ."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from snowcast.core.digest import LEAVES, WIDTH, DigestTree, leaf_of, member_digest
from snowcast.core.member import Member, State
from support.frames import members
from support.lone import record, records
from support.rings import any_addresses, member

SETS = st.sets(st.integers(0, 50)).map(records)


def digest_of(members: tuple[Member, ...]) -> DigestTree:
    tree = DigestTree()
    for item in members:
        tree.toggle(item)
    return tree


def everything(tree: DigestTree) -> tuple[object, ...]:
    return tree.root, tree.branches(), [tree.leaves(branch) for branch in range(WIDTH)]


def test_of_nobody_it_is_zero() -> None:
    tree = DigestTree()
    assert (tree.root, set(tree.branches()), len(tree.branches())) == (0, {0}, WIDTH)
    assert [len(tree.leaves(branch)) for branch in range(WIDTH)] == [WIDTH] * WIDTH


@given(st.lists(members(), unique=True), st.randoms(use_true_random=False))
def test_the_order_does_not_matter(news: list[Member], random: object) -> None:
    shuffled = list(news)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert everything(digest_of(tuple(news))) == everything(digest_of(tuple(shuffled)))


@given(SETS, SETS)
def test_to_toggle_again_takes_out(some: tuple[Member, ...], others: tuple[Member, ...]) -> None:
    tree = digest_of(some + others)
    for item in others:
        tree.toggle(item)
    assert everything(tree) == everything(digest_of(some))


@given(SETS, SETS)
def test_equal_sets_have_equal_digests_and_others_other_ones(
    some: tuple[Member, ...], others: tuple[Member, ...]
) -> None:
    assert (digest_of(some).root == digest_of(others).root) == (set(some) == set(others))


@given(SETS)
def test_each_level_is_the_sum_of_the_one_below(some: tuple[Member, ...]) -> None:
    tree = digest_of(some)
    total = 0
    for branch, digest in enumerate(tree.branches()):
        below = 0
        for leaf in tree.leaves(branch):
            below ^= leaf
        assert below == digest
        total ^= digest
    assert total == tree.root


@given(SETS, st.integers(60, 90))
def test_one_more_member_differs_in_one_branch_and_one_leaf(
    some: tuple[Member, ...], i: int
) -> None:
    before, after = digest_of(some), digest_of((*some, record(i)))
    leaf = leaf_of(member(i))
    for branch in range(WIDTH):
        at = [n for n in range(WIDTH) if before.leaves(branch)[n] != after.leaves(branch)[n]]
        assert at == ([leaf % WIDTH] if branch == leaf // WIDTH else [])


def test_it_is_of_the_address_and_the_incarnation_and_of_nothing_else() -> None:
    base = digest_of((record(1),)).root
    assert digest_of((record(1, State.SUSPECT),)).root == base
    assert digest_of((Member(member(1), record(1).incarnation, name="n"),)).root == base
    assert digest_of((record(1, refutations=1),)).root != base
    assert digest_of((record(1, life=2),)).root != base
    assert digest_of((record(2),)).root != base


@given(any_addresses())
def test_the_leaf_is_of_the_address_alone(address: bytes) -> None:
    leaf = leaf_of(address)  # type: ignore[arg-type]
    digests = [member_digest(address, i) for i in (0, 1, 1 << 60)]  # type: ignore[arg-type]
    assert 0 <= leaf < LEAVES
    assert {found for found, _ in digests} == {leaf}


def test_members_spread_over_the_leaves() -> None:
    counts = Counter(leaf_of(member(i)) for i in range(20_000))
    assert len(counts) > LEAVES * 0.98
    assert max(counts.values()) < 25


def test_digests_are_part_of_the_protocol_and_stay_as_they_are() -> None:
    assert member_digest(member(1), 65_536) == (1293, 11_935_067_960_379_086_137)
    assert leaf_of(member(1)) == 1293
